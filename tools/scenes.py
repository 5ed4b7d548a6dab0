"""Examples of every kind of screen to look at: tables of each card and board, results, lists, pages.

One game of each kind is really played, by AI players with fixed seeds; positions that are rare are set up.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sin
from random import Random
from string import Formatter
from typing import Any, cast

from bot.charts.scores import score_chart
from bot.charts.winning_chances import winning_chances_chart
from bot.daily import screens as daily
from bot.daily.days import opens_at
from bot.daily.game import Attempt
from bot.daily.play import START, advance
from bot.games.core import OVER, add_stats, play, settle
from bot.games.gambler.state import Phase as BoardPhase
from bot.games.seats import Seat, ai, person
from bot.games.tutto.cards import Card
from bot.games.tutto.state import (
    Edition,
    Options,
    Phase,
    State,
)
from bot.i18n.catalogue import Catalogue, read
from bot.i18n.locales import SOURCE
from bot.i18n.say import Argument, Line, Moment, Name, say
from bot.records.game_log import GameLog, read_log
from bot.records.highlights import highlights_of, seats_played_by_one_person
from bot.records.replay import replay
from bot.records.score_sheet import csv_of, score_sheet_of
from bot.records.sealing import seal_of
from bot.records.seeds import SeededChance
from bot.records.who_begins import BY_LOT
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
from bot.screens.entry import Entry
from bot.screens.model import Screen, message_link
from bot.screens.result import SCORE_CHART
from bot.screens.tutto.advice import calculator
from bot.services.derived_functions import statistics_charts
from bot.services.guild_settings import game_settings
from bot.sessions.presentation import more_of, screen_of, summary_of
from bot.sessions.request import ClickMoves
from bot.sessions.steps import steps_to_show
from bot.standings.mastery import stored
from bot.standings.periods import zones
from bot.standings.seasons import SeasonLine
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
from bot.store.base import (
    ABORTED,
    DECLINED,
    FINISHED,
    LIVE,
    LOBBY,
    TAKEN,
    WITHDRAWN,
    GameRow,
    MoveRow,
    ResultRow,
    Store,
    Usage,
    Word,
)
from bot.store.daily import DailyDay, DailyLine, DailyList, DailyPlay
from bot.store.guild_settings import GuildSettings, defaults
from bot.store.notifications import HALF, MESSAGE, NotificationPreferences
from bot.strategy.skill import Measured, Skill, total
from bot.strategy.tutto import puzzles
from cogs.help import pictures

ANNA, BEN, LONG = 11, 12, 13
LONGEST_NAME = "Maximiliane von Hohenstein-Kraus"
"""As long as Discord allows."""

SEATS = (person(ANNA, "Anna"), person(LONG, LONGEST_NAME), ai("expert"), ai("casual"))
CHANNEL, GUILD = 1001, 1000
NOW = 1_767_225_600.0
"""The beginning of 2026, which is when the world of the preview begins."""

Draw = Callable[[str], Awaitable[Mapping[str, bytes]]]
"""The pictures and other files of a screen by name, in the language of a locale."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A screen under its name; ``topic`` says which others it is looked at with."""

    topic: str
    name: str
    screen: Screen
    draw: Draw | None = None


@dataclass(frozen=True, slots=True)
class StoredGame:
    """As much of a store as screens ask for: the log and the results of one game, and the one before it."""

    log: tuple[MoveRow, ...] = ()
    won: tuple[ResultRow, ...] = ()
    former: GameRow | None = None

    async def game(self, game_id: int) -> GameRow | None:
        return self.former

    async def moves(self, game_id: int) -> tuple[MoveRow, ...]:
        return self.log

    async def results(self, game_id: int) -> tuple[ResultRow, ...]:
        return self.won

    async def rematch_of(self, game_id: int) -> None:
        return None

    async def unlisted(self, guild_id: int, users: Collection[int]) -> frozenset[int]:
        return frozenset()

    async def forecasts(
        self, guild_id: int, game: str, user_id: int, others: Collection[int]
    ) -> Mapping[int, float]:
        return dict.fromkeys(others, 0.52)

    async def duel(self, game_id: int, user_id: int, other: int) -> tuple[int, int]:
        return 12, 14


def row_of(game: str, status: str, options: Any, **given: Any) -> GameRow:
    """A game as it is stored, with everything filled in that no screen shows."""
    values: dict[str, Any] = {
        "id": 7,
        "game": game,
        "guild_id": GUILD,
        "channel_id": CHANNEL,
        "host_id": ANNA,
        "locale": "en",
        "status": status,
        "version": 1,
        "rules_version": find(game).rules.rules_version,
        "options": options,
        "state": None,
        "secret": bytes(range(32)),
        "seal": seal_of(bytes(range(32)), 7),
        "draws": 0,
        **_nobody(len(SEATS)),
        "ai_to_move": False,
        "turn_seconds": 600,
        "since": NOW,
        "reminded": False,
        "votes": (),
        "deadline": None,
        "parent_id": None,
        "created_at": 0.0,
        "updated_at": 0.0,
        "seats": SEATS,
    }
    return GameRow(**(values | given))


def _nobody(seats: int) -> dict[str, Any]:
    """What is stored about the absence of so many seats, when nobody is away."""
    return {"acted": (0.0,) * seats, "missed": (0,) * seats}


def live(row: GameRow, state: Any, lines: Sequence[Any] = ()) -> GameRow:
    return replace(row, status=LIVE, state=state, lines=tuple(lines) or row.lines)


def played(
    game: str, seed: bytes, policy: str, seats: Sequence[Seat] = SEATS, **chosen: Any
) -> tuple[GameRow, StoredGame, list[GameRow]]:
    """A whole game between equal AI players: its end, what is stored of it, and every table of it."""
    entry, rng = find(game), Random(seed)
    rules, chance = entry.rules, SeededChance(seed)
    options = rules.options(chosen)
    opening = settle(rules, rules.initial(options, len(seats)), chance)
    state, lines = opening.state, entry.screen.narrate((), opening.events)
    row = row_of(
        game,
        LIVE,
        options,
        secret=seed,
        first_chance=opening.outcomes,
        seats=tuple(seats),
        **_nobody(len(seats)),
    )
    tables: list[GameRow] = [live(row, state, lines)]
    log: list[MoveRow] = []
    counts = rules.stats(opening.events, len(seats))
    while rules.to_move(state) != OVER:
        seat = rules.to_move(state)
        action = entry.policies[policy].choose(state, rng)
        step = play(rules, state, action, chance)
        log.append(MoveRow(len(log) + 1, seat, action, step.outcomes, 0.0))
        state, lines = step.state, entry.screen.narrate(lines, step.events)[-len(seats) - 1 :]
        counts = add_stats(counts, rules.stats(step.events, len(seats)))
        tables.append(live(row, state, lines))
    result = rules.result(state)
    assert result is not None
    places = result.places()
    won = tuple(
        ResultRow(
            seat,
            who.user_id,
            places[seat],
            result.scores[seat],
            counts[seat].turns,
            counts[seat].best_turn,
            counts[seat].feats,
            own_turns=counts[seat].turns if who.human else 0,
        )
        for seat, who in enumerate(seats)
    )
    return replace(tables[-1], status=FINISHED), StoredGame(tuple(log), won), tables


async def scenes(catalogue: Catalogue) -> list[Scene]:
    """All of them; those of one topic stand together."""
    return [
        *[scene async for scene in _lobbies()],
        *[scene async for scene in _tutto()],
        *[scene async for scene in _crowds(catalogue)],
        *[scene async for scene in _boards()],
        *[scene async for scene in _whole_games(catalogue)],
        *_lists(),
        *_settings(),
        *_private(),
        *_daily(),
        *_puzzles(),
        *_tables(),
        *_refusals(),
    ]


async def _lobbies() -> AsyncIterator[Scene]:
    for game, entry in GAMES.items():
        options = entry.rules.options({})
        row = row_of(game, LOBBY, options)
        yield Scene("lobby", f"{game}-lobby", await _shown(row))
        alone = replace(row, seats=SEATS[:1], turn_seconds=0, rated=False)
        yield Scene("lobby", f"{game}-alone", await _shown(alone))
        two = replace(row, seats=(person(ANNA, "Anna"), person(BEN, "Ben")))
        yield Scene("lobby", f"{game}-two", await _shown(two))
        words = (Word(0, ANNA, "kumquat"), Word(1, LONG, "seven lucky elephants"))
        again = replace(row, begins=BY_LOT, words=words, parent_id=6)
        people = (*SEATS[:2], person(BEN, "Ben"), person(14, "Chiara"))
        former = row_of(game, FINISHED, options, state=entry.rules.initial(options, 4), seats=people)
        rematch = await screen_of(cast(Store, StoredGame(former=former)), again, mention=BEN)
        yield Scene("lobby", f"{game}-rematch", rematch)
    closed = replace(row, status=ABORTED, closed="closed-idle")
    yield Scene("lobby", "closed", await _shown(closed))


POSITIONS: Mapping[str, dict[str, Any]] = {
    "start": {"phase": Phase.START},
    "bonus": {"card": Card.BONUS_600, "roll": (2, 2, 2, 3, 5, 6)},
    "bonus-later": {"card": Card.BONUS_300, "aside": (1, 5), "roll": (1, 3, 4, 6), "points": 1150},
    "x2": {"card": Card.X2, "aside": (4, 4, 4), "roll": (1, 5, 5), "points": 900},
    "straight": {"card": Card.STRAIGHT, "aside": (1, 4), "roll": (2, 2, 3, 4)},
    "plus-minus": {"card": Card.PLUS_MINUS, "roll": (1, 1, 1, 5, 6, 6)},
    "cloverleaf": {"card": Card.CLOVERLEAF, "aside": (1,), "roll": (1, 1, 2, 5, 6), "clover": 1},
    "tutto-made": {
        "card": Card.BONUS_500,
        "phase": Phase.TUTTO,
        "aside": (1, 1, 1, 5, 5, 5),
        "points": 12_350,
    },
}
"""Tables of Tutto at which somebody has to decide."""


async def _tutto() -> AsyncIterator[Scene]:
    entry, scores = find("tutto"), (4350, 5900, 0, 1150)
    row = row_of("tutto", LIVE, Options())
    for name, given in POSITIONS.items():
        state = State(Options(), scores, seat=0, **({"phase": Phase.CHOOSE} | given))
        yield Scene("tutto", name, await _shown(live(row, state)))
        if state.phase is Phase.CHOOSE and name.startswith(("bonus", "straight")):
            assert entry.advice is not None
            odds = advice.odds_screen(SEATS, 0, entry.advice.odds(state))
            yield Scene("advice", f"odds-{name}", odds)
    below = State(Options(Edition.CLASSIC, 50_000), (-1000, 49_950, 12_300, 0), phase=Phase.START)
    yield Scene("tutto", "classic-below-zero", await _shown(live(row, below)))
    # What happens by itself is only told: one turn of each such card.
    for edition in Edition:
        for card in (Card.STOP, Card.FIREWORKS, Card.PLUS_MINUS):
            yield Scene("story", f"{edition.value}-{card.value}", await _told(edition, card))
    away = live(row, State(Options(), scores, phase=Phase.START))
    yield Scene("tutto", "away", await _shown(replace(away, missed=(2, 0, 0, 0))))
    voted = live(row, State(Options(), scores, seat=1, phase=Phase.START))
    yield Scene("tutto", "voted", await _shown(replace(voted, votes=(0,)), mention=LONG))
    yield Scene("tutto", "ending", await _shown(replace(voted, ending=(1, 2))))
    yield Scene("tutto", "moved", summary_of(away))


async def _crowds(catalogue: Catalogue) -> AsyncIterator[Scene]:
    """Tables of two, four and the most seats, all with the longest names, in the middle of a game and at its
    end."""
    for game, entry in GAMES.items():
        for seats in (2, 4, entry.rules.max_seats):
            people = tuple(
                person(ANNA + seat, f"{letter}{LONGEST_NAME[1:]}")
                for seat, letter in zip(range(seats), "MABCDEFGHI", strict=False)
            )
            end, stored_game, tables = played(game, SEEDS[game], "beginner", people)
            busy = [one for one in tables if _decides(one)]
            busy = busy[len(busy) // 3 : -len(busy) // 3]
            widest = max(busy, key=lambda one: _buttons(one) + len(one.lines))
            name = f"crowd-{10 if seats > 4 else seats}-{game}"
            yield Scene("crowd", name, await _shown(widest, mention=ANNA + widest.state.seat))
            yield Scene("more", f"{name}-more", more_of(widest, ANNA))
            if seats == 4:
                yield await _ended(f"{name}-end", end, stored_game, catalogue)


async def _ended(name: str, row: GameRow, stored_game: StoredGame, catalogue: Catalogue) -> Scene:
    """The result of a game with its highlights and its chart."""
    entry, store = find(row.game), cast(Store, stored_game)
    log = await read_log(store, row)
    found = highlights_of(entry, log, seats_played_by_one_person(row), _report(entry, log))

    async def race(locale: str) -> Mapping[str, bytes]:
        return {SCORE_CHART: score_chart(replace(row, locale=locale), log, catalogue)}

    return Scene("end", name, await screen_of(store, row, pictured=True, highlights=found), race)


def _buttons(row: GameRow) -> int:
    """How many buttons the seat to move has."""
    return sum(len(one.buttons) for one in find(row.game).screen.controls(row.state, ""))


async def _told(edition: Edition, card: Card) -> Screen:
    """The table after a turn with a card that leaves nothing, or little, to decide; the leader had it."""
    entry, rng = find("tutto"), Random(5)
    rules = entry.rules
    options = Options(edition)
    state = State(options, (5000, 4350, 0, 1150), phase=Phase.START)

    class Stacked:
        """Turns the wished card first, and rolls as chance has it."""

        first = True

        def draw(self, outcomes: Sequence[tuple[Any, int]]) -> Any:
            if self.first:
                self.first = False
                return next(outcome for outcome, _ in outcomes if outcome.card is card)
            return rng.choices([one for one, _ in outcomes], [weight for _, weight in outcomes])[0]

    chance = Stacked()
    lines: tuple[Line, ...] = ()
    while state.finished == 0:
        action = entry.policies["casual"].choose(state, rng)
        step = play(rules, state, action, chance)
        state, lines = step.state, entry.screen.narrate(lines, step.events)
    return await _shown(live(row_of("tutto", LIVE, options), state, lines))


SHEET = "scores.csv"

SEEDS: Mapping[str, bytes] = {"tutto": bytes([4]) * 32, "gambler": bytes([2]) * 32}


async def _boards() -> AsyncIterator[Scene]:
    """A round of Gambler whose board somebody chooses, and the pages behind "More" with chips."""
    _, _, tables = played("gambler", SEEDS["gambler"], "casual", choose=True, beginners=True)
    choosing = [one for one in tables if one.state.phase is BoardPhase.BOARD]
    yield Scene("gambler", "gambler-choose", await _shown(choosing[0]))
    yield Scene("gambler", "gambler-first", await _shown(tables[0]))
    yield Scene("more", "gambler-chips", more_of(choosing[-1], ANNA))


async def _whole_games(catalogue: Catalogue) -> AsyncIterator[Scene]:
    for game, entry in GAMES.items():
        row, stored_game, tables = played(game, SEEDS.get(game, bytes(32)), entry.default_level)
        store = cast(Store, stored_game)
        human = [one for one in tables if _decides(one)]
        for name, one in {"early": human[2], "middle": human[len(human) // 2], "late": human[-2]}.items():
            yield Scene(game, f"{game}-{name}", await _shown(one))
            if entry.advice is not None and game != "tutto":
                # Those of Tutto are scenes of their own, with each card.
                state = one.state
                odds = advice.odds_screen(SEATS, state.seat, entry.advice.odds(state))
                yield Scene("advice", f"{game}-odds-{name}", odds)

        for number, screen in enumerate(_steps(tables, stored_game.log)):
            yield Scene("story", f"{game}-step-{number}", screen)
        log = await read_log(store, row)

        turns = score_sheet_of(log)
        names = [seat.name for seat in SEATS]

        async def sheet(locale: str, csv: bytes = csv_of(turns, names)) -> Mapping[str, bytes]:
            return {SHEET: csv}

        yield Scene("memory", f"{game}-sheet", score_sheet.score_sheet(turns, SEATS, SHEET), sheet)

        yield await _ended(f"{game}-end", row, stored_game, catalogue)
        end = await screen_of(store, row)
        here = history.ListPage(history.CHANNEL)
        link = "https://discord.com/channels/1000/1001/1002"
        one_game = history.game(end, 7, here, link, coach=entry.has_review(len(SEATS)))
        yield Scene("memory", f"{game}-history-game", one_game)
        frames = replay(entry, row, stored_game.log).frames
        last = len(frames) - 1
        for at in (0, last // 2, last):
            frame = frames[at]
            shown = history.ShownFrame(frame.state, frame.decision, frame.lines, at, last, damaged=False)
            screen = history.replay(entry.rules, entry.screen, SEATS, shown, 7, here)
            yield Scene("memory", f"{game}-replay-{at}", screen)
    for game in GAMES:
        row, stored_game, _ = played(game, SEEDS.get(game, bytes(32)), "casual", SEATS[:2])
        log = await read_log(cast(Store, stored_game), row)
        report = _report(find(game), log)
        assert report is not None

        async def course(
            locale: str, report: advice.Report = report, seats: Sequence[Seat] = row.seats
        ) -> Mapping[str, bytes]:
            return {advice.CHANCES_CHART: winning_chances_chart(report, seats, catalogue, locale)}

        goal = find(game).screen.goal(log.options)[0]
        screen = advice.review_screen(goal, row.seats, report, share="rv.7.s")
        yield Scene("advice", f"{game}-review", screen, course)
        yield await _ended(f"{game}-end-of-two", row, stored_game, catalogue)


def _report(entry: Entry, log: GameLog) -> advice.Report | None:
    """Return the review of a game, or None if it has none."""
    if entry.coach is None or not entry.has_review(log.seats):
        return None
    return entry.coach.review(log.options, log.seats, log.opening, log.moves)


def _steps(tables: Sequence[GameRow], log: Sequence[MoveRow]) -> list[Screen]:
    """What is shown step by step after a person's turn: of several, the turns with a button and without."""
    found: dict[bool, list[Screen]] = {}
    for at, table_before in enumerate(tables[:-1]):
        if not _is_human(table_before):
            continue
        end = next((n for n in range(at + 1, len(log)) if _is_human(tables[n])), len(log))
        steps = steps_to_show(tables[end], ClickMoves(table_before, tuple(log[at:end])))
        by_hand = any(step.hand is not None for step in steps)
        if len(steps) > len(found.get(by_hand, ())):
            found[by_hand] = [step.screen for step in steps]
    return [screen for screens in found.values() for screen in (screens[0], screens[-1])]


def _is_human(row: GameRow) -> bool:
    """Whether a person is to move."""
    seat = find(row.game).rules.to_move(row.state)
    return seat >= 0 and row.seats[seat].human


def _decides(row: GameRow) -> bool:
    """Whether the seat to move has a choice."""
    rules = find(row.game).rules
    return len(rules.legal(row.state)) > 1


PEOPLE = (
    Standing(LONG, LONGEST_NAME, 1, 1234, 1001, 12_350, 2345, 1412),
    Standing(ANNA, "Anna", 2, 40, 21, 4150, 40, 1187),
    Standing(BEN, "Ben", 2, 38, 21, 3900, 1, 1187),
    Standing(14, "Chiara", 4, 1, 1, 900, 0, None),
)

CHANCES = ((LONGEST_NAME, 0.912), ("Ben", 0.463), ("Chiara", None))
"""How often somebody wins against others."""


SEASON = (
    SeasonLine(1, LONG, LONGEST_NAME, 31, 44),
    SeasonLine(2, ANNA, "Anna", 12, 40),
    SeasonLine(2, None, "", 12, 41),
    SeasonLine(4, BEN, "Ben", 1, 1),
)


HABITS: Mapping[str, Mapping[str, float]] = {
    "tutto": {"risky": 1.9, "many": 0.8, "behind": 0.3},
    "gambler": {"gambler-missed": 1.9, "gambler-parked": 0.8, "gambler-behind": 0.3},
}
"""What bad habits have cost somebody in 40 games, by game; the longest names."""


def _skill(game: int) -> Skill:
    """Return the skill in one of a person's games: they learn, and their luck varies."""
    errors = (0.15 + 0.1 * (game % 3)) / (1 + game / 8)
    return Skill(1, 22, errors, errors / 100, 0.4 * sin(game * 2.4), 0.6 - errors, game % 2)


def _lists() -> Iterator[Scene]:
    now = NOW
    for game, entry in GAMES.items():
        for sort in Sort:
            period = Period.ALL if sort is Sort.WINS else Period.MONTH
            board = Leaderboard(GUILD, game, sort, period)
            page = leaderboard.leaderboard(board, entry.feat, PEOPLE, 0, 2, zone="Europe/Zurich", me=ANNA)
            yield Scene("lists", f"{game}-leaderboard-{sort.value}", page)
        board = Leaderboard(GUILD, game, Sort.RATING)
        page = leaderboard.leaderboard(
            board, entry.feat, PEOPLE, 0, 1, me=ANNA, forecasts={BEN: 0.463, LONG: 0.912}
        )
        yield Scene("lists", f"{game}-leaderboard-own", page)
        yield Scene("lists", f"{game}-forecasts", forecast.forecasts(game, CHANCES))
        yield Scene("lists", f"{game}-season", seasons.board(game, 682, (683, 682, 600), SEASON))
        yield Scene("lists", f"{game}-season-none", seasons.empty(game))
        empty = leaderboard.leaderboard(Leaderboard(GUILD, game), entry.feat, (), 0, 1)
        yield Scene("lists", f"{game}-leaderboard-empty", empty)
        counts = dict.fromkeys(find(game).counted, 1234) | {LUCK: -8000, LUCK_GAMES: 40}
        played_so_far = total(_skill(n) for n in range(1, 41))
        counts |= stored(Measured(0, played_so_far, HABITS[game])) or {}
        curve = tuple(CurvePoint(n, now, 1000 + 7 * n + 60 * (n % 5)) for n in range(1, 41))
        skills = tuple(SkillPoint(n, _skill(n)) for n in range(1, 41))
        others = (Opponent(LONG, LONGEST_NAME, 30, 12), Opponent(BEN, "Ben", 1, 1))
        whose = Statistics(
            ANNA,
            "Anna",
            40,
            21,
            61_000,
            900,
            4150,
            3,
            7,
            1187,
            2,
            12,
            now - 9e6,
            counts,
            others,
            curve,
            skills,
        )

        async def drawn(locale: str, whose: Statistics = whose) -> Mapping[str, bytes]:
            return statistics_charts(whose.curve, whose.skills, locale)

        names = stats.charts(whose.curve, whose.skills)
        yield Scene("lists", f"{game}-stats", stats.statistics(find(game), whose, names), drawn)
        first = replace(whose, games=1, wins=0, rating=None, streak=0, longest_streak=0, opponents=())
        yield Scene("lists", f"{game}-stats-first", stats.statistics(find(game), first))
        kinds = ("best_turn", "score", "feat", "streak")
        found = [
            ServerRecord(kind, 12_350, LONG, LONGEST_NAME, 7, CHANNEL, 1002, now - 1e5) for kind in kinds[:3]
        ]
        found.append(ServerRecord("streak", 7, ANNA, "Anna"))
        yield Scene("lists", f"{game}-records", stats.records(game, found, GUILD, ANNA))
    best = dict.fromkeys(GAMES, SEASON)
    yield Scene("lists", "season-card", seasons.card(682, best))
    games = [
        FinishedGame(7, 2, "tutto", CHANNEL, now - 4000, SEATS, (0,)),
        FinishedGame(8, 1, "gambler", CHANNEL, now - 90_000, SEATS, (1, 2)),
    ]
    for scope in (history.CHANNEL, history.SERVER):
        shown = history.history(games, history.ListPage(scope), more=True, visible=(CHANNEL,))
        yield Scene("memory", f"history-{scope}", shown)
    for scope in (history.CHANNEL, history.SERVER):
        empty = history.history([], history.ListPage(scope), more=False)
        yield Scene("memory", f"history-empty-{scope}", empty)
    here = history.ListPage(history.CHANNEL)
    yield Scene("memory", "no-replay", history.no_replay(7, here, say("replay-damaged")))


def _settings() -> Iterator[Scene]:
    languages = {"en": "English", "de": "Deutsch", "fr": "français", "it": "italiano"}
    choices = settings.Choices(languages, zones(), game_settings())
    default = defaults(game_settings())
    options = {**default.options, "edition": "classic", "target": 10_000, "gambler_choose": True}
    changed = GuildSettings(
        language="de",
        time_zone="Europe/Zurich",
        options=options,
        turn_seconds=0,
        rated=False,
        mentions="name",
        channels=(CHANNEL,),
        starters=(1003,),
    )
    yield Scene("settings", "settings", settings.overview(default, choices))
    yield Scene("settings", "settings-changed", settings.overview(changed, choices))
    gone = replace(choices, gone=("channels", "starters"), refused_card=682)
    yield Scene("settings", "settings-gone", settings.overview(default, gone))


def _private() -> Iterator[Scene]:
    for page in help.PAGES:

        async def drawn(locale: str, page: str = page) -> Mapping[str, bytes]:
            return await pictures(locale, page)

        yield Scene("help", f"help-{page}", help.help_page(page, GAMES, pictured=True), drawn)
    for game, entry in GAMES.items():
        for topic in entry.screen.topics:
            yield Scene("rules", f"{game}-rules-{topic}", private.rules_page(game, entry.screen, topic))
    yield Scene("rules", "fair", fairness.explained("tutto"))
    secret, link = bytes(range(32)), message_link(1 << 60, 1 << 60, 1 << 60)
    words = ((Name("Anna"), "kumquat"), (Name("Ben"), "**42** is it"), (say("unnamed-person"), None))
    source = fairness.DiceSource("gambler", seal_of(secret, 7), words=words)
    yield Scene("rules", "fair-lobby", fairness.page(source, None, ()))
    source = replace(source, link=link)
    yield Scene("rules", "fair-opening", fairness.opening(source, None))
    yield Scene("rules", "fair-begun", fairness.begun(source))
    source = replace(source, secret=secret.hex())
    checked = fairness.page(source, fairness.Confirmed(123, 2345, 1), [fairness.record_button()])
    yield Scene("rules", "fair-checked", checked)
    for name, blocks in {
        "bonus": calculator("1 2 2 5 5", Card.BONUS_300, 1150),
        "straight": calculator("1 2 2 5", Card.STRAIGHT, 0, "3 4"),
        "fireworks": calculator("", Card.FIREWORKS),
    }.items():
        yield Scene("advice", f"calculator-{name}", advice.calculator_screen(blocks))
    yield Scene("private", "privacy", privacy.overview(unlisted=False))
    yield Scene("private", "privacy-done", privacy.overview(unlisted=True, done=say("privacy-done-hidden")))
    for games in (0, 2):
        yield Scene("private", f"privacy-ask-{games}", privacy.ask(games))
    yield Scene("private", "privacy-erased", privacy.erased())
    for one in ("leave", "remove", "end"):
        for kind in ("", "-rated"):
            rated_end = (one, kind) == ("end", "-rated")
            yes = say("ask-end-rated-yes" if rated_end else f"ask-{one}-yes")
            asked = private.confirm(say(f"ask-{one}{kind}", name=Name("Ben")), "c", yes)
            yield Scene("private", f"ask-{one}{kind}", asked)
    yield Scene(
        "private", "elsewhere", elsewhere.games_page([(7, "tutto", CHANNEL), (8, "gambler", CHANNEL)])
    )
    usage = Usage(9, 56, lobbies=1, live=3, finished=1234, aborted=12, clicks=78_910)
    yield Scene("private", "status", owner.status(usage, 12, 0.0456, "1.2.3"))
    question = offers.question(7, "tutto", SEATS, LONG, BEN, "Anna", NOW + 3600)
    yield Scene("offers", "offer", question)
    for answer in (TAKEN, DECLINED, WITHDRAWN):
        yield Scene("offers", f"offer-{answer}", offers.answered(answer, SEATS, LONG, BEN))
    yield Scene("offers", "offer-over", offers.over())
    for key, name in {"end-record-note": "tutto-1.jsonl", "privacy-export-note": "my-data.json"}.items():

        async def file(_: str, name: str = name) -> Mapping[str, bytes]:
            return {name: b"{}"}

        yield Scene("private", key, private.note(say(key, file=name), file=name), file)


async def _shown(row: GameRow, *, mention: int | None = None) -> Screen:
    return await screen_of(cast(Store, StoredGame()), row, mention=mention)


def _tables() -> Iterator[Scene]:
    table = new_table.NewTable("tutto", (0, 6000), True)
    for taken in (False, True):
        yield Scene("tables", f"place-{'taken' if taken else 'free'}", new_table.question(table, taken=taken))
    yield Scene("tables", "place-announced", new_table.announcement("tutto", "Anna", None))
    yield Scene("tables", "place-challenge", new_table.announcement("gambler", LONGEST_NAME, BEN))
    link = message_link(GUILD, CHANNEL, LONG)
    lobby = open_tables.OpenTable(5, "tutto", CHANNEL, link, SEATS[:2], 10)
    mine = open_tables.OpenTable(4, "gambler", CHANNEL, link, SEATS, None, 0, 0, NOW + 300, "Friends")
    other = open_tables.OpenTable(3, "tutto", CHANNEL, link, SEATS, None, 1, 0, NOW + 300, LONGEST_NAME)
    yield Scene("tables", "tables", open_tables.of_server([lobby, mine, other], 0, 2, GAMES))
    yield Scene("tables", "tables-none", open_tables.of_server([], 0, 1, GAMES))
    yield Scene("tables", "mygames-none", open_tables.of_person([], 0, 1))
    yield Scene(
        "tables", "mygames", open_tables.of_person([mine, other, replace(lobby, mine=0, server="")], 0, 1)
    )
    chosen = NotificationPreferences(MESSAGE, HALF, (22, 7), "Europe/Zurich")
    yield Scene("notifications", "notifications", notifications.page(NotificationPreferences()))
    yield Scene("notifications", "notifications-chosen", notifications.page(chosen))
    yield Scene("notifications", "notifications-closed", notifications.page(chosen, closed=True))
    yield Scene("notifications", "notifications-message", notifications.your_turn("tutto", link, NOW + 300))
    yield Scene("notifications", "notifications-hello", notifications.hello())


def _puzzles() -> Iterator[Scene]:
    shipped = puzzles.load()
    posed = {str(number): puzzle.shipped(shipped, number) for number in range(3)}
    posed["game"] = puzzle.from_game(7, shipped.puzzles[3])
    for which, one in posed.items():
        yield Scene("puzzles", f"puzzle-{which}", puzzle.question(one))
        for name, chosen in (("right", one.puzzle.best), ("wrong", one.puzzle.usual)):
            yield Scene("puzzles", f"puzzle-{which}-{name}", puzzle.solution(one, chosen))
        yield Scene("puzzles", f"puzzle-{which}-shared", puzzle.shared(one, one.puzzle.best, "Anna"))


def _daily() -> Iterator[Scene]:
    day = DailyDay(20_454, bytes(range(32)), 1, 15)
    yield Scene("daily", "daily-front", daily.front(day, 0))
    yield Scene("daily", "daily-front-unfinished", daily.front(day, 12, day.day - 1))
    policy, rng, at = find("tutto").policies["casual"], Random(4), START
    for made in range(1000):
        known = Attempt(day, DailyPlay(ANNA, day.day, made=made), at)
        if at.is_over:
            break
        if made < 9 or made in (20, 21):
            yield Scene("daily", f"daily-table-{made}", daily.table(known))
        at = advance(bytes(range(32)), at, [policy.choose(at.state, rng)])
    standing = daily.Achievements(4, daily.Place(2, 7), daily.Place(132, 1240))
    yield Scene("daily", "daily-result-later", daily.result(known, daily.Achievements(1)))
    known = replace(known, play=replace(known.play, lost=1.24))
    yield Scene("daily", "daily-result", daily.result(known, standing))
    yield Scene("daily", "daily-shared", daily.shared(known, "Anna"))
    lines = tuple(
        DailyLine(user, name, 13 + number // 2, 0.4 * number, 1 + number // 2 * 2, number + 1)
        for number, (user, name) in enumerate(((BEN, "Ben"), (LONG, LONGEST_NAME), (ANNA, "Anna")))
    )
    for where in (daily.HERE, daily.ALL):
        found = DailyList(lines, 24)
        yield Scene("daily", f"daily-list-{where}", daily.board(day, where, found, 0, ANNA, today=day.day))
    for opened in (True, False):
        page = daily.fair(day, opened=opened, opens=opens_at(day.day), recorded=opened)
        yield Scene("daily", f"daily-fair-{'opened' if opened else 'sealed'}", page)


REFUSALS_A_SCENE = 10
"""How many refusals stand in one scene; the bot shows each by itself."""

FACTS: Mapping[str, Argument] = {
    "channels": f"<#{CHANNEL}>",
    "current": 2,
    "file": "puzzles.json",
    "game": "domino",
    "host": Name("Anna"),
    "least": 2,
    "missing": say("permission-send-messages"),
    "most": 6,
    "n": 3,
    "name": Name("Ben"),
    "near": "Europe/Zurich",
    "opens": Moment(NOW + 3600),
    "played": 1,
    "roles": f"<@&{CHANNEL}>",
    "step": 50,
    "text": "new disk",
    "typed": "Zuerich",
}
"""What refusals speak of."""


def _refusals() -> Iterator[Scene]:
    lines = []
    for message in read(SOURCE):
        key = _first(message.id)
        if key.startswith("error-"):
            named = {field for _, field, _, _ in Formatter().parse(_first(message.string)) if field}
            # The form for one may leave the number out.
            counted = {"n"} if message.pluralizable else set()
            lines.append(say(key, **{name: FACTS[name] for name in named | counted}))
    for start in range(0, len(lines), REFUSALS_A_SCENE):
        shown = lines[start : start + REFUSALS_A_SCENE]
        yield Scene("refusals", f"refusals-{start // REFUSALS_A_SCENE}", private.notes(shown))


def _first(text: Any) -> str:
    """The text of a message, or its first form if it has several."""
    return str(text if isinstance(text, str) else text[0])
