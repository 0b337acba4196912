"""What rules see: read-only views in which an Unknown stops the check instead of passing as a value.

`view.x` gives the value or raises `NotAssessed` with the reason; `view.maybe` is the model object itself, for looking
on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from xoff.model.frozen import FrozenMap
from xoff.model.quantity import Fact, Quantity, Unknown


class NotAssessed(Exception):
    """The check cannot be made: which fact is missing, and why. Ends as a coverage entry, never as a pass."""

    def __init__(self, reason: str, fact: Fact | None = None) -> None:
        super().__init__(reason)
        self.reason, self.fact = reason, fact


class NotApplicable(Exception):
    """The object cannot have the fault (no such queue, no such feature)."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def known(value: Any) -> Any:
    """The value itself; raises NotAssessed where it is Unknown."""
    if isinstance(value, Unknown):
        raise NotAssessed(value.reason, value.fact)
    return value


_LEAVES = (str, int, float, bool, frozenset, type(None), Quantity)
_IS_MODEL: dict[type, bool] = {}


def wrap(value: Any) -> Any:
    """A view on a model value; plain values as they are; Unknown raises NotAssessed."""
    if isinstance(value, _LEAVES):
        return value
    if isinstance(value, Unknown):
        raise NotAssessed(value.reason, value.fact)
    if isinstance(value, FrozenMap):
        return MapView(value)
    if isinstance(value, tuple):
        return tuple(wrap(v) for v in value)
    cls = type(value)
    if cls not in _IS_MODEL:
        _IS_MODEL[cls] = is_dataclass(cls) and bool(fields(cls))
    return View(value) if _IS_MODEL[cls] else value


class View:
    """A model object whose Unknown attributes raise NotAssessed."""

    __slots__ = ("_of",)

    def __init__(self, of: Any) -> None:
        object.__setattr__(self, "_of", of)

    @property
    def maybe(self) -> Any:
        """The model object itself: attributes may be Unknown."""
        return self._of

    def __getattr__(self, name: str) -> Any:
        return wrap(getattr(self._of, name))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("views are read-only")

    def __eq__(self, other: object) -> bool:
        return bool(self._of == (other._of if isinstance(other, View) else other))

    def __hash__(self) -> int:
        return hash(self._of)

    def __repr__(self) -> str:
        return f"View({self._of!r})"


class MapView(Mapping[Any, Any]):
    """A mapping whose Unknown values raise NotAssessed when they are read."""

    __slots__ = ("maybe",)

    def __init__(self, of: FrozenMap[Any, Any]) -> None:
        self.maybe = of

    def __getitem__(self, key: Any) -> Any:
        return wrap(self.maybe[key])

    def __iter__(self) -> Iterator[Any]:
        return iter(self.maybe)

    def __len__(self) -> int:
        return len(self.maybe)

    def __contains__(self, key: object) -> bool:
        return key in self.maybe
