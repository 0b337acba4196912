"""Words of Cumulus Linux: trust modes, RoCE modes, pools, alphas."""

from __future__ import annotations

from fractions import Fraction

TRUST = ("l2", "l3", "both", "port")
#: RoCE modes with the chips that have them (None: all). R, G514-G518: see README.
MODES: dict[str, frozenset[str] | None] = {
    "lossless": None,
    "lossy": None,
    "lossless-single-ipool": None,
    "lossy-multi-tc": frozenset({"spectrum4", "spectrum5", "spectrum6"}),
    "dci-1": frozenset({"spectrum4", "spectrum5", "spectrum6"}),
}
POOLS = ("default-lossy", "default-lossless", "mc-lossy", "roce-lossy", "roce-lossless")
LOSSLESS_POOLS = ("roce-lossless", "default-lossless")
#: `alpha_1_8` … and the form of the flat files, `ALPHA_8`; None: infinite.
ALPHAS: dict[str, Fraction | str] = {
    "alpha_0": Fraction(0),
    **{f"alpha_1_{n}": Fraction(1, n) for n in (128, 64, 32, 16, 8, 4, 2)},
    **{f"alpha_{n}": Fraction(n) for n in (1, 2, 4, 8, 16, 32, 64)},
    "alpha_infinity": "inf",
}


def release_of(text: str) -> tuple[int, ...] | None:
    """`5.14.0` -> (5, 14, 0); `Cumulus Linux 5.12.0` likewise, `5.x` -> (5,); None where there is no number."""
    import re

    found = re.search(r"(\d+)(?:\.(\d+|x))?(?:\.(\d+))?", text)
    if found is None:
        return None
    return tuple(int(g) for g in found.groups() if g is not None and g.isdigit())
