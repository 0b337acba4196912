"""NVUE, the command language of NVIDIA's switches: `nv set` lists and YAML documents, both as one list of leaves."""

from xoff.nos.nvue.commands import read_commands
from xoff.nos.nvue.document import is_document, read_document
from xoff.nos.nvue.leaf import Leaf, Leaves

__all__ = ["Leaf", "Leaves", "is_document", "read_commands", "read_document"]
