"""When Discord limits a message's edits, and what it refuses for its form."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import discord
import pytest

from bot.discordpy.acknowledging import snowflake_seconds
from bot.discordpy.components import Rendered
from bot.discordpy.errors import ARCHIVED_THREAD, INVALID_FORM, LOCKED_THREAD, OLD_MESSAGE_EDITS
from bot.services import table_messages
from bot.services.table_messages import OLD_MESSAGE_SECONDS, Paint, TableMessages, is_form_refused
from tests.support.rows import a_game

MESSAGE = 1_400_000_000_000_000_000


@pytest.mark.parametrize(("age", "old"), [(0.0, False), (OLD_MESSAGE_SECONDS, False), (3601.0, True)])
def test_a_message_is_old_after_an_hour(age: float, old: bool) -> None:
    assert messages_at(age).is_old(MESSAGE) is old


@pytest.mark.parametrize(("age", "limited"), [(0.0, False), (3601.0, True)])
async def test_only_edits_of_an_old_message_are_cut_short(
    monkeypatch: pytest.MonkeyPatch, age: float, limited: bool
) -> None:
    async def edit(**shown: object) -> None:
        await asyncio.sleep(0.02)

    monkeypatch.setattr(table_messages, "OLD_EDIT_SECONDS", 0.001)
    message = SimpleNamespace(edit=edit)
    channel = SimpleNamespace(get_partial_message=lambda message_id: message)
    client: Any = SimpleNamespace(get_partial_messageable=lambda *where, **guild: channel)
    with pytest.raises(TimeoutError) if limited else nullcontext():
        await messages_at(age, client).edit(Paint(a_game()), MESSAGE, Rendered([]), None, 10.0)


def messages_at(age: float, client: Any = None) -> TableMessages:
    """Return the writer of messages at a time when MESSAGE has this age, in seconds."""
    anything: Any = None
    sessions: Any = SimpleNamespace(now=lambda: snowflake_seconds(MESSAGE) + age)
    return TableMessages(client, sessions, anything, anything, anything, anything)


@pytest.mark.parametrize(
    ("status", "code", "refused"),
    [
        (400, INVALID_FORM, True),
        (413, 40005, True),
        (403, 50013, False),
        (500, 0, False),
        (400, OLD_MESSAGE_EDITS, False),
        (400, ARCHIVED_THREAD, False),
        (400, LOCKED_THREAD, False),
    ],
)
def test_what_is_refused_for_its_form(status: int, code: int, refused: bool) -> None:
    response: Any = SimpleNamespace(status=status, reason="")
    error = discord.HTTPException(response, {"code": code, "message": ""})
    assert is_form_refused(error) is refused
    assert not is_form_refused(OSError())
