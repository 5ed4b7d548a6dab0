"""A second, plain implementation of Tutto, to compare the rules with.

Nothing here is shared with ``bot.games``: cards are names, dice are lists, legal sets are found by trying
all of them. Moves have the form of the game record.
"""

from __future__ import annotations

import copy
from collections import Counter
from functools import cache
from itertools import combinations, product
from typing import Any

PILE = {"cloverleaf": 1, "fireworks": 5, "stop": 10, "straight": 5, "plus_minus": 5, "x2": 5} | {
    f"bonus_{n}00": 5 for n in range(2, 7)
}
SINGLES = {1: 100, 5: 50}


@cache
def best(dice: tuple[int, ...]) -> int | None:
    """The most these sorted dice of one roll score if every one of them must count; None if one can't."""
    if not dice:
        return 0
    face, ways = dice[0], []
    if face in SINGLES:
        rest = best(dice[1:])
        ways += [] if rest is None else [SINGLES[face] + rest]
    if dice[:3] == (face, face, face):
        rest = best(dice[3:])
        ways += [] if rest is None else [(1000 if face == 1 else 100 * face) + rest]
    return max(ways, default=None)


@cache
def subsets(dice: tuple[int, ...]) -> frozenset[tuple[int, ...]]:
    return frozenset(chosen for size in range(1, len(dice) + 1) for chosen in combinations(dice, size))


@cache
def falls(number: int) -> Counter[tuple[int, ...]]:
    """All rolls of ``number`` dice, counted one by one."""
    return Counter(tuple(sorted(faces)) for faces in product(range(1, 7), repeat=number))


class Oracle:
    def __init__(self, edition: str, target: int, seats: int) -> None:
        self.edition, self.target = edition, target
        self.scores = [0] * seats
        self.gone: set[int] = set()
        self.deck = dict(PILE)
        self.seat = 0
        self.turns = 0
        self.last_round = False
        self.winners: list[int] | None = None
        self.reason = ""
        self.fresh()

    def fresh(self) -> None:
        self.need = "action"
        self.card = ""
        self.roll: tuple[int, ...] = ()
        self.aside: list[int] = []
        self.total = 0
        self.clovers = 0
        self.tutto = False

    def copy(self) -> Oracle:
        return copy.deepcopy(self)

    # What may happen.

    def good_sets(self) -> list[tuple[int, ...]]:
        if self.card == "straight":
            return [
                dice
                for dice in subsets(self.roll)
                if len(set(dice)) == len(dice) and not set(dice) & set(self.aside)
            ]
        return [dice for dice in subsets(self.roll) if best(dice) is not None]

    def may_stop(self) -> bool:
        return self.tutto or bool(self.roll and (self.card == "x2" or self.card.startswith("bonus")))

    def actions(self) -> list[dict[str, Any]]:
        if self.winners is not None or self.need != "action":
            return []
        found: list[dict[str, Any]] = []
        if not self.roll:
            found.append({"type": "turn_card"})
        else:
            found += [{"type": "keep", "dice": list(dice)} for dice in self.good_sets()]
        if self.may_stop():
            found.append({"type": "stop"})
        return found

    def outcomes(self) -> list[tuple[dict[str, Any], int]]:
        if self.winners is not None or self.need == "action":
            return []
        if self.need == "card":
            deck = self.deck if sum(self.deck.values()) else PILE
            return [({"card": card}, number) for card, number in deck.items() if number]
        return [({"dice": list(dice)}, ways) for dice, ways in falls(6 - len(self.aside)).items()]

    # What happens.

    def do(self, move: dict[str, Any]) -> None:
        match move:
            case {"type": "turn_card"}:
                self.need, self.tutto = "card", False
            case {"type": "keep", "dice": dice}:
                self.put(tuple(dice))
                if len(self.aside) == 6:
                    self.make_tutto()
                else:
                    self.need, self.roll = "dice", ()
            case {"type": "stop"}:
                if not self.tutto:
                    self.put(max(self.good_sets(), key=len))
                    if len(self.aside) == 6:
                        self.make_tutto()
                self.bank()
            case {"type": "leave", "seat": seat}:
                self.leave(seat)
            case {"card": card}:
                self.open(card)
            case {"dice": dice}:
                self.see(tuple(dice))
            case _:
                raise AssertionError(move)

    def put(self, dice: tuple[int, ...]) -> None:
        self.aside += dice
        if self.card not in ("straight", "plus_minus", "cloverleaf"):
            self.total += best(dice) or 0

    def leaders(self) -> list[int]:
        present = {seat: score for seat, score in enumerate(self.scores) if seat not in self.gone}
        if all(score == 0 for score in present.values()):
            return []
        return [seat for seat, score in present.items() if score == max(present.values())]

    def open(self, card: str) -> None:
        if not sum(self.deck.values()):
            self.deck = dict(PILE)
        self.deck[card] -= 1
        self.card, self.aside, self.roll, self.clovers, self.need = card, [], (), 0, "dice"
        missed = self.edition == "classic" and card == "plus_minus" and self.seat in self.leaders()
        if card == "stop" or missed:
            self.finish()

    def see(self, dice: tuple[int, ...]) -> None:
        self.roll, self.need = dice, "action"
        sets = self.good_sets()
        if self.card == "fireworks":
            if not sets:
                self.bank()
                return
            self.put(max(sets, key=len))
            if len(self.aside) == 6:
                self.aside = []
            self.need, self.roll = "dice", ()
        elif not sets:
            self.finish()

    def make_tutto(self) -> None:
        self.roll, self.tutto, self.need = (), True, "action"
        if self.card.startswith("bonus"):
            self.total += int(self.card[-3:])
        elif self.card == "x2":
            self.total *= 2
        elif self.card == "straight":
            self.total += 2000
        elif self.card == "plus_minus":
            self.total += 1000
            for seat in self.leaders():
                if seat != self.seat:
                    self.scores[seat] -= 1000
                    if self.edition == "current":
                        self.scores[seat] = max(0, self.scores[seat])
        elif self.card == "cloverleaf":
            self.clovers += 1
            if self.clovers == 2:
                self.turns += 1
                self.winners, self.reason = [self.seat], "cloverleaf"
            else:
                self.aside, self.tutto, self.need = [], False, "dice"

    def bank(self) -> None:
        self.scores[self.seat] += self.total
        self.finish()

    def finish(self) -> None:
        self.turns += 1
        if self.scores[self.seat] >= self.target:
            if self.edition == "classic":
                self.end()
                return
            self.last_round = True
        self.pass_on()

    def pass_on(self) -> None:
        seats = range(len(self.scores))
        later = [seat for seat in seats if seat > self.seat and seat not in self.gone]
        if not later and self.last_round:
            self.end()
            return
        self.seat = later[0] if later else min(set(seats) - self.gone)
        self.fresh()

    def leave(self, seat: int) -> None:
        self.gone.add(seat)
        started = self.need != "action" or self.card != ""
        if seat == self.seat and started:
            self.turns += 1
        if len(self.gone) == len(self.scores) - 1:
            self.winners = [other for other in range(len(self.scores)) if other not in self.gone]
            self.reason = "left"
        elif seat == self.seat:
            self.pass_on()

    def end(self) -> None:
        present = [seat for seat in range(len(self.scores)) if seat not in self.gone]
        top = max(self.scores[seat] for seat in present)
        self.winners = [seat for seat in present if self.scores[seat] == top]
        self.reason = "target"


def perft(oracle: Oracle, depth: int) -> int:
    """Paths of ``depth`` moves, ends included, by walking all of them."""
    if depth == 0 or oracle.winners is not None:
        return 1
    moves = oracle.actions() or [outcome for outcome, _ in oracle.outcomes()]
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        after = oracle.copy()
        after.do(move)
        total += perft(after, depth - 1)
    return total
