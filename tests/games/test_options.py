"""Options of games: what is declared is accepted, offered and shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from bot.games import options
from bot.games.core import AnyGame, IllegalMove, Unreadable
from bot.games.options import Choice, Flag, GameOptions, Number, Option, Value, declared, flag, number
from bot.i18n.catalogue import Catalogue
from bot.i18n.say import say
from bot.registry import GAMES, TEXT_ICONS, find
from tests.support.examples import variants

every_game = pytest.mark.parametrize("game", [entry.rules for entry in GAMES.values()], ids=list(GAMES))


@dataclass(frozen=True, slots=True)
class Few(GameOptions):
    sides: int = number(6, least=4, most=20, step=2)
    many: int = number(500, least=100, most=10_000, step=50, setting="few-many")
    again: bool = flag(True)
    later: bool = flag(False, added=True)


def test_a_declaration_says_what_is_accepted() -> None:
    sides, many, again, later = declared(Few).values()
    assert [value for value in (3, 4, 5, 6, 20, 22, "6", 6.0, True, None, [6]) if sides.accepts(value)] == [
        4,
        6,
        20,
    ]
    assert [value for value in (0, 1, None, "", False) if again.accepts(value)] == [False]
    assert isinstance(many, Number)
    assert many.setting == "few-many"
    assert len(many.offered) <= options.MAX_OFFERED
    assert all(many.accepts(one) for one in many.offered)
    small = Number(3, 1, 5)
    assert [value for value in range(8) if small.accepts(value)] == list(small.offered) == [1, 2, 3, 4, 5]
    assert Number(3, 1, 5, menu=(2, 4)).offered == (2, 4)
    assert Few().to_json() == {"sides": 6, "many": 500, "again": True}
    assert later.accepts(True)
    assert list(variants(Few))[:2] == [
        {"sides": 4, "many": 100, "again": False, "later": False},
        {"sides": 4, "many": 100, "again": False, "later": True},
    ]


def test_an_added_flag_leaves_the_json_of_before_as_it_was() -> None:
    assert Few(later=True).to_json() == {"sides": 6, "many": 500, "again": True, "later": True}
    assert Few().values() == {**Few().to_json(), "later": False}
    with pytest.raises(IllegalMove):
        find("gambler").rules.options({"beginners": 1})


@every_game
def test_each_option_is_checked_and_told_what_would_be_right(game: AnyGame) -> None:
    catalogue = Catalogue(TEXT_ICONS)
    for name, option in declared(game.options_type).items():
        wrong: list[Any] = [None, [], {}, "no such value", -(10**9), 10**400, 1.0]
        right: list[Any] = [option.default]
        match option:
            case Number(least=least, most=most, step=step):
                wrong += [least - step, most + step, least + 1 if step > 1 else "", True, str(least)]
                right += [least, most, *option.offered]
                assert (option.default - least) % step == (most - least) % step == 0
            case Choice(values=values):
                wrong += [values[0].upper(), True]
                right += values
            case Flag():
                wrong += [0, 1, "true"]
                right += [True, False]
        for value in right:
            assert game.options({name: value}).values()[name] == value
        for value in wrong:
            with pytest.raises(IllegalMove) as caught:
                game.options({name: value})
            assert caught.value.code == f"error-{name}"
            for language in catalogue.languages:
                text = catalogue.text(language, say(caught.value.code, **caught.value.facts))
                assert text != caught.value.code
    assert game.options({}).values() == {
        name: option.default for name, option in declared(game.options_type).items()
    }
    with pytest.raises(Unreadable):
        game.options({"no-such-option": 1})


def test_settings_of_games_have_names_of_their_own() -> None:
    found = [
        option.setting
        for entry in GAMES.values()
        for option in declared(entry.rules.options_type).values()
        if option.setting
    ]
    assert len(set(found)) == len(found)
    # They stand in buttons, between dots.
    assert not [name for name in found if "." in name]


KINDS: dict[str, Option] = {"sides": Number(6, 4, 20), "how": Choice(("all", "one")), "again": Flag(True)}


@pytest.mark.parametrize("at", range(-1, 4))
def test_numbers_of_options_are_unpacked_or_refused(at: int) -> None:
    how = {0: "all", 1: "one"}.get(at)
    expected: dict[str, Value] | None = None if how is None else {"sides": 8, "how": how, "again": False}
    assert options.unpacked(KINDS, (8, at, 0)) == expected
    assert expected is None or options.packed(KINDS, expected) == (8, at, 0)
    assert options.unpacked(KINDS, (8, 0)) is None
    assert options.unpacked(KINDS, (8, 0, at)) == (
        {"sides": 8, "how": "all", "again": bool(at)} if at in (0, 1) else None
    )


def test_values_have_keys_in_the_catalogue() -> None:
    assert options.value_key("gambler", "two_stars", True) == "gambler-two-stars-true"
