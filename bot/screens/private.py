"""Screens that one person sees: rules, notes, and questions before something final."""

from __future__ import annotations

from collections.abc import Sequence

from bot.games.core import Unreadable
from bot.i18n.say import Say, say
from bot.screens.button_ids import Page
from bot.screens.game_screen import AnyScreen
from bot.screens.model import DANGER, Button, Buttons, File, Screen, Text, choice_button, even_rows

TOPICS_A_ROW = 3
"""As many as fit beside each other on a phone, so that none stands alone below the others."""


def rules_page(game: str, screen: AnyScreen, topic: str) -> Screen:
    """Show one page of the rules, with a button for each page. Raises :class:`Unreadable`."""
    topics = screen.topics
    if topic not in topics:
        raise Unreadable("error-old-button")
    buttons = [
        choice_button(Page.RULES.token(game, other), say(f"{game}-rules-{other}-title"), other == topic)
        for other in topics
    ]
    return Screen.of(
        Text.of(say(f"{game}-rules-{topic}", **screen.rules_arguments)), *even_rows(buttons, TOPICS_A_ROW)
    )


def confirm(question: Say, token: str, answer: Say) -> Screen:
    """Show a question with a button that means yes. Doing nothing means no."""
    return Screen.of(Text.of(question), Buttons.of(Button(token, answer, DANGER)))


def notes(messages: Sequence[Say]) -> Screen:
    """Show lines of text."""
    return Screen.of(Text.of(*messages))


def note(message: Say, *, file: str = "") -> Screen:
    """Show a line of text, and below it the file of the name ``file``, if given."""
    return Screen.of(Text.of(message), File(file) if file else None)
