"""Random valid intents, as text, for this room and for those that render them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml
from hypothesis import strategies as st

#: NOS -> (models whose chips are sourced, port pattern, ports per switch, step between port numbers, first number).
KITS: dict[str, tuple[tuple[str, ...], str, int, int, int]] = {
    "sonic": (("DellEMC-Z9332f-O32", "Arista-7060X6-64PE-O128"), "Ethernet{}", 32, 8, 0),
    "eos": (("DCS-7060X6-64PE", "DCS-7060CX-32S"), "Ethernet{}/1", 32, 1, 1),
}


@dataclass(frozen=True)
class Drawn:
    """A drawn intent: its text, and what its fabric must have."""

    text: str
    leaves: int
    spines: int
    count: int
    hosts: int
    nics: int


def _port_range(nos: str, start: int, count: int) -> str:
    _, pattern, _, step, first = KITS[nos]
    low = first + start * step
    high = low + (count - 1) * step
    return pattern.format(f"[{low}-{high}:{step}]")


def classes() -> st.SearchStrategy[dict[str, dict[str, Any]]]:
    """One or two lossless classes, perhaps a lossy one, a CNP class, default and control written or not."""

    @st.composite
    def build(draw: st.DrawFn) -> dict[str, dict[str, Any]]:
        priorities = draw(st.permutations(range(1, 7)))
        dscps = draw(st.permutations(range(1, 64)))
        out: dict[str, dict[str, Any]] = {}
        for i in range(draw(st.integers(1, 2))):
            one: dict[str, Any] = {"dscp": sorted(dscps[3 * i : 3 * i + draw(st.integers(1, 3))]), "priority": priorities[i]}
            one["lossless"] = True
            if draw(st.booleans()):
                one["bandwidth"] = f"{draw(st.integers(1, 40))}%"
            one |= draw(
                st.sampled_from([{}, {"ecn": "auto"}, {"ecn": "off"}, {"ecn": {"kmin": "150KB", "kmax": "1MB", "pmax": "20%"}}])
            )
            out[f"rdma{i}"] = one
        if draw(st.booleans()):
            out["bulk"] = {"dscp": [dscps[10]], "priority": priorities[2], "bandwidth": f"{draw(st.integers(1, 10))}%"}
        if draw(st.booleans()):
            out["cnp"] = {"dscp": [dscps[11]], "priority": priorities[3], "scheduler": "strict"}
        if draw(st.booleans()):
            out["default"] = {"priority": 0, "bandwidth": "rest"}
        if draw(st.booleans()):
            out["control"] = {"priority": 7, "scheduler": "strict"}
        return out

    return build()


@st.composite
def intents(draw: st.DrawFn, nos: tuple[str, ...] = ("sonic", "eos")) -> Drawn:
    """A leaf-spine fabric of at most four leaves and three spines on `nos`, with random classes and overrides."""
    leaf, spine = draw(st.sampled_from(nos)), draw(st.sampled_from(nos))
    leaves, spines, count = draw(st.integers(1, 4)), draw(st.integers(1, 3)), draw(st.integers(1, 2))
    nics, per_leaf = draw(st.integers(1, 2)), draw(st.integers(1, 4))
    blocks = leaves // nics
    hosts = draw(st.integers(0, blocks * per_leaf))
    named = draw(classes())
    speed, cables = draw(st.sampled_from(["100G", "400G"])), (draw(st.integers(1, 300)), draw(st.integers(1, 30)))
    data: dict[str, Any] = {
        "version": 1,
        "fabric": {"name": "f1", "workload": draw(st.sampled_from(["training", "inference", "storage"]))},
        "classes": named,
        "switches": {
            f"leaf[1-{leaves}]": {"role": "leaf", "nos": leaf, "model": draw(st.sampled_from(KITS[leaf][0]))},
            f"spine[1-{spines}]": {"role": "spine", "nos": spine, "model": draw(st.sampled_from(KITS[spine][0]))},
        },
        "links": [
            {
                "from": f"leaf[1-{leaves}]",
                "to": f"spine[1-{spines}]",
                "ports": {"from": _port_range(leaf, 16, spines * count), "to": _port_range(spine, 0, leaves * count)},
                "count": count,
                "speed": speed,
                "cable": f"{cables[0]}m",
            }
        ],
    }
    if hosts:
        data["hosts"] = {"name": f"gpu[1-{hosts}]", "nics": nics, "nic": "cx7"}
        link: dict[str, Any] = {"from": f"leaf[1-{leaves}]", "to": "hosts", "ports": {"from": _port_range(leaf, 0, per_leaf)}}
        link |= {"speed": speed, "cable": f"{cables[1]}m"}
        if draw(st.booleans()):
            link["carries"] = draw(st.lists(st.sampled_from(sorted(named)), unique=True))
        data["links"].append(link)
    if draw(st.booleans()):
        data["switches"]["spine1"] = {
            "watchdog": draw(st.sampled_from(["off", "auto", {"detect": "400ms", "restore": "800ms"}]))
        }
    text = yaml.safe_dump(data, sort_keys=False)
    return Drawn(text, leaves, spines, count, hosts, nics)
