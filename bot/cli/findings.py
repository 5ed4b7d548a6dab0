"""What a check has found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class State(Enum):
    """How a thing is: in order, not in order, or not looked at."""

    FINE = "fine"
    WRONG = "wrong"
    SKIPPED = "-"


@dataclass(frozen=True, slots=True)
class Finding:
    """``about`` names the thing, ``text`` says how it is, ``fix`` what to do if it is not in order."""

    about: str
    state: State
    text: str
    fix: str = ""

    def __str__(self) -> str:
        fix = f" Fix: {self.fix}." if self.fix else ""
        return f"{self.state.value:<5}  {self.about:<12} {self.text}.{fix}"


def fine(about: str, text: str) -> Finding:
    return Finding(about, State.FINE, text)


def wrong(about: str, text: str, fix: str) -> Finding:
    return Finding(about, State.WRONG, text, fix)


def skipped(about: str, text: str) -> Finding:
    return Finding(about, State.SKIPPED, text)


def some(names: Iterable[str], most: int = 5) -> str:
    """A list in words, cut short.

    >>> some("abcdefg")
    'a, b, c, d, e and 2 more'
    """
    listed = list(names)
    more = len(listed) - most
    return ", ".join(listed[:most]) + (f" and {more} more" if more > 0 else "")
