"""The commands that change a running game, as pure functions.

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
from bot.sessions.rated import agreed, binds, gave_up, is_rated, with_former
from bot.sessions.request import DOUBLE_CLICK_SECONDS, Click, Echo, Refused, Stale, check_manager, seat_number
from bot.store.base import LIVE, LOBBY, NEVER, Change, GameRow, intact


@dataclass(frozen=True, slots=True)
class PlayTurn:
    """Tells the session to play the current turn for the absent ``seat``."""

    seat: int


@dataclass(frozen=True, slots=True)
class GoOn:
    """Tells the session to let the AI move."""


def press(game: GameRow, click: Click, now: float, *, version: int, token: str) -> Change | ChangeView:
    """Press one of the game's own buttons on a table that showed ``version``."""
    seat = seat_in_game(game, click)
    if version != game.version:
        if now - game.acted[seat] < DOUBLE_CLICK_SECONDS:
            raise Echo(game)
        raise Stale(game)
    entry, state = find(game.game), intact(game.state)
    if seat != entry.rules.to_move(state):
        raise Refused("error-not-your-turn")
    pressed = entry.screen.press(state, token)
    if isinstance(pressed, ChangeView):
        return pressed
    assert isinstance(pressed, Act)
    return turns.moves(game, seat, (pressed.action, *pressed.then), now, turns.chance_of(game), click)


def leave(game: GameRow, click: Click, now: float) -> Change:
    """Leave a lobby or a game, even during another player's turn."""
    if game.status == LOBBY:
        return lobby.leave(game, click, now)
    return _leave(game, seat_in_game(game, click), click, now)


def end(game: GameRow, click: Click, now: float) -> Change:
    """Close a lobby or a game without a result. Only its host, or a member with Manage Messages, may do so.

    A player of a rated game may need the others' consent; then this asks for it, see :func:`agree_to_end`.
    Even a damaged game can be closed.
    """
    _check_open(game)
    check_manager(click, game)
    seat = seat_number(game, click.user_id)
    if seat is None or not binds(game, seat):
        return turns.close(game, "closed-ended", now, click.interaction_id)
    return _with_consent(game, seat, now, click)


def agree_to_end(game: GameRow, click: Click, now: float) -> Change:
    """Agree to end a rated game without a result.

    It ends when all people who are still in it have agreed: with the last consent, or when somebody who has
    not agreed gives up their seat.
    """
    seat = seat_in_game(game, click)
    if not game.ending:
        raise Stale(game)
    return _with_consent(game, seat, now, click)


def play_on(game: GameRow, click: Click, now: float) -> Change:
    """Answer no to the question whether to end the game, which withdraws it."""
    seat_in_game(game, click)
    if not game.ending:
        raise Stale(game)
    return turns.touch(replace(game, ending=()), click.interaction_id)


def _unless_agreed(change: Change) -> Change:
    """Return the step of somebody who gives up a seat; it ends the game if all who stay have agreed to it."""
    game = change.row
    if game.status == LIVE and game.ending and agreed(game):
        return turns.closed_by(change, "closed-agreed")
    return change


def _with_consent(game: GameRow, seat: int, now: float, click: Click) -> Change:
    after = replace(game, ending=(*(one for one in game.ending if one != seat), seat))
    if agreed(after):
        return turns.close(after, "closed-agreed", now, click.interaction_id)
    if seat in game.ending:
        raise Refused("error-end-waits")
    return turns.touch(after, click.interaction_id)


def come_back(game: GameRow, click: Click, now: float) -> Change:
    """Play again, after turns were played for the clicker."""
    seat = seat_in_game(game, click)
    if game.missed[seat] < absence.MAX_MISSED:
        raise Refused("error-not-away")
    return _wait_again(turns.mark_present(game, seat, now), click, now)


def vote(game: GameRow, click: Click, now: float) -> Change:
    """Vote for the bot to play an idle person's turn; see :func:`vote_carried`."""
    seat = seat_in_game(game, click)
    if seat == to_move(game):
        raise Refused("error-vote-own-turn")
    idle = now - game.since
    if idle < absence.IDLE_SECONDS:
        raise Refused("error-vote-too-early", n=int(absence.IDLE_SECONDS - idle) + 1)
    if seat in game.votes:
        raise Refused("error-vote-twice", n=max(_votes_needed(game) - len(game.votes), 1))
    return turns.touch(replace(game, votes=(*game.votes, seat)), click.interaction_id)


def vote_carried(game: GameRow) -> bool:
    """Return whether enough people have voted for the bot to play the current turn."""
    return len(game.votes) >= _votes_needed(game)


def remove(game: GameRow, click: Click, now: float, *, user_id: int) -> Change:
    """Remove a person from a lobby or a game. Only its host, or a member with Manage Messages, may do so."""
    _check_open(game)
    check_manager(click, game)
    seat = _seat_of_other(game, user_id)
    if game.status == LOBBY:
        return lobby.without_seat(game, seat, now, click)
    return _leave(game, seat, click, now)


def hand_over(game: GameRow, click: Click, now: float, *, user_id: int, policy: str) -> Change:
    """Give a person's seat to an AI. People are asked first, see :mod:`~bot.sessions.offers`."""
    seat = check_hand_over(game, click, user_id)
    if policy not in find(game.game).policies:
        raise Unreadable("error-unreadable")
    return take_seat(game, seat, ai(policy), now, click)


def check_hand_over(game: GameRow, click: Click, user_id: int) -> int:
    """Return the number of a person's seat that is to be handed over, or raise :class:`Refused`.

    Only the host of the game, or a member with Manage Messages, may hand over seats. Nobody gets rid of a
    running game by handing over their own.
    """
    _check_open(game)
    check_manager(click, game)
    seat = _seat_of_other(game, user_id)
    if game.status == LIVE:
        if user_id == click.user_id:
            raise Refused("error-own-seat")
        if seat in left_seats(game):
            raise Refused("error-not-seated")
    return seat


def take_seat(game: GameRow, seat: int, to: Seat, now: float, click: Click) -> Change:
    """Replace the person of a seat by another person, who has agreed, or an AI.

    The turns that were played so far are not the new person's own.
    """
    seats = (*game.seats[:seat], to, *game.seats[seat + 1 :])
    if game.status == LOBBY:
        return lobby.with_seats(game, seats, now, click)
    left = left_seats(game)
    if to.user_id is not None and gave_up(game, to.user_id):
        raise Refused("error-gave-up-seat")
    own_turns = tuple(0 if number == seat else own for number, own in enumerate(game.own_turns))
    game = replace(with_former(game, seat, handed=True), seats=seats, own_turns=own_turns)
    # They have not acted: when their turn comes, a table at the bottom of the channel notifies them.
    game = _with_host(turns.mark_present(game, seat, 0.0), left)
    if absence.people(game, left):
        change = _unless_agreed(_wait_again(game, click, now))
    else:
        change = turns.close(game, "closed-everybody-left", now, click.interaction_id)
    return dataclasses.replace(change, seats_changed=True, gave_up=True)


def forget(game: GameRow, user_id: int, now: float) -> Change | None:
    """Remove a person who is gone from their game. Return None if they have left it already.

    If their data is being deleted and the game goes on, the caller must then call :func:`without_name`.
    """
    seat = seat_number(game, user_id)
    assert seat is not None
    if game.status == LOBBY:
        return lobby.without_seat(game, seat, now)
    if game.status != LIVE:
        return None
    try:
        return None if seat in left_seats(game) else _leave(game, seat, None, now)
    except GameError:
        # Nobody can play on with a damaged game.
        return turns.close(game, "closed-ended", now)


def depart(game: GameRow, user_id: int, heir: int, now: float) -> Change | None:
    """Remove a person who has left the server; if they were the host, ``heir`` becomes it.

    This does not give the person to move more time. Return None if they have left the game already.
    """
    game = replace(game, host_id=heir if user_id == game.host_id else game.host_id)
    change = forget(game, user_id, now)
    if change is None or change.row.status != LIVE or to_move(change.row) != to_move(game):
        return change
    left = left_seats(change.row)
    votes = tuple(seat for seat in game.votes if seat not in left)
    waiting = replace(change.row, since=game.since, reminded=game.reminded, votes=votes)
    return dataclasses.replace(change, row=absence.with_deadline(waiting, left))


def without_name(game: GameRow, user_id: int) -> Change:
    """Remove a person's name and id from their seat."""
    seats = tuple(Seat("human") if seat.user_id == user_id else seat for seat in game.seats)
    former = tuple(
        dataclasses.replace(one, user_id=None, name="") if one.user_id == user_id else one
        for one in game.former
    )
    change = turns.touch(replace(game, seats=seats, former=former))
    return dataclasses.replace(change, seats_changed=True)


def time_out(
    game: GameRow, now: float, *, gone: bool = False, locked: bool = False, certain: bool = True
) -> Change | PlayTurn | GoOn | None:
    """Return what the game's deadline requires, or None if it has not passed.

    With ``gone``, the person to move is no longer in the server, which counts as leaving the game. With
    ``locked``, its thread has been locked for an unknown time, so its clock stops, and starts later with the
    whole time. Unless the time is ``certain``, no game is closed for having been left alone; that waits.
    :mod:`~bot.sessions.absence` sets the deadlines, and :mod:`~bot.services.deadlines` watches them.
    """
    if game.deadline is None or game.deadline > now:
        return None
    if locked:
        return stop_clock(replace(game, since=now, reminded=False), now)
    if game.status == LOBBY:
        return turns.close(game, "closed-idle", now)
    if now - game.since >= absence.UNTOUCHED_SECONDS:
        if not certain:
            return Change(replace(game, deadline=now + absence.UNCERTAIN_SECONDS), game.version)
        return turns.close(game, "closed-untouched", now)
    try:
        seat, left = to_move(game), left_seats(game)
    except Unreadable:
        # Nobody can play on; the log is kept, and the channel is free again.
        return turns.close(game, "closed-damaged", now)
    if game.ai_to_move:
        return GoOn()
    if gone:
        return _leave(game, seat, None, now)
    if game.reminded and now - game.deadline < absence.LATE_SECONDS:
        return PlayTurn(seat)
    # If the deadline passed while the bot was away, no click could meet it: notify them, and give them time.
    since = max(game.since, now - game.turn_seconds / 2)
    return turns.touch(absence.with_deadline(replace(game, since=since, reminded=True), left))


def restart_clock(game: GameRow, now: float) -> Change | None:
    """Give a lobby or a game its whole time again, after the clock has jumped. Return None if it is over."""
    if game.status not in (LOBBY, LIVE):
        return None
    acted = tuple(min(at, now) for at in game.acted)
    again = replace(game, since=now, reminded=False, acted=acted, updated_at=now)
    if game.deadline == NEVER:
        return turns.touch(again)
    if game.status == LOBBY:
        return turns.touch(replace(again, deadline=absence.lobby_deadline(now)))
    try:
        return turns.touch(absence.with_deadline(again, left_seats(again)))
    except Unreadable:
        return turns.touch(replace(again, deadline=now))


def stop_clock(game: GameRow, now: float) -> Change | None:
    """Stop the clock of a lobby or a game. Return None if it is stopped already."""
    if game.deadline == NEVER:
        return None
    return turns.touch(absence.stopped(game, now))


def start_clock(game: GameRow, now: float) -> Change | None:
    """Start a stopped clock: a game has the time that was left, a lobby its whole time.

    Return None if it is running.
    """
    if game.deadline != NEVER:
        return None
    if game.status == LOBBY:
        running = replace(game, deadline=absence.lobby_deadline(now), updated_at=now)
    else:
        try:
            running = absence.continued(game, left_seats(game), now)
        except Unreadable:
            running = replace(game, deadline=now)
    return turns.touch(running)


def check_running(game: GameRow) -> None:
    """Raise :class:`Stale` unless the game is running."""
    if game.status != LIVE:
        raise Stale(game, "error-stale" if game.status == LOBBY else "error-game-over")


def check_odds(game: GameRow, click: Click) -> None:
    """Raise unless the clicker may see the odds: spectators may, and the players of a friendly game."""
    check_running(game)
    if find(game.game).advice is None:
        raise Unreadable("error-old-button")
    check_advice(game, click.user_id)


def check_advice(game: GameRow, user_id: int) -> None:
    """Raise :class:`Refused` if a person plays this game now and it is rated.

    Raises :class:`~bot.games.core.Unreadable` for a damaged state.
    """
    seat = seat_number(game, user_id)
    if game.status == LIVE and seat is not None and is_rated(game) and seat not in left_seats(game):
        raise Refused("error-odds-rated")


def check_look(game: GameRow, now: float) -> None:
    """Raise Stale if the game is over, and Echo if the table was posted at the bottom a moment ago."""
    if game.status not in (LOBBY, LIVE):
        raise Stale(game, "error-game-over")
    if now - game.posted_at < DOUBLE_CLICK_SECONDS:
        raise Echo(game)


def seat_in_game(game: GameRow, click: Click) -> int:
    """Return the clicker's seat in a running game. Raises :class:`Refused` if they have none."""
    if game.status == LOBBY:
        raise Stale(game)
    if game.status != LIVE:
        raise Stale(game, "error-game-over")
    left = left_seats(game)
    seat = seat_number(game, click.user_id)
    if seat is None:
        raise Refused("error-not-in-game")
    if seat in left:
        raise Refused("error-you-left")
    return seat


def to_move(game: GameRow) -> int:
    """Return the seat that is to move. Raises :class:`~bot.games.core.Unreadable` for a damaged state."""
    return find(game.game).rules.to_move(intact(game.state))


def left_seats(game: GameRow) -> tuple[int, ...]:
    """Return the seats that have left. Raises :class:`~bot.games.core.Unreadable` for a damaged state."""
    return find(game.game).rules.left(intact(game.state))


def _leave(game: GameRow, seat: int, click: Click | None, now: float) -> Change:
    left = left_seats(game)
    if seat in left:
        raise Refused("error-not-seated")
    left = (*left, seat)
    rated = is_rated(game)
    game = with_former(game, seat, handed=False) if rated else game
    if absence.people(game, left):
        chance = turns.chance_of(game)
        change = _unless_agreed(turns.move(_with_host(game, left), seat, Leave(seat), now, chance, click))
    else:
        # AIs don't play without people.
        change = turns.close(game, "closed-everybody-left", now, click.interaction_id if click else None)
    return dataclasses.replace(change, gave_up=rated)


def _with_host(game: GameRow, left: tuple[int, ...]) -> GameRow:
    """Return the game; if its host has left, make another player the host."""
    people = [game.seats[seat].user_id for seat in absence.people(game, left)]
    if game.host_id in people or not people:
        return game
    return replace(game, host_id=people[0] or game.host_id)


def _wait_again(game: GameRow, click: Click, now: float) -> Change:
    """Restart the time of the seat to move, after a change of people."""
    changed = replace(game, version=game.version + 1, updated_at=now, since=now)
    changed = absence.waiting_for(changed, to_move(game), left_seats(game))
    return Change(changed, game.version, click.interaction_id)


def _votes_needed(game: GameRow) -> int:
    return absence.votes_needed(game, to_move(game), left_seats(game))


def _check_open(game: GameRow) -> None:
    if game.status not in (LOBBY, LIVE):
        raise Refused("error-game-over")


def _seat_of_other(game: GameRow, user_id: int) -> int:
    seat = seat_number(game, user_id)
    if seat is None:
        raise Refused("error-not-at-table")
    return seat
