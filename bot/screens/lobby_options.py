"""What the host can choose before a game: a form made from the options that the game has declared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.games.core import Unreadable
from bot.games.options import Flag, GameOptions, Value, build_options, declared, value_key
from bot.games.seats import Seat
from bot.i18n.say import Say, say
from bot.records.who_begins import BY_LOT, IN_ORDER
from bot.screens.button_ids import SET_OPTIONS
from bot.screens.lobby import limit_name
from bot.screens.model import Entered, Field, Form
from bot.screens.option_fields import (
    SWITCHES,
    choice_field,
    digest,
    entered_number,
    entered_value,
    entered_word,
    option_field,
    switches,
)
from bot.screens.seat_names import plain_name
from bot.store.guild_settings import TURN_SECONDS

TURN_LIMIT, RATED, BEGINS = "turn_seconds", "rated", "begins"
"""Names of the fields that every game has besides its own options."""


@dataclass(frozen=True, slots=True)
class LobbyOptions:
    """What can be chosen: the game's options, the turn limit, whether the game is rated, and who begins.

    ``begins`` is one of the ``seats``, or as in :mod:`~bot.records.who_begins`.
    """

    options: GameOptions
    turn_seconds: int
    rated: bool
    begins: int
    seats: tuple[Seat, ...]

    @property
    def digest(self) -> str:
        """A short text that differs for other choices."""
        return digest([*self.options.to_json().items(), self.turn_seconds, self.rated, _begins_word(self)])


def options_form(game: str, present: LobbyOptions, custom: Say | None = None) -> Form:
    """Return the form with a field for each option, and the present values chosen.

    ``custom`` says who begins by custom.
    """
    values = present.options.values()
    fields: list[Field] = []
    on: dict[str, tuple[Say, bool]] = {}
    for name, option in declared(type(present.options)).items():
        label = say(f"{game}-option-{name}")
        if isinstance(option, Flag):
            on[name] = (label, bool(values[name]))
        else:
            fields.append(option_field(name, label, option, values[name], _word(game, name)))
    limits = {str(seconds): limit_name(seconds) for seconds in _limits(present.turn_seconds)}
    fields.append(choice_field(TURN_LIMIT, say("lobby-timer"), limits, str(present.turn_seconds)))
    fields.append(
        choice_field(BEGINS, say("lobby-option-begins"), _begins_menu(present), _begins_word(present), custom)
    )
    on[RATED] = (say("lobby-option-rated"), present.rated)
    return Form(f"{SET_OPTIONS}{present.digest}", say("lobby-options"), (*fields, *switches(on)))


def entered_options(present: LobbyOptions, entered: Entered) -> LobbyOptions:
    """Return what was chosen. Raises :class:`Unreadable` for values that can't be chosen."""
    on = entered.get(SWITCHES, ())
    chosen: dict[str, Value] = {}
    for name, option in declared(type(present.options)).items():
        chosen[name] = name in on if isinstance(option, Flag) else entered_value(option, entered, name)
    limits = {str(seconds): seconds for seconds in _limits(present.turn_seconds)}
    turn_seconds = limits.get(entered_word(entered, TURN_LIMIT))
    if turn_seconds is None:
        raise Unreadable("error-form-value")
    options, begins = build_options(type(present.options), chosen), _entered_begins(present, entered)
    return LobbyOptions(options, turn_seconds, RATED in on, begins, present.seats)


_TABLE, _LOT = "table", "lot"
"""The values of the field that stand for the first at the table, and for a lot; a person's is their id."""


def _begins_menu(present: LobbyOptions) -> dict[str, Say]:
    """Return who can begin, by the value of the field. The first at the table is not named twice, unless
    that very person was chosen."""
    names = [plain_name(present.seats, number) for number in range(len(present.seats))]
    people = {
        str(seat.user_id): say("lobby-begins-person", name=names[number])
        for number, seat in enumerate(present.seats)
        if seat.human and (number or present.begins == 0)
    }
    return {_TABLE: say("lobby-begins-table", name=names[0]), _LOT: say("lobby-begins-lot"), **people}


def _begins_word(present: LobbyOptions) -> str:
    """Return the value that stands for the one who begins at present."""
    words = {IN_ORDER: _TABLE, BY_LOT: _LOT}
    return words.get(present.begins) or str(present.seats[present.begins].user_id)


def _entered_begins(present: LobbyOptions, entered: Entered) -> int:
    """Return who was chosen to begin. If they have left the table meanwhile, nothing changes."""
    word = entered_word(entered, BEGINS)
    if word in (_TABLE, _LOT):
        return IN_ORDER if word == _TABLE else BY_LOT
    entered_number(word)
    seats = (number for number, seat in enumerate(present.seats) if str(seat.user_id) == word)
    return next(seats, present.begins)


def _limits(present: int) -> list[int]:
    """Return the turn limits to choose from, the longest last: none."""
    return [*sorted({*TURN_SECONDS, present} - {0}), 0]


def _word(game: str, name: str) -> Callable[[Value], Say]:
    def word(value: Value) -> Say:
        return (
            say("form-number", value=value) if isinstance(value, int) else Say(value_key(game, name, value))
        )

    return word
