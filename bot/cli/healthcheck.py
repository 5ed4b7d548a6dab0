"""``healthcheck``: ask the bot on this machine whether it is healthy, for containers and supervisors."""

from __future__ import annotations

import argparse
import urllib.error
import urllib.request

from bot.cli.text import printable
from bot.settings import Settings, WrongSetting

DESCRIPTION = (
    "Ask the bot that runs on this machine for /healthz and print the answer. Exits with 0 if it is healthy, "
    "else with 1. Needs the bot's METRICS_PORT."
)
TIMEOUT_SECONDS = 4.0
"""How long the bot may take to answer."""


def run(arguments: argparse.Namespace, settings: Settings | WrongSetting) -> int:
    """Print what /healthz answers, or why it can't be asked; return 0 if the bot is healthy, else 1."""
    if isinstance(settings, WrongSetting):
        print(settings)
        return 1
    if settings.metrics_port is None:
        print("METRICS_PORT is not set, so the bot can't be asked")
        return 1
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.metrics_host, settings.metrics_host)
    url = f"http://{host}:{settings.metrics_port}/healthz"
    # Proxies in the environment are for reaching Discord, not this machine.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=TIMEOUT_SECONDS) as answer:
            print(printable(answer.read().decode().strip()))
            return 0
    except urllib.error.HTTPError as error:
        with error:
            print(printable(error.read().decode().strip()))
    except OSError as error:
        print(printable(f"the bot does not answer: {error}"))
    return 1
