"""Access to the internals of simcord's preview page."""

from __future__ import annotations

from typing import Any

OWN_PAGES = 2
"""How many pages a preview in one tab has: the tab's, and one of the library's own."""


def in_several_tabs(preview: Any) -> bool:
    """Return whether the preview is open in more than one browser tab.

    Written for simcord 3.2.1; ``tests/cogs/test_client_state.py`` tests it with the library. If that fails
    after an upgrade, delete this: other tabs then show clicks a little later.
    """
    return len(preview._pages) > OWN_PAGES
