"""What is stored about a person and what they can do about it. For their eyes only."""

from __future__ import annotations

from bot.i18n.say import Say, say
from bot.screens.model import DANGER, SECONDARY, Button, Buttons, Divider, Screen, Text


def overview(*, unlisted: bool, done: Say | None = None) -> Screen:
    """The page; ``unlisted`` if they are on no leaderboard of this server, ``done`` what just happened."""
    hide = Button("pr.show", say("privacy-show")) if unlisted else Button("pr.hide", say("privacy-hide"))
    state = say("privacy-hidden" if unlisted else "privacy-listed")
    return Screen(
        (
            *((Text((done,)), Divider()) if done else ()),
            Text((say("privacy-title"), say("privacy-what"))),
            Divider(),
            Text((state,)),
            Buttons(
                (
                    Button("pr.export", say("privacy-export")),
                    hide,
                    Button("pr.ask", say("privacy-delete"), DANGER),
                )
            ),
        )
    )


def ask(games: int) -> Screen:
    """Before everything is deleted; ``games`` are those the person is in the middle of."""
    lines = [say("privacy-ask")]
    if games:
        lines.append(say("privacy-ask-playing", n=games))
    return Screen(
        (
            Text(tuple(lines)),
            Buttons(
                (
                    Button("pr.delete", say("privacy-delete-yes"), DANGER),
                    Button("pr.export", say("privacy-export"), SECONDARY),
                    Button("pr.all", say("privacy-keep"), SECONDARY),
                )
            ),
        )
    )


def erased() -> Screen:
    return Screen((Text((say("privacy-erased"),)),))
