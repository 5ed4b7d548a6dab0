"""What each request changes, or why it is refused, as pure functions without store, lock or clock."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Any, cast

import pytest

from bot.games.core import GameError, IllegalMove, Leave, ScriptedChance, Unreadable
from bot.games.seats import Seat, ai
from bot.games.tutto.cards import Card
from bot.games.tutto.state import STOP, TURN_CARD, Draw, Keep, Roll
from bot.i18n.say import Icons, Line, Name, Say, say
from bot.records.game_log import log_of
from bot.records.sealing import fingerprint, seal_of, seed_of, with_message
from bot.records.seeds import SeededChance, drawn_number
from bot.records.who_begins import BY_LOT, IN_ORDER, LOT_INDEX, first_seat, turned
from bot.registry import GAMES, find
from bot.screens import button_ids
from bot.screens.entry import Entry
from bot.screens.model import ChangeView
from bot.screens.turn_lines import PLAYED_BY_BOT, turn_line
from bot.sessions import absence, commands, lobby, turns
from bot.sessions.commands import GoOn, PlayTurn
from bot.sessions.presentation import dice_source, to_move_user, to_notify, turn_key
from bot.sessions.rated import is_rated
from bot.sessions.request import Click, Echo, Refused, Stale
from bot.store.base import ABORTED, FINISHED, LIVE, LOBBY, NEVER, Change, Damaged, GameRow, Word, intact
from bot.store.encoding import COLUMNS
from tests.support.values import not_none

ANNA, BEN, CLEO, DORA, STRANGER, MODERATOR = 1, 2, 3, 4, 8, 9
NOW = 100_000.0
SEED = bytes(32)
OPENING = 1_234_567_890_123_456_789
"""The id of the message that opens a game."""

Command = Callable[[GameRow, Click, float], Change | ChangeView]


def click(who: int) -> Click:
    return Click(500 + who, who, f"User {who}", 10, 100, "en-US", may_manage=who == MODERATOR)


def opened(*people: int, ais: int = 0) -> GameRow:
    """A lobby of these people and AIs, an hour before NOW."""
    game = lobby.open_lobby(click(people[0]), "tutto", {"target": 1000}, NOW - 3600, SEED)
    for who in people[1:]:
        game = lobby.join(game, click(who), NOW - 3600).row
    for _ in range(ais):
        game = lobby.add_ai(game, click(people[0]), NOW - 3600, level="casual").row
    return replace(game, id=7)


SETUP = [column.field for column in COLUMNS if column.setup]


def started(*people: int, ais: int = 0, rated: bool = True, **changes: Any) -> GameRow:
    """The same, begun an hour before NOW; the host is to move."""
    before = replace(opened(*people, ais=ais), rated=rated)
    starting = lobby.start(before, click(people[0]), NOW - 3600).row
    return replace(lobby.begin(starting, OPENING, NOW - 3600).row, **changes)


def do(command: Any, game: GameRow, who: int, now: float = NOW, **more: Any) -> Change:
    change = command(game, click(who), now, **more)
    assert isinstance(change, Change)
    assert change.expected == game.version
    assert change.interaction_id == 500 + who
    if change.move is not None:
        # The store writes a move without these columns.
        assert all(getattr(change.row, name) == getattr(game, name) for name in SETUP)
    return change


def press(game: GameRow, who: int, token: str, version: int | None = None) -> Change:
    return do(commands.press, game, who, version=game.version if version is None else version, token=token)


TWO = opened(ANNA, BEN)
LONE = opened(ANNA)
WITH_AI = opened(ANNA, BEN, ais=1)
FULL = opened(ANNA, BEN, ais=8)
GAME = started(ANNA, BEN, CLEO)
OVER = replace(GAME, status=FINISHED)
CLOSED = replace(TWO, status=ABORTED)
DAMAGED = replace(GAME, state=Damaged("{}"))
LEFT = do(commands.leave, GAME, CLEO).row
AWAY = replace(GAME, missed=(absence.MAX_MISSED, 0, 0))


def choosing(game: GameRow, **entered: str | tuple[str, ...]) -> Command:
    """Submit the options that ``game`` shows, with those that are given."""
    shown = lobby.check_options(game, click(ANNA))
    values: dict[str, str | tuple[str, ...]] = {
        "edition": "current",
        "target": "1000",
        "turn_seconds": "600",
        "begins": "table",
        "switches": ("rated",),
    }
    given = {
        name: (value,) if isinstance(value, str) else value for name, value in (values | entered).items()
    }
    return partial(lobby.set_options, digest=shown.digest, entered=given)


def pressing(token: str, version: int = 0) -> Command:
    return partial(commands.press, version=version, token=token)


def in_lobby(token: str) -> Command:
    return partial(lobby.press, token=token)


def handing_over(user_id: int, policy: str = "casual") -> Command:
    return partial(commands.hand_over, user_id=user_id, policy=policy)


def removing(user_id: int) -> Command:
    return partial(commands.remove, user_id=user_id)


REFUSALS: dict[str, tuple[Command, GameRow, int, type[Exception], str]] = {
    # The lobby.
    "join twice": (lobby.join, TWO, BEN, Refused, "error-already-seated"),
    "join a full lobby": (lobby.join, FULL, CLEO, Refused, "error-lobby-full"),
    "leave without a seat": (lobby.leave, TWO, CLEO, Refused, "error-not-in-lobby"),
    "another's AI": (in_lobby("l.ai.casual"), TWO, BEN, Refused, "error-host-only"),
    "an AI too many": (in_lobby("l.ai.casual"), FULL, ANNA, Refused, "error-lobby-full"),
    "an unknown level": (in_lobby("l.ai.x"), TWO, ANNA, Unreadable, "error-old-button"),
    "no AI to remove": (lobby.remove_ai, TWO, ANNA, Refused, "error-no-ai"),
    "remove another's AI": (lobby.remove_ai, WITH_AI, BEN, Refused, "error-host-only"),
    "another's options": (choosing(TWO), TWO, BEN, Refused, "error-host-only"),
    "options of a running game": (choosing(TWO), GAME, ANNA, Stale, "error-stale"),
    "options of a closed lobby": (choosing(TWO), CLOSED, ANNA, Stale, "error-lobby-closed"),
    "options that have changed": (
        choosing(TWO, target="2000"),
        replace(TWO, turn_seconds=60),
        ANNA,
        Refused,
        "error-options-changed",
    ),
    "no target": (choosing(TWO, target=()), TWO, ANNA, Unreadable, "error-form-value"),
    "two targets": (choosing(TWO, target=("2000", "3000")), TWO, ANNA, Unreadable, "error-form-value"),
    "a target in between": (choosing(TWO, target="1250"), TWO, ANNA, Unreadable, "error-form-value"),
    "a long target": (choosing(TWO, target="9" * 5000), TWO, ANNA, Unreadable, "error-form-value"),
    "an unknown edition": (choosing(TWO, edition="x"), TWO, ANNA, Unreadable, "error-form-value"),
    "another turn limit": (choosing(TWO, turn_seconds="61"), TWO, ANNA, Unreadable, "error-form-value"),
    "nobody to begin": (choosing(TWO, begins="me"), TWO, ANNA, Unreadable, "error-form-value"),
    "another's start": (lobby.start, TWO, BEN, Refused, "error-host-only"),
    "a moderator's start": (lobby.start, TWO, MODERATOR, Refused, "error-host-only"),
    "a moderator's AI": (in_lobby("l.ai.casual"), TWO, MODERATOR, Refused, "error-host-only"),
    "start alone": (lobby.start, LONE, ANNA, IllegalMove, "error-seats"),
    "cancel as a guest": (lobby.cancel, TWO, BEN, Refused, "error-manager-only"),
    **{
        f"an old button {token}": (in_lobby(token), TWO, ANNA, Stale, "error-stale")
        for token in ("l.timer", "l.", "l.join.twice", "l.JOIN")
    },
    **{
        f"press {token} in a game": (in_lobby(token), GAME, STRANGER, Stale, "error-lobby-started")
        for token in ("l.join", "l.leave", "l.start", "l.cancel", "l.ai.casual")
    },
    "join one's own game": (in_lobby("l.join"), GAME, ANNA, Stale, "error-stale"),
    "join a closed lobby": (in_lobby("l.join"), CLOSED, BEN, Stale, "error-lobby-closed"),
    # Playing.
    "press in a lobby": (pressing("t"), TWO, ANNA, Stale, "error-stale"),
    "press after the end": (pressing("t"), OVER, ANNA, Stale, "error-game-over"),
    "press as a stranger": (pressing("t", GAME.version), GAME, STRANGER, Refused, "error-not-in-game"),
    "press out of turn": (pressing("t", GAME.version), GAME, BEN, Refused, "error-not-your-turn"),
    "press an old table": (pressing("t"), GAME, BEN, Stale, "error-stale"),
    "press a table of the future": (pressing("t", GAME.version + 1), GAME, ANNA, Stale, "error-stale"),
    "press after leaving": (pressing("t", LEFT.version), LEFT, CLEO, Refused, "error-you-left"),
    "press a damaged game": (pressing("t", GAME.version), DAMAGED, ANNA, Unreadable, "error-damaged-game"),
    # Leaving and closing.
    "leave as a stranger": (commands.leave, GAME, STRANGER, Refused, "error-not-in-game"),
    "leave twice": (commands.leave, LEFT, CLEO, Refused, "error-you-left"),
    "end as a guest": (commands.end, GAME, BEN, Refused, "error-manager-only"),
    "end what is over": (commands.end, OVER, ANNA, Refused, "error-game-over"),
    "remove as a guest": (removing(CLEO), GAME, BEN, Refused, "error-manager-only"),
    "remove a stranger": (removing(8), GAME, ANNA, Refused, "error-not-at-table"),
    "remove who has left": (removing(CLEO), LEFT, ANNA, Refused, "error-not-seated"),
    "remove after the end": (removing(BEN), OVER, ANNA, Refused, "error-game-over"),
    "hand over as a guest": (handing_over(CLEO), GAME, BEN, Refused, "error-manager-only"),
    "hand over after the end": (handing_over(CLEO), OVER, ANNA, Refused, "error-game-over"),
    "hand over to an unknown AI": (handing_over(CLEO, "x"), GAME, ANNA, Unreadable, "error-unreadable"),
    "hand over a stranger": (handing_over(STRANGER), GAME, ANNA, Refused, "error-not-at-table"),
    "hand over a seat that was left": (handing_over(CLEO), LEFT, ANNA, Refused, "error-not-seated"),
    # People who are away.
    "come back without having been away": (commands.come_back, GAME, ANNA, Refused, "error-not-away"),
    "vote on one's own turn": (commands.vote, GAME, ANNA, Refused, "error-vote-own-turn"),
    "vote too early": (commands.vote, replace(GAME, since=NOW - 59), BEN, Refused, "error-vote-too-early"),
    "vote twice": (commands.vote, replace(GAME, votes=(1,)), BEN, Refused, "error-vote-twice"),
    "vote as a stranger": (commands.vote, GAME, STRANGER, Refused, "error-not-in-game"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refused(case: str) -> None:
    command, game, who, error, code = REFUSALS[case]
    with pytest.raises(error) as info:
        command(game, click(who), NOW)
    assert isinstance(info.value, Refused | GameError)
    assert info.value.code == code


def names(game: GameRow) -> list[int | None]:
    return [seat.user_id for seat in game.seats]


@pytest.mark.parametrize(
    ("game", "facts"),
    [
        (replace(GAME, since=NOW - 59), {"n": 2}),
        (replace(GAME, since=NOW - 0.5), {"n": 60}),
        (replace(GAME, votes=(1,)), {"n": 1}),
    ],
)
def test_a_refused_vote_says_how_long_or_how_many_are_missing(game: GameRow, facts: dict[str, int]) -> None:
    with pytest.raises(Refused) as info:
        commands.vote(game, click(BEN), NOW)
    assert info.value.facts == facts


# The lobby.


def test_a_lobby_opens_with_its_host_in_the_first_seat() -> None:
    game = lobby.open_lobby(click(ANNA), "tutto", {"target": 2000}, NOW, SEED, 3600, rated=False)
    assert (game.status, game.host_id, names(game), game.version) == (LOBBY, ANNA, [ANNA], 0)
    assert (game.options.target, game.turn_seconds, game.rated, game.secret) == (2000, 3600, False, SEED)
    assert (game.deadline, game.acted) == (NOW + absence.IDLE_LOBBY_SECONDS, (NOW,))
    assert (game.id, game.draws, game.parent_id) == (0, 0, None)
    assert (game.ai_to_move, game.reminded) == (False, False)


def test_joining_and_leaving_change_the_seats() -> None:
    joined = do(lobby.join, LONE, BEN)
    assert joined.seats_changed
    assert (names(joined.row), joined.row.version) == ([ANNA, BEN], LONE.version + 1)
    assert joined.row.acted == (NOW - 3600, NOW)
    assert joined.row.deadline == NOW + absence.IDLE_LOBBY_SECONDS
    left = do(lobby.leave, joined.row, ANNA).row
    assert (names(left), left.host_id) == ([BEN], BEN)
    closed = do(commands.leave, left, BEN).row
    assert (closed.status, closed.closed, closed.deadline) == (ABORTED, "closed-everybody-left", None)
    assert closed.version == left.version + 1


def test_a_person_asks_in_the_server_of_the_click() -> None:
    assert click(BEN).asker == (10, BEN)


def test_only_people_who_clicked_have_acted() -> None:
    with_ai = do(in_lobby("l.ai.casual"), TWO, ANNA).row
    assert with_ai.acted == (NOW, NOW - 3600, 0.0)
    handed = do(handing_over(BEN), with_ai, ANNA).row
    assert handed.acted == (NOW, 0.0, 0.0)


@pytest.mark.parametrize(
    ("token", "game", "who", "what"),
    [
        ("l.ai.expert", TWO, ANNA, lambda game: game.seats[-1] == ai("expert")),
        ("l.noai", WITH_AI, ANNA, lambda game: names(game) == [ANNA, BEN]),
        # The AI that was added last goes, and the people stay.
        (
            "l.noai",
            do(lobby.join, opened(ANNA, ais=2), BEN).row,
            ANNA,
            lambda game: names(game) == [ANNA, None, BEN],
        ),
        ("l.cancel", TWO, ANNA, lambda game: (game.status, game.closed) == (ABORTED, "closed-cancelled")),
        ("l.cancel", TWO, MODERATOR, lambda game: game.status == ABORTED),
    ],
)
def test_buttons_of_the_host(token: str, game: GameRow, who: int, what: Callable[[GameRow], bool]) -> None:
    assert what(do(in_lobby(token), game, who).row)


def test_the_host_chooses_all_options_at_once() -> None:
    chosen = choosing(TWO, edition="classic", target="2000", turn_seconds="0", switches=())
    change = do(chosen, TWO, ANNA)
    game = change.row
    assert (game.options.to_json(), game.turn_seconds, game.rated) == (
        {"edition": "classic", "target": 2000},
        0,
        False,
    )
    assert (game.seats, game.version) == (TWO.seats, TWO.version + 1)
    # Others may have joined meanwhile.
    assert do(chosen, opened(ANNA, BEN, CLEO), ANNA).row.options == game.options


def test_options_that_are_chosen_already_change_nothing() -> None:
    with pytest.raises(Echo):
        do(choosing(TWO), TWO, ANNA)
    # Also if the same form arrives again, which shows what was before.
    later = do(choosing(TWO, target="2000"), TWO, ANNA).row
    with pytest.raises(Echo):
        do(choosing(TWO, target="2000"), later, ANNA)


def test_the_person_who_begins_stays_the_same_as_long_as_they_have_a_seat() -> None:
    game = do(choosing(TWO, begins=str(BEN)), TWO, ANNA).row
    assert game.begins == 1
    assert do(lobby.join, game, CLEO).row.begins == 1
    assert do(lobby.leave, game, ANNA).row.begins == 0
    assert do(lobby.leave, game, BEN).row.begins == IN_ORDER
    lot = do(choosing(TWO, begins="lot"), TWO, ANNA).row
    assert do(lobby.leave, lot, BEN).row.begins == BY_LOT


@pytest.mark.parametrize(("begins", "again"), [("lot", BY_LOT), (str(CLEO), IN_ORDER)])
def test_the_seats_are_turned_so_that_the_one_that_begins_comes_first(begins: str, again: int) -> None:
    table = opened(ANNA, BEN, CLEO)
    before = with_word(do(choosing(table, begins=begins), table, ANNA).row, BEN, "plum")
    starting = do(lobby.start, before, ANNA).row
    assert starting.seats == table.seats
    change = lobby.begin(starting, OPENING, NOW)
    game = change.row
    first = first_seat(game.start, seed_of(game.secret, game.start))
    assert first == (
        2 if begins == str(CLEO) else drawn_number(seed_of(game.secret, game.start), LOT_INDEX, 3)
    )
    assert game.seats == turned(table.seats, first)
    assert game.acted == turned(starting.acted, first)
    assert (change.seats_changed, game.host_id) == (first != 0, ANNA)
    told = [piece.key for line in game.lines for piece in line.pieces]
    assert told == (["story-by-lot"] if begins == "lot" else [])
    # A word has the seat of the start, and its person's name.
    assert game.words[0].seat == 1
    assert [one[0] for one in dice_source(game).words] == [Name("User 2")]
    # In a rematch the lot is drawn again, but nobody is named.
    over = replace(game, status=FINISHED)
    assert lobby.rematch(over, click(ANNA), NOW, SEED, taken=False).begins == again


def test_a_start_fixes_what_goes_into_the_dice() -> None:
    game = do(lobby.start, with_word(WITH_AI, BEN, "plum"), ANNA).row
    assert (game.status, lobby.is_starting(game), game.state) == (LOBBY, True, None)
    start = json.loads(game.start)
    assert start.keys() == {
        "begins",
        "game",
        "game_id",
        "options",
        "rated",
        "rules_version",
        "seats",
        "words",
    }
    assert start["rated"]
    assert start["seats"] == ["human", "human", "ai:casual"]
    assert start["words"] == ["", fingerprint(SEED, 7, 1, "plum"), ""]
    # The host has acted now; the others a little earlier, so that their clicks are no echoes.
    assert game.acted == (NOW, NOW - 3, 0.0)


def test_a_lobby_without_a_seal_has_one_when_it_starts() -> None:
    assert do(lobby.start, TWO, ANNA).row.seal == seal_of(SEED, 7)
    assert do(lobby.start, replace(TWO, seal="as shown"), ANNA).row.seal == "as shown"


def test_the_message_begins_the_game_and_waits_for_the_first_seat() -> None:
    starting = do(lobby.start, WITH_AI, ANNA).row
    assert starting.version == WITH_AI.version + 1
    change = lobby.begin(starting, OPENING, NOW)
    game = change.row
    assert (change.expected, game.version) == (starting.version, starting.version + 1)
    assert (game.status, game.missed) == (LIVE, (0, 0, 0))
    assert (game.draws, game.first_chance) == (0, ())
    assert game.start == with_message(starting.start, OPENING)
    assert game.acted == starting.acted
    assert game.deadline == NOW + game.turn_seconds / 2
    assert not game.ai_to_move


def test_a_lobby_that_does_not_know_who_acted_starts() -> None:
    assert do(lobby.start, replace(TWO, acted=()), ANNA).row.acted == (NOW, 0.0)


@pytest.mark.parametrize(("after", "error"), [(0.0, Echo), (2.9, Echo), (3.0, Stale), (86_400.0, Stale)])
def test_a_second_start_is_an_echo_for_three_seconds(after: float, error: type[Exception]) -> None:
    starting = do(lobby.start, TWO, ANNA).row
    for game in (starting, lobby.begin(starting, OPENING, NOW + 1).row):
        with pytest.raises(error):
            lobby.press(game, click(ANNA), NOW + after, token="l.start")
        for other in (BEN, CLEO):
            if game.status == LIVE:
                with pytest.raises(Stale):
                    lobby.press(game, click(other), NOW + after, token="l.start")


@pytest.mark.parametrize("token", ["l.join", "l.ai.casual", "l.noai", "l.timer", "l.hints", "l.start"])
def test_nothing_changes_while_a_game_is_starting(token: str) -> None:
    starting = do(lobby.start, WITH_AI, ANNA).row
    with pytest.raises(Stale) as refused:
        lobby.press(starting, click(ANNA), NOW + 10, token=token)
    assert refused.value.code == "error-lobby-starting"


@pytest.mark.parametrize(
    ("command", "who"),
    [(in_lobby("l.leave"), BEN), (commands.leave, BEN), (removing(BEN), ANNA), (handing_over(BEN), ANNA)],
)
def test_other_people_at_the_table_undo_a_start(command: Any, who: int) -> None:
    starting = do(lobby.start, with_word(TWO, BEN, "plum"), ANNA).row
    game = do(command, starting, who).row
    assert (game.status, game.start, game.words) == (LOBBY, "", ())


def test_a_start_that_can_not_be_posted_leaves_the_lobby_as_it_was() -> None:
    lobby_before = with_word(TWO, BEN, "plum")
    reopened = lobby.reopen(do(lobby.start, lobby_before, ANNA).row, NOW).row
    assert (reopened.start, reopened.words, reopened.seats) == ("", lobby_before.words, TWO.seats)
    assert not lobby.is_starting(reopened)


# Words.


def with_word(game: GameRow, who: int, text: str) -> GameRow:
    return do(lobby.add_word, game, who, text=text).row


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("plum", "plum"),
        ("  two\u202e \n words ", "two words"),
        ("@everyone <@1> **x**", "@everyone <@1> **x**"),
        ("x" * 99, "x" * 40),
        ("🍀", "🍀"),
        ("\ud800a", "a"),
    ],
)
def test_a_word_is_kept_as_it_is_shown(typed: str, stored: str) -> None:
    game = with_word(TWO, BEN, typed)
    assert game.words == (Word(1, BEN, stored),)
    assert lobby.word_of(game, click(BEN)) == stored
    assert lobby.word_of(game, click(ANNA)) == ""


def test_a_word_is_replaced_and_taken_back() -> None:
    game = with_word(with_word(TWO, BEN, "plum"), BEN, "pear")
    assert [word.text for word in game.words] == ["pear"]
    assert with_word(game, BEN, "  ").words == ()


def test_words_stay_with_their_people_when_seats_move() -> None:
    three = do(lobby.join, with_word(TWO, BEN, "plum"), CLEO).row
    three = with_word(three, CLEO, "pear")
    assert do(lobby.leave, three, ANNA).row.words == (Word(0, BEN, "plum"), Word(1, CLEO, "pear"))
    assert do(lobby.leave, three, BEN).row.words == (Word(1, CLEO, "pear"),)


@pytest.mark.parametrize(
    ("game", "who", "text", "kind", "code"),
    [
        (lambda: TWO, CLEO, "plum", Refused, "error-word-seat"),
        (lambda: TWO, ANNA, "\u200b\u2800", Refused, "error-word-unreadable"),
        (lambda: GAME, ANNA, "plum", Stale, "error-word-late"),
        (lambda: do(lobby.start, TWO, ANNA).row, ANNA, "plum", Stale, "error-word-late"),
        (lambda: CLOSED, ANNA, "plum", Stale, "error-lobby-closed"),
    ],
)
def test_words_that_are_refused(
    game: Callable[[], GameRow], who: int, text: str, kind: type[Refused], code: str
) -> None:
    with pytest.raises(kind) as refused:
        lobby.add_word(game(), click(who), NOW, text=text)
    assert refused.value.code == code


def test_a_rematch_seats_only_the_person_who_asks_for_it_and_the_ais() -> None:
    old = replace(LEFT, status=FINISHED, turn_seconds=60, rated=False)
    game = lobby.rematch(old, click(BEN), NOW, bytes([1]) * 32, taken=False)
    assert (names(game), game.host_id, game.parent_id) == ([BEN], BEN, old.id)
    assert game.acted == (NOW,)
    assert [seat.user_id for seat in lobby.asked(old, game)] == [ANNA]  # Cleo has left the game
    joined = do(partial(lobby.join, parent=old), game, ANNA).row
    assert (names(joined), lobby.asked(old, joined)) == ([BEN, ANNA], ())
    assert (game.options, game.turn_seconds, game.rated) == (old.options, 60, False)
    for who, taken, status, code in (
        (BEN, False, LIVE, "error-rematch-later"),
        (CLEO, False, FINISHED, "error-rematch-not-yours"),
        (BEN, True, FINISHED, "error-rematch-taken"),
    ):
        with pytest.raises(Refused) as info:
            lobby.rematch(replace(old, status=status), click(who), NOW, SEED, taken=taken)
        assert info.value.code == code


@pytest.mark.parametrize("order", list(permutations((ANNA, BEN, CLEO))))
@pytest.mark.parametrize("ais", [0, 2])
def test_who_came_second_begins_the_rematch_whoever_sits_down_first(order: Sequence[int], ais: int) -> None:
    old = replace(started(ANNA, BEN, CLEO, ais=ais), status=FINISHED)
    game = lobby.rematch(old, click(order[0]), NOW, SEED, taken=False)
    for who in order[1:]:
        game = do(partial(lobby.join, parent=old), game, who).row
    assert names(game) == [*names(old)[1:], *names(old)[:1]]
    assert game.host_id == order[0]
    # Others sit down after them, and those who come back where they were.
    game = do(partial(lobby.join, parent=old), do(lobby.leave, game, BEN).row, DORA).row
    assert names(do(partial(lobby.join, parent=old), game, BEN).row) == [*names(old)[1:], ANNA, DORA]


def test_the_last_one_who_is_asked_takes_a_seat_in_the_rematch_and_starts_it() -> None:
    old = replace(started(ANNA, BEN, CLEO), status=FINISHED)
    game = lobby.rematch(old, click(BEN), NOW, SEED, taken=False)
    start = partial(lobby.press, token=button_ids.START, parent=old)
    for who in (ANNA, DORA):  # Cleo is asked as well, and Dora is not.
        with pytest.raises(Refused) as info:
            start(game, click(who), NOW)
        assert info.value.code == "error-host-only"
    game = do(partial(lobby.join, parent=old), game, ANNA).row
    change = start(game, click(CLEO), NOW + 1)
    assert (change.expected, change.row.version, change.seats_changed) == (
        game.version,
        game.version + 1,
        True,
    )
    assert (names(change.row), change.row.host_id) == ([BEN, CLEO, ANNA], BEN)
    assert lobby.is_starting(change.row)
    # Her double click is one click, and the host still starts without her.
    with pytest.raises(Echo):
        start(change.row, click(CLEO), NOW + 1.1)
    assert names(start(game, click(BEN), NOW + 1).row) == [BEN, ANNA]


# Playing.


@pytest.mark.parametrize(("later", "more"), [(50.0, 50.0), (-50.0, 0.0)])
def test_a_stopped_clock_goes_on_where_it_stood_also_if_the_time_was_put_back(
    later: float, more: float
) -> None:
    game = absence.continued(absence.stopped(GAME, NOW), (), NOW + later)
    assert (game.since, game.updated_at) == (GAME.since + more, NOW + later)


@pytest.mark.parametrize(
    ("changes", "at"),
    [
        ({"turn_seconds": 600}, GAME.since + 600),
        ({"turn_seconds": 600, "deadline": NEVER}, None),
        ({"turn_seconds": 0}, None),
        ({"turn_seconds": 0, "deadline": NEVER}, None),
    ],
)
def test_a_turn_ends_at_a_moment_only_if_its_time_is_limited_and_runs(
    changes: dict[str, Any], at: float | None
) -> None:
    assert absence.turn_ends(replace(GAME, **changes)) == at


def test_one_click_makes_several_moves_in_one_step_or_none() -> None:
    """All six dice score: keep them and turn the next card, or bank. Each move has a row in the log."""
    chance = ScriptedChance([Draw(Card.STRAIGHT), Roll((1, 2, 3, 4, 5, 6))])
    game = turns.move(GAME, 0, TURN_CARD, NOW, chance, click(ANNA)).row
    change = press(game, ANNA, "b3f")
    assert [(move.number, move.action) for move in change.moves] == [
        (game.version + 1, Keep((1, 2, 3, 4, 5, 6))),
        (game.version + 2, STOP),
    ]
    assert change.row.version == game.version + 2
    assert intact(change.row.state).scores == (2000, 0, 0)
    on = press(game, ANNA, "n3f")
    assert [move.action for move in on.moves] == [Keep((1, 2, 3, 4, 5, 6)), TURN_CARD]
    assert on.row.draws == game.draws + len(intact(on.moves[1].outcomes))
    # The second half of a double click finds the version gone.
    with pytest.raises(Echo):
        press(change.row, ANNA, "b3f", game.version)
    # Keeping one die is no Tutto, so nothing of the click counts.
    with pytest.raises(IllegalMove):
        press(game, ANNA, "b01")


def test_a_turn_that_the_bot_plays_for_a_person_says_so_once() -> None:
    chance = ScriptedChance([Draw(Card.X2), Roll((1, 2, 3, 4, 6, 6))])
    game = turns.move(GAME, 0, TURN_CARD, NOW, chance).row
    game = turns.move(game, 0, STOP, NOW, ScriptedChance([])).row
    (line,) = game.lines
    assert line.pieces.count(PLAYED_BY_BOT) == 1
    told = turn_line(line, (game.seats, find("tutto").screen))
    assert PLAYED_BY_BOT in [one for _, chain in told.args for one in getattr(chain, "parts", ())]


def test_only_what_the_bot_plays_for_a_person_says_so() -> None:
    """Not what they play themselves, what an AI plays, or that somebody leaves."""

    def lines(change: Change) -> list[Line]:
        assert change.row.lines
        return [line for line in change.row.lines if PLAYED_BY_BOT in line.pieces]

    def chance() -> ScriptedChance:
        return ScriptedChance([Draw(Card.X2), Roll((1, 2, 3, 4, 6, 6))])

    with_ai = started(ANNA, ais=1)
    by_ai = replace(with_ai, seats=(with_ai.seats[1], with_ai.seats[0]))
    assert not lines(turns.move(GAME, 0, TURN_CARD, NOW, chance(), click(ANNA)))
    assert not lines(turns.move(by_ai, 0, TURN_CARD, NOW, chance()))
    assert not lines(turns.move(GAME, 0, Leave(0), NOW, ScriptedChance([])))
    assert [line.seat for line in lines(turns.move(GAME, 0, TURN_CARD, NOW, chance()))] == [0]


@pytest.mark.parametrize(
    ("lost", "told"),
    [((), ("tutto-story-null",)), ((say("tutto-story-lost", points=400),), ("tutto-story-lost",))],
)
def test_the_line_of_a_turn_says_null_or_what_was_lost(lost: tuple[Say, ...], told: tuple[str, ...]) -> None:
    card = say("tutto-story-card", icon=Icons(("card-x2",)), card=say("tutto-card-x2"))
    line = Line(0, (card, say("tutto-story-null"), *lost))
    outcome = find("tutto").screen.outcome(line)
    assert tuple(piece.key for piece in outcome) == ("tutto-story-card", *told)


def test_a_move_is_written_with_what_chance_made_of_it() -> None:
    chance = ScriptedChance([Draw(Card.BONUS_200), Roll((1, 2, 3, 4, 6, 6))])
    change = turns.move(GAME, 0, TURN_CARD, NOW, chance, click(ANNA))
    assert change.move is not None
    assert (change.move.number, change.move.seat, change.move.action) == (GAME.version + 1, 0, TURN_CARD)
    assert intact(change.move.outcomes) == (Draw(Card.BONUS_200), Roll((1, 2, 3, 4, 6, 6)))
    game = change.row
    assert (game.draws, game.version, game.since, game.acted[0]) == (2, GAME.version + 1, NOW, NOW)
    assert game.deadline == NOW + game.turn_seconds / 2
    assert len(game.lines) == 1
    assert not change.results


def test_a_look_changes_nothing() -> None:
    chance = ScriptedChance([Draw(Card.BONUS_200), Roll((1, 2, 3, 4, 5, 6))])
    game = turns.move(GAME, 0, TURN_CARD, NOW, chance).row
    looked = commands.press(game, click(ANNA), NOW, version=game.version, token="v01")
    assert isinstance(looked, ChangeView)


def test_a_double_click_is_an_echo_for_three_seconds() -> None:
    game = press(GAME, ANNA, "t").row
    for after, error in ((2.9, Echo), (3.0, Stale), (3.1, Stale)):
        with pytest.raises(error) as info:
            commands.press(game, click(ANNA), NOW + after, version=GAME.version, token="t")
        assert not isinstance(info.value, Stale) or info.value.row == game


def test_narration_is_kept_for_a_turn_of_each_seat_and_one_more() -> None:
    game = GAME
    nothing: list[Any] = [Draw(Card.X2), Roll((2, 2, 3, 3, 4, 6))]
    for outcomes in [nothing] * 3 + [[Draw(Card.STOP)]] * 7:
        game = turns.move(game, commands.to_move(game), TURN_CARD, NOW, ScriptedChance(outcomes)).row
    assert [line.seat for line in game.lines] == [0, 1, 2, 0]


def finished() -> tuple[GameRow, Change]:
    """A game before its last move, and that move."""
    game = started(ANNA, BEN)
    while True:
        seat = commands.to_move(game)
        legal = find("tutto").rules.legal(game.state)
        action = STOP if STOP in legal else legal[0]
        change = turns.move(game, seat, action, NOW, SeededChance(game.secret, game.draws), click(ANNA))
        if change.row.status == FINISHED:
            return game, change
        game = change.row


def test_the_last_move_brings_the_results() -> None:
    before, change = finished()
    game = change.row
    assert (game.deadline, game.ai_to_move) == (None, False)
    assert [result.user_id for result in change.results] == [ANNA, BEN]
    assert sorted(result.place for result in change.results) == [1, 2]
    feat = find("tutto").feat
    assert [result.feat for result in change.results] == [
        dict(one.feats).get(feat, 0) for one in change.results
    ]
    assert [result.seat for result in change.results] == [0, 1]
    assert sum(result.turns for result in change.results) == find("tutto").rules.turns(game.state)
    unknown = turns.move(
        replace(before, stats=()),
        commands.to_move(before),
        change.move.action if change.move else None,
        NOW,
        SeededChance(before.secret, before.draws),
    )
    assert (unknown.row.status, unknown.results, unknown.row.stats) == (FINISHED, (), ())


def test_a_whole_game_is_counted_from_its_log() -> None:
    game = started(ANNA, BEN)
    begun, moves = game, []
    while game.status == LIVE:
        seat, legal = commands.to_move(game), find("tutto").rules.legal(game.state)
        action = STOP if STOP in legal else legal[0]
        change = turns.move(game, seat, action, NOW, SeededChance(game.secret, game.draws))
        assert change.move is not None
        moves.append(change.move)
        game = change.row
    assert turns.stats_of(log_of(begun, moves)) == game.stats


# Leaving and closing.


def test_the_game_goes_on_without_a_seat_that_leaves() -> None:
    change = do(commands.leave, GAME, ANNA)
    assert change.move is not None
    assert change.move.action == Leave(0)
    assert commands.left_seats(change.row) == (0,)
    assert (commands.to_move(change.row), change.row.host_id) == (1, BEN)


def test_without_people_a_game_closes() -> None:
    game = started(ANNA, BEN, ais=1)
    game = do(commands.leave, game, ANNA).row
    assert game.host_id == BEN
    closed = do(commands.leave, game, BEN)
    assert (closed.row.status, closed.row.closed, closed.results) == (ABORTED, "closed-everybody-left", ())


@pytest.mark.parametrize("who", [ANNA, MODERATOR])
@pytest.mark.parametrize("game", [TWO, GAME, DAMAGED])
def test_a_host_or_moderator_ends_any_game(game: GameRow, who: int) -> None:
    ended = do(commands.end, game, who).row
    assert (ended.status, ended.closed, ended.deadline, ended.ai_to_move) == (
        ABORTED,
        "closed-ended",
        None,
        False,
    )


def test_taking_somebody_out() -> None:
    assert names(do(removing(BEN), TWO, MODERATOR).row) == [ANNA]
    change = do(removing(BEN), GAME, ANNA)
    assert commands.left_seats(change.row) == (1,)


def test_handing_over() -> None:
    change = do(handing_over(ANNA), GAME, MODERATOR)
    game = change.row
    assert change.seats_changed
    assert (names(game), game.host_id) == ([None, BEN, CLEO], BEN)
    assert (game.acted[0], game.version) == (0.0, GAME.version + 1)
    assert game.ai_to_move
    assert game.deadline == NOW + absence.AI_SECONDS
    alone = started(ANNA, ais=1)
    over = do(handing_over(ANNA), alone, MODERATOR).row
    assert over.closed == "closed-everybody-left"
    waiting = do(handing_over(BEN), TWO, ANNA)
    assert names(waiting.row) == [ANNA, None]


def test_nobody_escapes_a_game_by_handing_over_their_own_seat() -> None:
    with pytest.raises(Refused) as refused:
        do(handing_over(ANNA), GAME, ANNA)
    assert refused.value.code == "error-own-seat"


def test_turns_before_a_seat_was_handed_over_are_not_the_new_players_own() -> None:
    game = replace(started(ANNA, BEN), own_turns=(3, 4))
    handed = do(handing_over(BEN), game, ANNA).row
    assert handed.own_turns == (3, 0)


def test_forgetting_somebody() -> None:
    change = not_none(commands.forget(GAME, BEN, NOW))
    assert commands.left_seats(change.row) == (1,)
    nameless = commands.without_name(change.row, BEN)
    assert nameless.row.seats[1] == Seat("human")
    assert (nameless.row.version, nameless.row.touched) == (change.row.version, change.row.touched + 1)
    assert nameless.seats_changed
    lobby_change = not_none(commands.forget(TWO, BEN, NOW))
    assert names(lobby_change.row) == [ANNA]
    closed = not_none(commands.forget(DAMAGED, BEN, NOW))
    assert closed.row.status == ABORTED
    for game, who in ((OVER, BEN), (LEFT, CLEO)):
        assert commands.forget(game, who, NOW) is None


# People who are away, and time.


def test_coming_back() -> None:
    game = do(commands.come_back, AWAY, ANNA).row
    assert (game.missed, game.acted[0], game.since) == ((0, 0, 0), NOW, NOW)
    assert not game.ai_to_move


def test_votes_keep_the_version_and_carry_with_over_half() -> None:
    change = do(commands.vote, GAME, BEN)
    game = change.row
    assert (game.version, game.touched, game.votes) == (GAME.version, GAME.touched + 1, (1,))
    assert not commands.vote_carried(game)
    assert commands.vote_carried(do(commands.vote, game, CLEO).row)
    assert press(game, ANNA, "t").row.votes == ()


@pytest.mark.parametrize(
    ("game", "gone", "expected"),
    [
        (replace(GAME, deadline=NOW + 1), False, None),
        (replace(GAME, deadline=None), False, None),
        (replace(TWO, deadline=NOW), False, "closed-idle"),
        (replace(GAME, deadline=NOW, since=NOW - absence.UNTOUCHED_SECONDS), False, "closed-untouched"),
        (replace(DAMAGED, deadline=NOW), False, "closed-damaged"),
        (replace(GAME, deadline=NOW, ai_to_move=True), False, GoOn()),
        (replace(GAME, deadline=NOW, reminded=True), False, PlayTurn(0)),
    ],
)
def test_what_a_deadline_leads_to(game: GameRow, gone: bool, expected: Any) -> None:
    found = commands.time_out(game, NOW, gone=gone)
    assert (found.row.closed if isinstance(found, Change) else found) == expected


def test_while_the_time_is_uncertain_a_game_stays_open_until_the_next_look() -> None:
    game = replace(GAME, deadline=NOW, since=NOW - absence.UNTOUCHED_SECONDS)
    found = commands.time_out(game, NOW, certain=False)
    assert isinstance(found, Change)
    assert found.row == replace(game, deadline=NOW + absence.UNCERTAIN_SECONDS)


def test_half_way_a_person_is_called_once_more() -> None:
    game = replace(GAME, deadline=NOW, since=NOW - 300, turn_seconds=600)
    found = commands.time_out(game, NOW)
    assert isinstance(found, Change)
    assert (found.row.reminded, found.row.version, found.row.touched) == (True, game.version, 1)
    assert found.row.deadline == NOW + 300


@pytest.mark.parametrize("reminded", [False, True])
def test_a_deadline_that_passed_while_the_bot_was_away_gives_time_again(reminded: bool) -> None:
    game = replace(GAME, deadline=NOW - 3600, since=NOW - 4000, turn_seconds=600, reminded=reminded)
    found = commands.time_out(game, NOW)
    assert isinstance(found, Change)
    assert (found.row.reminded, found.row.version, found.row.deadline) == (True, game.version, NOW + 300)


def test_a_person_who_left_the_server_leaves_the_game() -> None:
    found = commands.time_out(replace(GAME, deadline=NOW), NOW, gone=True)
    assert isinstance(found, Change)
    assert (commands.left_seats(found.row), found.row.host_id) == ((0,), BEN)


def test_only_the_vote_of_a_person_who_left_the_server_goes_and_no_turn_gets_more_time() -> None:
    game = replace(started(ANNA, BEN, CLEO, DORA), votes=(1, 2), reminded=True)
    row = not_none(commands.depart(game, BEN, CLEO, NOW)).row
    assert (commands.left_seats(row), row.votes, row.host_id) == ((1,), (2,), ANNA)
    assert (row.since, row.reminded) == (game.since, True)


def test_a_missed_turn_counts_until_the_player_clicks() -> None:
    missed = turns.mark_missed(GAME, 0)
    assert missed.missed == (1, 0, 0)
    assert press(missed, ANNA, "t").row.missed == (0, 0, 0)
    assert turns.move(missed, 0, TURN_CARD, NOW, SeededChance(SEED)).row.missed == (1, 0, 0)


# Looking.


def test_a_game_without_advice_has_no_odds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cast("dict[str, Entry]", GAMES), "tutto", replace(GAMES["tutto"], advice=None))
    with pytest.raises(Unreadable) as info:
        commands.check_odds(GAME, click(ANNA))
    assert info.value.code == "error-old-button"


def test_whose_turn_is_shown_and_who_is_called() -> None:
    for game in (TWO, OVER, CLOSED):
        assert (turn_key(game), to_move_user(game), to_notify(game, NOW)) == (-1, None, None)
    second = replace(GAME, state=replace(GAME.state, seat=1))
    assert (turn_key(second) - turn_key(GAME), to_move_user(GAME), to_move_user(second)) == (1, ANNA, BEN)
    later = replace(GAME, state=replace(GAME.state, finished=GAME.state.finished + 1))
    # More than the seats of any game, so that no two turns have the same number.
    assert turn_key(later) - turn_key(GAME) > find("tutto").rules.max_seats
    assert to_move_user(started(ANNA, ais=1, state=second.state)) is None


@pytest.mark.parametrize(("ago", "called"), [(59.0, None), (60.0, None), (61.0, ANNA)])
def test_a_person_who_acted_a_minute_ago_is_not_called(ago: float, called: int | None) -> None:
    game = replace(GAME, acted=(NOW - ago, 0.0, 0.0), shown_turn=-1)
    assert to_notify(game, NOW) == called
    assert to_notify(replace(game, shown_turn=turn_key(game)), NOW) is None


FRIENDLY = started(ANNA, BEN, CLEO, rated=False)
ALONE = started(ANNA, ais=2)


def test_who_may_see_the_odds() -> None:
    for game, who in ((FRIENDLY, ANNA), (ALONE, ANNA), (GAME, STRANGER), (LEFT, CLEO)):
        commands.check_odds(game, click(who))
    for game, code in ((GAME, "error-odds-rated"), (TWO, "error-stale"), (OVER, "error-game-over")):
        with pytest.raises(Refused) as info:
            commands.check_odds(game, click(ANNA))
        assert info.value.code == code


@pytest.mark.parametrize(
    ("game", "rated"),
    [
        (TWO, True),
        (GAME, True),
        (replace(TWO, rated=False), False),
        (FRIENDLY, False),
        # Fewer than two people at the start.
        (LONE, False),
        (ALONE, False),
        # It is fixed at the start: another choice or fewer people do not change it.
        (replace(GAME, rated=False), True),
        (replace(FRIENDLY, rated=True), False),
        (replace(GAME, seats=(GAME.seats[0], ai("casual"), ai("casual"))), True),
        # Games of earlier versions.
        (replace(GAME, start='{"message_id":"1"}'), True),
        (replace(ALONE, start=""), False),
    ],
)
def test_which_games_are_rated(game: GameRow, rated: bool) -> None:
    assert is_rated(game) == rated


def test_a_table_comes_to_the_bottom_unless_it_was_just_posted() -> None:
    commands.check_look(replace(GAME, posted_at=NOW - 3), NOW)
    with pytest.raises(Echo):
        commands.check_look(replace(GAME, posted_at=NOW - 2.9), NOW)
    with pytest.raises(Stale):
        commands.check_look(OVER, NOW)
