"""What happens to the channels and threads of tables: deleted, locked, archived, opened, hidden, shown."""

from __future__ import annotations

import discord
from discord.ext.commands import Cog

from bot.client import DiceBot
from bot.store.base import GameRow


class Channels(Cog):
    def __init__(self, bot: DiceBot) -> None:
        self.bot = bot

    @Cog.listener()
    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        await self.bot.painter.channel_gone(channel.id)

    @Cog.listener()
    async def on_guild_channel_update(
        self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel
    ) -> None:
        """Show the games of a channel, and of its threads, that the bot may see or write to again."""

        def is_concerned(row: GameRow) -> bool:
            place = after.guild.get_channel_or_thread(row.channel_id)
            # Not every thread is known.
            parent_id = getattr(place, "parent_id", None) if place is not None else after.id
            return row.guild_id == after.guild.id and after.id in (row.channel_id, parent_id)

        await self.bot.painter.show_refused(is_concerned)

    @Cog.listener()
    async def on_guild_role_update(self, before: discord.Role, after: discord.Role) -> None:
        if before.permissions != after.permissions:
            await self._show_refused_in(after.guild)

    @Cog.listener()
    async def on_member_update(self, before: discord.Member, after: discord.Member) -> None:
        """Without the intent for members, Discord tells only of the bot itself."""
        if before.roles != after.roles:
            await self._show_refused_in(after.guild)

    async def _show_refused_in(self, guild: discord.Guild) -> None:
        await self.bot.painter.show_refused(lambda row: row.guild_id == guild.id)

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
