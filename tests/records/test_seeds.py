"""Dice and cards from a seed are reproducible, unbiased, and as documented."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.games.core import Outcomes
from bot.games.dice import rolls
from bot.games.tutto.cards import CARDS, FULL_DECK
from bot.records import seeds
from bot.records.seeds import SEED_BYTES, SeededChance, drawn_number, new_secret, seed_hash
from tests.support import examples as strategies  # noqa: F401  # loads the settings profile

SEED = bytes(range(SEED_BYTES))

# HMAC-SHA256 of 0, 1, 2 (8 bytes each) and attempt 0 (4 bytes) under SEED, computed with OpenSSL.
DIGESTS = [
    0x3BB1A79535DF1BF39745923048575EAF050C70A3DDB9EAFB5171DF270E31A9E0,
    0xDF20CCC6D03D3FB02AC0C096B9C46FF86D773B13C481C121CC0E019144BCC2E2,
    0x252695F0DAEA3D07798680612AE6E05B9B5BBD651CD2719EA101A33346923A2B,
]


def test_known_vectors() -> None:
    assert seed_hash(SEED) == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
    for index, digest in enumerate(DIGESTS):
        for below in (2, 6, 56, 6**6, 10**9 + 7):
            assert drawn_number(SEED, index, below) == digest % below


def test_a_draw_counts_weights_in_order() -> None:
    deck = list(zip(CARDS, FULL_DECK, strict=True))
    drawn = SeededChance(SEED).draw(deck)
    place = DIGESTS[0] % 56
    assert drawn == [card for card, weight in deck for _ in range(weight)][place]
    dice = SeededChance(SEED, 1).draw(rolls(6))
    assert SeededChance(SEED, 1).draw(Outcomes(rolls(6))) == dice
    place = DIGESTS[1] % 6**6
    for faces, weight in rolls(6):
        if place < weight:
            assert dice == faces
            break
        place -= weight


def test_the_index_alone_says_what_comes_next() -> None:
    outcomes = rolls(6)
    whole = SeededChance(SEED)
    drawn = [whole.draw(outcomes) for _ in range(50)]
    assert whole.index == 50
    for index in (0, 1, 17, 49):
        resumed = SeededChance(SEED, index)
        assert [resumed.draw(outcomes) for _ in range(50 - index)] == drawn[index:]
    assert [SeededChance(SEED, index).draw(outcomes) for index in range(50)] == drawn
    assert [SeededChance(bytes(32), index).draw(outcomes) for index in range(50)] != drawn


@given(st.binary(min_size=32, max_size=32), st.integers(0, 2**63), st.integers(1, 10**12))
def test_numbers_stay_in_their_range(seed: bytes, index: int, below: int) -> None:
    assert 0 <= drawn_number(seed, index, below) < below


@pytest.mark.parametrize("below", [1, 2, 3, 5, 6, 7, 11, 16])
def test_rejection_leaves_no_bias(monkeypatch: pytest.MonkeyPatch, below: int) -> None:
    """With digests of 4 bits all can be tried: each number comes up equally often, others are redrawn."""
    first: dict[str, int] = {}

    def new(seed: bytes, message: bytes, algorithm: str) -> SimpleNamespace:
        index, attempt = int.from_bytes(message[:8], "big"), int.from_bytes(message[8:], "big")
        assert (seed, len(message), algorithm) == (SEED, 12, "sha256")
        assert attempt <= 1
        # The second attempt is one that is always accepted.
        digest = bytes([first["digest"] if attempt == 0 else index % below])
        return SimpleNamespace(digest=lambda: digest)

    monkeypatch.setattr(seeds, "_SPACE", 16)
    monkeypatch.setattr(seeds, "hmac", SimpleNamespace(new=new))
    accepted, again = Counter[int](), 0
    for value in range(16):
        first["digest"] = value
        found = drawn_number(SEED, 12345, below)
        if value < 16 - 16 % below:
            accepted[found] += 1
        else:
            again += 1
            assert found == 12345 % below
    assert again == 16 % below
    assert set(accepted) == set(range(below))
    assert len(set(accepted.values())) == 1


def chi_square(counted: Counter[Any], expected: Mapping[Any, float]) -> float:
    assert set(counted) <= set(expected)
    return sum((counted[key] - mean) ** 2 / mean for key, mean in expected.items())


def test_600_000_dice_are_fair() -> None:
    """With a fixed seed the figure is always the same; one seed in a thousand exceeds 20.5."""
    rolled: Counter[object] = Counter(drawn_number(SEED, index, 6) for index in range(600_000))
    assert chi_square(rolled, dict.fromkeys(range(6), 100_000.0)) < 20.5


def test_rolls_and_cards_fall_by_their_weights() -> None:
    draws = 20_000
    for outcomes, limit in ((rolls(2), 45.3), (tuple(zip(CARDS, FULL_DECK, strict=True)), 29.6)):
        drawing = SeededChance(SEED)
        counted: Counter[object] = Counter(drawing.draw(outcomes) for _ in range(draws))
        total = sum(weight for _, weight in outcomes)
        assert chi_square(counted, {key: draws * weight / total for key, weight in outcomes}) < limit


def test_following_dice_do_not_depend_on_each_other() -> None:
    values = [drawn_number(SEED, index, 6) for index in range(60_001)]
    pairs: Counter[object] = Counter(pairwise(values))
    expected = {(a, b): 60_000 / 36 for a in range(6) for b in range(6)}
    assert chi_square(pairs, expected) < 66.6  # 35 degrees of freedom, one in a thousand


def test_seeds_are_new_every_time_and_promised_by_their_hash() -> None:
    seeds = {new_secret() for _ in range(100)}
    assert len(seeds) == 100
    for seed in seeds:
        assert len(seed) == SEED_BYTES
        assert re.fullmatch("[0-9a-f]{64}", seed_hash(seed))
        assert seed_hash(seed) == hashlib.sha256(seed).hexdigest()
