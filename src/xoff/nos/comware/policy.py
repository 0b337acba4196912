"""Comware: QoS policies. What matters is whether one remarks packets on their way in; that decides where they go."""

from __future__ import annotations

from xoff.model.origin import Line
from xoff.model.qos import Match, MatchKind
from xoff.model.quantity import Unknown
from xoff.model.record import dataclass
from xoff.model.switch import Definition, Reference
from xoff.nos.comware import words
from xoff.nos.reader import Block, Reading

POLICY, CLASSIFIER, BEHAVIOR = "qos policy", "traffic classifier", "traffic behavior"


@dataclass(frozen=True, slots=True)
class Step:
    """One class of a policy that remarks. `dscp` None: matched by something that is not followed (an access list)."""

    name: str
    dscp: frozenset[int] | None
    at: Line


@dataclass(frozen=True, slots=True)
class Policies:
    steps: dict[str, tuple[Step, ...]]
    definitions: tuple[Definition, ...]
    references: tuple[Reference, ...]

    def matches(self, name: str, by_dscp: bool) -> tuple[tuple[Match, Line | None], ...]:
        """Steps of a policy on packets that come in, with the line that each rests on.

        `by_dscp`: the port reads DSCP anyway; elsewhere a DSCP match is opaque, since it reads what the port does not.
        """
        if name not in self.steps:
            return ((Match(MatchKind.OPAQUE, frozenset(), Unknown(f"qos policy {name} is not defined"), name=name), None),)
        out: list[tuple[Match, Line | None]] = []
        for step in self.steps[name]:
            why = Unknown(f"class {step.name} of {name} remarks, and what PFC and queue make of that is not confirmed")
            if step.dscp is not None and by_dscp:
                out.append((Match(MatchKind.DSCP, step.dscp, why, name=step.name), step.at))
            else:
                out.append((Match(MatchKind.OPAQUE, frozenset(), why, name=step.name), step.at))
        return tuple(out)


def read(reading: Reading) -> Policies:
    """All policies of the file."""
    root = reading.root
    definitions: list[Definition] = []
    references: list[Reference] = []
    classes: dict[str, frozenset[int] | None] = {}
    remarks: dict[str, bool] = {}
    for block in root.below("traffic"):
        kind = BEHAVIOR if "behavior" in block.spec.path[0] else CLASSIFIER
        definitions.append(Definition(kind, block.name, reading.header(block)))
        if kind == CLASSIFIER:
            classes[block.name] = _dscp(block)
        else:
            # A line that nobody knows may remark too.
            remarks[block.name] = bool(block.body.problems) or any(
                s.group == "remark" and not s.negated for s in block.body.said
            )
    steps: dict[str, tuple[Step, ...]] = {}
    for block in root.below("qos"):
        if not block.spec.path[0].startswith(POLICY):
            continue
        definitions.append(Definition(POLICY, block.name, reading.header(block)))
        found: list[Step] = []
        for said in block.body.said:
            if said.negated or said.group != "class":
                continue
            classifier, behavior, at = said.values["classifier"], said.values["behavior"], reading.line(block, said)
            references.append(Reference(CLASSIFIER, classifier, at, classifier in classes))
            references.append(Reference(BEHAVIOR, behavior, at, behavior in remarks))
            # `mode dcbx`: the class tells DCBX which application has which priority, and touches no packet.
            if said.values.get("mode") != "dcbx" and remarks.get(behavior, True):
                found.append(Step(classifier, classes.get(classifier), at))
        steps[block.name] = tuple(found)
    return Policies(steps, tuple(definitions), tuple(references))


def _dscp(block: Block) -> frozenset[int] | None:
    """Code points of a class that matches by DSCP alone, any of them; None for anything else."""
    values: set[int] = set()
    said = [s for s in block.body.said if not s.negated]
    groups = {s.index: s for s in said if s.group == "match_dscp"}
    if not groups or block.body.problems or len({s.index for s in said}) != len(groups):
        return None
    if len(groups) > 1 and block.values.get("operator") != "or":
        return None
    for s in groups.values():
        found = words.numbers(s.values["dscp"], 63, names=True)
        if found is None:
            return None
        values |= found
    return frozenset(values)
