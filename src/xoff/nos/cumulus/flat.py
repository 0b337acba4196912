"""The flat files of Cumulus Linux (qos_features.conf, qos_infra.conf, switchd.conf, before 5.0 traffic.conf) into the state.

`a.b.c = v` is the leaf `a b c v`, so the files are claimed like NVUE's. A port group is a profile that its `port_set` binds.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from xoff.model.origin import FileLine, Line
from xoff.model.quantity import Unknown
from xoff.model.switch import RemarkKind
from xoff.nos.cumulus.claims import Claim, Claims
from xoff.nos.cumulus.leaves import Leaves
from xoff.nos.cumulus.state import ECN, GLOBAL, MAPPING, PAUSE, PFC, REMARK, SCHEDULER, SHAPER, Profile, Said, State
from xoff.nos.cumulus.words import ALPHAS
from xoff.nos.nvue.leaf import Leaf
from xoff.nos.nvue.leaf import Leaves as Found
from xoff.nos.nvue.values import interfaces, numbers

FILES = ("qos_features.conf", "qos_infra.conf", "switchd.conf", "traffic.conf", "datapath.conf")
#: Files that releases from 5.0 on do not read (G514).
OLD = ("traffic.conf", "datapath.conf")
ALL_PORTS = "allports"
_KEY = re.compile(r"(?P<key>[A-Za-z0-9_][\w.-]*)[ \t]*=[ \t]*(?P<value>.*)\Z")
_NAMED = re.compile(r"(?:qos_features|qos_infra|switchd|traffic|datapath)\.conf")
#: First words by which a file without a name is recognised, surest first.
_BY_KEY = (
    ("qos_infra.conf", r"(?:flow_control|ingress_service_pool|egress_service_pool|cos_egr_queue|egress_buffer)\."),
    ("traffic.conf", r"(?:priority_group\.\w+\.weight|scheduling\.algorithm|ecn_red\.[\w-]+\.cos_list|dos_enable)"),
    ("qos_features.conf", r"(?:traffic|pfc|source|remark|link_pause|ecn_red|default_\w+|egress_sched|shaping)\."),
)
_KINDS = {
    "source": MAPPING, "remark": REMARK, "pfc": PFC, "link_pause": PAUSE, "ecn_red": ECN, "egress_sched": SCHEDULER,
    "shaping": SHAPER, "pfc_watchdog": "pfc-watchdog",
}  # fmt: skip
#: NVUE's names of the leaves that mean the same here.
_PFC = {
    "port_buffer_bytes": "port-buffer", "xoff_size": "xoff-threshold", "xon_delta": "xon-threshold", "tx_enable": "tx",
    "rx_enable": "rx", "cable_length": "cable-length",
}  # fmt: skip
_ECN = {
    "ecn_enable": "ecn", "red_enable": "red", "min_threshold_bytes": "min-threshold", "max_threshold_bytes": "max-threshold",
    "probability": "probability",
}  # fmt: skip
_TRUST = {
    frozenset({"802.1p"}): "l2",
    frozenset({"dscp"}): "l3",
    frozenset({"802.1p", "dscp"}): "both",
    frozenset({"port"}): "port",
}


def kind_of(path: str, text: str) -> str:
    """Which of the flat files this is: by its name, by a path in its comments, else by its keys."""
    for where in (os.path.basename(path), *(c for c in text[:2000].split("\n") if c.lstrip().startswith("#"))):
        found = _NAMED.search(where)
        if found is not None:
            return found[0]
    for kind, pattern in _BY_KEY:
        if re.search(f"(?m)^{pattern}", text):
            return kind
    return "switchd.conf"


def read_flat(text: str) -> Found:
    """Every line of a flat file as a leaf; what follows a `#` is a comment."""
    out = Found()
    groups: set[str] = set()
    for number, row in enumerate(text.split("\n"), 1):
        line = row.strip(" \t\r")
        if not line:
            continue
        if line.startswith("#"):
            out.comments.append((number, line))
            continue
        found = _KEY.match(line.partition(" #")[0].rstrip())
        if found is None:
            out.strange.append((number, line))
            continue
        key, value = found["key"].split("."), re.sub(r"\s*,\s*|(?<=\[)\s+|\s+(?=\])", _tight, found["value"])
        if key[:2] == ["ecn_red", "port_group_list"]:
            groups |= {n.strip() for n in value.strip("[]").split(",")}
        elif key[0] in groups and len(key) == 2:
            key = ["ecn_red", *key]  # the user guide writes these keys of a listed group without `ecn_red`
        words = tuple(w for w in (*key, *value.split()) if w)
        out.found.append(Leaf(words, number))
    return out


def _tight(found: re.Match[str]) -> str:
    return "," if "," in found[0] else ""


class Flat(Leaves):
    """Reads the claims of one flat file."""

    def __init__(self, state: State, claims: Claims, kind: str) -> None:
        super().__init__(state, claims)
        self.kind = kind
        self._lists: dict[str, set[str]] = {}
        self._sets: list[tuple[str, str, tuple[str, ...], Claim]] = []
        self._queues: dict[str, Said] = {}

    def read_file(self, leaves: Found) -> None:
        for claim in self.claims.of(leaves.found, self.kind):
            self.read(claim)
        self.claims.strange(leaves.strange)
        self._finish()

    def _group(self, claim: Claim, kind: str) -> tuple[Profile, Line]:
        """The profile of a line: a port group, or what holds for all ports where the line names none."""
        name = claim.values.get("profile")
        word = claim.text.split()[0]
        head = f"{word} *" if name else word
        skip = 2 if name else 1
        profile = self.state.profile(kind, name or GLOBAL, claim.line(head))
        return profile, claim.line(" ".join(claim.text.split()[skip:]), self.kind, head)

    def _trust(self, claim: Claim) -> None:
        profile, line = self._group(claim, MAPPING)
        words = frozenset(w.strip() for w in claim.values["trust"].strip("[]").split(",") if w.strip())
        trust = _TRUST.get(words)
        if trust is None:
            self._bad(
                claim,
                f"packet_priority_source_set {claim.values['trust']} does not exist",
                "[802.1p], [dscp], [802.1p,dscp] or [port]",
            )
        else:
            profile.values["trust"] = Said(trust, line)

    def _port_default(self, claim: Claim) -> None:
        profile, line = self._group(claim, MAPPING)
        priority = self._number(claim, "priority", 0, 7)
        if priority is not None:
            profile.values["port-default-sp"] = Said(priority, line)

    def _source(self, claim: Claim) -> None:
        profile, line = self._group(claim, MAPPING)
        field = "dscp" if claim.values["field"] == "dscp" else "pcp"
        high = 63 if field == "dscp" else 7
        found = numbers(claim.values["values"], high)
        if found is None:
            self._bad(claim, f"{claim.values['values']} is no list of values", f"[numbers from 0 to {high}]")
            return
        cos = int(claim.values["cos"][-1])
        profile.values[f"map.{field}"] = Said(True, line)
        if not found:
            profile.values[f"empty.{field}"] = Said(cos, line)
        for value in sorted(found):
            before = profile.values.get(f"{value}.{field}")
            said: int | Unknown = cos
            if before is not None and before.value != cos:
                name = "DSCP" if field == "dscp" else "802.1p"
                said = Unknown(f"{name} {value} is listed for two internal priorities; which one wins is not confirmed")
                self._bad(claim, f"{name} {value} is listed for another internal priority too", "each value once")
            profile.values[f"{value}.{field}"] = Said(said, line)

    def _remark(self, claim: Claim) -> None:
        profile, line = self._group(claim, REMARK)
        for word, layer in (("802.1p", "l2"), ("dscp", "l3")):
            if word in claim.values["layers"]:
                profile.values[layer] = Said(True, line)

    def _remark_row(self, claim: Claim) -> None:
        profile, line = self._group(claim, REMARK)
        dscp = claim.values["field"] == "dscp"
        found = numbers(claim.values["values"], 63 if dscp else 7)
        if found is None or len(found) > 1:
            self._bad(claim, f"{claim.values['values']} is no value to write", "[one number]")
            return
        for value in found:
            profile.values[f"{claim.values['cos'][-1]}.{'dscp' if dscp else 'pcp'}"] = Said(value, line)

    def _listed(self, claim: Claim) -> None:
        names = {n.strip() for n in claim.values["names"].strip("[]").split(",") if n.strip()}
        self._lists.setdefault(claim.values["kind"], set()).update(names)

    def _port_set(self, claim: Claim) -> None:
        text = claim.values["ports"]
        ports = interfaces(text)
        if ports is None:
            self._bad(claim, f"{text!r} names no ports", "names like swp1-swp4,swp6")
            return
        self._sets.append((claim.values["kind"], claim.values["profile"], ports, claim))

    def _pfc_priority(self, claim: Claim) -> None:
        profile, line = self._group(claim, PFC)
        found = numbers(claim.values["values"], 7)
        if found is None:
            self._bad(claim, f"{claim.values['values']} is no list of priorities", "[numbers from 0 to 7]")
            return
        profile.values["priorities"] = Said(found, line)
        for priority in sorted(found):
            profile.values[f"{priority}.priority"] = Said(True, line)

    def _pfc(self, claim: Claim) -> None:
        profile, line = self._group(claim, PFC)
        leaf = _PFC[claim.values["leaf"]]
        if leaf in ("tx", "rx"):
            found: int | bool | None = self._switch(claim, "value")
        else:
            found = self._number(claim, "value", 0, 2**32)
        if found is not None:
            profile.values[leaf] = Said(found, line)

    def _pause(self, claim: Claim) -> None:
        profile, line = self._group(claim, PAUSE)
        on = self._switch(claim, "value")
        if on is not None:
            profile.values[claim.values["leaf"][:2]] = Said(on, line)

    def _ecn_queues(self, claim: Claim) -> None:
        profile, line = self._group(claim, ECN)
        found = numbers(claim.values["values"], 7)
        if found is None:
            self._bad(claim, f"{claim.values['values']} is no list of queues", "[numbers from 0 to 7]")
        else:
            profile.values["queues"] = Said(found, line)

    def _ecn(self, claim: Claim) -> None:
        profile, line = self._group(claim, ECN)
        leaf = _ECN[claim.values["leaf"]]
        if leaf in ("ecn", "red"):
            found: int | bool | None = self._switch(claim, "value")
        else:
            found = self._number(claim, "value", 0, 100 if leaf == "probability" else 2**32)
        if found is not None:
            profile.values[f"all.{leaf}"] = Said(found, line)

    def _scheduler(self, claim: Claim) -> None:
        profile, line = self._group(claim, SCHEDULER)
        found = self._number(claim, "value", 0, 100)
        if found is not None:
            queue = int(claim.values["queue"].rpartition("_")[2])
            profile.values[f"{queue}.bw-percent"] = Said(found, line)
            profile.values[f"{queue}.mode"] = Said("dwrr" if found else "strict", line)

    def _queue_map(self, claim: Claim) -> None:
        tc = self._number(claim, "tc", 0, 7)
        if tc is not None:
            self._device(f"queue.{claim.values['cos'][-1]}", tc, claim)

    def _pool_size(self, claim: Claim) -> None:
        text = claim.values["value"]
        found = re.fullmatch(r"(\d{1,3})(?:\.(\d{1,4}))?", text)
        if found is None or float(text) > 100:
            self._bad(claim, f"{text!r} is no percentage", "0 to 100")
        else:
            self._device(f"pool.{claim.values['side']}.{claim.values['number']}", text, claim)

    def _infinite(self, claim: Claim) -> None:
        on = self._switch(claim, "value")
        if on is not None:
            self._device(f"pool.infinite.{claim.values['number']}", on, claim)

    def _flow(self, claim: Claim) -> None:
        side, leaf = claim.values["side"], claim.values.get("leaf")
        if leaf is None:
            number = self._number(claim, "value", 0, 15)
            if number is not None:
                self._device(f"flow.{side.partition('_')[0]}.pool", number, claim)
        elif leaf == "dynamic_quota":
            text = claim.values["value"].lower()
            alpha = ALPHAS.get(text)
            if alpha is None:
                self._bad(claim, f"quota {claim.values['value']!r} does not exist", ", ".join(a.upper() for a in ALPHAS))
            else:
                self._device(f"buffer.{side.partition('_')[0]}-lossless-buffer.shared-alpha", alpha, claim)

    # --- what can be told only at the end of the file ---

    def _finish(self) -> None:
        for kind, name, ports, claim in self._sets:
            self._bind(kind, name, ports, claim)
        for (kind, _), profile in self.state.profiles.items():
            if kind == ECN:
                queues = profile.values.get("queues")
                if queues is None:
                    continue
                for tc in sorted(queues.value):
                    profile.values.setdefault(f"{tc}.listed", queues)
                    for leaf in _ECN.values():
                        said = profile.values.get(f"all.{leaf}")
                        if said is not None:
                            profile.values[f"{tc}.{leaf}"] = said

    def _bind(self, kind: str, name: str, ports: tuple[str, ...], claim: Claim) -> None:
        line = claim.line(f"{kind} * port_set *")
        listed = name in self._lists.get(kind, set())
        if (_KINDS[kind], name) in self.state.profiles:
            self.state.profiles[_KINDS[kind], name].listed = listed
        if not listed:
            # A group that port_group_list does not name is in force nowhere, but its ports are ports.
            for port in ports if ports != (ALL_PORTS,) else ():
                self.state.port(port, claim.at)
            return
        if ports == (ALL_PORTS,):
            self.state.device[f"all.{_KINDS[kind]}"] = Said(name, line)
            return
        for port in ports:
            said = self.state.port(port, claim.at)
            if kind == "pfc_watchdog":
                said.values["watchdog"] = Said(True, line)
            else:
                said.bound[_KINDS[kind]] = Said(name, line)

    OF: ClassVar[Mapping[str, Callable[[Any, Claim], None]]] = {
        "trust": _trust,
        "port_default": _port_default,
        "source": _source,
        "remark": _remark,
        "remark_row": _remark_row,
        "listed": _listed,
        "port_set": _port_set,
        "pfc_priority": _pfc_priority,
        "pfc": _pfc,
        "pause": _pause,
        "ecn_queues": _ecn_queues,
        "ecn": _ecn,
        "scheduler": _scheduler,
        "queue_map": _queue_map,
        "pool_size": _pool_size,
        "pool_infinite": _infinite,
        "flow": _flow,
    }


class Switchd(Leaves):
    """Reads switchd.conf."""

    def read_file(self, leaves: Found) -> None:
        for claim in self.claims.of(leaves.found, "switchd.conf"):
            self.read(claim)
        self.claims.strange(leaves.strange)

    def _poll(self, claim: Claim) -> None:
        found = self._number(claim, "value", 1, 10**6)
        if found is not None:
            self._device("watchdog.polling-interval", found, claim)

    def _robustness(self, claim: Claim) -> None:
        found = self._number(claim, "value", 1, 10**6)
        if found is not None:
            self._device("watchdog.robustness", found, claim)

    def _vxlan(self, claim: Claim) -> None:
        self._device(claim.group.replace("_", "."), claim.values["action"], claim)

    OF: ClassVar[Mapping[str, Callable[[Any, Claim], None]]] = {
        "poll": _poll,
        "robustness": _robustness,
        "vxlan_encap": _vxlan,
        "vxlan_decap": _vxlan,
    }


def unread(claims: Claims, kind: str, leaves: Found, release: str) -> None:
    """A file that this release does not read: one remark at its first line, the rest counted."""
    if leaves.found:
        first = leaves.found[0]
        claims.remarks.add(
            RemarkKind.UNREAD, (kind,), kind, FileLine(claims.file, first.line, leaves.found[-1].line),
            f"{kind} is not read by release {release}: 5.0 and later read qos_features.conf and qos_infra.conf",
            "the same settings in NVUE or qos_features.conf",
        )  # fmt: skip
        claims.other += len(leaves.found)
