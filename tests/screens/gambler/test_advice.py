"""The coach's review of Gambler, and why its decisions are costly, in words."""

from __future__ import annotations

from random import Random

import pytest

from bot.cli.simulation import play_game
from bot.games.gambler.state import ROLL_DICE, STOP, Action, Choose, Options, Phase, Place, State
from bot.games.seats import person
from bot.games.values import replace
from bot.i18n.say import Argument, Name, resolve, say
from bot.registry import find
from bot.screens.advice import review_screen
from bot.screens.gambler.advice import why
from bot.screens.gambler.entry import GAMBLER
from bot.strategy.account import Decision
from bot.strategy.gambler.reasons import Habit, habit
from bot.strategy.tutto import reasons as tutto
from tests.screens.test_advice import ENGLISH, check_limits, words
from tests.strategy.gambler.test_winning import position
from tests.support.values import not_none

SEATS = (person(1, "Anna"), person(2, "B*n"))

FERRY = ((), (), (4,), (), (), ())
"""The rows pay 100 for a full house, 60 for 1 2 3, 60 for 4 5 6 and 40 for three stars, and cost 40 for 6 6
and 20 for 3 2."""
FILLING = ((), (1, 2), (4,), (), (), ())
FACTS: dict[str, Argument] = dict.fromkeys(
    ("played", "best", "stake", "lead", "name", "row", "points", "chance", "n"), 1
)
LAST = {"ahead": (510, 450), "behind": (450, 510)}


def decision(state: State, played: Action, best: Action) -> Decision[State, Action]:
    return Decision(0, 0, 0, state, played, best, 0.4, 0.5, 0.4, played, 0.4)


def at(
    roll: tuple[int, ...], rows: tuple[tuple[int, ...], ...] = FERRY, scores: tuple[int, int] = (200, 240)
) -> State:
    return position("ferry", rows, scores, roll=roll, placed=1)


CHOOSING = replace(GAMBLER.rules.initial(Options(choose=True), 2), phase=Phase.BOARD)
COSTLY = [
    (CHOOSING, Choose("ferry"), Choose("bridge"), Habit.BOARD, "on the other board"),
    (at((1,), scores=LAST["ahead"]), ROLL_DICE, STOP, Habit.AHEAD, "a lead of 60 points"),
    (at((1,)), ROLL_DICE, STOP, Habit.ROLLED, "even where that helps Ben"),
    (at((1,), scores=LAST["behind"]), STOP, ROLL_DICE, Habit.BEHIND, "60 points behind"),
    (at((1,), FILLING), STOP, ROLL_DICE, Habit.ENDED, "row ② alone for 60 points, with a chance of 16.7%"),
    (at((3, 6), FILLING), Place(4, 6), Place(1, 3), Habit.MISSED, "fill row ②, worth 60 points"),
    (at((3, 6), FILLING), STOP, Place(1, 3), Habit.MISSED, "fill row ②, worth 60 points"),
    (at((1, 6)), Place(4, 6), Place(1, 1), Habit.COSTS, "Row ⑤ costs 40 points"),
    (
        at((1, 5)),
        Place(2, 5),
        Place(1, 1),
        Habit.HELPED,
        "Ben can fill row ③ in the next turn with a chance of 59.8%",
    ),
    (at((1, 5)), Place(0, 5), STOP, Habit.PLACED, "more in hand than in row ①"),
    (at((1, 5)), STOP, Place(1, 1), Habit.KEPT, "still fitted row ②"),
    (at((1, 3)), Place(0, 1), Place(5, 3), Habit.PARKED, "In row ⑥ this die helps nobody"),
    (at((1, 1)), Place(0, 1), Place(3, 1), Habit.ROW, "in row ④, which then needs 2 more dice for 40 points"),
]


@pytest.mark.parametrize(("state", "played", "best", "found", "said"), COSTLY)
def test_a_costly_decision_is_explained(
    state: State, played: Action, best: Action, found: Habit, said: str
) -> None:
    costly = decision(state, played, best)
    assert habit(costly) is found
    sentence = ENGLISH.text("en", resolve(why(costly), lambda seat: Name(("Anna", "Ben")[seat])))
    assert said in sentence


@pytest.mark.parametrize("name", [*Habit, *tutto.Habit])
def test_every_habit_has_its_words(name: str) -> None:
    for language in ENGLISH.languages:
        for key in (f"habit-{name}", f"why-{name}"):
            assert ENGLISH.text(language, say(key, **FACTS)) != key


def test_a_game_of_two_is_reviewed_within_discords_limits() -> None:
    coach = not_none(GAMBLER.coach)
    players = [GAMBLER.policies[level] for level in ("beginner", "casual")]
    _, log = play_game(GAMBLER.rules, Options(), players, bytes([3] * 32), [Random(1), Random(2)])
    report = coach.review(log.options, 2, log.opening, log.moves)
    text = words(review_screen(GAMBLER.screen.goal(log.options)[0], SEATS, report, share="rv.1.s"))
    assert text.startswith("### 🎓 Review · Gambler to 500 points")
    assert len(report.lessons) == 3
    assert text.count("Why: ") == 3
    assert "Rule of thumb" not in text
    assert "Plays like: **" in text
    assert len(report.best_decisions) <= 2
    seats = tuple(person(seat, "W" * 32) for seat in range(2))
    for locale in ENGLISH.languages:
        check_limits(
            review_screen(GAMBLER.screen.goal(log.options)[0], seats, report, share="rv.f.s"), locale
        )


def test_only_games_of_two_have_a_review() -> None:
    assert [find("gambler").has_review(seats) for seats in (2, 3, 6)] == [True, False, False]
    assert all(find("tutto").has_review(seats) for seats in range(2, 11))
