"""Every error that reaches a user, as one tree. Each message says what, where, why and what to do.

XoffError
├── UsageError            wrong options, nothing to do                         exit 2
│   └── ProjectError      xoff.toml is wrong                                   exit 2
├── IntentError           the intent is wrong; carries all its problems        exit 2
├── CannotExpress         a NOS or platform cannot do what the intent asks     exit 2
├── UnknownPlatform       a model or ASIC is not in platforms/                 exit 2
├── InputError            one input file cannot be read or parsed              exit 3
└── OutputError           the output folder cannot be written                  exit 2
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class XoffError(Exception):
    """Base of all errors meant for users. `exit_code` is the process's."""

    exit_code = 2


class UsageError(XoffError):
    """Options or paths that make no sense together."""


class ProjectError(UsageError):
    """xoff.toml (or [tool.xoff]) is wrong."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in a YAML / TOML file: place, what, what was expected, and a suggestion if there is one."""

    file: str
    line: int
    column: int
    message: str
    source_line: str = ""
    hint: str = ""

    def __str__(self) -> str:
        out = f"{self.file}:{self.line}:{self.column}: {self.message}"
        if self.source_line:
            out += f"\n    {self.source_line}\n    {' ' * (self.column - 1)}^"
        if self.hint:
            out += f"\n    hint: {self.hint}"
        return out


class IntentError(XoffError):
    """All problems of one intent, at once."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(p) for p in self.problems))


class CannotExpress(XoffError):
    """What the intent asks cannot be said in this NOS or on this platform."""


class UnknownPlatform(XoffError):
    """A switch model or ASIC that platforms/ does not hold."""


class InputError(XoffError):
    """One input file cannot be read or parsed; the others still are."""

    exit_code = 3

    def __init__(self, file: str, line: int, message: str) -> None:
        self.file, self.line, self.message = file, line, message
        super().__init__(f"{file}:{line}: {message}" if line else f"{file}: {message}")


class OutputError(XoffError):
    """The output cannot be written; nothing was."""
