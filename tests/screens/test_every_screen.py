"""Every kind of screen at its largest: the longest names, the most seats and lines, the highest numbers.

Tables and lobbies are met along random games, see test_screens.py; here are all the others.
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import pkgutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, wraps
from random import Random
from types import FunctionType
from typing import Any

import pytest

import bot.screens
from bot.daily import screens as daily
from bot.daily.game import Attempt
from bot.daily.play import START, advance
from bot.discordpy.components import MAX_TEXT
from bot.games.core import OVER, Leave
from bot.games.options import Value
from bot.games.seats import person
from bot.games.tutto.cards import Card
from bot.games.tutto.state import Options, Phase, State
from bot.i18n.say import Icons, Name, Percent, SeatRef, say
from bot.registry import GAMES, find
from bot.screens import (
    advice,
    elsewhere,
    fairness,
    forecast,
    help,
    history,
    leaderboard,
    new_table,
    notifications,
    offers,
    open_tables,
    owner,
    privacy,
    private,
    puzzle,
    score_sheet,
    seasons,
    settings,
    stats,
)
from bot.screens.highlights import BestDecision, Highlights, TurnOfGame
from bot.screens.model import Button, Buttons, File, Picture, Screen, Section, Text, even_rows, message_link
from bot.screens.tutto.advice import calculator
from bot.services.guild_settings import game_settings
from bot.sessions.presentation import screen_of
from bot.standings.periods import zones
from bot.standings.seasons import MAX_LINES, SeasonLine
from bot.standings.values import (
    LUCK,
    LUCK_GAMES,
    CurvePoint,
    FinishedGame,
    Leaderboard,
    Opponent,
    Period,
    ServerRecord,
    SkillPoint,
    Sort,
    Standing,
)
from bot.standings.values import Stats as Statistics
from bot.store.base import DECLINED, FINISHED, TAKEN, WITHDRAWN, Usage
from bot.store.daily import DailyDay, DailyLine, DailyList, DailyPlay
from bot.store.guild_settings import MAX_CHOSEN, GuildSettings, defaults
from bot.store.notifications import MOMENTS, WAYS, NotificationPreferences
from bot.strategy.skill import Skill
from bot.strategy.tutto import Beginner, puzzles
from tests.screens.test_screens import DRAWN, NASTY, SNOWFLAKE, check, now, store_of, tables, wide_options
from tests.support.values import not_none
from tools.scenes import scenes

LARGEST = (1 << 31) - 1
LONG_GAME = SNOWFLAKE

Screens = Iterator[Screen]


def everybody(number: int) -> tuple[Any, ...]:
    """People with names of the greatest length, which escaping makes longer."""
    return tuple(person(SNOWFLAKE - seat, NASTY[seat % len(NASTY)]) for seat in range(number))


def positions(game: str, seed: int = 3, moves: int = 400) -> Iterator[tuple[Any, Any]]:
    own = find(game).rules
    yield from tables(game, seed, own.max_seats, wide_options(game)[0], moves)


LONG_HIGHLIGHTS = Highlights(
    TurnOfGame(
        1,
        LARGEST,
        (
            say("tutto-story-card", icon=Icons(("card-plus-minus",) * 20), card=say("tutto-card-plus-minus")),
            *(say("tutto-story-deducted", name=SeatRef(seat), points=1000) for seat in range(2)),
            say("points-won", points=LARGEST),
        ),
        (0.0, 1.0),
    ),
    BestDecision(
        0, LARGEST, say("tutto-do-keep", dice="1 1 1 5 5 5", n=6), say("tutto-do-stop", points=LARGEST), 0.999
    ),
)
"""As many highlights as a game can have."""


@cache
def end(game: str) -> Screen:
    """A finished game with all seats, nearly all of which left: one wins, and every line is as long as
    possible.
    """
    own = find(game).rules
    for row, state in positions(game, moves=60):
        if own.to_move(state) == OVER:
            continue
        over = state
        for seat in range(own.max_seats - 1):
            if own.to_move(over) != OVER and seat not in own.left(over):
                over = own.apply(over, Leave(seat)).state
        if own.to_move(over) == OVER:
            done = replace(row, status=FINISHED, state=over)
            return now(screen_of(store_of(done), done, pictured=True, highlights=LONG_HIGHLIGHTS))
    raise AssertionError("no game came to an end")


def the_ends() -> Screens:
    yield from map(end, GAMES)


def one_of_history() -> Screens:
    here = history.ListPage(history.SERVER, 9999)
    link = f"https://discord.com/channels/{SNOWFLAKE}/{SNOWFLAKE}/{SNOWFLAKE}"
    for game in GAMES:
        yield history.game(end(game), LONG_GAME, here, link, coach=True)


def replays() -> Screens:
    here = history.ListPage(history.SERVER, 9999)
    for game in GAMES:
        entry = find(game)
        for number, (row, state) in enumerate(positions(game)):
            if number % 5:
                continue
            lines = row.lines
            for last, damaged in ((number, True), (99_999, False)):
                shown = history.ShownFrame(state, state, lines, number, last, damaged=damaged)
                yield history.replay(entry.rules, entry.screen, row.seats, shown, LONG_GAME, here)
        opening = history.ShownFrame(state, None, (), 0, 99_999, damaged=False)
        yield history.replay(entry.rules, entry.screen, row.seats, opening, LONG_GAME, here)


def lists_of_games() -> Screens:
    for scope in (history.CHANNEL, history.SERVER):
        for more in (True, False):
            yield history.history([], history.ListPage(scope), more=more)
            for winners in ((0,), tuple(range(10))):
                seats = everybody(10)
                games = [
                    FinishedGame(LONG_GAME - n, SNOWFLAKE - n, "gambler", SNOWFLAKE, 1e10, seats, winners)
                    for n in range(history.PAGE)
                ]
                here = history.ListPage(scope, 9999)
                yield history.history(games, here, more=more, visible=(SNOWFLAKE,))


WORD = "*" * 40
"""The longest word, which escaping makes twice as long."""


def sources() -> Iterator[fairness.DiceSource]:
    """Where dice come from: before the start, during the game and after it, with the longest words."""
    link = message_link(SNOWFLAKE, SNOWFLAKE, SNOWFLAKE)
    people = [(Name(name), text) for name, text in zip(NASTY, itertools.cycle((WORD, None)), strict=False)]
    for game in GAMES:
        for words in ((), people[:1], (people * 10)[:10]):
            yield fairness.DiceSource(game, "5e" * 32, words=words)
            yield fairness.DiceSource(game, "5e" * 32, words=words, link=link)
            yield fairness.DiceSource(game, "5e" * 32, "0f" * 32, words, link)
        yield fairness.DiceSource(game, "5e" * 32, "0f" * 32, link=None)


def dice_pages() -> Screens:
    findings: list[fairness.Finding | None] = [
        None,
        fairness.Confirmed(LARGEST, LARGEST),
        fairness.Confirmed(LARGEST, LARGEST, 10),
        say("fair-problem", problem="x" * 500),
        say("fair-no-dice"),
        say("fair-other-rules", played=LARGEST, current=LARGEST),
    ]
    for source in sources():
        for finding in findings:
            yield fairness.page(source, finding, [fairness.record_button()])


SEASON = tuple(
    SeasonLine(n // 2 + 1, SNOWFLAKE, NASTY[n % len(NASTY)], LARGEST, LARGEST) for n in range(MAX_LINES)
)


def leaderboards() -> Screens:
    for game, entry in GAMES.items():
        for sort in Sort:
            for period in Period:
                board = Leaderboard(SNOWFLAKE, game, sort, period)
                rows = [
                    Standing(
                        n,
                        NASTY[n % len(NASTY)],
                        n // 2 * 2 + 1,
                        LARGEST,
                        LARGEST - n,
                        LARGEST,
                        LARGEST,
                        LARGEST,
                    )
                    for n in range(leaderboard.PAGE)
                ]
                zone = max(zones(), key=len)
                for chances in (None, dict.fromkeys(range(leaderboard.PAGE), 0.99)):
                    yield leaderboard.leaderboard(
                        board, entry.feat, rows, 9999, 10_000, zone=zone, me=3, forecasts=chances
                    )
                yield leaderboard.leaderboard(board, entry.feat, (), 0, 1)


def everybodys_statistics() -> Screens:
    for entry in GAMES.values():
        feats = dict.fromkeys(entry.counted, LARGEST)
        for luck in (-LARGEST, 0, LARGEST):
            for rating, rank in ((None, None), (LARGEST, None), (LARGEST, LARGEST)):
                for name in NASTY:
                    whose = Statistics(
                        SNOWFLAKE,
                        name,
                        LARGEST,
                        LARGEST,
                        LARGEST,
                        1,
                        LARGEST,
                        LARGEST,
                        LARGEST,
                        rating,
                        rank,
                        LARGEST,
                        1e10,
                        feats | {LUCK: luck, LUCK_GAMES: 1},
                        tuple(Opponent(n, NASTY[n], LARGEST, LARGEST) for n in range(5)),
                        tuple(CurvePoint(n, 1e10, LARGEST) for n in range(1, 50)),
                        (SkillPoint(LARGEST, Skill(1, 20, 9.9, 8.0, -0.999)),) * 120,
                    )
                    yield stats.statistics(entry, whose, stats.charts(whose.curve, whose.skills))


def all_records() -> Screens:
    for game in GAMES:
        yield stats.records(game, (), SNOWFLAKE, SNOWFLAKE)
        found = [
            ServerRecord(kind, LARGEST, SNOWFLAKE, NASTY[0], LONG_GAME, SNOWFLAKE, SNOWFLAKE, 1e10)
            for kind in ("best_turn", "score", "feat", "streak")
        ]
        yield stats.records(game, found, SNOWFLAKE, SNOWFLAKE)


MANY = tuple(SNOWFLAKE - n for n in range(MAX_CHOSEN))
OPTIONS: dict[str, Value] = {
    "edition": "classic",
    "target": 50_000,
    "gambler_stars": "distinct",
    "gambler_target": 1000,
    "gambler_choose": True,
}
CHANGED = GuildSettings(
    language="de",
    time_zone=max(zones(), key=len),
    options=OPTIONS,
    turn_seconds=259_200,
    rated=False,
    mentions="name",
    channels=MANY,
    starters=MANY,
)
LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "français", "it": "italiano"}
CHOICES = settings.Choices(LANGUAGES, zones(), game_settings())
GONE = replace(CHOICES, gone=("channels", "starters"), refused_card=682)


def all_settings() -> Screens:
    for chosen in (defaults(game_settings()), CHANGED):
        yield settings.overview(chosen, CHOICES)
    yield settings.overview(defaults(game_settings()), GONE)


def odds() -> Screens:
    """Of one position for each number of choices, because a choice is a line, and each kind of them."""
    for game, entry in GAMES.items():
        if entry.advice is None:
            continue
        met = set()
        for row, state in positions(game):
            if entry.rules.to_move(state) == OVER:
                continue
            choices = entry.rules.legal(state)
            if (kind := (len(choices), type(choices[0]))) not in met:
                met.add(kind)
                yield advice.odds_screen(row.seats, entry.rules.turn_seat(state), entry.advice.odds(state))


def calculators() -> Screens:
    for card in set(Card) - {Card.STOP, Card.STRAIGHT}:
        for dice in ("", "1", "1 1 5 5 6", "2 3 4 6 6 2", "1 2 3 4 5 6"):
            yield advice.calculator_screen(calculator(dice, card, 30_000))
    for dice, out in (("", None), ("1 2 2 5", "3 4"), ("6", "1 2 3 4 5"), ("1 2 3 4 5 6", None)):
        yield advice.calculator_screen(calculator(dice, Card.STRAIGHT, 30_000, out))


def reviews() -> Screens:
    state = State(
        Options(target=50_000),
        (49_950,) * 10,
        phase=Phase.CHOOSE,
        card=Card.PLUS_MINUS,
        roll=(1, 1, 1, 5, 5, 5),
    )
    lesson = advice.Lesson(
        0,
        LARGEST,
        (
            say("tutto-fact-card", icon="", card=say("tutto-card-fireworks")),
            say("tutto-fact-points", n=LARGEST),
        ),
        say("tutto-do-keep", dice="1 1 1 5 5 5", n=6),
        say("tutto-do-take-all", dice="1 1 1 5 5 5"),
        say("why-risky", played=Percent(0.9999), best=Percent(0.0), stake=LARGEST, lead=LARGEST),
        0.0,
        1.0,
    )
    for seats in (2, 10):
        rule = say("tutto-rule", stop=LARGEST, more=LARGEST, card=LARGEST, loss=Percent(0.999))
        skills = (Skill(1, 20, 9.9, 8.0, -0.999, 0.5, 1.0),) * seats
        for lessons in ((), (lesson,) * 3):
            for basis in ("basis-table", "basis-shifted", "basis-pairs", "basis-estimate", "basis-points"):
                report = advice.Report(
                    ((0.5,) * seats,) * 400, (100.0, 99.9) * (seats // 2), lessons, say(basis), skills, rule
                )
                goal = find("tutto").screen.goal(state.options)[0]
                yield advice.review_screen(goal, everybody(seats), report, share=f"rv.{LONG_GAME:x}.s")
                yield advice.review_screen(goal, everybody(seats), report, by=NASTY[0])


def rules_pages() -> Screens:
    for game, entry in GAMES.items():
        for topic in entry.screen.topics:
            yield private.rules_page(game, entry.screen, topic)


FAR = 99_999
DAILY = DailyDay(FAR, bytes(range(32)), 1, LARGEST)
"""A day of the daily game that is far from now."""


@cache
def daily_games() -> tuple[Attempt, ...]:
    """A game from its beginning to its end, with and without its accuracy."""
    policy, rng, at, found = Beginner(), Random(7), START, list[Attempt]()
    for made in range(10**6):
        found.append(Attempt(DAILY, DailyPlay(SNOWFLAKE, FAR, made=1400 + made), at))
        if at.is_over:
            break
        at = advance(b"", at, [policy.choose(at.state, rng)])
    won = replace(at, state=replace(at.state, reason="cloverleaf"), points=(0,) * 600)
    return (
        *found,
        Attempt(DAILY, DailyPlay(SNOWFLAKE, FAR, turns=1, lost=999.9), at),
        Attempt(DAILY, DailyPlay(SNOWFLAKE, FAR, turns=1, lost=0.0), won),
    )


def daily_tables() -> Screens:
    for known in daily_games():
        if not known.progress.is_over:
            yield daily.table(known)
            if known.progress.state.phase is Phase.CHOOSE:
                yield daily.table(replace(known, view="00"))


def daily_results() -> Screens:
    place = daily.Place(LARGEST, LARGEST)
    for known in daily_games():
        if known.progress.is_over:
            yield daily.result(known, daily.Achievements(0))
            yield daily.result(known, daily.Achievements(LARGEST, place, place), shared=True)


def daily_shared() -> Screens:
    for known in daily_games():
        if known.play.lost is not None:
            yield from (daily.shared(known, name) for name in (*NASTY, ""))


def daily_lists() -> Screens:
    lines = tuple(
        DailyLine(SNOWFLAKE - n, NASTY[n % len(NASTY)], LARGEST, None if n == 3 else 999.9, LARGEST, n)
        for n in range(daily.PAGE + 1)
    )
    for where in (daily.HERE, daily.ALL):
        for found, page in ((DailyList(), 0), (DailyList(lines, LARGEST), 9999)):
            for listed in (True, False):
                yield daily.board(DAILY, where, found, page, SNOWFLAKE, today=FAR, listed=listed)


def lists_of_tables() -> Iterator[tuple[list[open_tables.OpenTable], int, int]]:
    """No tables, and a full page: lobbies, and games in which the person plays or not."""
    yield [], 0, 1
    link, people = message_link(SNOWFLAKE, SNOWFLAKE, SNOWFLAKE), everybody(10)
    for seats, most, turn, mine in (
        (9, 10, None, None),
        (10, 10, None, 1),
        (10, None, 1, 1),
        (10, None, 2, 1),
    ):
        one = open_tables.OpenTable(
            LONG_GAME, "gambler", SNOWFLAKE, link, people[:seats], most, turn, mine, 1e10, NASTY[0]
        )
        found = [replace(one, game_id=LONG_GAME - number) for number in range(open_tables.PAGE)]
        yield found, LARGEST - 1, LARGEST


def puzzle_questions() -> Screens:
    shipped = puzzles.load()
    yield from (
        puzzle.question(puzzle.shipped(shipped, number)) for number in range(0, len(shipped.puzzles), 5)
    )
    yield puzzle.question(puzzle.from_game(1 << 40, shipped.puzzles[0]))


def puzzle_solutions() -> Screens:
    shipped = puzzles.load()
    for number, one in list(enumerate(shipped.puzzles))[::5]:
        yield puzzle.solution(puzzle.shipped(shipped, number), number % len(one.choices))
    for chosen in (shipped.puzzles[0].best, shipped.puzzles[0].usual):
        yield puzzle.solution(puzzle.from_game(1 << 40, shipped.puzzles[0]), chosen)


ODDS = "advice.odds_screen"
"""The kind that takes seconds to work out; it has no buttons."""

KINDS: dict[str, Callable[[], Screens] | None] = {
    "daily.board": daily_lists,
    "daily.fair": lambda: (
        daily.fair(DAILY, opened=opened, opens=opens, recorded=opened)
        for opened, opens in ((True, 0.0), (False, 1.0), (False, None))
    ),
    "daily.front": lambda: (daily.front(DAILY, *more) for more in ((0,), (LARGEST, FAR - 1))),
    "daily.result": daily_results,
    "daily.shared": daily_shared,
    "daily.table": daily_tables,
    "advice.calculator_screen": calculators,
    ODDS: odds,
    "advice.review_screen": reviews,
    "elsewhere.games_page": lambda: iter(
        [elsewhere.games_page([(LARGEST + one, "gambler", LARGEST) for one in range(9)])]
    ),
    "fairness.begun": lambda: map(fairness.begun, sources()),
    "fairness.explained": lambda: map(fairness.explained, GAMES),
    "fairness.opening": lambda: (
        fairness.opening(source, mention) for source in sources() for mention in (None, SNOWFLAKE)
    ),
    "fairness.page": dice_pages,
    "forecast.forecasts": lambda: (
        forecast.forecasts(game, people)
        for game in GAMES
        for people in ((), [(name, chance) for name in NASTY[:5] for chance in (None, 0.999)])
    ),
    "help.help_page": lambda: (help.help_page(one, GAMES, pictured=True) for one in help.PAGES),
    "history.game": one_of_history,
    "history.history": lists_of_games,
    "history.no_replay": lambda: iter(
        [history.no_replay(LONG_GAME, history.ListPage(history.SERVER, 9999), say("replay-damaged"))]
    ),
    "history.replay": replays,
    "leaderboard.leaderboard": leaderboards,
    "score_sheet.score_sheet": lambda: (
        score_sheet.score_sheet(lines, everybody(10), "tutto-9.csv")
        for lines in ((), (score_sheet.SheetLine(9, (-1000,) * 9 + (LARGEST,), (LARGEST,) * 10),) * 3)
    ),
    "offers.answered": lambda: (
        offers.answered(answer, everybody(10), seated, SNOWFLAKE)
        for answer in (TAKEN, DECLINED, WITHDRAWN)
        for seated in (SNOWFLAKE, 1)
    ),
    "notifications.hello": lambda: iter([notifications.hello()]),
    "notifications.page": lambda: (
        notifications.page(NotificationPreferences(way, moment, quiet, max(zones(), key=len)), closed=closed)
        for way in WAYS
        for moment in MOMENTS
        for quiet in (None, (22, 23))
        for closed in (True, False)
    ),
    "notifications.your_turn": lambda: (
        notifications.your_turn(game, message_link(SNOWFLAKE, SNOWFLAKE, SNOWFLAKE), until)
        for game in GAMES
        for until in (None, 1e10)
    ),
    "new_table.announcement": lambda: (
        new_table.announcement(game, NASTY[0], invited) for game in GAMES for invited in (None, SNOWFLAKE)
    ),
    "new_table.question": lambda: (
        new_table.question(new_table.NewTable(game, (50_000,) * 4, True, (1 << 63) - 1), taken=taken)
        for game in GAMES
        for taken in (True, False)
    ),
    "offers.over": lambda: iter([offers.over()]),
    "offers.question": lambda: (
        offers.question(SNOWFLAKE, game, everybody(10), SNOWFLAKE, SNOWFLAKE, NASTY[0], 1e10)
        for game in GAMES
    ),
    "lobby.closed": None,
    "lobby.lobby": None,
    "more.more": None,
    "owner.status": lambda: iter([owner.status(Usage(*[LARGEST] * 7), LARGEST, 99.9, "1.2.3")]),
    "privacy.ask": lambda: (privacy.ask(games) for games in (0, 1, LARGEST)),
    "privacy.erased": lambda: iter([privacy.erased()]),
    "privacy.overview": lambda: (
        privacy.overview(unlisted=one, done=say(f"privacy-done-{how}"))
        for one in (True, False)
        for how in ("hidden", "listed")
    ),
    "open_tables.of_person": lambda: itertools.starmap(open_tables.of_person, lists_of_tables()),
    "open_tables.of_server": lambda: (open_tables.of_server(*one, GAMES) for one in lists_of_tables()),
    "private.confirm": lambda: (
        private.confirm(say(f"ask-{one}", name=NASTY[0]), "c", say(f"ask-{one}-yes"))
        for one in ("leave", "end", "remove")
    ),
    "private.note": None,
    "private.notes": None,
    "private.rules_page": rules_pages,
    "seasons.board": lambda: (
        seasons.board(game, month, (690, 680, 670), SEASON) for game in GAMES for month in (690, 680, 670)
    ),
    "seasons.card": lambda: iter([seasons.card(680, dict.fromkeys(GAMES, SEASON))]),
    "seasons.empty": lambda: map(seasons.empty, GAMES),
    "puzzle.question": puzzle_questions,
    "puzzle.shared": lambda: (
        puzzle.shared(puzzle.from_game(1 << 40, puzzles.load().puzzles[0]), chosen, name)
        for chosen, name in enumerate(NASTY[:2])
    ),
    "puzzle.solution": puzzle_solutions,
    "settings.overview": all_settings,
    "stats.records": all_records,
    "stats.statistics": everybodys_statistics,
    "result.finished": None,
    "table.moved": None,
    "table.step": None,
    "table.summary": None,
    "table.table": None,
}
"""What makes screens; None for what test_screens.py and test_steps.py have along random games, and for a line
of text."""


def kinds_of_screens() -> dict[FunctionType, str]:
    """All functions that make a screen, with their names."""
    modules = {
        module.name: importlib.import_module(f"bot.screens.{module.name}")
        for module in pkgutil.iter_modules(bot.screens.__path__)
    }
    return {
        made: f"{own}.{name}"
        for own, loaded in {**modules, "daily": daily}.items()
        for name, made in inspect.getmembers(loaded, inspect.isfunction)
        if made.__module__ == loaded.__name__ and made.__annotations__.get("return") == "Screen"
    }


def test_every_kind_of_screen_is_here() -> None:
    """A new kind of screen must be added to these tests."""
    assert set(kinds_of_screens().values()) == set(KINDS)


@pytest.mark.parametrize(("buttons", "rows"), [(1, [1]), (3, [3]), (4, [2, 2]), (5, [3, 2]), (7, [3, 2, 2])])
def test_no_button_is_left_alone_in_a_row(buttons: int, rows: list[int]) -> None:
    labelled = [Button(str(number), say("x")) for number in range(buttons)]
    found = even_rows(labelled, 3)
    assert [len(row.buttons) for row in found] == rows
    assert [one for row in found for one in row.buttons] == labelled


@pytest.mark.parametrize("kind", [kind for kind, make in KINDS.items() if make])
def test_every_screen_fits_in_every_language(kind: str) -> None:
    make = not_none(KINDS[kind])
    number = 0
    for screen in make():
        number += 1
        check(screen)
        assert kind != ODDS or not any(isinstance(block, Buttons | Section) for block in screen.blocks)
        texts = [block for block in screen.blocks if isinstance(block, Text | Section)]
        for language in DRAWN.languages:
            whole = sum(len(DRAWN.text(language, line)) + 1 for block in texts for line in block.lines)
            assert whole <= MAX_TEXT, "something would be cut off"
    assert number, "there are some"


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names of all functions that make a screen and have been called, under whatever name."""
    called: set[str] = set()

    def noting(made: FunctionType, kind: str) -> Callable[..., Any]:
        @wraps(made)
        def make(*args: Any, **options: Any) -> Any:
            called.add(kind)
            return made(*args, **options)

        return make

    instead = {made: noting(made, kind) for made, kind in kinds_of_screens().items()}
    # Not sys.setprofile: with it, all that is computed for the scenes takes twice as long.
    for module in [one for name, one in sys.modules.items() if name.partition(".")[0] in ("bot", "tools")]:
        for name, value in list(vars(module).items()):
            if isinstance(value, FunctionType) and value in instead:
                monkeypatch.setattr(module, name, instead[value])
    return called


async def test_the_scenes_that_are_looked_at_are_sound(called: set[str]) -> None:
    """The scenes of ``tools.gallery_shots``: each has its own name, is within the limits, and each kind of
    screen has one.
    """
    found = await scenes(DRAWN)
    assert set(kinds_of_screens().values()) - called == set(), "screens without a scene"
    assert len({(scene.topic, scene.name) for scene in found}) == len(found)
    for scene in found:
        check(scene.screen)
        shown = [block for block in scene.screen.blocks if isinstance(block, Picture | File)]
        files = await scene.draw("it") if scene.draw else {}
        assert list(files) == [block.name for block in shown], scene.name
        pictures = [files[block.name] for block in shown if isinstance(block, Picture)]
        assert all(data.startswith(b"\x89PNG") for data in pictures)
