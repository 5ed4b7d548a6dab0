"""Asking the bot's web server, and reading what it exports."""

from __future__ import annotations

import asyncio
import socket

import aiohttp
from prometheus_client.parser import text_string_to_metric_families


def free_port() -> int:
    """Return a port on which nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


async def get(port: int, path: str) -> tuple[int, str]:
    """Return the status and the text of a page."""
    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}{path}") as response:
        return response.status, await response.text()


async def healthy(port: int, status: int, within: float = 15.0) -> str:
    """Wait until /healthz has this status, and return its line."""
    async with asyncio.timeout(within):
        while True:
            try:
                code, text = await get(port, "/healthz")
            except aiohttp.ClientError:
                code, text = 0, ""
            if code == status:
                return text
            await asyncio.sleep(0.02)


def value(text: str, name: str, **labels: str) -> float | None:
    """Return one sample of a scrape, or None."""
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if sample.name == name and sample.labels == labels:
                return float(sample.value)
    return None
