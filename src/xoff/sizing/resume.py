"""When a paused sender may go on: the XON level. How long one pause frame holds it: `watchdog.longest_pause_us`."""

from __future__ import annotations

from xoff.errors import UsageError
from xoff.model.origin import Evidence
from xoff.sizing.number import Number, number, term

#: SONiC HLD and YANG (`xon_offset`), and Huawei's page of `dcb pfc buffer` say the same.
XON = "sonic-net/SONiC@98de38fd buffer design; sonic-buffer-profile.yang xon_offset; CE6800 V300R023 dcb pfc buffer"


def resume_level(xoff: int, xon: int = 0, xon_offset: int | None = None) -> Number:
    """Bytes in the group below which it resumes: max(xon, XOFF - offset). Without an offset the absolute level alone counts.

    0: the group has to run empty first. Equal to `xoff`: no hysteresis, each frame in and out changes the state.
    Raises UsageError for negative sizes.
    """
    for what, said in (("XOFF point", xoff), ("xon", xon), ("xon offset", xon_offset or 0)):
        if type(said) is not int or said < 0:
            raise UsageError(f"{what} {said!r} is no number of bytes from 0 on")
    below = 0 if xon_offset is None else max(0, xoff - xon_offset)
    terms = (
        term("XOFF point", xoff, "where the group pauses", "computed", Evidence.COMPUTED),
        term("xon", xon, "absolute level", "the configuration"),
        *((term("xon offset", xon_offset, "below the XOFF point", "the configuration"),) if xon_offset is not None else ()),
    )
    return number(max(xon, below), "max(xon, XOFF - offset)" if xon_offset is not None else "xon", terms)
