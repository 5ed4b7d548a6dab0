"""Seats of a table: people and AI players."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Seat:
    """Who sits there. ``user_id`` only for a person, ``policy`` (the level) only for an AI."""

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
