"""Makes the screen that a channel shows from its stored game."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bot.games.base import GameState
from bot.games.core import AnyGame
from bot.games.seats import Seat
from bot.i18n.say import Argument, Say, say
from bot.records.sealing import message_of, seed_of
from bot.records.seeds import seed_hash
from bot.records.who_begins import first_seat, is_by_lot
from bot.registry import find
from bot.screens import lobby, more, table
from bot.screens.fairness import DiceSource
from bot.screens.forecast import is_even
from bot.screens.highlights import NO_HIGHLIGHTS, Highlights
from bot.screens.model import Screen, message_link, seat_name
from bot.screens.result import ResultLine, finished
from bot.screens.seat_names import short_names_of
from bot.sessions import absence, turns
from bot.sessions import lobby as lobby_commands
from bot.sessions.rated import consent, is_rated, may_be_advised
from bot.sessions.request import seat_number
from bot.standings.values import Board
from bot.store.base import ABORTED, FINISHED, LIVE, LOBBY, GameRow, Store, intact

MIN_DUELS = 2
"""From so many games on that one of two people has won, the end of a game says how they stand."""

NOTIFY_SECONDS = 60.0
"""A person who acted within this time needs no mention; others are mentioned when their turn comes."""


def turn_key(row: GameRow) -> int:
    """Return a number that identifies the game's current turn, or -1 if there is none."""
    if row.status != LIVE:
        return -1
    return _turn_key(find(row.game).rules, intact(row.state))


def _turn_key(rules: AnyGame, state: GameState) -> int:
    # No game has 64 seats.
    return rules.turns(state) * 64 + rules.turn_seat(state)


def to_move_user(row: GameRow) -> int | None:
    """Return the person whose move a running game waits for, or None."""
    if row.status != LIVE:
        return None
    seat = find(row.game).rules.to_move(intact(row.state))
    return row.seats[seat].user_id if seat >= 0 else None


def waits_for_person(row: GameRow) -> bool:
    """Return whether a running game waits for a person who is not away."""
    if row.status != LIVE:
        return False
    rules, state = find(row.game).rules, intact(row.state)
    return rules.to_move(state) in absence.attentive(row, rules.left(state))


def to_notify(row: GameRow, now: float) -> int | None:
    """Return the person to notify because their turn came while they were inactive, or None."""
    if row.status != LIVE or turn_key(row) == row.shown_turn:
        return None
    seat = find(row.game).rules.turn_seat(intact(row.state))
    return row.seats[seat].user_id if now - row.acted[seat] > NOTIFY_SECONDS else None


def first_turn(row: GameRow, now: float) -> tuple[int, int | None]:
    """Return the key of the first turn of a starting game, and the person to notify, or None.

    The lot is drawn when the game begins, so there the key is -1, as long as nobody has been mentioned.
    """
    if is_by_lot(row.start):
        return -1, None
    rules = find(row.game).rules
    state = rules.initial(intact(row.options), len(row.seats))
    assert rules.turn_seat(state) == 0
    # Without a lot the seed does not decide who begins.
    first = first_seat(row.start, b"")
    inactive = now - row.acted[first] > NOTIFY_SECONDS
    return _turn_key(rules, state), row.seats[first].user_id if inactive else None


def seal_shown(row: GameRow) -> str:
    """Return the seal as it was shown; games of earlier versions showed the hash of their seed."""
    return row.seal or ("" if row.status == LOBBY else seed_hash(row.secret))


def dice_source(row: GameRow) -> DiceSource:
    """Return what the dice of a game come from, with the secret only if the game has ended."""
    secret = row.secret.hex() if row.status in (FINISHED, ABORTED) else ""
    message_id = message_of(row.start)
    link = message_link(row.guild_id, row.channel_id, message_id) if message_id is not None else ""
    old = not row.start and row.status in (LIVE, FINISHED)
    return DiceSource(row.game, seal_shown(row), secret, _words(row), None if old else link)


def _words(row: GameRow) -> list[tuple[Argument, str | None]]:
    """Return the words of a game, also the deleted ones, with the names of their people."""
    words = {word.seat: word for word in row.words}
    fixed = json.loads(row.start)["words"] if row.start else [""] * len(row.seats)
    # Words have the seats of the start, which are turned when the game begins.
    begun = message_of(row.start) is not None
    first = first_seat(row.start, seed_of(row.secret, row.start)) if begun else 0
    named_words: list[tuple[Argument, str | None]] = []
    for seat, who in enumerate(row.seats):
        at = (seat + first) % len(row.seats)
        word = words.get(at)
        if word is not None:
            # The seat may have gone to somebody else.
            same = word.user_id == who.user_id
            named_words.append((seat_name(row.seats, seat) if same else say("unnamed-person"), word.text))
        elif fixed[at]:
            named_words.append((say("unnamed-person"), None))
    return named_words


async def screen_of(
    store: Store,
    row: GameRow,
    view: str = "",
    mention: int | None = None,
    *,
    pictured: bool = False,
    highlights: Highlights | None = None,
) -> Screen:
    """Return the screen of a game's channel.

    The result of a game includes the score chart if ``pictured``, and its ``highlights``.
    """
    if row.status == LOBBY:
        return await _lobby(store, row, mention)
    if row.status == ABORTED:
        return lobby.closed(row.game, say(row.closed), dice_source(row))
    if row.status == LIVE:
        return _table(row, view, mention)
    return await _result(store, row, pictured, highlights)


async def _lobby(store: Store, row: GameRow, mention: int | None) -> Screen:
    entry = find(row.game)
    goal = (
        *entry.screen.goal(intact(row.options)),
        lobby.limit_line(row.turn_seconds),
        lobby.rated_line(row.rated),
        *lobby.who_begins(row.begins, row.seats),
    )
    asked = await _asked(store, row)
    return lobby.lobby(
        row.game,
        goal,
        row.seats,
        row.host_id,
        least=entry.rules.min_seats,
        most=entry.rules.max_seats,
        levels=tuple(entry.policies),
        dice=dice_source(row),
        invited=mention,
        asked=asked,
        even=await _is_even(store, row, mention, asked),
    )


def _table(row: GameRow, view: str, mention: int | None) -> Screen:
    context, state = table_context(row), intact(row.state)
    return table.table(context, state, view, mention, _waiting(context.rules, state, row))


async def _result(store: Store, row: GameRow, pictured: bool, highlights: Highlights | None) -> Screen:
    entry, state = find(row.game), intact(row.state)
    own, result = entry.screen, entry.rules.result(state)
    assert result is not None
    stored = await store.results(row.id)
    outcomes = [ResultLine(one.seat, one.place, one.score, one.best_turn, dict(one.feats)) for one in stored]
    again = await store.rematch_of(row.id) is not None
    counted = turns.counted(row.seats, stored)
    epilogue = own.epilogue(state.options, result, short_names_of(row.seats))
    if counted is Board.PEOPLE:
        epilogue = (*epilogue, *await _duel(store, row))
    return finished(
        row.game,
        own,
        own.title(state),
        row.seats,
        result,
        outcomes,
        rematch=again,
        coach=entry.has_review(len(row.seats)),
        counted=counted,
        rated=_rated_word(row),
        epilogue=epilogue,
        highlights=highlights or NO_HIGHLIGHTS,
        pictured=pictured,
    )


def table_context(row: GameRow) -> table.TableContext:
    """Return what all screens of a running game need."""
    entry = find(row.game)
    return table.TableContext(entry.rules, entry.screen, row.seats, row.lines, _rated_word(row))


def _rated_word(row: GameRow) -> bool | None:
    """Return whether a game is rated, or None where that needs no word: one without two people is not."""
    rated = is_rated(row)
    return rated if rated or sum(seat.human for seat in row.seats) > 1 else None


async def _duel(store: Store, row: GameRow) -> tuple[Say, ...]:
    """Say how often each of two people was ahead of the other, from their second game on.

    Nothing is said of people who are on no lists.
    """
    people = [seat.user_id for seat in row.seats if seat.user_id is not None]
    if not len(people) == len(row.seats) == 2 or await store.unlisted(row.guild_id, people):
        return ()
    wins = await store.duel(row.id, *people)
    # Who is ahead comes first, as the seats change from game to game.
    first, second = sorted(zip(wins, short_names_of(row.seats), strict=True), key=lambda one: -one[0])
    if sum(wins) < MIN_DUELS:
        return ()
    return (say("end-duel", one=first[1], won=first[0], lost=second[0], other=second[1]),)


async def _asked(store: Store, row: GameRow) -> tuple[Seat, ...]:
    """Return the people who are asked to sit down in a lobby that is a rematch."""
    old = await store.game(row.parent_id) if row.parent_id is not None else None
    return lobby_commands.asked(old, row) if old is not None else ()


async def _is_even(store: Store, row: GameRow, invited: int | None, asked: Sequence[Seat]) -> bool:
    """Return whether a lobby is for two people, seated or asked, whose game would be even by their ratings.

    Nothing is said of people who are on no lists.
    """
    seats = (*row.seats, *asked)
    people = {one for one in (*(seat.user_id for seat in seats), invited) if one is not None}
    if len(people) != 2 or not all(seat.human for seat in seats):
        return False
    one, other = people
    if await store.unlisted(row.guild_id, people):
        return False
    chance = (await store.forecasts(row.guild_id, row.game, one, (other,))).get(other)
    return chance is not None and is_even(chance)


def _waiting(rules: AnyGame, state: object, row: GameRow) -> table.Waiting:
    """Return the table's facts about absent people, votes and deadlines."""
    left, turn = rules.left(state), rules.turn_seat(state)
    attentive = absence.attentive(row, left)
    away = tuple([seat for seat in absence.people(row, left) if seat not in attentive])
    until = absence.turn_ends(row) if turn in attentive else None
    needed = absence.votes_needed(row, turn, left) if row.votes else 0
    waiting = table.Waiting(away, until, len(row.votes), needed)
    return waiting._replace(asker=row.ending[0], consent=consent(row)) if row.ending else waiting


def more_of(row: GameRow, user_id: int) -> Screen:
    """Return the private page behind "More" on the table of a running game, for one person."""
    entry, state = find(row.game), intact(row.state)
    left, turn, seat = entry.rules.left(state), entry.rules.turn_seat(state), seat_number(row, user_id)
    waits = seat is not None and seat != turn and seat not in left
    return more.more(
        table_context(row),
        state,
        odds=entry.advice is not None and may_be_advised(row, user_id),
        vote=waits and absence.attentive(row, left) not in ((), (turn,)),
    )


def summary_of(row: GameRow) -> Screen:
    """Return the one-line screen that replaces an old table, after a new one was posted below."""
    if row.status != LIVE:
        return table.moved(row.game)
    return table.summary(table_context(row))
