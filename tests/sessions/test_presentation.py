"""The screen of a stored game, and what the table says about absent people."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from bot.discordpy.components import render
from bot.games.seats import ai
from bot.i18n.catalogue import Catalogue
from bot.i18n.say import Name, say
from bot.records.seeds import seed_hash
from bot.records.who_begins import BY_LOT, IN_ORDER
from bot.registry import GAMES, TEXT_ICONS
from bot.screens import table
from bot.screens.button_ids import ODDS, VOTE
from bot.screens.model import Buttons, message_link
from bot.screens.table import Waiting
from bot.sessions import absence, lobby
from bot.sessions.presentation import (
    dice_source,
    first_turn,
    more_of,
    screen_of,
    summary_of,
    turn_key,
    waits_for_person,
)
from bot.store.base import FINISHED, GameRow, ResultRow, Store
from tests.sessions.test_commands import (
    ALONE,
    ANNA,
    BEN,
    CLEO,
    CLOSED,
    FRIENDLY,
    GAME,
    LEFT,
    LONE,
    NOW,
    OPENING,
    OVER,
    SEED,
    STRANGER,
    TWO,
    WITH_AI,
    click,
    finished,
    opened,
    started,
    with_word,
)
from tests.support.screen import text_of


class Results:
    """The part of a store that a finished game and a lobby ask."""

    def __init__(
        self,
        results: Sequence[ResultRow] = (),
        rematch: int | None = None,
        chance: float = 0.6,
        unlisted: Collection[int] = (),
        duel: tuple[int, int] = (0, 0),
    ) -> None:
        self._duel = duel
        self._results, self._rematch = results, rematch
        self._chance, self._unlisted = chance, frozenset(unlisted)

    async def results(self, game_id: int) -> Sequence[ResultRow]:
        return self._results

    async def rematch_of(self, game_id: int) -> int | None:
        return self._rematch

    async def unlisted(self, guild_id: int, users: Collection[int]) -> frozenset[int]:
        return self._unlisted

    async def forecasts(
        self, guild_id: int, game: str, user_id: int, others: Collection[int]
    ) -> Mapping[int, float]:
        return dict.fromkeys(others, self._chance)

    async def duel(self, game_id: int, user_id: int, other: int) -> tuple[int, int]:
        return self._duel


NOTHING = cast("Store", Results())


async def test_lobby_table_and_end_say_whether_the_game_is_rated() -> None:
    assert await screen_of(NOTHING, TWO) != await screen_of(NOTHING, replace(TWO, rated=False))
    two = started(ANNA, BEN, rated=False)
    for game, word in (
        (GAME, "table-rated"),
        (FRIENDLY, "table-friendly"),
        (two, "table-friendly"),
        (ALONE, None),
    ):
        text = repr(await screen_of(NOTHING, game))
        said = [key for key in ("table-rated", "table-friendly") if key in text]
        assert said == ([word] if word else [])


@pytest.mark.parametrize("chance", [0.44, 0.45, 0.5, 0.55, 0.56])
async def test_a_lobby_for_two_says_only_that_a_game_would_be_even(chance: float) -> None:
    """Neither of a clear difference, nor of people who are on no lists, nor of tables of others."""
    store = cast("Store", Results(chance=chance))
    hidden = cast("Store", Results(chance=chance, unlisted=(BEN,)))
    even = 0.45 <= chance <= 0.55
    for game, invited, known, said in (
        (TWO, None, store, even),
        (LONE, BEN, store, even),
        (TWO, None, hidden, False),
        (LONE, None, store, False),
        (WITH_AI, None, store, False),
        (opened(ANNA, BEN, CLEO), None, store, False),
    ):
        assert ("lobby-even" in repr(await screen_of(known, game, "", invited))) is said


@pytest.mark.parametrize(
    ("duel", "unlisted", "told"),
    [
        ((3, 2), (), "{ann} 3 – 2 {ben}"),
        # Who is ahead comes first.
        ((2, 3), (), "{ben} 3 – 2 {ann}"),
        ((1, 1), (), "{ann} 1 – 1 {ben}"),
        ((1, 0), (), None),
        ((3, 2), (BEN,), None),
    ],
)
async def test_the_end_of_a_game_of_two_says_how_they_stand(
    duel: tuple[int, int], unlisted: tuple[int, ...], told: str | None
) -> None:
    _, change = finished()
    played = [replace(one, own_turns=one.turns) for one in change.results]
    store = cast("Store", Results(played, duel=duel, unlisted=unlisted))
    end = render(await screen_of(store, change.row), Catalogue(TEXT_ICONS), "en").to_components()
    shown = text_of({"components": end})
    ann, ben = (seat.name for seat in change.row.seats)
    wanted = () if told is None else (f"Head to head: **{told.format(ann=ann, ben=ben)}**",)
    assert tuple(line for line in shown.splitlines() if line.startswith("Head to head")) == wanted


async def test_a_closed_game_says_why() -> None:
    ended = await screen_of(NOTHING, replace(CLOSED, closed="closed-ended"))
    assert ended != await screen_of(NOTHING, replace(CLOSED, closed="closed-idle"))


async def test_an_end_shows_its_results_the_rematch_once_and_the_picture_when_it_is_asked_for() -> None:
    _, change = finished()
    game = change.row
    assert game.status == FINISHED
    store = cast("Store", Results(change.results))
    screen = await screen_of(store, game)
    assert screen != await screen_of(NOTHING, game)
    assert screen != await screen_of(cast("Store", Results(change.results, rematch=9)), game)
    assert screen != await screen_of(store, game, pictured=True)


async def test_an_end_is_told_whether_there_is_a_rematch_a_coach_and_a_picture(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, change = finished()
    given: list[tuple[Any, ...]] = []

    def end(*arguments: Any, **others: Any) -> str:
        given.append(tuple(others[name] for name in ("rematch", "coach", "rated", "pictured")))
        return f"end {len(given)}"

    monkeypatch.setattr("bot.sessions.presentation.finished", end)
    found: list[object] = [
        await screen_of(cast("Store", Results(rematch=9)), change.row),
        await screen_of(NOTHING, change.row, pictured=True),
    ]
    assert found == ["end 1", "end 2"]
    assert given == [(True, True, True, False), (False, True, True, True)]


SINCE = NOW - 3600
AWAY = absence.MAX_MISSED


@pytest.mark.parametrize(
    ("game", "away", "until", "votes", "needed", "others"),
    [
        (replace(GAME, turn_seconds=600), (), SINCE + 600, 0, 0, True),
        (replace(GAME, turn_seconds=0), (), None, 0, 0, True),
        (replace(GAME, turn_seconds=600, missed=(AWAY, 0, 0)), (0,), None, 0, 0, True),
        (replace(GAME, turn_seconds=0, missed=(0, AWAY, AWAY)), (1, 2), None, 0, 0, False),
        (replace(GAME, turn_seconds=0, missed=(AWAY, AWAY, AWAY)), (0, 1, 2), None, 0, 0, False),
        (replace(GAME, turn_seconds=0, votes=(1,)), (), None, 1, 2, True),
        (replace(LEFT, turn_seconds=0, missed=(0, AWAY, AWAY)), (1,), None, 0, 0, False),
    ],
)
async def test_what_a_table_says_about_those_who_wait(
    monkeypatch: pytest.MonkeyPatch,
    game: GameRow,
    away: tuple[int, ...],
    until: float | None,
    votes: int,
    needed: int,
    others: bool,
) -> None:
    shown: list[tuple[Any, ...]] = []

    def show(*given: Any) -> None:
        shown.append(given)
        assert given[0].rated

    monkeypatch.setattr("bot.screens.table.table", show)
    await screen_of(NOTHING, game, "v01", 7)
    *_, view, mention, waiting = shown[0]
    assert (view, mention) == ("v01", 7)
    assert isinstance(waiting, Waiting)
    assert (waiting.away, waiting.until, waiting.votes, waiting.needed) == (away, until, votes, needed)
    # Anna is to move, and the stranger has no seat.
    for who, may_vote in ((BEN, others), (ANNA, False), (STRANGER, False)):
        rows = [block.buttons for block in more_of(game, who).blocks if isinstance(block, Buttons)]
        assert (VOTE in [button.token for row in rows for button in row]) == may_vote


@pytest.mark.parametrize(
    ("game", "seal", "secret", "link"),
    [
        (replace(TWO, seal="ab"), "ab", False, ""),
        (TWO, "", False, ""),
        (CLOSED, seed_hash(SEED), True, ""),
        (replace(GAME, seal="ab"), "ab", False, message_link(10, 100, OPENING)),
        (replace(OVER, seal="ab"), "ab", True, message_link(10, 100, OPENING)),
        # Games of earlier versions showed the hash of their seed, and no message began them.
        (replace(GAME, seal="", start=""), seed_hash(SEED), False, None),
        (replace(OVER, seal="", start=""), seed_hash(SEED), True, None),
    ],
)
def test_what_is_shown_of_the_source_of_the_dice(
    game: GameRow, seal: str, secret: bool, link: str | None
) -> None:
    source = dice_source(game)
    assert (source.seal, source.secret, source.link) == (seal, SEED.hex() if secret else "", link)


@pytest.mark.parametrize(
    ("game", "waits"),
    [
        (GAME, True),
        (LEFT, True),
        (replace(GAME, missed=(0, absence.MAX_MISSED, 0)), True),
        (replace(GAME, missed=(absence.MAX_MISSED, 0, 0)), False),
        (replace(GAME, seats=(ai("casual"), *GAME.seats[1:])), False),
        (TWO, False),
        (CLOSED, False),
        (OVER, False),
    ],
)
def test_only_a_running_game_waits_for_a_person_who_is_there(game: GameRow, waits: bool) -> None:
    assert waits_for_person(game) is waits


@pytest.mark.parametrize(
    ("begins", "later", "person"),
    [(IN_ORDER, 61.0, ANNA), (IN_ORDER, 60.0, None), (2, 0.0, CLEO), (BY_LOT, 99.0, None)],
)
def test_the_message_that_begins_a_game_calls_its_first_person_if_they_are_inactive(
    begins: int, later: float, person: int | None
) -> None:
    """The host has just pressed Start, the others joined an hour ago; by lot, nobody knows yet who begins."""
    row = lobby.start(replace(opened(ANNA, BEN, CLEO), begins=begins), click(ANNA), NOW).row
    turn, called = first_turn(row, NOW + later)
    assert called == person
    known = turn_key(lobby.begin(row, OPENING, NOW).row)
    assert turn == (-1 if begins == BY_LOT else known)


def test_a_word_of_a_lobby_has_the_name_of_its_person() -> None:
    row = with_word(TWO, BEN, "plum")
    assert dice_source(row).words == [(Name("User 2"), "plum")]
    # Once it is fixed, it is said if it was deleted.
    assert dice_source(replace(row, words=())).words == []
    starting = lobby.start(row, click(ANNA), NOW).row
    assert dice_source(replace(starting, words=())).words == [(say("unnamed-person"), None)]


def test_only_a_running_game_is_summed_up() -> None:
    before, change = finished()
    rules, own = GAMES["tutto"].rules, GAMES["tutto"].screen
    assert summary_of(before) == table.summary(table.TableContext(rules, own, before.seats, before.lines))
    assert summary_of(change.row) == summary_of(CLOSED) == table.moved("tutto")


@pytest.mark.parametrize(
    ("game", "who", "offered"),
    [
        (GAME, ANNA, False),
        (GAME, STRANGER, True),
        (LEFT, ANNA, False),
        (LEFT, CLEO, True),
        (FRIENDLY, ANNA, True),
        (ALONE, ANNA, True),
    ],
)
def test_odds_are_offered_only_to_whom_they_are_shown(game: GameRow, who: int, offered: bool) -> None:
    rows = [block.buttons for block in more_of(game, who).blocks if isinstance(block, Buttons)]
    assert (ODDS in [button.token for row in rows for button in row]) == offered
