"""Huawei VRP8 (CloudEngine): what data cannot say. `parse` reads, `render.build` writes."""

from xoff.nos.vrp.reading import parse

__all__ = ["parse"]
