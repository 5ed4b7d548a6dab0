"""The seats of a game: people and AI players."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat. Only a person has a ``user_id`` (None after their data was deleted), and only an AI has a
    ``policy``, which is its level."""

    kind: str
    name: str = ""
    user_id: int | None = None
    policy: str = ""

    @property
    def human(self) -> bool:
        return self.kind == "human"


def person(user_id: int, name: str) -> Seat:
    return Seat("human", name, user_id)


def ai(policy: str) -> Seat:
    return Seat("ai", policy=policy)
