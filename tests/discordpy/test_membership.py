"""Who is in a server, by what Discord answers; no answer, late or broken, counts against nobody."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest

from bot.discordpy import channels, membership
from bot.discordpy.channels import is_accessible, is_locked
from bot.discordpy.errors import MISSING_ACCESS, UNKNOWN_GUILD, UNKNOWN_MEMBER, UNKNOWN_USER
from bot.discordpy.membership import is_in_guild, is_member

GUILD, PERSON, CHANNEL = 1, 2, 3


def answered(status: int, code: int = 0) -> discord.HTTPException:
    response: Any = SimpleNamespace(status=status, reason="")
    kind = {403: discord.Forbidden, 404: discord.NotFound}.get(status, discord.HTTPException)
    return kind(response, {"code": code, "message": ""})


def client_of(answer: Any) -> Any:
    """A client that gets this answer to whatever it asks Discord; None is no answer at all."""

    async def ask(*asked: Any, **more: Any) -> Any:
        if answer is None:
            await asyncio.sleep(60)
        if isinstance(answer, Exception):
            raise answer
        return answer

    http = SimpleNamespace(get_member=ask, get_guild=ask, get_channel=ask)
    return SimpleNamespace(http=http, get_guild=lambda guild_id: None)


BROKEN = [
    aiohttp.ServerDisconnectedError(),
    aiohttp.ClientPayloadError(),
    ConnectionResetError(),
    TimeoutError(),
    answered(500),
    answered(403, MISSING_ACCESS),
    answered(404),
    answered(404, UNKNOWN_GUILD),
]


@pytest.mark.parametrize("answer", [*BROKEN, {}])
async def test_who_is_not_known_to_have_left_counts_as_a_member(answer: Any) -> None:
    assert await is_member(client_of(answer), GUILD, PERSON)


@pytest.mark.parametrize("code", [UNKNOWN_MEMBER, UNKNOWN_USER])
async def test_who_has_left_is_no_member(code: int) -> None:
    assert not await is_member(client_of(answered(404, code)), GUILD, PERSON)


@pytest.mark.parametrize(
    ("answer", "known"),
    [
        ({}, True),
        (answered(404, UNKNOWN_GUILD), False),
        (answered(403, MISSING_ACCESS), False),
        (answered(500), None),
        (aiohttp.ServerDisconnectedError(), None),
    ],
)
async def test_only_discord_says_that_the_bot_has_left_a_server(answer: Any, known: bool | None) -> None:
    assert await is_in_guild(client_of(answer), GUILD) is known


async def test_no_question_waits_for_as_long_as_the_library_does(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (channels, membership):
        monkeypatch.setattr(module, "QUESTION_SECONDS", 0.01)
    silent = client_of(None)
    async with asyncio.timeout(10):
        assert await is_member(silent, GUILD, PERSON)
        assert await is_in_guild(silent, GUILD) is None
        assert not await is_locked(silent, GUILD, CHANNEL)
        assert await is_accessible(silent, CHANNEL)
