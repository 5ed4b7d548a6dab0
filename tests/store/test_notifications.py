"""What people have chosen about notifications is read as it was written."""

from __future__ import annotations

import pytest

from bot.store.base import Store
from bot.store.notifications import HALF, MENTION, MESSAGE, NOTHING, NotificationPreferences

USER = 11


@pytest.mark.parametrize(
    "chosen",
    [
        NotificationPreferences(NOTHING),
        NotificationPreferences(MENTION, quiet=(22, 7), zone="Europe/Zurich"),
        NotificationPreferences(MESSAGE, HALF, quiet=(0, 0), locale="de"),
    ],
)
async def test_a_choice_is_stored_and_exported(store: Store, chosen: NotificationPreferences) -> None:
    assert await store.notifications.of(USER) is None
    assert (await store.export(USER))["calls"] is None
    await store.notifications.choose(USER, NotificationPreferences(MENTION))
    await store.notifications.choose(USER, chosen)
    assert await store.notifications.of(USER) == chosen
    exported = (await store.export(USER))["calls"]
    assert (exported["way"], exported["moment"]) == (chosen.way, chosen.moment)
    assert (exported["quiet_from"], exported["quiet_to"]) == (chosen.quiet or (None, None))
