"""The commands that change a lobby, as pure functions; see :mod:`~bot.sessions.commands`.

Start does not begin the game at once, because the id of the message that opens it goes into the dice too::

    open      start()   -> starting   all else that goes into the dice is fixed, in the game's ``start``
    starting  begin()   -> running    the message is posted
    starting  reopen()  -> open       the message can't be posted; leaving does the same
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import takewhile

from bot.games.core import Json, Unreadable, check_seats, settle
from bot.games.options import GameOptions
from bot.games.seats import Seat, ai
from bot.games.values import replace
from bot.i18n.names import WORD_LENGTH, clean, told_apart
from bot.i18n.say import Line
from bot.records.sealing import seal_of, seed_of, start_text, with_message
from bot.records.seeds import SeededChance
from bot.records.who_begins import BY_LOT, IN_ORDER, first_seat, is_by_lot, turned
from bot.registry import find
from bot.screens.button_ids import ADD_AI, CANCEL, JOIN, LEAVE_LOBBY, REMOVE_AI, START
from bot.screens.lobby_options import LobbyOptions, entered_options
from bot.screens.model import Entered
from bot.screens.narration import noted
from bot.screens.table import BEGINS_BY_LOT
from bot.sessions import absence, turns
from bot.sessions.rated import is_rated
from bot.sessions.request import (
    DOUBLE_CLICK_SECONDS,
    Click,
    Command,
    Echo,
    Refused,
    Stale,
    check_host,
    check_manager,
    seat_number,
)
from bot.store.base import FINISHED, LIVE, LOBBY, Change, GameRow, Word, intact
from bot.store.guild_settings import DEFAULT_TURN_SECONDS


def open_lobby(
    click: Click,
    key: str,
    options: Mapping[str, Json],
    now: float,
    secret: bytes,
    turn_seconds: int = DEFAULT_TURN_SECONDS,
    rated: bool = True,
) -> GameRow:
    """Return a new lobby with the clicker as its host, in the first seat.

    Raises :class:`~bot.games.core.GameError` for invalid options.
    """
    checked = find(key).rules.options(options)
    return _new_game(click, key, checked, (seat_of(click, ()),), now, secret, turn_seconds, rated)


def rematch(old: GameRow, click: Click, now: float, secret: bytes, *, taken: bool) -> GameRow:
    """Return a lobby for the people of a finished game, with the clicker as its host and the same AIs.

    The others are asked to sit down, see :func:`asked`. ``taken`` is whether the game has a rematch already.
    """
    if old.status != FINISHED:
        raise Refused("error-rematch-later")
    stay = _stayed(old)
    if all(seat.user_id != click.user_id for seat in stay):
        raise Refused("error-rematch-not-yours", game=old.game)
    if taken:
        raise Refused("error-rematch-taken")
    seats = tuple(seat for seat in _rematch_order(old) if not seat.human or seat.user_id == click.user_id)
    row = _new_game(click, old.game, intact(old.options), seats, now, secret, old.turn_seconds, old.rated)
    # Whoever was named to begin has had the advantage; a lot is drawn again.
    return replace(row, parent_id=old.id, begins=BY_LOT if old.begins == BY_LOT else IN_ORDER)


def asked(old: GameRow, row: GameRow) -> tuple[Seat, ...]:
    """Return the people of ``old`` who are asked to sit down in its rematch, and have not done so."""
    return tuple(
        seat for seat in _stayed(old) if seat.user_id is not None and seat_number(row, seat.user_id) is None
    )


def press(row: GameRow, click: Click, now: float, *, token: str, parent: GameRow | None = None) -> Change:
    """Press one of the lobby's buttons. Unlike a game's buttons, these ignore the version of the table.

    ``parent`` is the game that this one is the rematch of; only those of :data:`OF_REMATCHES` need it.
    """
    if row.status == LIVE and token == START:
        seat = seat_number(row, click.user_id)
        if seat is not None and now - row.acted[seat] < DOUBLE_CLICK_SECONDS:
            raise Echo(row)
    _check_open(row, click)
    if is_starting(row) and token not in (LEAVE_LOBBY, CANCEL):
        if token == START and now - row.updated_at < DOUBLE_CLICK_SECONDS:
            raise Echo(row)
        raise Stale(row, "error-lobby-starting")
    if token.startswith(ADD_AI):
        return add_ai(row, click, now, level=token.removeprefix(ADD_AI))
    command = BUTTONS.get(token)
    if token in OF_REMATCHES:
        command = partial(OF_REMATCHES[token], parent=parent)
    if command is None:
        raise Stale(row)  # a button of an earlier version
    return command(row, click, now)


def join(row: GameRow, click: Click, now: float, *, parent: GameRow | None = None) -> Change:
    """Take a seat: after the others, but in the rematch of ``parent`` in that game's order, turned by one."""
    if _is_seated(row, click):
        raise Refused("error-already-seated")
    _check_room(row)
    place = _rematch_place(row.seats, parent, click.user_id) if parent is not None else len(row.seats)
    seat = seat_of(click, row.seats)
    return with_seats(row, (*row.seats[:place], seat, *row.seats[place:]), now, click)


def leave(row: GameRow, click: Click, now: float) -> Change:
    """Give up one's seat."""
    if not _is_seated(row, click):
        raise Refused("error-not-in-lobby")
    return with_seats(row, tuple(seat for seat in row.seats if seat.user_id != click.user_id), now, click)


def add_ai(row: GameRow, click: Click, now: float, *, level: str) -> Change:
    """Add an AI of a level. Only the host may do so."""
    check_host(click, row)
    _check_room(row)
    if level not in find(row.game).policies:
        raise Unreadable("error-old-button")
    return with_seats(row, (*row.seats, ai(level)), now, click)


def remove_ai(row: GameRow, click: Click, now: float) -> Change:
    """Remove the last AI. Only the host may do so."""
    check_host(click, row)
    last = max((number for number, seat in enumerate(row.seats) if not seat.human), default=None)
    if last is None:
        raise Refused("error-no-ai")
    return without_seat(row, last, now, click)


def check_options(row: GameRow, click: Click) -> LobbyOptions:
    """Return what can be chosen in a lobby, with the present values. Only the host may do so."""
    _check_open(row, click)
    if is_starting(row):
        raise Stale(row, "error-lobby-starting")
    check_host(click, row)
    return LobbyOptions(intact(row.options), row.turn_seconds, row.rated, row.begins, row.seats)


def set_options(row: GameRow, click: Click, now: float, *, digest: str, entered: Entered) -> Change:
    """Choose all options at once, unless they are no longer those of ``digest``, which were shown."""
    present = check_options(row, click)
    chosen = entered_options(present, entered)
    if chosen == present:
        raise Echo(row)
    if present.digest != digest:
        raise Refused("error-options-changed")
    changed = replace(
        row,
        options=chosen.options,
        turn_seconds=chosen.turn_seconds,
        rated=chosen.rated,
        begins=chosen.begins,
    )
    return with_seats(changed, row.seats, now, click)


def word_of(row: GameRow, click: Click) -> str:
    """Return the word that the clicker has added, or "". Raises :class:`Refused` if they can't add one."""
    if row.status == LIVE or is_starting(row):
        raise Stale(row, "error-word-late")
    if row.status != LOBBY:
        raise Stale(row, "error-lobby-closed")
    if not _is_seated(row, click):
        raise Refused("error-word-seat")
    return next((word.text for word in row.words if word.user_id == click.user_id), "")


def add_word(row: GameRow, click: Click, now: float, *, text: str) -> Change:
    """Add a word that is mixed into the dice, or replace it; an empty ``text`` removes it."""
    word_of(row, click)
    word = clean(text, WORD_LENGTH)
    if text.strip() and not word:
        raise Refused("error-word-unreadable")
    others = tuple(one for one in row.words if one.user_id != click.user_id)
    own = (Word(0, click.user_id, word),) if word else ()
    return with_seats(replace(row, words=others + own), row.seats, now, click)


def start(row: GameRow, click: Click, now: float, *, parent: GameRow | None = None) -> Change:
    """Fix everything that goes into the dice. Only the host may do so.

    In the rematch of ``parent`` so may the last one who is asked to play again, who takes a seat by it: all
    others have agreed by their own clicks.
    """
    seated = row
    if parent is not None and [seat.user_id for seat in asked(parent, row)] == [click.user_id]:
        seated = join(row, click, now, parent=parent).row
    else:
        check_host(click, row)
    rules = find(row.game).rules
    check_seats(rules, len(seated.seats))
    text = start_text(
        row.secret,
        row.id,
        row.game,
        row.rules_version,
        intact(row.options).to_json(),
        seated.seats,
        {word.seat: word.text for word in seated.words},
        is_rated(seated),
        seated.begins,
    )
    starting = replace(
        seated,
        # A lobby of a version that did not show it yet has no seal.
        seal=row.seal or seal_of(row.secret, row.id),
        start=text,
        # Nothing that others did in the lobby may make their first move look like a double click.
        acted=tuple(
            now if seat.user_id == click.user_id else max(at - DOUBLE_CLICK_SECONDS, 0.0)
            for seat, at in zip(seated.seats, seated.acted or (0.0,) * len(seated.seats), strict=True)
        ),
        version=row.version + 1,
        updated_at=now,
        deadline=absence.lobby_deadline(now),
    )
    return Change(starting, row.version, click.interaction_id, seats_changed=seated is not row)


def is_starting(row: GameRow) -> bool:
    """Return whether Start was pressed, and the message that opens the game is still to be posted."""
    return row.status == LOBBY and row.start != ""


def begin(row: GameRow, message_id: int, now: float) -> Change:
    """Begin a starting game, with the id of the message that opens it."""
    assert is_starting(row)
    rules = find(row.game).rules
    text = with_message(row.start, message_id)
    seed = seed_of(row.secret, text)
    chance, first = SeededChance(seed), first_seat(text, seed)
    opening = settle(rules, rules.initial(intact(row.options), len(row.seats)), chance)
    nothing = (0,) * len(row.seats)
    begun = replace(
        row,
        start=text,
        seats=turned(row.seats, first),
        acted=turned(row.acted, first),
        first_chance=opening.outcomes,
        missed=nothing,
        own_turns=nothing,
    )
    after = turns.advance(begun, opening, now)
    if is_by_lot(text):
        after = replace(after, lines=noted(after.lines or (Line(0, ()),), 0, BEGINS_BY_LOT))
    return Change(after, row.version, seats_changed=first != 0)


def reopen(row: GameRow, now: float) -> Change:
    """Make a starting game a lobby again, if the message that opens it can't be posted."""
    # This clears its start.
    return with_seats(row, row.seats, now)


def cancel(row: GameRow, click: Click, now: float) -> Change:
    """Close the lobby. Only its host, or a member with Manage Messages, may do so."""
    check_manager(click, row)
    return turns.close(row, "closed-cancelled", now, click.interaction_id)


def with_seats(row: GameRow, seats: tuple[Seat, ...], now: float, click: Click | None = None) -> Change:
    """Change the seats of a lobby, which then is not starting. Words stay with their people, and so does the
    choice that somebody begins.

    If its host is gone, choose another; without people, close it.
    """
    interaction_id = click.interaction_id if click else None
    people = [seat.user_id for seat in seats if seat.user_id is not None]
    if not people:
        return turns.close(row, "closed-everybody-left", now, interaction_id)
    # Lobbies of early versions have no times.
    times = row.acted or (0.0,) * len(row.seats)
    acted = dict(zip((seat.user_id for seat in row.seats), times, strict=True))
    words = {word.user_id: word.text for word in row.words}
    begins = row.begins
    if begins >= 0:
        named = row.seats[begins].user_id
        begins = next((number for number, seat in enumerate(seats) if seat.user_id == named), IN_ORDER)
    if click is not None:
        acted[click.user_id] = now
    changed = replace(
        row,
        seats=seats,
        acted=tuple(acted.get(seat.user_id, 0.0) if seat.human else 0.0 for seat in seats),
        words=tuple(
            Word(number, seat.user_id, words[seat.user_id])
            for number, seat in enumerate(seats)
            if seat.user_id is not None and seat.user_id in words
        ),
        begins=begins,
        start="",
        host_id=row.host_id if row.host_id in people else people[0],
        version=row.version + 1,
        updated_at=now,
        deadline=absence.lobby_deadline(now),
    )
    return Change(changed, row.version, interaction_id, seats_changed=True)


def without_seat(row: GameRow, seat: int, now: float, click: Click | None = None) -> Change:
    """Remove one seat of a lobby."""
    return with_seats(row, row.seats[:seat] + row.seats[seat + 1 :], now, click)


OF_REMATCHES: Mapping[str, Callable[..., Change]] = {JOIN: join, START: start}
"""The lobby's buttons by token that need to know the game which it is the rematch of."""

BUTTONS: Mapping[str, Command] = {LEAVE_LOBBY: leave, REMOVE_AI: remove_ai, CANCEL: cancel}
"""The lobby's other buttons by token, except those of :data:`ADD_AI`."""


def seat_of(click: Click, others: Sequence[Seat]) -> Seat:
    """Return the seat of the clicker, whose name is told apart from those of ``others``."""
    name = told_apart(clean(click.name), click.username, [seat.name for seat in others])
    return Seat("human", name, click.user_id)


def _rematch_order(old: GameRow) -> tuple[Seat, ...]:
    """Return the seats of a rematch once all are taken: whoever came second in ``old`` begins."""
    stay = _stayed(old)
    return (*stay[1:], *stay[:1])


def _rematch_place(seats: Sequence[Seat], old: GameRow, user_id: int) -> int:
    """Return at which of the ``seats`` of a rematch a person sits down; it does not matter who joins first.

    Somebody who was not in ``old`` to its end sits down after the others.
    """
    order = _rematch_order(old)
    before = list(takewhile(lambda seat: seat.user_id != user_id, order))
    if len(before) == len(order):
        return len(seats)
    # After the last person who came before them, then after as many AIs as came before them.
    people = {seat.user_id for seat in before if seat.human}
    place = max((at for at, seat in enumerate(seats, 1) if seat.human and seat.user_id in people), default=0)
    ais = sum(not seat.human for seat in before) - sum(not seat.human for seat in seats[:place])
    while ais > 0 and place < len(seats) and not seats[place].human:
        place, ais = place + 1, ais - 1
    return place


def _stayed(old: GameRow) -> tuple[Seat, ...]:
    """Return the seats that were in a finished game to its end, except those of deleted people."""
    gone = find(old.game).rules.left(intact(old.state))
    return tuple(
        seat
        for number, seat in enumerate(old.seats)
        if number not in gone and (seat.user_id is not None or not seat.human)
    )


def _is_seated(row: GameRow, click: Click) -> bool:
    return seat_number(row, click.user_id) is not None


def _check_open(row: GameRow, click: Click) -> None:
    if row.status == LIVE:
        raise Stale(row) if _is_seated(row, click) else Stale(row, "error-lobby-started")
    if row.status != LOBBY:
        raise Stale(row, "error-lobby-closed")


def _check_room(row: GameRow) -> None:
    if len(row.seats) >= find(row.game).rules.max_seats:
        raise Refused("error-lobby-full")


def _new_game(
    click: Click,
    key: str,
    options: GameOptions,
    seats: tuple[Seat, ...],
    now: float,
    secret: bytes,
    turn_seconds: int,
    rated: bool,
) -> GameRow:
    return GameRow(
        id=0,
        game=key,
        guild_id=click.guild_id,
        channel_id=click.channel_id,
        host_id=click.user_id,
        locale=click.locale,
        status=LOBBY,
        version=0,
        rules_version=find(key).rules.rules_version,
        options=options,
        state=None,
        secret=secret,
        draws=0,
        acted=tuple(now if seat.user_id == click.user_id else 0.0 for seat in seats),
        ai_to_move=False,
        turn_seconds=turn_seconds,
        since=now,
        reminded=False,
        missed=(),
        votes=(),
        deadline=absence.lobby_deadline(now),
        parent_id=None,
        created_at=now,
        updated_at=now,
        seats=seats,
        rated=rated,
    )
