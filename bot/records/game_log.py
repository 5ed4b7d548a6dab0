"""The log of a stored game, which has all that led from its options to its state, and its public record."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from bot.games.core import GameError, Move, Played, replay
from bot.games.options import GameOptions
from bot.records.record import Ai, Human, Player, Replaced, SealedSeed, build, to_line
from bot.records.sealing import message_of
from bot.registry import find
from bot.store.base import ABORTED, FINISHED, Damaged, GameRow, MoveRow, Store, intact


class OtherRules(GameError):
    """The game was begun by another version of its rules, by which this program can't replay it."""

    def __init__(self, played: int, current: int) -> None:
        super().__init__("error-other-rules", played=played, current=current)

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors of a worker process are pickled.
        return OtherRules, (self.facts["played"], self.facts["current"])


@dataclass(frozen=True, slots=True)
class GameLog:
    """The options of a game, the number of its seats, the outcomes before the first move, and the moves."""

    game: str
    options: GameOptions
    seats: int
    opening: tuple[Any, ...]
    moves: tuple[Move[Any, Any], ...]

    def replay(self) -> Iterator[Played[Any, Any]]:
        """Replay the game: yield the result of the opening, then the result of each move.

        Raises :class:`~bot.games.core.IllegalMove` at the first impossible move.
        """
        return replay(find(self.game).rules, self.options, self.seats, self.opening, self.moves)


def check_rules(row: GameRow) -> None:
    """Raise :class:`OtherRules` unless the game was begun by the present rules."""
    current = find(row.game).rules.rules_version
    if row.rules_version != current:
        raise OtherRules(row.rules_version, current)


async def read_log(store: Store, row: GameRow) -> GameLog:
    """Read the log of a game, in order to replay it.

    Raises :class:`OtherRules`, or :class:`~bot.games.core.Unreadable` if a part of it is damaged.
    """
    check_rules(row)
    return log_of(row, await store.moves(row.id))


def log_of(row: GameRow, moves: Sequence[MoveRow]) -> GameLog:
    """Build the log of a game. Raises :class:`~bot.games.core.Unreadable` if a part is damaged."""
    played = tuple(Move(move.seat, intact(move.action), intact(move.outcomes)) for move in moves)
    return GameLog(row.game, intact(row.options), len(row.seats), intact(row.first_chance), played)


def readable_part(row: GameRow, moves: Sequence[MoveRow]) -> GameLog:
    """Build the log up to its first damaged move. Raises ``Unreadable`` if its beginning is damaged."""
    sound_moves = takewhile(
        lambda move: not isinstance(move.action, Damaged) and not isinstance(move.outcomes, Damaged), moves
    )
    return log_of(row, tuple(sound_moves))


def sealed_seed(row: GameRow) -> SealedSeed | None:
    """Return where the seed of a game comes from, or None if the game has not begun or has shown no seal."""
    if message_of(row.start) is None:
        return None
    texts = {word.seat: word.text for word in row.words}
    fingerprints = json.loads(row.start)["words"]
    words = tuple(texts.get(seat) if fingerprint else "" for seat, fingerprint in enumerate(fingerprints))
    return SealedSeed(row.seal, row.secret, row.start, words)


def record_of(row: GameRow, moves: Sequence[MoveRow]) -> str | None:
    """Return the record of a game with these moves as one line, or None if it has none.

    Finished games have one, and aborted games whose seed was sealed. Raises :class:`OtherRules`; and
    :class:`~bot.records.record.RecordError` or one of :data:`~bot.games.core.CORRUPT_DATA_ERRORS` if the log
    is damaged.
    """
    sealed = sealed_seed(row)
    if row.status not in (FINISHED, ABORTED) or (row.status == ABORTED and sealed is None):
        return None
    check_rules(row)
    log = log_of(row, moves)
    seats = [Human(seat.name or "?") if seat.human else Ai(seat.policy) for seat in row.seats]
    record = build(
        find(row.game).rules,
        log.options,
        seats,
        sealed or row.secret,
        log.moves,
        opening=log.opening,
        aborted=row.status == ABORTED,
        replaced=_replaced(row, seats, moves),
    )
    return to_line(record)


def _replaced(row: GameRow, seats: Sequence[Player], moves: Sequence[MoveRow]) -> list[Replaced]:
    """Return who was replaced in which seat and by whom: by the next person to give up that seat, or if there
    is none by its player at the end."""
    after = list(seats)
    replaced: list[Replaced] = []
    for former in reversed([former for former in row.former if former.handed]):
        made = sum(move.number < former.version for move in moves)
        before = Human(former.name or "?")
        replaced.append(Replaced(made, former.seat, before, after[former.seat]))
        after[former.seat] = before
    return replaced[::-1]
