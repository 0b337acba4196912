"""Intent to model: what each switch does to a packet, with a reason beside every derived number.

Numbers are collapsed to what the NOS can say (one headroom per switch, one profile per speed and cable …) before the model
is built: headroom to the largest, marking thresholds to the smallest of the ports that share them.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from importlib.util import find_spec

from xoff.derive.classes import classes_of
from xoff.derive.notes import Derivation, DerivationNote, PortNumbers
from xoff.derive.setting import Setting, setting
from xoff.errors import CannotExpress
from xoff.fabric.planned import PlannedDevice, PlannedFabric
from xoff.model.switch import Form

__all__ = ["Derivation", "DerivationNote", "PortNumbers", "classes_of", "derive", "derive_all"]


def derive(plan: PlannedFabric, device: str | PlannedDevice, form: Form = Form.RUNNING) -> Derivation:
    """One switch of the plan. `form` GOLDEN (SONiC): what the device adds at run time is left to it.

    Raises UnknownPlatform where nothing is known of the chip, CannotExpress, naming device, port and field, where the NOS or
    platform cannot do what the intent asks, KeyError for a device that is not in the plan.
    """
    planned = plan.devices[device] if isinstance(device, str) else device
    s = setting(plan, planned, form)
    try:
        build = _builder(s.nos.name)
    except KeyError:
        raise CannotExpress(f"{planned.name}: xoff reads {s.nos.title} but cannot derive a configuration for it") from None
    return build(s)


def derive_all(plan: PlannedFabric, form: Form = Form.RUNNING) -> dict[str, Derivation]:
    """Every switch of the plan by name, in the plan's order. Raises as `derive` does."""
    return {name: derive(plan, name, form) for name in plan.devices}


@functools.lru_cache(maxsize=32)
def _builder(nos: str) -> Callable[[Setting], Derivation]:
    """`build` of `xoff.derive.<nos>`: there is no list to edit."""
    name = f"xoff.derive.{nos.replace('-', '_')}"
    module = importlib.import_module(name) if find_spec(name) is not None else None
    found: Callable[[Setting], Derivation] | None = getattr(module, "build", None)
    if found is None:
        raise KeyError(nos)
    return found
