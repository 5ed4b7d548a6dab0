"""Ask a running bot on this machine how it is; containers and supervisors run it as ``python -m bot.probe``.

Exits with 0 if /healthz says that all is well, else with 1 and its reason. Needs the bot's METRICS_PORT.
"""

from __future__ import annotations

import sys
import urllib.error
import urllib.request

from bot.settings import WrongSetting, load

PATIENCE_SECONDS = 4.0


def main() -> int:
    try:
        settings = load()
    except WrongSetting as error:
        print(error)
        return 1
    if settings.metrics_port is None:
        print("METRICS_PORT is not set, so nobody can be asked")
        return 1
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.metrics_host, settings.metrics_host)
    url = f"http://{host}:{settings.metrics_port}/healthz"
    # Proxies of the environment are for the way to Discord.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=PATIENCE_SECONDS) as answer:
            print(answer.read().decode().strip())
            return 0
    except urllib.error.HTTPError as error:
        with error:
            print(error.read().decode().strip())
    except OSError as error:
        print(f"the bot does not answer: {error}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
