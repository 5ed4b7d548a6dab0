"""What Discord's refusals mean: exceptions of requests, and the codes of errors."""

from __future__ import annotations

import asyncio

import aiohttp
import discord

UNKNOWN_INTERACTION = 10062
ALREADY_ACKNOWLEDGED = 40060
TOO_LATE_CODES = frozenset({UNKNOWN_INTERACTION, ALREADY_ACKNOWLEDGED})
"""Discord's error codes after which it takes no first answer to an interaction."""

UNKNOWN_WEBHOOK, INVALID_TOKEN = 10015, 50027
GONE_CODES = frozenset({UNKNOWN_INTERACTION, UNKNOWN_WEBHOOK, INVALID_TOKEN})
"""Discord's error codes after which it takes no further answer to an interaction."""

UNKNOWN_CHANNEL, UNKNOWN_GUILD, UNKNOWN_MEMBER, UNKNOWN_MESSAGE, UNKNOWN_USER = (
    10003,
    10004,
    10007,
    10008,
    10013,
)
MISSING_ACCESS, INVALID_FORM = 50001, 50035
OLD_MESSAGE_EDITS = 30046
"""Too many edits of messages that are older than an hour, within a channel."""
ARCHIVED_THREAD, LOCKED_THREAD, THREAD_EXISTS = 50083, 160005, 160004

UNSEEN_CODES = frozenset({MISSING_ACCESS, ARCHIVED_THREAD, LOCKED_THREAD})
"""Discord's error codes in channels in which the bot can't even edit its own messages."""

DISCORD_ERRORS = (discord.DiscordException, aiohttp.ClientError, OSError, asyncio.TimeoutError)
"""Exceptions that a request to Discord may raise."""

QUESTION_SECONDS = 5.0
"""How long to wait for an answer that the bot can do without; the library would try for 25 seconds."""


class Late(Exception):
    """The answer came too late, or the interaction was answered before; Discord does not show it."""
