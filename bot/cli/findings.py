"""The result of a check, as ``doctor`` prints it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class State(Enum):
    """The state of a checked thing."""

    OK = "ok"
    FAIL = "FAIL"
    SKIPPED = "-"


@dataclass(frozen=True, slots=True)
class Finding:
    """``about`` names what was checked, ``text`` says what was found, ``fix`` what to do if it is not ok."""

    about: str
    state: State
    text: str
    fix: str = ""

    def __str__(self) -> str:
        fix = f" Fix: {self.fix}." if self.fix else ""
        return f"{self.state.value:<4}  {self.about:<12} {self.text}.{fix}"


def ok(about: str, text: str) -> Finding:
    """Return a finding about something that is in order."""
    return Finding(about, State.OK, text)


def fail(about: str, text: str, fix: str) -> Finding:
    """Return a finding about a problem and how to fix it."""
    return Finding(about, State.FAIL, text, fix)


def skipped(about: str, text: str) -> Finding:
    """Return a finding about something that was not checked; ``text`` says why."""
    return Finding(about, State.SKIPPED, text)


def some(names: Iterable[str], most: int = 5) -> str:
    """Join names with commas, and say how many there are beyond ``most``.

    >>> some("abcdefg")
    'a, b, c, d, e and 2 more'
    """
    listed = list(names)
    more = len(listed) - most
    return ", ".join(listed[:most]) + (f" and {more} more" if more > 0 else "")
