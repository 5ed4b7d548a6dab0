"""Plays many games between AI players, to compare the players and to test the rules.

Everything is derived from the master seed, a text: game number ``i`` has the secret seed
``HMAC-SHA256(master, "game" + i)``, and the policy on its seat ``s`` draws its random numbers from the seed
``HMAC-SHA256(master, "policy" + i + s)``, where ``i`` and ``s`` stand for 8 bytes each, big-endian. So a game
does not depend on how many are played, and two runs with the same master seed write the same records.
"""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt
from random import Random
from time import perf_counter
from typing import Any

from bot.games.core import OVER, AnyGame, Json, Move, Result, play, settle
from bot.games.options import GameOptions
from bot.records.game_log import GameLog
from bot.records.record import Ai, build, to_line
from bot.records.seeds import SeededChance
from bot.registry import find
from bot.screens.entry import Entry
from bot.strategy.policy import Policy

MAX_MOVES = 100_000
"""A game with more moves is given up."""

_Z = 1.959963984540054  # the normal distribution's 97.5% point


class SimulationError(Exception):
    """The simulation is impossible; the text says what would be right."""


@dataclass(frozen=True, slots=True)
class SeatReport:
    """The results of one seat. ``share`` is its wins per game, ``low`` to ``high`` the 95% interval of it.

    A win that ``k`` seats share counts as ``1/k`` for each of them, so ``wins`` may be a fraction.
    """

    policy: str
    wins: float
    share: float
    low: float
    high: float
    mean_score: float


@dataclass(frozen=True, slots=True)
class Report:
    """The results of a simulation. ``shared`` counts the games with several winners, ``reasons`` the games by
    why they ended; ``seconds`` is the time that all games took."""

    game: str
    options: Mapping[str, Json]
    seed: str
    games: int
    seats: tuple[SeatReport, ...]
    mean_turns: float
    shared: int
    reasons: Mapping[str, int]
    seconds: float

    @property
    def games_per_second(self) -> float:
        return self.games / self.seconds if self.seconds > 0 else 0.0

    def to_json(self) -> dict[str, Json]:
        return {
            "game": self.game,
            "options": dict(self.options),
            "seed": self.seed,
            "games": self.games,
            "seats": [
                {
                    "policy": seat.policy,
                    "wins": seat.wins,
                    "share": seat.share,
                    "interval": [seat.low, seat.high],
                    "mean_score": seat.mean_score,
                }
                for seat in self.seats
            ],
            "mean_turns": self.mean_turns,
            "shared": self.shared,
            "reasons": dict(self.reasons),
            "seconds": self.seconds,
            "games_per_second": self.games_per_second,
        }


def simulate(
    game_key: str,
    options: Mapping[str, Json],
    policies: Sequence[str],
    games: int,
    seed: str,
    record: Callable[[str], object] | None = None,
    progress: Callable[[int], object] | None = None,
) -> Report:
    """Play ``games`` games (at least one); ``policies`` names the AI player of each seat.

    ``record`` is called with each game's record, a line without a line break; ``progress`` is called with 1
    after each game. Raises :class:`GameError` for an unknown game or wrong options, and
    :class:`SimulationError` for anything else that is wrong.
    """
    entry = find(game_key)
    game, parsed = entry.rules, entry.rules.options(options)
    _check(entry, policies, games)
    players = [entry.policies[name] for name in policies]
    seats = [Ai(name) for name in policies]
    totals = _Totals([Fraction(0)] * len(players), [0] * len(players))
    start = perf_counter()
    for number in range(games):
        game_seed = derive(seed, b"game", number)
        randoms = [
            Random(int.from_bytes(derive(seed, b"policy", number, seat), "big"))
            for seat in range(len(players))
        ]
        end, log = play_game(game, parsed, players, game_seed, randoms)
        result = game.result(end)
        assert result is not None
        totals.add(result, game.turns(end))
        if record is not None:
            record(to_line(build(game, parsed, seats, game_seed, log.moves, opening=log.opening)))
        if progress is not None:
            progress(1)
    seconds = perf_counter() - start
    return Report(
        game=game_key,
        options=parsed.to_json(),
        seed=seed,
        games=games,
        seats=tuple(totals.seat_report(seat, name, games) for seat, name in enumerate(policies)),
        mean_turns=totals.turns / games,
        shared=totals.shared,
        reasons=dict(totals.reasons.most_common()),
        seconds=seconds,
    )


def _check(entry: Entry, policies: Sequence[str], games: int) -> None:
    """Raise :class:`SimulationError` unless so many games can be played between these AI players."""
    game = entry.rules
    for name in policies:
        if name not in entry.policies:
            names = ", ".join(entry.policies)
            raise SimulationError(f"{game.key} has no player {name!r}; choose from: {names}")
    if games < 1:
        raise SimulationError(f"the number of games must be at least 1, not {games}")
    if not game.min_seats <= len(policies) <= game.max_seats:
        raise SimulationError(
            f"{game.key} is played by {game.min_seats} to {game.max_seats} seats, not {len(policies)}"
        )


@dataclass(slots=True)
class _Totals:
    """What all games add up to; ``wins`` and ``scores`` are by seat."""

    wins: list[Fraction]
    scores: list[int]
    reasons: Counter[str] = field(default_factory=Counter)
    turns: int = 0
    shared: int = 0

    def add(self, result: Result, turns: int) -> None:
        for winner in result.winners:
            self.wins[winner] += Fraction(1, len(result.winners))
        self.shared += len(result.winners) > 1
        for seat, score in enumerate(result.scores):
            self.scores[seat] += score
        self.reasons[result.reason] += 1
        self.turns += turns

    def seat_report(self, seat: int, policy: str, games: int) -> SeatReport:
        share = float(self.wins[seat] / games)
        low, high = wilson(share, games)
        return SeatReport(policy, float(self.wins[seat]), share, low, high, self.scores[seat] / games)


def play_game(
    game: AnyGame, options: GameOptions, players: Sequence[Policy], seed: bytes, randoms: Sequence[Random]
) -> tuple[Any, GameLog]:
    """Play one game, and return its last state and its log. ``players`` and ``randoms`` are by seat.

    Raises :class:`SimulationError` if it does not end within :data:`MAX_MOVES` moves.
    """
    chance = SeededChance(seed)
    opening = played = settle(game, game.initial(options, len(players)), chance)
    moves: list[Move[Any, Any]] = []
    while (seat := game.to_move(played.state)) != OVER:
        if len(moves) == MAX_MOVES:
            raise SimulationError(f"a game has not ended after {MAX_MOVES} moves (seed {seed.hex()})")
        action = players[seat].choose(played.state, randoms[seat])
        played = play(game, played.state, action, chance)
        moves.append(Move(seat, action, played.outcomes))
    return played.state, GameLog(game.key, options, len(players), opening.outcomes, tuple(moves))


def derive(master: str, label: bytes, *numbers: int) -> bytes:
    """Derive 32 bytes from the master seed, a label and numbers, as the module's docstring describes."""
    message = label + b"".join(number.to_bytes(8, "big") for number in numbers)
    return hmac.digest(master.encode("utf-8", "surrogatepass"), message, "sha256")


def wilson(share: float, games: int) -> tuple[float, float]:
    """Return the 95% confidence interval (Wilson's score interval) of a ``share`` of wins in ``games`` games.

    >>> low, high = wilson(0.5, 100)
    >>> round(low, 4), round(high, 4)
    (0.4038, 0.5962)
    """
    spread = _Z * _Z / games
    centre = (share + spread / 2) / (1 + spread)
    half = _Z * sqrt(share * (1 - share) / games + spread / (4 * games)) / (1 + spread)
    return max(0.0, centre - half), min(1.0, centre + half)
