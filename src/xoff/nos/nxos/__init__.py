"""Cisco NX-OS: what data cannot say. `parse` reads, `render.build` writes."""

from xoff.nos.nxos.reading import parse

__all__ = ["parse"]
