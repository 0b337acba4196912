"""Bundles are judged once, at their members (DESIGN 4 "Bundles").

Which of the two a NOS reads QoS from stands in nos.yaml (`bundle_qos`: members, bundle, both or unknown; for trust, PFC
and queues). Where that is `both` or `unknown`, a statement counts if the member has it or else the bundle, so that a fault is
reported only where neither has it. The members in the view therefore hold what is in force on them, from wherever it comes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from xoff.errors import UsageError
from xoff.model.frozen import FrozenMap
from xoff.model.origin import BodyLine, Line, Origin, Origins
from xoff.model.qos import MatchKind, PortQos
from xoff.model.switch import Bundle, Port, SwitchModel

_UNKNOWN: Mapping[str, str] = {"classify": "unknown", "pfc": "unknown", "queue": "unknown"}
#: Field paths of each aspect. Classification maps are shared by the whole switch, so the trust is what tells.
_FIELDS = {"classify": ("classify", "rewrite", "tc_to"), "pfc": ("pfc", "group", "watchdog"), "queue": ("queue",)}
_TELLS = {"classify": ("classify.trust",), "pfc": ("pfc.",), "queue": ("queue.",)}


def joined(model: SwitchModel) -> SwitchModel:
    """The model with each bundle's statements laid under those of its members, as far as the NOS may read them there."""
    bundles = [(b, model.ports[b.name]) for b in model.bundles.values() if b.name in model.ports]
    if not bundles:
        return model
    where = _where(model.nos)
    if all(where.get(aspect) == "members" for aspect in _FIELDS):
        return model
    ports = dict(model.ports)
    for bundle, head in bundles:
        done: dict[tuple[int, int], tuple[PortQos, Origins]] = {}
        for name in bundle.members:
            member = ports.get(name)
            if member is not None and member.qos.unread is None and head.qos.unread is None:
                ports[name] = _join(member, head, where, done)
    return replace(model, ports=FrozenMap(ports))


def judged_at_members(device: SwitchModel, port: Port) -> bool:
    """Whether the port is a bundle whose members are in the input."""
    bundle: Bundle | None = device.bundles.get(port.name)
    return bundle is not None and any(m in device.ports for m in bundle.members)


def _where(nos: str) -> Mapping[str, str]:
    from xoff.nos import registry

    try:
        return registry.load(nos).bundle_qos or _UNKNOWN
    except UsageError:
        return _UNKNOWN


def _join(
    member: Port, head: Port, where: Mapping[str, str], done: dict[tuple[int, int], tuple[PortQos, Origins]]
) -> Port:  # fmt: skip
    key = (id(member.qos), id(member.origins))
    if key not in done:
        taken = [a for a in _FIELDS if _takes(a, where.get(a, "unknown"), member, head)]
        done[key] = _laid(member, head, taken) if taken else (member.qos, member.origins)
    qos, origins = done[key]
    # Whether a member is routed or switched is the bundle's to say.
    return replace(member, qos=qos, origins=origins, routed=head.routed if head.routed is not None else member.routed)


def _takes(aspect: str, where: str, member: Port, head: Port) -> bool:
    """Whether the member is judged by the bundle's statement of this aspect."""
    if where in ("members", "bundle"):
        return where == "bundle"
    if _says(member, aspect):
        return False
    # A member's own default trust means nothing: its mode is the bundle's.
    return aspect == "classify" or _says(head, aspect)


def _says(port: Port, aspect: str) -> bool:
    if aspect == "classify" and any(m.kind is MatchKind.OPAQUE for m in port.qos.classify.matches):
        return True
    tells = _TELLS[aspect]
    return any(path.startswith(tells) and isinstance(o, (Line, BodyLine)) for path, o in port.origins.items())


def _laid(member: Port, head: Port, aspects: list[str]) -> tuple[PortQos, Origins]:
    mine, theirs = member.qos, head.qos
    if "classify" in aspects:
        mine = replace(
            mine, classify=theirs.classify, tc_to_queue=theirs.tc_to_queue, tc_to_group=theirs.tc_to_group,
            rewrite_dscp=theirs.rewrite_dscp, rewrite_pcp=theirs.rewrite_pcp,
        )  # fmt: skip
    if "pfc" in aspects:
        mine = replace(mine, pfc=theirs.pfc, groups=theirs.groups, watchdog=theirs.watchdog)
    if "queue" in aspects:
        mine = replace(mine, queues=theirs.queues)
    prefixes = tuple(f for a in aspects for f in _FIELDS[a])
    origins = {path: o for path, o in member.origins.items() if not path.startswith(prefixes)}
    origins |= {path: _absolute(o, head) for path, o in head.origins.items() if path.startswith(prefixes)}
    return replace(mine, _hash=0), Origins(origins)


def _absolute(origin: Origin, head: Port) -> Origin:
    """A line of the bundle's block, as a place that also its members can name."""
    if isinstance(origin, BodyLine):
        at = head.place(origin)
        if at is not None:
            return Line(origin.path, origin.text, at)
    return origin
