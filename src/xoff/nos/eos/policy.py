"""EOS: policy-maps of type quality-of-service and their class-maps, as steps of classification."""

from __future__ import annotations

from xoff.model.origin import Line
from xoff.model.qos import Match, MatchKind
from xoff.model.quantity import Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Definition, Reference
from xoff.nos.eos import words
from xoff.nos.eos.globals import GlobalReader
from xoff.nos.reader import Block, Reading

POLICY, CLASS, ACL = "policy-map", "class-map", "access-list"


@dataclass(frozen=True, slots=True)
class Step:
    """One class of a policy. `dscp` None: matched by something that is not followed (access list and the like)."""

    name: str
    dscp: frozenset[int] | None
    tc: int | Unknown | None
    at: Line
    default: bool = False


@dataclass(frozen=True, slots=True)
class Policies:
    steps: dict[str, tuple[Step, ...]]
    definitions: tuple[Definition, ...]
    references: tuple[Reference, ...]

    def matches(self, name: str, by_dscp: bool) -> tuple[tuple[Match, Line | None], ...]:
        """Steps of a policy as matches, with the line each rests on.

        `by_dscp`: the port reads DSCP anyway; elsewhere a DSCP match is opaque, since it reads what the port does not.
        A policy that is defined nowhere decides nothing that could be known.
        """
        if name not in self.steps:
            return ((Match(MatchKind.OPAQUE, frozenset(), Unknown(f"policy-map {name} is not defined"), name=name), None),)
        out: list[tuple[Match, Line | None]] = []
        for step in self.steps[name]:
            if step.default:
                if step.tc is not None:
                    out.append((Match(MatchKind.DEFAULT, frozenset(), step.tc, name=step.name), step.at))
                continue
            # A class that sets no traffic class still takes its packets out of the way of later classes.
            tc = step.tc if step.tc is not None else Unknown(f"class {step.name} of {name} sets no traffic class")
            if step.dscp is not None and by_dscp:
                if step.tc is not None:
                    out.append((Match(MatchKind.DSCP, step.dscp, tc, name=step.name), step.at))
            else:
                out.append((Match(MatchKind.OPAQUE, frozenset(), tc, name=step.name), step.at))
        return tuple(out)


def read(reading: Reading, into: GlobalReader) -> Policies:
    """All policies of the file."""
    root = reading.root
    acls = {b.name for b in root.below("ip", "ipv6", "mac")}
    classes: dict[str, frozenset[int] | None] = {}
    definitions: list[Definition] = []
    references: list[Reference] = []
    for block in root.below("class-map"):
        if "type qos" not in block.spec.path[-1]:
            continue
        name = block.name
        classes[name] = _dscp(block, into)
        definitions.append(Definition(CLASS, name, reading.header(block)))
        for said in block.body.said:
            if said.group == "match_acl" and not said.negated:
                acl = said.values["acl"]
                references.append(Reference(ACL, acl, reading.line(block, said), acl in acls))
    steps: dict[str, tuple[Step, ...]] = {}
    for block in root.below("policy-map"):
        if "quality-of-service" not in block.spec.path[-1]:
            continue
        definitions.append(Definition(POLICY, block.name, reading.header(block)))
        found: list[Step] = []
        for child in block.children:
            built_in = child.name == "class-default"
            if not built_in:
                references.append(Reference(CLASS, child.name, reading.header(child), child.name in classes))
            found.append(_step(child, classes.get(child.name), built_in, reading, into))
        steps[block.name] = tuple(found)
    return Policies(steps, tuple(definitions), tuple(references))


def _dscp(block: Block, into: GlobalReader) -> frozenset[int] | None:
    """Code points of a class that matches by DSCP alone (match-any); None for anything else."""
    values: set[int] = set()
    followed = bool(block.body.said) and not block.body.problems and "match-any" in block.spec.path[-1]
    for said in block.body.said:
        if said.group != "match_dscp" or said.negated:
            followed = False
            continue
        found = words.numbers(said.values["dscp"], 63, names=True)
        if found is None:
            into.bad(block, said.index, f"{said.values['dscp']!r} is no list of DSCPs", "0 to 63 or names like cs3, af31, ef")
            followed = False
        else:
            values |= found
    return frozenset(values) if followed else None


def _step(child: Block, dscp: frozenset[int] | None, built_in: bool, reading: Reading, into: GlobalReader) -> Step:
    tc: int | Unknown | None = None
    at = reading.header(child)
    for said in child.body.said:
        if said.negated:
            tc = None if said.group == "set_tc" else tc
        elif said.group == "set_tc":
            tc = words.whole(said.values["tc"], 0, 7)
            at = reading.line(child, said)
            if tc is None:
                into.bad(child, said.index, f"traffic class {said.values['tc']} does not exist", "0 to 7")
                tc = Unknown(f"class {child.name} sets no valid traffic class")
        elif said.group in ("set_dscp", "set_cos") and tc is None:
            tc = Unknown(f"class {child.name} remarks, and what traffic class follows from that is not confirmed")
    if child.body.problems and tc is None:
        tc = Unknown(f"a line of class {child.name} is not understood")
    return Step(child.name, dscp, tc, at, built_in)
