"""Servers and their NICs: what they say of the classes they send."""
