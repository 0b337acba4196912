"""Juniper Junos: what data cannot say. `parse` reads, `render.build` writes."""

from xoff.nos.junos.reading import parse

__all__ = ["parse"]
