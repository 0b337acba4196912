"""Cumulus Linux: from the model to NVUE, as a list of `nv set` commands or as a YAML document for `nv config patch`.

NVUE says most of it once in profiles: what most ports have is `default-global`, which holds for every port that is bound to
nothing; the others get profiles of their own.
"""

from __future__ import annotations

import shlex
from collections import Counter
from typing import TYPE_CHECKING

from xoff.errors import CannotExpress
from xoff.model.qos import Alpha, Static
from xoff.model.quantity import Quantity, Unit, Unknown
from xoff.model.switch import Port, SwitchModel
from xoff.nos.cumulus import render_profiles as profiles
from xoff.nos.cumulus.render_tree import compressed, document
from xoff.nos.cumulus.state import GLOBAL
from xoff.nos.cumulus.words import ALPHAS, LOSSLESS_POOLS, release_of
from xoff.nos.natural import natural
from xoff.nos.renderer import NoteKind, Notes, environment, header, one_line

if TYPE_CHECKING:
    from xoff.nos.registry import Nos

#: From this release on it is `state enabled`, before `enable on` (R).
STATE_SINCE = (5, 15)
#: A statement: words of the path, and the value (None: the last word is a key without a value).
Statement = tuple[tuple[str, ...], str | None]


def build(model: SwitchModel, nos: Nos, form: str, notes: Notes) -> dict[str, str]:
    """The one file of a Cumulus Linux switch. Raises CannotExpress, naming port and field."""
    if form != "running":
        notes.add(NoteKind.CANNOT, f"form {form}", "Cumulus Linux has one form, NVUE; that is written")
    if model.pfc_off is True:
        raise CannotExpress(f"{model.hostname}: a model with PFC off switch-wide is not rendered as a lossless configuration")
    ports = sorted(model.ports.values(), key=lambda p: natural(p.name))
    statements: list[Statement] = [(("system", "hostname"), model.hostname)]
    statements += _roce(model)
    statements += _pools(model, ports)
    statements += _queue_map(model, ports)
    statements += _buffers(model, ports, nos)
    by_port: dict[str, list[Statement]] = {p.name: _port(p) for p in ports}
    for kind in profiles.KINDS:
        bodies = {p.name: kind.body(p, model) for p in ports}
        for name, body in _named(kind, bodies).items():
            statements += [(("qos", kind.word, name, *words), value) for words, value in kind.statements(body)]
            if name != GLOBAL:
                for port in (n for n, b in bodies.items() if b == body):
                    by_port[port].append((("qos", kind.word, "profile"), name))
    statements += _watchdog(ports)
    for p in ports:
        if p.qos.watchdog.enabled is True:
            by_port[p.name].append((("qos", "pfc-watchdog", "state"), "enable"))
    head = [*_device_line(model), *header(nos, "Form: NVUE, QoS part, CUMULUS.", notes)]
    if "yaml" in (fact.value for name, fact in model.facts.items() if name == "format"):
        rows = document([*statements, *_grouped(by_port)])
        text = environment(nos.name).get_template("document.j2").render(head=head, rows=rows)
        return {f"{model.hostname}.yaml": text}
    lines = [_command(words, value) for words, value in (*statements, *_one_by_one(by_port))]
    text = environment(nos.name).get_template("commands.j2").render(head=head, statements=lines)
    return {f"{model.hostname}.nv": text}


def _command(words: tuple[str, ...], value: str | None) -> str:
    return " ".join(words if value is None else (*words, shlex.quote(one_line(value, " ".join(words)))))


def _device_line(model: SwitchModel) -> list[str]:
    """The comment from which model and release are read again."""
    if isinstance(model.platform, Unknown):
        return []
    release = "" if isinstance(model.release, Unknown) else f", Cumulus Linux {model.release}"
    return [one_line(f"device: {model.hostname} ({model.platform}{release})", "platform")]


# --- switch-wide -------------------------------------------------------------------------------------------------------


def _roce(model: SwitchModel) -> list[Statement]:
    mode = model.facts.get("roce_mode")
    if mode is None or mode.value == "off":
        return []
    known = None if isinstance(model.release, Unknown) else release_of(model.release)
    out: list[Statement] = []
    if known is not None:
        # `qos roce mode lossless` alone turns RoCE on in every release (G514); the word for it changed in 5.15.
        out.append((("qos", "roce", "state"), "enabled") if known[:2] >= STATE_SINCE else (("qos", "roce", "enable"), "on"))
    return [*out, (("qos", "roce", "mode"), mode.value)]


def _pools(model: SwitchModel, ports: list[Port]) -> list[Statement]:
    """Size and switch priorities of every traffic pool; the same on every port."""
    out: list[Statement] = []
    of: dict[int, str] = {}
    for p in ports:
        for priority, number in p.qos.tc_to_group.items():
            group = None if isinstance(number, Unknown) else p.qos.groups.get(number)
            pool = None if group is None else group.pool
            if isinstance(pool, Unknown):
                raise CannotExpress(f"{p.name}: the pool of switch priority {priority} is {pool}")
            if pool is not None and of.setdefault(priority, pool) != pool:
                raise CannotExpress(
                    f"{p.name}: switch priority {priority} is in pool {pool} here and in {of[priority]} elsewhere; pools hold "
                    "for the whole switch"
                )
    for stated in model.pools:
        path = ("qos", "traffic-pool", stated.name)
        if stated.size is not None:
            if (
                not isinstance(stated.size, Quantity)
                or stated.size.unit is not Unit.PERCENT
                or stated.size.amount.denominator != 1
            ):
                raise CannotExpress(
                    f"pool {stated.name}: {stated.size} cannot be said; NVUE takes whole percents of the memory"
                )
            out.append(((*path, "memory-percent"), stated.size.plain))
        members = ",".join(str(p) for p, name in sorted(of.items()) if name == stated.name)
        if members:
            out.append(((*path, "switch-priority"), members))
    return out


def _queue_map(model: SwitchModel, ports: list[Port]) -> list[Statement]:
    maps = {tuple(sorted((p, q) for p, q in port.qos.tc_to_queue.items() if isinstance(q, int))) for port in ports}
    if len(maps) > 1:
        raise CannotExpress(f"{model.hostname}: ports map switch priorities to queues differently; NVUE has one map")
    path = ("qos", "egress-queue-mapping", GLOBAL, "switch-priority")
    return [((*path, str(p), "traffic-class"), str(q)) for found in maps for p, q in found]


def _buffers(model: SwitchModel, ports: list[Port], nos: Nos) -> list[Statement]:
    """Thresholds of the lossless regions where they are not the switch's own."""
    from xoff.nos.cumulus.buffers import default_limits

    own = default_limits(nos)
    ingress = {g.threshold for p in ports for g in p.qos.groups.values() if g.pool in LOSSLESS_POOLS}
    egress = {q.limit for p in ports for q in p.qos.queues.values() if q.pool in LOSSLESS_POOLS}
    out: list[Statement] = []
    for region, found, default in (
        ("ingress-lossless-buffer", ingress, own.ingress[0]),
        ("egress-lossless-buffer", egress, own.egress[0]),
    ):
        said = {t for t in found if t is not None and t != default and not (isinstance(t, Static) and not t.unlimited)}
        if not said:
            continue
        word = next((w for t in said for w in [_alpha(t)] if w), None)
        if len(said) > 1 or len(found) > 1 or word is None:
            raise CannotExpress(
                f"{model.hostname}: {region} has one threshold for the switch, an alpha from 0 to 64; not {len(found)}"
            )
        out.append((("qos", "advance-buffer-config", GLOBAL, region, "shared-alpha"), word))
    return out


def _alpha(threshold: object) -> str | None:
    if isinstance(threshold, Static) and threshold.unlimited:
        return "alpha_infinity"
    if not isinstance(threshold, Alpha):
        return None
    return next((word for word, value in ALPHAS.items() if value == threshold.alpha.amount), None)


def _watchdog(ports: list[Port]) -> list[Statement]:
    """Polling interval and robustness, one pair for the switch."""
    found = {(w.poll, w.detect, w.restore) for p in ports for w in [p.qos.watchdog] if w.enabled is True}
    if not found:
        return []
    if len(found) > 1:
        raise CannotExpress("the ports' watchdog times differ; NVUE has one polling-interval and robustness for the switch")
    poll, detect, restore = (profiles.milliseconds(q, "watchdog time") for q in next(iter(found)))
    if detect % poll or restore != poll:
        raise CannotExpress(
            f"watchdog: detection {detect} ms and restoration {restore} ms cannot be said with polling every {poll} ms; "
            "detection is a number of polling intervals, restoration is one"
        )
    path = ("qos", "pfc-watchdog")
    return [((*path, "polling-interval"), str(poll)), ((*path, "robustness"), str(detect // poll))]


# --- ports -------------------------------------------------------------------------------------------------------------


def _port(p: Port) -> list[Statement]:
    if isinstance(p.admin, Unknown):
        raise CannotExpress(f"{p.name}: whether the port is up is not known")
    if p.qos.unread is not None:
        raise CannotExpress(f"{p.name}: {p.qos.unread.reason}")
    out: list[Statement] = []
    if p.description:
        out.append((("description",), p.description))
    if p.mtu is not None:
        if not isinstance(p.mtu, int):
            raise CannotExpress(f"{p.name}: MTU is {p.mtu}")
        out.append((("link", "mtu"), str(p.mtu)))
    out.append((("link", "state"), "up" if p.admin else "down"))
    return out


def _named(kind: profiles.Kind, bodies: dict[str, profiles.Body]) -> dict[str, profiles.Body]:
    """Profiles by name: `default-global` for what most ports have (of those it may stand for), others by what they say."""
    counts = Counter(b for b in bodies.values() if kind.may_be_global(b))
    out: dict[str, profiles.Body] = {}
    common = max(counts, key=lambda b: counts[b]) if counts else None
    if common is not None:
        out[GLOBAL] = common
    wanted: dict[str, list[profiles.Body]] = {}
    for body in dict.fromkeys(bodies.values()):
        if body != common and body is not None:
            wanted.setdefault(kind.name(body), []).append(body)
    if common is None and wanted and kind.skip_alone:
        return {}
    for name, same in wanted.items():
        out |= {name if len(same) == 1 else f"{name}-{i}": b for i, b in enumerate(same, start=1)}
    return out


def _one_by_one(by_port: dict[str, list[Statement]]) -> list[Statement]:
    """Statements of ports, equal ones once for all their ports, in the order of the words."""
    ports_of: dict[Statement, list[str]] = {}
    for name, said in by_port.items():
        for statement in said:
            ports_of.setdefault(statement, []).append(name)
    order = ("description", "link", "qos")
    ranked = sorted(ports_of.items(), key=lambda x: (order.index(x[0][0][0]), x[0][0][1:], natural(x[1][0])))
    return [(("interface", compressed(names), *words), value) for (words, value), names in ranked]


def _grouped(by_port: dict[str, list[Statement]]) -> list[Statement]:
    """Statements of ports for a document: ports that say the same stand under one range."""
    same: dict[tuple[Statement, ...], list[str]] = {}
    for name, said in by_port.items():
        same.setdefault(tuple(said), []).append(name)
    return [(("interface", compressed(names), *words), value) for said, names in same.items() for words, value in said]
