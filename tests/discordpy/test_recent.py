"""Values that are cached for a short time."""

from __future__ import annotations

from bot.discordpy.recent import Recent


def test_entries_expire_and_are_bounded() -> None:
    now = [1000.0]
    recent: Recent[str, int] = Recent(2, 10.0, lambda: now[0])
    recent.put("a", 1)
    now[0] += 5
    recent.put("b", 2)
    assert (recent.get("a"), recent.get("b"), recent.get("c")) == (1, 2, None)
    now[0] += 5
    assert (recent.get("a"), recent.get("b")) == (None, 2)
    recent.put("a", 3)
    recent.put("c", 4)
    assert (recent.get("a"), recent.get("b"), recent.get("c"), len(recent)) == (3, None, 4, 2)


def test_a_clock_that_is_set_back_keeps_nothing() -> None:
    now = [1000.0]
    recent: Recent[str, int] = Recent(2, 10.0, lambda: now[0])
    recent.put("a", 1)
    now[0] -= 3600
    assert recent.get("a") is None
