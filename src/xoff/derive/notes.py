"""What deriving a switch leaves to say: the model, notes by name, and the numbers behind each port."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from xoff.model.record import dataclass
from xoff.model.switch import SwitchModel
from xoff.platforms import Asic, Platform, ShippedRange, ShippedRow
from xoff.sizing.headroom import LinkInput
from xoff.sizing.number import Number


@dataclass(frozen=True, slots=True)
class DerivationNote:
    """Something the intent asked for that NOS or platform cannot say, or a choice that a reader should know. Never silent.

    `what`: the field or statement. `why`: reason with its source.
    """

    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


@dataclass(frozen=True, slots=True)
class PortNumbers:
    """How the headroom of one port's lossless groups came about. `chosen` is the port's own need, before scopes collapse.

    None where the port carries nothing lossless, or the device computes the number by itself.
    """

    link: LinkInput
    chosen: Number | None
    own_row: ShippedRow | None
    base_row: ShippedRow | None
    shipped: ShippedRange | None


@dataclass(frozen=True, slots=True)
class Derivation:
    """A derived switch. `numbers` by port name."""

    model: SwitchModel
    notes: tuple[DerivationNote, ...] = ()
    numbers: Mapping[str, PortNumbers] = field(default_factory=dict)
    asic: Asic | None = None
    platform: Platform | None = None
