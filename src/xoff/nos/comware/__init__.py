"""H3C Comware: what data cannot say. `parse` reads, `render.build` writes."""

from xoff.nos.comware.reading import parse

__all__ = ["parse"]
