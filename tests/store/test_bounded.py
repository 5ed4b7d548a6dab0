"""The dictionary with a limit."""

from __future__ import annotations

from bot.store.bounded import Bounded


def test_every_way_to_set_an_entry_has_the_limit() -> None:
    kept: Bounded[int, str] = Bounded(2)
    kept.update({1: "a", 2: "b", 3: "c"})
    kept.setdefault(4, "d")
    assert list(kept.items()) == [(3, "c"), (4, "d")]
    kept.move_to_end(3)
    kept[5] = "e"
    assert list(kept) == [3, 5]
