"""Choose the parameters of ratings by how well they predict games that nobody has seen.

    python -m benchmarks.ratings gaps
    python -m benchmarks.ratings leagues
    python -m benchmarks.ratings choosing
    python -m benchmarks.ratings shipped
    python -m benchmarks.ratings limits

``gaps``: two people of known chances play each other. ``leagues``: the players of
benchmarks/ratings_games.jsonl play each other, in games drawn from those there. In a game of two the winner
is drawn by the chance that follows from what both gave away, so that true chances are known exactly; in
Gambler also as it was played, with true chances from the results without luck: of all games, and of such as
the league does not draw from. Games of three and more are drawn as they were played, and their true chances
are those in benchmarks/ratings_counts.jsonl, where there are any. ``choosing``: other
players of Gambler for two and other line-ups of three and more, in benchmarks/ratings_choosing.jsonl, by
which the slope of errors and the parameters for such games were chosen. ``shipped``: the leagues with the
models before and now only, for more trials. ``limits``: what no rating can do better in some of the leagues.

Printed is by how much the log loss of the predictions exceeds that of the true chances, over all games that
could be played next; how often the ratings have the order of the true strengths; how many of the predictions
are certain enough to be shown to people, by how much the log loss of these forecasts exceeds that of the true
chances, and by how much a coin's would. Results are kept in benchmarks/ratings.md.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import log
from pathlib import Path
from random import Random
from statistics import mean, stdev
from typing import Any, NamedTuple

from openskill.models import PlackettLuce

from benchmarks.ratings_games import counts
from bot.standings.ratings import ERRORS, START_MU, START_SIGMA, TAU, Errors, Model, Rating
from bot.strategy.tutto.pairs import from_log_odds

APART = 0.025
"""People whose chances are closer than this to 50 percent have no order."""

FIRST_TRIAL = 1_000_000
"""Seeds of trials count from here. Parameters were chosen by trials with smaller numbers."""

GAMES = Path(__file__).with_name("ratings_games.jsonl")
CHOOSING = GAMES.with_name("ratings_choosing.jsonl")
COUNTS = GAMES.with_name("ratings_counts.jsonl")


class OtherModel(Model):
    """A model with another ``tau``, or with openskill's default by which uncertainty falls more slowly."""

    def __init__(
        self, beta: float, errors: Errors | None = ERRORS, *, tau: float = TAU, damped: bool = False
    ) -> None:
        super().__init__(beta, errors)
        gamma = self._model.gamma
        self._model = PlackettLuce(mu=START_MU, sigma=START_SIGMA, beta=beta, tau=tau)
        if not damped:
            self._model.gamma = gamma


BEFORE = OtherModel(25 / 6, damped=True)
"""The model by which people were rated until these parameters were chosen: openskill's defaults."""


@dataclass(frozen=True)
class Candidate:
    """A model, and whether it takes in what people gave away, by their ``errors`` or by their ``places``."""

    model: Model
    errors: bool = False
    places: bool = False


MODELS = {
    "before": Candidate(BEFORE),
    **{f"beta {beta}": Candidate(Model(beta)) for beta in (60.0, 42.0, 30.0, 20.0, 14.0, 10.0)},
    "beta 30, tau 0": Candidate(OtherModel(30.0, tau=0.0)),
    "beta 30, damped": Candidate(OtherModel(30.0, damped=True)),
}
AVERAGED = "errors averaged"
"""As noise is next to none in this model, places and the first guess count for nothing beside errors."""
WITH_ERRORS = {
    **{f"beta {beta}, errors": Candidate(Model(beta), True) for beta in (60.0, 42.0, 30.0, 20.0)},
    **{
        f"beta 30, errors +- {noise}": Candidate(Model(30.0, errors=Errors(0.1, noise)), True)
        for noise in (0.05, 0.2)
    },
    AVERAGED: Candidate(OtherModel(30.0, Errors(0.1, 0.001), tau=0.0), True),
}
IN_GAMBLER = {
    "before": Candidate(BEFORE),
    **{f"beta {beta}": Candidate(Model(beta)) for beta in (30.0, 20.0, 16.0, 14.0, 12.0, 10.0)},
    **{
        f"beta {beta}, errors {mean} +- {noise}": Candidate(Model(beta, errors=Errors(mean, noise)), True)
        for beta in (20.0, 14.0, 10.0)
        for mean, noise in ((0.1, 0.1), (0.2, 0.1), (0.2, 0.15), (0.2, 0.2), (0.3, 0.2))
    },
    AVERAGED: Candidate(OtherModel(14.0, Errors(0.2, 0.001), tau=0.0), True),
}
SLOPES = {
    "before": Candidate(BEFORE),
    **{
        f"slope {slope}, errors +- {noise}": Candidate(
            Model(14.0, errors=Errors(0.2, noise, slope=slope)), True
        )
        for slope in (4.0, 4.5, 5.0, 5.5, 6.0)
        for noise in (0.09, 0.12, 0.15)
    },
}
"""For games of Gambler of two."""

SEVERAL = {
    **{name: MODELS[name] for name in ("before", "beta 30.0")},
    **{
        f"beta 30.0, {'places' if places else 'errors'} +- {noise}": Candidate(
            Model(errors=replace(ERRORS, noise_of_several=noise)), True, places
        )
        for places in (False, True)
        for noise in (0.2, 0.3, 0.4, 0.5, 0.7)
    },
}
"""For games of Tutto of three and more."""

PAIRS: dict[str, Sequence[tuple[str, ...]]] = {
    "tutto": (
        ("expert", "grandmaster"),
        ("casual", "noisy 20%"),
        ("beginner", "casual"),
        ("casual", "expert"),
    ),
    "gambler": (("expert", "noisy 5%"), ("noisy 10%", "noisy 20%"), ("casual", "expert")),
}
"""The pairs that also play apart from the league."""
CHOSEN = {
    "tutto": {name: (MODELS | WITH_ERRORS)[name] for name in ("before", "beta 30.0", "beta 30.0, errors")},
    "gambler": {
        **{name: IN_GAMBLER[name] for name in ("before", "beta 14.0")},
        "beta 14.0, errors": Candidate(Model(14.0, errors=Errors(0.2, 0.12, slope=4.5)), True),
    },
}
"""Models for games of two: before, by places alone and, last, as shipped."""
IN_SEVERAL = {"tutto": SEVERAL, "gambler": {name: one for name, one in IN_GAMBLER.items() if not one.errors}}
IN_SHORT = {
    "tutto": ("before", "beta 30.0", "beta 30.0, errors +- 0.5"),
    "gambler": ("before", "beta 14.0"),
}
"""The same for games of three and more."""


def loss(true: float, predicted: float) -> float:
    """Return by how much a prediction's expected log loss exceeds that of the true chance."""
    return sum(p * log(p / q) for p, q in ((true, predicted), (1 - true, 1 - predicted)) if p > 0)


Chances = Mapping[tuple[str, str], float]
"""The true chance of the first of two to win against the second."""

LineUps = Mapping[tuple[str, ...], list[list[Any]]]
"""What is kept of each line-up's games; see benchmarks/ratings_games.py."""


@dataclass
class Tally:
    """The excess of log loss in each trial, how often the order was right, and all forecasts.

    Of each prediction that is shown, ``shown`` has its excess of log loss and that of a coin.
    """

    losses: list[float] = field(default_factory=list)
    shown: list[tuple[float, float]] = field(default_factory=list)
    predicted: int = 0
    pairs: list[bool] = field(default_factory=list)
    orders: list[bool] = field(default_factory=list)

    def add(self, model: Model, chances: Chances, rated: Mapping[str, Rating]) -> None:
        self.losses.append(mean(loss(p, model.chance(rated[a], rated[b])) for (a, b), p in chances.items()))
        apart = {pair: p for pair, p in chances.items() if abs(p - 0.5) >= APART}
        right = [(rated[a].mu > rated[b].mu) == (p > 0.5) for (a, b), p in apart.items()]
        self.pairs += right
        if right:
            self.orders.append(all(right))
        self.predicted += len(chances)
        for (a, b), p in chances.items():
            forecast = model.forecast(rated[a], rated[b])
            if forecast is not None:
                self.shown.append((loss(p, forecast), loss(p, 0.5)))

    def __str__(self) -> str:
        order = f"{mean(self.pairs):.1%} | {mean(self.orders):.1%}" if self.orders else "– | –"
        share = f"{len(self.shown) / self.predicted:.0%}"
        forecasts = [f"{mean(one):.4f}" for one in zip(*self.shown, strict=True)] or ["–", "–"]
        return f"{mean(self.losses):.4f} | {order} | {share} | {' | '.join(forecasts)}"


Drawn = tuple[Sequence[str], Sequence[int], Sequence[float | None], Sequence[float]]
"""A game: players, places, errors and luck. There are no errors in games that were not measured, and no luck
in games of two."""

Draw = Callable[[Random], Drawn]


def league(
    draw: Draw,
    chances: Chances,
    models: Mapping[str, Candidate],
    lengths: Sequence[int],
    trials: int,
    first: int = FIRST_TRIAL,
) -> None:
    """Print how well models predict after so many games for each person."""
    people = sorted({name for pair in chances for name in pair})
    found = {name: {length: Tally() for length in lengths} for name in models}
    for trial in range(trials):
        for candidate, tallies in zip(models.values(), found.values(), strict=True):
            rng = Random(first + trial)
            rated = dict.fromkeys(people, Rating())
            seats = 0
            for length in lengths:
                while seats < length * len(people):
                    names, places, errors, luck = draw(rng)
                    after = candidate.model.played([rated[one] for one in names], places)
                    rated |= dict(zip(names, after, strict=True))
                    if candidate.errors:
                        given = _by_places(places, errors, luck) if candidate.places else errors
                        for one, own in zip(names, given, strict=len(given) > 0):
                            if own is not None:
                                rated[one] = candidate.model.judged(rated[one], own, len(names))
                    seats += len(names)
                tallies[length].add(candidate.model, chances, rated)
    coin = mean(loss(p, 0.5) for p in chances.values())
    print(f"A coin exceeds the best possible by {coin:.4f}.\n")
    print(
        "| model | games | excess of log loss | pairs in order | all in order "
        "| forecasts shown | their excess | a coin's |"
    )
    print("|--|--|--|--|--|--|--|--|")
    for name, tallies in found.items():
        for length, tally in tallies.items():
            print(f"| {name} | {length} | {tally} |")
    print(flush=True)


def _by_places(
    places: Sequence[int], errors: Sequence[float | None], luck: Sequence[float]
) -> list[float | None]:
    """Return what each gave away by its place without luck, on the scale of errors.

    All together gave away what their errors say; who is better than the others in that, the places do. In a
    game of two these are the errors again.
    """
    seats, known = len(places), [one for one in errors if one is not None]
    given: list[float | None] = []
    for place, own, lucky in zip(places, errors, luck, strict=True):
        behind = sum((other > place) + (other == place) / 2 for other in places) - 0.5
        luckier = (lucky * seats - sum(luck)) / (seats - 1)
        better = behind / (seats - 1) - luckier - 0.5
        given.append(None if own is None else mean(known) - 4 * (seats - 1) ** 2 / seats**3 * better)
    return given


def gaps(trials: int) -> None:
    for chance in (0.5, 0.525, 0.55, 0.6, 0.67, 0.8):

        def draw(rng: Random, chance: float = chance) -> Drawn:
            return ("a", "b"), (1, 2) if rng.random() < chance else (2, 1), (), ()

        print(f"## {chance:.1%}\n")
        league(draw, {("a", "b"): chance}, MODELS, (10, 30, 100, 150, 300), trials)


def leagues(trials: int) -> None:
    read = _read(GAMES)
    _duels(read, trials, {"tutto": MODELS | WITH_ERRORS, "gambler": IN_GAMBLER})
    _several(read, trials, IN_SEVERAL)


def choosing(trials: int) -> None:
    read = _read(CHOOSING)
    duels = read["gambler", False]
    print("## Gambler, games of two, won as they were\n")
    league(_as_played(duels), _without_luck(duels), SLOPES, (10, 30, 100), trials, first=0)
    _several(read, trials, IN_SEVERAL, first=0)


def shipped(trials: int) -> None:
    read = _read(GAMES)
    _duels(read, trials, CHOSEN)
    several = {game: {name: IN_SEVERAL[game][name] for name in names} for game, names in IN_SHORT.items()}
    _several(read, trials, several)


def limits(trials: int) -> None:
    """Print what is known of some leagues, and how well who knows all of it would predict or order people."""
    read = _read(GAMES)
    duels = read["gambler", False]
    _real_results({GAMES.name: duels, CHOOSING.name: _read(CHOOSING)["gambler", False]})
    drawn, others = _halves(duels)
    print("\n| Gambler of two | strengths that fit best | excess of log loss |\n|--|--|--|")
    for title, source, other in (
        ("won as they were", duels, duels),
        ("chances from other games", drawn, others),
    ):
        chances = _without_luck(other)
        for what, known in (
            ("the chances themselves", chances),
            ("results without luck of the games drawn from", _without_luck(source)),
            ("results of the games drawn from", _ahead(source)),
        ):
            strengths = _fitted(known)
            excess = mean(
                loss(p, from_log_odds(strengths[a] - strengths[b])) for (a, b), p in chances.items()
            )
            print(f"| {title} | {what} | {excess:.4f} |")
    header = "placed before the other | in measured games | without luck | wins | right by counting 100 games"
    for game in IN_SEVERAL:
        for names, games in read[game, True].items():
            print(f"\n## {game.title()}, games of {len(names)}: {', '.join(names)}\n")
            print(f"| pair | {header} |\n|--|--|--|--|--|--|")
            _counted(names, games, _truth(game, names, games), trials)


def _real_results(files: Mapping[str, LineUps]) -> None:
    """Print how far real results are from the chances, towards who is more likely to win, and which slope of
    errors fits them best."""
    print("| games of | drawn winners | without luck | log loss by slope |\n|--|--|--|--|")
    for file, duels in files.items():
        real, off = _ahead(duels), list[str]()
        for chances in (_by_mean_errors(duels), _without_luck(duels)):
            each = [(real[pair] - p) * (1 if p > 0.5 else -1) for pair, p in chances.items()]
            off.append(f"{mean(each):+.3f} +- {1.96 * stdev(each) / len(each) ** 0.5:.3f}")
        people = sorted({name for names in duels for name in names})
        errors = {
            one: mean(game[2 + names.index(one)] for names in duels if one in names for game in duels[names])
            for one in people
        }
        by_slope = []
        for slope in (4.0, 4.5, 5.0, 5.5):
            expected = {(a, b): from_log_odds(slope * (errors[b] - errors[a])) for a, b in real}
            lost = -mean(
                p * log(expected[pair]) + (1 - p) * log(1 - expected[pair]) for pair, p in real.items()
            )
            by_slope.append(f"{slope}: {lost:.4f}")
        print(f"| {file} | {' | '.join(off)} | {', '.join(by_slope)} |")


def _counted(names: tuple[str, ...], games: list[list[Any]], truth: Truth, trials: int) -> None:
    """Print how often each pair and all are ordered right by counting who was placed before the other."""
    chances, wins, rng, seats = truth.chances, truth.wins, Random(1), len(names)
    known = [one for one in games if len(one) > seats]
    measured = _ahead({names: known or games})
    apart = {pair: p for pair, p in chances.items() if abs(p - 0.5) >= APART}
    right = {pair: list[float]() for pair in apart}
    for _ in range(trials):
        found = _ahead({names: rng.choices(games, k=100)})
        for pair, p in apart.items():
            right[pair].append(0.5 if found[pair] == 0.5 else float((found[pair] > 0.5) == (p > 0.5)))
    error = 0.5 / truth.games**0.5
    for (a, b), p in chances.items():
        one, other = names.index(a), names.index(b)
        share = f"{mean(right[a, b]):.1%}" if (a, b) in apart else "–"
        deserved = "–"
        if known and len(known[0]) > 2 * seats:
            each = [
                (game[one] < game[other])
                + (game[one] == game[other]) / 2
                - (game[2 * seats + one] - game[2 * seats + other])
                for game in known
            ]
            deserved = f"{mean(each):.3f} +- {1.96 * stdev(each) / len(each) ** 0.5:.3f}"
        print(
            f"| {a}, {b} | {p:.3f} +- {1.96 * error:.3f} | {measured[a, b]:.3f} | {deserved} "
            f"| {wins[one]:.3f} : {wins[other]:.3f} | {share} |"
        )
    all_right = mean(min(each) for each in zip(*right.values(), strict=True))
    print(f"\npairs in order {mean(map(mean, right.values())):.1%}, all in order {all_right:.1%}")


def _fitted(chances: Chances) -> dict[str, float]:
    """Return the strengths from whose differences the logistic curve makes these chances most likely."""
    strengths = dict.fromkeys(sorted({name for pair in chances for name in pair}), 0.0)
    for _ in range(2000):
        moves = dict.fromkeys(strengths, 0.0)
        for (a, b), p in chances.items():
            off = p - from_log_odds(strengths[a] - strengths[b])
            moves[a] += off
            moves[b] -= off
        strengths = {name: strength + 0.3 * moves[name] for name, strength in strengths.items()}
    return strengths


Read = Mapping[tuple[str, bool], LineUps]
"""By game, and whether more than two play, the line-ups."""


def _read(path: Path) -> Read:
    read: defaultdict[tuple[str, bool], dict[tuple[str, ...], list[list[Any]]]] = defaultdict(dict)
    for line in path.read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        read[one["game"], len(one["players"]) > 2][tuple(one["players"])] = one["games"]
    return read


def _duels(read: Read, trials: int, tried: Mapping[str, Mapping[str, Candidate]]) -> None:
    for game, models in tried.items():
        duels = read[game, False]
        print(f"## {game.title()}, games of two\n")
        league(_by_errors(duels), _by_mean_errors(duels), models, (10, 30, 100), trials)
        if game == "gambler":
            print("## Gambler, games of two, won as they were\n")
            league(_as_played(duels), _without_luck(duels), models, (10, 30, 100), trials)
            print("## Gambler, games of two, won as they were, with chances from other games\n")
            drawn, others = _halves(duels)
            league(_as_played(drawn), _without_luck(others), models, (10, 30, 100), trials)
        for pair in PAIRS[game]:
            alone = {pair: duels[pair]}
            print(f"## {game.title()}, {' and '.join(pair)} only\n")
            league(_by_errors(alone), _by_mean_errors(alone), CHOSEN[game], (10, 30, 100), trials)


def _several(
    read: Read, trials: int, tried: Mapping[str, Mapping[str, Candidate]], first: int = FIRST_TRIAL
) -> None:
    """Let line-ups of three and more play, in games that were measured if there are any."""
    for game, models in tried.items():
        for names, games in read[game, True].items():
            print(f"## {game.title()}, games of {len(names)}: {', '.join(names)}\n")
            measured = [one for one in games if len(one) > len(names)]
            draw = _as_played({names: measured or games})
            luck = measured and len(measured[0]) > 2 * len(names)
            possible = {name: one for name, one in models.items() if luck or not one.places}
            league(draw, _truth(game, names, games).chances, possible, (30, 100), trials, first)


def _by_errors(duels: LineUps) -> Draw:
    """Draw what two players gave away, and the winner by that."""
    pairs = list(duels)

    def draw(rng: Random) -> Drawn:
        names = rng.choice(pairs)
        *_, own, other = rng.choice(duels[names])
        places = (1, 2) if rng.random() < 0.5 - own + other else (2, 1)
        return names, places, (own, other), ()

    return draw


def _by_mean_errors(duels: LineUps) -> Chances:
    return {
        (names[0], names[1]): mean(min(1.0, max(0.0, 0.5 - own + other)) for *_, own, other in games)
        for names, games in duels.items()
    }


def _without_luck(duels: LineUps) -> Chances:
    """Return the mean result without luck, which is that of the real results on average over all dice.

    Both players begin in half of their games.
    """
    return {
        (names[0], names[1]): mean(0.5 - own + other for *_, own, other in games)
        for names, games in duels.items()
    }


def _halves(duels: LineUps) -> tuple[LineUps, LineUps]:
    """Return the first half of each pair's games and the second."""
    first, second = {}, {}
    for names, games in duels.items():
        half = len(games) // 2
        first[names], second[names] = games[:half], games[half:]
    return first, second


def _as_played(line_ups: LineUps) -> Draw:
    names = list(line_ups)

    def draw(rng: Random) -> Drawn:
        chosen = rng.choice(names)
        game, seats = rng.choice(line_ups[chosen]), len(chosen)
        places = [int(place) for place in game[:seats]]
        return chosen, places, game[seats : 2 * seats], game[2 * seats :]

    return draw


def _ahead(line_ups: LineUps) -> Chances:
    """Return how often one player of a line-up is placed before another; equal places count half."""
    return {
        (names[a], names[b]): mean((game[a] < game[b]) + (game[a] == game[b]) / 2 for game in games)
        for names, games in line_ups.items()
        for a, b in combinations(range(len(names)), 2)
    }


class Truth(NamedTuple):
    """What is known of a line-up: chances by pair, shares of wins by player, and from how many games."""

    chances: Chances
    wins: Sequence[float]
    games: int


def _truth(game: str, names: tuple[str, ...], games: Sequence[Sequence[Any]]) -> Truth:
    """Return what the other games of a line-up that were counted say, or else what its own ``games`` say."""
    for line in COUNTS.read_text(encoding="utf-8").splitlines():
        counted = json.loads(line)
        if counted["game"] == game and tuple(counted["players"]) == names:
            break
    else:
        counted = counts([one[: len(names)] for one in games])
    number = counted["games"]
    by_pair = zip(combinations(names, 2), counted["pairs"], strict=True)
    chances = {pair: (before + equal / 2) / number for pair, (before, equal) in by_pair}
    return Truth(chances, [won / number for won in counted["wins"]], number)


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare parameters of ratings.")
    parser.add_argument("what", choices=["gaps", "leagues", "choosing", "shipped", "limits"])
    parser.add_argument("--trials", type=int, default=200)
    given = parser.parse_args()
    commands = (gaps, leagues, choosing, shipped, limits)
    {one.__name__: one for one in commands}[given.what](given.trials)


if __name__ == "__main__":
    main()
