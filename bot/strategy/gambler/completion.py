"""Who will complete a row among three and more seats.

The estimate of :mod:`~bot.strategy.gambler.outlook` is corrected by what experts' games have shown: a small
neural network looks at each seat. There is one for each number of seats (``python -m tools.learn_gambler``).
docs/decisions/gambler-many-players.md says what that is worth.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache, partial
from math import exp, log, tanh
from operator import mul
from pathlib import Path
from typing import Any, NamedTuple

from bot.games.gambler.boards import Kind, Row
from bot.games.gambler.state import DICE_A_TURN
from bot.strategy.gambler import outlook
from bot.strategy.gambler.chances import chances_alone
from bot.strategy.gambler.tables import DIRECTORY
from bot.strategy.shipped import TableProblem, checked, problems_of, read_index, write_table

COMMAND = "python -m tools.learn_gambler"
FILE = "completion.json"

OWN = 9
"""How many features differ from seat to seat, besides the place in the order of play."""
SMALL = 0.01
"""What is added to a share, so that it has a logarithm."""
MAX_MISSING = 5
"""The most boxes of a row."""
COMMON = MAX_MISSING + 4
"""How many features a row and the whole board have."""

TYPICAL_BOXES = 10
"""The open boxes of a board with which their feature is 0."""

AFTER, OTHERS = 4, 5
"""The places of two features: the chances after a seat, and the dice that others hold."""

Factors = tuple[float, float, float]
"""How much the logarithm of a seat's share, its chance, and the chances before it count."""

SHARES_KEPT = 4096
"""How many answers of a network to cache. Rows of one kind have the same, and boards return."""


def features(
    shares: Sequence[float], chances: Sequence[float], dice: Sequence[int], black: float
) -> list[tuple[float, float, float, float, float, float, float, float, float]]:
    """Return :data:`OWN` features for each seat. The tools compile this function.

    ``shares`` are the estimate to correct, ``chances`` those to complete the row in one turn alone, ``dice``
    the dice left, all in playing order; ``black`` is 1 for a black row.
    """
    before, after, hands, seats = 0.0, sum(chances), 0, len(dice)
    for number in dice:
        hands += min(number, 5)
    by_seat = []
    for turn in range(seats):
        chance, hand = chances[turn], min(dice[turn], 5)
        after -= chance
        by_seat.append(
            (
                log(shares[turn] + SMALL) / 3,
                chance,
                hand / 5 - 0.5,
                before,
                after,
                (hands - hand) / (seats - 1) / 5 - 0.5,
                dice[turn] / 10 - 0.5,
                black * hand / 5,
                black * chance,
            )
        )
        before += chance
    return by_seat


def common(kind: Kind, black: bool, missing: int, open_boxes: int) -> tuple[float, ...]:
    """Return :data:`COMMON` features of a row with ``missing`` open boxes; the board has ``open_boxes``."""
    return (
        *(float(missing == number) for number in range(1, MAX_MISSING + 1)),
        float(black),
        float(kind is Kind.FULL_HOUSE),
        float(kind is Kind.STARS),
        open_boxes / TYPICAL_BOXES - 1,
    )


class Seen(NamedTuple):
    """What a network sees of a row: ``missing`` are its open boxes, ``open_boxes`` those of the board,
    ``chances`` each seat's to complete it in one turn alone."""

    kind: Kind
    black: bool
    missing: int
    chances: tuple[float, ...]
    dice: tuple[int, ...]
    open_boxes: int


class Folded(NamedTuple):
    """A network whose linearly dependent features are merged, so that a seat costs three multiplications for
    each unit instead of nine.

    By unit, ``sums`` are the factors of the open boxes, the sum of all chances and that of all hands, and
    ``factors`` the :data:`Factors` of a seat. ``direct`` are the latter for the logit.
    """

    sums: Sequence[Sequence[float]]
    factors: Sequence[Sequence[float]]
    direct: Factors


@dataclass(frozen=True, eq=False)
class Network:
    """The weights for one number of seats, a row for each unit, except for ``direct``, from features to the
    logit."""

    own: Sequence[Sequence[float]]
    turn: Sequence[Sequence[float]]
    common: Sequence[Sequence[float]]
    bias: Sequence[float]
    out: Sequence[float]
    direct: Sequence[float]
    _row_sums: dict[tuple[Kind, bool, int], list[float]] = field(default_factory=dict, init=False)
    _dice_sums: dict[tuple[int, int, bool], tuple[float, list[float]]] = field(
        default_factory=dict, init=False
    )

    def shares(
        self, row: Row, placed: tuple[int, ...], dice: Sequence[int], open_boxes: int
    ) -> tuple[float, ...]:
        """Return each seat's probability to complete ``row``, as
        :func:`~bot.strategy.gambler.outlook.shares`."""
        alone = chances_alone(row, placed)
        chances = tuple([alone[min(DICE_A_TURN, number)] for number in dice])
        missing = len(row.boxes) - len(placed)
        return self._kept(Seen(row.kind, row.black, missing, chances, tuple(dice), open_boxes))

    @cached_property
    def _kept(self) -> Callable[[Seen], tuple[float, ...]]:
        return lru_cache(SHARES_KEPT)(self._shares)

    def _shares(self, seen: Seen) -> tuple[float, ...]:
        kind, black, missing, chances, dice, open_boxes = seen
        hands = [min(DICE_A_TURN, number) for number in dice]
        estimate = outlook.shares_of(black, missing, hands, chances)
        all_chances, all_hands, folded = sum(chances), sum(hands), self._folded[black]
        boxes = open_boxes / TYPICAL_BOXES - 1
        starts = [
            start + of_boxes * boxes + of_chances * all_chances + of_hands * all_hands
            for start, of_boxes, of_chances, of_hands in zip(
                self._of_row(kind, black, missing), *folded.sums, strict=True
            )
        ]
        logits, before = [], 0.0
        direct_share, direct_chance, direct_before = folded.direct
        for turn, (share, chance, number) in enumerate(zip(estimate, chances, dice, strict=True)):
            log_share = log(share + SMALL)
            direct, of_dice = self._of_dice(turn, number, black)
            units = [
                out * tanh(start + own + of_share * log_share + of_chance * chance + of_before * before)
                for start, own, out, of_share, of_chance, of_before in zip(
                    starts, of_dice, self.out, *folded.factors, strict=True
                )
            ]
            logits.append(
                sum(
                    units, direct + direct_share * log_share + direct_chance * chance + direct_before * before
                )
            )
            before += chance
        largest = max(logits)
        odds = [exp(logit - largest) for logit in logits]
        total = sum(odds)
        return tuple([value / total for value in odds])

    @cached_property
    def _folded(self) -> tuple[Folded, Folded]:
        """Return the weights for yellow and for black rows."""
        return self._fold(0), self._fold(1)

    def _fold(self, black: int) -> Folded:
        others = len(self.turn) - 1
        sums = [
            (board[-1], own[AFTER], own[OTHERS] / others / DICE_A_TURN)
            for board, own in zip(self.common, self.own, strict=True)
        ]
        factors = [_factors(own, black) for own in self.own]
        return Folded(
            list(zip(*sums, strict=True)), list(zip(*factors, strict=True)), _factors(self.direct, black)
        )

    def _of_row(self, kind: Kind, black: bool, missing: int) -> list[float]:
        """Return what a row with ``missing`` open boxes adds to each unit."""
        sums = self._row_sums.get((kind, black, missing))
        if sums is None:
            seen = common(kind, black, missing, TYPICAL_BOXES)
            sums = self._row_sums[kind, black, missing] = [
                sum(map(mul, weights, seen)) for weights in self.common
            ]
        return sums

    def _of_dice(self, turn: int, number: int, black: bool) -> tuple[float, list[float]]:
        """Return what the dice of the seat at that place of the order add to its logit, and to each unit."""
        sums = self._dice_sums.get((turn, number, black))
        if sums is None:
            others = len(self.turn) - 1
            units = zip(self.bias, self.turn[turn], self.own, strict=True)
            sums = self._dice_sums[turn, number, black] = (
                _dice_sum(self.direct, number, others, black),
                [bias + place + _dice_sum(own, number, others, black) for bias, place, own in units],
            )
        return sums


def _factors(weights: Sequence[float], black: int) -> Factors:
    share, chance, _, before, after, _, _, _, black_chance = weights
    return share / 3, chance - after + black * black_chance, before - after


def _dice_sum(weights: Sequence[float], number: int, others: int, black: bool) -> float:
    _, _, hand, _, _, rest, dice, black_hand, _ = weights
    held = min(DICE_A_TURN, number) / DICE_A_TURN
    return (
        hand * (held - 0.5)
        - rest * (held / others + 0.5)
        + dice * (number / 10 - 0.5)
        + black * black_hand * held
    )


@cache
def networks() -> Mapping[int, Network]:
    """Return the shipped networks by number of seats; empty if they are missing or damaged."""
    try:
        return read(DIRECTORY)
    except TableProblem:
        return {}


def read(directory: Path) -> Mapping[int, Network]:
    """Return the networks of a folder. Raises :class:`~bot.strategy.shipped.TableProblem`."""
    data = checked(directory / FILE, read_index(directory, COMMAND).get(FILE, {}).get("sha256"), COMMAND)
    return {int(seats): Network(**weights) for seats, weights in json.loads(data).items()}


def write(directory: Path, weights: Mapping[int, Mapping[str, Any]], facts: Mapping[str, object]) -> None:
    """Write the weights of networks by number of seats, and the file's entry in the index."""
    data = "".join(
        f"{json.dumps(str(seats))}: {json.dumps(network)},\n" for seats, network in weights.items()
    )
    write_table(directory, FILE, f"{{{data[:-2]}}}\n".encode(), {}, facts)


def problems(directory: Path | None = None) -> tuple[TableProblem, ...]:
    """Return what is wrong with the networks, for the report at the start; empty if all is well."""
    return problems_of([partial(read, directory or DIRECTORY)])
