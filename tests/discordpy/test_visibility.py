"""Which channels somebody can see: the same as discord.py finds channel by channel."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import Any

import discord
import pytest

from bot.discordpy.visibility import Visibility

VIEW, ADMINISTRATOR = 1 << 10, 1 << 3
GUILD, OWNER, MEMBER = 1, 2, 3


def a_guild(rng: Random, channels: int, roles: int, overwrites: int) -> discord.Guild:
    def overwrite(number: int) -> dict[str, Any]:
        # Role ids, the member's, and other people's.
        kind = 0 if number < roles else 1
        given = {"id": str(100 + number) if kind == 0 else str(MEMBER + number - roles), "type": kind}
        if rng.random() < 0.1:
            given = {"id": str(GUILD), "type": 0}
        allow, deny = rng.choice([(VIEW, 0), (0, VIEW), (0, 0), (1 << 11, 1 << 20), (VIEW, 1 << 11)])
        return given | {"allow": str(allow), "deny": str(deny)}

    def overwrites_of_channel() -> list[dict[str, Any]]:
        found = [overwrite(rng.randrange(roles + 3)) for _ in range(overwrites)]
        return list({one["id"]: one for one in found}.values())

    state: Any = discord.AutoShardedClient(intents=discord.Intents(guilds=True))._connection
    payload: Any = {
        "id": str(GUILD),
        "owner_id": str(OWNER),
        "roles": [
            {"id": str(number), "name": "", "color": 0, "permissions": str(permissions), "position": 1}
            for number, permissions in [
                (GUILD, rng.choice([VIEW, 0])),
                *((100 + number, rng.choice([0, 0, 1 << 11, VIEW])) for number in range(roles)),
            ]
        ],
        "channels": [
            {
                "id": str(1000 + number),
                "type": rng.choice([0, 2, 4, 5, 13, 15]),
                "name": "",
                "position": 0,
                "bitrate": 64000,
                "user_limit": 0,
            }
            | {"permission_overwrites": overwrites_of_channel()}
            for number in range(channels)
        ],
    }
    return discord.Guild(data=payload, state=state)


def a_member(guild: discord.Guild, user_id: int, roles: list[int], **more: Any) -> discord.Member:
    user = {"id": str(user_id), "username": "", "discriminator": "0", "avatar": None}
    data: Any = {"user": user, "roles": [str(role) for role in roles], "flags": 0, "joined_at": None, **more}
    return discord.Member(data=data, guild=guild, state=guild._state)


@pytest.mark.parametrize("seed", range(30))
def test_it_is_as_discord_py_says(seed: int) -> None:
    rng = Random(seed)
    guild = a_guild(rng, channels=40, roles=6, overwrites=seed % 8)
    some = [100 + number for number in range(6) if rng.random() < 0.5]
    muted = {"communication_disabled_until": "2999-01-01T00:00:00+00:00"} if seed % 3 == 0 else {}
    for who in (OWNER, MEMBER, 4):
        member = a_member(guild, who, some, **muted)
        expected = {one.id for one in guild.channels if one.permissions_for(member).view_channel}
        assert set(Visibility(guild).of(member)) == expected
    # Somebody sees a part of them, in most servers.
    assert len(guild.channels) == 40


def test_an_administrator_sees_all() -> None:
    guild = a_guild(Random(1), channels=40, roles=2, overwrites=4)
    guild._roles[100]._permissions = ADMINISTRATOR
    assert len(Visibility(guild).of(a_member(guild, MEMBER, [100]))) == 40


def test_public_threads_are_seen_with_their_channel() -> None:
    guild = a_guild(Random(1), channels=40, roles=2, overwrites=4)
    member = a_member(guild, MEMBER, [100])
    seen = set(Visibility(guild).of(member))
    open_to_them = min(seen)
    hidden = min({channel.id for channel in guild.channels} - seen)
    for number, parent, private in ((7, open_to_them, False), (8, open_to_them, True), (9, hidden, False)):
        thread: Any = SimpleNamespace(id=number, parent_id=parent, is_private=lambda private=private: private)
        guild._add_thread(thread)
    assert set(Visibility(guild).of(member)) == {*seen, 7}
