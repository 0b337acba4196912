"""SONiC: what data cannot say. `parse` and `tables` read, `render.build` writes."""

from xoff.nos.sonic.reading import parse, tables

__all__ = ["parse", "tables"]
