"""The fast way of answering a click sends the same as discord.py."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import discord
import pytest
from discord.webhook.async_ import AsyncWebhookAdapter, async_context

from bot.discordpy.components import NO_MENTIONS, render
from bot.discordpy.fast_response import edit_clicked, open_form, send_private
from bot.i18n.catalogue import Catalogue
from bot.i18n.say import say
from bot.registry import TEXT_ICONS
from bot.screens.private import note


class Listening(AsyncWebhookAdapter):
    """Notes what would be sent."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.sent: list[tuple[str, str, Any]] = []

    async def request(self, route: Any, session: Any, *, payload: Any = None, **rest: Any) -> Any:
        self.sent.append((route.method, route.url, payload))
        return {"interaction": {"id": "1", "type": 3}, "resource": {"type": 7}}


def clicked() -> Any:
    """A click on a message, as far as answering it needs one."""
    http = SimpleNamespace(proxy=None, proxy_auth=None)
    state = SimpleNamespace(
        http=http,
        allowed_mentions=None,
        prevent_view_updates_for=lambda message_id: None,
        store_view=lambda form: None,
    )
    interaction: Any = SimpleNamespace(
        id=7,
        token="secret",
        type=discord.InteractionType.component,
        message=SimpleNamespace(id=9),
        channel=None,
        channel_id=3,
        application_id=5,
        _session=None,
        _state=state,
    )
    interaction.response = discord.InteractionResponse(interaction)
    return interaction


async def test_it_sends_what_the_library_sends() -> None:
    adapter = Listening()
    async_context.set(adapter)
    board = render(note(say("done-left")), Catalogue(TEXT_ICONS), "en-US")
    usual, short = clicked(), clicked()
    await usual.response.edit_message(view=board.view, allowed_mentions=NO_MENTIONS)
    await edit_clicked(short, board.to_components())
    (method, url, payload), (short_method, short_url, short_payload) = adapter.sent
    assert (short_method, short_url) == (method, url)
    data = {name: value for name, value in payload["data"].items() if name != "tts"}
    assert short_payload == {"type": payload["type"], "data": data}
    assert short.response.type is usual.response.type
    assert short.response.is_done()
    with pytest.raises(discord.InteractionResponded):
        await edit_clicked(short, board.to_components())


async def test_a_private_message_is_what_the_library_sends() -> None:
    adapter = Listening()
    async_context.set(adapter)
    board = render(note(say("done-left")), Catalogue(TEXT_ICONS), "en-US")
    usual, short = clicked(), clicked()
    await usual.response.send_message(view=board.view, ephemeral=True, allowed_mentions=NO_MENTIONS)
    await send_private(short, board.to_components())
    (*expected, payload), (*found, short_payload) = adapter.sent
    assert found == expected
    data = {name: value for name, value in payload["data"].items() if name not in ("tts", "content")}
    assert (payload["data"]["tts"], payload["data"]["content"]) == (False, None)
    assert short_payload == {"type": payload["type"], "data": data}
    assert short.response.type is usual.response.type


async def test_a_form_is_what_the_library_sends() -> None:
    adapter = Listening()
    async_context.set(adapter)
    form: discord.ui.Modal = discord.ui.Modal(title="Options", custom_id="form")
    form.add_item(discord.ui.TextInput(label="Target", custom_id="target"))
    usual, short = clicked(), clicked()
    await usual.response.send_modal(form)
    await open_form(short, form.to_dict())
    expected, found = adapter.sent
    assert found == expected
    assert short.response.type is usual.response.type
