"""Intent to model: what each switch does to a packet, with a reason beside every derived number.

Numbers are collapsed to what the NOS can say (one headroom per switch, one profile per speed and cable …) before the model
is built: headroom to the largest, marking thresholds to the smallest of the ports that share them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xoff.derive.classes import classes_of
from xoff.derive.eos import Eos
from xoff.derive.notes import Derivation, DerivationNote, PortNumbers
from xoff.derive.setting import Setting, setting
from xoff.derive.sonic import Sonic
from xoff.errors import CannotExpress
from xoff.fabric.planned import PlannedDevice, PlannedFabric
from xoff.model.frozen import FrozenMap
from xoff.model.quantity import Fact, Unknown
from xoff.model.switch import Form, Interner, Port, SwitchModel

__all__ = ["Derivation", "DerivationNote", "PortNumbers", "classes_of", "derive", "derive_all"]


def derive(plan: PlannedFabric, device: str | PlannedDevice, form: Form = Form.RUNNING) -> Derivation:
    """One switch of the plan. `form` GOLDEN (SONiC): what the device adds at run time is left to it.

    Raises UnknownPlatform where nothing is known of the chip, CannotExpress, naming device, port and field, where the NOS or
    platform cannot do what the intent asks, KeyError for a device that is not in the plan.
    """
    planned = plan.devices[device] if isinstance(device, str) else device
    s = setting(plan, planned, form)
    if planned.nos not in _BUILDERS:
        raise CannotExpress(f"{planned.name}: xoff derives {' and '.join(sorted(_BUILDERS))} so far, not {planned.nos}")
    return _BUILDERS[planned.nos](s)


def derive_all(plan: PlannedFabric, form: Form = Form.RUNNING) -> dict[str, Derivation]:
    """Every switch of the plan by name, in the plan's order. Raises as `derive` does."""
    return {name: derive(plan, name, form) for name in plan.devices}


def _common(s: Setting, ports: Mapping[str, Port], **more: Any) -> SwitchModel:
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


def _eos(s: Setting) -> Derivation:
    eos = Eos(s)
    model = _common(s, eos.build(Interner()), pools=eos.pools, facts=eos.facts())
    return Derivation(model, tuple(s.notes), eos.numbers, s.asic, s.platform)


def _sonic(s: Setting) -> Derivation:
    sonic = Sonic(s)
    ports = sonic.build(Interner())
    model = _common(
        s,
        ports,
        pools=sonic.all_pools(),
        profiles=sonic.profiles(ports),
        lossless_mtu=sonic.lossless_mtu(),
        facts=sonic.facts(),
    )
    return Derivation(model, tuple(s.notes), sonic.numbers, s.asic, s.platform)


_BUILDERS: dict[str, Callable[[Setting], Derivation]] = {"eos": _eos, "sonic": _sonic}
