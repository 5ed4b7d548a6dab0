"""The real bot on a database of its own, in a Discord that lives in this process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from copy import deepcopy
from functools import cache, partial
from pathlib import Path
from types import NoneType, SimpleNamespace
from typing import Any

import discord
import pytest
import simcord
from discord import app_commands
from simcord import Env, components, gateway
from simcord.http import router

from bot.client import DiceBot
from bot.discordpy import command_sync, rate_limits
from bot.discordpy.preview.strictness import strict
from bot.services import luck_backfill, painter
from bot.settings import Settings
from bot.store.sqlite.store import SqliteStore
from bot.strategy.gambler import completion
from bot.strategy.gambler import tables as gambler_tables
from bot.strategy.tutto import learned
from bot.strategy.tutto import tables as tutto_tables
from tests.support.contract.checks import Contract
from tests.support.contract.simcord_side import checked
from tests.support.databases import migrated
from tests.support.values import not_none
from tests.support.world import World


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Consider a click settled when the bot is idle, not 50 ms later, and put nothing off for long."""
    defaults = not_none(Env._settle_internal.__kwdefaults__)
    monkeypatch.setitem(defaults, "idle", 0.001)
    monkeypatch.setattr(SqliteStore, "lazy_seconds", 0.0)
    # A bot that lives for five seconds would wait for it, since then it is due within the limit of settling.
    monkeypatch.setattr(luck_backfill, "FIRST_SECONDS", 60.0)
    # A paint that has failed is tried again after this, which no test waits for unless it means to.
    monkeypatch.setattr(painter, "RETRY_SECONDS", 60.0, raising=False)


_described: dict[str, Any] = {}
"""The payloads of the commands by their names; all bots of the tests register the same."""


@pytest.fixture(autouse=True)
def _describe_once(monkeypatch: pytest.MonkeyPatch) -> None:
    original = command_sync.payloads

    async def payloads(tree: app_commands.CommandTree[Any], scope: discord.Object | None = None) -> Any:
        names = " ".join(command.name for command in tree.get_commands(guild=scope))
        if names not in _described:
            _described[names] = await original(tree, scope)
        return _described[names]

    monkeypatch.setattr(command_sync, "payloads", payloads)


def _copied(value: Any) -> Any:
    if type(value) is dict:
        return {key: _copied(inner) for key, inner in value.items()}
    if type(value) is list:
        return [_copied(inner) for inner in value]
    return value if type(value) in (str, int, float, bool, NoneType) else deepcopy(value)


@pytest.fixture(autouse=True)
def _copy_json(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each request and each event is copied several times; they are JSON, and deepcopy does more."""
    monkeypatch.setattr(components, "deepcopy", _copied)
    for module in (gateway, router):
        monkeypatch.setattr(module, "copy", SimpleNamespace(deepcopy=_copied))


def _problems_here(module: Any, check: Callable[[Path], Any]) -> Any:
    return _problems(check, module.DIRECTORY)


@cache
def _problems(check: Callable[[Path], Any], folder: Path) -> Any:
    return check(folder)


@pytest.fixture(autouse=True)
def _check_tables_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each start of a bot checks all the tables of numbers in their folders, which do not change here."""
    for module in (tutto_tables, learned, gambler_tables, completion):
        monkeypatch.setattr(module, "problems", partial(_problems_here, module, module.problems))


@pytest.fixture(autouse=True)
def _no_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lift the limits of clicks, except where a test sets limits of its own."""
    for name in ("PERSON", "SERVER", "MISSES", "SERVER_MISSES", "PERSON_TYPING", "SERVER_TYPING"):
        monkeypatch.setattr(rate_limits, name, rate_limits.Rate(1e6, 1e6))


class _Errors(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(f"{record.name}: {logging.Formatter().format(record)}")


@pytest.fixture(autouse=True)
def expected_errors() -> Iterator[list[str]]:
    """Fail the test for any logged error of which it does not name a part here, and for any that it names in
    vain.
    """
    handler = _Errors()
    expected: list[str] = []
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield expected
    finally:
        root.removeHandler(handler)
    unexpected = [text for text in handler.texts if not any(part in text for part in expected)]
    assert not unexpected, "\n".join(unexpected)
    missing = [part for part in expected if not any(part in text for text in handler.texts)]
    assert not missing, f"these errors were expected in the log: {missing}"


@pytest.fixture(autouse=True)
def contract(monkeypatch: pytest.MonkeyPatch) -> Iterator[Contract]:
    """Check each request of the bot against Discord's description; fail the test at its end."""
    contract = Contract()
    monkeypatch.setattr(router, "dispatch", checked(contract, strict(router.dispatch)))
    yield contract
    contract.verify()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the bot's database is."""
    return migrated(tmp_path)


@pytest.fixture
async def make_bot(path: Path) -> AsyncIterator[Callable[[], DiceBot]]:
    """Makes bots on the one database, and closes them."""
    made: list[DiceBot] = []

    def make() -> DiceBot:
        # Threads: hundreds of bots would start as many processes.
        settings = Settings(database=path, emojis=False, step_by_step=False, shard_count=1)
        # The time of this Discord goes as far as tests move it, and so does the steady clock.
        made.append(
            DiceBot(
                settings,
                always_sync=True,
                think=asyncio.to_thread,
                steady=lambda: discord.utils.utcnow().timestamp(),
            )
        )
        return made[-1]

    yield make
    for bot in made:
        await bot.close()


@pytest.fixture
def simcord_bot(make_bot: Callable[[], DiceBot]) -> DiceBot:
    return make_bot()


@pytest.fixture
async def world(
    simcord_env: Env, make_bot: Callable[[], DiceBot], path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[World]:
    """Yield the bot and its people. At the end every interaction must have been answered, once."""
    world = World(simcord_env, make_bot, path)
    original = simcord.interactions.base_payload

    def base_payload(*args: Any, **kwargs: Any) -> Any:
        record, payload = original(*args, **kwargs)
        payload["locale"] = world.locales.get(kwargs["user_id"], "en-US")
        if kwargs["guild_id"] is not None:
            payload["guild_locale"] = world.guild_locales.get(kwargs["guild_id"], "en-US")
        return record, payload

    monkeypatch.setattr(simcord.interactions, "base_payload", base_payload)
    needed = simcord.intents.required_intent

    def required_intent(event: str, payload: Any) -> str | None:
        # A bot hears of its own roles without the intent (events/gateway#list-of-intents).
        me = str(simcord_env.backend.bot_user.id)
        own = event == "GUILD_MEMBER_UPDATE" and payload["user"]["id"] == me
        return None if own else needed(event, payload)

    monkeypatch.setattr(simcord.intents, "required_intent", required_intent)
    yield world
    await world.settle()
    for interaction in simcord_env.backend.interactions.values():
        if interaction.id in world.unanswered or not world.delivered[interaction.id]:
            continue
        name = f"{interaction.id} by {interaction.user_id}"
        assert interaction.responded, f"nobody answered interaction {name}"
        # A placeholder that was deleted waits for nothing any more.
        there = interaction.message_id in simcord_env.backend.messages.get(interaction.channel_id, {})
        assert not (interaction.loading and there), f"interaction {name} is still waiting for its answer"
        tries = len(world.requests("POST", f"/{interaction.id}/{interaction.token}/callback"))
        assert tries <= world.tries, f"interaction {name} was answered {tries} times"
