"""The inner loop of solving a turn, unrolled: functions that fill one turn total.

When this module is imported, they are generated from the patterns of rolls. They are pure Python, so that
the bot needs neither a compiler nor numpy. Totals are in steps of 50 points. Of their arguments, ``t`` is the
total before the roll, ``u`` the one that a Tutto's steps are added to, ``lost`` the value of losing the turn;
the arrays hold the values of banking (``stop[t]``), of a Tutto (``pay[u]``), and of rolling one to six dice
(``roll1[t]`` and so on).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bot.games.tutto.state import NUMBER_OF_DICE
from bot.strategy.tutto.chances import SIDES, null_chance
from bot.strategy.tutto.patterns import patterns

MAX_FROM_FIVE = 24
"""The most steps that five dice bring: 1,1,1 and two more 1s."""
FEW = 3
"""The most dice that count as few: with more points than a few hundred, hardly anybody would roll them."""

_ROLLS = ", ".join(f"roll{dice}" for dice in range(1, NUMBER_OF_DICE + 1))


def _source(most_dice: int) -> str:
    """Return the source of a function that fills one total: the values of rolling up to ``most_dice`` dice.

    ``pay[u + steps]`` is the value of a Tutto with so many steps. The function returns whether rolling few
    dice is worth more than stopping.

    >>> print(_source(1))
    def generated(stop, pay, u, roll1, roll2, roll3, roll4, roll5, roll6, t, lost):
        p_1 = pay[u+1]
        p_2 = pay[u+2]
        total1 = 4.0 * lost
        best0 = p_1
        total1 += best0
        best1 = p_2
        total1 += best1
        total1 /= 6.0
        roll1[t] = total1
        return total1 > stop[t]
    <BLANKLINE>
    """
    loads: dict[str, str] = {}
    lines: list[str] = []

    def load(name: str, place: str) -> str:
        return loads.setdefault(place, name)

    for dice in range(1, most_dice + 1):
        lines.append(f"total{dice} = {null_chance(dice) * SIDES**dice!r} * lost")
        for index, pattern in enumerate(patterns(dice)):
            # A whole number would be converted in each multiplication.
            times = "" if pattern.weight == 1 else f"{float(pattern.weight)} * "
            left, steps = dice - pattern.dice, pattern.steps
            value = (
                load(f"roll{left}_{steps}", f"roll{left}[t+{steps}]")
                if left
                else load(f"p_{steps}", f"pay[u+{steps}]")
            )
            # The best value of rolling on is stored, because other patterns include this one.
            lines.append(f"best{index} = {value}")
            lines += [f"if best{part} > best{index}: best{index} = best{part}" for part in pattern.parts]
            if left:
                stop = load(f"s_{steps}", f"stop[t+{steps}]")
                lines.append(f"total{dice} += {times}(best{index} if best{index} > {stop} else {stop})")
            else:
                lines.append(f"total{dice} += {times}best{index}")
        lines += [f"total{dice} /= {float(SIDES**dice)}", f"roll{dice}[t] = total{dice}"]
        # Arrays of fewer dice are read only at larger totals, so all loads can come first.
    head = [f"{name} = {place}" for place, name in loads.items()]
    return _function(f"stop, pay, u, {_ROLLS}, t, lost", [*head, *lines, _few_useful(most_dice)])


def _few_source(most_dice: int) -> str:
    """Return the source of the same where rolling few dice is never worth more than stopping.

    ``stops`` and ``tuttos`` are what taking all valid dice is worth (:func:`_once_source`). To this are added
    the gains of rolling more dice. More points must never be worth less.

    >>> print(*_few_source(5).split("\\n")[9:14], sep="\\n")
        total5 = stops[4] + tuttos[4]
        best = roll4[t+1]
        if best > stop[t+1]:
         total5 += 0.13117283950617284 * (best - stop[t+1])
         if best > stop[t+2]:
    """
    lines = []
    for dice in range(1, most_dice + 1):
        lines.append(f"total{dice} = stops[{dice - 1}] + tuttos[{dice - 1}]")
        ends: dict[tuple[tuple[int, int], ...], dict[tuple[int, bool], int]] = {}
        for pattern in patterns(dice):
            # Of as many dice, the last ones have most points.
            choices = {dice - kept: steps for kept, steps in pattern.keeps if dice - kept > FEW}
            weights = ends.setdefault(tuple(choices.items()), {})
            end = pattern.steps, pattern.dice == dice
            weights[end] = weights.get(end, 0) + pattern.weight
        ends.pop((), None)
        for keeps, weights in ends.items():
            first, *others = (f"roll{left}[t+{steps}]" for left, steps in keeps)
            lines.append(f"best = {first}")
            lines += [f"if {other} > best: best = {other}" for other in others]
            indent = ""
            for (steps, tutto), weight in sorted(weights.items()):
                end_value = f"pay[u+{steps}]" if tutto else f"stop[t+{steps}]"
                gain = f"total{dice} += {weight / SIDES**dice!r} * (best - {end_value})"
                if tutto:
                    lines.append(f"{indent}if best > {end_value}: {gain}")
                else:
                    # If it isn't better than stopping, it isn't so with more points either.
                    lines += [f"{indent}if best > {end_value}:", f"{indent} {gain}"]
                    indent += " "
        lines.append(f"roll{dice}[t] = total{dice}")
    return _function(f"stops, tuttos, stop, pay, u, {_ROLLS}, t", [*lines, _few_useful(most_dice)])


def _few_useful(most_dice: int) -> str:
    return "return " + " or ".join(f"total{dice} > stop[t]" for dice in range(1, min(FEW, most_dice) + 1))


def _once_source(most_dice: int, tutto: bool) -> str:
    """Return the source of a function that returns, by dice, a part of what taking all valid dice is worth.

    With ``tutto`` it is the part with a Tutto, of which ``ends`` are the values, otherwise that of stopping
    and of the null.

    >>> print(_once_source(1, tutto=True) + _once_source(1, tutto=False))
    def generated(ends, t, lost):
        e_1 = ends[t+1]
        e_2 = ends[t+2]
        return 0.16666666666666666 * e_1 + 0.16666666666666666 * e_2,
    def generated(ends, t, lost):
        return 0.6666666666666666 * lost,
    <BLANKLINE>
    """
    loads: dict[str, str] = {}
    values = []
    for dice in range(1, most_dice + 1):
        weights: dict[int, int] = {}
        for pattern in patterns(dice):
            if (pattern.dice == dice) is tutto:
                weights[pattern.steps] = weights.get(pattern.steps, 0) + pattern.weight
        terms = [] if tutto else [f"{null_chance(dice)!r} * lost"]
        for steps, weight in weights.items():
            name = loads.setdefault(f"ends[t+{steps}]", f"e_{steps}")
            terms.append(f"{weight / SIDES**dice!r} * {name}")
        values.append(" + ".join(terms))
    head = [f"{name} = {place}" for place, name in loads.items()]
    return _function("ends, t, lost", [*head, f"return {', '.join(values)},"])


def _function(arguments: str, lines: Sequence[str]) -> str:
    body = "\n    ".join(lines)
    return f"def generated({arguments}):\n    {body}\n"


def _by_gain(source: Callable[[int], str]) -> list[Callable[..., Any]]:
    """Return, by steps gained since six dice were rolled, the function for the most dice that can be left.

    One die brings at most 2 steps, two bring 4, and three bring 20.
    """
    found = {}
    for dice in range(3, NUMBER_OF_DICE + 1):
        namespace: dict[str, Callable[..., Any]] = {}
        exec(compile(source(dice), f"<total of {dice} dice>", "exec"), namespace)
        found[dice] = namespace["generated"]
    return [found[dice] for dice in (6, 5, 5, 4, 4, *(3,) * (MAX_FROM_FIVE - 4))]


FILL_TOTAL = _by_gain(_source)
"""Fill one total for one card, and return whether rolling few dice is worth more than stopping."""

FILL_FEW = _by_gain(_few_source)
"""The same where rolling few dice is never worth more than stopping."""

STOPS_ONCE = _by_gain(lambda dice: _once_source(dice, tutto=False))
TUTTOS_ONCE = _by_gain(lambda dice: _once_source(dice, tutto=True))
"""Return, by dice, what taking all valid dice and stopping is worth without a Tutto, and with one."""
