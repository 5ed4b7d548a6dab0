"""The context menu of a message, for people who can't type commands."""

from __future__ import annotations

from typing import Any

import pytest
import simcord
from simcord.backend import Backend, serializers
from simcord.backend.models import Message

from bot.registry import GAMES
from bot.store.base import LIVE, LOBBY
from tests.support.world import World, private


@pytest.mark.parametrize("game", GAMES)
async def test_a_game_is_begun_without_typing(world: World, game: str) -> None:
    """A lobby comes from the menu of any message, and buttons do the rest."""
    message = await world.chiara.send(world.channel, "shall we play?")
    result = await world.anna.context_menu(world.channel, f"Play {game.capitalize()}", message)
    assert result.acknowledged
    row = await world.row()
    assert (row.game, row.status, row.host_id) == (game, LOBBY, world.anna.id)
    await world.press(world.ben, "Join")
    await world.press(world.anna, "Start the game")
    assert (await world.row()).status == LIVE
    again = await world.ben.context_menu(world.channel, f"Play {game.capitalize()}", message)
    assert "already has a game" in private(again)


async def test_the_menu_starts_what_the_server_prefers(world: World) -> None:
    await world.bot.servers.choose(world.guild.id, "target", 3000, 0.0)
    message = await world.ben.send(world.channel, "again")
    await world.anna.context_menu(world.channel, "Play Tutto", message)
    assert (await world.row()).options.target == 3000


async def test_a_message_that_the_library_can_not_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its contents are of no interest; the library alone would leave the command without an answer."""
    message = await world.ben.send(world.channel, "vote!")
    poll = {
        "question": {"text": "Dice?"},
        "answers": [{"answer_id": 1, "poll_media": {"text": "yes"}}],
        # Nullable, as Discord says, for polls to come that don't end.
        "expiry": None,
        "allow_multiselect": False,
        "layout_type": 1,
    }
    original = serializers.message_payload

    def payload(backend: Backend, stored: Message, **more: Any) -> dict[str, Any]:
        made = dict(original(backend, stored, **more))
        return {**made, "poll": poll} if stored.id == message.id else made

    monkeypatch.setattr(serializers, "message_payload", payload)
    await world.anna.context_menu(world.channel, "Play Tutto", message)
    assert (await world.row()).status == LOBBY


async def test_a_menu_without_its_message_is_refused_in_words(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = await world.ben.send(world.channel, "again")
    original = simcord.interactions.base_payload

    def base_payload(*args: Any, **kwargs: Any) -> Any:
        record, payload = original(*args, **kwargs)
        payload["data"].pop("resolved")
        return record, payload

    monkeypatch.setattr(simcord.interactions, "base_payload", base_payload)
    result = await world.anna.context_menu(world.channel, "Play Tutto", message)
    assert "make sense of that" in private(result)
    assert world.count("games") == 0
