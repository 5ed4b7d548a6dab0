"""How a person wants to be called: the page, its form, and the direct messages."""

from __future__ import annotations

from collections.abc import Sequence

from bot.games.core import Unreadable
from bot.i18n.say import Icons, Moment, Say, say
from bot.screens.button_ids import Page
from bot.screens.model import LINE, OPTIONS, Button, Buttons, Entered, Field, FieldOption, Form, Screen, Text
from bot.screens.option_fields import choice_field, entered_number, entered_word
from bot.screens.settings import MAX_ZONE, find_zone
from bot.store.calls import HOURS, MOMENTS, NOTHING, WAYS, CallPreferences

OPEN, SET = "o", "s"
"""Tokens: open the form, and submit it."""

NEVER = "never"
"""The value of the field that begins the quiet hours, if there are none."""


def page(calls: CallPreferences, *, closed: bool = False) -> Screen:
    """Show what a person has chosen; ``closed`` is whether they take no direct messages from the bot."""
    lines = [say("calls-way", way=say(f"calls-way-{calls.way}"))]
    if closed:
        lines.append(say("calls-closed"))
    if calls.way != NOTHING:
        lines.append(say(f"calls-moment-{calls.moment}"))
        lines.append(_quiet(calls))
    button = Button(Page.CALLS.token(OPEN), say("settings-change"))
    return Screen((Text((say("calls-title"),)), Text((*lines, say("calls-what"))), Buttons((button,))))


def form(calls: CallPreferences) -> Form:
    """Return the form in which a person chooses."""
    start, end = calls.quiet if calls.quiet is not None else (None, None)
    hours = {str(hour): _hour(hour) for hour in HOURS}
    return Form(
        Page.CALLS.token(SET),
        say("calls-form"),
        (
            choice_field("way", say("calls-field-way"), {w: say(f"calls-way-{w}") for w in WAYS}, calls.way),
            choice_field(
                "moment",
                say("calls-field-moment"),
                {m: say(f"calls-when-{m}") for m in MOMENTS},
                calls.moment,
            ),
            _menu("from", {NEVER: say("calls-never"), **hours}, NEVER if start is None else str(start)),
            _menu("to", hours, str(end if end is not None else 7)),
            Field(
                "zone",
                say("settings-time-zone"),
                LINE,
                detail=say("settings-time-zone-detail"),
                most=MAX_ZONE,
                text=calls.zone,
            ),
        ),
    )


def entered_calls(entered: Entered, zones: Sequence[str]) -> CallPreferences:
    """Return what was entered. Raises :class:`Unreadable` for what can't be chosen."""
    way, moment, start = (entered_word(entered, name) for name in ("way", "moment", "from"))
    if way not in WAYS or moment not in MOMENTS:
        raise Unreadable("error-form-value")
    zone = find_zone(entered_word(entered, "zone"), zones)
    if start == NEVER:
        return CallPreferences(way, moment, None, zone)
    quiet = entered_number(start), entered_number(entered_word(entered, "to"))
    if any(hour not in HOURS for hour in quiet):
        raise Unreadable("error-form-value")
    if quiet[0] == quiet[1]:
        raise Unreadable("error-calls-hours")
    return CallPreferences(way, moment, quiet, zone)


def your_turn(game: str, link: str, until: float | None) -> Screen:
    """Write to a person that it is their turn, and when it is played for them, if ever."""
    title = say("calls-message", icon=Icons((f"game-{game}",)), game=say(f"{game}-name"))
    more = (say("calls-message-until", until=Moment(until)),) if until is not None else ()
    return Screen((Text((title, *more, say("mine-open", link=link), say("calls-message-why"))),))


def hello() -> Screen:
    """Write to a person who has just chosen direct messages."""
    return Screen((Text((say("calls-hello"),)),))


def _menu(name: str, words: dict[str, Say], chosen: str) -> Field:
    options = tuple(FieldOption(value, label, chosen=value == chosen) for value, label in words.items())
    return Field(name, say(f"calls-field-{name}"), OPTIONS, options)


def _quiet(calls: CallPreferences) -> Say:
    if calls.quiet is None:
        return say("calls-no-quiet")
    start, end = calls.quiet
    return say("calls-quiet", start=_hour(start), end=_hour(end), zone=calls.zone)


def _hour(hour: int) -> Say:
    return say("calls-hour", hour=hour)
