"""Where does a packet land, hop by hop? The way through the fabric, and what each switch on it does to one DSCP."""
