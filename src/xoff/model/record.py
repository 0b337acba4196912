"""Dataclasses that are cheap to define: what `xoff lint` would otherwise spend a third of a cold start on.

`dataclasses.dataclass` writes the source of up to nine methods for each class and compiles it when the class is defined,
0.5 ms a class, and the model has more than a hundred. Here the standard library only collects the fields; the methods are
closures over the names of the fields, and `__init__`, the one that gains from being written out, is compiled when the first
object is made. The classes are dataclasses all the same: `fields`, `replace`, `is_dataclass`, pickling and copying work, and
type checkers see `dataclasses.dataclass` itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

T = TypeVar("T")


def _dataclass(*, slots: bool, frozen: bool = False, eq: bool = True, repr: bool = True) -> Callable[[type[T]], type[T]]:
    """As `dataclasses.dataclass` with these options. `slots` must be True; fields are all positional and all in `__init__`."""
    if not slots:
        raise TypeError("xoff.model.record.dataclass is for classes with slots=True")

    def wrap(cls: type[T]) -> type[T]:
        own = set(cls.__dict__)
        if not cls.__doc__:
            cls.__doc__ = cls.__name__  # else the standard library spends 0.1 ms on finding a signature for it
        made = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
        shown = dataclasses.fields(made)  # type: ignore[arg-type]
        methods: dict[str, object] = {"__init__": _first_init(made, frozen), "__signature__": _Signature()}
        if repr:
            methods["__repr__"] = _repr
        if eq:
            methods |= _comparing(tuple(f.name for f in shown if f.compare), frozen)
        if frozen:
            methods |= _FROZEN
        for name, method in methods.items():
            # A method that the class writes itself stays. Python sets `__hash__` to None beside a written `__eq__`.
            if name not in own or (name == "__hash__" and made.__dict__[name] is None and "__eq__" in own):
                setattr(made, name, method)
        return made

    return wrap


def _first_init(cls: type[Any], frozen: bool) -> Callable[..., None]:
    """An `__init__` that is replaced by the compiled one when it is first called."""

    def __init__(self: object, /, *args: object, **kwargs: object) -> None:
        _settle(cls)(self, *args, **kwargs)

    __init__.frozen = frozen  # type: ignore[attr-defined]
    return __init__


def _settle(cls: type[Any]) -> Callable[..., None]:
    """Compile the `__init__` of a class and put it in its place."""
    waiting = cls.__dict__.get("__init__")
    frozen = getattr(waiting, "frozen", None)
    if frozen is None:
        return cls.__init__  # type: ignore[no-any-return]
    cls.__init__ = made = _init(cls, frozen)
    return made


def _init(cls: type[Any], frozen: bool) -> Callable[..., None]:
    names: dict[str, object] = {"NEW": _NEW}
    parameters, body = ["self"], []
    for f in dataclasses.fields(cls):
        if not f.init or f.kw_only:
            raise TypeError(f"{cls.__qualname__}.{f.name}: init=False and kw_only are not supported here")
        value = f.name
        if f.default_factory is not dataclasses.MISSING:
            names[f"new_{f.name}"] = f.default_factory
            parameters.append(f"{f.name}=NEW")
            value = f"new_{f.name}() if {f.name} is NEW else {f.name}"
        elif f.default is not dataclasses.MISSING:
            names[f"default_{f.name}"] = f.default
            parameters.append(f"{f.name}=default_{f.name}")
        else:
            parameters.append(f.name)
        if frozen:
            # The slot itself: `__setattr__` refuses, and `object.__setattr__` has to look for it each time.
            names[f"set_{f.name}"] = getattr(cls, f.name).__set__
            body.append(f"set_{f.name}(self, {value})")
        else:
            body.append(f"self.{f.name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    text = f"def __init__({', '.join(parameters)}):\n  " + "\n  ".join(body or ["pass"])
    exec(text, names)  # names of fields are the only input
    made: Any = names["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__annotations__ = {f.name: f.type for f in dataclasses.fields(cls)} | {"return": None}
    return made  # type: ignore[no-any-return]


class _New:
    """Stands in a signature for the value that a default factory makes."""

    def __repr__(self) -> str:
        return "<factory>"


_NEW = _New()


class _Signature:
    """`inspect.signature` of a class: that of the compiled `__init__`."""

    def __get__(self, _: object, cls: type[Any]) -> object:
        import inspect

        found = inspect.signature(_settle(cls))
        return found.replace(parameters=list(found.parameters.values())[1:])


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
    return f"{self.__class__.__qualname__}({shown})"


def _comparing(names: tuple[str, ...], frozen: bool) -> dict[str, object]:
    values: Callable[[Any], object] = attrgetter(*names) if names else lambda self: ()

    def __eq__(self: object, other: object) -> bool:
        if self is other:
            return True
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    def __hash__(self: object) -> int:
        return hash(values(self))

    return {"__eq__": __eq__, "__hash__": __hash__ if frozen else None}


def _refuse_set(self: object, name: str, value: object) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: object, name: str) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[object]:
    return [getattr(self, f.name) for f in dataclasses.fields(self)]


def _set_state(self: Any, state: list[object]) -> None:
    for f, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, f.name, value)


#: Pickling and copying would set attributes, which a frozen object refuses.
_FROZEN: dict[str, object] = {
    "__setattr__": _refuse_set,
    "__delattr__": _refuse_delete,
    "__getstate__": _state,
    "__setstate__": _set_state,
}

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass = _dataclass
