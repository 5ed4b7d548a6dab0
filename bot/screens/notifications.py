"""How a person wants to be notified: the page, its form, and the direct messages."""

from __future__ import annotations

from collections.abc import Sequence

from bot.games.core import Unreadable
from bot.i18n.say import Icons, Moment, Say, say
from bot.screens.button_ids import Page
from bot.screens.model import LINE, OPTIONS, Button, Buttons, Entered, Field, FieldOption, Form, Screen, Text
from bot.screens.option_fields import choice_field, entered_number, entered_word
from bot.screens.settings import MAX_ZONE, find_zone
from bot.store.notifications import HOURS, MOMENTS, NOTHING, WAYS, NotificationPreferences

OPEN, SET = "o", "s"
"""Tokens: open the form, and submit it."""

NEVER = "never"
"""The value of the field that begins the quiet hours, if there are none."""


def page(chosen: NotificationPreferences, *, closed: bool = False) -> Screen:
    """Show what a person has chosen; ``closed`` is whether they take no direct messages from the bot."""
    lines = [say("notifications-way", way=say(f"notifications-way-{chosen.way}"))]
    if closed:
        lines.append(say("notifications-closed"))
    if chosen.way != NOTHING:
        lines.append(say(f"notifications-moment-{chosen.moment}"))
        lines.append(_quiet(chosen))
    button = Button(Page.NOTIFICATIONS.token(OPEN), say("settings-change"))
    return Screen.of(
        Text.of(say("notifications-title")), Text.of(*lines, say("notifications-what")), Buttons.of(button)
    )


def form(chosen: NotificationPreferences) -> Form:
    """Return the form in which a person chooses."""
    start, end = chosen.quiet if chosen.quiet is not None else (None, None)
    hours = {str(hour): _hour(hour) for hour in HOURS}
    return Form(
        Page.NOTIFICATIONS.token(SET),
        say("notifications-form"),
        (
            choice_field(
                "way",
                say("notifications-field-way"),
                {w: say(f"notifications-way-{w}") for w in WAYS},
                chosen.way,
            ),
            choice_field(
                "moment",
                say("notifications-field-moment"),
                {m: say(f"notifications-when-{m}") for m in MOMENTS},
                chosen.moment,
            ),
            _menu(
                "from", {NEVER: say("notifications-never"), **hours}, NEVER if start is None else str(start)
            ),
            _menu("to", hours, str(end if end is not None else 7)),
            Field(
                "zone",
                say("settings-time-zone"),
                LINE,
                detail=say("settings-time-zone-detail"),
                most=MAX_ZONE,
                text=chosen.zone,
            ),
        ),
    )


def entered_choice(entered: Entered, zones: Sequence[str]) -> NotificationPreferences:
    """Return what was entered. Raises :class:`Unreadable` for what can't be chosen."""
    way, moment, start = (entered_word(entered, name) for name in ("way", "moment", "from"))
    if way not in WAYS or moment not in MOMENTS:
        raise Unreadable("error-form-value")
    zone = find_zone(entered_word(entered, "zone"), zones)
    if start == NEVER:
        return NotificationPreferences(way, moment, None, zone)
    quiet = entered_number(start), entered_number(entered_word(entered, "to"))
    if any(hour not in HOURS for hour in quiet):
        raise Unreadable("error-form-value")
    if quiet[0] == quiet[1]:
        raise Unreadable("error-notifications-hours")
    return NotificationPreferences(way, moment, quiet, zone)


def your_turn(game: str, link: str, until: float | None) -> Screen:
    """Write to a person that it is their turn, and when it is played for them, if ever."""
    title = say("notifications-message", icon=Icons((f"game-{game}",)), game=say(f"{game}-name"))
    more = (say("notifications-message-until", until=Moment(until)),) if until is not None else ()
    return Screen.of(Text.of(title, *more, say("mine-open", link=link), say("notifications-message-why")))


def hello() -> Screen:
    """Write to a person who has just chosen direct messages."""
    return Screen.of(Text.of(say("notifications-hello")))


def _menu(name: str, words: dict[str, Say], chosen: str) -> Field:
    options = tuple(FieldOption(value, label, chosen=value == chosen) for value, label in words.items())
    return Field(name, say(f"notifications-field-{name}"), OPTIONS, options)


def _quiet(chosen: NotificationPreferences) -> Say:
    if chosen.quiet is None:
        return say("notifications-no-quiet")
    start, end = chosen.quiet
    return say("notifications-quiet", start=_hour(start), end=_hour(end), zone=chosen.zone)


def _hour(hour: int) -> Say:
    return say("notifications-hour", hour=hour)
