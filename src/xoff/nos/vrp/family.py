"""VRP: which of the model families a switch belongs to. Their lines for thresholds and deadlock times exclude one another.

A has headroom settings and needs a headroom pool; B simulates headroom and needs `qos ecn enable`; C are the models of V200,
with thresholds in cells. By the model where it is known, else by lines that only one family has; else it is not known.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from xoff.model.origin import FileLine, Line
from xoff.model.quantity import Fact, Unknown
from xoff.model.record import dataclass


class Family(StrEnum):
    A = "a"
    B = "b"
    C = "c"


A, B, C = frozenset({Family.A}), frozenset({Family.B}), frozenset({Family.C})
A_OR_C, B_OR_C = A | C, B | C
#: Beginnings of model names (MANUAL: models that each page lists; E-ECN and Kunpeng for V200). The first that fits decides.
_MODELS = (
    ("CE6855-48XS8CQ", Family.A),
    ("CE6863E", Family.A),
    ("CE6885", Family.A),
    ("CE8851-32CQ4BQ", Family.A),
    ("CE8855", Family.A),
    ("CE6866", Family.B),
    ("CE6860-SAN", Family.B),
    ("CE6860-HAM", Family.B),
    ("CE8850-SAN", Family.B),
    ("CE8850-HAM", Family.B),
    ("CE8851K", Family.B),
    ("CE8851-32CQ8DQ-P", Family.B),
    ("CE6863-48S6CQ", Family.C),
    ("CE6865", Family.C),
    ("CE8850-EI", Family.C),
    ("CE8850-32CQ-EI", Family.C),
    ("CE8850-64CQ-EI", Family.C),
    ("CE8861", Family.C),
    ("CE128", Family.C),
    ("CE16800", Family.C),
)
#: Their entries in platforms/.
CHIPS = {Family.A: "huaweia", Family.B: "huaweib", Family.C: "huaweic"}
#: Those entries, and the low-latency part of family A, back to the family.
OF_CHIP = {"huaweia": Family.A, "huaweill": Family.A, "huaweib": Family.B, "huaweic": Family.C}


@dataclass(frozen=True, slots=True)
class Hint:
    """A line that only some families have."""

    families: frozenset[Family]
    line: Line


@dataclass(frozen=True, slots=True)
class Found:
    """`by` says what settled it. `certain`: by the model, so that lines of another family are wrong here."""

    family: Family | Unknown
    by: str = ""
    at: FileLine | None = None
    certain: bool = False

    @property
    def known(self) -> Family | None:
        return self.family if isinstance(self.family, Family) else None


def of_model(model: str) -> Family | None:
    """The family of a model name as `display version` or a data sheet has it."""
    name = model.strip().upper().removeprefix("HUAWEI ").removeprefix("CLOUDENGINE ")
    return next((family for start, family in _MODELS if name.startswith(start)), None)


def find(model: str | None, chip: str | None, hints: Iterable[Hint]) -> Found:
    """The family by chip or model, else by what the lines leave of the three."""
    known = OF_CHIP.get(chip or "") or (of_model(model) if model else None)
    if known is not None:
        return Found(known, f"model {model}" if model else f"chip {chip}", certain=True)
    left = frozenset(Family)
    decided: Line | None = None
    for hint in hints:
        if not left & hint.families:
            texts = f"`{decided.text}`" if decided else "other lines"
            return Found(
                Unknown(f"the model is not stated, and its lines are of different families ({texts}, `{hint.line.text}`)",
                        Fact.ASIC)
            )  # fmt: skip
        if left & hint.families != left:
            left, decided = left & hint.families, hint.line
    if len(left) == 1 and decided is not None:
        (only,) = left
        return Found(only, f"`{decided.text}` is a line of that family alone", decided.at)
    return Found(
        Unknown("the model is not stated, and no line tells which family of CloudEngine it is (A, B or V200)", Fact.ASIC)
    )
