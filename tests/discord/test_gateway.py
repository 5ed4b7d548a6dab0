"""Which gateway the bot connects to."""

from __future__ import annotations

from typing import Any

import pytest
import yarl
from discord.gateway import DiscordWebSocket

from bot.client import DiceBot
from bot.settings import Settings

NAMED = "wss://gateway.of.discord.example/"
SET = "ws://proxy.example:7878"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (Settings(), NAMED),
        (Settings(gateway_url=SET), SET),
        (Settings(gateway_url=SET, shard_count=2), SET),
    ],
)
async def test_a_gateway_that_is_set_is_used_with_as_many_shards_as_discord_advises(
    given: Settings, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    launched: list[tuple[str, int]] = []

    async def advice() -> Any:
        return 2, NAMED, {}

    async def launch(gateway: Any, shard_id: int, *, initial: bool = False) -> None:
        launched.append((str(gateway), shard_id))

    # As the command line does it.
    monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", yarl.URL(SET))
    bot = DiceBot(given)
    monkeypatch.setattr(bot.http, "get_bot_gateway", advice)
    monkeypatch.setattr(bot, "launch_shard", launch)
    await bot.launch_shards()
    assert [str(yarl.URL(gateway)) for gateway, _ in launched] == [str(yarl.URL(expected))] * 2
    assert [shard for _, shard in launched] == [0, 1]
