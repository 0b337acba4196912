"""What the model of every derived switch holds, whatever its NOS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xoff.derive.setting import Setting
from xoff.model.frozen import FrozenMap
from xoff.model.quantity import Fact, Unknown
from xoff.model.switch import Port, SwitchModel


def switch_model(s: Setting, ports: Mapping[str, Port], **more: Any) -> SwitchModel:
    """The switch around its ports. `more`: fields of the model that only this NOS fills."""
    d = s.device
    return SwitchModel(
        hostname=d.name,
        nos=s.nos.name,
        ports=FrozenMap(ports),
        form=s.form,
        role=d.role,
        release=d.release if d.release is not None else Unknown("release not stated", Fact.RELEASE),
        platform=d.model,
        asic=s.asic.name if s.platform else Unknown("platforms/ does not hold the chip; the intent gives its facts", Fact.ASIC),
        architecture=s.asic.architecture.value,
        kilo=s.nos.kilo,
        structure=tuple(x.text for x in s.nos.structure),
        **more,
    )
