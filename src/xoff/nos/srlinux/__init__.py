"""Nokia SR Linux: what data cannot say. `parse` reads, `render.build` writes."""

from xoff.nos.srlinux.reading import parse

__all__ = ["parse"]
