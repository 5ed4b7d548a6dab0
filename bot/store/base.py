"""The values that a store keeps, and the interface of every store."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from bot.games.core import SeatStats, Unreadable
from bot.games.seats import Seat
from bot.i18n.say import Line
from bot.records.who_begins import IN_ORDER
from bot.standings.values import Board
from bot.store.daily import DailyStore
from bot.store.history import HistoryStore
from bot.store.notifications import NotificationStore
from bot.store.people import PeopleStore
from bot.store.puzzles import PuzzleStore
from bot.store.seasons import SeasonStore
from bot.store.servers import ServerStore
from bot.store.standings import StandingsStore

LOBBY, LIVE, FINISHED, ABORTED = "lobby", "live", "over", "ended"
"""Status of a game: people join; it is played; it has a result; it was closed without one.

Databases hold these texts, so they can't change."""

NEVER = 1e15
"""The deadline of a game whose clock is stopped."""

V = TypeVar("V")


class StoreError(Exception):
    """Base of the exceptions with which a store refuses a write."""


class Conflict(StoreError):
    """The game is no longer at the expected version: another change was committed first."""


class Duplicate(StoreError):
    """This interaction was committed before; nothing was changed now."""


class ChannelTaken(StoreError):
    """The channel already has an active game."""


class RematchTaken(StoreError):
    """The game already has a rematch."""


class Unusable(StoreError):
    """The database can't be used; the text says why and what to do."""


class Unreachable(Unusable):
    """The database's server can't be reached; trying again later may help."""


class ReadOnly(Unreachable):
    """The database accepts no writes at present, like a standby server or a file that was moved."""


class Outdated(Unusable):
    """A newer version of the bot has migrated the database while this one was running."""


@dataclass(frozen=True, slots=True)
class Damaged:
    """A stored value that can't be read. ``text`` is what the database holds and keeps."""

    text: str


def intact(value: V | Damaged) -> V:
    """Return the value itself. Raise :class:`~bot.games.core.Unreadable` if it is damaged."""
    if isinstance(value, Damaged):
        raise Unreadable("error-damaged-game")
    return value


@dataclass(frozen=True, slots=True)
class Word:
    """What a person has added to a game's dice; ``seat`` is where they sat at the start."""

    seat: int
    user_id: int
    text: str


OPEN, TAKEN, DECLINED, WITHDRAWN = "", "taken", "declined", "withdrawn"
"""The answer to an :class:`Offer`; OPEN until there is one."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A question to the person ``user_id``: whether they take over the seat of the person ``seated``.

    ``interaction_id`` is that of the command that asked. ``until`` is when it expires, in Unix seconds.
    """

    interaction_id: int
    seated: int
    user_id: int
    until: float
    answer: str = OPEN


@dataclass(frozen=True, slots=True)
class FormerSeat:
    """A person who has given up a seat of a running game.

    Their ``user_id`` is None if their data was deleted. ``version`` is that of the game right after this.
    ``handed`` is whether somebody else took over the seat; otherwise the seat has left the game. ``turns``
    counts the seat's finished turns until then, ``own_turns`` those in which the person made a move.
    """

    seat: int
    user_id: int | None
    name: str
    version: int
    handed: bool
    turns: int
    own_turns: int


@dataclass(frozen=True)
class GameRow:
    """One stored game. Times are Unix seconds.

    ``options``, ``state``, the outcomes in ``first_chance`` and ``stats`` are values of the game's own types,
    or :class:`Damaged`.
    """

    id: int
    game: str
    guild_id: int
    channel_id: int
    host_id: int
    locale: str
    status: str
    version: int
    """Counts the changes after which older buttons do nothing; a click names the version it was made on."""
    rules_version: int
    options: Any
    state: Any
    """None in a lobby."""
    secret: bytes
    """The secret of the dice; see :mod:`bot.records.sealing`."""
    draws: int
    """How many chance outcomes were drawn so far."""
    acted: tuple[float, ...]
    """When the person of each seat last acted."""
    ai_to_move: bool
    """Whether the bot makes the next move: for an AI, or for a person who is away."""
    turn_seconds: int
    """How long a person may take for a move; 0: no limit."""
    since: float
    """When the current wait began."""
    reminded: bool
    """Whether the person who is waited for was reminded."""
    missed: tuple[int, ...]
    """For each seat, how many turns in a row were played for it."""
    votes: tuple[int, ...]
    """The seats that want the bot to play the current turn."""
    deadline: float | None
    """When a background job must act; :data:`NEVER`: the clock was stopped at ``updated_at``."""
    parent_id: int | None
    """The game that this one is the rematch of."""
    created_at: float
    updated_at: float
    seats: tuple[Seat, ...] = ()
    first_chance: tuple[Any, ...] | Damaged = ()
    """What chance did before the first move."""
    lines: tuple[Line, ...] = ()
    """The narration of the latest turns."""
    closed: str = ""
    """Why the game was closed without a result, a catalogue key."""
    rated: bool = True
    """Whether the host has chosen a rated game; see :func:`bot.sessions.rated.is_rated`."""
    begins: int = IN_ORDER
    """Which seat of the lobby the host has chosen to begin; see :mod:`bot.records.who_begins`."""
    stats: tuple[SeatStats, ...] | Damaged = ()
    """The events so far by seat; empty if they are not known."""
    seal: str = ""
    """The seal of the secret, as the lobby showed it; "" if it showed none."""
    start: str = ""
    """What :mod:`bot.records.sealing` mixes with the secret; empty until Start is pressed. The message is
    missing in it until the game has begun."""
    words: tuple[Word, ...] = ()
    """What people have added before Start, without deleted words."""
    own_turns: tuple[int, ...] = ()
    """For each seat, in how many turns its person made a move themselves; empty if that is not known."""
    own_turn: int = -1
    """The latest turn that was counted in ``own_turns``, by how many turns were finished before it, or -1."""
    offers: tuple[Offer, ...] = ()
    """Open questions whether somebody takes over a seat, and some answered ones, until the game ends."""
    ending: tuple[int, ...] = ()
    """The seats that agree to end the game without a result; the first one has asked."""
    former: tuple[FormerSeat, ...] = ()
    """The people who have given up a seat, in order."""
    touched: int = 0
    """Counts the changes that kept the version. If several processes write, the store refuses a change of a
    game that was touched since it was read."""
    message_id: int | None = None
    """The table's message. Only :meth:`Store.mark_shown` writes this and the next three."""
    posted_at: float = 0.0
    shown_version: int = -1
    """The version that the message shows."""
    shown_turn: int = -1
    """The turn of that version; see :func:`bot.sessions.presentation.turn_key`."""


class MoveRow(NamedTuple):
    """One action with the chance outcomes that followed it, as values of the game; ``number`` counts from 1.

    A part that can't be read is :class:`Damaged`.
    """

    number: int
    seat: int
    action: Any
    outcomes: tuple[Any, ...] | Damaged
    at: float


StoredMove: TypeAlias = tuple[Any, ...]
"""A move as the database has it: its game's key, its number, seat, action and outcomes as JSON, its time."""


@dataclass(frozen=True, slots=True)
class ResultRow:
    """The result of one seat; ``user_id`` is None for an AI or a person whose data was deleted.

    ``feat`` is the one among ``feats`` by which leaderboards can be sorted. ``own_turns`` are the turns in
    which the seat's person made a move themselves, ``board`` is where the game counts, None for nowhere; see
    :mod:`bot.standings.counting`.
    """

    seat: int
    user_id: int | None
    place: int
    score: int
    turns: int
    best_turn: int
    feats: Mapping[str, int]
    feat: int = 0
    own_turns: int = 0
    board: Board | None = None


@dataclass(frozen=True, slots=True)
class LastPlace:
    """Somebody who is rated as last for having given up a seat: their index in ``GameRow.former``, and the
    people they are rated against."""

    former: int
    against: tuple[int, ...]


class Change(NamedTuple):
    """What a click, a deadline or an AI's move changes in a game, written in one transaction.

    ``row`` is the game after the change, at its new version; ``expected`` is the version before it.
    ``gave_up`` is whether the last one of ``row.former`` is new. ``earlier`` are moves that the same click
    made before ``move``.
    """

    row: GameRow
    expected: int
    interaction_id: int | None = None
    seats_changed: bool = False
    move: MoveRow | None = None
    results: Sequence[ResultRow] = ()
    gave_up: bool = False
    last_places: Sequence[LastPlace] = ()
    earlier: Sequence[MoveRow] = ()

    @property
    def moves(self) -> Sequence[MoveRow]:
        """All moves that it adds to the log, in order."""
        return (*self.earlier, self.move) if self.move is not None else ()

    @property
    def concerns_people(self) -> bool:
        """Whether it changes seats, results or ratings, and not only the game and its log."""
        return bool(self.results or self.seats_changed or self.gave_up or self.last_places)


@dataclass(frozen=True, slots=True)
class Process:
    """A process that uses the database and serves ``shards`` of ``shard_count``."""

    name: str
    shard_count: int
    shards: frozenset[int]


@dataclass(frozen=True, slots=True)
class Usage:
    """How many ``servers`` have opened a table, how many ``people`` have had a seat, and games by status.

    ``clicks`` counts the clicks and commands since midnight (UTC) that have changed a game.
    """

    servers: int
    people: int
    lobbies: int
    live: int
    finished: int
    aborted: int
    clicks: int


class Shared(Protocol):
    """The additional methods of a store that several processes may use; see bot/services/leases.py."""

    def serve_shards(self, shard_count: int, shards: Collection[int]) -> None:
        """Limit ``due``, ``waiting_for_ai`` and the like to games of these shards from now on."""
        ...

    async def heartbeat(
        self, name: str, shard_count: int, shards: Sequence[int], seconds: float
    ) -> tuple[Process, ...]:
        """Record that a process lives for the next ``seconds``. Return all living ones, oldest first."""
        ...

    async def leave(self, name: str) -> None:
        """Remove a process that ends."""
        ...

    async def carried_out(self, interaction_id: int) -> bool:
        """Return whether an interaction has changed a game or was claimed, in this process or another."""
        ...

    async def claim(self, interaction_id: int) -> bool:
        """Claim an interaction for this process. Return False if that was done before."""
        ...


class Store(StandingsStore, HistoryStore, PeopleStore, ServerStore, Protocol):
    """Storage of games, and of all else. What a method has written when it returns survives a crash, except
    for :meth:`mark_shown`."""

    shared: bool
    """Whether other processes write here too, so that a game that was read may be outdated."""

    @property
    def daily(self) -> DailyStore:
        """The storage of the daily game."""
        ...

    @property
    def notifications(self) -> NotificationStore:
        """How people want to be notified."""
        ...

    @property
    def puzzles(self) -> PuzzleStore:
        """The puzzles from games, and which ones people were shown."""
        ...

    @property
    def seasons(self) -> SeasonStore:
        """The seasons of all servers."""
        ...

    async def close(self) -> None: ...

    async def ping(self) -> None:
        """Raise an error if the database does not answer; :class:`ReadOnly` if it accepts no writes."""
        ...

    async def game(self, game_id: int) -> GameRow | None: ...

    async def fresh(self, game_id: int) -> GameRow | None:
        """Return the game from the database, never from a cache."""
        ...

    async def active_game(self, channel_id: int) -> GameRow | None: ...

    async def latest_game(self, channel_id: int) -> GameRow | None: ...

    async def open_tables(self, channels: Collection[int]) -> tuple[int, ...]:
        """Return the ids of the lobbies and running games in these channels and threads, the newest first."""
        ...

    async def rematch_of(self, game_id: int) -> GameRow | None: ...

    async def create(self, row: GameRow, interaction_id: int | None) -> GameRow:
        """Insert a game with its seats. Ignore ``row.id``, and return the game with its new id.

        Raises :class:`ChannelTaken`, :class:`RematchTaken` or :class:`Duplicate`.
        """
        ...

    async def commit(self, change: Change) -> None:
        """Write a change. Raises :class:`Conflict` or :class:`Duplicate`, and then nothing was written.

        The results of a game change ratings and sums in the same transaction.
        """
        ...

    async def moves(self, game_id: int) -> tuple[MoveRow, ...]: ...

    async def stored_moves(self, game_id: int) -> tuple[StoredMove, ...]:
        """Return a game's moves as they are stored, to be decoded elsewhere with ``encoding.read_moves``."""
        ...

    async def mark_shown(self, row: GameRow, *, urgent: bool) -> None:
        """Store what the channel shows of a game (``message_id``, ``posted_at``, ``shown_…`` of ``row``).

        Unless ``urgent``, it may be written a moment later; a crash before that costs only a repaint.
        """
        ...

    async def games_to_repaint(self) -> tuple[int, ...]:
        """Return the ids of games whose channel shows an old version."""
        ...

    async def forget_shown(self) -> None:
        """Note that the channels of all lobbies and running games may show something else."""
        ...

    async def waiting_for_ai(self) -> tuple[int, ...]:
        """Return the ids of games in which the bot is to move."""
        ...

    async def stopped_games(self) -> tuple[int, ...]:
        """Return the ids of lobbies and running games whose clock is stopped."""
        ...

    async def due(self, now: float, limit: int = 100) -> tuple[int, ...]:
        """Return the ids of games whose deadline has passed, most overdue first."""
        ...

    async def youngest_interaction(self) -> int | None:
        """Return the largest stored id of an interaction, or None."""
        ...

    async def next_deadline(self, after: float) -> float | None:
        """Return the earliest deadline after a time, or None."""
        ...

    async def active_counts(self) -> Mapping[tuple[str, str], int]:
        """Return how many lobbies and running games there are, by game and status."""
        ...

    async def usage(self, now: float) -> Usage:
        """Return how much the bot is used, as of ``now`` in Unix seconds."""
        ...

    async def results(self, game_id: int) -> tuple[ResultRow, ...]:
        """Return the results of a finished game by seat; none for any other game."""
        ...

    async def meta(self, key: str) -> str | None: ...

    async def set_meta(self, key: str, value: str) -> None: ...
