"""xoff: design, render, lint and audit lossless RoCEv2 fabrics."""

from __future__ import annotations

__version__ = "0.1.0"
