"""The table of Tutto: card, dice to toggle, and what each action is worth."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, ClassVar

from bot.games.core import Result, Unreadable
from bot.games.dice import Dice
from bot.games.tutto.cards import MAY_STOP_EARLY, Card
from bot.games.tutto.rules import stop_value, total_if_kept
from bot.games.tutto.scoring import (
    PLUS_MINUS_POINTS,
    SINGLE,
    STRAIGHT_POINTS,
    TRIPLET,
    keepable,
    points,
    valid_dice,
)
from bot.games.tutto.state import (
    NUMBER_OF_DICE,
    STOP,
    TURN_CARD,
    Banked,
    CardTurned,
    CloverleafWon,
    Deducted,
    Edition,
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
from bot.games.values import replace
from bot.i18n.say import Argument, Faces, Icons, Line, Say, SeatRef, say
from bot.screens.game_screen import GameScreen, Interim
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
    button_rows,
)
from bot.screens.tutto.stakes import stakes

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

NONE_MARKED = "00"
"""The view of a roll of which no dice are marked."""

MARKS_A_ROW = 3
"""How many buttons for dice fit side by side on a phone."""

BONUS_ACCENT = 0xA98200
IDLE_ACCENT = 0x7A8594

_TOKEN = re.compile(r"(t|s)|([kvnb])([0-9a-f]{2})(?:\.[0-5])?", re.ASCII)
"""Turn a card, stop; with a mask of dice in hex: keep them and roll on, view them as marked, keep them and
turn the next card, keep them and bank. The last digit only makes the tokens of one table unique."""
_AFTER_A_TUTTO = {"n": (TURN_CARD,), "b": (STOP,)}
"""What follows at once when dice are put aside that make a Tutto."""


def card_name(card: Card) -> Say:
    return say("tutto-card-bonus", points=card.bonus) if card.bonus else say(f"tutto-card-{_key(card)}")


def card_icon(card: Card) -> Icons:
    return Icons((f"card-{'bonus' if card.bonus else _key(card)}",))


class TuttoScreen(GameScreen[State, Event]):
    """The screen of Tutto. A view is the bit mask of the marked dice, in hex."""

    key = "tutto"
    topics = ("game", "dice", "cards", "turn", "end", "editions", "settled")
    turn_ends = frozenset(
        {"tutto-story-banked", "tutto-story-null", "tutto-story-stop", "tutto-story-missed"}
    )
    headlines = turn_ends | {"tutto-story-card", "tutto-story-deducted", "tutto-story-last-round"}
    in_passing = (Deducted, LastRoundBegan, SeatLeft)
    who_begins: ClassVar[Say | None] = say("tutto-beginner")
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

    def title(self, state: State) -> Say:
        return _title(state.options)

    def body(self, state: State, view: str) -> tuple[Block, ...]:
        stake = stakes(state)
        at_stake = (stake,) if stake is not None else ()
        if state.card is None:
            return (Text(at_stake),) if at_stake else ()
        lines = [_card_line(state.card, len(state.scores) == 1)]
        if state.phase is Phase.TUTTO:
            lines.append(_made_line(state.points))
            return (Text.of(*lines, *at_stake),)
        marked: Dice = ()
        if state.roll:
            units = _units(state)
            mask = _mask(units, view)
            marked = _faces(state.roll, mask)
            lines.append(_roll_line(state.roll, mask, sum(units)))
        if state.aside:
            lines.append(_aside_line(state.aside))
        clover = state.card is Card.CLOVERLEAF
        if clover:
            lines.append(say("tutto-clover-count", n=state.clover))
        if state.phase is Phase.CHOOSE and not clover and _completes(state, marked):
            lines.append(_made_line(total_if_kept(state, marked)))
        elif state.points:
            lines.append(_points_line(state.points))
        return (Text.of(*lines, *at_stake),)

    def controls(self, state: State, view: str) -> tuple[Buttons, ...]:
        match state.phase:
            case Phase.START:
                return _BEGIN
            case Phase.TUTTO:
                on = Button("t", say("tutto-next-card", points=state.points), SECONDARY)
                return (Buttons.of(_stop(state.points, PRIMARY), on),)
            case Phase.CHOOSE:
                return self._marked(state, view) if view else self._choices(state)
            case _:
                return ()

    def _choices(self, state: State) -> tuple[Buttons, ...]:
        """Offer the best dice of each number to keep, and to mark others where there are any."""
        units = _units(state)
        whole = sum(units)
        keeps = _best_keeps(state)
        rest = NUMBER_OF_DICE - len(state.aside)
        others = [_keep_and_roll(state.roll, dice, rest - len(dice)) for dice in keeps[1:]]
        if _completes(state, keeps[0]):
            actions = [*self._with_all(state, whole)]
        else:
            actions = [_roll_on(whole, rest - len(keeps[0]))]
            value = stop_value(state)
            if value is not None:
                actions.append(_stop(value, SECONDARY))
        assert state.card is not None
        if len(keepable(state.roll, state.card, state.aside)) > len(keeps):
            others.append(Button(f"v{whole:02x}", say("tutto-choose-dice"), SECONDARY))
        return (Buttons.of(*actions), *button_rows(others, MARKS_A_ROW))

    def _marked(self, state: State, view: str) -> tuple[Buttons, ...]:
        """Offer to mark dice, and to go on with those that are marked."""
        units = _units(state)
        mask = _mask(units, view)
        marks = [
            _mark(_faces(state.roll, unit), unit.bit_length() - 1, mask ^ unit, bool(mask & unit))
            for unit in units
        ]
        dice = _faces(state.roll, mask)
        if not dice:
            actions = [Button("k00", say("tutto-mark-a-die"), PRIMARY, disabled=True)]
        elif _completes(state, dice):
            actions = [*self._with_all(state, mask)]
        else:
            actions = [_roll_on(mask, NUMBER_OF_DICE - len(state.aside) - len(dice))]
        value = stop_value(state)
        if value is not None and not _completes(state, dice):
            actions.append(_stop(value, SECONDARY))
        return (*button_rows(marks, MARKS_A_ROW), Buttons.of(*actions))

    def _with_all(self, state: State, mask: int) -> tuple[Button, ...]:
        """Offer what can follow the Tutto that the dice of ``mask`` make."""
        if state.card is Card.CLOVERLEAF:
            key = "tutto-take-clover" if state.clover == 0 else "tutto-take-win"
            return (Button(f"k{mask:02x}", say(key), PRIMARY),)
        total = total_if_kept(state, _faces(state.roll, mask))
        bank = "s" if state.card in MAY_STOP_EARLY else f"b{mask:02x}"
        on = Button(f"n{mask:02x}", say("tutto-next-card", points=total), SECONDARY)
        return (_stop(total, PRIMARY, bank), on)

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
        return Act(Keep(_faces(state.roll, mask)), _AFTER_A_TUTTO.get(match[2], ()))

    def pieces(self, event: Event) -> tuple[Say, ...]:
        return _pieces(event)

    def interim(self, state: State, event: Event) -> Interim | None:
        """Show each card as it is turned, and each roll before it is known what comes of it."""
        match event:
            case CardTurned(card=card):
                turned = replace(state, phase=Phase.ROLL, card=card, aside=(), roll=(), clover=0)
                return Interim(turned, by_hand=_by_hand(NUMBER_OF_DICE) if card is Card.FIREWORKS else None)
            case Rolled(dice=dice):
                if state.card is not Card.FIREWORKS:
                    return Interim(replace(state, roll=dice), NONE_MARKED)
                kept = valid_dice(dice, state.card, state.aside)
                rest = NUMBER_OF_DICE - len(state.aside) - len(kept)
                if not kept:
                    # Its line says what is banked, so the table does not say "not banked yet" beside it.
                    return Interim(replace(state, roll=dice, points=0))
                rolled = replace(state, roll=dice, points=state.points + points(kept))
                return Interim(rolled, by_hand=_by_hand(rest or NUMBER_OF_DICE))
            case _:
                return None

    def outcome(self, line: Line) -> tuple[Say, ...]:
        """Return the cards of a turn, its points, and what else it brought about."""
        icons: tuple[str, ...] = ()
        cards: tuple[Say, ...] = ()
        parts = []
        for piece in line.pieces:
            given = dict(piece.args)
            if piece.key == "tutto-story-card":
                icon = given["icon"]
                assert isinstance(icon, Icons)
                icons += icon.names
                # All cards as icons, and the name of the last one.
                cards = (say("tutto-story-card", icon=Icons(icons), card=given["card"]) if cards else piece,)
            elif piece.key == "tutto-story-banked":
                parts.append(say("points-won", points=given["points"]))
            elif piece.key == "tutto-story-lost":
                # What was lost says that nothing was scored.
                parts = [part for part in parts if part.key != "tutto-story-null"] + [piece]
            elif piece.key in _OUTCOMES:
                parts.append(piece)
        return (*cards, *parts)

    def untold(self, line: Line) -> tuple[Say, ...]:
        return tuple(piece for piece in line.pieces if piece.key in ("tutto-story-deducted", "story-left"))

    def result_columns(self, feats: Mapping[str, int]) -> tuple[Say, ...]:
        return (say("tutto-feat-tuttos", n=n),) if (n := feats.get("tuttos")) else ()

    def epilogue(self, options: Options, result: Result, names: Sequence[Argument]) -> tuple[Say, ...]:
        """Name who has the fewest points and so buys a round, as the classic leaflet has it."""
        if options.edition is not Edition.CLASSIC:
            return ()
        stayed = [seat for seat in range(len(names)) if seat not in result.left]
        fewest = min(result.scores[seat] for seat in stayed)
        losers = [seat for seat in stayed if result.scores[seat] == fewest and seat not in result.winners]
        return tuple(say("tutto-loser", name=names[seat]) for seat in losers)

    def marks(self, events: Sequence[Any]) -> tuple[Mark, ...]:
        marks = []
        for event in events:
            if isinstance(event, TuttoMade):
                marks.append(Mark(event.seat, "plus-minus" if event.card is Card.PLUS_MINUS else "tutto"))
            elif isinstance(event, Deducted) and event.points:
                marks.append(Mark(event.seat, "hit"))
        return tuple(marks)


# Parts that recur in many games are kept as the same objects, so that their texts are found in caches.

_BEGIN = (Buttons.of(Button("t", say("tutto-turn-card"), PRIMARY)),)


@cache
def _title(options: Options) -> Say:
    """Name the edition only if it is not the usual one, so that the title keeps to a line on a phone."""
    key = "tutto-title" if options.edition is Options().edition else "tutto-goal"
    return say(key, target=options.target, edition=say(f"tutto-edition-{options.edition.value}"))


@cache
def _card_line(card: Card, alone: bool) -> Say:
    return say("tutto-card-line", icon=card_icon(card), card=card_name(card), does=_effect(card, alone))


@lru_cache(maxsize=8192)
def _roll_line(roll: Sequence[int], kept: int, valid: int) -> Say:
    """Return the dice of a roll, large; ``kept`` and ``valid`` are masks of dice."""

    def icon(index: int, face: int) -> str:
        bit = 1 << index
        return f"die-{face}-kept" if kept & bit else f"die-{face}" if valid & bit else f"die-{face}-off"

    return say("table-dice", dice=Icons(tuple(icon(index, face) for index, face in enumerate(roll))))


@lru_cache(maxsize=1024)
def _aside_line(dice: Sequence[int]) -> Say:
    return say("tutto-aside", dice=Icons(tuple(f"die-{face}" for face in dice)))


@lru_cache(maxsize=1024)
def _made_line(points: int) -> Say:
    """Say that the dice make a Tutto, and with how many points the player may go on."""
    return say("tutto-made", points=points)


@lru_cache(maxsize=1024)
def _points_line(points: int) -> Say:
    return say("tutto-points", points=points)


@lru_cache(maxsize=8192)
def _mark(dice: tuple[int, ...], index: int, mask: int, kept: bool) -> Button:
    """Return the button of dice that are marked together. ``mask`` has all marks after a click on it."""
    label = "tutto-keep-on" if kept else "tutto-keep-off"
    return Button(f"v{mask:02x}.{index}", say(label, dice=Faces(dice)), SUCCESS if kept else SECONDARY)


@cache
def _roll_on(mask: int, rest: int) -> Button:
    return Button(f"k{mask:02x}", say("tutto-roll-on", n=rest), PRIMARY)


@cache
def _by_hand(dice: int) -> Say:
    return say("tutto-roll-on", n=dice)


@lru_cache(maxsize=1024)
def _stop(points: int, style: str, token: str = "s") -> Button:
    return Button(token, say("tutto-bank", points=points), style)


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
        case LastRoundBegan():
            return (say("tutto-story-last-round"),)
        case SeatLeft(seat=seat):
            return (say("story-left", name=SeatRef(seat)),)


_OUTCOMES = {
    "tutto-story-null",
    "tutto-story-missed",
    "tutto-story-clover",
    "tutto-story-deducted",
    "tutto-story-last-round",
    "story-left",
}
"""Keys of the pieces that tell what came of a turn, beside its cards and its points."""


def _lost(points: int) -> tuple[Say, ...]:
    return (say("tutto-story-lost", points=points),) if points else ()


def _key(card: Card) -> str:
    return card.value.replace("_", "-")


def _effect(card: Card, alone: bool) -> Say:
    """Say what a card does; a player who is ``alone`` has no leaders to take points from."""
    key = "bonus" if card.bonus else _key(card)
    if alone and card is Card.PLUS_MINUS:
        key += "-alone"
    points = card.bonus or _POINTS.get(card)
    return say(f"tutto-does-{key}", points=points) if points else say(f"tutto-does-{key}")


def _best_keeps(state: State) -> list[Dice]:
    """Return the sets of dice to keep that score most for their number of dice, the largest first."""
    assert state.card is not None
    best: dict[int, Dice] = {}
    for dice in keepable(state.roll, state.card, state.aside):
        if len(dice) not in best or points(dice) > points(best[len(dice)]):
            best[len(dice)] = dice
    return [best[number] for number in sorted(best, reverse=True)]


def _completes(state: State, dice: Dice) -> bool:
    """Return whether keeping ``dice`` makes a Tutto."""
    return len(state.aside) + len(dice) == NUMBER_OF_DICE


def _mask_of(roll: Dice, dice: Dice) -> int:
    """Return the mask of the first dice of a roll that show these faces."""
    mask, waiting = 0, list(dice)
    for index, face in enumerate(roll):
        if face in waiting:
            waiting.remove(face)
            mask |= 1 << index
    return mask


@lru_cache(maxsize=8192)
def _keep_and_roll(roll: Dice, dice: Dice, rest: int) -> Button:
    label = say("tutto-keep-and-roll", dice=Faces(dice), number=rest)
    return Button(f"k{_mask_of(roll, dice):02x}", label, SECONDARY)


def _units(state: State) -> tuple[int, ...]:
    """Return the groups of dice that are marked together, as masks: triplets, and other valid dice alone."""
    assert state.card is not None
    return _grouped(state.roll, state.card, state.aside)


@lru_cache(maxsize=8192)
def _grouped(roll: Dice, card: Card, aside: Dice) -> tuple[int, ...]:
    valid = list(valid_dice(roll, card, aside))
    units = []
    for face in sorted(set(valid)):
        places = [index for index, shown in enumerate(roll) if shown == face][: valid.count(face)]
        size = 1 if face in (1, 5) or card is Card.STRAIGHT else 3
        for start in range(0, len(places), size):
            units.append(sum(1 << index for index in places[start : start + size]))
    return tuple(units)


def _mask(units: Sequence[int], view: str) -> int:
    """Return the mask of the marked dice; without a view all valid ones are marked."""
    if not view:
        return sum(units)
    mask = int(view, 16)
    return sum(unit for unit in units if mask & unit == unit)


def _faces(roll: Sequence[int], mask: int) -> tuple[int, ...]:
    return tuple(face for index, face in enumerate(roll) if mask >> index & 1)
