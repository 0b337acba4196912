"""The classes of an intent: what is written, what is always there (control, default), and whether they fit together."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from xoff.fabric.planned import EcnWish, TrafficClass
from xoff.intent.document import Problems
from xoff.intent.load import Intent
from xoff.intent.schema import ClassPart, EcnPart
from xoff.model.fabric import ClassKind

#: Priorities that are generated where the intent does not write the class.
_GENERATED = {ClassKind.CONTROL: 7, ClassKind.DEFAULT: 0}


def plan_classes(intent: Intent) -> tuple[TrafficClass, ...]:
    """All classes, as written, then what was generated. Adds what is wrong to the intent's problems."""
    problems = intent.problems
    written = intent.part.classes or {}
    if not written and not problems.poisoned_below("classes"):
        problems.add(("classes",), "no classes: an intent says at least which DSCPs make a class and its priority",
                     "for example classes: {roce: {dscp: [26], priority: 3, lossless: true}}")  # fmt: skip
    kinds = {name: _kind(name, part) for name, part in written.items()}
    _one_of_each(kinds, problems)
    out = []
    for name, part in written.items():
        _check(name, kinds[name], part, problems)
        out.append(_plan(intent, name, kinds[name], part))
    out += _generated(written, kinds, problems)
    _distinct_priorities(written, problems)
    _distinct_dscps(written, problems)
    _shares(written, kinds, problems)
    return tuple(out)


def _kind(name: str, part: ClassPart) -> ClassKind:
    if part.kind:
        return ClassKind(part.kind)
    return ClassKind(name) if name in ("cnp", "control", "default") else ClassKind.DATA


def _one_of_each(kinds: Mapping[str, ClassKind], problems: Problems) -> None:
    first: dict[ClassKind, str] = {}
    for name, kind in kinds.items():
        if kind is ClassKind.DATA:
            continue
        if kind in first:
            problems.add(("classes", name), f"there is one {kind} class, and that is {first[kind]} already", key=True)
        first.setdefault(kind, name)


def _check(name: str, kind: ClassKind, part: ClassPart, problems: Problems) -> None:
    at = ("classes", name)
    if part.priority is None and kind in (ClassKind.DATA, ClassKind.CNP) and not problems.poisoned((*at, "priority")):
        problems.add(at, f"class {name} has no priority", "give it one of its own, such as priority: 3", key=True)
    if kind in (ClassKind.DATA, ClassKind.CNP) and not part.dscp and not problems.poisoned((*at, "dscp")):
        problems.add(at, f"class {name} has no dscp, so no packet would ever be in it", "for example dscp: [26]", key=True)
    if part.lossless and kind is not ClassKind.DATA:
        why = {
            ClassKind.CNP: "CNPs must pass while the data is paused (rules CNP002, CNP003)",
            ClassKind.CONTROL: "the switch's own protocols must pass while data is paused",
            ClassKind.DEFAULT: "anything unmarked could then pause the fabric (rule MAP004)",
        }[kind]
        problems.add((*at, "lossless"), f"the {kind} class is never lossless: {why}", key=True)
    if part.scheduler == "strict" and part.bandwidth is not None:
        problems.add((*at, "bandwidth"), "a strict class has no share: it is served before the others",
                     "take out bandwidth or scheduler: strict", key=True)  # fmt: skip
    if isinstance(part.ecn, EcnPart):
        _check_ecn(name, part.ecn, problems)


def _check_ecn(name: str, ecn: EcnPart, problems: Problems) -> None:
    if ecn.kmin is None or ecn.kmax is None:
        return
    low, high = (int(q.amount * {"B": 1}.get(q.unit, _bytes(q.unit))) for q in (ecn.kmin, ecn.kmax))
    if low >= high:
        problems.add(("classes", name, "ecn", "kmin"), f"kmin ({ecn.kmin}) is not below kmax ({ecn.kmax})")


def _bytes(unit: str) -> int:
    return {"bytes": 1, "KB": 1000, "KiB": 1024, "MB": 1000**2, "MiB": 1024**2}[unit]


def _plan(intent: Intent, name: str, kind: ClassKind, part: ClassPart) -> TrafficClass:
    marks = intent.part.congestion_control != "none"
    wish = EcnWish()
    if isinstance(part.ecn, EcnPart):
        ecn, wish = True, EcnWish(part.ecn.kmin, part.ecn.kmax, part.ecn.pmax)
    elif part.ecn is None:
        ecn = part.lossless and marks
    else:
        ecn = part.ecn == "auto"
    if ecn and not marks:
        intent.problems.add(("classes", name, "ecn"), "ecn is asked for, but congestion_control: none says that nothing marks",
                            "take one of the two out", key=True)  # fmt: skip
    generated = _GENERATED.get(kind, 0)
    return TrafficClass(
        name=name,
        kind=kind,
        dscp=frozenset(part.dscp or ()),
        priority=generated if part.priority is None else part.priority,
        lossless=part.lossless,
        strict=part.scheduler == "strict" or (kind is ClassKind.CONTROL and part.scheduler is None and part.bandwidth is None),
        bandwidth=part.bandwidth if isinstance(part.bandwidth, Fraction) else None,
        ecn=ecn,
        ecn_wish=wish,
        at=intent.document.line(("classes", name)),
    )


def _generated(written: Mapping[str, ClassPart], kinds: Mapping[str, ClassKind], problems: Problems) -> list[TrafficClass]:
    out = []
    for kind, priority in _GENERATED.items():
        mine = next((n for n, k in kinds.items() if k is kind), None)
        taken = next((n for n, p in written.items() if p.priority == priority and n != mine), None)
        if mine is None and str(kind) in written:
            problems.add(("classes", str(kind)), f"{kind} is the name of the {kind} class; call this one otherwise", key=True)
        elif taken is not None and (mine is None or written[mine].priority is None):
            problems.add(
                ("classes", taken, "priority"),
                f"priority {priority} is where the {kind} class goes, which is always there",
                f"give {taken} another priority, or write {kind}: {{priority: …}} with a free one",
            )
        elif mine is None:
            strict = kind is ClassKind.CONTROL
            out.append(TrafficClass(str(kind), kind, frozenset(), priority, lossless=False, strict=strict))
    return out


def _distinct_priorities(written: Mapping[str, ClassPart], problems: Problems) -> None:
    owner: dict[int, str] = {}
    for name, part in written.items():
        if part.priority is None:
            continue
        if part.priority in owner:
            problems.add(
                ("classes", name, "priority"),
                f"priority {part.priority} belongs to class {owner[part.priority]} already",
                "one priority holds one class: PFC and queues cannot tell two apart",
            )
        owner.setdefault(part.priority, name)


def _distinct_dscps(written: Mapping[str, ClassPart], problems: Problems) -> None:
    owner: dict[int, str] = {}
    for name, part in written.items():
        for value in part.dscp or ():
            if value in owner:
                problems.add(("classes", name, "dscp"), f"DSCP {value} belongs to class {owner[value]} already")
            owner.setdefault(value, name)


def _shares(written: Mapping[str, ClassPart], kinds: Mapping[str, ClassKind], problems: Problems) -> None:
    said = {n: p.bandwidth for n, p in written.items() if isinstance(p.bandwidth, Fraction)}
    total = sum(said.values(), Fraction(0))
    if not said:
        return
    last = ("classes", list(said)[-1], "bandwidth")
    sum_text = " + ".join(f"{n} {float(b):g}%" for n, b in said.items())
    if len(said) > 1:
        sum_text += f" = {float(total):g}%"
    if total > 100:
        problems.add(last, f"the shares add up to more than 100%: {sum_text}")
        return
    rest = [n for n, p in written.items() if n not in said and p.scheduler != "strict" and kinds[n] is not ClassKind.CONTROL]
    if ClassKind.DEFAULT not in kinds.values():
        rest.append("default")
    if rest and total == 100:
        problems.add(last, f"nothing is left for {', '.join(rest)}: {sum_text}", "lower a share; what is left goes to the rest")
    elif not rest and total < 100:
        problems.add(last, f"the shares leave {float(100 - total):g}% to nobody: {sum_text}", "give one class bandwidth: rest")
