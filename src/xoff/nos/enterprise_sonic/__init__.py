"""Dell / Broadcom Enterprise SONiC by its CLI (sonic-cli): what data cannot say. `parse` reads, `render.build` writes."""

from xoff.nos.enterprise_sonic.reading import parse

__all__ = ["parse"]
