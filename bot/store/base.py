"""What a store keeps, and the promises every store makes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from bot.games.core import SeatStats, Unreadable
from bot.games.seats import Seat
from bot.i18n.say import Line
from bot.store.standings import StandingsStore

LOBBY, LIVE, FINISHED, ABORTED = "lobby", "live", "over", "ended"
"""Status of a game: people gather; it is played; it has a result; it was closed without one."""

V = TypeVar("V")


class StoreError(Exception):
    """Base of what a store refuses."""


class Conflict(StoreError):
    """The game is no longer at the expected version: somebody else committed first."""


class Duplicate(StoreError):
    """This interaction was committed before; nothing was changed now."""


class ChannelTaken(StoreError):
    """The channel has an active game already."""


class RematchTaken(StoreError):
    """The game has a rematch already."""


class Unusable(StoreError):
    """The database can't be used; the text says why and what to do."""


class Unreachable(Unusable):
    """The database's server can't be reached; trying again later may help."""


@dataclass(frozen=True, slots=True)
class Damaged:
    """A stored value that can't be read. ``text`` stands in the database, and is written back as it is."""

    text: str


def sound(value: V | Damaged) -> V:
    """Return the value itself. Raise :class:`~bot.games.core.Unreadable` if it is damaged."""
    if isinstance(value, Damaged):
        raise Unreadable("error-unreadable")
    return value


@dataclass(frozen=True)
class GameRow:
    """One stored game. Times are Unix seconds.

    ``options``, ``state``, the outcomes in ``first_chance`` and ``stats`` are values of the game's own types,
    or :class:`Damaged`; ``state`` is None in a lobby. ``first_chance`` came before the first move. ``lines``
    tell what happened last, ``closed`` says why a game was closed without a result (a catalogue key).
    ``stats`` add up the events so far by seat, empty where that is not known.

    ``draws`` counts chance outcomes drawn from ``seed``; ``acted`` holds for each seat when its person last
    acted. ``turn_seconds`` is how long a person may take for a move (0: no limit), ``hints`` whether players
    may look at odds, ``since`` when the present wait began, ``reminded`` whether its person was called
    once more; ``missed`` counts for each seat the turns in a row that were played for it, ``votes`` are the
    seats that want the present one played. ``deadline`` is when something must happen in the background.
    ``ai_to_move`` says that the game goes on without a person.

    ``touched`` counts the steps that kept the version: each of them raises it by one. Where several processes
    write, a step is refused if the game was touched since it was read. ``message_id``, ``posted_at``,
    ``shown_version`` and ``shown_turn`` say what the channel shows of the game; they are written apart from
    the rest.
    """

    id: int
    game: str
    guild_id: int
    channel_id: int
    host_id: int
    locale: str
    status: str
    version: int
    rules_version: int
    options: Any
    state: Any
    seed: bytes
    draws: int
    acted: tuple[float, ...]
    ai_to_move: bool
    turn_seconds: int
    since: float
    reminded: bool
    missed: tuple[int, ...]
    votes: tuple[int, ...]
    deadline: float | None
    parent_id: int | None
    created_at: float
    updated_at: float
    seats: tuple[Seat, ...] = ()
    first_chance: tuple[Any, ...] | Damaged = ()
    lines: tuple[Line, ...] = ()
    closed: str = ""
    hints: bool = True
    stats: tuple[SeatStats, ...] | Damaged = ()
    touched: int = 0
    message_id: int | None = None
    posted_at: float = 0.0
    shown_version: int = -1
    shown_turn: int = -1


@dataclass(frozen=True, slots=True)
class MoveRow:
    """One action with the chance outcomes that followed it, as values of the game; ``number`` counts from 1.

    A part that can't be read is :class:`Damaged`.
    """

    number: int
    seat: int
    action: Any
    outcomes: tuple[Any, ...] | Damaged
    at: float


@dataclass(frozen=True, slots=True)
class ResultRow:
    """What one seat of a finished game leaves behind; ``user_id`` None for an AI or a person who was erased.

    ``feat`` is the one of the ``feats`` that leaderboards can be sorted by.
    """

    seat: int
    user_id: int | None
    place: int
    score: int
    turns: int
    best_turn: int
    feats: Mapping[str, int]
    feat: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """Everything one step of a game writes, in one transaction.

    ``row`` holds the game after the step, at its new version; ``expected`` is the version it was made from.
    """

    row: GameRow
    expected: int
    interaction_id: int | None = None
    seats_changed: bool = False
    move: MoveRow | None = None
    results: Sequence[ResultRow] = field(default=())


@dataclass(frozen=True, slots=True)
class Process:
    """A process that serves the database: ``shards`` of ``shard_count`` are its own."""

    name: str
    shard_count: int
    shards: frozenset[int]


class Shared(Protocol):
    """What a store that several processes may use has besides; see bot/services/leases.py."""

    def serve_shards(self, shard_count: int, shards: Collection[int]) -> None:
        """From now on ``due``, ``waiting_for_ai`` and the like find the games of these shards only."""
        ...

    async def heartbeat(
        self, name: str, shard_count: int, shards: Sequence[int], seconds: float
    ) -> tuple[Process, ...]:
        """Say that a process is alive for so many more seconds; return all that are, the oldest first."""
        ...

    async def leave(self, name: str) -> None:
        """The process ends."""
        ...


class Store(StandingsStore, Protocol):
    """Storage of games. Whatever a method has returned from survives a crash (``shown`` excepted)."""

    shared: bool
    """Whether other processes write here too, so that nothing read is sure to be the latest."""

    async def close(self) -> None: ...

    async def game(self, game_id: int) -> GameRow | None: ...

    async def fresh(self, game_id: int) -> GameRow | None:
        """The game as it is stored now, whatever is at hand."""
        ...

    async def active_game(self, channel_id: int) -> GameRow | None: ...

    async def latest_game(self, channel_id: int) -> GameRow | None: ...

    async def rematch_of(self, game_id: int) -> GameRow | None: ...

    async def create(self, row: GameRow, interaction_id: int | None) -> GameRow:
        """Insert a game with its seats; ``row.id`` is ignored and the new one returned.

        Raises :class:`ChannelTaken`, :class:`RematchTaken` or :class:`Duplicate`.
        """
        ...

    async def commit(self, change: Change) -> None:
        """Write one step. Raises :class:`Conflict` or :class:`Duplicate`, and then nothing was written.

        The results of a game change ratings and sums in the same transaction.
        """
        ...

    async def moves(self, game_id: int) -> tuple[MoveRow, ...]: ...

    async def mark_shown(self, row: GameRow, *, urgent: bool) -> None:
        """Note what the channel shows of a game (``message_id``, ``posted_at``, ``shown_…`` of ``row``).

        Unless ``urgent`` it may be written a moment later: losing it costs a repaint, not a game.
        """
        ...

    async def games_to_repaint(self) -> tuple[int, ...]:
        """Ids of games whose channel shows an old version."""
        ...

    async def waiting_for_ai(self) -> tuple[int, ...]:
        """Ids of games in which an AI is to move."""
        ...

    async def due(self, now: float, limit: int = 100) -> tuple[int, ...]:
        """Ids of games whose deadline has passed, most overdue first."""
        ...

    async def next_deadline(self) -> float | None: ...

    async def active_counts(self) -> Mapping[tuple[str, str], int]:
        """How many lobbies and running games there are, by game and status."""
        ...

    async def note_member(self, guild_id: int, user_id: int, name: str) -> None:
        """Remember the name under which somebody was last seen in a server."""
        ...

    async def results(self, game_id: int) -> tuple[ResultRow, ...]:
        """The results of a finished game by seat; empty for any other."""
        ...

    async def meta(self, key: str) -> str | None: ...

    async def set_meta(self, key: str, value: str) -> None: ...
