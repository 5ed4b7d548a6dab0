"""Measure how long the playground's page waits for a click: ``python -m benchmarks.playground``.

Starts the playground as ``make run`` does and plays against an AI as its page does, over HTTP, at the pace of
a person. A click's time is from sending it to having what the page shows next. Prints the median, the slowest
tenth and the slowest, and how many clicks the page refused because it was busy.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import os
import random
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import aiohttp

ROOT = Path(__file__).parents[1]
OPENS_WITHIN = 60.0
BUTTON, MENU = 2, 3
FORWARD = (
    *("Turn a card", "Bank", "Next card", "First Tutto", "Second Tutto", "Roll"),
    *("Rematch", "Start the game", "＋ Casual"),
)
"""How the labels of buttons begin that bring a game of Tutto forward, the most careful first, and then those
that begin one."""

LOOK_SECONDS = 0.5
"""How often a page looks whether there is something new."""

PAUSE_SECONDS = (0.3, 2.5)
"""Between two clicks of a person."""


class Page:
    """The playground's page, without a browser."""

    def __init__(self, http: aiohttp.ClientSession, state: dict[str, Any]) -> None:
        self._http = http
        self._sequence = itertools.count(1)
        self.state = state
        self.refused = 0

    @classmethod
    @contextlib.asynccontextmanager
    async def open(cls, url: str) -> AsyncIterator[Page]:
        """The page at the address that the playground announces."""
        origin, _, capability = url.partition("/#")
        async with aiohttp.ClientSession(origin, headers={"X-Simcord-Capability": capability}) as http:
            async with http.post("/api/pages", json={}) as answer:
                state = await answer.json()
            http.headers["X-Simcord-Context"] = state["context"]["id"]
            yield cls(http, state)

    def buttons(self) -> dict[str, dict[str, Any]]:
        """What the page sends for a click on the newest message that can be clicked, by label.

        Lines of menus are clicked like buttons.
        """
        for message in reversed(list(self.state["messages"].values())):
            found: dict[str, dict[str, Any]] = {}
            for one in _walk(message.get("components")):
                if one.get("type") not in (BUTTON, MENU) or one.get("disabled"):
                    continue
                key = {
                    "control_key": f"message:{message['id']}:component:{one['id']}",
                    "target_id": message["id"],
                }
                if one["type"] == BUTTON:
                    found[str(one.get("label") or "")] = {"kind": "click", **key}
                for line in one.get("options") or ():
                    found[line["label"]] = {"kind": "select", "values": [line["value"]], **key}
            if found:
                return found
        return {}

    def text(self) -> str:
        """Everything that the newest message says."""
        newest = list(self.state["messages"].values())[-1]
        return "\n".join(str(one["content"]) for one in _walk(newest) if isinstance(one.get("content"), str))

    def places(self) -> dict[str, Mapping[str, Any]]:
        """The rows of the list of places by name."""
        return {one["name"]: one for one in self.state["places"]}

    async def go(self, place: str, viewer: str | None = None) -> None:
        """Go to a place, as the person who is there or as the ``viewer`` with this id."""
        await self._act(
            kind="viewer",
            viewer_id=viewer or self.state["viewerId"],
            channel_id=self.places()[place]["id"],
        )

    async def command(self, *path: str) -> None:
        """Type a command without options."""
        async with self._http.get("/api/commands") as answer:
            known = (await answer.json())["entries"]
        entry = next(one for one in known if one["path"] == list(path))
        await self._act(
            kind="run_command",
            command_id=entry["commandId"],
            path=entry["path"],
            options={},
            schema_fingerprint=entry["schemaFingerprint"],
        )

    async def click(self, label: str) -> float:
        """Press a button, again and again until the page takes it; how many seconds that took.

        Raises ``KeyError`` if there is no such button.
        """
        start = time.perf_counter()
        click: dict[str, Any] | None = self.buttons()[label]
        while click is not None:
            if await self._act(**click):
                break
            self.refused += 1
            await asyncio.sleep(0.01)
            click = self.buttons().get(label)
        return time.perf_counter() - start

    async def _act(self, **action: Any) -> bool:
        sequence = next(self._sequence)
        body = {
            **action,
            "protocol_version": self.state["protocolVersion"],
            "sequence": sequence,
            "request_id": str(sequence),
            "generation": self.state["context"]["generation"],
            "bot_generation": self.state["botGeneration"],
            "published_revision": self.state["publishedRevision"],
        }
        async with self._http.post("/api/action", json=body) as answer:
            receipt = await answer.json()
        # While the page is being refreshed there is an error instead.
        taken = not receipt.get("rejected", True)
        await self.read()
        if not taken:
            used = receipt.get("expectedSequence", sequence - 1)
            self._sequence = itertools.count(used + 1)
        return taken

    async def rest(self, seconds: float) -> None:
        """Do nothing for a while. The page looks twice a second what is new."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            await asyncio.sleep(min(left, LOOK_SECONDS))
            if left >= LOOK_SECONDS:
                await self.read()

    async def read(self) -> None:
        async with self._http.get("/api/state") as answer:
            self.state = await answer.json()


def _walk(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _walk(one)


def next_click(labels: Iterable[str]) -> str | None:
    """Return the button to press next of those with these labels, if one brings the game forward."""
    labels = tuple(labels)
    return next((one for begin in FORWARD for one in labels if one.startswith(begin)), None)


@contextlib.asynccontextmanager
async def playground(folder: Path, port: int) -> AsyncIterator[str]:
    """A playground of its own in ``folder``; its address."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "playground", "--port", str(port)),
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None
        line = (await asyncio.wait_for(process.stdout.readline(), OPENS_WITHIN)).decode()
        if not line:
            raise SystemExit(f"the playground does not open: python -m bot playground --port {port} says why")
        yield line.split()[-1]
        process.send_signal(signal.SIGINT)
        await asyncio.wait_for(process.wait(), OPENS_WITHIN)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def measured(url: str, clicks: int) -> tuple[list[float], int]:
    """The seconds of so many clicks, in as many games as it takes, and how many were refused."""
    chance = random.Random(1)
    found: list[float] = []
    async with Page.open(url) as page:
        await page.click("Play Tutto")
        while len(found) < clicks:
            if (label := next_click(page.buttons())) is not None:
                found.append(await page.click(label))
            await page.rest(chance.uniform(*PAUSE_SECONDS))
    return found, page.refused


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clicks", type=int, default=150)
    parser.add_argument("--port", type=int, default=8767)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        async with playground(Path(folder), given.port) as url:
            found, refused = await measured(url, given.clicks)
    slow = statistics.quantiles(found, n=10)[-1]
    print(
        f"{len(found)} clicks: median {statistics.median(found):.3f} s, slowest tenth from {slow:.3f} s, "
        f"slowest {max(found):.3f} s; refused by a busy page: {refused}"
    )


if __name__ == "__main__":
    asyncio.run(main())
