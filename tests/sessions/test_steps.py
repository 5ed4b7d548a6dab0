"""What is shown step by step, and what at once: pure, from the moves that a click has set off."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from bot.discordpy.components import render
from bot.games.core import CHANCE, OVER, ScriptedChance
from bot.games.seats import ai, person
from bot.games.tutto.cards import Card
from bot.games.tutto.state import STOP, TURN_CARD, Keep
from bot.records.seeds import SeededChance
from bot.registry import find
from bot.sessions import turns
from bot.sessions.request import Click, ClickMoves
from bot.sessions.steps import MAX_STEPS, Step, _most_telling, steps_to_show
from bot.store.base import ABORTED, LIVE, GameRow, MoveRow, intact
from tests.screens.test_screens import PLAIN, check
from tests.support import screen
from tests.support.rows import a_game
from tests.support.tutto_table import Table, dice, outcome

ANNA = 1
NOW = 1000.0
CLICK = Click(9, ANNA, "Anna", 10, 100, "en-US")


def game(state: Any, *, key: str = "tutto", ais: int = 0) -> GameRow:
    people = len(state.scores) - ais
    names = ("Anna", "Ben", "Cleo", "Dan")[:people]
    seats = (*(person(place + 1, name) for place, name in enumerate(names)), *[ai("casual")] * ais)
    return replace(
        a_game(game=key, status=LIVE, version=5, options=state.options, state=state),
        seats=seats,
        acted=(NOW,) * len(seats),
        missed=(0,) * len(seats),
    )


class Played:
    """What a click sets off, move by move, with chosen dice and cards."""

    def __init__(self, row: GameRow) -> None:
        self.before = self.row = row
        self.moves: tuple[MoveRow, ...] = ()

    def move(self, action: object, *chance: str | Card) -> Played:
        rules = find(self.row.game).rules
        seat = rules.to_move(intact(self.row.state))
        script = ScriptedChance([outcome(one) for one in chance])
        change = turns.move(self.row, seat, action, NOW, script, None if self.moves else CLICK)
        script.check_used_up()
        self.moves += tuple(change.moves)
        self.row = change.row
        return self

    def steps(self) -> tuple[Step, ...]:
        return steps_to_show(self.row, ClickMoves(self.before, self.moves))


def shown(step: Step) -> tuple[str, list[str]]:
    """The text of a step in English, and the labels of its buttons."""
    message = {"components": render(step.screen, PLAIN, "en-US", 7, 9).to_components()}
    return screen.text_of(message), [label for label in screen.labels(message) if label]


def tutto(*scores: int, ais: int = 0, **changes: Any) -> Played:
    return Played(game(Table(scores or (0, 0), **changes).state, ais=ais))


AT_ONCE = {
    "a roll to choose from": tutto().move(TURN_CARD, Card.X2, "112346"),
    "another roll to choose from": tutto(phase="choose", card=Card.X2, roll=dice("123466")).move(
        Keep((1,)), "12346"
    ),
    "points that were banked": tutto(phase="choose", card=Card.X2, roll=dice("123466")).move(STOP),
}


@pytest.mark.parametrize("case", AT_ONCE)
def test_what_a_person_chooses_or_is_to_choose_is_shown_at_once(case: str) -> None:
    assert AT_ONCE[case].steps() == ()


def test_a_stop_card_is_shown_before_it_ends_the_turn() -> None:
    (step,) = tutto().move(TURN_CARD, Card.STOP).steps()
    text, labels = shown(step)
    assert "**Stop**" in text
    assert "**Anna**: the turn ends" in text
    assert "Next: **Ben**" in text
    # Anna's turn is not over yet on this picture, but Ben's button is there.
    assert "👉 **Anna" in text
    assert labels == ["Turn a card and roll", "More", "Skip to result"]
    assert step.hand is None


def test_there_is_nothing_to_show_of_a_game_that_was_ended_meanwhile() -> None:
    played = tutto().move(TURN_CARD, Card.STOP)
    played.row = replace(played.row, status=ABORTED)
    assert played.steps() == ()


def test_a_card_and_the_roll_that_loses_the_turn_are_two_steps() -> None:
    card, roll = tutto(300, 0).move(TURN_CARD, Card.BONUS_300, "223344").steps()
    assert "nothing scored" not in shown(card)[0]
    assert "Roll" not in shown(card)[0]
    assert "nothing scored" in shown(roll)[0]
    assert card.hand is roll.hand is None


def test_fireworks_are_rolled_by_hand() -> None:
    played = tutto(0, 0, 0).move(TURN_CARD, Card.FIREWORKS, "111234", "126", "26")
    card, first, second, last = played.steps()
    assert [step.hand for step in (card, first, second, last)] == [0, 0, 0, None]
    by_hand = [shown(step)[1][0] for step in (card, first, second)]
    assert by_hand == ["Roll 6 dice", "Roll 3 dice", "Roll 2 dice"]
    assert "**1,000** points" in shown(first)[0]
    assert "**1,100** points" in shown(second)[0]
    assert "banks **1,100**" in shown(last)[0]
    assert "not banked yet" not in shown(last)[0]
    # Those of an AI go on by themselves.
    played = tutto(0, 0, ais=1, phase="choose", card=Card.X2, roll=dice("123466")).move(STOP)
    played.move(TURN_CARD, Card.FIREWORKS, "111234", "126", "26")
    assert [step.hand for step in played.steps()] == [None, None]


@pytest.mark.parametrize(
    ("ais", "steps", "first"),
    [
        (1, 2, "**Anna**"),
        (2, 4, "**Casual 2** → **Anna**"),
        (3, 3, "**Casual 2** → **Casual 3** → **Anna**"),
        (5, 5, "**Casual 2** → **Casual 3** → … → **Anna**"),
    ],
)
def test_turns_of_ais_are_shown_in_two_or_three_edits(ais: int, steps: int, first: str) -> None:
    played = tutto(*[0] * (1 + ais), ais=ais, phase="choose", card=Card.X2, roll=dice("123466")).move(STOP)
    for _ in range(ais):
        played.move(TURN_CARD, Card.BONUS_200, "123466").move(Keep((1,)), "12346").move(STOP)
    found = played.steps()
    assert len(found) == steps
    assert {step.hand for step in found} == {None}
    assert f"\nNext: {first}\n" in f"{shown(found[0])[0]}\n", "turns of AIs come before that of a person"
    text, labels = shown(found[-1])
    assert "banks **200**" in text
    assert "Next: **Anna**" in text
    assert labels[0] == "Turn a card and roll"


def test_at_the_end_of_a_game_nobody_is_next() -> None:
    played = tutto(6000, 0, 0, seat=2, last_round=True, finished=2).move(TURN_CARD, Card.BONUS_200, "223344")
    for step in played.steps():
        text, labels = shown(step)
        assert "Next" not in text
        assert labels == ["More", "Skip to result"]
    assert len(played.steps()) == 2


def _begun(key: str, seats: int, chance: SeededChance) -> Any:
    rules = find(key).rules
    state = rules.initial(rules.options({}), seats)
    while rules.to_move(state) == CHANCE:
        state = rules.apply(state, chance.draw(rules.chance(state))).state
    return state


@pytest.mark.parametrize(("key", "ending"), [("tutto", "nothing scored"), ("gambler", "nothing fits")])
def test_whatever_is_played_each_step_fits_into_a_message(key: str, ending: str) -> None:
    """One person among AIs, for a whole game: each step has the buttons of the table that follows it."""
    entry, rng, chance = find(key), Random(5), SeededChance(bytes(32))
    rules = entry.rules
    row = game(_begun(key, 4, chance), key=key, ais=3)
    told: list[str] = []
    while rules.to_move(intact(row.state)) != OVER:
        before, moves = row, tuple[MoveRow, ...]()
        while True:
            state = intact(row.state)
            seat = rules.to_move(state)
            policy = entry.policies["casual"]
            change = turns.move(row, seat, policy.choose(state, rng), NOW, chance, None if moves else CLICK)
            moves += tuple(change.moves)
            row = change.row
            if not row.ai_to_move:
                break
        found = steps_to_show(row, ClickMoves(before, moves))
        told += [shown(step)[0] for step in found]
        assert len([step for step in found if step.hand is None]) <= MAX_STEPS + 2
        following = []
        if row.status == LIVE:
            controls = entry.screen.controls(intact(row.state), "")
            following = [button.token for buttons in controls for button in buttons.buttons]
        for step in found:
            shown_ids = {
                part["custom_id"].rpartition(":")[2]
                for part in screen.buttons({"components": check(step.screen, 7, 9, rng)})
            }
            assert shown_ids >= {*following, "g.skip", "g.more"}
    assert len(told) > 20
    assert any(f"**Anna**: {ending}" in text for text in told)


@pytest.mark.parametrize(
    ("moves", "two", "one"),
    [("1", [0], [0]), ("11", [0, 1], [1]), ("12", [0, 1], [1]), ("112", [1, 2], [2]), ("11233", [1, 4], [4])],
)
def test_of_an_ais_turn_the_first_decision_and_the_end_are_shown(
    moves: str, two: list[int], one: list[int]
) -> None:
    turn: list[Any] = [SimpleNamespace(move=int(move), number=number) for number, move in enumerate(moves)]
    for most, expected in ((2, two), (1, one)):
        assert [position.number for position in _most_telling(turn, most)] == expected  # type: ignore[attr-defined]
