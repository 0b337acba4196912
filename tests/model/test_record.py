"""Classes made by xoff.model.record behave as the standard library's dataclasses do, method by method."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, field
from typing import Any

import pytest

from xoff.model import record


@record.dataclass(frozen=True, slots=True)
class Ours:
    name: str
    size: int = 3
    tags: tuple[str, ...] = field(default_factory=tuple)
    seen: list[str] = field(default_factory=list, compare=False, repr=False)


@dataclasses.dataclass(frozen=True, slots=True)
class Theirs:
    name: str
    size: int = 3
    tags: tuple[str, ...] = field(default_factory=tuple)
    seen: list[str] = field(default_factory=list, compare=False, repr=False)


@record.dataclass(slots=True)
class Open:
    total: int
    rows: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.total += 1


@record.dataclass(frozen=True, slots=True, eq=False)
class ByIdentity:
    name: str


@record.dataclass(frozen=True, slots=True)
class OwnMethods:
    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OwnMethods)

    def __hash__(self) -> int:
        return 7

    def __repr__(self) -> str:
        return "own"


@record.dataclass(frozen=True, slots=True)
class Base:
    a: int


@record.dataclass(frozen=True, slots=True)
class Longer(Base):
    b: int = 2


@pytest.mark.parametrize(
    "make", [lambda c: c("x"), lambda c: c("x", 4), lambda c: c(name="x", tags=("t",)), lambda c: c("x", seen=["s"])]
)
def test_same_as_the_standard_library(make: Any) -> None:
    ours, theirs = make(Ours), make(Theirs)
    assert [f.name for f in dataclasses.fields(ours)] == [f.name for f in dataclasses.fields(theirs)]
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
    assert hash(ours) == hash(theirs)
    assert ours == make(Ours)
    assert ours != theirs
    assert dataclasses.replace(ours, size=9) == Ours(ours.name, 9, ours.tags)
    assert str(inspect.signature(Ours)) == str(inspect.signature(Theirs))
    assert Ours.__match_args__ == Theirs.__match_args__
    assert not hasattr(ours, "__dict__")


@pytest.mark.parametrize("arguments", [((), {}), (("a", 1, (), [], 5), {}), (("a",), {"nme": 1}), (("a",), {"name": "b"})])
def test_wrong_arguments_are_type_errors_as_there(arguments: tuple[Any, Any]) -> None:
    for cls in (Ours, Theirs):
        with pytest.raises(TypeError):
            cls(*arguments[0], **arguments[1])


def test_frozen() -> None:
    thing = Ours("x")
    with pytest.raises(FrozenInstanceError, match="size"):
        thing.size = 4  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="size"):
        del thing.size  # type: ignore[misc]


def test_default_factories_make_a_new_one_each_time() -> None:
    assert Ours("x").seen is not Ours("x").seen


@pytest.mark.parametrize("thing", [Ours("x", 4, ("t",), ["s"]), Longer(1, 3), Open(1, [2])])
def test_copies_and_pickles(thing: Any) -> None:
    assert copy.deepcopy(thing) == thing
    assert copy.copy(thing) == thing
    assert pickle.loads(pickle.dumps(thing)) == thing


def test_open_classes_can_be_changed_and_have_no_hash() -> None:
    thing = Open(1)
    assert thing.total == 2
    thing.rows.append(3)
    assert thing == Open(1, [3])
    with pytest.raises(TypeError, match="unhashable"):
        hash(thing)


def test_identity_and_own_methods_stay() -> None:
    assert ByIdentity("a") != ByIdentity("a")
    assert len({ByIdentity("a"), ByIdentity("a")}) == 2
    assert OwnMethods("a") == OwnMethods("b")
    assert (hash(OwnMethods("a")), repr(OwnMethods("a"))) == (7, "own")


def test_inherited_fields_come_first() -> None:
    assert repr(Longer(1)) == "Longer(a=1, b=2)"
    assert Base(1) != Longer(1)


def test_an_init_asked_for_before_the_first_object_works_after_it() -> None:
    @record.dataclass(frozen=True, slots=True)
    class Late:
        a: int

    early = Late.__init__
    first = Late(1)
    second = object.__new__(Late)
    early(second, 1)
    assert first == second


def test_what_is_not_supported_says_so() -> None:
    @record.dataclass(slots=True)
    class Odd:
        a: int = field(init=False)

    with pytest.raises(TypeError, match="init=False"):
        Odd()
