"""The named objects that ports refer to, read once each: maps, WRED profiles, schedulers, buffer profiles, thresholds."""

from __future__ import annotations

from fractions import Fraction

from xoff.model.frozen import FrozenMap
from xoff.model.origin import Default, Evidence, Line, Origin
from xoff.model.qos import (
    Alpha,
    Colour,
    Curve,
    Match,
    MatchKind,
    NotEct,
    Queue,
    QueueId,
    Scheduler,
    SchedulerKind,
    Static,
    Threshold,
)
from xoff.model.quantity import Quantity, Unit, Unknown, quantity
from xoff.nos.sonic.load import Row
from xoff.nos.sonic.schema import TABLES

YANG = "sonic-net/sonic-buildimage@086b03bd70f9 src/sonic-yang-models/yang-models"
_COLOURS = (Colour.GREEN, Colour.YELLOW, Colour.RED)
_MARKS = {
    "ecn_none": frozenset[Colour](),
    "ecn_green": frozenset({Colour.GREEN}),
    "ecn_yellow": frozenset({Colour.YELLOW}),
    "ecn_red": frozenset({Colour.RED}),
    "ecn_green_yellow": frozenset({Colour.GREEN, Colour.YELLOW}),
    "ecn_green_red": frozenset({Colour.GREEN, Colour.RED}),
    "ecn_yellow_red": frozenset({Colour.YELLOW, Colour.RED}),
    "ecn_all": frozenset(_COLOURS),
}
_TYPES = {"STRICT": SchedulerKind.STRICT, "DWRR": SchedulerKind.DWRR, "WRR": SchedulerKind.WRR}


def number(row: Row, fname: str) -> int | Unknown | None:
    """A whole number; None where the field is absent, Unknown where it cannot be meant (the check has reported it)."""
    text = row.fields.get(fname)
    if text is None:
        return None
    if TABLES[row.table].fields[fname].kind.holds(text):
        return int(text)
    return Unknown(f"{row.table} {fname} is {text!r}, which SONiC cannot read")


def amount(row: Row, fname: str, unit: Unit = Unit.BYTES) -> Quantity | Unknown | None:
    """`number` as a quantity of `unit`."""
    n = number(row, fname)
    return quantity(n, unit) if isinstance(n, int) else n


def pairs(row: Row) -> tuple[dict[int, int], dict[int, Line]]:
    """The entries of a map that can be meant, and the line of each."""
    entries = TABLES[row.table].entries
    assert entries is not None
    values: dict[int, int] = {}
    lines: dict[int, Line] = {}
    for key, value in row.fields.items():
        if entries[0].holds(key) and entries[1].holds(value):
            values[int(key)] = int(value)
            lines[int(key)] = row.line(key)
    return values, lines


def matches(row: Row, kind: MatchKind) -> tuple[tuple[Match, ...], dict[str, Origin]]:
    """A DSCP or 802.1p map as classification: one step per traffic class, then what the map leaves out, which is unknown."""
    values, lines = pairs(row)
    by_tc: dict[int, set[int]] = {}
    for key, tc in values.items():
        by_tc.setdefault(tc, set()).add(key)
    out = [Match(kind, frozenset(by_tc[tc]), tc) for tc in sorted(by_tc)]
    rest = frozenset(range(64 if kind is MatchKind.DSCP else 8)) - set(values)
    if rest:
        why = Unknown(f"{row.table} does not list this value, and what the ASIC then does is not confirmed")
        out.append(Match(kind, rest, why))
    origins: dict[str, Origin] = {f"classify.{kind.value}.{k}": line for k, line in lines.items()}
    origins[f"classify.{kind.value}"] = row.line()
    return tuple(out), origins


def curves(row: Row) -> tuple[FrozenMap[Colour, Curve], NotEct | Unknown, dict[str, Origin]]:
    """A WRED profile: ramps by colour, the fate of packets without ECT, origins by field (green `kmin`, `yellow.kmin`).

    A colour without `wred_<colour>_enable: true` neither marks nor drops (default false in sonic-wred-profile.yang;
    sonic-buildimage issue 4545). An enabled colour marks if `ecn` names it, else it drops. Packets without ECT are dropped at
    the same thresholds (sonic-swss issue 4718).
    """
    ecn = row.fields.get("ecn", "ecn_none")
    marking: frozenset[Colour] | None = _MARKS.get(ecn)
    ramps: dict[Colour, Curve] = {}
    origins: dict[str, Origin] = {}
    for colour in _COLOURS:
        names = {k: f"{colour.value}_{k}" for k in ("min_threshold", "max_threshold", "drop_probability")}
        enable = row.fields.get(f"wred_{colour.value}_enable")
        if enable is None and not any(n in row.fields for n in names.values()):
            continue
        on: bool | Unknown = enable == "true"
        if enable not in (None, "true", "false"):
            on = Unknown(f"WRED_PROFILE wred_{colour.value}_enable is {enable!r}, which SONiC cannot read")
        marks: bool | Unknown
        drops: bool | Unknown
        if isinstance(on, Unknown):
            marks = drops = on
        elif marking is None:
            marks = drops = Unknown(f"WRED_PROFILE ecn is {ecn!r}, which SONiC cannot read") if on else False
        else:
            marks, drops = on and colour in marking, on and colour not in marking
        pmax = amount(row, names["drop_probability"], Unit.PERCENT)
        if pmax is None:
            pmax = quantity(100, Unit.PERCENT)
        ramps[colour] = Curve(amount(row, names["min_threshold"]), amount(row, names["max_threshold"]), pmax, marks, drops)
        _curve_origins(row, colour.value, "" if colour is Colour.GREEN else f"{colour.value}.", origins)
    if Colour.GREEN not in ramps:
        _curve_origins(row, "green", "", origins)
    not_ect: NotEct | Unknown = Unknown("the queue does not mark")
    if any(c.marks is True for c in ramps.values()):
        not_ect = NotEct.DROP
    return FrozenMap(ramps), not_ect, origins


def _curve_origins(row: Row, colour: str, prefix: str, origins: dict[str, Origin]) -> None:
    for field, leaf in (("kmin", "min_threshold"), ("kmax", "max_threshold"), ("pmax", "drop_probability")):
        if f"{colour}_{leaf}" in row.fields:
            origins[prefix + field] = row.line(f"{colour}_{leaf}")
    if f"{prefix}pmax" not in origins:
        note = f"{colour}_drop_probability is not said: 100 %"
        origins[f"{prefix}pmax"] = Default(note, Evidence.READ, f"{YANG}/sonic-wred-profile.yang")
    enable = f"wred_{colour}_enable"
    fname = "ecn" if "ecn" in row.fields and row.fields.get(enable) == "true" else enable
    if fname in row.fields:
        origins[f"{prefix}marks"] = origins[f"{prefix}drops"] = row.line(fname)
    else:
        note = f"{fname} is not said: false"
        origins[f"{prefix}marks"] = Default(note, Evidence.READ, f"{YANG}/sonic-wred-profile.yang")


def scheduler(row: Row) -> tuple[Scheduler, dict[str, Origin]]:
    """A SCHEDULER row. Type WRR and weight 1 where not said (sonic-scheduler.yang)."""
    source = f"{YANG}/sonic-scheduler.yang"
    origins: dict[str, Origin] = {}
    text = row.fields.get("type")
    kind: SchedulerKind | Unknown
    if text is None:
        kind = SchedulerKind.WRR
        origins["scheduler"] = Default("type is not said: WRR", Evidence.READ, source)
    else:
        kind = _TYPES.get(text) or Unknown(f"SCHEDULER type is {text!r}, which SONiC does not know")
        origins["scheduler"] = row.line("type")
    share: Quantity | None = None
    weight = amount(row, "weight", Unit.WEIGHT)
    if kind is not SchedulerKind.STRICT:
        if weight is None and isinstance(kind, Unknown):
            pass
        elif weight is None:
            share = quantity(1, Unit.WEIGHT)
            origins["share"] = Default("weight is not said: 1", Evidence.READ, source)
        else:
            share = weight if isinstance(weight, Quantity) else None
            origins["share"] = row.line("weight")
    unit = Unit.PPS if row.fields.get("meter_type") == "packets" else Unit.BYTES_PER_SECOND
    rates = {f: amount(row, f, unit) for f in ("cir", "pir")}
    guarantee, cap = (r if isinstance(r, Quantity) and r.amount else None for r in (rates["cir"], rates["pir"]))
    return Scheduler(kind, share, guarantee, cap, row.key), origins


def threshold(row: Row) -> Threshold | Unknown | None:
    """The threshold of a buffer profile: alpha = 2^dynamic_th, or bytes."""
    dynamic = number(row, "dynamic_th")
    if isinstance(dynamic, Unknown):
        return dynamic
    if dynamic is not None:
        return alpha(dynamic)
    static = amount(row, "static_th")
    return Static(static) if isinstance(static, Quantity) else static


def stated_threshold(row: Row) -> Threshold | Unknown | None:
    """The threshold as it is written: an exponent of alpha that is none (a number of bytes) is an alpha in bytes."""
    text = row.fields.get("dynamic_th", "")
    if isinstance(number(row, "dynamic_th"), Unknown) and text.isascii() and text.isdigit() and len(text) < 16:
        return Alpha(quantity(text, Unit.BYTES))
    return threshold(row)


def alpha(exponent: int) -> Alpha:
    """alpha = 2^exponent."""
    return Alpha(Quantity(Fraction(2) ** exponent, Unit.ALPHA))


def threshold_line(row: Row) -> Line | None:
    """Where the threshold of a buffer profile is said."""
    for fname in ("dynamic_th", "static_th"):
        if fname in row.fields:
            return row.line(fname)
    return None


def empty_queue(qid: QueueId) -> Queue:
    """A queue of which nothing is said yet."""
    return Queue(qid, not_ect=Unknown("the queue does not mark"))
