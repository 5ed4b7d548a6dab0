"""Sets other addresses than Discord's for the REST API and the gateway, for tests and proxies.

Written for discord.py 2.7.1, which has no parameter for them; the process tests cover it. If those do not
reach their own server after an upgrade, look where the library keeps its addresses now.
"""

from __future__ import annotations

import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route


def use(api_url: str | None, gateway_url: str | None) -> None:
    """Send requests to ``api_url`` and open the gateway at ``gateway_url``; None keeps Discord's own."""
    if api_url:
        Route.BASE = api_url
    if gateway_url:
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway_url)
