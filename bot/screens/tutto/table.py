"""The table of Tutto: card, dice to toggle, and what each action is worth."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, ClassVar

from bot.games.core import Unreadable
from bot.games.tutto.cards import Card
from bot.games.tutto.rules import stop_value, total_if_kept
from bot.games.tutto.scoring import PLUS_MINUS_POINTS, SINGLE, STRAIGHT_POINTS, TRIPLET, valid_dice
from bot.games.tutto.state import (
    NUMBER_OF_DICE,
    STOP,
    TURN_CARD,
    Banked,
    CardTurned,
    CloverleafWon,
    Deducted,
    Event,
    Keep,
    Kept,
    LastRoundBegan,
    LeaderMissed,
    Nulled,
    Options,
    Phase,
    Rolled,
    SeatLeft,
    State,
    StopCardHit,
    TuttoMade,
)
from bot.i18n.say import Argument, Faces, Icons, Say, SeatRef, say
from bot.screens.game_screen import GameScreen
from bot.screens.model import (
    PRIMARY,
    SECONDARY,
    SUCCESS,
    Act,
    Block,
    Button,
    Buttons,
    ChangeView,
    Mark,
    Text,
)

TOPICS = ("game", "dice", "cards", "turn", "end", "editions", "settled")

ACCENTS = {
    Card.CLOVERLEAF: 0x2E9E4F,
    Card.FIREWORKS: 0xE0528A,
    Card.STOP: 0xE25751,
    Card.STRAIGHT: 0x4489D8,
    Card.PLUS_MINUS: 0x9B70DB,
    Card.X2: 0xC8701A,
}
_POINTS = {Card.STRAIGHT: STRAIGHT_POINTS, Card.PLUS_MINUS: PLUS_MINUS_POINTS}
"""The points for a Tutto with these cards."""

BONUS_ACCENT = 0xA98200
IDLE_ACCENT = 0x7A8594

_TOKEN = re.compile(r"(t|s)|([kv])([0-9a-f]{2})(?:\.[0-5])?", re.ASCII)


def card_name(card: Card) -> Say:
    return say("tutto-card-bonus", points=card.bonus) if card.bonus else say(f"tutto-card-{_key(card)}")


def card_icon(card: Card) -> Icons:
    return Icons((f"card-{'bonus' if card.bonus else _key(card)}",))


class TuttoScreen(GameScreen[State, Event]):
    """The screen of Tutto. A view is the bit mask of the marked dice, in hex."""

    key = "tutto"
    turn_ends = frozenset(
        {"tutto-story-banked", "tutto-story-null", "tutto-story-stop", "tutto-story-missed"}
    )
    in_passing = (Deducted, LastRoundBegan, SeatLeft)
    seen_on_table = frozenset({"tutto-story-rolled", "tutto-story-tutto", "tutto-story-tutto-pays"})
    rules_arguments: ClassVar[Mapping[str, Argument]] = {
        "target": Options().target,
        "ones": TRIPLET[1],
        "fours": TRIPLET[1] + SINGLE[1],
        "straight": STRAIGHT_POINTS,
        "plus": PLUS_MINUS_POINTS,
    }

    def accent(self, state: State) -> int | None:
        if state.card is None:
            return IDLE_ACCENT
        return ACCENTS.get(state.card, BONUS_ACCENT)

    def body(self, state: State, view: str) -> tuple[Block, ...]:
        if state.card is None:
            return ()
        lines = [_card_line(state.card)]
        if state.phase is Phase.TUTTO:
            lines.append(say("tutto-made", points=state.points))
            return (Text(tuple(lines)),)
        lines.append(_dice_line("tutto-roll", state.roll))
        if state.aside:
            lines.append(_dice_line("tutto-aside", state.aside))
        if state.card is Card.CLOVERLEAF:
            lines.append(say("tutto-clover-count", n=state.clover))
        if state.points:
            lines.append(_points_line(state.points))
        return (Text(tuple(lines)),)

    def controls(self, state: State, view: str) -> tuple[Buttons, ...]:
        match state.phase:
            case Phase.START:
                return _BEGIN
            case Phase.TUTTO:
                on = Button("t", say("tutto-next-card", points=state.points), SECONDARY)
                return (Buttons((_stop(state.points, PRIMARY), on)),)
            case Phase.CHOOSE:
                units = _units(state)
                return self._choice(state, units, _mask(units, view))
            case _:
                return ()

    def _choice(self, state: State, units: Sequence[int], mask: int) -> tuple[Buttons, ...]:
        dice = []
        for index, face in enumerate(state.roll):
            unit = next((unit for unit in units if unit >> index & 1), 0)
            kept = bool(mask >> index & 1)
            dice.append(_die(face, index, mask ^ unit, kept, bool(unit)))
        # Six dice in two rows of three: a phone shows them without wrapping.
        rows = [dice[:3], dice[3:]] if len(dice) > 5 else [dice]
        kept_dice = _dice(state, mask)
        rest = NUMBER_OF_DICE - len(state.aside) - len(kept_dice)
        if not kept_dice:
            go = Button("k00", say("tutto-mark-a-die"), PRIMARY, disabled=True)
        elif rest:
            go = _roll_on(mask, rest)
        elif state.card is Card.CLOVERLEAF:
            key = "tutto-take-clover" if state.clover == 0 else "tutto-take-win"
            go = Button(f"k{mask:02x}", say(key), PRIMARY)
        else:
            total = total_if_kept(state, kept_dice)
            go = Button(f"k{mask:02x}", say("tutto-take-all", points=total), PRIMARY)
        actions = [go]
        value = stop_value(state)
        if value is not None:
            actions.append(_stop(value, SECONDARY))
        return (*(Buttons(tuple(row)) for row in rows), Buttons(tuple(actions)))

    def press(self, state: State, token: str) -> ChangeView | Act:
        match = _TOKEN.fullmatch(token)
        if match is None:
            raise Unreadable("error-old-button")
        if match[1]:
            return Act(TURN_CARD if match[1] == "t" else STOP)
        mask = int(match[3], 16)
        if mask >> len(state.roll):
            raise Unreadable("error-old-button")
        if match[2] == "v":
            return ChangeView(f"{mask:02x}")
        return Act(Keep(_dice(state, mask)))

    def pieces(self, event: Event) -> tuple[Say, ...]:
        return _pieces(event)

    def result_columns(self, feats: Mapping[str, int]) -> tuple[Say, ...]:
        return (say("tutto-feat-tuttos", n=feats.get("tuttos", 0)),)

    def marks(self, events: Sequence[Any]) -> tuple[Mark, ...]:
        found = []
        for event in events:
            if isinstance(event, TuttoMade):
                found.append(Mark(event.seat, "plus-minus" if event.card is Card.PLUS_MINUS else "tutto"))
            elif isinstance(event, Deducted) and event.points:
                found.append(Mark(event.seat, "hit"))
        return tuple(found)

    def topics(self) -> tuple[str, ...]:
        return TOPICS


# Parts that recur in many games are kept as the same objects, so that their texts are found in caches.

_BEGIN = (Buttons((Button("t", say("tutto-turn-card"), PRIMARY),)),)


@cache
def _card_line(card: Card) -> Say:
    return say("tutto-card-line", icon=card_icon(card), card=card_name(card), does=_effect(card))


@lru_cache(maxsize=2048)
def _dice_line(key: str, dice: Sequence[int]) -> Say:
    return say(key, dice=Icons(tuple(f"die-{face}" for face in dice)))


@lru_cache(maxsize=1024)
def _points_line(points: int) -> Say:
    return say("tutto-points", points=points)


@lru_cache(maxsize=8192)
def _die(face: int, index: int, mask: int, kept: bool, valid: bool) -> Button:
    """Return the button of a die. ``mask`` is the marks after a click on it."""
    label = "tutto-die-kept" if kept else "tutto-die" if valid else "tutto-die-invalid"
    return Button(
        f"v{mask:02x}.{index}",
        say(label, face=face),
        SUCCESS if kept else SECONDARY,
        disabled=not valid,
        icon=f"die-{face}-kept" if kept else f"die-{face}" if valid else f"die-{face}-off",
        label_is_fallback=True,
    )


@cache
def _roll_on(mask: int, rest: int) -> Button:
    return Button(f"k{mask:02x}", say("tutto-roll-on", n=rest), PRIMARY)


@lru_cache(maxsize=1024)
def _stop(points: int, style: str) -> Button:
    return Button("s", say("tutto-stop", points=points), style)


@lru_cache(maxsize=4096)
def _pieces(event: Event) -> tuple[Say, ...]:
    """Return the narration of an event. It is cached, so that all tables share the same messages."""
    match event:
        case CardTurned(card=card, reshuffled=reshuffled):
            turned = say("tutto-story-card", icon=card_icon(card), card=card_name(card))
            return (say("tutto-story-shuffled"), turned) if reshuffled else (turned,)
        case Rolled(dice=dice):
            return (say("tutto-story-rolled", dice=Faces(dice)),)
        case Kept(dice=dice):
            return (say("tutto-story-kept", dice=Faces(dice)),)
        case TuttoMade(gained=0):
            return (say("tutto-story-tutto"),)
        case TuttoMade(gained=gained):
            return (say("tutto-story-tutto-pays", points=gained),)
        case Deducted(seat=seat, points=points):
            return (say("tutto-story-deducted", name=SeatRef(seat), points=points),)
        case Nulled(lost=lost):
            return (say("tutto-story-null"), *_lost(lost))
        case StopCardHit(lost=lost):
            return (say("tutto-story-stop"), *_lost(lost))
        case LeaderMissed(lost=lost):
            return (say("tutto-story-missed"), *_lost(lost))
        case Banked(points=points, score=score, fireworks=fireworks):
            banked = say("tutto-story-banked", points=points, score=score)
            return (say("tutto-story-fizzled"), banked) if fireworks else (banked,)
        case CloverleafWon():
            return (say("tutto-story-clover"),)
        case LastRoundBegan(seat=seat):
            return (say("tutto-story-last-round", name=SeatRef(seat)),)
        case SeatLeft(seat=seat):
            return (say("story-left", name=SeatRef(seat)),)


def _lost(points: int) -> tuple[Say, ...]:
    return (say("tutto-story-lost", points=points),) if points else ()


def _key(card: Card) -> str:
    return card.value.replace("_", "-")


def _effect(card: Card) -> Say:
    key = "bonus" if card.bonus else _key(card)
    points = card.bonus or _POINTS.get(card)
    return say(f"tutto-does-{key}", points=points) if points else say(f"tutto-does-{key}")


def _units(state: State) -> tuple[int, ...]:
    """Return the groups of dice that are marked together, as masks: triplets, and other valid dice alone."""
    assert state.card is not None
    valid = list(valid_dice(state.roll, state.card, state.aside))
    units = []
    for face in sorted(set(valid)):
        places = [index for index, shown in enumerate(state.roll) if shown == face][: valid.count(face)]
        size = 1 if face in (1, 5) or state.card is Card.STRAIGHT else 3
        for start in range(0, len(places), size):
            units.append(sum(1 << index for index in places[start : start + size]))
    return tuple(units)


def _mask(units: Sequence[int], view: str) -> int:
    """Return the mask of the marked dice; without a view all valid ones are marked."""
    if not view:
        return sum(units)
    mask = int(view, 16)
    return sum(unit for unit in units if mask & unit == unit)


def _dice(state: State, mask: int) -> tuple[int, ...]:
    return tuple(face for index, face in enumerate(state.roll) if mask >> index & 1)
