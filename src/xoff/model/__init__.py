"""The vendor-neutral model: what a switch does to a packet, in the field's words. No I/O, imports nothing of xoff."""
