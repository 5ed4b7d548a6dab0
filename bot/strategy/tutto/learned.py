"""Corrects the chances of several players, which are combined from pairs, by what many games have shown.

A small neural network looks at each seat (its distance to the target, to the leader and of the leader to the
next, when it is its turn, its chance from pairs, combined in two ways) and at means over all seats, and
shifts the logarithm of each chance. It was fitted to games that grandmasters played on from random positions
(``python -m tools.learn_tutto``), one network for normal rounds and one for the last round, which ``classic``
doesn't have. docs/decisions/tutto-many-players.md says why, and benchmarks/tutto_field.md how close it is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from math import exp, log, sqrt, tanh
from operator import mul
from pathlib import Path
from typing import Any

from bot.games.core import Json
from bot.games.tutto.state import Edition
from bot.strategy.shipped import TableProblem, problems_of, read_json
from bot.strategy.tutto.position import Position
from bot.strategy.tutto.tables import DIRECTORY

COMMAND = "python -m tools.learn_tutto"
EDITIONS = (Edition.CURRENT, Edition.CLASSIC)
"""The editions to whose games networks were fitted. ``modern`` uses those of ``current``."""
FLOORS = (1e-6, 1e-3)
"""The smallest chance from pairs that is told apart, in normal rounds and in the last one."""
FAR = 6.0
"""If everybody is further (thousands) from the target, the leader is seen so far away, and gaps are smaller.

The gaps that turns make grow with the root of their number, so a gap means less, the more turns are to come.
"""

Matrix = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class Network:
    """The weights, a row for each unit.

    In the second layer, ``own`` are those of a seat's features and first units, ``mean`` and ``weighted``
    those of the means of the first units over all seats.
    """

    first: Matrix
    first_bias: Sequence[float]
    own: Matrix
    mean: Matrix
    weighted: Matrix
    second_bias: Sequence[float]
    out: Sequence[float]

    @classmethod
    def of(cls, raw: Mapping[str, Json]) -> Network:
        """Build a network from its weights in the file, where a row is an input."""
        first, second = list(zip(*raw["W1"], strict=True)), list(zip(*raw["W2"], strict=True))
        features, units = len(raw["W1"]), len(first)
        cuts = (0, *(features + times * units for times in (1, 2, 3)))
        own, mean, weighted = ([row[low:high] for row in second] for low, high in pairwise(cuts))
        return cls(first, raw["b1"], own, mean, weighted, raw["b2"], raw["w3"])

    def shifts(self, seats: Matrix, weights: Sequence[float]) -> list[float]:
        """Return by how much to shift the logarithm of each seat's chance; ``weights`` are the chances."""
        units = [
            [tanh(_dot(row, own) + bias) for row, bias in zip(self.first, self.first_bias, strict=True)]
            for own in seats
        ]
        columns = list(zip(*units, strict=True))
        mean = [sum(column) / len(seats) for column in columns]
        weighted = [_dot(column, weights) for column in columns]
        common = [
            _dot(row, mean) + _dot(other, weighted) + bias
            for row, other, bias in zip(self.mean, self.weighted, self.second_bias, strict=True)
        ]
        return [
            sum(
                factor * tanh(_dot(row, joined) + shared)
                for factor, row, shared in zip(self.out, self.own, common, strict=True)
            )
            for joined in ([*own, *unit] for own, unit in zip(seats, units, strict=True))
        ]


def file_of(edition: Edition) -> str:
    """Return the name of the file with the networks of one of :data:`EDITIONS`."""
    return f"field-{edition.value}.json"


def problems(directory: Path | None = None) -> tuple[TableProblem, ...]:
    """Return what is wrong with the files, for the report at the start; empty if all is well."""
    return problems_of(partial(_read, directory or DIRECTORY, edition) for edition in EDITIONS)


def corrected(position: Position, base: Sequence[float], crowd: Sequence[float]) -> list[float] | None:
    """Return better chances by seat than ``base``, in the order of ``position.seats``; they add up to 1.

    ``crowd`` is the logarithm of each chance over the product of its pairs' chances, 0 in the last round.
    Return None where nothing was learned: for two players, or without the file.
    """
    classic = position.options.edition is Edition.CLASSIC
    networks = _load(Edition.CLASSIC if classic else Edition.CURRENT) if len(base) > 2 else None
    if networks is None:
        return None
    floor = FLOORS[position.last_round]
    shifts = networks[position.last_round].shifts(features(position, base, crowd), base)
    raw = [max(chance, floor) * exp(shift) for chance, shift in zip(base, shifts, strict=True)]
    total = sum(raw)
    return [chance / total for chance in raw]


def features(position: Position, base: Sequence[float], crowd: Sequence[float]) -> list[tuple[float, ...]]:
    """Return what the network sees of each seat that is still in the game. Scores are in thousands.

    In the last round the target means nothing any more: the distances are those to the best score.
    """
    seats = position.seats
    number, mover = len(seats), seats.index(position.seat)
    scores = [position.scores[seat] / 1000 for seat in seats]
    second, best = sorted(scores)[-2:]
    nearest = 0.0 if position.last_round else position.options.target / 1000 - best
    scale = sqrt(FAR / nearest) if nearest > FAR else 1.0
    floor = FLOORS[position.last_round]
    found: list[tuple[float, ...]] = []
    for place, (score, chance, more) in enumerate(zip(scores, base, crowd, strict=True)):
        gap = (best - score) * scale
        away = min(nearest, FAR) + gap
        found.append(
            (
                away / 3 - 1,
                exp(-away / 0.5),
                exp(-away / 1.5),
                exp(-gap / 0.3),
                exp(-gap),
                min(gap, 4.0) / 2 - 1,
                float(place >= mover),
                (place - mover) % number / number,
                place / number,
                log(max(chance, floor)) / 3 + 1,
                # A Plus/Minus Tutto of somebody else reaches as far.
                min(max((1.05 - gap) / 0.1, 0.0), 1.0),
                float(gap == 0.0),
                3 / number,
                min(more, 6.0) / 2,
                min((best - second) * scale, 3.0) if gap == 0.0 else 0.0,
            )
        )
    return found


@cache
def _load(edition: Edition) -> tuple[Network, ...] | None:
    try:
        return _read(DIRECTORY, edition)
    except TableProblem:
        return None


def _read(directory: Path, edition: Edition) -> tuple[Network, ...]:
    """Return the network of normal rounds and, where the edition has one, that of the last round."""

    def read(raw: Any) -> tuple[Network, ...] | None:
        right = raw["sha256"] == checksum(raw["networks"])
        return tuple(map(Network.of, raw["networks"])) if right else None

    return read_json(directory / file_of(edition), f"{COMMAND} --edition {edition.value}", read)


def checksum(networks: Json) -> str:
    """Return the SHA-256 of the networks in the file."""
    return hashlib.sha256(json.dumps(networks).encode()).hexdigest()


def _dot(first: Sequence[float], second: Sequence[float]) -> float:
    return sum(map(mul, first, second), 0.0)
