"""The commands that change a running game, as pure functions; Discord's slash commands are in ``cogs/``.

A command takes the stored game, the click that asks for it and the time in Unix seconds, and returns the
:class:`~bot.store.base.Change` that the session writes. If it raises, the session writes
nothing: :class:`~bot.sessions.request.Refused` (or ``Stale``), :class:`~bot.sessions.request.Echo` or
:class:`~bot.games.core.GameError`. :mod:`~bot.sessions.lobby` has the commands of games that have not begun.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from bot.games.core import GameError, Leave, Unreadable
from bot.games.seats import Seat, ai
from bot.games.values import replace
from bot.registry import find
from bot.screens.model import Act, ChangeView
from bot.sessions import absence, lobby, turns
from bot.sessions.rated import agreed, binds, gave_up, is_rated, may_be_advised, with_former
from bot.sessions.request import DOUBLE_CLICK_SECONDS, Click, Echo, Refused, Stale, check_manager, seat_number
from bot.store.base import LIVE, LOBBY, NEVER, Change, GameRow, intact


@dataclass(frozen=True, slots=True)
class PlayTurn:
    """Tells the session to play the current turn for the absent ``seat``."""

    seat: int


@dataclass(frozen=True, slots=True)
class GoOn:
    """Tells the session to let the AI move."""


def press(row: GameRow, click: Click, now: float, *, version: int, token: str) -> Change | ChangeView:
    """Press one of the game's own buttons on a table that showed ``version``."""
    seat = seat_in_game(row, click)
    if version != row.version:
        if now - row.acted[seat] < DOUBLE_CLICK_SECONDS:
            raise Echo(row)
        raise Stale(row)
    entry, state = find(row.game), intact(row.state)
    if seat != entry.rules.to_move(state):
        raise Refused("error-not-your-turn")
    pressed = entry.screen.press(state, token)
    if isinstance(pressed, ChangeView):
        return pressed
    assert isinstance(pressed, Act)
    return turns.moves(row, seat, (pressed.action, *pressed.then), now, turns.chance_of(row), click)


def leave(row: GameRow, click: Click, now: float) -> Change:
    """Leave a lobby or a game, even during another player's turn."""
    if row.status == LOBBY:
        return lobby.leave(row, click, now)
    return _leave(row, seat_in_game(row, click), click, now)


def end(row: GameRow, click: Click, now: float) -> Change:
    """Close a lobby or a game without a result. Only its host, or a member with Manage Messages, may do so.

    A player of a rated game may need the others' consent; then this asks for it, see :func:`agree_to_end`.
    Even a damaged game can be closed.
    """
    _check_open(row)
    check_manager(click, row)
    seat = seat_number(row, click.user_id)
    if seat is None or not binds(row, seat):
        return turns.close(row, "closed-ended", now, click.interaction_id)
    return _with_consent(row, seat, now, click)


def agree_to_end(row: GameRow, click: Click, now: float) -> Change:
    """Agree to end a rated game without a result.

    It ends when all people who are still in it have agreed: with the last consent, or when somebody who has
    not agreed gives up their seat.
    """
    seat = seat_in_game(row, click)
    if not row.ending:
        raise Stale(row)
    return _with_consent(row, seat, now, click)


def play_on(row: GameRow, click: Click, now: float) -> Change:
    """Answer no to the question whether to end the game, which withdraws it."""
    seat_in_game(row, click)
    if not row.ending:
        raise Stale(row)
    return turns.touch(replace(row, ending=()), click.interaction_id)


def _unless_agreed(change: Change) -> Change:
    """Return the step of somebody who gives up a seat; it ends the game if all who stay have agreed to it."""
    row = change.row
    if row.status == LIVE and row.ending and agreed(row):
        return turns.closed_by(change, "closed-agreed")
    return change


def _with_consent(row: GameRow, seat: int, now: float, click: Click) -> Change:
    after = replace(row, ending=(*(one for one in row.ending if one != seat), seat))
    if agreed(after):
        return turns.close(after, "closed-agreed", now, click.interaction_id)
    if seat in row.ending:
        raise Refused("error-end-waits")
    return turns.touch(after, click.interaction_id)


def come_back(row: GameRow, click: Click, now: float) -> Change:
    """Play again, after turns were played for the clicker."""
    seat = seat_in_game(row, click)
    if row.missed[seat] < absence.MAX_MISSED:
        raise Refused("error-not-away")
    return _wait_again(turns.mark_present(row, seat, now), click, now)


def vote(row: GameRow, click: Click, now: float) -> Change:
    """Vote for the bot to play an idle person's turn; see :func:`vote_carried`.

    The version stays, so a click of the person it is about still counts, unless the vote has carried.
    """
    seat = seat_in_game(row, click)
    if seat == to_move(row):
        raise Refused("error-vote-own-turn")
    idle = now - row.since
    if idle < absence.IDLE_SECONDS:
        raise Refused("error-vote-too-early", n=int(absence.IDLE_SECONDS - idle) + 1)
    if seat in row.votes:
        raise Refused("error-vote-twice", n=max(_votes_needed(row) - len(row.votes), 1))
    return turns.touch(replace(row, votes=(*row.votes, seat)), click.interaction_id)


def vote_carried(row: GameRow) -> bool:
    """Return whether enough people have voted for the bot to play the current turn."""
    return len(row.votes) >= _votes_needed(row)


def remove(row: GameRow, click: Click, now: float, *, user_id: int) -> Change:
    """Remove a person from a lobby or a game. Only its host, or a member with Manage Messages, may do so."""
    _check_open(row)
    check_manager(click, row)
    seat = _seat_of_other(row, user_id)
    if row.status == LOBBY:
        return lobby.without_seat(row, seat, now, click)
    return _leave(row, seat, click, now)


def hand_over(row: GameRow, click: Click, now: float, *, user_id: int, policy: str) -> Change:
    """Give a person's seat to an AI. People are asked first, see :mod:`~bot.sessions.offers`."""
    seat = check_hand_over(row, click, user_id)
    if policy not in find(row.game).policies:
        raise Unreadable("error-unreadable")
    return take_seat(row, seat, ai(policy), now, click)


def check_hand_over(row: GameRow, click: Click, user_id: int) -> int:
    """Return the number of a person's seat that is to be handed over, or raise :class:`Refused`.

    Only the host of the game, or a member with Manage Messages, may hand over seats. Nobody gets rid of a
    running game by handing over their own.
    """
    _check_open(row)
    check_manager(click, row)
    seat = _seat_of_other(row, user_id)
    if row.status == LIVE:
        if user_id == click.user_id:
            raise Refused("error-own-seat", game=row.game)
        if seat in left_seats(row):
            raise Refused("error-not-seated")
    return seat


def take_seat(row: GameRow, seat: int, to: Seat, now: float, click: Click) -> Change:
    """Replace the person of a seat by another person, who has agreed, or an AI.

    The turns that were played so far are not the new person's own.
    """
    seats = (*row.seats[:seat], to, *row.seats[seat + 1 :])
    if row.status == LOBBY:
        return lobby.with_seats(row, seats, now, click)
    left = left_seats(row)
    if to.user_id is not None and gave_up(row, to.user_id):
        raise Refused("error-gave-up-seat")
    own_turns = tuple(0 if number == seat else own for number, own in enumerate(row.own_turns))
    row = replace(with_former(row, seat, handed=True), seats=seats, own_turns=own_turns)
    # They have not acted: when their turn comes, a table at the bottom of the channel notifies them.
    row = _with_host(turns.mark_present(row, seat, 0.0), left)
    if absence.people(row, left):
        change = _unless_agreed(_wait_again(row, click, now))
    else:
        change = turns.close(row, "closed-everybody-left", now, click.interaction_id)
    return change._replace(seats_changed=True, gave_up=True)


def forget(row: GameRow, user_id: int, now: float) -> Change | None:
    """Remove a person who is gone from their game. Return None if they have left it already.

    If their data is being deleted and the game goes on, the caller must then call :func:`without_name`.
    """
    seat = seat_number(row, user_id)
    assert seat is not None
    if row.status == LOBBY:
        return lobby.without_seat(row, seat, now)
    if row.status != LIVE:
        return None
    try:
        return None if seat in left_seats(row) else _leave(row, seat, None, now)
    except GameError:
        # Nobody can play on with a damaged game.
        return turns.close(row, "closed-ended", now)


def depart(row: GameRow, user_id: int, heir: int, now: float) -> Change | None:
    """Remove a person who has left the server; if they were the host, ``heir`` becomes it.

    This does not give the person to move more time. Return None if they have left the game already.
    """
    row = replace(row, host_id=heir if user_id == row.host_id else row.host_id)
    change = forget(row, user_id, now)
    if change is None or change.row.status != LIVE or to_move(change.row) != to_move(row):
        return change
    left = left_seats(change.row)
    votes = tuple(seat for seat in row.votes if seat not in left)
    waiting = replace(change.row, since=row.since, reminded=row.reminded, votes=votes)
    return change._replace(row=absence.with_deadline(waiting, left))


def without_name(row: GameRow, user_id: int) -> Change:
    """Remove a person's name and id from their seat."""
    seats = tuple(Seat("human") if seat.user_id == user_id else seat for seat in row.seats)
    former = tuple(
        dataclasses.replace(one, user_id=None, name="") if one.user_id == user_id else one
        for one in row.former
    )
    change = turns.touch(replace(row, seats=seats, former=former))
    return change._replace(seats_changed=True)


def time_out(
    row: GameRow, now: float, *, gone: bool = False, locked: bool = False, certain: bool = True
) -> Change | PlayTurn | GoOn | None:
    """Return what the game's deadline requires, or None if it has not passed.

    With ``gone``, the person to move is no longer in the server, which counts as leaving the game. With
    ``locked``, its thread has been locked for an unknown time, so its clock stops, and starts later with the
    whole time. Unless the time is ``certain``, no game is closed for having been left alone; that waits.
    :mod:`~bot.sessions.absence` sets the deadlines, and :mod:`~bot.services.deadlines` watches them.
    """
    if row.deadline is None or row.deadline > now:
        return None
    if locked:
        return stop_clock(replace(row, since=now, reminded=False), now)
    if row.status == LOBBY:
        return turns.close(row, "closed-idle", now)
    if now - row.since >= absence.UNTOUCHED_SECONDS:
        if not certain:
            return Change(replace(row, deadline=now + absence.UNCERTAIN_SECONDS), row.version)
        return turns.close(row, "closed-untouched", now)
    try:
        seat, left = to_move(row), left_seats(row)
    except Unreadable:
        # Nobody can play on; the log is kept, and the channel is free again.
        return turns.close(row, "closed-damaged", now)
    if row.ai_to_move:
        return GoOn()
    if gone:
        return _leave(row, seat, None, now)
    if row.reminded and now - row.deadline < absence.LATE_SECONDS:
        return PlayTurn(seat)
    # If the deadline passed while the bot was away, no click could meet it: notify them, and give them time.
    since = max(row.since, now - absence.until_reminder(row))
    return turns.touch(absence.with_deadline(replace(row, since=since, reminded=True), left))


def restart_clock(row: GameRow, now: float) -> Change | None:
    """Give a lobby or a game its whole time again, after the clock has jumped. Return None if it is over."""
    if row.status not in (LOBBY, LIVE):
        return None
    acted = tuple(min(at, now) for at in row.acted)
    again = replace(row, since=now, reminded=False, acted=acted, updated_at=now)
    if row.deadline == NEVER:
        return turns.touch(again)
    if row.status == LOBBY:
        return turns.touch(replace(again, deadline=absence.lobby_deadline(now)))
    try:
        return turns.touch(absence.with_deadline(again, left_seats(again)))
    except Unreadable:
        return turns.touch(replace(again, deadline=now))


def stop_clock(row: GameRow, now: float) -> Change | None:
    """Stop the clock of a lobby or a game. Return None if it is stopped already."""
    if row.deadline == NEVER:
        return None
    return turns.touch(absence.stopped(row, now))


def start_clock(row: GameRow, now: float) -> Change | None:
    """Start a stopped clock: a game has the time that was left, a lobby its whole time.

    Return None if it is running.
    """
    if row.deadline != NEVER:
        return None
    if row.status == LOBBY:
        running = replace(row, deadline=absence.lobby_deadline(now), updated_at=now)
    else:
        try:
            running = absence.continued(row, left_seats(row), now)
        except Unreadable:
            running = replace(row, deadline=now)
    return turns.touch(running)


def check_running(row: GameRow) -> None:
    """Raise :class:`Stale` unless the game is running."""
    if row.status != LIVE:
        raise Stale(row, "error-stale" if row.status == LOBBY else "error-game-over")


def check_odds(row: GameRow, click: Click) -> None:
    """Raise unless the clicker may see the odds: spectators may, and the players of a friendly game."""
    check_running(row)
    if find(row.game).advice is None:
        raise Unreadable("error-old-button")
    check_advice(row, click.user_id)


def check_advice(row: GameRow, user_id: int) -> None:
    """Raise :class:`Refused` unless a person may be advised about this game."""
    if not may_be_advised(row, user_id):
        raise Refused("error-odds-rated")


def check_look(row: GameRow, now: float) -> None:
    """Raise Stale if the game is over, and Echo if the table was posted at the bottom a moment ago."""
    if row.status not in (LOBBY, LIVE):
        raise Stale(row, "error-game-over")
    if now - row.posted_at < DOUBLE_CLICK_SECONDS:
        raise Echo(row)


def seat_in_game(row: GameRow, click: Click) -> int:
    """Return the clicker's seat in a running game. Raises :class:`Refused` if they have none."""
    if row.status == LOBBY:
        raise Stale(row)
    if row.status != LIVE:
        raise Stale(row, "error-game-over")
    left = left_seats(row)
    seat = seat_number(row, click.user_id)
    if seat is None:
        raise Refused("error-not-in-game")
    if seat in left:
        raise Refused("error-you-left")
    return seat


def to_move(row: GameRow) -> int:
    """Return the seat that is to move. Raises :class:`~bot.games.core.Unreadable` for a damaged state."""
    return find(row.game).rules.to_move(intact(row.state))


def left_seats(row: GameRow) -> tuple[int, ...]:
    """Return the seats that have left. Raises :class:`~bot.games.core.Unreadable` for a damaged state."""
    return find(row.game).rules.left(intact(row.state))


def _leave(row: GameRow, seat: int, click: Click | None, now: float) -> Change:
    left = left_seats(row)
    if seat in left:
        raise Refused("error-not-seated")
    left = (*left, seat)
    rated = is_rated(row)
    row = with_former(row, seat, handed=False) if rated else row
    if absence.people(row, left):
        chance = turns.chance_of(row)
        change = _unless_agreed(turns.move(_with_host(row, left), seat, Leave(seat), now, chance, click))
    else:
        # AIs don't play without people.
        change = turns.close(row, "closed-everybody-left", now, click.interaction_id if click else None)
    return change._replace(gave_up=rated)


def _with_host(row: GameRow, left: tuple[int, ...]) -> GameRow:
    """Return the game; if its host has left, make another player the host."""
    people = [row.seats[seat].user_id for seat in absence.people(row, left)]
    if row.host_id in people or not people:
        return row
    return replace(row, host_id=people[0] or row.host_id)


def _wait_again(row: GameRow, click: Click, now: float) -> Change:
    """Restart the time of the seat to move, after a change of people."""
    waiting = absence.next_wait(row, to_move(row), left_seats(row), now)
    changed = replace(row, version=row.version + 1, updated_at=now, **waiting)
    return Change(changed, row.version, click.interaction_id)


def _votes_needed(row: GameRow) -> int:
    return absence.votes_needed(row, to_move(row), left_seats(row))


def _check_open(row: GameRow) -> None:
    if row.status not in (LOBBY, LIVE):
        raise Refused("error-game-over", game=row.game)


def _seat_of_other(row: GameRow, user_id: int) -> int:
    seat = seat_number(row, user_id)
    if seat is None:
        raise Refused("error-not-at-table")
    return seat
