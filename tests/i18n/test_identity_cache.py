"""Caches whose keys are compared by identity."""

from __future__ import annotations

import gc
from dataclasses import FrozenInstanceError, dataclass

import pytest

from bot.games.values import replace
from bot.i18n.identity_cache import IdentityCache, IdentityCacheInContext


class Thing:
    """Equal to every other, so that a comparison would mix them up."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


def test_a_thing_is_known_by_what_it_is_and_not_by_what_it_equals() -> None:
    same: IdentityCache[Thing, int] = IdentityCache(id)
    things = [Thing() for _ in range(5)]
    assert [same(thing) for thing in things] == [id(thing) for thing in things]


def test_what_is_asked_for_outlives_generations_and_the_rest_goes() -> None:
    made: list[int] = []

    def make(thing: Thing) -> int:
        made.append(id(thing))
        return len(made)

    same = IdentityCache(make, size=10)
    kept = Thing()
    assert same(kept) == 1
    for _ in range(200):
        same(Thing())
        assert same(kept) == 1
    assert made.count(id(kept)) == 1
    gc.collect()
    assert len([one for one in gc.get_objects() if type(one) is Thing]) <= 21


def test_what_was_forgotten_is_made_again() -> None:
    made: list[Thing] = []
    same = IdentityCache(made.append, size=2)
    first = Thing()
    for thing in (first, *(Thing() for _ in range(6)), first):
        same(thing)
    assert [one is first for one in made].count(True) == 2


def test_everything_can_be_forgotten() -> None:
    made: list[object] = []
    same = IdentityCache[Thing, None](made.append)
    thing = Thing()
    for _ in range(2):
        for _ in range(3):
            same(thing)
        same.forget()
    assert len(made) == 2


def test_a_thing_is_known_in_its_latest_context() -> None:
    made: list[str] = []

    def make(thing: Thing, context: str) -> str:
        made.append(context)
        return context

    same = IdentityCacheInContext(make)
    thing, other = Thing(), Thing()
    asked = [(thing, "a"), (other, "b"), (thing, "a"), (thing, "c"), (thing, "c"), (thing, "a"), (other, "b")]
    assert [same(*one) for one in asked] == ["a", "b", "a", "c", "c", "a", "b"]
    assert made == ["a", "b", "c", "a"]


@dataclass(frozen=True)
class Value:
    a: int
    b: tuple[int, ...] = ()


def test_a_changed_value_is_another_one() -> None:
    value = Value(1, (2,))
    changed = replace(value, a=5)
    assert (changed, value) == (Value(5, (2,)), Value(1, (2,)))
    assert changed.b is value.b
    assert hash(changed) == hash(Value(5, (2,)))
    with pytest.raises(FrozenInstanceError):
        changed.a = 6  # type: ignore[misc]
    with pytest.raises(AssertionError, match="'c'"):
        replace(value, c=1)
