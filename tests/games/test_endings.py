"""Every game, and the template of a new one, played to each of its endings on the screens that people see.

Each text that is met is there in every language, and each picture has a name that is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from bot.games.core import CHANCE, OVER, AnyGame, SeatStats
from bot.games.seats import ai, person
from bot.i18n.catalogue import FOLDER, read
from bot.i18n.locales import SOURCE
from bot.i18n.say import Chain, Icons, Line, Say, say
from bot.registry import GAMES
from bot.screens.entry import Entry
from bot.screens.fairness import DiceSource
from bot.screens.history import ListPage, ShownFrame, replay
from bot.screens.icons import COMMON_ICONS
from bot.screens.lobby import lobby
from bot.screens.model import Act, Buttons, Picture, Screen, Section, Text
from bot.screens.private import rules_page
from bot.screens.result import ResultLine, finished
from bot.screens.stats import statistics
from bot.screens.table import TableContext, Waiting, summary, table
from bot.standings.values import Stats
from cogs.game import GameCommands
from tests.support.conventions import keys_of
from tests.support.examples import options_of, random_move, walk
from tests.support.pig import PIG, with_texts
from tests.support.values import not_none

ENTRIES = (*GAMES.values(), PIG)
SEATS = (person(1, "Anna"), person(2, "Ben"), ai("beginner"))
WAITING = Waiting()
MAX_GAMES = 2000
"""A Cloverleaf decides about one of fifty random games."""

every_entry = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.rules.key)


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The keys there are, by language."""
    folder = with_texts(tmp_path_factory.mktemp("texts") / "locale")
    return {language.name: keys(language.name, folder) for language in folder.iterdir()}


def keys(language: str, folder: Path) -> set[str]:
    return {str(one.id[0] if isinstance(one.id, (tuple, list)) else one.id) for one in read(language, folder)}


@cache
def game_with(rules: AnyGame, reason: str) -> tuple[Any, int]:
    """Options and the seed of a random game that ends in this way."""
    leaving = 0.05 if reason == "left" else 0.0
    for seed in range(MAX_GAMES):
        for options in options_of(rules):
            *_, (_, _, last) = walk(rules, options, len(SEATS), seed, leaving)
            result = not_none(rules.result(last.state))
            assert result.reason in rules.endings
            if result.reason == reason:
                return options, seed
    raise AssertionError(f"no game of {rules.key} ends by {reason}")


def said(value: object) -> Iterator[Say | Chain | Icons]:
    """All messages and pictures in a message."""
    if isinstance(value, Say):
        yield value
        for _, argument in value.args:
            yield from said(argument)
    elif isinstance(value, Chain):
        yield value
        for part in value.parts:
            yield from said(part)
    elif isinstance(value, Icons):
        yield value


def shown(screen: Screen) -> Iterator[Say | Chain | Icons]:
    """All messages and pictures on a screen."""
    for block in screen.blocks:
        match block:
            case Text(lines=lines):
                for line in lines:
                    yield from said(line)
            case Buttons(buttons=buttons):
                for button in buttons:
                    yield from said(button.label)
                    if button.icon:
                        yield Icons((button.icon,))
            case Section(lines=lines, button=button):
                for line in lines:
                    yield from said(line)
                yield from said(button.label)
            case Picture(alt=alt):
                yield from said(alt)
            case _:
                pass


def play_on_screens(entry: Entry, options: Any, seed: int, leaving: float) -> Iterator[Screen]:
    """A random game as a channel sees it; people only press what is there to be pressed."""
    own, screen, rng = entry.rules, entry.screen, Random(seed)
    state, events = own.initial(options, len(SEATS)), list[Any]()
    lines: tuple[Line, ...] = ()
    yield lobby(
        own.key,
        screen.goal(options),
        SEATS,
        1,
        least=own.min_seats,
        most=own.max_seats,
        levels=list(entry.policies),
        dice=DiceSource(own.key, "5e" * 32),
    )
    while own.to_move(state) != OVER:
        move = random_move(own, state, rng, leaving)
        if own.to_move(state) != CHANCE:
            view = ""
            context = TableContext(own, screen, SEATS, lines)
            yield table(context, state, view, 1, WAITING)
            yield summary(context)
            for row in screen.controls(state, view):
                for button in row.buttons:
                    pressed = screen.press(state, button.token)
                    if isinstance(pressed, Act):
                        assert button.disabled or pressed.action in own.legal(state)
                    else:
                        yield table(context, state, pressed.view, None, WAITING)
            frame = ShownFrame(state, state, lines, 1, 2, damaged=False)
            yield replay(own, screen, SEATS, frame, 1, ListPage("c"))
        step = own.apply(state, move)
        lines = screen.narrate(lines, step.events)
        events += step.events
        state = step.state
    result = not_none(own.result(state))
    stats = own.stats(events, len(SEATS))
    places = result.places()
    results = [
        ResultLine(seat, places[seat], result.scores[seat], one.best_turn, dict(one.feats))
        for seat, one in enumerate(stats)
    ]
    yield finished(
        own.key, screen, screen.title(state), SEATS, result, results, rematch=False, coach=True, pictured=True
    )
    yield replay(own, screen, SEATS, ShownFrame(state, None, lines, 2, 2, damaged=False), 1, ListPage("c"))
    for mark in screen.marks(events):
        yield Screen((Text((say(f"chart-mark-{mark.kind}"),)),))
    yield from statistics_of(entry, stats)


def statistics_of(entry: Entry, stats: tuple[SeatStats, ...]) -> Iterator[Screen]:
    for seat, one in enumerate(stats):
        assert set(entry.counted) <= set(one.feats)
        assert not entry.feat or entry.feat in one.feats
        whole = Stats(
            seat, "Anna", 1, 1, one.turns, one.best_turn, 9, 0, 0, None, None, 0, 1.0, dict(one.feats), (), ()
        )
        yield statistics(entry, whole)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        pytest.param(one, reason, id=f"{one.rules.key}-{reason}")
        for one in ENTRIES
        for reason in one.rules.endings
    ],
)
def test_everything_on_the_way_to_an_ending_has_its_text(
    entry: Entry, reason: str, texts: dict[str, set[str]]
) -> None:
    options, seed = game_with(entry.rules, reason)
    icons = COMMON_ICONS | entry.text_icons
    met = set[Say | Chain | Icons]()
    for screen in play_on_screens(entry, options, seed, 0.05 if reason == "left" else 0.0):
        met.update(shown(screen))
    assert {one for one in met if isinstance(one, Say) and one.key == f"end-won-{reason}"}
    for one in met:
        if isinstance(one, Icons):
            assert set(one.names) <= icons.keys()
        else:
            assert {language for language, known in texts.items() if one.key not in known} == set(), one.key


@every_entry
def test_rules_and_options_have_their_texts(entry: Entry, texts: dict[str, set[str]]) -> None:
    used = {
        one.key
        for topic in entry.screen.topics
        for one in shown(rules_page(entry.rules.key, entry.screen, topic))
        if not isinstance(one, Icons)
    }
    used.update(keys_of(entry))
    for options in options_of(entry.rules):
        used.update(
            one.key for line in entry.screen.goal(options) for one in said(line) if not isinstance(one, Icons)
        )
    for language, known in texts.items():
        assert used - known == set(), language


@every_entry
def test_commands_have_their_texts(entry: Entry, texts: dict[str, set[str]]) -> None:
    group: Any = GameCommands(SimpleNamespace(), entry)  # type: ignore[arg-type]
    names = {command.name for command in group.commands}
    assert {"start", "show", "leave", "end", "remove", "handover", "rules", "fair"} <= names
    assert ("review" in names) == (entry.coach is not None)
    start = group.get_command("start")
    assert [parameter.name for parameter in start.parameters] == [*entry.rules.options({}).values(), "rated"]
    assert not [parameter for parameter in start.parameters if parameter.required]
    for language, known in texts.items():
        for one in (group, *group.commands):
            assert one._locale_description.extras["key"] in known, language


def test_the_template_is_a_game_of_tests_alone() -> None:
    assert PIG.rules.key not in GAMES
    assert f"{PIG.rules.key}-name" not in keys(SOURCE, FOLDER)
