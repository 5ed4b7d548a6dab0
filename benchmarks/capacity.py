"""Measure what one process can carry: start-up, memory at rest and per server, clicks, AI moves.

    nice python -m benchmarks.capacity [--servers 2500] [--channels 40] [--roles 20] [--rounds 3]

Servers come in as the gateway sends them, through the parsers of discord.py into the cache that the bot sets.
Every measurement is made in a process of its own. docs/scaling.md reckons with the results.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import importlib
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PAGE = os.sysconf("SC_PAGE_SIZE")


def resident() -> float:
    """The memory of this process in MiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE / 2**20


def a_server(number: int, channels: int, roles: int, rng: random.Random) -> dict[str, Any]:
    """A GUILD_CREATE as Discord sends it for an ordinary server without the privileged intents."""
    guild_id = 10**18 + number * 10**6
    permissions = "1071698660929"
    return {
        "id": str(guild_id),
        "name": f"Server {number} of friends",
        "icon": f"{rng.getrandbits(128):032x}",
        "description": None,
        "splash": None,
        "discovery_splash": None,
        "features": ["COMMUNITY", "NEWS", "SOUNDBOARD"],
        "banner": None,
        "owner_id": str(guild_id + 1),
        "application_id": None,
        "region": "deprecated",
        "afk_channel_id": None,
        "afk_timeout": 300,
        "system_channel_id": str(guild_id + 10),
        "widget_enabled": False,
        "widget_channel_id": None,
        "verification_level": 1,
        "roles": [
            {
                "id": str(guild_id + 1000 * (role > 0) + role),
                "name": f"role {role}",
                "color": rng.getrandbits(24),
                "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
                "hoist": False,
                "icon": None,
                "unicode_emoji": None,
                "position": role,
                "permissions": permissions,
                "managed": False,
                "mentionable": False,
                "flags": 0,
            }
            for role in range(roles)
        ],
        "default_message_notifications": 1,
        "mfa_level": 0,
        "explicit_content_filter": 2,
        "max_presences": None,
        "max_members": 500000,
        "max_video_channel_users": 25,
        "vanity_url_code": None,
        "premium_tier": 0,
        "premium_subscription_count": 2,
        "system_channel_flags": 0,
        "preferred_locale": "en-US",
        "rules_channel_id": None,
        "safety_alerts_channel_id": None,
        "public_updates_channel_id": None,
        "premium_progress_bar_enabled": False,
        "nsfw": False,
        "nsfw_level": 0,
        "emojis": [
            {
                "id": str(guild_id + 5000 + emoji),
                "name": f"emoji_{emoji}",
                "roles": [],
                "require_colons": True,
                "managed": False,
                "animated": False,
                "available": True,
            }
            for emoji in range(20)
        ],
        "stickers": [],
        "joined_at": "2026-01-01T00:00:00.000000+00:00",
        "large": True,
        "unavailable": False,
        "member_count": 150,
        "voice_states": [],
        "members": [
            {
                "user": {
                    "id": "3",
                    "username": "dice",
                    "discriminator": "0",
                    "avatar": None,
                    "bot": True,
                    "global_name": None,
                },
                "roles": [],
                "joined_at": "2026-01-01T00:00:00.000000+00:00",
                "deaf": False,
                "mute": False,
                "flags": 0,
                "nick": None,
                "avatar": None,
                "pending": False,
            }
        ],
        "channels": [
            {
                "id": str(guild_id + 10 + channel),
                "type": 0 if channel % 4 else 2,
                "name": f"channel-{channel}",
                "position": channel,
                "parent_id": None,
                "topic": "what this channel is about, in a sentence or so",
                "nsfw": False,
                "last_message_id": None,
                "rate_limit_per_user": 0,
                "bitrate": 64000,
                "user_limit": 0,
                "rtc_region": None,
                "flags": 0,
                "permission_overwrites": [
                    {"id": str(guild_id + 1000 + role), "type": 0, "allow": "1024", "deny": "2048"}
                    for role in range(3)
                ],
            }
            for channel in range(channels)
        ],
        "threads": [],
        "presences": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
    }


async def rest(given: argparse.Namespace) -> dict[str, float]:
    """Import and open everything, as a start does that finds Discord as it left it; then add servers."""
    start = time.perf_counter()
    from benchmarks.desk import Desk
    from bot.client import DiceBot
    from bot.settings import Settings

    class Bot(DiceBot):
        async def _sync(self) -> None:
            pass

    imported = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder:
        bot = Bot(Settings(database=Path(folder) / "games.db", emojis=False, step_by_step=False))
        desk = Desk(bot)
        await desk.start()
        await bot.setup_hook()
        opened = time.perf_counter() - start - imported
        gc.collect()
        before, rng = resident(), random.Random(1)
        texts = [
            json.dumps(a_server(number, given.channels, given.roles, rng)) for number in range(given.servers)
        ]
        size = sum(map(len, texts)) / len(texts)
        # What the texts themselves take is not the cache's.
        with_texts = resident()
        parse: Callable[[Any], None] = bot._connection.parse_guild_create
        bot._connection._ready_state = None  # type: ignore[assignment]
        cpu = time.process_time()
        for text in texts:
            parse(json.loads(text))
        cpu = time.process_time() - cpu
        await asyncio.sleep(0)
        gc.collect()
        after = resident()
        assert len(bot.guilds) == given.servers, len(bot.guilds)
        await bot.close()
    return {
        "import s": imported,
        "open s": opened,
        "at rest MiB": before,
        "cache KiB/server": (after - with_texts) * 1024 / given.servers,
        "parse ms/server": 1000 * cpu / given.servers,
        "event KiB": size / 1024,
    }


async def thinker(given: argparse.Namespace) -> dict[str, float]:
    """What a process that thinks takes, and how many decisions it makes in a second."""
    from bot.registry import GAMES
    from bot.services.thinking import Thinker

    # By its full name, which the other process knows as well.
    memory = importlib.import_module("benchmarks.capacity").memory
    think = Thinker(60.0)
    try:
        start = time.perf_counter()
        await think(memory)
        started = time.perf_counter() - start
        figures = {"thinker start s": started}
        for key, entry in GAMES.items():
            level, policy = list(entry.policies.items())[-1]
            spent, number = 0.0, 0
            state = _midgame(entry)
            while number < 30:
                start = time.perf_counter()
                await think(policy.choose, state, random.Random(number))
                spent += time.perf_counter() - start
                number += 1
            figures[f"{key} {level} ms/decision"] = 1000 * spent / number
        figures["thinker MiB"] = await think(memory)
    finally:
        await think.close()
    return figures


def memory() -> float:
    """What the process that calls this takes once it has loaded what every decision needs, in MiB."""
    importlib.import_module("bot.registry")
    return resident()


def _midgame(entry: Any) -> Any:
    """A state in which somebody has more than one thing to do."""
    from bot.games.core import play, settle
    from bot.records.seeds import SeededChance

    rules, chance, rng = entry.rules, SeededChance(bytes(32)), random.Random(3)
    state = settle(rules, rules.initial(rules.options({}), 2), chance).state
    casual = entry.policies["casual"]
    for _ in range(40):
        state = play(rules, state, casual.choose(state, rng), chance).state
    while len(rules.legal(state)) < 2:
        state = play(rules, state, casual.choose(state, rng), chance).state
    return state


MEASURES = {"rest": rest, "thinker": thinker}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--servers", type=int, default=2500, help="as many as a shard may have")
    parser.add_argument("--channels", type=int, default=40)
    parser.add_argument("--roles", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", choices=MEASURES, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(asyncio.run(MEASURES[given.measure](given))))
        return
    print(f"Servers of {given.channels} channels and {given.roles} roles, {given.servers} of them.\n")
    print("| what | median | least | most |\n|--|--|--|--|")
    for measure in MEASURES:
        rounds = []
        for _ in range(given.rounds):
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.capacity", "--measure", measure, *_options(given)],
                capture_output=True,
                text=True,
                check=True,
            )
            rounds.append(json.loads(done.stdout.splitlines()[-1]))
        for name in rounds[0]:
            values = [one[name] for one in rounds]
            print(
                f"| {name} | {statistics.median(values):.2f} | {min(values):.2f} | {max(values):.2f} |",
                flush=True,
            )


def _options(given: argparse.Namespace) -> list[str]:
    names = ("servers", "channels", "roles")
    return [part for name in names for part in (f"--{name}", str(getattr(given, name)))]


if __name__ == "__main__":
    main()
