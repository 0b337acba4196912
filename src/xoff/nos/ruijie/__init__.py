"""Ruijie RGOS, parse-only: ports and named objects; everything about PFC and buffers is unknown."""

from xoff.nos.ruijie.reading import parse

__all__ = ["parse"]
