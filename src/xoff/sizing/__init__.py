"""Lossless buffer arithmetic: headroom, thresholds, pools, ECN, watchdog. Pure functions; every number comes with its terms.

Bytes, Mb/s, metres, nanoseconds. A function that does not hold for an architecture returns Unknown instead of a number.
"""
