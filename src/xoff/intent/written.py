"""Single values as they may be written in an intent: names, ranges, numbers with units; each with its editor schema."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator, WithJsonSchema

from xoff.intent import ranges, units
from xoff.model.quantity import Quantity

_PRINTABLE = re.compile(r"[\x20-\x7e]*\Z")


def _text(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise ValueError(f"expected text, not {units.show(value)}")
    text = str(value)
    if not _PRINTABLE.match(text):
        bad = next(c for c in text if not " " <= c <= "~")
        kind = "a line break" if bad in "\n\r\x85\u2028\u2029" else "a control character" if ord(bad) < 32 else "a character"
        raise ValueError(f"{units.show(text)} holds {kind} ({bad!a}); only printable ASCII on one line is allowed")
    if not text.strip() or len(text) > 200:
        raise ValueError("expected text of 1 to 200 characters")
    return text


def _named(what: str, pattern: str, allowed: str) -> Any:
    compiled = re.compile(pattern + r"\Z")

    def check(value: Any) -> str:
        text = _text(value)
        if not compiled.match(text):
            raise ValueError(f"{units.show(text)} is no name for {what}: {allowed}")
        return text

    return check


def _pattern(value: Any) -> str:
    text = _text(value)
    ranges.expand(text)
    return text


def _patterns(value: Any) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(_pattern(v) for v in value)
    return (_pattern(value),)


def _dscps(value: Any) -> tuple[int, ...]:
    out: list[int] = []
    for item in value if isinstance(value, list) else [value]:
        for d in units.dscp(item):
            if d in out:
                raise ValueError(f"DSCP {d} stands here twice")
            out.append(d)
    return tuple(out)


def _bandwidth(value: Any) -> Fraction | str:
    return "rest" if value == "rest" else units.percent(value)


def _speed(value: Any) -> int:
    return units.speed(_hashable(value))


def _hashable(value: Any) -> Any:
    if isinstance(value, (list, dict)):
        raise ValueError(f"expected one value with its unit, not {units.show(value)}")
    return value


def _unit(parse: Any) -> PlainValidator:
    return PlainValidator(lambda value: parse(_hashable(value)))


def _json(pattern: str, description: str, *examples: str) -> WithJsonSchema:
    schema: dict[str, Any] = {"type": "string", "pattern": pattern, "description": description}
    return WithJsonSchema(schema | ({"examples": list(examples)} if examples else {}))


HOSTNAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}"
CLASS_NAME = r"[A-Za-z][A-Za-z0-9_-]{0,23}"
PORT_NAME = r"[0-9]{0,4}[A-Za-z][A-Za-z0-9/:._-]{0,58}"
HOSTNAME_RULE = "letters, digits, . _ and -, starting with a letter or digit, at most 63 characters"
CLASS_RULE = "letters, digits, _ and -, starting with a letter, at most 24 characters"
PORT_RULE = "letters, digits, / : . _ and -, starting with a letter or a speed such as 100GE, at most 63 characters"

Text = Annotated[str, PlainValidator(_text), WithJsonSchema({"type": ["string", "integer"], "pattern": "^[ -~]{1,200}$"})]
Option = Annotated[
    str,
    PlainValidator(lambda v: str(v).lower() if isinstance(v, bool) else _text(v)),
    WithJsonSchema({"type": ["string", "integer", "boolean"]}),
]
FabricName = Annotated[
    str, PlainValidator(_named("a fabric", HOSTNAME, HOSTNAME_RULE)), _json(f"^{HOSTNAME}$", "Name of the fabric", "pod1")
]
ClassName = Annotated[
    str, PlainValidator(_named("a class", CLASS_NAME, CLASS_RULE)), _json(f"^{CLASS_NAME}$", "Name of a class")
]
Pattern = Annotated[str, PlainValidator(_pattern), _json("^[ -~]+$", "A name, or names as a range [a-b:step]", "leaf[01-32]")]
Patterns = Annotated[
    tuple[str, ...],
    PlainValidator(_patterns),
    WithJsonSchema(
        {
            "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
            "description": "Names, each perhaps a range [a-b:step]",
            "examples": ["Ethernet[0-124:4]"],
        }
    ),
]
Speed = Annotated[int, PlainValidator(_speed), _json(r"^[0-9.]+\s*[GT]", "Speed of the port", "100G", "400G", "800G")]
Cable = Annotated[
    int, _unit(units.cable), _json(r"^[0-9.]+\s*(cm|m|km)$", "Cable length, more than 0 m, at most 40 km", "3m", "30m")
]
Size = Annotated[
    Quantity, _unit(units.size), _json(r"^[0-9.]+\s*(B|kB|KB|KiB|MB|MiB)$", "KB = 1,000, KiB = 1,024 bytes", "150KB")
]
SizeBytes = Annotated[int, _unit(units.size_bytes), _json(r"^[0-9.]+\s*(B|kB|KB|KiB|MB|MiB)$", "A size", "96KB")]
Millis = Annotated[int, _unit(units.milliseconds), _json(r"^[0-9.]+\s*(ms|s)$", "A time, 1 ms to 600 s", "200ms")]
Nanos = Annotated[int, _unit(units.nanoseconds), _json(r"^[0-9.]+\s*(ns|us)$", "A time", "1100ns")]
Percent = Annotated[int, _unit(units.whole_percent), _json(r"^[0-9]+\s*%$", "1% to 100%", "20%")]
Bandwidth = Annotated[
    Fraction | Literal["rest"],
    _unit(_bandwidth),
    WithJsonSchema({"type": "string", "pattern": r"^([0-9.]+\s*%|rest)$", "examples": ["60%", "rest"]}),
]
Dscps = Annotated[
    tuple[int, ...],
    PlainValidator(_dscps),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "array", "items": {"anyOf": [{"type": "integer", "minimum": 0, "maximum": 63}, {"type": "string"}]}},
                {"type": "integer", "minimum": 0, "maximum": 63},
                {"type": "string"},
            ],
            "description": "DSCPs 0-63, names such as cs3 or af31, ranges such as 8-15",
            "examples": [[26]],
        }
    ),
]
Carries = Annotated[list[ClassName], Field(description="Classes besides default and control; others are lossy here")]
Mtu = Annotated[int, Field(ge=1280, le=10240, description="Bytes, as the NOS's own mtu counts them")]
RoceMtu = Annotated[Literal[256, 512, 1024, 2048, 4096], Field(description="RDMA path MTU in bytes")]
