"""Every screen fits into a message in every language, and all of its buttons work."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from simcord.components import validate_components, walk_components

from bot.discordpy.components import MAX_ALT, MAX_TEXT, mentions, render
from bot.games import codec
from bot.games.core import CHANCE, OVER, GameError, Leave, Result, Unreadable
from bot.games.seats import ai, person
from bot.i18n.catalogue import Catalogue
from bot.i18n.say import Line, Name, say
from bot.registry import GAMES, TEXT_ICONS, find
from bot.screens.button_ids import (
    FAIR,
    MAX_LENGTH,
    MAX_TOKEN,
    OPTIONS,
    RULES,
    START,
    ButtonId,
    Page,
    is_shared,
    parse,
)
from bot.screens.model import PRIMARY, Act, Buttons, ChangeView, Screen, Text
from bot.screens.private import confirm, note, rules_page
from bot.sessions.presentation import more_of, screen_of, summary_of
from bot.store import encoding
from bot.store.base import ABORTED, FINISHED, LIVE, LOBBY, GameRow
from tests.support.examples import options_of, random_move
from tests.support.rows import a_game, a_result
from tests.support.screen import buttons

COMPONENTS_V2 = 1 << 15
BUTTON, ROW, TEXT = 2, 1, 10
LARGEST_ID = (1 << 63) - 1
SNOWFLAKE = (1 << 63) - 1

ADVISED = 34
"""How many characters of a button's label a phone shows; Discord allows 80."""

NASTY = (
    "*_~`|>#-[]()<:@!+=.\\*_~`|>#-[]()",
    "||spoiler|| **bold** ```code```",
    "<@123456789012345678> @everyone",
    "אבגדהוזחטיכלמנסעפצקרשתאבגדהוזחטי",
    "👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦"[:32],
    "W" * 32,
    "1. [a](https://example.com) `x`",
    "ﷺ" * 32,
    "\u0301" * 31 + "a",
    "",
)
PLAIN = Catalogue(TEXT_ICONS)
DRAWN = Catalogue(TEXT_ICONS)
DRAWN.use({name: f"<:{name.replace('-', '_')}:1234567890123456789>" for name in TEXT_ICONS})

Json = dict[str, Any]


def check(
    screen: Screen, row_id: int = LARGEST_ID, version: int = (1 << 40), rng: Random | None = None
) -> list[Json]:
    """Render with and without drawn icons and check all of Discord's limits: in every language, or in one
    that ``rng`` picks.
    """
    shown: list[Json] = []
    primary = [
        button
        for block in screen.blocks
        if isinstance(block, Buttons)
        for button in block.buttons
        if button.style == PRIMARY and not button.disabled
    ]
    assert len(primary) <= 1, "one thing to do next, not two"
    for catalogue in (PLAIN, DRAWN):
        languages = [rng.choice(catalogue.languages)] if rng else catalogue.languages
        for language in languages:
            board = render(screen, catalogue, language, row_id, version)
            shown = board.to_components()
            for one in walk_components(shown):
                if one["type"] == 12:  # pictures come with files, which are not here
                    for item in one["items"]:
                        item["media"] = {"url": "https://example.com/x.png"}
            validate_components(shown, flags=COMPONENTS_V2)
            parts = list(walk_components(shown))
            assert len(parts) <= 40
            assert sum(len(part["content"]) for part in parts if part["type"] == TEXT) <= MAX_TEXT
            ids = [part["custom_id"] for part in parts if part.get("custom_id")]
            assert len(set(ids)) == len(ids)
            for part in parts:
                if part["type"] == ROW:
                    assert 1 <= len(part["components"]) <= 5
                if part["type"] == TEXT:
                    assert part["content"].strip()
                    assert not re.search(r"\{[a-z_]+\}", part["content"]), "something is not filled in"
                    assert not re.search(r"(?m)(?<!^)(?<!#)(-#|#{2,3}) ", part["content"]), "in a line"
                    # Discord numbers lists itself, so shared places would become different ones.
                    counted = [int(found) for found in re.findall(r"(?m)^(\d+)\. ", part["content"])]
                    assert counted == list(range(1, len(counted) + 1))
                for item in part.get("items", ()):
                    assert item["description"], "a picture that a screen reader can't tell"
                    assert len(item["description"]) <= MAX_ALT
                if part["type"] == BUTTON:
                    assert part.get("label") or part.get("emoji")
                    assert len(part.get("label") or "") <= ADVISED, part["label"]
                    assert len(part["custom_id"]) <= MAX_LENGTH
                    assert parse(part["custom_id"]).game_id == row_id
    return shown


def store_of(row: GameRow) -> Any:
    """A store with the largest results of one game, in which everybody is as strong."""

    async def results(game_id: int) -> tuple[Any, ...]:
        return tuple(
            a_result(number, seat.user_id, place=number + 1, score=50_000, turns=999, best_turn=32_000)
            for number, seat in enumerate(row.seats)
        )

    async def rematch_of(game_id: int) -> None:
        return None

    async def unlisted(guild_id: int, users: Collection[int]) -> frozenset[int]:
        return frozenset()

    async def forecasts(
        guild_id: int, game: str, user_id: int, others: Collection[int]
    ) -> Mapping[int, float]:
        return dict.fromkeys(others, 0.5)

    async def duel(game_id: int, user_id: int, other: int) -> tuple[int, int]:
        return 999, 1000

    return SimpleNamespace(
        results=results, rematch_of=rematch_of, unlisted=unlisted, forecasts=forecasts, duel=duel
    )


def now(screen: Any) -> Screen:
    """The result of a coroutine that waits for nothing."""
    with pytest.raises(StopIteration) as info:
        screen.send(None)
    shown: Screen = info.value.value
    return shown


def seats_of(number: int, rng: Random, levels: list[str]) -> tuple[Any, ...]:
    return tuple(
        ai(rng.choice(levels))
        if rng.random() < 0.2 and seat
        else person(SNOWFLAKE - seat, NASTY[seat % len(NASTY)])
        for seat in range(number)
    )


def tables(game: str, seed: int, seats: int, options: Any, moves: int) -> Iterator[tuple[GameRow, Any]]:
    """A random game as the rows that are stored of it, with its states."""
    rng = Random(seed)
    entry = find(game)
    own = entry.rules
    row = a_game(
        SNOWFLAKE,
        id=LARGEST_ID,
        game=game,
        guild_id=SNOWFLAKE,
        status=LIVE,
        version=1 << 40,
        options=options,
        turn_seconds=3 * 86_400,
        since=1e10,
        acted=(0.0,) * seats,
        missed=tuple(rng.choice([0, 0, 2]) for _ in range(seats)),
        votes=(1,) if rng.random() < 0.3 else (),
    )
    row = replace(row, seats=seats_of(seats, rng, list(entry.policies)), host_id=SNOWFLAKE)
    state, lines = own.initial(options, seats), tuple[Line, ...]()
    for _ in range(moves):
        if own.to_move(state) == OVER:
            break
        leaving = 0.01 if own.to_move(state) != CHANCE else 0.0
        move = random_move(own, state, rng, leaving)
        if isinstance(move, Leave) and len(own.left(state)) + 2 >= seats:
            continue
        step = own.apply(state, move)
        lines = entry.screen.narrate(lines, step.events)
        state = step.state
        if own.to_move(state) != CHANCE:
            over = own.to_move(state) == OVER
            row = replace(row, status=FINISHED if over else LIVE, state=state, lines=lines[-seats - 1 :])
            yield row, state


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32 - 1), data=st.data())
def test_every_table_of_a_random_game_fits(game: str, seed: int, data: st.DataObject) -> None:
    """With the most seats, the longest names and the highest targets: each view, the call, the summary."""
    entry = find(game)
    seats = data.draw(st.sampled_from([entry.rules.max_seats, entry.rules.min_seats]))
    options = data.draw(st.sampled_from(wide_options(game)))
    rng = Random(seed)
    for row, state in tables(game, seed, seats, options, moves=120):
        if rng.random() < 0.8:
            continue  # a part of them is enough
        store = store_of(row)
        check(now(screen_of(store, row)), rng=rng)
        check(summary_of(row), rng=rng)
        if row.status != LIVE:
            continue
        check(now(screen_of(store, row, "", SNOWFLAKE)), rng=rng)
        check(more_of(row, SNOWFLAKE), rng=rng)
        for block in entry.screen.controls(state, ""):
            for button in getattr(block, "buttons", ()):
                pressed = entry.screen.press(state, button.token)
                if isinstance(pressed, ChangeView):
                    check(now(screen_of(store, row, pressed.view)), rng=rng)


def wide_options(game: str) -> list[Any]:
    return list(options_of(find(game).rules, largest=True))


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32 - 1))
def test_buttons_are_enabled_exactly_if_they_are_legal(game: str, seed: int) -> None:
    """On any table and with any marks: every enabled button is a legal action, or marks something."""
    entry = find(game)
    rng = Random(seed)
    for row, state in tables(game, seed, entry.rules.min_seats, rng.choice(wide_options(game)), moves=150):
        if row.status != LIVE:
            continue
        legal, view = entry.rules.legal(state), ""
        for _ in range(4):
            enabled = [
                button
                for block in entry.screen.controls(state, view)
                for button in getattr(block, "buttons", ())
                if not button.disabled
            ]
            looks = []
            for button in enabled:
                assert len(button.token) <= MAX_TOKEN
                assert not is_shared(button.token)
                pressed = entry.screen.press(state, button.token)
                if isinstance(pressed, ChangeView):
                    looks.append(pressed)
                else:
                    assert isinstance(pressed, Act)
                    assert pressed.action in legal, button.token
                    after = entry.rules.apply(state, pressed.action).state
                    for action in pressed.then:
                        assert entry.rules.to_move(after) == entry.rules.to_move(state), button.token
                        assert action in entry.rules.legal(after), button.token
                        after = entry.rules.apply(after, action).state
            if view == "":
                assert enabled, "there is always something to press"
            if not looks:
                break
            view = rng.choice(looks).view


@pytest.mark.parametrize("game", GAMES)
@given(token=st.text(max_size=20), seed=st.integers(0, 50))
@settings(max_examples=80, deadline=None)
def test_any_token_is_read_or_refused(game: str, token: str, seed: int) -> None:
    entry = find(game)
    for number, (_, state) in enumerate(
        tables(game, seed, entry.rules.min_seats, wide_options(game)[0], moves=12)
    ):
        if number % 3:
            continue
        with suppress(GameError):
            assert isinstance(entry.screen.press(state, token), (ChangeView, Act))


@pytest.mark.parametrize("game", GAMES)
def test_lobbies_fit_however_full(game: str) -> None:
    entry = find(game)
    for number in range(1, entry.rules.max_seats + 1):
        for levels in (["casual"], list(entry.policies)):
            row = a_game(SNOWFLAKE, id=LARGEST_ID, game=game, status=LOBBY, turn_seconds=259_200)
            options = wide_options(game)[0]
            seats = seats_of(number, Random(number), [levels[0]])
            check(now(screen_of(store_of(row), replace(row, seats=seats, options=options))))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    "reason", ["cancelled", "everybody-left", "ended", "idle", "untouched", "channel-gone"]
)
def test_closed_games_fit_and_show_only_where_the_dice_came_from(game: str, reason: str) -> None:
    options = wide_options(game)[0]
    row = a_game(game=game, status=ABORTED, options=options, closed=f"closed-{reason}")
    shown = check(now(screen_of(store_of(row), row)))
    buttons = [part for part in walk_components(shown) if part["type"] == BUTTON]
    assert [parse(part["custom_id"]).token for part in buttons] == [FAIR]
    check(summary_of(row))


@pytest.mark.parametrize("game", GAMES)
def test_rules_fit_page_by_page(game: str) -> None:
    own = find(game).screen
    for topic in own.topics:
        shown = check(rules_page(game, own, topic), 0, 0)
        buttons = [part for part in walk_components(shown) if part["type"] == BUTTON]
        assert len(buttons) == len(own.topics)
        assert sum(bool(button["disabled"]) for button in buttons) == 1
    with pytest.raises(Unreadable):
        rules_page(game, own, "nothing")


def test_private_lines_and_questions_fit() -> None:
    check(note(say("error-internal")))
    check(confirm(say("ask-end"), "c.end", say("ask-end-yes")))


def test_a_screen_that_is_too_long_loses_its_oldest_spare_lines_first() -> None:
    line = say("story-line", name="x" * 500, story="y" * 400)
    first = say("story-line", name="first", story="z" * 400)
    last = say("story-line", name="last", story="z")
    screen = Screen(
        (
            Text((say("unnamed-person"),)),
            Text((first, *[line] * 6, last), spare=True),
            Text((say("unnamed-person"),)),
        )
    )
    shown = check(screen)
    text = "\n".join(part["content"] for part in walk_components(shown) if part["type"] == TEXT)
    assert "first" not in text
    assert "last" in text
    assert text.startswith("somebody") or len(PLAIN.languages) > 1
    # If no line can be left out, the longest text is cut.
    check(Screen((Text((say("story-line", name="x" * 9000, story=""),)), Text((say("unnamed-person"),)))))


def test_only_the_called_person_may_be_notified() -> None:
    for called, users in ((5, [5]), (None, [])):
        allowed = mentions(Screen((), mention=called)).to_dict()
        assert allowed["parse"] == []
        assert allowed.get("users", []) == users
        assert "roles" not in allowed


# Tokens.

TOKENS = st.text(
    alphabet=st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=MAX_TOKEN
)


@given(st.integers(0, (1 << 63) - 1), st.integers(0, (1 << 63) - 1), TOKENS)
def test_ids_are_read_back_as_they_were_written(game_id: int, version: int, token: str) -> None:
    button = ButtonId(game_id, version, token)
    text = str(button)
    assert len(text) <= MAX_LENGTH
    assert parse(text) == button


@given(st.text(max_size=120))
def test_any_text_is_an_id_or_unreadable(text: str) -> None:
    with suppress(Unreadable):
        button = parse(text)
        assert parse(str(button)) == button


def test_the_largest_id_fits() -> None:
    assert len(str(ButtonId((1 << 64) - 1, (1 << 64) - 1, "x" * MAX_TOKEN))) <= MAX_LENGTH


@pytest.mark.parametrize(
    ("text", "button"),
    [
        ("1:1:2:t", ButtonId(1, 2, "t")),
        ("1:ff:10:k3f", ButtonId(255, 16, "k3f")),
        ("1:1:0:l.join", ButtonId(1, 0, "l.join")),
        ("1:0:0:ru.tutto.game", ButtonId(0, 0, "ru.tutto.game")),
        ("1:a:b:c.leave", ButtonId(10, 11, "c.leave")),
        ("1:a:b:e.again", ButtonId(10, 11, "e.again")),
    ],
)
def test_the_form_is_fixed(text: str, button: ButtonId) -> None:
    """Old messages carry these ids: the form may be extended, but never changed."""
    assert parse(text) == button
    assert str(button) == text


def test_a_token_of_tutto_means_for_ever_what_it_means_now() -> None:
    own, entry = find("tutto").rules, find("tutto")
    state = own.initial(own.options({}), 2)
    assert entry.screen.press(state, "t") == Act(own.legal(state)[0])
    assert codec.dumps(own.action_to_json(entry.screen.press(state, "s").action)) == '{"type":"stop"}'  # type: ignore[union-attr]


def test_sessions_know_every_button_of_the_lobby() -> None:
    """Every button on a screen is one that the sessions handle."""
    from bot.sessions.lobby import BUTTONS, OF_REMATCHES

    for game, entry in GAMES.items():
        row = a_game(game=game, options=wide_options(game)[0])
        shown = check(now(screen_of(store_of(row), row)), row.id, 0)
        tokens = [parse(one["custom_id"]).token for one in buttons({"components": shown})]
        assert f"l.ai.{next(iter(entry.policies))}" in tokens
        for token in tokens:
            assert (
                token in (*BUTTONS, *OF_REMATCHES, OPTIONS, RULES, FAIR)
                or token.removeprefix("l.ai.") in entry.policies
            )


@pytest.mark.parametrize(
    ("seated", "asked", "said", "may_start"),
    [
        (1, 0, "lobby-wait", False),
        (1, 1, "lobby-asked-last", True),
        (1, 2, "lobby-asked", False),
        (2, 1, "lobby-asked-last", True),
        (2, 0, "lobby-ready", True),
        (3, 1, "lobby-asked", True),
    ],
)
def test_the_last_one_who_is_asked_to_play_again_may_start(
    seated: int, asked: int, said: str, may_start: bool
) -> None:
    from bot.screens.fairness import DiceSource
    from bot.screens.lobby import lobby

    people = [person(number, name) for number, name in enumerate(("Ann", "Ben", "Cleo", "Dora"), start=1)]
    screen = lobby(
        "tutto",
        (say("tutto-title", target=6000),),
        people[:seated],
        1,
        least=2,
        most=3,
        levels=(),
        dice=DiceSource("tutto", "ab" * 32),
        asked=people[seated : seated + asked],
    )
    keys = [line.key for block in screen.blocks if isinstance(block, Text) for line in block.lines]
    assert [key for key in keys if key in ("lobby-wait", "lobby-asked", "lobby-asked-last")] == (
        [] if said == "lobby-ready" else [said]
    )
    rows = [block for block in screen.blocks if isinstance(block, Buttons)]
    (start,) = (button for row in rows for button in row.buttons if button.token == START)
    assert start.disabled is not may_start


def test_a_turn_without_end_is_told_shortly() -> None:
    """However long a turn is, its narration stays short, with its beginning and its end."""
    from bot.games.tutto.state import Kept, Rolled

    own = find("tutto").screen
    lines: Any = ()
    for number in range(300):
        lines = own.narrate(lines, [Rolled(0, (1, 2, 3, 4, 6, 6)), Kept(0, (1,), number)])
    assert len(lines) == 1
    assert len(lines[0].pieces) < 30
    assert say("story-gap") in lines[0].pieces
    assert len(encoding.new_game_columns(replace(a_game(), lines=lines))["news"]) < 4000


def test_all_who_win_are_named() -> None:
    """Three at the top share the win: each is named, and each has the first place."""
    result = Result((5000, 5000, 100, 5000), (0, 1, 3), "target")
    assert result.places() == (1, 1, 4, 1)
    own = find("tutto")
    from bot.screens.result import ResultLine, finished

    seats = tuple(person(number, f"Player{number}") for number in range(4))
    outcomes = [
        ResultLine(number, place, result.scores[number], 900, {"tuttos": 1})
        for number, place in enumerate(result.places())
    ]
    screen = finished("tutto", own.screen, say("tutto-name"), seats, result, outcomes, rematch=False)
    texts = [
        PLAIN.text("en", line) for block in screen.blocks if isinstance(block, Text) for line in block.lines
    ]
    won = next(text for text in texts if "win" in text)
    assert all(name in won for name in ("Player0", "Player1", "Player3"))
    assert "Player2" not in won
    assert sum("🥇" in text for text in texts) == 3


@pytest.mark.parametrize("game", GAMES)
def test_a_line_of_the_result_leaves_out_what_a_seat_never_achieved(game: str) -> None:
    own = find(game)
    for feats in ({}, dict.fromkeys(own.counted, 0)):
        assert own.screen.result_columns(feats) == ()
    (column,) = own.screen.result_columns(dict.fromkeys(own.counted, 2))
    assert PLAIN.text("en", column).startswith("2 ")


@pytest.mark.parametrize(
    ("edition", "scores", "winners", "left", "losers"),
    [
        ("classic", (6000, 300, 100), (0,), (), ["Cem"]),
        ("classic", (6000, 300, 300), (0,), (), ["Ben", "Cem"]),
        # Seats that left have lost, and a Cloverleaf wins even with the fewest points.
        ("classic", (6000, 300, 100), (0,), (2,), ["Ben"]),
        ("classic", (500, 300, 100), (2,), (), []),
        ("classic", (500, 300, 100), (0,), (1, 2), []),
        ("modern", (6000, 300, 100), (0,), (), []),
    ],
)
def test_the_classic_leaflet_says_who_buys_a_round(
    edition: str, scores: tuple[int, ...], winners: tuple[int, ...], left: tuple[int, ...], losers: list[str]
) -> None:
    tutto, names = find("tutto"), [Name(name) for name in ("Ann", "Ben", "Cem")]
    result = Result(scores, winners, "target", left)
    said = tutto.screen.epilogue(tutto.rules.options({"edition": edition}), result, names)
    assert [dict(one.args)["name"] for one in said] == [Name(name) for name in losers]


def test_chips_are_as_few_as_possible() -> None:
    gambler = find("gambler")
    state = replace(gambler.rules.initial(gambler.rules.options({}), 2), scores=(80, 290))
    told = [PLAIN.text("en", one) for one in gambler.screen.owned(state)]
    assert told == ["🟡 ⚪ ⚪ ⚪", "🔵 🔵 🟡 ⚪ ⚪ ⚪ ⚪"]


def test_buttons_of_pages_in_old_messages_keep_their_ids() -> None:
    """The messages stay in Discord, whatever a page is called by now."""
    assert " ".join(sorted(Page)) == "ca da he hi lb op pl pr pz ru rv se sh sn st tb"
    assert Page.NOTIFICATIONS.token("o") == "ca.o"
