"""A small bot that tests the server: a counter on a board, and one command for each thing to try."""

from __future__ import annotations

import asyncio
import io
import logging
import os
import re
import signal
import sys
from typing import Any, Self

import aiohttp
import discord
import yarl
from discord import app_commands
from discord.ext import commands
from discord.gateway import DiscordWebSocket
from discord.http import Route

HOWS = ("edit", "own", "hint", "later", "late", "form", "boom")


class Step(discord.ui.DynamicItem[discord.ui.Button[Any]], template=r"step:(?P<how>\w+):(?P<count>\d+)"):
    """A button that counts in one of several ways; its custom id holds its whole state."""

    def __init__(self, how: str, count: int) -> None:
        super().__init__(discord.ui.Button(label=how, custom_id=f"step:{how}:{count}"))
        self.how, self.count = how, count

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction, item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """Rebuild the button from its id."""
        return cls(match["how"], int(match["count"]))

    async def callback(self, interaction: discord.Interaction) -> None:
        """Count in the way the button is named after."""
        response = interaction.response
        if self.how == "edit":
            await response.edit_message(view=Board(self.count + 1))
        elif self.how == "own":
            await response.defer()
            assert isinstance(interaction.channel, discord.TextChannel)
            assert interaction.message is not None
            message = interaction.channel.get_partial_message(interaction.message.id)
            await message.edit(view=Board(self.count + 1))
        elif self.how == "hint":
            may = interaction.permissions.manage_guild, interaction.app_permissions.attach_files
            text = f"{interaction.locale} {interaction.guild_locale} {may[0]} {may[1]}"
            await response.send_message(text, ephemeral=True)
        elif self.how == "later":
            await response.defer(ephemeral=True, thinking=True)
            await interaction.followup.send("after all", ephemeral=True)
        elif self.how == "late":
            await asyncio.sleep(3.2)
            await response.edit_message(view=Board(self.count + 1))
        elif self.how == "form":
            await response.send_modal(Form())
        else:
            raise RuntimeError("boom")


class Form(discord.ui.Modal, title="Form"):
    """A form with one line to fill in."""

    line: discord.ui.Label[Any] = discord.ui.Label(
        text="Line", component=discord.ui.TextInput(custom_id="line")
    )

    async def on_submit(self, interaction: discord.Interaction) -> None:
        """Say what was filled in."""
        assert isinstance(self.line.component, discord.ui.TextInput)
        await interaction.response.send_message(self.line.component.value, ephemeral=True)


class Menu(discord.ui.View):
    """A menu of two."""

    @discord.ui.select(options=[discord.SelectOption(label=n) for n in ("red", "blue")], custom_id="menu")
    async def chosen(self, interaction: discord.Interaction, select: discord.ui.Select[Self]) -> None:
        """Say what was chosen."""
        await interaction.response.send_message(select.values[0], ephemeral=True)


class Board(discord.ui.LayoutView):
    """A line of text and one button for each way to count."""

    def __init__(self, count: int) -> None:
        super().__init__(timeout=None)
        steps: list[discord.ui.Item[Any]] = [Step(how, count) for how in HOWS]
        text = discord.ui.TextDisplay[Self](f"count {count}")
        rows = [discord.ui.ActionRow[Self](*steps[i : i + 5]) for i in range(0, len(steps), 5)]
        self.add_item(discord.ui.Container(text, *rows))


class Try(app_commands.Group):
    """One subcommand for each thing to try."""

    @app_commands.command(description="Show a board")
    async def board(self, interaction: discord.Interaction, count: int = 0) -> None:
        """Answer with a board."""
        await interaction.response.send_message(view=Board(count))

    @app_commands.command(description="Defer, then answer")
    async def slow(self, interaction: discord.Interaction, who: discord.Member) -> None:
        """Answer by editing the deferred response."""
        await interaction.response.defer()
        await asyncio.sleep(0.1)
        await interaction.edit_original_response(content=f"hello {who.display_name}")

    @app_commands.command(description="Post with the bot's own rights")
    async def post(self, interaction: discord.Interaction) -> None:
        """Post once, although the first try may get no answer."""
        await interaction.response.defer(ephemeral=True)
        assert isinstance(interaction.channel, discord.TextChannel)
        tries = 1
        try:
            await interaction.channel.send("posted", nonce=str(interaction.id))
        except (aiohttp.ClientError, discord.DiscordServerError):
            tries = 2
            await interaction.channel.send("posted", nonce=str(interaction.id))
        await interaction.edit_original_response(content=f"tries {tries}")

    @app_commands.command(description="Edit a message with the bot's own rights")
    async def edit(self, interaction: discord.Interaction, message: str) -> None:
        """Edit a message and say how that went."""
        await interaction.response.defer(ephemeral=True)
        assert isinstance(interaction.channel, discord.TextChannel)
        try:
            await interaction.channel.get_partial_message(int(message)).edit(content="edited")
            result = "done"
        except discord.HTTPException as error:
            result = f"{error.status} {error.code}"
        except aiohttp.ClientError as error:
            result = type(error).__name__
        await interaction.edit_original_response(content=result)

    @app_commands.command(description="Choose from a menu")
    async def choose(self, interaction: discord.Interaction, colour: str = "") -> None:
        """Show a menu."""
        await interaction.response.send_message(colour or "which?", view=Menu(), ephemeral=True)

    @choose.autocomplete("colour")
    async def colours(self, interaction: discord.Interaction, typed: str) -> list[app_commands.Choice[str]]:
        """Offer the colours that begin with what was typed."""
        found = (name for name in ("red", "blue") if name.startswith(typed))
        return [app_commands.Choice(name=name, value=name) for name in found]

    @app_commands.command(description="Send a file")
    async def upload(self, interaction: discord.Interaction) -> None:
        """Answer with a file."""
        file = discord.File(io.BytesIO(b"six dice"), "dice.txt", description="the dice")
        await interaction.response.send_message("here", file=file)


@app_commands.context_menu(name="Greet")
async def greet(interaction: discord.Interaction, member: discord.Member) -> None:
    """Greet a member."""
    await interaction.response.send_message(f"hello {member.display_name}")


class SampleBot(commands.Bot):
    """Registers everything and says when it is ready or resumed."""

    async def setup_hook(self) -> None:
        """Register the button and the commands."""
        self.add_dynamic_items(Step)
        self.tree.add_command(Try(name="try", description="Things to try"))
        self.tree.add_command(greet)
        await self.tree.sync()
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, lambda: loop.create_task(self.close()))

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Identify again at once; the library would wait for five seconds."""

    async def on_ready(self) -> None:
        """Log the event."""
        logging.info("on_ready %s guilds", len(self.guilds))

    async def on_resumed(self) -> None:
        """Log the event."""
        logging.info("on_resumed")

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Log the event."""
        logging.info("on_guild_join %s", guild.name)


async def main() -> int:
    """Run until stopped; 3 if the token is wrong, 4 if an intent is not allowed."""
    Route.BASE = os.environ["DISCORD_API_URL"]
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["DISCORD_GATEWAY_URL"])
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s %(message)s")
    intents = discord.Intents.default()
    intents.members = "SAMPLE_MEMBERS" in os.environ
    bot = SampleBot(
        "!",
        intents=intents,
        help_command=None,
        heartbeat_timeout=float(os.environ.get("SAMPLE_HEARTBEAT_TIMEOUT", "60")),
        guild_ready_timeout=0.1,
    )
    try:
        async with bot:
            await bot.start(os.environ["DISCORD_TOKEN"])
    except discord.LoginFailure:
        logging.error("wrong token")
        return 3
    except discord.PrivilegedIntentsRequired:
        logging.error("an intent is not allowed")
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
