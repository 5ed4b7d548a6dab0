"""Rows for the store, with defaults for everything that a test doesn't care about."""

from __future__ import annotations

from dataclasses import MISSING, fields, replace
from typing import Any, TypeVar

from bot.games.seats import Seat, ai, person
from bot.games.tutto.state import Options
from bot.registry import GAMES
from bot.standings.values import Board
from bot.store import encoding
from bot.store.base import LOBBY, GameRow, MoveRow, ResultRow

T = TypeVar("T")

_EMPTY: dict[str, Any] = {"int": 0, "float": 0.0, "str": "", "bool": False, "bytes": b""}


def filled(kind: type[T], **given: Any) -> T:
    """Build a value of a dataclass; fields without a given value or a default are empty."""
    for field in fields(kind):  # type: ignore[arg-type]
        if field.name in given or field.default is not MISSING or field.default_factory is not MISSING:
            continue
        name = str(field.type)
        given[field.name] = None if "None" in name else _EMPTY.get(name, () if "uple" in name else {})
    return kind(**given)


def a_game(channel: int = 100, *people: int, ais: int = 0, **given: Any) -> GameRow:
    """A lobby of these people (users 1 and 2 if nobody is named), in guild 10.

    What is stored as JSON may be given as such; see :func:`stored_as`.
    """
    seats: tuple[Seat, ...] = tuple(person(user, f"User {user}") for user in people or (1, 2))
    values: dict[str, Any] = {
        "game": "tutto",
        "guild_id": 10,
        "channel_id": channel,
        "host_id": seats[0].user_id,
        "locale": "en-US",
        "status": LOBBY,
        "rules_version": 1,
        "options": Options(target=1000),
        "state": None,
        "secret": bytes(32),
        "created_at": 1000.0,
        "updated_at": 1000.0,
        "seats": (*seats, *(ai("casual") for _ in range(ais))),
    }
    texts = {name: given.pop(name) for name in TEXTS if isinstance(given.get(name), str)}
    row = filled(GameRow, **(values | given))
    return stored_as(row, **texts) if texts else row


TEXTS = ("options", "state", "first_chance", "news", "tally")
"""The columns of a game that hold JSON."""


def stored_as(row: GameRow, **columns: Any) -> GameRow:
    """Return a game as it is read with these texts in its columns."""
    written = encoding.new_game_columns(replace(row, game="tutto") if row.game not in GAMES else row)
    shown = {
        name: getattr(row, name) for name in ("id", "message_id", "posted_at", "shown_version", "shown_turn")
    }
    seats = [
        {name: getattr(seat, name) for name in ("kind", "name", "user_id", "policy")} for seat in row.seats
    ]
    return replace(
        encoding.read_game(written | {"game": row.game} | shown | columns, seats), touched=row.touched
    )


def a_move(number: int, seat: int = 0, *, game: str = "tutto", **given: Any) -> MoveRow:
    """Build a move of a game from its action and outcomes as JSON."""
    values: dict[str, Any] = {"action": '{"type":"stop"}', "chance": "[]", "at": 1000.0}
    return encoding.read_move(game, number, seat, **(values | given))


def stored_move(move: MoveRow, *, game: str = "tutto", **columns: Any) -> MoveRow:
    """Return a move as it is read with these texts in its columns."""
    return encoding.read_move(game, **(encoding.move_columns(game, move) | columns))


def a_result(seat: int, user_id: int | None, **given: Any) -> ResultRow:
    values: dict[str, Any] = {
        "place": 1,
        "score": 1000,
        "turns": 5,
        "best_turn": 500,
        "feats": {"tuttos": 1},
        "own_turns": 0 if user_id is None else 5,
        "board": Board.PEOPLE,
    }
    return filled(ResultRow, seat=seat, user_id=user_id, **(values | given))
