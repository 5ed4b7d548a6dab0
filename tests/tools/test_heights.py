"""What all see of a game fits on a phone, in every language."""

from __future__ import annotations

import pytest

from benchmarks.heights import PHONE, measure, too_tall
from tools.browser import MISSING, installed

VISIBLE = 650
"""The height that a phone of this width shows, in pixels."""


def test_some_may_be_taller() -> None:
    heights = {
        name: {"en": 640, "de": 651} for name in ("x2", "crowd-4-tutto", "crowd-10-tutto", "tutto-rematch")
    }
    assert too_tall(heights, 651) == []
    assert too_tall(heights, 650) == ["x2", "crowd-4-tutto"]


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(installed() is None, reason=MISSING)
async def test_lobbies_tables_and_results_fit_on_a_phone() -> None:
    heights = await measure(PHONE, ["lobby", "crowd", "end"])
    assert {"crowd-4-tutto", "crowd-4-gambler-end", "tutto-lobby"} <= heights.keys()
    assert too_tall(heights, VISIBLE) == []
