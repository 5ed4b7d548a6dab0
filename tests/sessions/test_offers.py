"""Asking somebody to take over a seat: what each request changes, or why it is refused."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from bot.sessions import commands, lobby, offers, turns
from bot.sessions.request import Echo, Refused
from bot.store.base import DECLINED, LIVE, LOBBY, OPEN, TAKEN, WITHDRAWN, Change, GameRow, Offer
from tests.sessions.test_commands import (
    ANNA,
    BEN,
    CLEO,
    LEFT,
    MODERATOR,
    NOW,
    OVER,
    STRANGER,
    TWO,
    Command,
    click,
    do,
    names,
    press,
    started,
)

DORA, EMIL = 4, 5
PAIR = started(ANNA, BEN)
NUMBER = 500 + ANNA
"""The id of the interaction by which Anna asks; see :func:`click`."""


def asking(seated: int = BEN, to: int = CLEO) -> Command:
    return partial(offers.ask, user_id=seated, to=to)


def asked(game: GameRow = PAIR, seated: int = BEN, to: int = CLEO) -> GameRow:
    """The host has asked, ten minutes ago."""
    return do(asking(seated, to), game, ANNA, NOW - 600).row


def answering(given: str, number: int = NUMBER) -> Command:
    return partial(offers.answer, number=number, given=given)


ASKED = asked()
LONG_AGO = replace(ASKED, offers=(replace(ASKED.offers[0], until=NOW),))
SEAT_LEFT = do(commands.leave, asked(started(ANNA, BEN, DORA)), BEN).row
SEAT_TO_AI = do(partial(commands.hand_over, user_id=BEN, policy="casual"), ASKED, ANNA).row
SEATED_ELSEWHERE = do(lobby.join, asked(TWO), CLEO).row

REFUSALS: dict[str, tuple[Command, GameRow, int, str]] = {
    "ask as a guest": (asking(), PAIR, BEN, "error-manager-only"),
    "ask for the seat of a stranger": (asking(STRANGER), PAIR, ANNA, "error-not-at-table"),
    "ask for one's own seat": (asking(ANNA), PAIR, ANNA, "error-own-seat"),
    "ask somebody who sits there": (asking(to=ANNA), PAIR, MODERATOR, "error-seated-already"),
    "ask for a seat that was left": (asking(CLEO, DORA), LEFT, ANNA, "error-not-seated"),
    "ask after the end": (asking(CLEO, DORA), OVER, ANNA, "error-game-over"),
    "accept for somebody else": (answering(TAKEN), ASKED, DORA, "error-offer-other"),
    "decline for somebody else": (answering(DECLINED), ASKED, ANNA, "error-offer-other"),
    "withdraw as who is asked": (answering(WITHDRAWN), ASKED, CLEO, "error-manager-only"),
    "withdraw as who is to be replaced": (answering(WITHDRAWN), ASKED, BEN, "error-manager-only"),
    "accept too late": (answering(TAKEN), LONG_AGO, CLEO, "error-offer-over"),
    "accept an unknown question": (answering(TAKEN, 1), ASKED, CLEO, "error-offer-over"),
    "accept the seat of somebody who left": (answering(TAKEN), SEAT_LEFT, CLEO, "error-offer-over"),
    "accept what an AI has got": (answering(TAKEN), SEAT_TO_AI, CLEO, "error-offer-over"),
    "accept a second seat": (answering(TAKEN), SEATED_ELSEWHERE, CLEO, "error-already-seated"),
    "accept when somebody else was asked since": (
        answering(TAKEN, 9),
        do(asking(to=DORA), replace(ASKED, offers=(replace(ASKED.offers[0], interaction_id=9),)), ANNA).row,
        CLEO,
        "error-offer-over",
    ),
    "accept after the game was closed": (
        answering(TAKEN),
        turns.close(ASKED, "closed-ended", NOW).row,
        CLEO,
        "error-offer-over",
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refused(case: str) -> None:
    command, game, who, code = REFUSALS[case]
    with pytest.raises(Refused) as info:
        command(game, click(who), NOW)
    assert info.value.code == code


def test_asking_changes_nothing_but_the_question() -> None:
    change = do(asking(), PAIR, ANNA)
    assert change.row.offers == (Offer(NUMBER, BEN, CLEO, NOW + offers.OFFER_SECONDS),)
    assert change.row == replace(PAIR, offers=change.row.offers, touched=PAIR.touched + 1)
    assert press(change.row, ANNA, "t").row.offers == change.row.offers  # the game goes on meanwhile


@pytest.mark.parametrize("game", [PAIR, TWO], ids=lambda game: game.status)
def test_a_person_who_accepts_takes_the_seat(game: GameRow) -> None:
    before = asked(game)
    change = do(answering(TAKEN), before, CLEO)
    assert change.seats_changed
    assert names(change.row) == [ANNA, CLEO]
    assert change.row.seats[1].name == "User 3"
    assert change.row.version == before.version + 1
    assert [offer.answer for offer in change.row.offers] == [TAKEN]
    assert (change.row.own_turns, change.row.missed) == (((0, 0), (0, 0)) if game is PAIR else ((), ()))


def test_the_name_of_a_person_who_accepts_is_told_apart_from_the_others_and_not_from_the_former() -> None:
    for namesake, name in ((0, "User 3 (cleo)"), (1, "User 3")):
        seats = list(ASKED.seats)
        seats[namesake] = replace(seats[namesake], name="User 3")
        clicked = click(CLEO)._replace(username="cleo")
        change = answering(TAKEN)(replace(ASKED, seats=tuple(seats)), clicked, NOW)
        assert isinstance(change, Change)
        assert change.row.seats[1].name == name


@pytest.mark.parametrize(("given", "who"), [(DECLINED, CLEO), (WITHDRAWN, ANNA), (WITHDRAWN, MODERATOR)])
def test_any_other_answer_leaves_the_seat_as_it_is(given: str, who: int) -> None:
    row = do(answering(given), ASKED, who).row
    assert replace(row, offers=ASKED.offers, touched=ASKED.touched) == ASKED
    assert [offer.answer for offer in row.offers] == [given]


@pytest.mark.parametrize("first", [TAKEN, DECLINED, WITHDRAWN])
@pytest.mark.parametrize("second", [TAKEN, DECLINED, WITHDRAWN])
def test_a_second_answer_changes_nothing(first: str, second: str) -> None:
    """A double click, a click on a message that does not show the answer yet, or two people at once."""
    answered = do(answering(first), ASKED, ANNA if first == WITHDRAWN else CLEO).row
    with pytest.raises(Echo):
        do(answering(second), answered, ANNA if second == WITHDRAWN else CLEO)


def test_a_new_question_about_a_seat_replaces_the_former_and_no_other() -> None:
    three = started(ANNA, BEN, CLEO)
    both = replace(
        asked(three, BEN, DORA), offers=(*asked(three, BEN, DORA).offers, Offer(9, CLEO, 8, NOW + 9))
    )
    found = do(asking(BEN, EMIL), both, ANNA).row.offers
    assert [(offer.seated, offer.user_id) for offer in found] == [(CLEO, 8), (BEN, EMIL)]
    later = do(asking(BEN, EMIL), both, ANNA, NOW + 9).row.offers
    assert [(offer.seated, offer.user_id) for offer in later] == [(BEN, EMIL)]


def test_a_question_outlives_the_start_and_ends_with_the_game() -> None:
    starting = do(lobby.start, asked(TWO), ANNA).row
    begun = lobby.begin(starting, 77, NOW).row
    assert (begun.status, [offer.answer for offer in begun.offers]) == (LIVE, [OPEN])
    assert asked(TWO).status == LOBBY
    finished = do(commands.leave, ASKED, BEN).row
    assert finished.offers == ()


@pytest.mark.parametrize(("user_id", "left"), [(CLEO, 0), (BEN, 0), (ANNA, None), (STRANGER, None)])
def test_a_deleted_person_is_in_no_question(user_id: int, left: int | None) -> None:
    change = offers.without_person(ASKED, user_id)
    assert (None if change is None else len(change.row.offers)) == left
