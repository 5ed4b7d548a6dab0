"""Starting threads, and what is left when Discord refuses a part of it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import discord
import pytest

from bot.discordpy.components import NO_MENTIONS
from bot.discordpy.errors import THREAD_EXISTS
from bot.discordpy.threads import add_to_thread, is_own_thread, start_thread

GUILD, CHANNEL, MESSAGE, PERSON, BOT = 1, 5, 7, 8, 9
OTHER_ERROR = 160006


def refused(code: int) -> Exception:
    response: Any = SimpleNamespace(status=400, reason="")
    return discord.HTTPException(response, {"code": code, "message": ""})


class Discord:
    """Notes what is asked for; a request that is named in ``refuses`` fails."""

    def __init__(self, **refuses: Exception) -> None:
        self.refuses = refuses
        self.asked: list[tuple[Any, ...]] = []
        http = SimpleNamespace(
            start_thread_with_message=lambda *where, **how: self._ask("start", *where, how),
            add_user_to_thread=lambda *who: self._ask("add", *who),
        )
        self.client: Any = SimpleNamespace(http=http)
        message = SimpleNamespace(id=MESSAGE, delete=lambda: self._ask("delete"))
        self.channel: Any = SimpleNamespace(
            id=CHANNEL,
            send=lambda **message: self._ask("send"),
            get_partial_message={MESSAGE: message}.__getitem__,
        )

    async def _ask(self, what: str, *how: Any) -> Any:
        self.asked.append((what, *how))
        if what in self.refuses:
            raise self.refuses[what]
        return SimpleNamespace(id=MESSAGE)

    async def start(self, name: str = "Tutto") -> int | None:
        rendered: Any = SimpleNamespace(view=None)
        return await start_thread(self.client, self.channel, name, rendered, NO_MENTIONS, "nonce")

    @property
    def requests(self) -> list[str]:
        return [what for what, *_ in self.asked]


async def test_a_thread_has_the_id_of_its_message() -> None:
    server = Discord()
    assert await server.start("T" * 101) == MESSAGE
    how = {"name": "T" * 100, "auto_archive_duration": 1440}
    assert server.asked == [("send",), ("start", CHANNEL, MESSAGE, how)]


@pytest.mark.parametrize(
    ("refuses", "found", "requests"),
    [
        ({"send": refused(OTHER_ERROR)}, None, ["send"]),
        ({"send": refused(THREAD_EXISTS)}, None, ["send"]),
        ({"start": refused(THREAD_EXISTS)}, MESSAGE, ["send", "start"]),
        ({"start": refused(OTHER_ERROR)}, None, ["send", "start", "delete"]),
        ({"start": TimeoutError()}, None, ["send", "start", "delete"]),
        ({"start": TimeoutError(), "delete": refused(OTHER_ERROR)}, None, ["send", "start", "delete"]),
    ],
)
async def test_without_a_thread_its_message_goes(
    refuses: dict[str, Exception], found: int | None, requests: list[str]
) -> None:
    server = Discord(**refuses)
    assert await server.start() == found
    assert server.requests == requests


@pytest.mark.parametrize("refuses", [{}, {"add": refused(OTHER_ERROR)}, {"add": TimeoutError()}])
async def test_a_person_is_added_if_discord_lets_them(refuses: dict[str, Exception]) -> None:
    server = Discord(**refuses)
    await add_to_thread(server.client, MESSAGE, PERSON)
    assert server.asked == [("add", MESSAGE, PERSON)]


@pytest.mark.parametrize(
    ("guild", "owner", "user", "own"),
    [
        (GUILD, BOT, BOT, True),
        (GUILD, PERSON, BOT, False),
        (GUILD, None, BOT, False),
        (GUILD, BOT, None, False),
        (GUILD + 1, BOT, BOT, False),
    ],
)
def test_whose_thread_it_is(guild: int, owner: int | None, user: int | None, own: bool) -> None:
    threads = {} if owner is None else {MESSAGE: SimpleNamespace(owner_id=owner)}
    client: Any = SimpleNamespace(
        get_guild={GUILD: SimpleNamespace(get_thread=threads.get)}.get,
        user=None if user is None else SimpleNamespace(id=user),
    )
    assert is_own_thread(client, guild, MESSAGE) is own
