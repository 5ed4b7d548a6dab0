"""Tutto's rules one by one: the table of cards, the table of editions, the settled questions."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.games.codec import dumps
from bot.games.core import CHANCE, OVER, IllegalMove, Leave, Result, Unreadable, perft
from bot.games.tutto.cards import CARDS, FULL_DECK, Card
from bot.games.tutto.rules import leaders, stop_value, total_if_kept
from bot.games.tutto.state import (
    STOP,
    TURN_CARD,
    Banked,
    CardTurned,
    CloverleafWon,
    Deducted,
    Draw,
    Edition,
    Keep,
    Kept,
    LastRoundBegan,
    LeaderMissed,
    Nulled,
    Phase,
    Roll,
    Rolled,
    SeatLeft,
    StopCardHit,
    TuttoMade,
)
from tests.support import tutto_oracle as oracle
from tests.support.examples import random_move
from tests.support.tutto_table import GAME, Table, dice

EDITIONS = [edition.value for edition in Edition]
BONUSES = [card for card in CARDS if card.bonus]
MUST_GO_ON = [Card.STRAIGHT, Card.PLUS_MINUS, Card.CLOVERLEAF]
MAY_STOP = [*BONUSES, Card.X2]
NULL = "223446"
TUTTO_1500 = "111555"
STRAIGHT = "123456"

every_edition = pytest.mark.parametrize("edition", EDITIONS)


# The worked examples of the leaflets.


def test_example_of_the_german_and_english_leaflets() -> None:
    table = Table().turn("bonus_600", "122346").keep("1", "22256")
    assert stop_value(table.state) == 350
    assert table.may_stop
    table.keep("5", "5666").keep("5666")
    assert stop_value(table.state) == 100 + 50 + 650 + 600 == 1400
    assert Table().turn("bonus_600", "122346").keep("1", "22256").stop().scores == (350, 0)
    stopped = Table().turn("bonus_600", "122346").keep("1", "22256").keep("5", "5666").keep("5666").stop()
    assert stopped.scores == (1400, 0)
    # Going on with a Straight: three numbers aside, then only numbers that are aside already.
    table.turn("straight", "122346").keep("123", "112")
    assert table.last == (
        Kept(0, (1, 2, 3), 0),
        Rolled(0, (1, 1, 2)),
        Nulled(0, 1400),
    )
    assert table.scores == (0, 0)
    assert (table.state.seat, table.state.finished) == (1, 1)


def test_example_of_the_four_language_leaflet() -> None:
    table = Table(edition="classic").turn("bonus_600", "122346").keep("1", "22246").keep("222", "15")
    assert stop_value(table.state) == 450 + 600
    assert Table().turn("bonus_600", "122346").keep("1", "22246").stop().scores == (300, 0)
    assert table.stop().scores == (1050, 0)
    assert TuttoMade(0, Card.BONUS_600, 600, 1050) in table.last
    assert table.last[-1] == Banked(0, 1050, 1050, fireworks=False)


# The table of cards, column by column.


@every_edition
@pytest.mark.parametrize("card", [*MAY_STOP, *MUST_GO_ON])
def test_which_cards_let_the_player_stop_before_a_tutto(edition: str, card: Card) -> None:
    table = Table((0, 500), edition).turn(card, "122346")
    assert table.may_stop == (card in MAY_STOP)
    sets = {action.dice for action in GAME.legal(table.state) if isinstance(action, Keep)}
    assert sets == (set(oracle.subsets((1, 2, 3, 4, 6))) if card is Card.STRAIGHT else {(1,)})
    if card in MUST_GO_ON:
        assert stop_value(table.state) is None
        with pytest.raises(IllegalMove):
            table.stop()
    else:
        assert stop_value(table.state) == 100
        assert table.stop().scores == (100, 500)


@every_edition
@pytest.mark.parametrize("card", [*MAY_STOP, Card.PLUS_MINUS, Card.CLOVERLEAF])
@pytest.mark.parametrize("carried", [0, 800])
def test_a_null_loses_all_points_of_the_turn(edition: str, card: Card, carried: int) -> None:
    table = Table((300, 500), edition)
    if carried:
        table.carry(carried)
    table.turn(card, NULL)
    assert table.last[-1] == Nulled(0, carried)
    assert table.scores == (300, 500)
    assert (table.state.seat, table.state.phase, table.points) == (1, Phase.START, 0)


@every_edition
@pytest.mark.parametrize("card", [*MAY_STOP, Card.PLUS_MINUS, Card.CLOVERLEAF])
def test_a_null_with_the_rest_of_the_dice_loses_what_was_put_aside(edition: str, card: Card) -> None:
    table = Table((300, 500), edition).turn(card, "122346").keep("1", "22344")
    assert table.last[-1] == Nulled(0, 100 if card in MAY_STOP else 0)
    assert table.scores == (300, 500)


@every_edition
def test_a_null_with_a_straight_loses_all(edition: str) -> None:
    table = Table((300, 500), edition).carry(800).turn("straight", "112233").keep("123", "111")
    assert table.last[-1] == Nulled(0, 800)
    assert table.scores == (300, 500)


@every_edition
@pytest.mark.parametrize("carried", [0, 800])
def test_the_null_of_fireworks_banks_everything(edition: str, carried: int) -> None:
    table = Table((300, 500), edition)
    if carried:
        table.carry(carried)
    table.turn("fireworks", "122256", "6")
    assert table.last[-1] == Banked(0, carried + 350, carried + 650, fireworks=True)
    assert table.scores == (carried + 650, 500)
    assert (table.state.seat, table.points) == (1, 0)


@every_edition
def test_fireworks_that_begin_with_a_null_bank_what_was_carried(edition: str) -> None:
    assert Table((300, 500), edition).turn("fireworks", NULL).scores == (300, 500)
    assert Table((300, 500), edition).carry(800).turn("fireworks", NULL).scores == (1100, 500)


def test_fireworks_go_on_without_a_choice_until_a_null() -> None:
    table = Table().turn("fireworks", "122256", "5", "222333", "123446", "11234", "246")
    assert table.events == [
        CardTurned(0, Card.FIREWORKS, reshuffled=False),
        Rolled(0, dice("122256")),
        Kept(0, dice("12225"), 350),
        Rolled(0, (5,)),
        Kept(0, (5,), 50),
        TuttoMade(0, Card.FIREWORKS, 0, 400),
        Rolled(0, dice("222333")),
        Kept(0, dice("222333"), 500),
        TuttoMade(0, Card.FIREWORKS, 0, 900),
        Rolled(0, dice("123446")),
        Kept(0, (1,), 100),
        Rolled(0, dice("11234")),
        Kept(0, (1, 1), 200),
        Rolled(0, dice("246")),
        Banked(0, 1200, 1200, fireworks=True),
    ]
    assert table.scores == (1200, 0)


@every_edition
@pytest.mark.parametrize("card", BONUSES)
def test_a_tutto_with_a_bonus_pays_the_bonus(edition: str, card: Card) -> None:
    table = Table((0, 500), edition).carry(500).turn(card, TUTTO_1500).keep(TUTTO_1500)
    assert table.points == 500 + 1500 + int(card.value[-3:])
    assert (table.may_stop, GAME.legal(table.state)) == (True, (TURN_CARD, STOP))
    assert table.stop().scores == (2000 + int(card.value[-3:]), 500)


@every_edition
def test_a_tutto_with_x2_doubles_the_whole_turn_carried_points_included(edition: str) -> None:
    # A Bonus 200 makes 1700; with x2 six more dice make 300; all of it doubles.
    table = Table((0, 500), edition).turn("bonus_200", TUTTO_1500).keep(TUTTO_1500)
    table.turn("x2", "122236").keep("1222", "16").keep("1", "5")
    assert stop_value(table.state) == 2 * (1700 + 300 + 100 + 50)
    assert total_if_kept(table.state, (5,)) == 2 * (1700 + 300 + 100 + 50)
    table.keep("5")
    assert table.last[-1] == TuttoMade(0, Card.X2, 2150, 4300)
    assert table.stop().scores == (4300, 500)


def test_x2_twice_in_a_turn_doubles_twice() -> None:
    table = Table().turn("x2", TUTTO_1500).keep(TUTTO_1500).turn("x2", TUTTO_1500).keep(TUTTO_1500)
    assert table.points == 2 * (2 * 1500 + 1500)


def test_x2_without_a_tutto_doubles_nothing() -> None:
    assert Table().carry(700).turn("x2", "122236").stop().scores == (700 + 300, 0)


@every_edition
def test_a_straight_pays_exactly_2000(edition: str) -> None:
    table = Table((0, 500), edition).carry(500).turn("straight", "111255").keep("125", "356").keep("36", "4")
    table.keep("4")
    assert table.points == 500 + 2000
    assert table.last == (Kept(0, (4,), 0), TuttoMade(0, Card.STRAIGHT, 2000, 2500))
    # It is a Tutto: the player may stop or go on.
    assert GAME.legal(table.state) == (TURN_CARD, STOP)
    assert table.stop().scores == (2500, 500)


def test_a_straight_takes_at_least_one_and_at_most_one_die_of_a_number() -> None:
    table = Table().turn("straight", "111255")
    sets = {action.dice for action in GAME.legal(table.state) if isinstance(action, Keep)}
    assert sets == {(1,), (2,), (5,), (1, 2), (1, 5), (2, 5), (1, 2, 5)}
    table.keep("1", "11556")
    sets = {action.dice for action in GAME.legal(table.state) if isinstance(action, Keep)}
    assert sets == {(5,), (6,), (5, 6)}


def test_a_straight_in_one_roll() -> None:
    assert Table().turn("straight", STRAIGHT).keep(STRAIGHT).stop().scores == (2000, 0)


@every_edition
def test_plus_minus_pays_exactly_1000_and_the_leader_loses_1000(edition: str) -> None:
    table = Table((0, 3000, 2900), edition).carry(500).turn("plus_minus", TUTTO_1500).keep(TUTTO_1500)
    assert table.points == 500 + 1000
    assert table.last == (
        Kept(0, dice(TUTTO_1500), 0),
        TuttoMade(0, Card.PLUS_MINUS, 1000, 1500),
        Deducted(1, 1000),
    )
    assert table.scores == (0, 2000, 2900)
    assert GAME.legal(table.state) == (TURN_CARD, STOP)
    assert table.stop().scores == (1500, 2000, 2900)


@every_edition
def test_two_tuttos_in_a_row_with_the_cloverleaf_win_whatever_the_scores(edition: str) -> None:
    table = Table((0, 5900), edition).turn("cloverleaf", TUTTO_1500)
    table.keep(TUTTO_1500, "112346")
    assert table.last == (
        Kept(0, dice(TUTTO_1500), 0),
        TuttoMade(0, Card.CLOVERLEAF, 0, 0),
        Rolled(0, dice("112346")),
    )
    assert not table.may_stop
    assert table.state.aside == ()
    table.keep("11", "2225").keep("2225")
    assert list(table.last)[-2:] == [TuttoMade(0, Card.CLOVERLEAF, 0, 0), CloverleafWon(0)]
    assert table.won == ((0,), "cloverleaf")
    assert table.scores == (0, 5900)
    assert table.state.finished == 1
    assert table.result is not None
    assert table.result.places() == (1, 2)


def test_no_card_is_drawn_between_the_two_tuttos_of_a_cloverleaf() -> None:
    table = Table().turn("cloverleaf", TUTTO_1500).keep(TUTTO_1500, STRAIGHT)
    assert sum(isinstance(event, CardTurned) for event in table.events) == 1
    assert TURN_CARD not in GAME.legal(table.state)


def test_an_earlier_tutto_does_not_count_for_the_cloverleaf() -> None:
    table = Table().turn("bonus_200", TUTTO_1500).keep(TUTTO_1500)
    table.turn("cloverleaf", TUTTO_1500).keep(TUTTO_1500, NULL)
    assert table.last[-1] == Nulled(0, 1700)
    assert (table.result, table.scores) == (None, (0, 0))


def test_points_carried_to_a_cloverleaf_are_lost_with_it() -> None:
    table = Table().carry(4000).turn("cloverleaf", "122346").keep("1", "22346")
    assert table.last[-1] == Nulled(0, 4000)


@pytest.mark.parametrize("edition", ["modern", "current"])
def test_a_cloverleaf_wins_in_the_last_round_too(edition: str) -> None:
    table = Table((5900, 0), edition).turn("bonus_200", "122346").stop()
    assert table.state.last_round
    table.turn("cloverleaf", TUTTO_1500).keep(TUTTO_1500, TUTTO_1500).keep(TUTTO_1500)
    assert table.won == ((1,), "cloverleaf")
    state = table.state
    assert (state.card, state.aside, state.roll, state.points, state.clover) == (None, (), (), 0, 0)


@every_edition
def test_a_stop_card_ends_the_turn_at_once(edition: str) -> None:
    table = Table((300, 500), edition).turn("stop")
    assert table.last == (CardTurned(0, Card.STOP, reshuffled=False), StopCardHit(0, 0))
    assert (table.scores, table.state.seat, table.state.finished) == ((300, 500), 1, 1)


@every_edition
def test_a_stop_card_after_a_tutto_loses_all(edition: str) -> None:
    table = Table((300, 500), edition).turn("bonus_200", TUTTO_1500).keep(TUTTO_1500).turn("stop")
    assert table.last[-1] == StopCardHit(0, 1700)
    assert table.scores == (300, 500)


# Stopping and going on.


def test_stopping_scores_all_valid_dice_of_the_roll() -> None:
    assert Table().turn("x2", "111155").stop().scores == (2 * (1100 + 100), 0)  # and that is a Tutto
    assert Table().turn("bonus_300", "111156").stop().scores == (1150, 0)


def test_stopping_with_the_last_die_makes_a_tutto_and_the_card_pays() -> None:
    table = Table().turn("bonus_400", "111556").keep("11155", "1").stop()
    assert table.last == (
        Kept(0, (1,), 100),
        TuttoMade(0, Card.BONUS_400, 400, 1000 + 100 + 100 + 400),
        Banked(0, 1600, 1600, fireworks=False),
    )


def test_triplets_count_in_one_roll_only() -> None:
    table = Table().turn("bonus_200", "112346").keep("11", "1346")
    assert stop_value(table.state) == 300
    with pytest.raises(IllegalMove):
        table.keep("3")


@pytest.mark.parametrize("chosen", ["", "2", "22", "2222", "13", "5", "11", "122", "6", "12222"])
def test_sets_that_may_not_be_put_aside(chosen: str) -> None:
    table = Table().turn("bonus_200", "122223")
    state = table.state
    with pytest.raises(IllegalMove) as caught:
        table.keep(chosen)
    assert caught.value.code == "error-illegal-move"
    assert table.state == state


def test_after_a_tutto_six_dice_are_rolled_with_the_next_card() -> None:
    table = Table().turn("bonus_200", TUTTO_1500).keep(TUTTO_1500).turn("bonus_300", "122346")
    assert len(table.state.roll) == 6
    assert (table.points, table.state.aside) == (1700, ())
    assert table.stop().scores == (1800, 0)


def test_what_a_choice_is_worth() -> None:
    table = Table().carry(1000).turn("bonus_300", "122256")
    assert total_if_kept(table.state, (1,)) == 1100
    assert total_if_kept(table.state, (1, 2, 2, 2)) == 1300
    assert stop_value(table.state) == 1350
    table.keep("12225", "5")
    assert total_if_kept(table.state, (5,)) == 1350 + 50 + 300
    assert stop_value(Table().state) is None
    straight = Table().carry(1000).turn("straight", "122346").keep("12346", "5")
    assert (stop_value(straight.state), total_if_kept(straight.state, (5,))) == (None, 3000)
    clover = Table().carry(1000).turn("cloverleaf", TUTTO_1500)
    assert total_if_kept(clover.state, dice(TUTTO_1500)) == 1000


# Plus/Minus: who leads, and what it costs.


@every_edition
def test_every_leader_but_the_roller_loses_1000(edition: str) -> None:
    table = Table((0, 3000, 3000, 1000), edition).turn("plus_minus", TUTTO_1500).keep(TUTTO_1500)
    assert table.scores == (0, 2000, 2000, 1000)
    assert table.stop().scores == (1000, 2000, 2000, 1000)


@pytest.mark.parametrize("edition", ["modern", "current"])
def test_a_leader_plays_plus_minus_and_loses_nothing(edition: str) -> None:
    table = Table((3000, 2000), edition).turn("plus_minus", TUTTO_1500).keep(TUTTO_1500)
    assert not any(isinstance(event, Deducted) for event in table.events)
    assert table.stop().scores == (4000, 2000)


@pytest.mark.parametrize("edition", ["modern", "current"])
def test_leaders_at_the_same_score_lose_1000_but_the_roller_does_not(edition: str) -> None:
    table = Table((3000, 3000, 3000), edition).turn("plus_minus", TUTTO_1500).keep(TUTTO_1500)
    assert table.scores == (3000, 2000, 2000)


@pytest.mark.parametrize("scores", [(3000, 2000), (3000, 3000), (1, 0)])
@pytest.mark.parametrize("carried", [0, 700])
def test_in_classic_a_leader_who_draws_plus_minus_misses_the_turn(
    scores: tuple[int, int], carried: int
) -> None:
    table = Table(scores, "classic")
    if carried:
        table.carry(carried)
    table.turn("plus_minus")
    assert table.last[-1] == LeaderMissed(0, carried)
    assert (table.scores, table.state.seat, table.state.finished) == (scores, 1, 1)


@every_edition
def test_while_all_scores_are_0_nobody_leads(edition: str) -> None:
    table = Table((0, 0, 0), edition)
    assert leaders(table.state) == ()
    table.turn("plus_minus", TUTTO_1500).keep(TUTTO_1500)
    assert not any(isinstance(event, Deducted | LeaderMissed) for event in table.events)
    assert table.stop().scores == (1000, 0, 0)


@every_edition
def test_a_seat_that_left_is_not_the_leader(edition: str) -> None:
    table = Table((0, 0, 4000, 300), edition).leave(2)
    assert leaders(table.state) == (3,)
    table.leave(3)
    assert leaders(table.state) == ()
    table.turn("plus_minus", TUTTO_1500).keep(TUTTO_1500)
    assert not any(isinstance(event, Deducted | LeaderMissed) for event in table.events)
    assert table.stop().scores == (1000, 0, 4000, 300)


@pytest.mark.parametrize(
    ("edition", "after", "lost"),
    [("classic", -400, 1000), ("modern", -400, 1000), ("current", 0, 600)],
)
def test_below_zero(edition: str, after: int, lost: int) -> None:
    table = Table((0, 600), edition).turn("plus_minus", TUTTO_1500).keep(TUTTO_1500)
    assert table.scores == (0, after)
    assert table.last[-1] == Deducted(1, lost)


def test_leaders_are_judged_by_banked_scores() -> None:
    table = Table((0, 2000)).carry(5000).turn("plus_minus", TUTTO_1500).keep(TUTTO_1500)
    assert table.scores == (0, 1000)


def test_with_scores_below_zero_a_score_of_0_leads() -> None:
    table = Table((-400, 0), "modern").turn("plus_minus", TUTTO_1500).keep(TUTTO_1500)
    assert table.scores == (-400, -1000)


@every_edition
@pytest.mark.parametrize("chance", [("stop",), ("bonus_200", NULL)])
def test_the_deduction_stays_when_the_turn_is_lost_afterwards(edition: str, chance: tuple[str, ...]) -> None:
    table = Table((0, 3000), edition).turn("plus_minus", TUTTO_1500).keep(TUTTO_1500).turn(*chance)
    assert (table.scores, table.state.seat) == ((0, 2000), 1)


def test_no_deduction_without_the_tutto() -> None:
    assert Table((0, 3000)).turn("plus_minus", NULL).scores == (0, 3000)


# The end of the game.


def test_classic_ends_at_once() -> None:
    table = Table((0, 5900, 4000), "classic").miss().turn("bonus_200", "122346").stop()
    assert table.won == ((1,), "target")
    assert table.scores == (0, 6000, 4000)
    state = table.state
    assert (state.card, state.aside, state.roll, state.points, state.clover) == (None, (), (), 0, 0)
    assert not any(isinstance(event, LastRoundBegan) for event in table.events)


@pytest.mark.parametrize("edition", ["modern", "current"])
def test_the_round_is_finished(edition: str) -> None:
    table = Table((0, 5900, 5800), edition).miss().turn("bonus_200", "122346").stop()
    assert table.last[-1] == LastRoundBegan(1)
    assert (table.result, table.state.seat) == (None, 2)
    table.turn("bonus_200", "111246").stop()
    assert table.won == ((2,), "target")
    assert table.scores == (0, 6000, 6800)
    # All have had the same number of turns.
    assert table.state.finished == 3


@pytest.mark.parametrize("edition", ["modern", "current"])
def test_the_last_seat_ends_the_game_at_once(edition: str) -> None:
    table = Table((0, 5900), edition).miss().turn("bonus_200", "122346").stop()
    assert table.won == ((1,), "target")
    assert table.state.last_round
    assert not any(isinstance(event, LastRoundBegan) for event in table.events), "nobody plays a last round"


@every_edition
def test_a_target_is_reached_by_meeting_it(edition: str) -> None:
    table = Table((900, 0), edition, target=1000).turn("bonus_200", "122346").stop()
    assert table.state.last_round or table.result
    short = Table((850, 0), edition, target=1000).turn("bonus_200", "122346").stop()
    assert not short.state.last_round
    assert short.result is None


@pytest.mark.parametrize("edition", ["modern", "current"])
def test_a_target_is_reached_by_fireworks_too(edition: str) -> None:
    table = Table((900, 0), edition, target=1000).turn("fireworks", "122346", "22346")
    assert table.last[-1] == LastRoundBegan(0)


@pytest.mark.parametrize("edition", ["modern", "current"])
def test_the_last_round_is_played_to_its_end(edition: str) -> None:
    """Even if a Plus/Minus pulls the leader back under the target."""
    table = Table((5900, 0, 0), edition).turn("bonus_200", "122346").stop()
    table.turn("plus_minus", TUTTO_1500).keep(TUTTO_1500).stop()
    assert (table.scores, table.result) == ((5000, 1000, 0), None)
    table.miss()
    assert table.won == ((0,), "target")


@pytest.mark.parametrize("edition", ["modern", "current"])
def test_reaching_the_target_again_begins_no_second_last_round(edition: str) -> None:
    table = Table((5900, 5900, 0), edition)
    table.turn("bonus_200", "122346").stop().turn("bonus_200", "122346").stop().miss()
    assert sum(isinstance(event, LastRoundBegan) for event in table.events) == 1
    assert table.won == ((0, 1), "target")


def test_equal_best_scores_share_the_win() -> None:
    table = Table((5900, 5900, 100)).turn("bonus_200", "122346").stop()
    table.turn("bonus_200", "122346").stop().miss()
    assert table.won == ((0, 1), "target")
    assert table.result is not None
    assert table.result.places() == (1, 1, 3)


def test_places() -> None:
    def result(scores: tuple[int, ...], winners: tuple[int, ...], left: tuple[int, ...] = ()) -> Result:
        return Result(scores, winners, "target", left)

    assert result((10, 30, 20), (1,)).places() == (3, 1, 2)
    assert result((10, 30, 10), (1,)).places() == (2, 1, 2)
    # A Cloverleaf winner is first whatever the scores; who has left comes after who has stayed.
    assert result((10, 30, 20), (0,)).places() == (1, 2, 3)
    assert result((10, 30, 20, 40), (2,), (1, 3)).places() == (2, 4, 1, 3)


@every_edition
def test_nothing_can_be_done_after_the_end(edition: str) -> None:
    table = Table((0, 0), edition).turn("cloverleaf", TUTTO_1500)
    table.keep(TUTTO_1500, TUTTO_1500).keep(TUTTO_1500)
    assert GAME.to_move(table.state) == OVER
    for move in (TURN_CARD, STOP, Keep((1,)), Draw(Card.STOP), Roll((1, 2, 3, 4, 5, 6)), Leave(0), Leave(1)):
        with pytest.raises(IllegalMove):
            GAME.apply(table.state, move)


# Leaving.


def start() -> Table:
    return Table((100, 200, 300))


def drawing() -> Table:
    table = start().carry(700)
    table.state = GAME.apply(table.state, TURN_CARD).state
    return table


def rolling() -> Table:
    table = drawing()
    table.state = GAME.apply(table.state, Draw(Card.BONUS_200)).state
    return table


def choosing() -> Table:
    return start().carry(700).turn("bonus_200", "122346")


def tutto() -> Table:
    return start().carry(700)


@pytest.mark.parametrize("phase", [start, drawing, rolling, choosing, tutto])
def test_leaving_in_each_phase(phase: Callable[[], Table]) -> None:
    # In one's own turn: its points are lost, the banked ones stay, the next seat begins its turn.
    table = phase()
    table.state = GAME.apply(table.state, Leave(0)).state
    begun = phase is not start
    assert (table.scores, table.state.left) == ((100, 200, 300), (0,))
    assert (table.state.seat, table.state.phase, table.points) == (1, Phase.START, 0)
    assert table.state.finished == int(begun)
    assert phase().state.points == (700 if begun else 0)
    assert GAME.apply(phase().state, Leave(0)).events == (SeatLeft(0, 700 if begun else 0),)

    # In somebody else's turn: the turn goes on untouched, and the seat is skipped from now on.
    other = phase()
    step = GAME.apply(other.state, Leave(1))
    assert step.events == (SeatLeft(1, 0),)
    assert step.state.left == (1,)
    assert GAME.to_move(step.state) == GAME.to_move(other.state)
    assert (step.state.seat, step.state.points, step.state.phase) == (0, other.points, other.state.phase)

    # One seat that is left wins, whoever's turn it was.
    last = GAME.apply(step.state, Leave(0)).state
    assert GAME.result(last) == Result((100, 200, 300), (2,), "left", (0, 1))
    last = GAME.apply(step.state, Leave(2)).state
    assert GAME.result(last) == Result((100, 200, 300), (0,), "left", (1, 2))

    # Nobody leaves twice.
    with pytest.raises(IllegalMove) as caught:
        GAME.apply(step.state, Leave(1))
    assert caught.value.code == "error-not-seated"


def test_a_seat_that_left_is_skipped() -> None:
    table = Table((0, 0, 0, 0)).leave(1).leave(3)
    seats = []
    for _ in range(5):
        seats.append(table.state.seat)
        table.miss()
    assert seats == [0, 2, 0, 2, 0]


def test_a_seat_that_left_does_not_win() -> None:
    table = Table((5900, 0, 200)).turn("bonus_200", "122346").stop().leave(0)
    table.miss(2)
    assert table.won == ((2,), "target")
    assert table.scores == (6000, 0, 200)
    assert table.result is not None
    assert table.result.places() == (3, 2, 1)


def test_the_last_round_ends_when_its_last_seat_leaves() -> None:
    table = Table((5900, 0, 0)).turn("bonus_200", "122346").stop().miss()
    table.leave(2)
    assert table.won == ((0,), "target")


def test_the_last_round_ends_after_the_last_seat_that_stays() -> None:
    table = Table((5900, 0, 0)).turn("bonus_200", "122346").stop().leave(2)
    assert table.result is None
    assert table.miss().won == ((0,), "target")


def test_leaving_before_the_first_card_of_a_turn_finishes_no_turn() -> None:
    table = Table((0, 0, 0)).leave(0)
    assert (table.state.finished, table.state.seat) == (0, 1)


# The deck.


def test_cards_are_drawn_without_replacement_and_then_reshuffled() -> None:
    table = Table()
    names = [card for card, number in zip(CARDS, FULL_DECK, strict=True) for _ in range(number)]
    Random(3).shuffle(names)
    for number, card in enumerate(names):
        assert sum(table.state.deck) == 56 - number
        table.carry(0)
        table.state = GAME.apply(table.state, TURN_CARD).state
        weights = dict(GAME.chance(table.state))
        assert sum(weights.values()) == 56 - number
        assert weights[Draw(card)] == names[number:].count(card)
        step = GAME.apply(table.state, Draw(card))
        assert step.events[0] == CardTurned(table.state.seat, card, reshuffled=False)
        table.state = step.state
    assert table.state.deck == (0,) * len(CARDS)
    table.carry(0)
    table.state = GAME.apply(table.state, TURN_CARD).state
    assert dict(GAME.chance(table.state)) == {
        Draw(card): number for card, number in zip(CARDS, FULL_DECK, strict=True)
    }
    step = GAME.apply(table.state, Draw(Card.CLOVERLEAF))
    assert step.events[0].reshuffled
    assert step.state.deck == (0, *FULL_DECK[1:])


def test_a_card_that_is_gone_can_not_be_drawn() -> None:
    state = GAME.apply(Table(deck=(0, *FULL_DECK[1:])).state, TURN_CARD).state
    with pytest.raises(IllegalMove):
        GAME.apply(state, Draw(Card.CLOVERLEAF))


def test_rolls_of_the_wrong_number_of_dice_can_not_fall() -> None:
    table = Table().turn("bonus_200", "122346")
    state = GAME.apply(table.state, Keep((1,))).state
    assert GAME.to_move(state) == CHANCE
    for wrong in ("1", "1234", "123456"):
        with pytest.raises(IllegalMove):
            GAME.apply(state, Roll(dice(wrong)))
    with pytest.raises(IllegalMove):
        GAME.apply(state, Draw(Card.X2))


# Options.


def test_options_have_defaults() -> None:
    assert GAME.options({}).to_json() == {"edition": "current", "target": 6000}
    assert GAME.options({"edition": "classic"}).to_json() == {"edition": "classic", "target": 6000}


@pytest.mark.parametrize("target", [1000, 1500, 6000, 10_000, 50_000])
def test_targets(target: int) -> None:
    assert GAME.options({"target": target}).target == target


@pytest.mark.parametrize(
    "target", [0, 500, 999, 1250, 6001, 50_500, -6000, 10**30, 6000.0, "6000", None, True]
)
def test_wrong_targets(target: object) -> None:
    with pytest.raises(IllegalMove) as caught:
        GAME.options({"target": target})
    assert caught.value.code == "error-target"
    assert caught.value.facts == {"least": 1000, "most": 50_000, "step": 500}


@pytest.mark.parametrize("edition", ["", "Classic", "seed", None, 1, [], {}])
def test_wrong_editions(edition: object) -> None:
    with pytest.raises(IllegalMove) as caught:
        GAME.options({"edition": edition})
    assert caught.value.code == "error-edition"


def test_unknown_options() -> None:
    with pytest.raises(Unreadable):
        GAME.options({"edition": "current", "colour": "red"})


# Statistics.


def test_stats_of_a_game() -> None:
    table = Table((0, 0), "classic", target=2000)
    table.turn("bonus_200", "122346").stop()
    table.turn("bonus_200", NULL)
    table.turn("plus_minus")  # by the leader
    table.turn("stop")
    table.turn("fireworks", "122346", "22346")
    table.turn("straight", STRAIGHT).keep(STRAIGHT).stop()
    assert table.won == ((1,), "target")
    first, second = GAME.stats(table.events, 2)
    assert (first.turns, first.best_turn, first.feats) == (3, 100, {"tuttos": 0, "nulls": 0, "cards": 3})
    assert (second.turns, second.best_turn, second.feats) == (3, 2000, {"tuttos": 1, "nulls": 1, "cards": 3})


# Against the rules told a second time.


@pytest.mark.parametrize(
    ("depth", "number"), [(0, 1), (1, 1), (2, 11), (3, 4621), (4, 62_461)], ids=lambda value: str(value)
)
def test_the_number_of_paths(depth: int, number: int) -> None:
    assert oracle.perft(oracle.Oracle("current", 6000, 2), depth) == number
    assert perft(GAME, GAME.initial(GAME.options({}), 2), depth) == number


def test_the_number_of_paths_at_the_end_of_a_game() -> None:
    """Ends count as paths too: a Cloverleaf one die before its second Tutto."""
    table = Table().turn("cloverleaf", TUTTO_1500).keep(TUTTO_1500, "111556")
    other = oracle.Oracle("current", 6000, 2)
    for move in ({"type": "turn_card"}, {"card": "cloverleaf"}, {"dice": [1, 1, 1, 5, 5, 5]}):
        other.do(move)
    other.do({"type": "keep", "dice": [1, 1, 1, 5, 5, 5]})
    other.do({"dice": [1, 1, 1, 5, 5, 6]})
    for depth in range(4):
        assert perft(GAME, table.state, depth) == oracle.perft(other, depth)


@settings(max_examples=50)
@given(
    edition=st.sampled_from(EDITIONS),
    seats=st.integers(2, 5),
    seed=st.integers(0, 2**32 - 1),
    leaving=st.sampled_from([0.0, 0.01]),
)
def test_random_games_agree_with_the_oracle(edition: str, seats: int, seed: int, leaving: float) -> None:
    rng = Random(seed)
    state = GAME.initial(GAME.options({"edition": edition, "target": 2000}), seats)
    other = oracle.Oracle(edition, 2000, seats)
    while GAME.to_move(state) != OVER:
        actions = {dumps(GAME.action_to_json(action)) for action in GAME.legal(state)}
        assert actions == {dumps(action) for action in other.actions()}
        if rng.random() < 0.1:
            outcomes = {dumps(GAME.outcome_to_json(outcome)): n for outcome, n in GAME.chance(state)}
            assert outcomes == {dumps(outcome): n for outcome, n in other.outcomes()}
        move = random_move(GAME, state, rng, leaving)
        if isinstance(move, Leave):
            other.do({"type": "leave", "seat": move.seat})
        elif GAME.to_move(state) == CHANCE:
            other.do(GAME.outcome_to_json(move))
        else:
            other.do(GAME.action_to_json(move))
        state = GAME.apply(state, move).state
        assert list(state.scores) == other.scores
        assert (state.finished, set(state.left)) == (other.turns, other.gone)
        if state.phase is not Phase.OVER:
            assert (state.seat, state.points, state.last_round) == (other.seat, other.total, other.last_round)
    assert other.winners == list(state.winners)
    assert other.reason == state.reason
