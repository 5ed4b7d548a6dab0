"""The screens of odds, reviews and the calculator, and the values in them."""

from __future__ import annotations

import io
import pickle
import random
from dataclasses import replace
from typing import Any

import pytest
from PIL import Image

from bot.charts.canvas import WIDTH
from bot.charts.winning_chances import THOUSAND, winning_chances_chart
from bot.cli.simulation import play_game
from bot.discordpy.components import MAX_ALT, MAX_TEXT, render
from bot.games.core import OVER, IllegalMove, Leave, Move, play, replay, settle
from bot.games.gambler.fitting import placements
from bot.games.seats import Seat, ai, person
from bot.games.tutto.cards import Card
from bot.games.tutto.state import Edition, Options, State
from bot.i18n.catalogue import Catalogue
from bot.i18n.locales import moment, percent
from bot.i18n.say import Say, say
from bot.records.seeds import SeededChance
from bot.registry import GAMES, TEXT_ICONS, find
from bot.screens import table
from bot.screens.advice import (
    CHANCES_CHART,
    Report,
    alternative,
    calculator_screen,
    odds_screen,
    review_screen,
)
from bot.screens.model import Block, Buttons, Picture, Screen, Text
from bot.screens.table import TableContext, Waiting
from bot.screens.tutto.advice import calculator, read_dice
from bot.standings.periods import zone_of
from bot.strategy.skill import Skill
from bot.strategy.tutto import tables
from bot.strategy.tutto.pairs import Basis
from tests.support.screen import read
from tests.support.tutto_table import Table
from tests.support.values import not_none

ENGLISH = Catalogue(TEXT_ICONS)
ADVICE = not_none(find("tutto").advice)
SEATS = (person(1, "Anna"), person(2, "B*n"))


def words(blocks: Screen | tuple[Block, ...], locale: str = "en") -> str:
    blocks = blocks.blocks if isinstance(blocks, Screen) else blocks
    lines = [line for block in blocks if isinstance(block, Text) for line in block.lines]
    return read("\n".join(ENGLISH.text(locale, line) for line in lines))


def odds(state: State) -> str:
    return words(odds_screen(SEATS, state.seat, ADVICE.odds(state)))


def position(*chance: str, **options: Any) -> State:
    """A position of Tutto in which Anna has turned a card."""
    return Table(**options).turn(*chance).state


# --------------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("locale", "written"), [("en-US", "51.2%"), ("de", "51,2\xa0%"), ("de-CH", "51.2%"), ("it", "51,2%")]
)
def test_shares_are_written_as_the_language_does(locale: str, written: str) -> None:
    assert percent(locale, 0.51234) == written


def test_shares_at_the_edges() -> None:
    assert [percent("en", share) for share in (0.0, 0.0004, 1.0)] == ["0.0%", "0.0%", "100.0%"]
    assert percent("en", 0.2, 0) == "20%"


def test_moments_are_short() -> None:
    assert moment("en-US", 1_700_000_000, zone_of("UTC")).replace("\u202f", " ") == "11/14/23, 10:13 PM"
    assert moment("de", 1_700_000_000, zone_of("Europe/Zurich")) == "14.11.23, 23:13"


# --------------------------------------------------------------------------------------------- odds


def test_the_best_choice_comes_first_and_is_marked() -> None:
    text = odds(position("bonus_300", "115234"))
    lines = text.splitlines()
    assert lines[0] == "### 🎯 Odds for Anna"
    assert lines[1] == "⭐ Bonus 300 · roll 1 1 2 3 4 5"
    assert [line[0] for line in lines[2:4]] == ["✅", "▫"]
    assert text.count("✅ **") == 1
    assert "▫️ Bank 250 – win **" in text
    assert "null 7.7%" in text  # five dice
    assert "The chances of winning come from the solved two-player game" in text


def test_what_is_left_in_the_pile() -> None:
    text = odds(position("plus_minus", "115234"))
    assert "**Left in the pile: 55 cards**" in text
    assert "⚖️\N{NO-BREAK SPACE}Plus/Minus\N{NO-BREAK SPACE}×4" in text
    assert "⭐\N{NO-BREAK SPACE}200\N{NO-BREAK SPACE}×5" in text
    assert "🛑\N{NO-BREAK SPACE}Stop\N{NO-BREAK SPACE}×10" in text


def test_cards_that_are_gone_are_not_listed() -> None:
    deck = (0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)
    text = odds(Table(deck=deck).state)
    assert "**Left in the pile: 1 card**\n🛑\N{NO-BREAK SPACE}Stop\N{NO-BREAK SPACE}×1" in text
    # The next card is a Stop for sure.
    assert "turn lost right away 100.0%" in text


def test_an_empty_pile_is_a_full_one() -> None:
    assert "**Left in the pile: 56 cards**" in odds(Table(deck=(0,) * 11).state)


def test_nothing_to_choose_at_the_beginning_of_a_turn() -> None:
    text = odds(Table().state)
    assert "There’s nothing to choose yet" in text
    assert "✅ **Turn a card** – turn lost right away 19.8% · average 358 · win **47.9%**" in text


def test_only_one_way_to_play() -> None:
    assert "There’s only one way to play here." in odds(position("plus_minus", "122346"))
    assert "There is only one way" not in odds(position("plus_minus", "112346"))


def test_after_a_tutto() -> None:
    state = Table().turn("bonus_200", "111555").keep("111555").state
    text = odds(state)
    assert "⭐ Bonus 200 · Tutto made · 1,700 points so far" in text
    assert "✅ **Bank 1,700** – win" in text
    assert "▫️ Turn a card – turn lost right away" in text


def test_a_card_without_stopping_says_whether_it_is_completed() -> None:
    text = odds(position("straight", "112345"))
    assert "✅ **Keep 1, roll 5 dice** – null 0.0% · card completed 18.4%" in text
    assert "▫️ Keep 1 2 3 4 5, roll 1 die – null 83.3% · card completed 16.7%" in text
    assert "card completed: you do everything the card asks for" in text
    assert "Bank" not in text


def test_a_cloverleaf_counts_no_points() -> None:
    text = odds(position("cloverleaf", "111555"))
    assert "✅ **Keep 1 1 1 5 5 5: Tutto** – null 3.1% · card completed 27.1% · win" in text
    assert "average" not in text


def test_only_words_that_occur_are_explained() -> None:
    text = odds(Table().state)
    assert "turn lost right away: to the card or to its first roll" in text
    assert "null: the next roll" not in text
    assert "card completed:" not in text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"scores": (0, 0, 0)}, "from many games played to the end"),
        ({"target": 3500}, "look up a similar position in it"),
        ({"scores": (0, -2500), "edition": "modern"}, "The chance of winning is not known here"),
    ],
)
def test_the_basis_is_named(options: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if options.get("edition") == "modern":
        # Whatever tables there may be, none is found.
        monkeypatch.setattr(tables, "load", lambda edition, target: None)
        monkeypatch.setattr(tables, "nearest", lambda edition, target: None)
    state = Table(**options).turn("bonus_300", "115234").state
    text = words(ADVICE.odds(state))
    assert said in text
    assert ("win **" in text) == ("not known" not in said)


def test_odds_travel_between_processes() -> None:
    function, args = pickle.loads(pickle.dumps((ADVICE.odds, (position("x2", "115234"),))))
    assert pickle.loads(pickle.dumps(function(*args))) == ADVICE.odds(*args)


# --------------------------------------------------------------------------------------------- calculator


@pytest.mark.parametrize(
    ("typed", "dice"),
    [
        ("1 2 2 5", (1, 2, 2, 5)),
        ("1,2,2,5", (1, 2, 2, 5)),
        ("5; 2/2-1", (1, 2, 2, 5)),
        ("12255", (1, 2, 2, 5, 5)),
        ("  6 ", (6,)),
        ("[1, 5]", (1, 5)),
        ("⚀ ⚅", (1, 6)),
        ("1️⃣ 5️⃣", (1, 5)),
        ("１５", (1, 5)),
        ("-", ()),
        ("", ()),
    ],
)
def test_dice_are_read_as_people_write_them(typed: str, dice: tuple[int, ...]) -> None:
    assert read_dice(typed) == dice


@pytest.mark.parametrize("typed", ["7", "0", "1 2 x", "eleven", "1.5e3", "1 2 3 🎲"])
def test_invalid_dice_are_refused(typed: str) -> None:
    with pytest.raises(IllegalMove) as caught:
        read_dice(typed)
    assert caught.value.code == "error-odds-dice"


def told(*args: Any, **kwargs: Any) -> str:
    return words(calculator_screen(calculator(*args, **kwargs)))


def test_the_calculator_knows_no_scores() -> None:
    text = told("1 2 2 5")
    assert "⭐ Bonus 200 · roll 1 2 2 5" in text
    assert "✅ **Keep 1, roll 3 dice** – null 27.8% · average 182" in text
    assert "▫️ Bank 150" in text
    assert "The chance of winning depends on the scores, so it’s left out." in text
    assert "win **" not in text
    assert "Left in the pile" not in text


def test_points_and_card_count() -> None:
    text = told("12255", Card.X2, 400)
    assert "✖️ x2 · roll 1 2 2 5 5 · 400 points so far" in text
    assert "Bank 600" in text


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("2 2 3",), "No die scores: a null. The turn ends with nothing."),
        (("2 2 3", Card.X2, 50), "a null. The turn ends, and you lose its 50 points."),
        (("223466", Card.FIREWORKS, 300), "the Fireworks are over, and you bank 300 points"),
        (("-", Card.FIREWORKS), "On average you bank **623** points"),
        (("1 5", Card.FIREWORKS, 300), "Nothing to choose"),
        (("-",), "Six dice: null 3.1%."),
        (("-", Card.STRAIGHT), "**19.7%**"),
        (("-", Card.CLOVERLEAF), "**7.3%**"),
        (("-", Card.PLUS_MINUS), "**27.1%**"),
        (("1 2 3 3 5", Card.STRAIGHT, 0, "4"), "roll 1 2 3 3 5 · aside 4"),
        (("1 1 1 5 5 5", Card.PLUS_MINUS, 700), "Keep 1 1 1 5 5 5: Tutto** – average 1,700"),
        (("1 2 5", Card.X2, 0, "1 5 5"), "✖️ x2 · roll 1 2 5"),
    ],
)
def test_the_calculator_says(args: tuple[Any, ...], said: str) -> None:
    assert said in told(*args)


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("1 2 3 4 5 6 6",), "error-odds-dice"),
        (("1 2", Card.STRAIGHT), "error-odds-aside"),
        (("1 2", Card.STRAIGHT, 0, "3 3 4 5"), "error-odds-aside"),
        (("1 2", Card.STRAIGHT, 0, "3 4"), "error-odds-count"),
        (("1 2 3", Card.X2, 0, "1"), "error-odds-count"),
        (("-", Card.X2, 0, "1"), "error-odds-count"),
        (("1 2 3 4 5 6", Card.STRAIGHT, 0, "1"), "error-odds-count"),
        (("1", Card.X2, 75), "error-odds-points"),
        (("1", Card.X2, 50_050), "error-odds-points"),
        (("1", Card.X2, -50), "error-odds-points"),
        (("1", Card.STOP), "error-odds-stop"),
        (("1", Card.X2, 0, "what"), "error-odds-dice"),
    ],
)
def test_the_calculator_refuses(args: tuple[Any, ...], code: str) -> None:
    with pytest.raises(IllegalMove) as caught:
        calculator(*args)
    assert caught.value.code == code
    # The message has everything that it needs.
    message = ENGLISH.text("en", say(caught.value.code, **caught.value.facts))
    assert "{" not in message
    assert message != code


# --------------------------------------------------------------------------------------------- the coach


def reviewed(levels: list[str], options: Options, seed: int) -> Report:
    entry = find("tutto")
    assert entry.coach is not None
    players = [entry.policies[level] for level in levels]
    randoms = [random.Random(seed + seat) for seat in range(len(levels))]
    _, log = play_game(entry.rules, options, players, bytes([seed] * 32), randoms)
    return entry.coach.review(options, len(levels), log.opening, log.moves)


@pytest.fixture(scope="module")
def report() -> Report:
    return reviewed(["beginner", "casual"], Options(), 3)


def test_a_review_tells_where_the_game_was_lost(report: Report) -> None:
    goal = find("tutto").screen.goal(Options())[0]
    screen = review_screen(goal, SEATS, report, share="rv.1.s")
    text = words(screen)
    assert text.startswith("### 🎓 Review · Tutto to 6,000 points")
    assert len(report.lessons) == 3
    for number, lesson in enumerate(report.lessons, start=1):
        name = ("Anna", r"B\*n")[lesson.seat]
        cost = percent("en", round(lesson.best_win, 3) - round(lesson.played_win, 3))
        assert f"**{number}. {name}, turn\u00a0{lesson.turn}** · winning chance **−{cost}**" in text
        assert lesson.cost == pytest.approx(lesson.best_win - lesson.played_win)
    assert text.count("Played: ") == text.count("Best: **") == 3
    assert "The chances of winning come from the solved two-player game" in text
    assert "100% means that every choice was the best." in text
    (picture,) = (block for block in screen.blocks if isinstance(block, Picture))
    assert picture.name == CHANCES_CHART
    (buttons,) = (block for block in screen.blocks if isinstance(block, Buttons))
    assert [button.token for button in buttons.buttons] == ["rv.1.s"]


def test_a_shared_review_says_by_whom_and_has_no_button(report: Report) -> None:
    screen = review_screen(Say("x"), SEATS, report, by="Chi*ra")
    assert r"shared by Chi\*ra" in words(screen)
    assert not [block for block in screen.blocks if isinstance(block, Buttons)]
    assert "shared by somebody" in words(review_screen(Say("x"), SEATS, report, by=""))


def test_what_was_shared_can_not_be_shared_again(report: Report) -> None:
    screen = review_screen(Say("x"), SEATS, report)
    (buttons,) = (block for block in screen.blocks if isinstance(block, Buttons))
    assert [button.disabled for button in buttons.buttons] == [True]


def test_a_faultless_game() -> None:
    best = Report(
        ((0.5, 0.5), (1.0, 0.0)), (100.0, None), (), Say(Basis.TABLE.value), (Skill(),) * 2, Say("x")
    )
    text = words(review_screen(Say("x"), SEATS, best))
    assert "Not one decision cost 0.1% of winning chance or more" in text
    assert "Anna: 100.0%" in text
    assert r"B\*n: nothing to choose" in text
    assert winning_chances_chart(best, SEATS, ENGLISH, "en")


def test_the_loser_may_have_played_better() -> None:
    lucky = Skill(1, 20, 0.06, 0.0004, luck=0.51, adjusted=0.47, won=1.0)
    unlucky = Skill(1, 20, 0.016, 0.00003, luck=-0.02, adjusted=0.53)
    end = Report(
        ((0.48, 0.52), (1.0, 0.0)), (95.0, 99.0), (), Say(Basis.TABLE.value), (lucky, unlucky), Say("x")
    )
    text = words(review_screen(Say("x"), SEATS, end))
    assert "Plays like: **Skilled player** (gives away 0.30%\xa0±\xa00.15% per choice) · luck +51.0%" in text
    assert "Plays like: **Expert** (gives away 0.08%\xa0±\xa00.04% per choice) · luck −2.0%" in text
    assert "without luck 53.0%" in text
    assert r"**B\*n** lost but made the better choices." in text
    fair = replace(end, skills=(unlucky, lucky))
    assert "better choices" not in words(review_screen(Say("x"), SEATS, fair))
    # With many more choices the winner gave away more in all, but less with each of them.
    patient = replace(lucky, choices=100.0)
    for contrary in (replace(end, skills=(patient, unlucky)), replace(end, accuracy=(99.0, 95.0))):
        assert "better choices" not in words(review_screen(Say("x"), SEATS, contrary))


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_the_picture_in_words_is_short(seats: int) -> None:
    names = tuple(person(seat, "Somebody Somewhere"[: 18 - seat % 3]) for seat in range(seats))
    even = Report(
        *(((1 / seats,) * seats,) * 200, (None,) * seats, (), Say(Basis.PAIRS.value)),
        *((Skill(),) * seats, Say("x")),
    )
    text = ENGLISH.text("en", alternative(names, even))
    assert len(text) <= MAX_ALT
    assert "Somebody Somewhere" in text
    assert "\\" not in text


@pytest.mark.parametrize("game", ["tutto", "gambler"])
def test_a_costly_choice_in_a_turn_that_another_seat_ended_by_leaving_is_marked(game: str) -> None:
    entry = find(game)
    rules, options, coach = entry.rules, entry.rules.options({}), entry.coach
    assert coach is not None
    player, chances = entry.policies["beginner"], [random.Random(1), random.Random(2)]
    _, log = play_game(rules, options, [player] * 2, bytes(32), chances)
    steps = list(replay(rules, options, 2, log.opening, log.moves))
    for at in range(len(log.moves)):
        if rules.turns(steps[at].state) == rules.turns(steps[at + 1].state):
            other = 1 - rules.turn_seat(steps[at].state)
            moves = (*log.moves[: at + 1], Move(other, Leave(other), ()))
            found = coach.review(options, 2, log.opening, moves)
            if any(lesson.turn == rules.turns(steps[at].state) + 1 for lesson in found.lessons):
                break
    assert winning_chances_chart(found, SEATS, ENGLISH, "en")


@pytest.mark.parametrize("levels", [["beginner", "casual"], ["casual"] * 10])
def test_the_course_is_drawn(levels: list[str]) -> None:
    found = reviewed(levels, Options(target=2000), 5)
    picture = Image.open(
        io.BytesIO(winning_chances_chart(found, [ai(level) for level in levels], ENGLISH, "de"))
    )
    assert picture.format == "PNG"
    assert picture.width == WIDTH
    colours = picture.convert("RGB").getcolors(1 << 20)
    assert colours is not None
    assert len(colours) > 5
    # As many points as turns, all within the whole.
    assert all(0 <= round(THOUSAND * chance) <= THOUSAND for line in found.chances for chance in line)


def test_the_editions_can_be_reviewed() -> None:
    for edition in Edition:
        found = reviewed(["casual", "casual"], Options(edition, 3000), 2)
        assert ENGLISH.text("en", found.basis) != found.basis.key


# --------------------------------------------------------------------------------------------- limits


def test_long_names_and_ten_seats_stay_within_discords_limits() -> None:
    seats = tuple(person(seat, "W" * 32) for seat in range(10))
    found = reviewed(["casual"] * 10, Options(target=1000), 7)
    lessons = tuple(replace(lesson, seat=9) for lesson in found.lessons)
    screen = review_screen(
        find("tutto").screen.goal(Options())[0], seats, replace(found, lessons=lessons), share="rv.ffff.s"
    )
    for locale in ENGLISH.languages:
        check_limits(screen, locale)


def check_limits(screen: Screen, locale: str) -> None:
    # Raises if there are more components than a message may have.
    render(screen, ENGLISH, locale, 1 << 40, 1 << 20)
    assert len(words(screen, locale)) <= MAX_TEXT
    for block in screen.blocks:
        if isinstance(block, Buttons):
            assert 1 <= len(block.buttons) <= 5


def busiest(entry: Any, seats: int) -> Any:
    """The position with the most buttons that some careless play leads to."""
    found: Any = None
    most = 0
    for seed in range(6):
        chance = SeededChance(bytes([seed] * 32))
        state = settle(entry.rules, entry.rules.initial(entry.rules.options({}), seats), chance).state
        rng = random.Random(seed)
        while entry.rules.to_move(state) != OVER:
            rows = entry.screen.controls(state, "")
            size = sum(1 + len(row.buttons) for row in rows)
            if size > most:
                found, most = state, size
            state = play(entry.rules, state, entry.policies["beginner"].choose(state, rng), chance).state
    return found


@pytest.mark.parametrize("seats", [2, 6])
@pytest.mark.parametrize("game", GAMES)
def test_a_full_table_fits_into_a_message(game: str, seats: int) -> None:
    entry = find(game)
    state = busiest(entry, seats)
    people: list[Seat] = [person(seat, "W" * 32) for seat in range(seats)]
    waiting = Waiting(away=(seats - 1,), until=1e9, votes=1, needed=2)
    screen = table.table(TableContext(entry.rules, entry.screen, people, ()), state, "", None, waiting)
    tokens = [
        button.token for block in screen.blocks if isinstance(block, Buttons) for button in block.buttons
    ]
    assert len(tokens) == len(set(tokens))
    for locale in ENGLISH.languages:
        check_limits(screen, locale)


@pytest.mark.parametrize("game", [game for game, entry in GAMES.items() if entry.advice is not None])
def test_the_odds_of_every_position_can_be_told(game: str) -> None:
    """Along whole games: whenever a seat is to move there are odds, in every language."""
    entry = find(game)
    assert entry.advice is not None
    chance, rng = SeededChance(bytes(32)), random.Random(1)
    state = settle(entry.rules, entry.rules.initial(entry.rules.options({}), 3), chance).state
    people = [person(seat, f"P{seat}") for seat in range(3)]
    for _ in range(60):
        if entry.rules.to_move(state) == OVER:
            break
        screen = odds_screen(people, entry.rules.turn_seat(state), entry.advice.odds(state))
        for locale in ENGLISH.languages:
            assert len(words(screen, locale)) < MAX_TEXT
        state = play(entry.rules, state, entry.policies["casual"].choose(state, rng), chance).state


def test_gamblers_odds() -> None:
    entry = find("gambler")
    assert entry.advice is not None
    state = settle(
        entry.rules, entry.rules.initial(entry.rules.options({}), 2), SeededChance(bytes(32))
    ).state
    text = words(entry.advice.odds(state))
    assert "If you roll 5 dice now, the chance that none of them fits is **" in text
    assert text.count(" – **") == 6
    state = play(entry.rules, state, entry.rules.legal(state)[0], SeededChance(bytes([1] * 32))).state
    if placements(state):
        assert "First you have to place a die of this roll." in words(entry.advice.odds(state))
