"""What happens to the channels and threads of tables: deleted, locked, archived, opened again."""

from __future__ import annotations

import discord
from discord.ext.commands import Cog

from bot.client import DiceBot


class Channels(Cog):
    def __init__(self, bot: DiceBot) -> None:
        self.bot = bot

    @Cog.listener()
    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        await self.bot.painter.channel_gone(channel.id)

    @Cog.listener()
    async def on_ready(self) -> None:
        """Look at locked threads again after events were lost."""
        self.bot.deadlines.check_locked()

    @Cog.listener()
    async def on_thread_update(self, before: discord.Thread, after: discord.Thread) -> None:
        if before.locked != after.locked:
            await self.bot.deadlines.thread_changed(after.id, after.locked)
        if before.archived and not after.archived:
            await self.bot.painter.thread_opened(after.id)

    @Cog.listener()
    async def on_thread_join(self, thread: discord.Thread) -> None:
        """Take up a thread that was archived or hidden until now: the library did not know it."""
        await self.bot.deadlines.thread_changed(thread.id, thread.locked)
        if not thread.archived:
            await self.bot.painter.thread_opened(thread.id)

    @Cog.listener()
    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        await self.bot.painter.channel_gone(payload.thread_id)


async def setup(bot: DiceBot) -> None:
    await bot.add_cog(Channels(bot))
