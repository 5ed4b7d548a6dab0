"""Converts stored games between values and columns, with one list of the columns of a game.

No other module turns options, states, moves, narration or statistics into text or back. A part that can't be
read becomes :class:`~bot.store.base.Damaged`, so that the game can still be closed and purged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass
from operator import attrgetter
from typing import Any, TypeVar

import orjson

from bot.games import codec
from bot.games.core import CORRUPT_DATA_ERRORS, Json, SeatStats
from bot.games.seats import Seat
from bot.i18n.identity_cache import IdentityCache
from bot.i18n.say import Line, Say, from_json, to_json
from bot.registry import find
from bot.standings.values import Board
from bot.store.base import ABORTED, Damaged, FormerSeat, GameRow, MoveRow, Offer, ResultRow, StoredMove, Word

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table ``games`` and the field of :class:`~bot.store.base.GameRow` that it holds.

    ``read`` takes the game's key, such as "tutto", and the value of the column. A ``fixed`` column is written
    only when the game is created; a move never changes a ``setup`` column.
    """

    name: str
    write: Callable[[GameRow], Any]
    read: Callable[[str, Any], Any]
    field: str
    fixed: bool = False
    setup: bool = False


def _plain(name: str, *, fixed: bool = False, setup: bool = False) -> Column:
    return Column(name, attrgetter(name), lambda key, value: value, name, fixed, setup)


def _flag(name: str, *, setup: bool = False) -> Column:
    return Column(
        name, lambda row: int(getattr(row, name)), lambda key, value: bool(value), name, setup=setup
    )


def _numbers(name: str) -> Column:
    return Column(
        name, lambda row: _list_text(getattr(row, name)), lambda key, text: tuple(json.loads(text)), name
    )


def _list_text(values: Sequence[object]) -> str:
    return codec.dumps(values) if values else "[]"


def _write_options(row: GameRow) -> str:
    return _written(row.options, lambda options: options.to_json())


def _read_options(key: str, text: str) -> Any:
    return _read(text, lambda raw: find(key).rules.options(raw))


def _write_state(row: GameRow) -> str | None:
    if row.state is None:
        return None
    # A damaged state is written as it is, even if its game is not in the registry any more.
    return _written(row.state, lambda state: find(row.game).rules.state_to_json(state))


def _read_state(key: str, text: str | None) -> Any:
    return None if text is None else _read(text, lambda raw: find(key).rules.state_from_json(raw))


def _write_first_chance(row: GameRow) -> str:
    return _written(row.first_chance, lambda outcomes: _outcomes(row.game, outcomes))


def _read_first_chance(key: str, text: str) -> tuple[Any, ...] | Damaged:
    return _read(text, lambda raw: _read_outcomes(key, raw))


def _write_lines(row: GameRow) -> str:
    if row.status == ABORTED:
        return codec.dumps([row.closed])
    return codec.dumps(list(map(_written_line, row.lines)))


_written_piece: IdentityCache[Say, orjson.Fragment] = IdentityCache(
    lambda piece: orjson.Fragment(codec.dumps(to_json(piece)))
)
"""Returns the JSON of a piece of narration. It is cached, because all games share the same pieces."""

_written_line: IdentityCache[Line, orjson.Fragment] = IdentityCache(
    lambda line: orjson.Fragment(codec.dumps([line.seat, list(map(_written_piece, line.pieces))]))
)
"""Returns the JSON of a turn's narration. It is cached, because earlier turns don't change."""


def _read_lines(key: str, text: str) -> tuple[Line, ...]:
    # A game can go on without its narration.
    lines = _read(
        text,
        lambda raw: tuple(Line(seat, tuple(from_json(piece) for piece in pieces)) for seat, pieces in raw),
    )
    return () if isinstance(lines, Damaged) else lines


def _read_closed(text: str) -> str:
    reason = _read(text, lambda raw: str(_list(raw)[0]))
    return "" if isinstance(reason, Damaged) else reason


def _write_stats(row: GameRow) -> str:
    if row.stats == ():
        return ""
    return _written(
        row.stats, lambda stats: [[seat.turns, seat.best_turn, dict(seat.feats)] for seat in stats]
    )


def _read_stats(key: str, text: str) -> tuple[SeatStats, ...] | Damaged:
    if not text:
        return ()
    return _read(
        text,
        lambda raw: tuple(SeatStats(turns, best_turn, dict(feats)) for turns, best_turn, feats in raw),
    )


def _write_offers(row: GameRow) -> str:
    return _list_text([list(astuple(offer)) for offer in row.offers])


def _read_offers(key: str, text: str) -> tuple[Offer, ...]:
    # A game can go on without these questions; they can be asked again.
    offers = _read(text, lambda raw: tuple(Offer(*offer) for offer in raw))
    return () if isinstance(offers, Damaged) else offers


COLUMNS = (
    _plain("game", fixed=True),
    _plain("guild_id", fixed=True),
    _plain("channel_id", fixed=True),
    _plain("host_id"),
    _plain("locale", setup=True),
    _plain("status"),
    _plain("version"),
    _plain("rules_version", fixed=True),
    Column("options", _write_options, _read_options, "options", setup=True),
    Column("state", _write_state, _read_state, "state"),
    Column("seed", attrgetter("secret"), lambda key, secret: bytes(secret), "secret", fixed=True),
    _plain("seal", setup=True),
    _plain("start", setup=True),
    _plain("draws"),
    Column("first_chance", _write_first_chance, _read_first_chance, "first_chance", setup=True),
    Column("news", _write_lines, _read_lines, "lines"),
    Column("tally", _write_stats, _read_stats, "stats"),
    _numbers("own_turns"),
    _plain("own_turn"),
    _numbers("ending"),
    _numbers("acted"),
    _flag("ai_to_move"),
    _plain("turn_seconds", setup=True),
    _flag("rated", setup=True),
    _plain("begins", setup=True),
    _plain("since"),
    _flag("reminded"),
    _numbers("missed"),
    _numbers("votes"),
    Column("offers", _write_offers, _read_offers, "offers"),
    _plain("deadline"),
    _plain("parent_id", fixed=True),
    _plain("created_at", fixed=True),
    _plain("updated_at"),
)
"""The columns that creating a game writes, in the order of INSERT; changes write those that are not fixed."""

UPDATE_COLUMNS = tuple(column.name for column in COLUMNS if not column.fixed)

_MOVE_COLUMNS = {column.name: column.write for column in COLUMNS if not column.fixed and not column.setup}
MOVE_COLUMNS = tuple(_MOVE_COLUMNS)
"""The columns that a move can change."""

_SHOWN_COLUMNS = ("message_id", "posted_at", "shown_version", "shown_turn")
"""Columns that record what the channel shows; ``mark_shown`` writes them."""


def new_game_columns(row: GameRow) -> dict[str, Any]:
    """Return the columns that creating a game writes, by name."""
    return {column.name: column.write(row) for column in COLUMNS}


def update_columns(row: GameRow) -> dict[str, Any]:
    """Return the columns that a change of a game writes, by name."""
    return {column.name: column.write(row) for column in COLUMNS if not column.fixed}


def columns_of_move(row: GameRow) -> tuple[Any, ...]:
    """Return the values of :data:`MOVE_COLUMNS`, in their order."""
    return tuple([write(row) for write in _MOVE_COLUMNS.values()])


def read_game(
    columns: Any, seats: Iterable[Any], words: Iterable[Any] = (), former: Iterable[Any] = ()
) -> GameRow:
    """Read a row of the table ``games`` and the rows of its seats, words and former seats, all in order."""
    key = columns["game"]
    values = {column.field: column.read(key, columns[column.name]) for column in COLUMNS}
    return GameRow(
        **values,
        id=columns["id"],
        **{name: columns[name] for name in _SHOWN_COLUMNS},
        closed=_read_closed(columns["news"]) if columns["status"] == ABORTED else "",
        # Only PostgreSQL has this column, because several processes write to it.
        touched=columns["touched"] if "touched" in columns.keys() else 0,  # noqa: SIM118 - sqlite3.Row is no mapping
        seats=tuple(Seat(seat["kind"], seat["name"], seat["user_id"], seat["policy"]) for seat in seats),
        words=tuple(Word(word["seat"], word["user_id"], word["word"]) for word in words),
        former=tuple(
            FormerSeat(
                seat["seat"],
                seat["user_id"],
                seat["name"],
                seat["version"],
                bool(seat["handed"]),
                seat["turns"],
                seat["own_turns"],
            )
            for seat in former
        ),
    )


def move_columns(key: str, move: MoveRow) -> dict[str, Any]:
    """Return the columns of a move of the game ``key``."""
    return {
        "number": move.number,
        "seat": move.seat,
        "action": _written(move.action, lambda action: find(key).rules.move_to_json(action)),
        "chance": _written(move.outcomes, lambda outcomes: _outcomes(key, outcomes)),
        "at": move.at,
    }


def read_move(key: str, number: int, seat: int, action: str, chance: str, at: float) -> MoveRow:
    """Read a row of the table ``moves`` of the game ``key``."""
    return MoveRow(
        number,
        seat,
        _read(action, lambda raw: find(key).rules.move_from_json(seat, raw)),
        _read(chance, lambda raw: _read_outcomes(key, raw)),
        at,
    )


def read_moves(stored: Sequence[StoredMove]) -> tuple[MoveRow, ...]:
    """Read moves as :meth:`~bot.store.base.Store.stored_moves` returns them."""
    return tuple(read_move(*move) for move in stored)


def read_result(
    seat: int,
    user_id: int | None,
    place: int,
    score: int,
    turns: int,
    best_turn: int,
    feats: str,
    feat: int,
    own_turns: int,
    board: str | None,
) -> ResultRow:
    """Read a row of the table ``results``."""
    return ResultRow(
        seat,
        user_id,
        place,
        score,
        turns,
        best_turn,
        json.loads(feats),
        feat,
        own_turns,
        None if board is None else Board(board),
    )


def _outcomes(key: str, outcomes: Sequence[Any]) -> Json:
    rules = find(key).rules
    return list(map(rules.outcome_to_json, outcomes))


def _read_outcomes(key: str, raw: Json) -> tuple[Any, ...]:
    rules = find(key).rules
    return tuple(map(rules.outcome_from_json, _list(raw)))


def _list(raw: Json) -> list[Json]:
    if not isinstance(raw, list):
        raise TypeError("not a list")
    return raw


def _read(text: str, read: Callable[[Json], T]) -> T | Damaged:
    try:
        return read(codec.loads(text))
    except CORRUPT_DATA_ERRORS:
        return Damaged(text)


def _written(value: T | Damaged, write: Callable[[T], Json]) -> str:
    return value.text if isinstance(value, Damaged) else codec.dumps(write(value))
