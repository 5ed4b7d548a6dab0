"""The question whether somebody takes over a seat, which is a message of its own, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.games.seats import Seat
from bot.i18n.say import Argument, GameName, Mention, Moment, Name, say
from bot.screens.button_ids import OFFER
from bot.screens.model import SECONDARY, SUCCESS, Button, Buttons, Screen, Text, seat_name

TAKE, DECLINE, WITHDRAW = "take", "decline", "withdraw"
"""The answers, in the tokens of buttons: ``o.<answer>.<number of the question in hex>``."""


def token(answer: str, number: int) -> str:
    """Return the token of the button that gives this answer to the question of this number."""
    return f"{OFFER}{answer}.{number:x}"


def question(
    number: int, game: str, seats: Sequence[Seat], seated: int, asked: int, host: str, until: float
) -> Screen:
    """Ask the person ``asked`` to take over the seat of the person ``seated``, until a time in Unix seconds.

    ``host`` is the name of the person who wants that.
    """
    title = say(
        "offer-question",
        who=Mention(asked),
        host=Name(host),
        name=_name(seats, seated),
        game=GameName(game),
    )
    buttons = (
        Button(token(TAKE, number), say("offer-take"), SUCCESS),
        Button(token(DECLINE, number), say("offer-decline")),
        Button(token(WITHDRAW, number), say("offer-withdraw"), SECONDARY),
    )
    return Screen.of(Text.of(title, say("offer-until", until=Moment(until))), Buttons(buttons), mention=asked)


def answered(answer: str, seats: Sequence[Seat], seated: int, asked: int) -> Screen:
    """Show what became of a question; ``answer`` is how it is stored."""
    return Screen.of(Text.of(say(f"offer-{answer}", who=Mention(asked), name=_name(seats, seated))))


def over() -> Screen:
    """Show that a question is not open any more."""
    return Screen.of(Text.of(say("offer-over")))


def _name(seats: Sequence[Seat], user_id: int) -> Argument:
    """Return a person's name at the table, or a mention if they have no seat any more."""
    seat = next((number for number, held in enumerate(seats) if held.user_id == user_id), None)
    return seat_name(seats, seat) if seat is not None else Mention(user_id)
