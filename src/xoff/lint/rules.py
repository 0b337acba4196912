"""The face of the linter to rule files: everything a rule may import from xoff stands here.

A rule is a class with `code`, `name`, `severity`, `impact`, `scope` and one hook. Hooks yield `self.hit(...)`:

    check_port(port)              once per distinguishable port body of a device
    check_port_class(port, cls)   the same, once per lossless data class in force that the port carries
    check_device(device)          once per switch
    check_link(link)              once per link with both ends known
    check_link_class(link, cls)   the same, per lossless data class in force that runs over it
    check_table(table)            once per headroom lookup table, alone or beside a configuration
    check_fabric(fabric)          once per fabric
    check_coverage(required)      once per fabric, last: what became of the rules that --require names

Reading an Unknown through a view raises NotAssessed, which becomes a coverage entry for this object alone. A rule raises
`NotApplicable(reason)` where the object cannot have the fault.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from xoff.lint.buffers import (
    as_published,
    compare_sizes,
    ecn_step,
    in_hardware,
    memory_budgets,
    memory_bytes,
    off_scale,
    planned_curve,
    planned_group,
    pool_named,
    pool_size,
    published_for,
    scale_of,
    scaled_for,
    share_alone,
    shipped_promise,
    shipped_share,
    threshold_said,
    threshold_units,
)
from xoff.lint.effects import ALL_EFFECTS, effects
from xoff.lint.objects import DeviceView, FabricView, LinkView, Siblings, TableView
from xoff.lint.ports import PortView, names_of
from xoff.lint.recomputed import (
    PeerNeed,
    Resume,
    cable_at_far_end,
    group_headroom,
    headroom_line,
    model_for_speed,
    need_with_peer,
    resume_of,
    script_headroom,
    sharing,
    small_packets,
)
from xoff.lint.sizes import (
    LinkNeed,
    Wanted,
    cable_lengths,
    egress_verdict,
    headroom_pools,
    keeps_private_headroom,
    link_needs,
    marked_at,
    pool_bytes,
    pool_needs,
    row_floor,
    row_line,
    secondary,
    ships_pool,
    size_range,
    stated_pool,
    table_row,
    terms,
    xoff_of,
)
from xoff.lint.view import NotApplicable, NotAssessed, View, known
from xoff.lint.wording import field_words, value_said
from xoff.model.fabric import Basis, ClassInForce, ClassKind, LinkEvidence
from xoff.model.fields import Difference
from xoff.model.finding import Confidence, Cost, Fix, Impact, Scope, Severity
from xoff.model.headroom_table import HeadroomRow
from xoff.model.origin import BodyLine, Default, Derived, Evidence, FileLine, Line, Origin
from xoff.model.path import path as packet_path
from xoff.model.path import protected_groups, unicast_queue
from xoff.model.qos import (
    Alpha,
    Colour,
    Curve,
    HeaderField,
    Match,
    MatchKind,
    NotEct,
    PfcMode,
    PriorityGroup,
    Queue,
    QueueId,
    QueueKind,
    Scheduler,
    SchedulerKind,
    Static,
    Threshold,
    WatchdogAction,
)  # fmt: skip
from xoff.model.quantity import Context, Fact, Quantity, Unit, Unknown
from xoff.model.record import dataclass
from xoff.model.switch import (
    Architecture,
    BufferProfile,
    BufferUse,
    Definition,
    Direction,
    Form,
    Pool,
    PoolKind,
    PoolMode,
    Port,
    PortKind,
    Reference,
    RefProblem,
    Remark,
    RemarkKind,
    SwitchModel,
)  # fmt: skip

if TYPE_CHECKING:
    from xoff.sizing.budget import Budget
    from xoff.sizing.ecn_table import Published
else:  # names for annotations only: a run whose rules need no number does not load sizing/
    Budget = Published = object


@dataclass(frozen=True, slots=True)
class Absent:
    """A line that should stand in a block and does not. `what` is the missing line in the NOS's words or the field's.

    `path`: the block's path (default: the port's own block). `at`: the parent's header (default: the port's).
    """

    what: str
    path: tuple[str, ...] | None = None
    at: Origin | FileLine | None = None


Where: TypeAlias = Origin | Absent


def absent(port: PortView, what: str, root: str) -> Absent:
    """A line missing under the object that holds the port's statements of this kind (a profile), else in its own block.

    root: beginning of the field path, as `PortView.home` takes it.
    """
    home = port.home(root)
    return Absent(what) if home is None else Absent(what, path=(*home.path, home.text), at=home)


@dataclass(frozen=True, slots=True)
class Hit:
    """What a rule found, before folding. The engine adds confidence, cause, place and fingerprint."""

    message: str
    at: Where | None
    port: PortView | None
    device: DeviceView | None
    cls: ClassInForce | None
    link: LinkView | None
    severity: Severity
    priority: int | None = None
    observed: str | None = None
    expected: str | None = None
    unit: str | None = None
    why: str = ""
    basis: tuple[str, ...] = ()
    related: tuple[tuple[PortView | None, Origin | FileLine | None, str], ...] = ()
    rests_on: tuple[Origin | None, ...] = ()
    fix: Fix | None = None
    only_ports: tuple[str, ...] | None = None
    own_contradiction: bool = False
    confidence: Confidence | None = None
    explains: tuple[str, ...] | None = None
    object: str = ""
    table: TableView | None = None


@dataclass(frozen=True, slots=True)
class Required:
    """A rule that --require names: whether it ran, and on how many objects it could not be judged, by reason."""

    code: str
    ran: bool
    open: tuple[tuple[str, Fact | None, int], ...] = ()


class Rule:
    """Base of all rules; a subclass overrides exactly one hook.

    `explains`: codes or family prefixes that a finding of this rule explains on the same object (downwards only).
    """

    code: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[Severity]
    impact: ClassVar[Impact]
    scope: ClassVar[Scope]
    explains: ClassVar[tuple[str, ...]] = ()
    since: ClassVar[str] = "0.1"

    def check_port(self, port: PortView) -> Iterator[Hit]:
        raise NotImplementedError

    def check_port_class(self, port: PortView, cls: ClassInForce) -> Iterator[Hit]:
        raise NotImplementedError

    def check_device(self, device: DeviceView) -> Iterator[Hit]:
        raise NotImplementedError

    def check_link(self, link: LinkView) -> Iterator[Hit]:
        raise NotImplementedError

    def check_link_class(self, link: LinkView, cls: ClassInForce) -> Iterator[Hit]:
        raise NotImplementedError

    def check_table(self, table: TableView) -> Iterator[Hit]:
        raise NotImplementedError

    def check_fabric(self, fabric: FabricView) -> Iterator[Hit]:
        raise NotImplementedError

    def check_coverage(self, required: tuple[Required, ...]) -> Iterator[Hit]:
        raise NotImplementedError

    def hit(
        self,
        message: str,
        *,
        at: Where | None,
        port: PortView | None = None,
        device: DeviceView | None = None,
        cls: ClassInForce | None = None,
        link: LinkView | None = None,
        severity: Severity | None = None,
        priority: int | None = None,
        observed: object = None,
        expected: object = None,
        unit: str | None = None,
        why: str = "",
        basis: tuple[str, ...] = (),
        related: tuple[tuple[PortView | None, Origin | FileLine | None, str], ...] = (),
        rests_on: tuple[Origin | None, ...] = (),
        fix: Fix | None = None,
        only_ports: tuple[str, ...] | None = None,
        own_contradiction: bool = False,
        confidence: Confidence | None = None,
        explains: tuple[str, ...] | None = None,
        object: str = "",
        table: TableView | None = None,
    ) -> Hit:
        """Build a finding.

        message: one line, with the numbers, without port names (the engine adds them). at: the line that is wrong, or Absent.
        observed / expected: values as people write them. why: what happens in the queue because of it, one or two sentences.
        basis: facts and sources it rests on. related: (port or None, origin, what it is) of other places.
        rests_on: further origins the judgement needs; a Default of secondary evidence among them or in `at` lowers the
        severity by one.
        only_ports: the subset of the view's ports concerned. own_contradiction: the device's own lines contradict each other
        (so it may be an error even where the class is only a convention). explains: narrows what this one finding explains.
        object: what on the device it is about, where neither port nor class says so (pool or profile name): part of the
        fingerprint. table: the lookup table it is about; its switch, where it has one, is the finding's device.
        """
        if table is not None:
            device, object = device or table.device, object or table.name
        return Hit(
            message, at, port, device or (port.device if port else None), cls, link, severity or self.severity, priority,
            None if observed is None else str(observed), None if expected is None else str(expected), unit, why, basis,
            related, rests_on, fix, only_ports, own_contradiction, confidence, explains, object, table,
        )  # fmt: skip


__all__ = [
    "ALL_EFFECTS",
    "Absent",
    "Alpha",
    "Architecture",
    "Basis",
    "BodyLine",
    "Budget",
    "BufferProfile",
    "BufferUse",
    "ClassInForce",
    "ClassKind",
    "Colour",
    "Confidence",
    "Context",
    "Cost",
    "Curve",
    "Default",
    "Definition",
    "Derived",
    "DeviceView",
    "Difference",
    "Direction",
    "Evidence",
    "FabricView",
    "Fact",
    "FileLine",
    "Fix",
    "Form",
    "HeaderField",
    "HeadroomRow",
    "Hit",
    "Impact",
    "Iterator",
    "Line",
    "LinkEvidence",
    "LinkNeed",
    "LinkView",
    "Match",
    "MatchKind",
    "NotApplicable",
    "NotAssessed",
    "NotEct",
    "Origin",
    "PeerNeed",
    "PfcMode",
    "Pool",
    "PoolKind",
    "PoolMode",
    "Port",
    "PortKind",
    "PortView",
    "PriorityGroup",
    "Published",
    "Quantity",
    "Queue",
    "QueueId",
    "QueueKind",
    "RefProblem",
    "Reference",
    "Remark",
    "RemarkKind",
    "Required",
    "Resume",
    "Rule",
    "Scheduler",
    "SchedulerKind",
    "Scope",
    "Severity",
    "Siblings",
    "Static",
    "SwitchModel",
    "TableView",
    "Threshold",
    "Unit",
    "Unknown",
    "View",
    "Wanted",
    "WatchdogAction",
    "absent",
    "as_published",
    "cable_at_far_end",
    "cable_lengths",
    "compare_sizes",
    "ecn_step",
    "effects",
    "egress_verdict",
    "field_words",
    "group_headroom",
    "headroom_line",
    "headroom_pools",
    "in_hardware",
    "keeps_private_headroom",
    "known",
    "link_needs",
    "marked_at",
    "memory_budgets",
    "memory_bytes",
    "model_for_speed",
    "names_of",
    "need_with_peer",
    "off_scale",
    "packet_path",
    "planned_curve",
    "planned_group",
    "pool_bytes",
    "pool_named",
    "pool_needs",
    "pool_size",
    "protected_groups",
    "published_for",
    "resume_of",
    "row_floor",
    "row_line",
    "scale_of",
    "scaled_for",
    "script_headroom",
    "secondary",
    "share_alone",
    "sharing",
    "shipped_promise",
    "shipped_share",
    "ships_pool",
    "size_range",
    "small_packets",
    "stated_pool",
    "table_row",
    "terms",
    "threshold_said",
    "threshold_units",
    "unicast_queue",
    "value_said",
    "xoff_of",
]
