"""Count the requests with which games are shown step by step, against limits like those of Discord.

    python -m benchmarks.suspense [--tables 6] [--seconds 150]

The bot runs as a process of its own against a stand-in for Discord, in real time. Two people and two AIs
play at each table. People take 2 to 3 seconds for a click; they watch all steps before, or click on a step as
well. The stand-in announces no limit, so the bot's library never waits by itself: each request beyond one is
answered with 429 and counted.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import tempfile
import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterable
from pathlib import Path
from random import Random

from tests.support.discord_server.calls import Call
from tests.support.discord_server.faults import Rule
from tests.support.discord_server.people import Person
from tests.support.discord_server.player import Press, Script, Table, presses_of
from tests.support.discord_server.world import World, world_at_rest

LIMIT, WINDOW = 5, 5.0
"""Requests that Discord takes in so many seconds, of each token and of each channel. It publishes no figures;
these are what bots see in the headers of its answers to edits."""

PACE = 2.0, 3.0
"""How many seconds people take for a click, at least and at most."""

LOOK_SECONDS = 0.1
"""How often people look at a table where they are not to move."""

ROUTES = {
    "answer": ("POST", re.compile(r"^/interactions/(\d+)/.*/callback$")),
    "token": ("PATCH", re.compile(r"^/webhooks/\d+/([^/]+)/messages/")),
    "bot": ("PATCH", re.compile(r"^/channels/(\d+)/messages/\d+$")),
    "post": ("POST", re.compile(r"^/channels/(\d+)/messages$")),
}
"""The ways to show something, and in each path what its limit belongs to: a token or a channel."""

_NEXT = re.compile(r"Next: \*\*(\w+)\*\*")


class Limit(Rule):
    """Answers with 429 each request beyond the limit of its route and token or channel."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.taken: defaultdict[tuple[str, str], deque[float]] = defaultdict(deque)
        self.closest: Counter[str] = Counter()
        """The most requests of each route within a window."""

    def meets(self, method: str, path: str) -> bool:
        for name, (its_method, its_path) in ROUTES.items():
            found = its_path.match(path) if method == its_method else None
            if found is None:
                continue
            taken, now = self.taken[name, found[1]], time.monotonic()
            while taken and taken[0] <= now - WINDOW:
                taken.popleft()
            taken.append(now)
            self.closest[name] = max(self.closest[name], len(taken))
            if len(taken) > LIMIT:
                taken.pop()
                self.hits += 1
                return True
        return False


class Slowly(Script):
    """People who take some time for each click, and who watch the steps to their end or do not."""

    random = Random(0)
    watch = True
    on_steps = 0

    async def step(self) -> None:
        table = self.table()
        if table is not None and table.turn:
            if self._to_move(table) not in self.people:
                await asyncio.sleep(LOOK_SECONDS)
                return
            await asyncio.sleep(self.random.uniform(*PACE))
        await super().step()

    def _next(self, table: Table | None) -> list[Press] | None:
        if table is None or not table.turn:
            return super()._next(table)
        who, chosen = self.people.get(self._to_move(table)), self.choice(table)
        if who is None or chosen is None:
            return None
        self.on_steps += table.is_step
        return [self.press(who, table, chosen)]

    def _to_move(self, table: Table) -> str:
        if not table.is_step:
            return table.turn
        following = _NEXT.search(table.text)
        return following[1] if following and not self.watch else ""


def shown(calls: Iterable[Call]) -> Counter[str]:
    """Count the requests that showed something, by route; an acknowledgement alone shows nothing."""
    found: Counter[str] = Counter()
    for call in calls:
        for name, (method, path) in ROUTES.items():
            if call.method == method and path.match(call.path):
                found[name] += name != "answer" or (call.json or {}).get("type") == 7
    return found


async def measure(world: World, tables: int, seconds: float, *, steps: bool, watch: bool) -> str:
    """Play for so many seconds. Return a row of the table: what was clicked and shown."""
    world.bot.env["STEP_BY_STEP"] = "on" if steps else "off"
    scripts: list[Slowly] = []
    for number in range(tables):
        people = [Person.join(world.server, world.guild, f"{name}{number}") for name in ("ann", "ben")]
        channel = world.server.add_channel(world.guild, f"dice-{number}")
        scripts.append(Slowly(world.server, channel, people, seed=number, ais=2, target=50_000))
        scripts[-1].watch = watch
    async with world.bot:
        for script in scripts:
            while not (table := script.table()) or not table.turn:
                await script.step()
        await world.server.quiet()
        before = len(world.server.calls)
        limit = Limit("*", ".*", "limit", times=None, status=429, headers={"Via": "1.1 google"})
        limit.body = {"message": "You are being rate limited.", "retry_after": 1.0, "global": False}
        world.server.faults.add(limit)
        async with asyncio.TaskGroup() as group:
            for script in scripts:
                group.create_task(script.play())
            await asyncio.sleep(seconds)
            for script in scripts:
                script.stopped = True
        calls = world.server.calls[before:]
        turns = sum(turn for (turn,) in world.rows("SELECT json_extract(state, '$.finished') FROM games"))
        await world.bot.terminate()
    clicks = sum(press.is_move for press in presses_of(scripts))
    on_steps = sum(script.on_steps for script in scripts)
    found = shown(calls)
    edits = found["answer"] + found["token"] + found["bot"]
    kind = ("watched" if watch else "clicked on") if steps else "off"
    return (
        f"| {kind} | {turns} | {clicks} | {on_steps} | {found['answer']} | {found['token']} | {found['bot']} "
        f"| {found['post']} | {edits / turns:.2f} | {limit.closest['token']} | {limit.closest['bot']} "
        f"| {limit.hits} |"
    )


COLUMNS = (
    *(
        "steps",
        "turns",
        "clicks",
        "of these on a step",
        "answers",
        "edits by token",
        "edits by the bot",
        "posts",
    ),
    *("edits a turn", "most in 5 s by a token", "in a channel", "429"),
)


async def main() -> None:
    parser = argparse.ArgumentParser(
        description="Count the requests with which games are shown step by step."
    )
    parser.add_argument("--tables", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=150)
    given = parser.parse_args()
    print(f"| {' | '.join(COLUMNS)} |\n{'|--' * len(COLUMNS)}|")
    for steps, watch in ((True, True), (True, False), (False, True)):
        with tempfile.TemporaryDirectory() as folder:
            async with world_at_rest(Path(folder)) as world:
                row = await measure(world, given.tables, given.seconds, steps=steps, watch=watch)
        print(row, flush=True)


if __name__ == "__main__":
    asyncio.run(main())
