"""Arista EOS: what data cannot say. `parse` reads, `render.build` writes."""

from xoff.nos.eos.reading import parse

__all__ = ["parse"]
