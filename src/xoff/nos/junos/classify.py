"""Junos: how a port classifies: classifiers bound by name, what they import, and what holds where none is bound."""

from __future__ import annotations

from xoff.model.origin import Default, Origin
from xoff.model.qos import (
    Classify,
    Colour,
    HeaderField,
    Match,
    MatchKind,
    Pfc,
)
from xoff.model.quantity import Fact, Unknown
from xoff.nos.junos.base import (
    ALL,
    BOTH,
    NO_FAMILY,
    NON_IP,
    ROUTER,
    TYPE,
    UNLISTED,
    Facing,
    Shared,
    Value,
)
from xoff.nos.junos.objects import Rows
from xoff.nos.settings import Settings


class Classifying(Shared):
    """Code points to classes, and classes with what counts them to traffic classes."""

    def _classify(
        self, bound: Settings, facing: Facing, origins: dict[str, Origin]
    ) -> tuple[dict[MatchKind, dict[int, Value | Unknown]], Classify]:
        fixed = bound.value("class")
        first: list[Match] = []
        if facing.filter is not None:
            first.append(
                Match(MatchKind.OPAQUE, frozenset(), Unknown(f"filter {facing.filter} classifies"), name=facing.filter)
            )
        if fixed is not None:
            tc = fixed if isinstance(fixed, Unknown) else self.queue_of(fixed)
            self._note(origins, "classify.default", bound.origin("class"))
            self._note(origins, "classify.trust", bound.origin("class"))
            return {}, Classify(
                (*first, Match(MatchKind.DEFAULT, frozenset(), tc)), HeaderField.PORT, HeaderField.PORT, HeaderField.PORT, tc
            )
        values: dict[MatchKind, dict[int, Value | Unknown]] = {}
        said = {k: bound.value(f"classifier.{n}") for k, n in ((MatchKind.DSCP, "dscp"), (MatchKind.PCP, "ieee-802.1"))}
        for kind, name in said.items():
            where = bound.origin(f"classifier.{TYPE[kind]}")
            if name is not None:
                values[kind] = self._rows(kind, name)
                self._note(origins, "classify.trust", where)
        dscp, pcp = said[MatchKind.DSCP], said[MatchKind.PCP]
        tagged: HeaderField | Unknown
        untagged: HeaderField | Unknown
        non_ip: HeaderField | Unknown
        if dscp is not None:
            tagged, untagged = (BOTH if pcp is not None else HeaderField.DSCP), HeaderField.DSCP
            non_ip = HeaderField.PCP if pcp is not None else NON_IP
        elif pcp is not None:
            tagged, untagged, non_ip = HeaderField.PCP, HeaderField.PORT, HeaderField.PCP
        else:
            tagged, untagged, non_ip = self._unbound(bound, facing, values, origins)
        for unknown in (dscp, pcp):
            if isinstance(unknown, Unknown):
                tagged = untagged = unknown
        return values, Classify(tuple(first), tagged, untagged, non_ip, self._unlisted(origins))

    def _unlisted(self, origins: dict[str, Origin]) -> int | Unknown:
        """Where a packet goes that its classifier does not list."""
        entry = self.nos.default("classify.default")
        if entry is None:
            return UNLISTED
        origins["classify.default"] = entry.origin("the classifier does not list it: the class of queue 0")
        return int(entry.value)

    def _unbound(
        self,
        bound: Settings,
        facing: Facing,
        values: dict[MatchKind, dict[int, Value | Unknown]],
        origins: dict[str, Origin],
    ) -> tuple[HeaderField | Unknown, HeaderField | Unknown, HeaderField | Unknown]:
        """No classifier of DSCP or 802.1p is bound: what the switch does by itself."""
        other = bound.value("classifier.inet-precedence") or bound.value("classifier.dscp-ipv6")
        if other is not None:
            odd = Unknown("classified by IP precedence, or by the DSCP of IPv6 alone, which is not modelled")
            return odd, odd, odd
        if not self.family.qfx:
            why = ROUTER if self.family.name in ("router", "ptx") else NO_FAMILY
            return why, why, why
        values[MatchKind.PCP] = self._default_rows(MatchKind.PCP, "a trunk port without a classifier")
        if facing.routed is True:
            values[MatchKind.DSCP] = self._default_rows(MatchKind.DSCP, "a routed port without a classifier")
            entry = self.nos.default("classify.dscp", family=self.context)
            if entry is not None:
                origins["classify.trust"] = entry.origin("no classifier is bound: the switch's own holds")
            return HeaderField.PCP if facing.tagged else BOTH, HeaderField.DSCP, NON_IP
        entry = self.nos.default("classify.pcp", family=self.context)
        if facing.routed is False and entry is not None:
            origins["classify.trust"] = entry.origin("no classifier is bound: the switch's own holds")
            return (HeaderField.PCP if facing.trunk else HeaderField.PORT), HeaderField.PORT, HeaderField.PCP
        open_ = Unknown("no classifier is bound, and whether the port is routed or switched is not in the input", Fact.CONFIG)
        return open_, open_, open_

    def _default_rows(self, kind: MatchKind, note: str) -> dict[int, Value | Unknown]:
        entry = self.nos.default(f"classify.{kind.value}", family=self.context)
        out: dict[int, Value | Unknown] = {}
        for first, last, fc in entry.value if entry else ():
            for v in range(first, last + 1):
                out[v] = Value(fc, Colour.GREEN, entry.origin(f"{note}: {fc}"))  # type: ignore[union-attr]
        return out

    def _rows(self, kind: MatchKind, name: str | Unknown) -> dict[int, Value | Unknown]:
        """All values that a classifier by name decides; with `import`, on top of what it imports."""
        if isinstance(name, Unknown):
            return {}
        if name == "default":
            return self._default_rows(kind, "classifier default")
        found = self.objects.classifiers.get((TYPE[kind], name))
        if found is None:
            return {}
        out: dict[int, Value | Unknown] = {}
        seen: set[str] = set()
        chain: list[Rows] = []
        at: Rows | None = found
        while at is not None and at.name not in seen:
            seen.add(at.name)
            chain.append(at)
            start = at.imports[0] if at.imports else None
            if start == "default":
                out = self._default_rows(kind, "import default")
            at = self.objects.classifiers.get((TYPE[kind], start)) if start else None
        for part in reversed(chain):
            out |= {v: Value(fc, colour, line) for v, (fc, colour, line) in part.rows.items()}
        return out

    # --- treatments: (queue, group) ---

    def _treatments(
        self,
        values: dict[MatchKind, dict[int, Value | Unknown]],
        counted: dict[tuple[MatchKind, int], int],
        pfc: Pfc,
        origins: dict[str, Origin],
    ) -> tuple[list[Match], dict[int, int | Unknown], dict[int, int | Unknown]]:
        """Traffic class n stands for queue n. Frames of one queue that count against different groups are different classes:
        what is counted (or most of it) keeps the number of the queue."""
        lossy = max(set(ALL) - set(pfc.send), default=7)
        wanted: dict[tuple[int, int], None] = {}
        for kind, rows in values.items():
            for v, value in sorted(rows.items()):
                queue = self.queue_of(value.fc) if isinstance(value, Value) else value
                if isinstance(queue, int):
                    wanted.setdefault((queue, counted.get((kind, v), lossy)))
        numbers: dict[tuple[int, int], int] = {}
        for queue, group in sorted(wanted, key=lambda t: (t[0], t[1] == lossy, t[1])):
            number = queue
            while number in numbers.values():
                number += 10
            numbers[queue, group] = number
        to_queue: dict[int, int | Unknown] = {n: n for n in ALL}
        to_group: dict[int, int | Unknown] = dict.fromkeys(ALL, lossy)
        for (queue, group), number in numbers.items():
            to_queue[number] = queue
            to_group[number] = group
        matches = self._matches(values, counted, lossy, numbers, origins)
        self._map_origins(numbers, pfc, origins)
        return matches, to_queue, to_group

    def _matches(
        self,
        values: dict[MatchKind, dict[int, Value | Unknown]],
        counted: dict[tuple[MatchKind, int], int],
        lossy: int,
        numbers: dict[tuple[int, int], int],
        origins: dict[str, Origin],
    ) -> list[Match]:
        out: list[Match] = []
        for kind, rows in values.items():
            by: dict[tuple[int | Unknown, Colour], set[int]] = {}
            for v, value in sorted(rows.items()):
                if not isinstance(value, Value):
                    continue
                queue = self.queue_of(value.fc)
                tc = queue if isinstance(queue, Unknown) else numbers[queue, counted.get((kind, v), lossy)]
                by.setdefault((tc, value.colour), set()).add(v)
                origins[f"classify.{kind.value}.{v}"] = value.at
            ordered = sorted(by.items(), key=lambda e: (str(e[0][0]).zfill(3), e[0][1]))
            out += [Match(kind, frozenset(vs), tc, colour) for (tc, colour), vs in ordered]
        return out

    def _map_origins(self, numbers: dict[tuple[int, int], int], pfc: Pfc, origins: dict[str, Origin]) -> None:
        by_queue: dict[int, Origin] = {}
        for fc, made in self.objects.classes.items():
            where = self.queue_origin(fc)
            if made.queue is not None and where is not None:
                by_queue.setdefault(made.queue, where)
        for (queue, group), number in numbers.items():
            if queue in by_queue:
                origins[f"tc_to_queue.{number}"] = by_queue[queue]
            if group in pfc.send:
                origins[f"tc_to_group.{number}"] = origins[f"group.{group}"]
        for key, path in (("queue-is-class", "tc_to_queue"), ("group-is-priority", "tc_to_group")):
            found = next((s for s in self.nos.structure if s.key == key), None)
            if found is not None:
                origins.setdefault(path, Default(found.text, found.evidence, found.source))
