"""What `make bench` runs: the speed of xoff as multiples of a floor or a peer measured in the same run. See `__main__`."""
