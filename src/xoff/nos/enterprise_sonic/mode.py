"""Enterprise SONiC: the buffer mode of the switch, which two lines decide for all ports at boot."""

from __future__ import annotations

import re

from xoff.model.origin import Line
from xoff.model.quantity import Fact, Unknown
from xoff.model.record import dataclass
from xoff.nos.enterprise_sonic.globals import Globals
from xoff.nos.settings import Settings

PART = Unknown(
    "neither `buffer init lossless` nor `roce enable` is in the input, which looks like part of a configuration", Fact.CONFIG
)
_FOUR_ONE = re.compile(r"(?:[0-3]\.|4\.[01](?:\.|\b))")
#: Beginnings of settings that `roce enable` writes on every port.
_GENERATED = ("map.", "pfc.priority", "wred.", "scheduler")


@dataclass(frozen=True, slots=True)
class Mode:
    """`lossless`: groups 3 and 4 have headroom of the device's own. `at`: the line that says so.

    `generated`: `roce enable` stands and the file prints nothing of what it writes, so its defaults hold.
    `four_one`: the release is 4.1 or older, which has no other lossless groups.
    """

    lossless: bool | Unknown
    at: Line | None
    generated: bool
    four_one: bool


def mode_of(shared: Globals, ports: list[Settings], whole: bool, release: str | None) -> Mode:
    """The mode by the lines of the switch. whole: the file is a whole configuration, so what is absent was not entered."""
    at = shared.roce or shared.init
    lossless: bool | Unknown = True if at is not None else False if whole else PART
    prints = bool(shared.maps or shared.policies or shared.wreds) or any(
        name.startswith(_GENERATED) for said in ports for name in said.said
    )
    old = release is not None and _FOUR_ONE.match(release.lower().removeprefix("sonic-os-")) is not None
    return Mode(lossless, at, shared.roce is not None and not prints, old)
