"""YAML read as 1.2 means it: `on`, `off`, `yes`, `no` stay text, no sexagesimal numbers, no dates.

C loader, safe types only.
"""

from __future__ import annotations

import functools
import re
from typing import Any, ClassVar


@functools.cache
def _loader() -> Any:
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        """CSafeLoader with the core schema's scalars."""

        yaml_implicit_resolvers: ClassVar[dict[str, list[tuple[str, re.Pattern[str]]]]] = {}

    core = (
        ("tag:yaml.org,2002:bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
        ("tag:yaml.org,2002:int", r"^(?:[-+]?[0-9]+|0x[0-9a-fA-F]+)$", "-+0123456789"),
        ("tag:yaml.org,2002:float", r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$", "-+0123456789."),
        ("tag:yaml.org,2002:null", r"^(?:~|null|Null|NULL|)$", "~nN\0"),
    )
    for tag, pattern, first in core:
        Loader.add_implicit_resolver(tag, re.compile(pattern), [c if c != "\0" else "" for c in first])
    # The 1.1 constructor reads `010` as octal; 1.2 says ten.
    Loader.add_constructor(
        "tag:yaml.org,2002:int",
        lambda loader, node: int(loader.construct_scalar(node), 0) if "x" in node.value else int(node.value),
    )
    return Loader


def load(text: str) -> Any:
    """Parse one YAML document. Raises yaml.YAMLError."""
    import yaml

    return yaml.load(text, Loader=_loader())
