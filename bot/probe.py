"""``python -m bot.probe``: what deployments of earlier versions call ``python -m bot healthcheck``."""

from __future__ import annotations

import sys

from bot.cli import healthcheck
from bot.settings import Settings, WrongSetting, load


def main() -> int:
    """Check the running bot; return the exit code."""
    settings: Settings | WrongSetting
    try:
        settings = load()
    except WrongSetting as error:
        settings = error
    return healthcheck.check(settings)


if __name__ == "__main__":
    sys.exit(main())
