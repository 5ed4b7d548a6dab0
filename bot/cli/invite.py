"""``invite``: print the link that adds the bot to a server."""

from __future__ import annotations

import argparse
import asyncio

import discord

from bot.cli.text import FAILED, OK, REFUSED, TOKEN_HELP, fail
from bot.client import INTENTS, PERMISSIONS, SCOPES
from bot.discordpy.client_state import expect_no_voice
from bot.settings import Settings

DESCRIPTION = "Print the link that adds the bot to a server, with the fewest permissions it needs."


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Ask Discord for the application's id, print the link, and return the exit code."""
    if not settings.token:
        return fail(TOKEN_HELP)
    try:
        application = asyncio.run(_application(settings))
    except discord.LoginFailure:
        return fail("Discord refuses the token; check DISCORD_TOKEN.", REFUSED)
    except (discord.DiscordException, OSError) as error:
        return fail(f"Discord can't be reached: {error}", FAILED)
    print(discord.utils.oauth_url(application, permissions=PERMISSIONS, scopes=SCOPES))
    return OK


async def _application(settings: Settings) -> int:
    expect_no_voice()
    async with discord.Client(intents=INTENTS) as client:
        assert settings.token
        await client.login(settings.token)
        assert client.application_id is not None
        return client.application_id
