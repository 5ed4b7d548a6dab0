"""Odds, coach and calculator of Tutto in words."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from bot.games.core import IllegalMove, Move
from bot.games.tutto import Tutto
from bot.games.tutto.cards import MAY_STOP_EARLY, Card
from bot.games.tutto.rules import stop_value
from bot.games.tutto.scoring import valid_dice
from bot.games.tutto.state import NUMBER_OF_DICE, Action, Keep, Options, Phase, State, Stop
from bot.i18n.say import Faces, Percent, Say, nested, say
from bot.screens.advice import Report, Wording, report
from bot.screens.model import Block, Divider, Text
from bot.screens.tutto.table import card_icon, card_name
from bot.strategy.review import review
from bot.strategy.tutto.appraiser import Decision, account
from bot.strategy.tutto.chances import clover_chance, null_chance, straight_chance, tutto_chance
from bot.strategy.tutto.odds import Choice, calculate, odds
from bot.strategy.tutto.reasons import reason
from bot.strategy.tutto.rule import TO_REMEMBER

_SEPARATORS = frozenset(" ,;.:/|+-_–—()[]{}'\"")
_DIE_FACES = "⚀⚁⚂⚃⚄⚅"
_WORDS = ("null", "lost", "done", "average", "win")
"""The terms of the odds that are explained below them, in this order."""


class TuttoAdvice:
    """Implements :class:`~bot.screens.advice.Advice` and :class:`~bot.screens.advice.Coach`."""

    seats = range(Tutto.min_seats, Tutto.max_seats + 1)

    def odds(self, state: State) -> tuple[Block, ...]:
        calculated = odds(state)
        words: dict[str, None] = {}
        lines = [_choice(state, choice, words) for choice in calculated.choices]
        if state.phase is Phase.START:
            lines.insert(0, say("tutto-odds-start"))
        elif len(calculated.choices) == 1:
            lines.insert(0, say("tutto-odds-forced"))
        blocks: list[Block] = []
        if state.card is not None:
            blocks.append(Text.of(_position(state)))
        blocks += [
            Text.of(*lines),
            Divider(),
            Text.of(pile_line(calculated.deck)),
            Text.of(*_explained(words), say("small-print", text=say(calculated.basis.value))),
        ]
        return tuple(blocks)

    def review(
        self, options: Options, seats: int, opening: Sequence[Any], moves: Sequence[Move[Any, Any]]
    ) -> Report:
        rule = TO_REMEMBER[options.edition]
        return report(
            review(account(options, seats, opening, moves)),
            WORDING,
            say("tutto-rule", stop=rule.stop, more=rule.more, card=rule.card, loss=Percent(rule.loss)),
        )


def calculator(
    dice: str, card: Card = Card.BONUS_200, points: int = 0, aside: str | None = None
) -> tuple[Block, ...]:
    """Return the odds of a roll that a person has typed. Raises :class:`IllegalMove` if it is impossible."""
    roll, out = read_dice(dice), None if aside is None else read_dice(aside)
    if out and len(roll) + len(out) != NUMBER_OF_DICE:
        raise IllegalMove("error-odds-count", most=NUMBER_OF_DICE)
    if card is not Card.STRAIGHT:
        # Their number follows from the roll, and which they are makes no difference.
        out = None
    calculated = calculate(card, roll, points, out)
    left = NUMBER_OF_DICE - len(roll) if roll else 0
    gone = tuple(sorted(out)) if out else (1,) * left
    state = State(Options(), (0, 0), phase=Phase.CHOOSE, card=card, roll=roll, aside=gone, points=points)
    rolled = say("fact-roll", dice=Faces(roll)) if roll else say("tutto-fact-all-dice")
    facts = [card_fact(card), rolled]
    if out:
        facts.append(say("tutto-fact-aside", dice=Faces(gone)))
    if points:
        facts.append(say("tutto-fact-points", n=points))
    words: dict[str, None] = {}
    lines = [_choice(state, choice, words) for choice in calculated.choices]
    if not lines:
        lines = _forced(card, roll, gone, points, round(calculated.points))
    return (
        Text.of(_facts(facts)),
        Text.of(*lines),
        Divider(),
        Text.of(*_explained(words), say("small-print", text=say("tutto-calculated"))),
    )


def read_dice(text: str) -> tuple[int, ...]:
    """Read the dice that a person has typed, in ascending order. Raises :class:`IllegalMove` for other text.

    >>> read_dice("5, 2 2 1"), read_dice("12255"), read_dice("⚀ ⚄"), read_dice("-")
    ((1, 2, 2, 5), (1, 2, 2, 5, 5), (1, 5), ())
    """
    dice = []
    for character in unicodedata.normalize("NFKC", text):
        if character in _DIE_FACES:
            dice.append(_DIE_FACES.index(character) + 1)
        elif character in "123456":
            dice.append(int(character))
        elif not (character in _SEPARATORS or character.isspace() or _is_mark(character)):
            raise IllegalMove("error-odds-dice", most=NUMBER_OF_DICE)
    return tuple(sorted(dice))


def _is_mark(character: str) -> bool:
    """Return whether a character is a combining mark, such as those that turn a digit into an emoji."""
    return unicodedata.category(character)[0] == "M"


def card_fact(card: Card) -> Say:
    return say("tutto-fact-card", icon=card_icon(card), card=card_name(card))


def _forced(card: Card, roll: Sequence[int], gone: Sequence[int], points: int, mean: int) -> list[Say]:
    """Say what happens where there is no choice. ``mean`` is the average that the turn banks."""
    if roll and not valid_dice(tuple(roll), card, tuple(gone)):
        if card is Card.FIREWORKS:
            return [say("tutto-calculated-fizzled", points=points)]
        return [say("tutto-calculated-null", n=points) if points else say("tutto-calculated-null-nothing")]
    if card is Card.FIREWORKS:
        return [say("tutto-calculated-fireworks", points=mean)]
    lines = [say("tutto-calculated-rolling", chance=Percent(null_chance(NUMBER_OF_DICE)), points=mean)]
    if card is Card.STRAIGHT:
        # Any roll of six dice has a number that is still missing.
        lines = [say("tutto-calculated-straight", points=mean)]
    if card not in MAY_STOP_EARLY:
        lines.append(say("tutto-calculated-done", chance=Percent(_success(card, NUMBER_OF_DICE, 0))))
    return lines


def _choice(state: State, choice: Choice, words: dict[str, None]) -> Say:
    """Return one line: a choice and its worth. Adds the terms that need an explanation to ``words``."""
    facts: list[Say] = []

    def add(word: str, value: int | Percent) -> None:
        words[word] = None
        facts.append(say(f"tutto-odds-{word}", value=value))

    if choice.best:
        words["best"] = None
    if choice.null:
        add("null" if isinstance(choice.action, Keep) else "lost", Percent(choice.null))
    if isinstance(choice.action, Keep) and state.card not in MAY_STOP_EARLY:
        assert state.card is not None
        left = NUMBER_OF_DICE - len(state.aside) - len(choice.action.dice)
        if left or state.card is Card.CLOVERLEAF:
            add("done", Percent(_success(state.card, left, state.clover)))
    if not isinstance(choice.action, Stop) and state.card is not Card.CLOVERLEAF:
        add("average", round(choice.points))
    if choice.win is not None:
        add("win", Percent(choice.win))
    action = action_label(state, choice.action)
    key = "odds-choice-best" if choice.best else "odds-choice"
    return say(key, action=action, facts=_facts(facts)) if facts else say(f"{key}-bare", action=action)


def _explained(words: Collection[str]) -> tuple[Say, ...]:
    if not words:
        return ()
    meant = [say(f"tutto-word-{word}") for word in ("best", *_WORDS) if word in words]
    return (say("small-print", text=_facts(meant)),)


def _success(card: Card, dice: int, clover: int) -> float:
    """Return the chance to complete a card with which nobody can stop, with ``dice`` still to roll."""
    if card is Card.STRAIGHT:
        return straight_chance(dice)
    if card is Card.CLOVERLEAF:
        return tutto_chance(dice) * (clover_chance(clover + 1) if clover < 1 else 1.0)
    return tutto_chance(dice)


def action_label(state: State, action: Action) -> Say:
    """Return an action that is legal in ``state`` in a few words."""
    if isinstance(action, Stop):
        banked = state.points if state.phase is Phase.TUTTO else stop_value(state)
        return say("tutto-do-stop", points=banked or 0)
    if not isinstance(action, Keep):
        return say("tutto-do-turn")
    left = NUMBER_OF_DICE - len(state.aside) - len(action.dice)
    if left:
        return say("tutto-do-keep", dice=Faces(action.dice), n=left)
    return say("tutto-do-take-all", dice=Faces(action.dice))


def _position(state: State) -> Say:
    """Describe a position: card, roll, dice aside and points of the turn."""
    assert state.card is not None
    facts = [card_fact(state.card)]
    if state.phase is Phase.TUTTO:
        facts.append(say("tutto-fact-tutto"))
    if state.roll:
        facts.append(say("fact-roll", dice=Faces(state.roll)))
    if state.aside and state.phase is not Phase.TUTTO:
        facts.append(say("tutto-fact-aside", dice=Faces(state.aside)))
    if state.clover:
        facts.append(say("tutto-fact-clover"))
    if state.points:
        facts.append(say("tutto-fact-points", n=state.points))
    return _facts(facts)


def pile_line(deck: Mapping[Card, int]) -> Say:
    parts = [
        say(
            "tutto-pile-bonus" if card.bonus else "tutto-pile-card",
            icon=card_icon(card),
            card=card.bonus or card_name(card),
            number=number,
        )
        for card, number in deck.items()
        if number
    ]
    return say("tutto-pile", n=sum(deck.values()), cards=_facts(parts))


def why(decision: Decision) -> Say:
    """Say in a sentence why the best choice is better."""
    why_better = reason(decision)
    return say(
        f"why-{why_better.habit.value}",
        played=Percent(why_better.played_null),
        best=Percent(why_better.best_null),
        stake=why_better.at_stake,
        lead=why_better.lead,
    )


def _facts(facts: Sequence[Say]) -> Say:
    return nested(facts, "facts-joined")


WORDING = Wording(lambda decision: (_position(decision.position),), action_label, why)
