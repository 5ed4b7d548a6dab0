"""The exact tree of a turn: all placements and all rolls, down to the turn's end.

The tree is small, because the dice on the board alone identify a position within a turn: the other dice are
the hand. A decision is a position together with the dice of the roll that may still be placed.

In a number row, the number of dice says which ones they are. Positions with the same number of dice in each
row, a *block*, differ only in the faces of the other rows, the *free* ones, and are valued together: what
takes a step for each of them in turn is done for all at once, in lists with a value for each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property, lru_cache, partial
from itertools import groupby
from operator import add, itemgetter
from typing import Protocol, TypeVar

from bot.games.dice import FACES, Dice, minus, rolls
from bot.games.gambler.boards import Kind
from bot.games.gambler.state import DICE_A_TURN
from bot.strategy.gambler.automata import Automaton, automaton, shown

Fill = tuple[int, ...]
"""The state of each row in its automaton."""

RowValues = Sequence[Sequence[float]]
"""A value for each row and each number of dice in it."""

Number = TypeVar("Number", int, float)

NEVER = float("-inf")
"""The value of an impossible action."""

COUNT_BITS = 3
"""The bits of a number of dice in a row."""
COUNT_MASK = (1 << COUNT_BITS) - 1

LEVELS_KEPT = 128
"""For how many states of free rows to cache what may follow."""

ROLLS = tuple(sorted(rolls(number), key=itemgetter(1)) for number in range(DICE_A_TURN + 1))
"""By number of dice, all rolls with their weights, sorted by these. Values by roll have this order."""
INDEX: dict[Dice, int] = {dice: index for every in ROLLS for index, (dice, _) in enumerate(every)}
"""The index of a roll among these."""
_WEIGHTS = tuple(
    [(float(weight), len(list(alike))) for weight, alike in groupby(every, key=itemgetter(1))]
    for every in ROLLS
)
"""By number of dice, the weights of rolls, each with the number of rolls that have it."""
_WAYS = tuple(float(len(FACES) ** number) for number in range(DICE_A_TURN + 1))

Pick = Callable[[Sequence[float]], Sequence[float]]
"""Picks values from a list."""

Options = tuple[tuple[tuple[int, int], ...], ...]
"""For each state of a level, the faces that fit a row, each with the index of the state that follows."""


@cache
def _die_picks(number: int, width: int) -> Sequence[Pick]:
    """Return what picks, for each die of a roll of ``number`` dice in turn, the value of placing it.

    It is picked for each roll and each of ``width`` states, from the values by face, by the other dice of the
    roll and by state.
    """
    others = len(ROLLS[number - 1])
    return [
        itemgetter(
            *(
                ((dice[die] - 1) * others + INDEX[minus(dice, (dice[die],))]) * width + state
                for dice, _ in ROLLS[number]
                for state in range(width)
            )
        )
        for die in range(number)
    ]


@cache
def _forced_pick(options: Options, width: int, number: int) -> tuple[Pick, Sequence[int]]:
    """Return what picks the values of placing the only face that fits, by the other dice of the roll, of
    which there are ``number``, and by state; and their places among the values by face.

    They are picked from those of the level that follows, which has ``width`` states.
    """
    others, ways = range(len(ROLLS[number])), [way for (way,) in options]
    return _picker([other * width + after for other in others for _, after in ways]), [
        (face * len(others) + other) * len(ways) + state
        for other in others
        for state, (face, _) in enumerate(ways)
    ]


@cache
def _face_picks(options: Options, width: int, number: int) -> Sequence[Pick]:
    """Return, for each face, what picks the values of placing it, in the same way, from a list that has
    :data:`NEVER` at its end besides."""
    by_face = [[dict(ways).get(face) for ways in options] for face in range(len(FACES))]
    return [
        _picker(
            [
                -1 if after is None else other * width + after
                for other in range(len(ROLLS[number]))
                for after in following
            ]
        )
        for following in by_face
    ]


def _picker(places: Sequence[int]) -> Pick:
    """Return what picks these places of a list, as a sequence even if there is only one."""
    first, *more = places
    return itemgetter(first, *more) if more else itemgetter(slice(first, first + 1 or None))


class Move:
    """Placing a die in a free row."""

    def __init__(self, row: int, level: Level, options: Options) -> None:
        self.row = row
        """The number of the row among the free ones."""
        self.level = level
        """What follows."""
        self.options = options
        self.is_choice = any(len(ways) != 1 for ways in options)
        """Whether several faces fit the row in the same state."""
        # Few moves differ in what they pick, so most only look it up once for each number of dice.
        self.forced_pick = cache(partial(_forced_pick, options, len(level.states)))
        self.face_picks = cache(partial(_face_picks, options, len(level.states)))


class Level:
    """The states of the free rows with the same number of dice in each, as far as they may follow a state."""

    def __init__(self, levels: Levels, states: Iterable[Fill]) -> None:
        self._levels = levels
        self.states = sorted(states)
        self.index = {state: index for index, state in enumerate(self.states)}

    @cached_property
    def moves(self) -> Sequence[Move]:
        """The moves in all free rows that are not full."""
        moves = []
        for row in range(len(self._levels.rows)):
            following = [dict(self._levels.following(state, row)) for state in self.states]
            if any(following):
                level = self._levels.level({state for one in following for state in one.values()})
                options = tuple(
                    tuple((face, level.index[state]) for face, state in one.items()) for one in following
                )
                moves.append(Move(row, level, options))
        return moves

    @cached_property
    def fitting(self) -> Sequence[frozenset[int]]:
        """For each state, the faces that fit any free row."""
        return tuple(
            frozenset(face for move in self.moves for face, _ in move.options[state])
            for state in range(len(self.states))
        )


class Levels:
    """All levels that may follow a state of the free rows."""

    def __init__(self, rows: Sequence[Automaton], start: Fill, *, distinct: bool) -> None:
        self.rows = rows
        self._distinct = distinct
        self._found: dict[tuple[int, ...], Level] = {}
        self.level([start])

    def level(self, states: Iterable[Fill]) -> Level:
        """Return the level of these states, which are all that have so many dice."""
        states = list(states)
        return self._found.setdefault(self._counts(states[0]), Level(self, states))

    def of(self, state: Fill) -> Level | None:
        """Return the level that a state is in; None if it is in none that was needed so far."""
        level = self._found.get(self._counts(state))
        return level if level and state in level.index else None

    def following(self, state: Fill, row: int) -> Iterator[tuple[int, Fill]]:
        """Return the faces that fit a row, and the state after placing each."""
        machine = self.rows[row]
        taken: set[int] = set()
        if self._distinct and machine.row.kind is Kind.STARS and not state[row]:
            taken = {shown(one.row, one.states[of]) - 1 for one, of in zip(self.rows, state, strict=True)}
        for face, after in machine.steps[state[row]]:
            if face not in taken:
                yield face, (*state[:row], after, *state[row + 1 :])

    def _counts(self, state: Fill) -> tuple[int, ...]:
        return tuple(len(row.states[of]) for row, of in zip(self.rows, state, strict=True))


@lru_cache(LEVELS_KEPT)
def _levels(rows: tuple[Automaton, ...], start: Fill, distinct: bool) -> Levels:
    return Levels(rows, start, distinct=distinct)


class Values(Protocol):
    """Values the end of a turn for the seat that plays it."""

    def rows(self, hand: int) -> RowValues:
        """Return the value of each row by the number of dice in it, if ``hand`` dice were not placed."""
        ...

    def ending(self, value: float) -> float:
        """Return the value of a full board besides ``value``, the sum of all rows' values."""
        ...


class Lookahead(ABC):
    """The tree of one turn. Values are kept, so one object serves all choices of the turn.

    A block is numbered by the numbers of dice in the rows, :data:`COUNT_BITS` for each, the first row lowest.
    ``distinct`` is whether star rows must differ.
    """

    def __init__(self, rows: Sequence[Automaton], *, distinct: bool = False) -> None:
        self.rows = rows
        self._distinct = distinct
        self.free = [place for place, row in enumerate(rows) if row.row.kind is not Kind.NUMBERS]
        # Rows of different boards that differ only in points have the same levels.
        self._free_rows = tuple(
            automaton(replace(rows[place].row, value=0, black=False), not distinct) for place in self.free
        )
        # By number row: its place in a block's number, and the faces of its boxes, from 0.
        self._number_rows = [
            (COUNT_BITS * place, [face - 1 for face in row.row.boxes])
            for place, row in enumerate(rows)
            if place not in self.free
        ]
        self._levels: Levels | None = None
        # By number of the block.
        self._rolled: dict[int, Sequence[float]] = {}
        self._after_placing: dict[int, Sequence[float]] = {}

    @abstractmethod
    def ends(self, number: int, level: Level, hand: int) -> list[float]:
        """Return the values of ending the turn in a block with ``hand`` dice not placed, by state of the free
        rows."""

    def end(self, fill: Fill, hand: int) -> float:
        """Return the value of ending the turn with ``fill`` on the board and ``hand`` dice not placed."""
        number, level, state = self._find(fill)
        return self.ends(number, level, hand)[state]

    def roll(self, fill: Fill, hand: int) -> float:
        """Return the value of rolling the hand."""
        number, level, state = self._find(fill)
        if number not in self._rolled:
            self.expand(number, level, hand)
        return self._rolled[number][state]

    def place(self, fill: Fill, row: int, die: int, rest: Dice) -> float:
        """Return the value of placing ``die`` in ``row``, then perhaps some of the ``rest`` of the roll."""
        number, level, state = self._find(fill)
        if row in self.free:
            move = next(move for move in level.moves if self.free[move.row] == row)
            level, state = move.level, dict(move.options[state])[die - 1]
        number += 1 << COUNT_BITS * row
        placed = self._after_placing.get(number) or self.expand(number, level, len(rest))
        return placed[INDEX[rest] * len(level.states) + state]

    def _find(self, fill: Fill) -> tuple[int, Level, int]:
        """Return the number of the block with this fill, and the level and the index of its free rows."""
        number = sum(
            len(row.states[state]) << COUNT_BITS * place
            for place, (row, state) in enumerate(zip(self.rows, fill, strict=True))
        )
        state = tuple([fill[place] for place in self.free])
        level = self._levels and self._levels.of(state)
        if not level:
            # It does not follow the first position that was asked about, as a turn's positions do.
            self._rolled.clear()
            self._after_placing.clear()
            self._levels = _levels(self._free_rows, state, self._distinct)
            level = self._levels.of(state)
            assert level, "the first state"
        return number, level, level.index[state]

    def expand(self, number: int, level: Level, hand: int) -> Sequence[float]:
        """Return the values of a block after placing a die, and keep those of whatever may follow.

        They are by the other dice of the roll, which may be placed too, and then by state of the free rows.
        """
        ends = self.ends(number, level, hand)
        if hand:
            best, width = self._best(number, level, hand), len(ends)
            if NEVER in best:
                # A roll of which no die fits ends the turn with the board as it is.
                every = zip(best, ends * len(ROLLS[hand]))  # noqa: B905
                best = [end if value == NEVER else value for value, end in every]
            totals, begin = [0.0] * width, 0
            for weight, alike in _WEIGHTS[hand]:
                stop = begin + alike * width
                sums = [weight * sum(best[at:stop:width]) for at in range(begin, begin + width)]
                totals, begin = list(map(add, totals, sums)), stop
            ways = _WAYS[hand]
            rolled = self._rolled[number] = [total / ways for total in totals]
            placed = _better(best, _better(rolled, ends) * len(ROLLS[hand]))
        else:
            placed = ends
        self._after_placing[number] = placed
        return placed

    def _best(self, number: int, level: Level, hand: int) -> Sequence[float]:
        """Return the best value of placing a die of each roll, by roll and state, or :data:`NEVER`."""
        width = len(level.states)
        kept, never = self._after_placing, [NEVER] * (len(ROLLS[hand - 1]) * width)
        by_face: list[Sequence[float]] = [never] * len(FACES)
        for shift, faces in self._number_rows:
            count = number >> shift & COUNT_MASK
            if count < len(faces):
                face = faces[count]
                after = number + (1 << shift)
                child = kept.get(after) or self.expand(after, level, hand - 1)
                by_face[face] = child if by_face[face] is never else _better(by_face[face], child)
        forced = []
        for move in level.moves:
            after = number + (1 << COUNT_BITS * self.free[move.row])
            child = kept.get(after) or self.expand(after, move.level, hand - 1)
            if move.is_choice:
                child = [*child, NEVER]
                for face, pick in enumerate(move.face_picks(hand - 1)):
                    picked, before = pick(child), by_face[face]
                    by_face[face] = picked if before is never else _better(before, picked)
            else:
                forced.append((move, child))
        one, two, three, four, five, six = by_face
        values = [*one, *two, *three, *four, *five, *six]
        for move, child in forced:
            pick, places = move.forced_pick(hand - 1)
            for place, value in zip(places, pick(child)):  # noqa: B905
                if value > values[place]:
                    values[place] = value
        if hand == 1:
            return values
        picks = [pick(values) for pick in _die_picks(hand, width)]
        while len(picks) > 2:
            picks.append(_best_of_three(picks.pop(), picks.pop(), picks.pop()))
        return _better(*picks) if len(picks) > 1 else picks[0]


def _better(one: Sequence[float], other: Sequence[float]) -> list[float]:
    """Return the higher value in each place."""
    # With ``strict`` it would take a third longer.
    return [value if value > instead else instead for value, instead in zip(one, other)]  # noqa: B905


def _best_of_three(one: Sequence[float], two: Sequence[float], three: Sequence[float]) -> list[float]:
    """Return the highest value in each place."""
    return [
        (a if a > c else c) if a > b else b if b > c else c
        for a, b, c in zip(one, two, three)  # noqa: B905
    ]


class RowsLookahead(Lookahead):
    """The tree of a turn whose end is worth the sum of what all rows are worth."""

    def __init__(self, rows: Sequence[Automaton], values: Values, *, distinct: bool = False) -> None:
        super().__init__(rows, distinct=distinct)
        self._values = values
        self._by_hand: dict[int, RowValues] = {}
        self._full = sum(len(row.row.boxes) << COUNT_BITS * place for place, row in enumerate(rows))

    def ends(self, number: int, level: Level, hand: int) -> list[float]:
        if hand not in self._by_hand:
            self._by_hand[hand] = self._values.rows(hand)
        value = by_count(self._by_hand[hand], number)
        if number == self._full:
            value += self._values.ending(value)
        return [value] * len(level.states)


def by_count(values: Sequence[Sequence[Number]], number: int) -> Number:
    """Return the sum of all rows' values by the number of dice in it, from the number of a block."""
    one, two, three, four, five, six = values
    # A loop over the bits would take three times as long.
    return (
        one[number & 7]
        + two[number >> 3 & 7]
        + three[number >> 6 & 7]
        + four[number >> 9 & 7]
        + five[number >> 12 & 7]
        + six[number >> 15]
    )
