"""A browser without a window (Chromium or Chrome, found on the PATH), driven over its debugging socket."""

from __future__ import annotations

import asyncio
import base64
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
MISSING = f"This needs a browser on the PATH, one of {', '.join(BROWSERS)}."
PATIENCE = 30.0
LOOK_SECONDS = 0.02
"""How often a page is asked whether it shows what is waited for."""

Tell = Callable[..., Awaitable[Any]]
"""Sends a method of the DevTools protocol with its parameters to a tab, and returns the result."""


def installed() -> str | None:
    """Return the path of a browser, or None if there is none."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


@asynccontextmanager
async def browser() -> AsyncIterator[str]:
    """Start a browser; the host and port of its debugging interface. Exits if there is none."""
    found = installed()
    if found is None:
        raise SystemExit(MISSING)
    # The browser's last process may still write there when the first has ended.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = await asyncio.create_subprocess_exec(
            found,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            # A tab behind another one goes on as fast as the one in front.
            "--disable-background-timer-throttling",
            "--disable-backgrounding-occluded-windows",
            "--disable-renderer-backgrounding",
            f"--user-data-dir={profile}",
            "--remote-debugging-port=0",
            "about:blank",
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            assert process.stderr is not None
            async with asyncio.timeout(PATIENCE):
                while b"DevTools listening on " not in (line := await process.stderr.readline()):
                    assert line, "the browser does not start"
            yield line.decode().split("ws://")[1].split("/")[0]
        finally:
            process.kill()
            await process.wait()


@asynccontextmanager
async def new_tab(host: str, complaints: list[str] | None = None) -> AsyncIterator[Tell]:
    """Open a tab of the browser with the debugging interface at ``host``.

    It is drawn as if it were in front. Errors in its console go to ``complaints``.
    """
    async with aiohttp.ClientSession() as http:
        async with http.put(f"http://{host}/json/new?about:blank") as reply:
            address = (await reply.json())["webSocketDebuggerUrl"]
        async with http.ws_connect(address, max_msg_size=0) as socket:
            numbers = iter(range(1, 1_000_000))

            async def tell(method: str, **params: Any) -> Any:
                number = next(numbers)
                await socket.send_json({"id": number, "method": method, "params": params})
                async with asyncio.timeout(PATIENCE):
                    while (answer := await socket.receive_json()).get("id") != number:
                        if complaints is not None and _is_error(answer):
                            complaints.append(str(answer["params"]))
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

            await tell("Emulation.setFocusEmulationEnabled", enabled=True)
            if complaints is not None:
                await tell("Log.enable")
                await tell("Runtime.enable")
            yield tell


def _is_error(event: Mapping[str, Any]) -> bool:
    match event:
        case {"method": "Runtime.exceptionThrown"}:
            return True
        case {"method": "Runtime.consoleAPICalled", "params": {"type": "error"}}:
            return True
        case {"method": "Log.entryAdded", "params": {"entry": {"level": "error"}}}:
            return True
    return False


@asynccontextmanager
async def one_tab() -> AsyncIterator[Tell]:
    """Start a browser with one tab."""
    async with browser() as host, new_tab(host) as tell:
        yield tell


async def resize(tell: Tell, width: int, height: int, scale: int = 1) -> None:
    """Give the tab a window of this many CSS pixels, of which each is ``scale`` pixels of a picture wide."""
    await tell(
        "Emulation.setDeviceMetricsOverride",
        width=width,
        height=height,
        deviceScaleFactor=scale,
        mobile=False,
    )


async def evaluate(tell: Tell, expression: str) -> Any:
    """Return the value of a JavaScript expression in the tab."""
    answer = await tell("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
    if "exceptionDetails" in answer:
        raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
    return answer["result"].get("value")


async def wait_for(tell: Tell, expression: str) -> Any:
    """Return the value of a JavaScript expression in the tab as soon as it is true.

    Raises ``TimeoutError`` after :data:`PATIENCE`.
    """
    end = time.monotonic() + PATIENCE
    while not (value := await evaluate(tell, expression)):
        if time.monotonic() > end:
            raise TimeoutError(f"the page never shows {expression}")
        await asyncio.sleep(LOOK_SECONDS)
    return value


async def screenshot(tell: Tell, clip: Mapping[str, float] | None = None) -> bytes:
    """Return what the tab shows, or the box ``clip`` of it, as PNG."""
    part = {} if clip is None else {"clip": {**clip, "scale": 1}}
    return base64.b64decode((await tell("Page.captureScreenshot", format="png", **part))["data"])
