"""What the host can choose before a game: a form made from the options that the game has declared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.games.core import Unreadable
from bot.games.options import Flag, GameOptions, Value, declared, made, value_key
from bot.i18n.say import Say, say
from bot.screens.button_ids import SET_OPTIONS
from bot.screens.lobby import limit_name
from bot.screens.model import Entered, Field, Form
from bot.screens.option_fields import (
    SWITCHES,
    choice_field,
    digest,
    entered_value,
    entered_word,
    option_field,
    switches,
)
from bot.store.guild_settings import TURN_SECONDS

TURN_LIMIT, RATED = "turn_seconds", "rated"
"""Names of what every game has besides its own options."""


@dataclass(frozen=True, slots=True)
class LobbyOptions:
    """What can be chosen: the game's options, the turn limit, and whether the game is rated."""

    options: GameOptions
    turn_seconds: int
    rated: bool

    @property
    def digest(self) -> str:
        """A short text that is another one for other choices."""
        return digest([*self.options.to_json().items(), self.turn_seconds, self.rated])


def options_form(game: str, present: LobbyOptions) -> Form:
    """Return the form with a field for each option, and the present values chosen."""
    values = present.options.to_json()
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
    return LobbyOptions(made(type(present.options), chosen), turn_seconds, RATED in on)


def _limits(present: int) -> list[int]:
    """Return the turn limits to choose from, the longest last: none."""
    return [*sorted({*TURN_SECONDS, present} - {0}), 0]


def _word(game: str, name: str) -> Callable[[Value], Say]:
    def word(value: Value) -> Say:
        return (
            say("form-number", value=value) if isinstance(value, int) else Say(value_key(game, name, value))
        )

    return word
