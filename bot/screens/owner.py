"""What the application's owner sees of the whole bot."""

from __future__ import annotations

from bot.i18n.say import say
from bot.screens.model import Screen, Text
from bot.store.base import Usage


def status(usage: Usage, servers: int, latency: float, version: str) -> Screen:
    """Show how much the bot is used.

    ``servers`` is how many it is in, ``latency`` the seconds that the gateway takes to answer.
    """
    return Screen.of(
        Text.of(
            say("owner-status", version=version, servers=servers, latency=round(latency * 1000)),
            say("owner-games", live=usage.live, lobbies=usage.lobbies, finished=usage.finished),
            say("owner-people", people=usage.people, clicks=usage.clicks),
        )
    )
