"""Positions of Tutto for several players that are played on again, and what replaces the first result."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

import tools
from benchmarks.tutto_field import again, chosen, difference
from bot.games.tutto.state import Edition, Options, State
from bot.strategy.tutto.winning import chances


def position(best: int, off: float) -> dict[str, Any]:
    """Return a position of three, where playing on gave the first seat so much more than the chance shown."""
    shown, _ = chances(State(Options(), (best, 3000, 2000)))
    won = [shown[0] + off, shown[1] - off, shown[2]]
    words = {"edition": "current", "target": 6000, "scores": [best, 3000, 2000], "seat": 0, "last": False}
    return {**words, "won": won, "error": 0.002}


def test_all_that_is_far_off_is_played_again_and_some_of_the_rest_as_controls() -> None:
    found = [position(3000 + 50 * place, 0.02 if place in {3, 7} else 0.001 * place) for place in range(9)]
    assert chosen(found, 0.0085, 0) == {3: "far", 7: "far"}
    assert chosen(found, 0.0055, 0) == {3: "far", 6: "far", 7: "far", 8: "far"}
    drawn = chosen(found, 0.0085, 4)
    assert list(drawn.values()) == ["far", "far", *["control"] * 4]
    assert {number for number, why in drawn.items() if why == "control"} <= {0, 1, 2, 4, 5, 6, 8}
    assert len(chosen(found, 0.0085, 100)) == len(found)


def test_what_comes_out_replaces_what_was_played_before(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [position(3000, 0.02), position(4000, 0.001), position(5000, 0.003)]

    class Field:
        def __init__(self, edition: Edition, target: int) -> None:
            assert (edition, target) == (Edition.CURRENT, 6000)

        def again(self, one: Mapping[str, Any], seed: int, error: float) -> dict[str, Any]:
            assert one is found[seed]
            return {**one, "won": position(one["scores"][0], 0.012)["won"], "error": error}

    monkeypatch.setattr(tools, "tutto_field", SimpleNamespace(Field=Field), raising=False)
    after = again(found, {0: "far", 2: "control"}, 0.0006)
    assert after[1] is found[1]
    assert [difference(one) for one in after] == pytest.approx([0.012, 0.001, 0.012])
    assert capsys.readouterr().out.splitlines()[2:] == [
        "| current | 6000 | 3000 3000 2000 | 0 | far | 0.0200 | 0.0020 | 0.0120 | 0.0006 |",
        "| current | 6000 | 5000 3000 2000 | 0 | control | 0.0030 | 0.0020 | 0.0120 | 0.0006 |",
    ]
