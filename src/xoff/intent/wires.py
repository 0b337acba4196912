"""Links: groups, rails, single links and cabling rows -> one wire per cable, each end checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from xoff.errors import Problem
from xoff.intent import ranges
from xoff.intent.cabling import Row, read_cabling
from xoff.intent.document import Path
from xoff.intent.ends import ALL_HOSTS, Group, Hosts, Wire
from xoff.intent.load import Intent
from xoff.intent.schema import LinkPart
from xoff.intent.suggest import did_you_mean
from xoff.intent.switches import Switch, good_port
from xoff.intent.units import show
from xoff.model.fabric import End, LinkEvidence
from xoff.model.origin import FileLine


class Wiring:
    """Builds all wires; what is wrong goes to the intent's problems, and the wire is left out."""

    def __init__(self, intent: Intent, switches: Mapping[str, Switch], hosts: Hosts) -> None:
        self.intent, self.switches, self.hosts = intent, switches, hosts
        self.problems = intent.problems
        self.wires: list[Wire] = []
        self._used: dict[End, Wire] = {}
        self._clashes: dict[tuple[object, object], list[str]] = {}
        self._bad_ports: set[Path] = set()
        self._texts: dict[FileLine, str] = {}
        self._names_lost = any(self.problems.poisoned_below(k) for k in ("switches", "hosts", "topology")) or any(
            self.problems.poisoned(("topology", tier)) for tier in ("leaf", "spine")
        )

    def build(self, generated: list[Group]) -> list[Wire]:
        """All wires in the order generators, link entries, cabling file."""
        for group in generated:
            self._group(group)
        for i, link in enumerate(self.intent.part.links or []):
            path: Path = ("links", i)
            if not self.problems.poisoned(path):
                self._link(link, path)
        for row in read_cabling(self.intent):
            self._row(row)
        self._report_clashes()
        return self.wires

    # one entry of `links`

    def _link(self, link: LinkPart, path: Path) -> None:
        single = link.a is not None or link.b is not None
        grouped = link.from_ is not None or link.to is not None or link.ports is not None
        bad = self.problems.poisoned
        if single and grouped:
            self.problems.add(path, "a link is either a group (from, to, ports) or single (a, b), not both", key=True)
        elif single:
            self._single(link, path)
        elif link.from_ is None or link.to is None:
            if not (bad((*path, "from")) or bad((*path, "to")) or bad((*path, "a")) or bad((*path, "b"))):
                missing = "from and to" if link.from_ is None and link.to is None else "from" if link.from_ is None else "to"
                self.problems.add(
                    path, f"the link has no {missing}", "a group needs from, to and ports; a single link a and b", key=True
                )
        elif not (bad((*path, "ports")) or bad((*path, "ports", "from")) or bad((*path, "ports", "to"))):
            self._group_entry(link, path)

    def _single(self, link: LinkPart, path: Path) -> None:
        ends: list[End] = []
        for key, text in (("a", link.a), ("b", link.b)):
            if text is None:
                if not self.problems.poisoned((*path, key)):
                    self.problems.add(path, f"the link has no {key}", "write both ends, as device:port", key=True)
                continue
            device, colon, port = text.partition(":")
            if not colon or not device or not port:
                self.problems.add((*path, key), f"expected device:port, such as leaf01:Ethernet0, not {show(text)}")
                continue
            ends.append(End(device, port))
        if len(ends) < 2:
            return
        keys = {ends[0]: (*path, "a"), ends[1]: (*path, "b")}
        carries = self._carries(link, path)
        self._add(ends[0], ends[1], link.speed, link.cable, carries, LinkEvidence.INTENT, self.intent.document.line(path), path,
                  lambda end: keys[end], link.switched, link.lanes)  # fmt: skip

    def _carries(self, link: LinkPart, path: Path) -> frozenset[str] | None:
        return None if link.carries is None else frozenset(link.carries)

    def _group_entry(self, link: LinkPart, path: Path) -> None:
        assert link.from_ is not None
        assert link.to is not None
        from_names = self._names(link.from_, (*path, "from"))
        to_names = self._names(link.to, (*path, "to"))
        if from_names is None or to_names is None:
            return
        ports = [self._ports(side, (*path, "ports", key)) for key, side in (
            ("from", link.ports.from_ if link.ports else None), ("to", link.ports.to if link.ports else None))]  # fmt: skip
        paths: tuple[Path, Path] = ((*path, "ports", "from"), (*path, "ports", "to"))
        carries = self._carries(link, path)
        self._group(
            Group(
                from_names,
                to_names,
                ports[0],
                ports[1],
                link.count or 1,
                link.speed,
                link.cable,
                carries,
                path,
                *paths,
                link.switched,
                link.lanes,
            )
        )

    def _names(self, patterns: tuple[str, ...], path: Path) -> tuple[str, ...] | None:
        out: list[str] = []
        for pattern in patterns:
            if pattern == ALL_HOSTS and pattern not in self.switches:
                if not self.hosts.by_name and not self.problems.poisoned_below("hosts"):
                    self.problems.add(path, "the intent has no hosts", 'add hosts: {name: "gpu[01-16]", nics: 1}')
                    return None
                out += self.hosts.by_name
            else:
                out += ranges.expand(pattern)
        unknown = [n for n in out if n not in self.switches and n not in self.hosts.by_name]
        if unknown:
            if not self._names_lost:
                more = f" (nor are {len(unknown) - 1} more)" if len(unknown) > 1 else ""
                self.problems.add(path, f"{show(unknown[0])} is neither a switch nor a host of this intent{more}",
                                  self._near(unknown[0]))  # fmt: skip
            return None
        if len(set(out)) != len(out):
            twice = next(n for n in out if out.count(n) > 1)
            self.problems.add(path, f"{twice} stands here twice")
            return None
        return tuple(out)

    def _near(self, name: str) -> str:
        return did_you_mean(name, [*self.switches, *self.hosts.by_name, *([ALL_HOSTS] if self.hosts.by_name else [])])

    def _ports(self, patterns: tuple[str, ...] | None, path: Path) -> tuple[str, ...]:
        return tuple(name for p in patterns or () for name in ranges.expand(p))

    # groups

    def _group(self, group: Group) -> None:
        hosts_from = group.from_[0] in self.hosts.by_name if group.from_ else False
        hosts_to = group.to[0] in self.hosts.by_name if group.to else False
        mixed = any((n in self.hosts.by_name) != hosts_from for n in group.from_) or any(
            (n in self.hosts.by_name) != hosts_to for n in group.to
        )
        if mixed or (hosts_from and hosts_to):
            self.problems.add(group.path, "a link group joins switches with switches, or switches with hosts", key=True)
        elif hosts_from:
            self._host_group(group, group.to, group.from_, group.to_ports, group.to_path)
        elif hosts_to:
            self._host_group(group, group.from_, group.to, group.from_ports, group.from_path)
        else:
            self._mesh(group)

    def _mesh(self, group: Group) -> None:
        """Link k of p between the i-th `from` and the j-th `to`: port (j-1)p+k there, (i-1)p+k here (counted from 1)."""
        p, good = group.count, True
        sides = (
            ("from", group.from_ports, len(group.to), group.from_path),
            ("to", group.to_ports, len(group.from_), group.to_path),
        )
        for side, ports, peers, path in sides:
            need = peers * p
            if len(ports) < need or (group.exact and len(ports) > need):
                good = False
                hint = f"write {_count(need, 'port')}"
                if peers and len(ports) % peers == 0 and len(ports) > need:
                    hint = f"{hint}, or count: {len(ports) // peers} for parallel links"
                links = f" with {p} links each" if p > 1 else ""
                said = _count(len(ports), "port") if ports else "no ports"
                message = f"{said} named on the {side!r} side for {_count(peers, 'peer')}{links}: it takes {need}"
                self.problems.add(path, message, hint)
        if not good:
            return
        where = self.intent.document.line(group.path)
        ours = frozenset(group.from_)

        def path_of(end: End) -> Path:
            return group.from_path if end.device in ours else group.to_path

        for i, a in enumerate(group.from_):
            for j, b in enumerate(group.to):
                for k in range(p):
                    ends = End(a, group.from_ports[j * p + k]), End(b, group.to_ports[i * p + k])
                    self._add(*ends, group.speed, group.cable_m, group.carries, LinkEvidence.INTENT, where, group.path,
                              path_of, group.switched, group.lanes)  # fmt: skip

    def _host_group(
        self, group: Group, switches: tuple[str, ...], hosts: tuple[str, ...], ports: tuple[str, ...], ports_path: Path
    ) -> None:
        if not ports:
            self.problems.add(
                ports_path, "no ports named on the switches' side", 'for example ports: {from: "Ethernet[0-124:4]"}'
            )
            return
        other = group.to_ports if ports_path == group.from_path else group.from_ports
        if other:
            path = group.to_path if ports_path == group.from_path else group.from_path
            self.problems.add(path, "the NICs of hosts are nic0, nic1, …: ports are named on the switches' side only")
            return
        places = list(self._places(hosts, len(ports)))
        need = max((leaf for _, _, leaf, _ in places), default=-1) + 1
        if need > len(switches):
            self.problems.add(
                group.path,
                f"{len(hosts)} hosts with {len(places)} NICs need {need} switches with {len(ports)} host ports each; "
                f"there are {len(switches)}",
                "name more ports or switches, or fewer hosts",
                key=True,
            )
            return
        where = self.intent.document.line(group.path)
        path_of = _always(ports_path)
        for host, nic, leaf, place in places:
            self._add(End(switches[leaf], ports[place]), End(host, nic), group.speed, group.cable_m, group.carries,
                      LinkEvidence.INTENT, where, group.path, path_of, group.switched, group.lanes)  # fmt: skip

    def _places(self, hosts: tuple[str, ...], per_leaf: int) -> Iterator[tuple[str, str, int, int]]:
        """(host, NIC, index of the switch, index of its port).

        rail: hosts in blocks as large as a switch has host ports; NIC r of block b sits on switch b * nics + r, port = place in
        the block. tor: NICs in a row, switch after switch, and no host on two of them.
        """
        base = 0
        i = 0
        while i < len(hosts):
            nics, attach = self.hosts.by_name[hosts[i]].nics, self.hosts.attach[hosts[i]]
            end = i
            while end < len(hosts) and (self.hosts.by_name[hosts[end]].nics, self.hosts.attach[hosts[end]]) == (nics, attach):
                end += 1
            run = hosts[i:end]
            block = per_leaf if attach == "rail" else max(per_leaf // len(nics), 1)
            for h, host in enumerate(run):
                b, place = divmod(h, block)
                for r, nic in enumerate(nics):
                    if attach == "rail":
                        yield host, nic, base + b * len(nics) + r, place
                    else:
                        yield host, nic, base + b + (place * len(nics) + r) // per_leaf, (place * len(nics) + r) % per_leaf
            blocks = -(-len(run) // block)
            base += blocks * (len(nics) if attach == "rail" else max(-(-len(nics) // per_leaf), 1))
            i = end

    # one wire

    def _row(self, row: Row) -> None:
        self._texts[row.at] = row.text
        self._add(row.a, row.b, row.speed, row.cable_m, None, LinkEvidence.CABLING, row.at, None, _nowhere, text=row.text)

    def _add(
        self,
        a: End,
        b: End,
        speed: int | None,
        cable: int | None,
        carries: frozenset[str] | None,
        evidence: LinkEvidence,
        at: FileLine,
        path: Path | None,
        path_of: Callable[[End], Path],
        switched: bool | None = None,
        lanes: int | None = None,
        text: str = "",
    ) -> None:
        if a.device in self.hosts.by_name and b.device in self.switches:
            a, b = b, a
        good = True
        for end in (a, b):
            message, hint = self._judge_end(end, None if path is None else path_of(end))
            if message:
                good = False
                if path is not None:
                    self.problems.add(path_of(end), message, hint)
                else:
                    self.problems.add_problem(Problem(at.file, at.line, 1, message, text[:200], hint))
            elif message is None:
                good = False
        if not good:
            return
        if a.device == b.device or a.device in self.hosts.by_name:
            message = (
                f"{a.device} is linked with itself" if a.device == b.device else "a link joins two hosts; one end is a switch"
            )
            if path is not None:
                self.problems.add(path, message, key=True)
            else:
                self.problems.add_problem(Problem(at.file, at.line, 1, message, text[:200]))
            return
        wire = Wire(a, b, speed, cable, carries, evidence, at, path, switched, lanes)
        first = self._used.get(a) or self._used.get(b)
        if first is not None:
            clash = a if a in self._used else b
            self._clashes.setdefault((at, first.at), []).append(f"{clash.device}:{clash.port}")
            return
        self._used[a] = self._used[b] = wire
        self.wires.append(wire)

    def _judge_end(self, end: End, path: Path | None) -> tuple[str | None, str]:
        """What is wrong with an end: a message, "" for nothing, None for something that is said already."""
        switch = self.switches.get(end.device)
        if switch is None:
            host = self.hosts.by_name.get(end.device)
            if host is None:
                if self._names_lost:
                    return None, ""
                return f"{show(end.device)} is neither a switch nor a host of this intent", self._near(end.device)
            if end.port not in host.nics:
                return f"{end.device} has no {show(end.port)}", f"its NICs are {ranges.compress(host.nics)}"
            return "", ""
        if not good_port(end.port):
            return self._once(path, f"{show(end.port)} is no name for a port")
        if switch.nos is not None and (pattern := switch.nos.refuses("port", end.port)):
            return self._once(path, f"{show(end.port)} is no port of {switch.nos.name}: it must match {pattern}")
        return "", ""

    def _once(self, path: Path | None, message: str) -> tuple[str | None, str]:
        """The same bad name, or the next one of the same group, is said once."""
        if path is not None and path in self._bad_ports:
            return None, ""
        if path is not None:
            self._bad_ports.add(path)
        return message, ""

    def _report_clashes(self) -> None:
        for (at, first), ports in self._clashes.items():
            assert isinstance(at, FileLine)
            assert isinstance(first, FileLine)
            more = f" (and {len(ports) - 1} more)" if len(ports) > 1 else ""
            here = "in the same entry" if at == first else f"by the link at {first}"
            message = f"{ports[0]}{more} is used already, {here}"
            line = self._source(at)
            column = len(line) - len(line.lstrip()) + 1
            self.problems.add_problem(Problem(at.file, at.line, column, message, line, "a port has one cable"))

    def _source(self, at: FileLine) -> str:
        if at.file == self.intent.file:
            return self.intent.document.problem_at(at.line, 1, "").source_line
        return self._texts.get(at, "")[:200]


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _always(path: Path) -> Callable[[End], Path]:
    return lambda end: path


def _nowhere(end: End) -> Path:
    return ()
