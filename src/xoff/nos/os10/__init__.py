"""Dell OS10: what data cannot say. `parse` reads, `render.build` writes."""

from xoff.nos.os10.reading import parse

__all__ = ["parse"]
