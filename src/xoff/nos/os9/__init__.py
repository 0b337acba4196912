"""Dell OS9 (FTOS), reading only, as a preview."""

from xoff.nos.os9.reading import parse

__all__ = ["parse"]
