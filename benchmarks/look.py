"""What drawings and languages add to a click.

    python -m benchmarks.look [--games 60] [--rounds 20]

The same games are clicked twice, in turn, in one process: once with every emoji uploaded, on servers that
speak German, French, Italian and English by turns to people with clients in another of these languages; and
once as it would be without all that, in English, with text for pictures. The ratio of the medians counts.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import itertools
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.click import Bot, Table
from benchmarks.desk import Desk, buttons
from bot.services.emojis import drawn, name_of
from bot.settings import Settings

LANGUAGES = ("de", "fr", "it", "en-US")


class Counter(Desk):
    """A desk at which each channel's server speaks one language and its people another."""

    def __init__(self, bot: Bot, languages: tuple[str, ...]) -> None:
        super().__init__(bot)
        self.languages = languages

    async def send(self, text: str) -> dict[str, Any]:
        payload = json.loads(text)
        place = int(payload["channel_id"])
        payload["guild_locale"] = self.languages[place % len(self.languages)]
        payload["locale"] = self.languages[(place + 1) % len(self.languages)]
        return await super().send(json.dumps(payload))


async def opened(folder: Path, languages: tuple[str, ...], games: int) -> tuple[Bot, Counter, list[Table]]:
    """A bot with so many games that have just begun; the same ones each time."""
    bot = Bot(Settings(database=folder / "games.db", emojis=False))
    desk = Counter(bot, languages)
    await desk.start()
    numbers = itertools.count()
    bot.sessions.seed = lambda: hashlib.sha256(f"look {next(numbers)}".encode()).digest()
    tables = [Table(desk, 1000 + number) for number in range(games)]
    for table in tables:
        await table.open()
    return bot, desk, tables


def ongoing(table: Table) -> bool:
    tokens = [button["custom_id"].split(":")[3] for button in buttons(table.shown)]
    return not any(token.startswith("e.") for token in tokens)


async def measure(desk: Desk, tables: list[Table]) -> list[float]:
    """Seconds of processor time of one click at each table."""
    desk.resume()
    found = []
    # A Cloverleaf may end a game at any time; the others go on.
    for table in (one for one in tables if ongoing(one)):
        before = time.process_time()
        await table.step()
        found.append(time.process_time() - before)
    return found


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as plain_folder, tempfile.TemporaryDirectory() as full_folder:
        plain = await opened(Path(plain_folder), ("en-US",), given.games)
        full = await opened(Path(full_folder), LANGUAGES, given.games)
        try:
            emojis = {
                icon: f"<:{name_of(icon)}:{1_400_000_000_000_000_000 + number}>"
                for number, icon in enumerate(drawn())
            }
            full[0].catalogue.use(emojis)
            times: dict[str, list[float]] = {"plain": [], "full": []}
            both = {"plain": plain, "full": full}
            for number in range(given.rounds + 1):
                for name in ("plain", "full") if number % 2 else ("full", "plain"):
                    found = await measure(*both[name][1:])
                    # The first round fills the caches.
                    times[name] += found if number else []
        finally:
            await plain[0].close()
            await full[0].close()
    medians = {name: statistics.median(found) * 1e3 for name, found in times.items()}
    print(f"{len(times['plain'])} clicks each, processor time by median")
    print(f"English, text for pictures: {medians['plain']:.2f} ms")
    print(f"four languages, emojis: {medians['full']:.2f} ms")
    print(f"ratio {medians['full'] / medians['plain']:.3f}")


if __name__ == "__main__":
    asyncio.run(main())
