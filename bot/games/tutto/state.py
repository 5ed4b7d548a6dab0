"""The values of a game of Tutto: options, state, actions, outcomes, events."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Annotated

from bot.games.base import GameState
from bot.games.core import Leave
from bot.games.dice import Dice, dice_from_json
from bot.games.json_forms import ReadBy
from bot.games.options import GameOptions, choice, number
from bot.games.tutto.cards import FULL_DECK, Card

NUMBER_OF_DICE = 6


class Edition(StrEnum):
    """The leaflet whose rules apply where leaflets differ."""

    CLASSIC = "classic"
    MODERN = "modern"
    CURRENT = "current"


_TARGETS = (1000, 2000, 3000, 4000, 5000, 6000, 8000, 10_000, 12_000, 15_000, 20_000, 30_000, 50_000)


@dataclass(frozen=True, slots=True)
class Options(GameOptions):
    """The edition of the rules, and how many points to reach."""

    edition: Edition = choice(Edition.CURRENT, Edition.MODERN, Edition.CLASSIC, setting="edition")
    target: int = number(6000, least=1000, most=50_000, step=500, setting="target", menu=_TARGETS)


class Phase(StrEnum):
    """What happens next."""

    START = "start"  # the seat turns the first card of its turn
    DRAW = "draw"  # chance turns a card
    ROLL = "roll"  # chance rolls the dice that are not aside
    CHOOSE = "choose"  # the seat puts dice aside or stops
    TUTTO = "tutto"  # all dice are aside: the seat stops or turns the next card
    OVER = "over"


SixDice = Annotated[Dice, ReadBy(partial(dice_from_json, most=NUMBER_OF_DICE))]


@dataclass(frozen=True)
class State(GameState):
    """A position. ``points`` is the turn total, including earlier cards of the turn but not ``roll``.

    ``aside`` are the dice put aside since the card was turned or since the last Tutto. ``clover`` counts the
    Tuttos with the open Cloverleaf, ``deck`` the cards left in the pile, by kind.
    """

    options: Options
    deck: tuple[int, ...] = FULL_DECK
    phase: Phase = Phase.START
    card: Card | None = None
    aside: SixDice = ()
    roll: SixDice = ()
    points: int = 0
    clover: int = 0
    last_round: bool = False


# Actions of a seat.


@dataclass(frozen=True, slots=True)
class TurnCard:
    """Turn the top card, at the beginning of a turn or after a Tutto."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Put these dice of the roll aside, and roll the rest; if none is left, it is a Tutto."""

    dice: SixDice


@dataclass(frozen=True, slots=True)
class Stop:
    """End the turn and bank its points; after a roll, this scores all valid dice of it."""


Action = TurnCard | Keep | Stop
TURN_CARD = TurnCard()
STOP = Stop()


# Outcomes of chance.


@dataclass(frozen=True, slots=True)
class Draw:
    """The card that is turned over."""

    card: Card


@dataclass(frozen=True, slots=True)
class Roll:
    """The faces the dice show, ascending."""

    dice: SixDice


Outcome = Draw | Roll
Move = Action | Outcome | Leave


# Events.


@dataclass(frozen=True, slots=True)
class CardTurned:
    seat: int
    card: Card
    reshuffled: bool  # the pile was empty and all 56 cards were shuffled for this draw


@dataclass(frozen=True, slots=True)
class Rolled:
    seat: int
    dice: Dice


@dataclass(frozen=True, slots=True)
class Kept:
    seat: int
    dice: Dice
    points: int  # that these dice add to the turn total


@dataclass(frozen=True, slots=True)
class TuttoMade:
    seat: int
    card: Card
    gained: int  # points that the card adds to the turn total
    points: int  # the turn total now


@dataclass(frozen=True, slots=True)
class Deducted:
    seat: int
    points: int  # that this leader lost


@dataclass(frozen=True, slots=True)
class Nulled:
    """A roll without a valid die ended the turn."""

    seat: int
    lost: int


@dataclass(frozen=True, slots=True)
class StopCardHit:
    """A Stop card ended the turn."""

    seat: int
    lost: int


@dataclass(frozen=True, slots=True)
class LeaderMissed:
    """A Plus/Minus card turned by a leader ended the turn (edition classic)."""

    seat: int
    lost: int


@dataclass(frozen=True, slots=True)
class Banked:
    seat: int
    points: int
    score: int
    fireworks: bool  # banked by the null that ends a Fireworks


@dataclass(frozen=True, slots=True)
class CloverleafWon:
    seat: int


@dataclass(frozen=True, slots=True)
class LastRoundBegan:
    seat: int


@dataclass(frozen=True, slots=True)
class SeatLeft:
    seat: int
    lost: int  # points of the turn that are lost with it


Event = (
    CardTurned
    | Rolled
    | Kept
    | TuttoMade
    | Deducted
    | Nulled
    | StopCardHit
    | LeaderMissed
    | Banked
    | CloverleafWon
    | LastRoundBegan
    | SeatLeft
)
