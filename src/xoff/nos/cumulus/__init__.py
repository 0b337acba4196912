"""NVIDIA Cumulus Linux: what data cannot say. `parse` reads, `render.build` writes."""

from xoff.nos.cumulus.reading import parse

__all__ = ["parse"]
