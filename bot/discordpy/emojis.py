"""Requests about the application's emojis."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

import discord


class DiscordEmojis:
    """The application's emojis in Discord. Each call is one request and may raise Discord's errors."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client

    async def all(self) -> Mapping[str, int]:
        """Return the ids of the application's emojis by name."""
        return {emoji.name: emoji.id for emoji in await self._client.fetch_application_emojis()}

    async def add(self, name: str, png: bytes) -> int:
        return (await self._client.create_application_emoji(name=name, image=png)).id

    async def remove(self, emoji_id: int) -> None:
        application_id = self._client.application_id
        assert application_id is not None
        with contextlib.suppress(discord.NotFound):
            await self._client.http.delete_application_emoji(application_id, emoji_id)
