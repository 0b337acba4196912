"""The JSON contracts `headroom/1` and `headroom-sweep/1`: additive changes only; schemas/headroom.schema.json comes from here.

The string beside each type is the field's description in the schema.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from typing_extensions import TypedDict

VERSION: Final = "headroom/1"
SWEEP_VERSION: Final = "headroom-sweep/1"

EvidenceWord = Literal["read", "computed", "secondary", "recalled"]


class TermOut(TypedDict):
    """One summand or input of the number."""

    name: Annotated[str, "what it is"]
    value: Annotated[int | str, "amount; a fraction is exact text such as `127/42`"]
    unit: Annotated[str, "`B` for bytes, `x` for a factor, empty for a bare number"]
    why: Annotated[str, "how it comes about"]
    source: Annotated[str, "where it was read"]
    evidence: Annotated[EvidenceWord, "how sure that is"]


class LinkOut(TypedDict):
    """What was asked."""

    speed_mbps: Annotated[int, "Mb/s"]
    cable_m: Annotated[int, "metres"]
    mtu: Annotated[int | None, "the port's MTU as the NOS says it, bytes"]
    max_frame: Annotated[int, "largest frame of any class, bytes"]
    lossless_frame: Annotated[int, "largest RoCE frame, bytes"]
    small_packets: Annotated[int, "percent of small packets, for `nvidia`"]
    delay_ns: Annotated[int, "gearbox, retimer or MACsec, one way"]
    response_ns: Annotated[int | None, "the peer's response time, given by hand"]
    lanes: Annotated[int | None, "SerDes lanes of the port"]
    asic: Annotated[str | None, "chip whose buffer is sized"]
    peer_asic: Annotated[str | None, "chip at the other end"]


class RowOut(TypedDict):
    """One row of a table that a vendor ships."""

    table: Annotated[str, "name of the table"]
    xoff: Annotated[int, "bytes"]
    source: Annotated[str, "file it stands in"]


class ShippedOut(TypedDict):
    """What vendors ship for this chip and speed, for the longest listed cable that is not longer."""

    cable_m: Annotated[int, "metres, of the rows"]
    rows: Annotated[int, "number of tables that have the row"]
    low: Annotated[RowOut, "lowest"]
    high: Annotated[RowOut, "highest"]


class ScriptOut(TypedDict):
    """SONiC's script on this chip."""

    version: Annotated[str, "which version of the script"]
    xon_bytes: Annotated[int, "resume level that it sets"]


class PointOut(TypedDict):
    """One link of a sweep."""

    speed_mbps: Annotated[int, "Mb/s"]
    cable_m: Annotated[int, "metres"]
    headroom_bytes: Annotated[int | None, "under the chosen preset; null: see `unavailable`"]
    presets: Annotated[dict[str, int | None], "bytes by preset"]
    shipped: Annotated[ShippedOut | None, "null: no table has the chip and speed"]


class HeadroomOut(TypedDict):
    """Headroom of one link and priority."""

    version: Annotated[Literal["headroom/1"], "contract"]
    headroom_bytes: Annotated[int, "bytes, under the chosen preset"]
    preset: Annotated[str, "the chosen preset"]
    formula: Annotated[str, "the formula in words"]
    terms: Annotated[list[TermOut], "what the number is made of"]
    sources: Annotated[list[str], "sources of the terms"]
    presets: Annotated[dict[str, int | None], "the same link under every preset, bytes; null: see `unavailable`"]
    unavailable: Annotated[dict[str, str], "why a preset has no number"]
    shipped: Annotated[ShippedOut | None, "null: no table has the chip and speed"]
    script: Annotated[ScriptOut | None, "null: SONiC has no script for the chip"]
    link: Annotated[LinkOut, "what was asked"]


class SweepOut(TypedDict):
    """Headroom over a range of cables or speeds."""

    version: Annotated[Literal["headroom-sweep/1"], "contract"]
    sweep: Annotated[Literal["cable", "speed"], "what varies"]
    preset: Annotated[str, "the chosen preset"]
    points: Annotated[list[PointOut], "in rising order"]
    unavailable: Annotated[dict[str, str], "why a preset has no number somewhere, the first reason"]
    link: Annotated[LinkOut, "what was asked; speed or cable are those of the first point"]
