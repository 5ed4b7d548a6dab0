"""How a person wants to be notified: the page, its form, and the direct messages."""

from __future__ import annotations

from collections.abc import Sequence

from bot.games.core import Unreadable
from bot.i18n.say import GameIcon, GameName, Moment, Say, say
from bot.screens.button_ids import Page
from bot.screens.model import Button, Buttons, Entered, Field, Form, Screen, Text
from bot.screens.option_fields import choice_field, entered_number, entered_word
from bot.screens.settings import find_zone, zone_field
from bot.store.notifications import HOURS, MOMENTS, NOTHING, WAYS, NotificationPreferences

OPEN, SET = "o", "s"
"""Tokens: open the form, and submit it."""

NEVER = "never"
"""The value of the field that begins the quiet hours, if there are none."""

USUAL_END = 7
"""The hour at which quiet hours end in the form of somebody who has none."""


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
    start, end = chosen.quiet if chosen.quiet is not None else (NEVER, USUAL_END)
    hours = {str(hour): _hour(hour) for hour in HOURS}
    return Form(
        Page.NOTIFICATIONS.token(SET),
        say("notifications-form"),
        (
            _choice("way", {way: say(f"notifications-way-{way}") for way in WAYS}, chosen.way),
            _choice("moment", {one: say(f"notifications-when-{one}") for one in MOMENTS}, chosen.moment),
            _choice("from", {NEVER: say("notifications-never"), **hours}, str(start)),
            _choice("to", hours, str(end)),
            zone_field("zone", say("settings-time-zone"), chosen.zone),
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
    title = say("notifications-message", icon=GameIcon(game), game=GameName(game))
    more = (say("notifications-message-until", until=Moment(until)),) if until is not None else ()
    return Screen.of(Text.of(title, *more, say("mine-open", link=link), say("notifications-message-why")))


def hello() -> Screen:
    """Write to a person who has just chosen direct messages."""
    return Screen.of(Text.of(say("notifications-hello")))


def _choice(name: str, words: dict[str, Say], chosen: str) -> Field:
    return choice_field(name, say(f"notifications-field-{name}"), words, chosen)


def _quiet(chosen: NotificationPreferences) -> Say:
    if chosen.quiet is None:
        return say("notifications-no-quiet")
    start, end = chosen.quiet
    return say("notifications-quiet", start=_hour(start), end=_hour(end), zone=chosen.zone)


def _hour(hour: int) -> Say:
    return say("notifications-hour", hour=hour)
