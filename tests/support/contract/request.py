"""A request to Discord, and what Discord knows when it comes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Json = Any
Component = dict[str, Any]


@dataclass(frozen=True)
class File:
    """An uploaded file: its name, and its size in bytes."""

    name: str
    size: int = 0


@dataclass(frozen=True)
class Request:
    """One call of Discord's HTTP API: ``path`` is what follows ``/api/v10``, a file's place is its number."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Json = None
    files: Sequence[File] = ()

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True)
class Stored:
    """A message as it is before it is edited."""

    flags: int = 0
    content: str | None = None
    embeds: Sequence[Any] = ()
    components: Sequence[Component] = ()
    attachments: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class Situation:
    """What Discord knows of the interaction and the message that a request is about, if there is one."""

    interaction: int | None = None
    """The type of the interaction."""
    from_message: bool = False
    """Whether the interaction comes from a component, or from a form that a component opened."""
    edited: Stored | None = None
    """The message that the request edits."""
