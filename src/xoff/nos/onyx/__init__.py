"""NVIDIA Onyx, parse-only: PFC, trust, ECN lines and lossless pools as far as real files show them."""

from xoff.nos.onyx.reading import parse

__all__ = ["parse"]
