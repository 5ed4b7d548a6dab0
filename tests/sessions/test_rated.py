"""What giving up a seat of a rated game means, and when it may be ended without a result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from bot.games.core import SeatStats
from bot.games.seats import ai, person
from bot.sessions import commands, offers
from bot.sessions.rated import binds, consent, last_places, parts_of
from bot.sessions.request import Refused, Stale
from bot.store.base import ABORTED, FINISHED, LIVE, Change, Damaged, FormerSeat, GameRow, LastPlace, intact
from tests.sessions.test_commands import (
    ALONE,
    ANNA,
    BEN,
    CLEO,
    FRIENDLY,
    GAME,
    NOW,
    STRANGER,
    click,
    do,
    started,
)
from tests.sessions.test_commands import MODERATOR as MOD

DAN = 4


def turns(game: GameRow, *finished: int, own: Sequence[int] | None = None) -> GameRow:
    """The game after so many finished turns of each seat, all of which people played themselves."""
    stats = tuple(SeatStats(number, 0, {}) for number in finished)
    return replace(game, stats=stats, own_turns=tuple(finished if own is None else own))


def handed(seat: int, user_id: int | None, own: int = 5, of: int = 5) -> FormerSeat:
    return FormerSeat(seat, user_id, "Who", 9, True, of, own)


def left(seat: int, user_id: int | None) -> FormerSeat:
    return FormerSeat(seat, user_id, "Who", 9, False, 5, 5)


PLAYED = turns(GAME, 5, 5, 5)
OVER, CLOSED = replace(PLAYED, status=FINISHED), replace(PLAYED, status=ABORTED)
WITHOUT_BEN = replace(OVER, seats=(GAME.seats[0], person(DAN, "Dan"), GAME.seats[2]))
AGAINST_AI = replace(turns(started(ANNA, BEN), 9, 9, own=(9, 0)), status=FINISHED)
AGAINST_AI = replace(AGAINST_AI, seats=(AGAINST_AI.seats[0], ai("casual")))


@pytest.mark.parametrize(
    ("game", "former", "found"),
    [
        (OVER, (), {}),
        # People who left are in the result, or last if there is none, each behind all others.
        (OVER, (left(1, BEN),), {}),
        (CLOSED, (left(1, BEN),), {0: (ANNA, CLEO)}),
        (CLOSED, (left(1, BEN), left(0, ANNA)), {0: (ANNA, CLEO), 1: (BEN, CLEO)}),
        (
            CLOSED,
            (left(1, BEN), left(0, ANNA), left(2, CLEO)),
            {0: (ANNA, CLEO), 1: (BEN, CLEO), 2: (ANNA, BEN)},
        ),
        # Somebody else has the seat.
        (WITHOUT_BEN, (handed(1, BEN),), {0: (ANNA, DAN, CLEO)}),
        (replace(WITHOUT_BEN, status=ABORTED), (handed(1, BEN),), {0: (ANNA, DAN, CLEO)}),
        (
            WITHOUT_BEN,
            (handed(1, BEN), handed(1, STRANGER)),
            {0: (ANNA, DAN, CLEO, STRANGER), 1: (ANNA, DAN, CLEO, BEN)},
        ),
        # An AI has the seat, so the game counts as one against AIs, but not for the person who gave it up.
        (AGAINST_AI, (handed(1, BEN),), {0: (ANNA,)}),
        # Fewer than two of all who had a seat have played.
        (AGAINST_AI, (handed(1, BEN, own=2),), {}),
        (turns(CLOSED, 5, 5, 5, own=(5, 0, 0)), (left(1, BEN),), {}),
        (turns(CLOSED, 0, 0, 0), (left(1, BEN),), {}),
        # Others who were not there for their turns do not help anybody.
        (turns(CLOSED, 5, 5, 5, own=(5, 5, 0)), (left(2, CLEO),), {0: (ANNA, BEN)}),
        # Deleted people are neither rated nor rated against.
        (CLOSED, (left(1, None),), {}),
        (WITHOUT_BEN, (handed(1, None), handed(1, BEN)), {1: (ANNA, DAN, CLEO)}),
        # Friendly games, and those of which too little is known.
        (replace(turns(FRIENDLY, 5, 5, 5), status=ABORTED), (left(1, BEN),), {}),
        (replace(turns(ALONE, 5, 5, 5), status=ABORTED), (left(0, ANNA),), {}),
        (replace(CLOSED, stats=()), (left(1, BEN),), {}),
        (replace(CLOSED, stats=Damaged("")), (left(1, BEN),), {}),
    ],
)
def test_who_is_last_for_having_given_up_a_seat(
    game: GameRow, former: tuple[FormerSeat, ...], found: dict[int, tuple[int, ...]]
) -> None:
    places = last_places(replace(game, former=former))
    assert {place.former: place.against for place in places} == {
        number: tuple(sorted(against, key=[*found[number]].index)) for number, against in found.items()
    }


def test_each_way_to_give_up_a_seat_is_noted_with_its_turns() -> None:
    game = turns(GAME, 3, 4, 2, own=(3, 2, 2))
    for way in (
        partial(do, commands.leave, game, BEN),
        partial(do, partial(commands.remove, user_id=BEN), game, ANNA),
    ):
        change = way()
        assert change.gave_up
        assert change.row.former == (FormerSeat(1, BEN, "User 2", change.row.version, False, 4, 2),)
    forgotten = commands.forget(game, BEN, NOW)
    departed = commands.depart(game, BEN, ANNA, NOW)
    for gone_from in (forgotten, departed):
        assert gone_from is not None
        assert (gone_from.gave_up, [one.user_id for one in gone_from.row.former]) == (True, [BEN])
    gone = commands.time_out(replace(game, deadline=NOW), NOW, gone=True)
    assert isinstance(gone, Change)
    assert [one.user_id for one in gone.row.former] == [ANNA]
    change = do(partial(commands.hand_over, user_id=BEN, policy="casual"), game, ANNA)
    assert (change.gave_up, change.seats_changed) == (True, True)
    assert change.row.former == (FormerSeat(1, BEN, "User 2", change.row.version, True, 4, 2),)


def test_a_game_of_which_too_little_is_known_notes_no_turns() -> None:
    former = do(commands.leave, replace(GAME, stats=(), own_turns=()), BEN).row.former
    assert [(one.turns, one.own_turns) for one in former] == [(0, 0)]


def test_turns_that_were_not_counted_are_people_s_own() -> None:
    game = replace(turns(started(ANNA, BEN, ais=1), 5, 4, 3), own_turns=())
    assert [part.own_turns for part in parts_of(game, intact(game.stats))] == [5, 4, 0]


def test_friendly_games_note_only_who_was_replaced() -> None:
    assert do(commands.leave, FRIENDLY, BEN).row.former == ()
    assert do(partial(commands.hand_over, user_id=BEN, policy="casual"), FRIENDLY, ANNA).row.former


def test_when_all_leave_one_after_another_none_of_them_escapes() -> None:
    game = turns(started(ANNA, BEN, ais=1), 4, 4, 4, own=(4, 4, 0))
    first = do(commands.leave, game, BEN)
    assert (first.row.status, first.last_places) == (LIVE, ())
    last = do(commands.leave, first.row, ANNA)
    assert (last.row.status, last.gave_up) == (ABORTED, True)
    assert last.last_places == (LastPlace(0, (ANNA,)), LastPlace(1, (BEN,)))
    # Nor if the last person's seat goes to an AI, or the game is ended by somebody else.
    by_ai = do(partial(commands.hand_over, user_id=ANNA, policy="casual"), first.row, MOD)
    assert (by_ai.row.status, by_ai.last_places, by_ai.seats_changed) == (ABORTED, last.last_places, True)
    assert do(commands.end, first.row, MOD).last_places == (LastPlace(0, (ANNA,)),)


def test_a_person_who_gave_up_a_seat_of_a_rated_game_does_not_come_back() -> None:
    for game, refused in ((PLAYED, True), (turns(FRIENDLY, 5, 5, 5), False)):
        row = do(partial(commands.hand_over, user_id=BEN, policy="casual"), game, ANNA).row
        asking = partial(offers.ask, user_id=CLEO, to=BEN)
        if not refused:
            assert do(asking, row, ANNA).row.offers
            continue
        for way in (
            partial(do, asking, row, ANNA),
            partial(commands.take_seat, row, 2, person(BEN, "Ben"), NOW, click(BEN)),
        ):
            with pytest.raises(Refused) as info:
                way()
            assert info.value.code == "error-gave-up-seat"


def test_the_name_of_a_deleted_person_goes_from_there_too() -> None:
    row = do(commands.leave, PLAYED, BEN).row
    assert [(one.user_id, one.name) for one in commands.without_name(row, BEN).row.former] == [(None, "")]


# Ending a game.

BOUND = turns(GAME, 2, 2, 2)


@pytest.mark.parametrize(
    ("game", "seat", "found"),
    [
        (BOUND, 0, True),
        (BOUND, None, False),  # a moderator who looks on
        (turns(GAME, 2, 2, 1), 0, False),
        (turns(FRIENDLY, 2, 2, 2), 0, False),
        (turns(ALONE, 2, 2, 2), 0, False),
        (replace(BOUND, status=FINISHED), 0, False),
        (replace(BOUND, stats=()), 0, False),
        (replace(BOUND, state=Damaged("{}")), 0, False),
        # Only those count who are still in the game.
        (turns(do(commands.leave, GAME, CLEO).row, 2, 2, 0), 0, True),
        (turns(do(commands.leave, GAME, CLEO).row, 2, 2, 0), 2, False),
    ],
)
def test_when_a_game_is_binding(game: GameRow, seat: int | None, found: bool) -> None:
    assert binds(game, seat) == found


def ended(game: GameRow, *who: int) -> GameRow:
    """The game in which the first has asked and the others have agreed."""
    game = do(commands.end, game, who[0]).row
    for one in who[1:]:
        game = do(commands.agree_to_end, game, one).row
    return game


def test_how_many_agree_to_the_end() -> None:
    assert [consent(ended(BOUND, *who)) for who in ((ANNA,), (ANNA, BEN))] == [(1, 3), (2, 3)]
    gone = do(commands.leave, BOUND, CLEO).row
    assert consent(replace(gone, ending=(0, 2))) == (1, 2)


def test_all_must_agree_to_end_a_rated_game() -> None:
    asked = do(commands.end, BOUND, ANNA)
    assert (asked.row.status, asked.row.ending) == (LIVE, (0,))
    # The buttons of the table stay right.
    assert (asked.row.version, asked.row.touched) == (BOUND.version, BOUND.touched + 1)
    assert ended(BOUND, ANNA, CLEO).ending == (0, 2)
    over = ended(BOUND, ANNA, CLEO, BEN)
    assert (over.status, over.closed) == (ABORTED, "closed-agreed")
    # Moves do not change it, and asking again changes nothing.
    assert do(partial(commands.press, version=asked.row.version, token="t"), asked.row, ANNA).row.ending == (
        0,
    )
    for game, command, who, code in (
        (asked.row, commands.end, ANNA, "error-end-waits"),
        (asked.row, commands.agree_to_end, ANNA, "error-end-waits"),
        (asked.row, commands.agree_to_end, STRANGER, "error-not-in-game"),
        (asked.row, commands.play_on, STRANGER, "error-not-in-game"),
        (BOUND, commands.agree_to_end, BEN, "error-stale"),
        (BOUND, commands.play_on, BEN, "error-stale"),
        (BOUND, commands.end, BEN, "error-manager-only"),
    ):
        with pytest.raises(Refused) as info:
            do(command, game, who)
        assert info.value.code == code
    assert issubclass(Stale, Refused)


def test_one_no_withdraws_the_question() -> None:
    after = do(commands.play_on, ended(BOUND, ANNA, CLEO), BEN).row
    assert (after.ending, after.status, after.version) == ((), LIVE, BOUND.version)


@pytest.mark.parametrize(("leaver", "ending"), [(ANNA, ()), (CLEO, (0,))])
def test_the_question_without_somebody_who_leaves(leaver: int, ending: tuple[int, ...]) -> None:
    after = do(commands.leave, ended(BOUND, ANNA, CLEO), leaver).row
    assert (after.status, after.ending) == (LIVE, ending)


WITHOUT_HIM: dict[str, Callable[[GameRow], Any]] = {
    "leaves": lambda game: do(commands.leave, game, BEN),
    "is removed": lambda game: do(partial(commands.remove, user_id=BEN), game, ANNA),
    "is replaced by an AI": lambda game: do(
        partial(commands.hand_over, user_id=BEN, policy="casual"), game, ANNA
    ),
    "is forgotten": lambda game: commands.forget(game, BEN, NOW),
    "has left the server": lambda game: commands.depart(game, BEN, ANNA, NOW),
    "has left the server in his turn": lambda game: commands.time_out(
        replace(game, state=replace(intact(game.state), seat=1), deadline=NOW), NOW, gone=True
    ),
}


@pytest.mark.parametrize("how", WITHOUT_HIM)
def test_a_game_ends_when_the_only_one_who_has_not_agreed_gives_up_his_seat(how: str) -> None:
    game = ended(BOUND, ANNA, CLEO)
    over = WITHOUT_HIM[how](game)
    assert (over.row.status, over.row.closed, over.row.deadline) == (ABORTED, "closed-agreed", None)
    assert (over.row.version, over.expected) == (game.version + 1, game.version)
    assert over.last_places == (LastPlace(0, (ANNA, CLEO)),)
    assert over.gave_up


def test_a_game_goes_on_when_his_seat_goes_to_somebody_who_was_not_asked() -> None:
    game = commands.take_seat(ended(BOUND, ANNA, CLEO), 1, person(DAN, "Dan"), NOW, click(DAN)).row
    assert (game.status, consent(game)) == (LIVE, (2, 3))
    assert do(commands.agree_to_end, game, DAN).row.closed == "closed-agreed"


def test_a_game_that_has_a_winner_when_somebody_leaves_keeps_its_result() -> None:
    game = turns(started(ANNA, BEN), 2, 2)
    over = do(commands.leave, ended(game, ANNA), BEN)
    assert (over.row.status, over.row.closed, len(over.results)) == (FINISHED, "", 2)


def test_a_game_that_was_left_alone_with_the_question_ends_with_the_next_consent() -> None:
    """Games of earlier versions may be so."""
    waiting = replace(do(commands.leave, BOUND, BEN).row, ending=(0, 2))
    for command, who in ((commands.end, ANNA), (commands.agree_to_end, CLEO)):
        over = do(command, waiting, who)
        assert (over.row.closed, over.last_places) == ("closed-agreed", (LastPlace(0, (ANNA, CLEO)),))


@pytest.mark.parametrize(
    ("game", "who"),
    [
        (BOUND, MOD),
        (turns(GAME, 2, 1, 2), ANNA),
        (turns(FRIENDLY, 9, 9, 9), ANNA),
        (replace(BOUND, state=Damaged("")), ANNA),
    ],
)
def test_other_games_end_at_once(game: GameRow, who: int) -> None:
    change: Any = do(commands.end, game, who)
    assert (change.row.status, change.row.closed) == (ABORTED, "closed-ended")
