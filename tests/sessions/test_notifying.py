"""How a person is called: by what they chose, what it is about, and the clock where they are."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.sessions.notifying import Reason, is_quiet, way_to_notify
from bot.store.notifications import AT_ONCE, HALF, MENTION, MESSAGE, NOTHING, NotificationPreferences

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("way", "moment", "turn", "half", "asked", "unlimited"),
    [
        # The default: as everybody was called before there was a choice.
        (MENTION, AT_ONCE, MENTION, MENTION, MENTION, MENTION),
        (MENTION, HALF, NOTHING, MENTION, MENTION, MENTION),
        (MESSAGE, AT_ONCE, MESSAGE, MESSAGE, MENTION, MESSAGE),
        (MESSAGE, HALF, NOTHING, MESSAGE, MENTION, MESSAGE),
        (NOTHING, AT_ONCE, NOTHING, NOTHING, NOTHING, NOTHING),
        (NOTHING, HALF, NOTHING, NOTHING, NOTHING, NOTHING),
    ],
)
def test_what_when(way: str, moment: str, turn: str, half: str, asked: str, unlimited: str) -> None:
    chosen = NotificationPreferences(way, moment)
    assert [way_to_notify(chosen, reason, NOON) for reason in (Reason.TURN, Reason.HALF, Reason.ASKED)] == [
        *(turn, half, asked)
    ]
    assert way_to_notify(chosen, Reason.TURN, NOON, limited=False) == unlimited
    quiet = NotificationPreferences(way, moment, (11, 13))
    assert {way_to_notify(quiet, reason, NOON) for reason in Reason} == {NOTHING}
    loud = NotificationPreferences(way, moment, (13, 11))
    assert [way_to_notify(loud, reason, NOON) for reason in Reason] == [turn, half, asked]


@pytest.mark.parametrize(
    ("quiet", "zone", "utc", "expected"),
    [
        # From an hour to the same hour is no time.
        ((12, 12), "UTC", (2027, 1, 1, 12, 0), False),
        (None, "UTC", (2026, 7, 1, 3, 0), False),
        ((9, 17), "UTC", (2026, 7, 1, 8, 59), False),
        ((9, 17), "UTC", (2026, 7, 1, 9, 0), True),
        ((9, 17), "UTC", (2026, 7, 1, 16, 59), True),
        ((9, 17), "UTC", (2026, 7, 1, 17, 0), False),
        # Over midnight.
        ((22, 7), "UTC", (2026, 7, 1, 21, 59), False),
        ((22, 7), "UTC", (2026, 7, 1, 22, 0), True),
        ((22, 7), "UTC", (2026, 7, 2, 0, 30), True),
        ((22, 7), "UTC", (2026, 7, 2, 6, 59), True),
        ((22, 7), "UTC", (2026, 7, 2, 7, 0), False),
        ((22, 0), "UTC", (2026, 7, 1, 23, 59), True),
        ((22, 0), "UTC", (2026, 7, 2, 0, 0), False),
        ((0, 7), "UTC", (2026, 7, 2, 0, 0), True),
        # The same hours by another clock: 22:00 there is 20:00 UTC in summer, 21:00 in winter.
        ((22, 7), "Europe/Zurich", (2026, 7, 1, 20, 0), True),
        ((22, 7), "Europe/Zurich", (2026, 1, 1, 20, 0), False),
        ((22, 7), "Europe/Zurich", (2026, 1, 1, 21, 0), True),
        ((22, 7), "Europe/Zurich", (2026, 1, 2, 6, 0), False),
        # Half an hour beside the full ones.
        ((22, 7), "Asia/Kolkata", (2026, 1, 1, 16, 29), False),
        ((22, 7), "Asia/Kolkata", (2026, 1, 1, 16, 30), True),
        # Clocks go forward on 29 March at 2:00 to 3:00: the hour from 2 to 3 does not exist.
        ((2, 3), "Europe/Zurich", (2026, 3, 29, 0, 59), False),
        ((2, 3), "Europe/Zurich", (2026, 3, 29, 1, 0), False),
        ((22, 7), "Europe/Zurich", (2026, 3, 29, 4, 59), True),
        ((22, 7), "Europe/Zurich", (2026, 3, 29, 5, 0), False),
        # Clocks go back on 25 October at 3:00 to 2:00: that hour is there twice.
        ((2, 3), "Europe/Zurich", (2026, 10, 25, 0, 30), True),
        ((2, 3), "Europe/Zurich", (2026, 10, 25, 1, 30), True),
        ((2, 3), "Europe/Zurich", (2026, 10, 25, 2, 0), False),
        ((22, 7), "Europe/Zurich", (2026, 10, 25, 5, 59), True),
        ((22, 7), "Europe/Zurich", (2026, 10, 25, 6, 0), False),
        # A zone that this machine doesn't know counts as UTC.
        ((22, 7), "Atlantis/Capital", (2026, 7, 1, 22, 0), True),
    ],
)
def test_quiet_hours(
    quiet: tuple[int, int] | None, zone: str, utc: tuple[int, int, int, int, int], expected: bool
) -> None:
    assert (
        is_quiet(NotificationPreferences(quiet=quiet, zone=zone), datetime(*utc, tzinfo=UTC).timestamp())
        is expected
    )
