"""Private pages about stored data: what is stored about a person, and what they can do about it."""

from __future__ import annotations

from bot.i18n.say import Say, say
from bot.screens.button_ids import Page
from bot.screens.model import DANGER, SECONDARY, Button, Buttons, Divider, Screen, Text

ALL, HIDE, SHOW, EXPORT, ASK, DELETE = "all", "hide", "show", "export", "ask", "delete"
"""Tokens of the buttons."""

_token = Page.PRIVACY.token


def overview(*, unlisted: bool, done: Say | None = None) -> Screen:
    """Show the page. ``unlisted`` is whether this server's leaderboards hide the person; ``done`` is what a
    click has just done."""
    hide = (
        Button(_token(SHOW), say("privacy-show")) if unlisted else Button(_token(HIDE), say("privacy-hide"))
    )
    state = say("privacy-hidden" if unlisted else "privacy-listed")
    return Screen.of(
        *((Text.of(done), Divider()) if done else ()),
        Text.of(say("privacy-title"), say("privacy-what")),
        Divider(),
        Text.of(state),
        Buttons.of(
            Button(_token(EXPORT), say("privacy-export")),
            hide,
            Button(_token(ASK), say("privacy-delete"), DANGER),
        ),
    )


def ask(games: int) -> Screen:
    """Ask before everything is deleted. ``games`` is the number of running games that the person is in."""
    lines = [say("privacy-ask")]
    if games:
        lines.append(say("privacy-ask-playing", n=games))
    return Screen.of(
        Text.of(*lines),
        Buttons.of(
            Button(_token(DELETE), say("privacy-delete-yes"), DANGER),
            Button(_token(EXPORT), say("privacy-export"), SECONDARY),
            Button(_token(ALL), say("privacy-keep"), SECONDARY),
        ),
    )


def erased() -> Screen:
    """Show that everything was deleted."""
    return Screen.of(Text.of(say("privacy-erased")))
