"""Arbitrary interactions are answered, change nothing they may not, and raise no error.

A real bot gets its interactions as its gateway would hand them over; only the sockets are missing.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import re
import sqlite3
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.desk import GUILD, command, component, message
from bot.discordpy import acknowledging, rate_limits
from bot.i18n.names import clean
from bot.screens.model import Buttons, Section
from bot.screens.settings import Choices, settings_form
from bot.services.guild_settings import game_settings
from bot.settings import Settings
from bot.store.guild_settings import declared, fits
from cogs import pages
from tests.screens.test_every_screen import KINDS, ODDS
from tests.soak.desk import PATIENCE, Desk, Faults
from tests.soak.soak import Bot
from tests.support.examples import examples

ANNA, BEN, STRANGER, MANAGER = 11, 12, 99, 98
LOBBY_CHANNEL, TABLE_CHANNEL, EMPTY_CHANNEL = 1000, 1001, 1002
MANAGE_GUILD = str(1 << 5)

quick = settings(max_examples=examples(100), deadline=None, suppress_health_check=list(HealthCheck))


class Errors(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(logging.Formatter().format(record))


class House:
    """A bot with a lobby in one channel and a running game in another."""

    def __init__(self, runner: asyncio.Runner, path: Any) -> None:
        self.path = path
        self.errors = Errors()
        logging.getLogger().addHandler(self.errors)
        self.now = 1_700_000_000.0
        # Runner.run prepares for Ctrl-C each time, which takes a tenth of these tests.
        self.run = runner.get_loop().run_until_complete
        self.run(self._begin())

    async def _begin(self) -> None:
        self.bot = Bot(
            Settings(database=self.path, emojis=False, step_by_step=False), lambda: self.now, think=_here
        )
        self.desk = Desk(self.bot, Faults(Random(1), 0.0), lambda: self.now)
        await self.desk.start()
        await self.desk.slash(LOBBY_CHANNEL, ANNA, "tutto", "start")
        await self.desk.slash(TABLE_CHANNEL, ANNA, "gambler", "start")
        await self.desk.press(TABLE_CHANNEL, BEN, 5, "1:2:0:l.join")
        await self.desk.press(TABLE_CHANNEL, ANNA, 5, "1:2:1:l.start")
        await self._quiet()
        self.reading = sqlite3.connect(self.path, isolation_level=None)
        assert self.rows("SELECT status FROM games") == [("lobby",), ("live",)]

    def send(self, payload: dict[str, Any]) -> dict[str, Any]:
        """Deliver an interaction; its answer, which there must be."""

        async def sent() -> dict[str, Any] | None:
            # A context of its own for every run: the desk's answers must be found in it.
            self.desk.resume()
            _, said = await self.desk.use(payload)
            # The loop does not run between two interactions, so this one must be finished.
            await self._quiet()
            return said

        self.errors.texts.clear()
        answer = self.run(sent())
        assert not self.errors.texts, self.errors.texts
        assert answer is not None, f"silence: {payload['data']}"
        return answer

    async def _quiet(self) -> None:
        if self.bot.running:
            _, unfinished = await asyncio.wait(self.bot.running, timeout=PATIENCE)
            assert not unfinished, f"this is never done: {unfinished}"

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return self.reading.execute(query).fetchall()

    @property
    def truth(self) -> list[Any]:
        """Everything that a stranger must not be able to change."""
        tables = ("seats", "moves", "settings", "results", "departures", "interactions")
        return [
            self.rows("SELECT id, status, version, state, draws, host_id, deadline FROM games"),
            *(self.rows(f"SELECT * FROM {table}") for table in tables),
        ]

    def close(self) -> None:
        self.reading.close()
        logging.getLogger().removeHandler(self.errors)
        self.run(self.bot.close())


async def _here(function: Any, *args: Any) -> Any:
    return function(*args)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    # On a busy machine an answer may take so long that it is announced first, which is tested elsewhere.
    with asyncio.Runner() as runner, pytest.MonkeyPatch.context() as patch:
        patch.setattr(acknowledging, "ACK_SECONDS", PATIENCE)
        # Time stands still here, so limits would never be lifted again.
        for name in ("PERSON", "SERVER", "PERSON_TYPING", "SERVER_TYPING"):
            patch.setattr(rate_limits, name, rate_limits.Rate(1e6, 1e6))
        house = House(runner, tmp_path_factory.mktemp("fuzz") / "games.db")
        yield house
        house.close()


def stranger(payload: dict[str, Any], permissions: str = "0", **member: Any) -> dict[str, Any]:
    payload["member"]["permissions"] = permissions
    payload["member"]["user"].update(member)
    return payload


numbers = st.sampled_from(["0", "1", "2", "3", "f" * 16, "7" + "f" * 15, "8" + "0" * 15, "-1", "00"])
words = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=12)
known = st.sampled_from(
    [
        "l.join",
        "l.leave",
        "l.start",
        "l.options",
        "l.set.",
        "l.ai.",
        "l.ai.casual",
        "l.no-ai",
        "l.cancel",
        "c.leave",
        "c.end",
        "c.remove.",
        "c.remove.zz",
        "c.remove.-1",
        "g.back",
        "g.vote",
        "g.odds",
        "e.again",
        "e.record",
        "e.review",
        "b",
        "t",
        "s",
        "r",
        "p01",
        "p56",
        "v",
        "k1",
        "vff",
        "k!",
    ]
)
paged = st.builds(
    lambda name, parts: ".".join([name, *parts]),
    st.deferred(lambda: st.sampled_from(sorted(pages._handlers))),
    st.lists(
        words | st.sampled_from(["all", "open", "set", "menu", "o", "0", "1", "tutto", "9" * 25]), max_size=5
    ),
)
ids = st.one_of(
    st.text(max_size=100),
    st.builds("1:{}:{}:{}".format, numbers, numbers, words | known | paged),
    st.builds("1:0:0:{}".format, paged),
    st.builds("{}:1:0:{}".format, words, known),
)


# What only players, the host or somebody with permissions may do; a stranger may do none of it.
JOINS = ("l.join", "e.again")


@quick
@given(custom_id=ids, channel=st.sampled_from([LOBBY_CHANNEL, TABLE_CHANNEL, EMPTY_CHANNEL]))
def test_any_id_from_a_stranger_is_answered_and_changes_nothing(
    house: House, custom_id: str, channel: int
) -> None:
    if custom_id.endswith(JOINS):
        return
    before = house.truth
    house.send(stranger(component(channel, STRANGER, message(5, channel, []), custom_id)))
    assert house.truth == before


@quick
@given(custom_id=ids, values=st.lists(st.text(max_size=30), max_size=30))
def test_any_choice_from_any_menu_of_a_stranger_changes_nothing(
    house: House, custom_id: str, values: list[str]
) -> None:
    if custom_id.endswith(JOINS):
        return
    before = house.truth
    payload = stranger(component(TABLE_CHANNEL, STRANGER, message(5, TABLE_CHANNEL, []), custom_id))
    payload["data"] |= {"component_type": 3, "values": values}
    house.send(payload)
    assert house.truth == before


entered = st.text(max_size=20) | st.sampled_from(
    ["auto", "de", "Europe/Berlin", "6000", "-1", "9" * 5000, "1" * 19, "ping", "classic", "rated"]
)


@quick
@given(
    group=st.sampled_from(["language", "tutto", "gambler", "games", "people"]) | words,
    fields=st.dictionaries(
        st.sampled_from([*declared(game_settings()), "switches"]) | words, st.lists(entered, max_size=27)
    ),
)
def test_any_value_for_a_setting_is_taken_if_it_fits_and_else_refused(
    house: House, group: str, fields: dict[str, list[str]]
) -> None:
    house.send(settings_submitted(house, group, fields))
    languages = house.bot.catalogue.languages
    for _, chosen, value in house.rows("SELECT * FROM settings"):
        assert fits(chosen, json.loads(value), languages, declared(game_settings()))


GROUPS: dict[str, dict[str, list[str]]] = {
    "language": {"language": ["auto"], "time_zone": ["UTC"]},
    "tutto": {"edition": ["current"], "target": ["6000"]},
    "gambler": {"gambler_stars": ["independent"], "gambler_target": ["500"]},
    "games": {"turn_seconds": ["600"], "switches": ["rated"]},
    "people": {"mentions": ["ping"], "tables": ["channel"], "channels": [], "starters": [], "seasons": []},
}
"""What the forms for settings hold at first."""


def settings_submitted(house: House, group: str, fields: dict[str, list[str]]) -> dict[str, Any]:
    """A form for settings, submitted by somebody who may change them."""
    shown = "0"
    if group in GROUPS:
        choices = Choices({}, (), game_settings())
        form = settings_form(house.bot.servers.of(GUILD), group, choices)
        shown = form.token.rpartition(".")[2]
    made = message(5, EMPTY_CHANNEL, [])
    payload = component(EMPTY_CHANNEL, MANAGER, made, f"1:0:0:se.set.{group}.{shown}"[:100])
    payload["type"] = 5
    controls = [
        {"type": 3, "custom_id": name, "values": values}
        for name, values in (GROUPS.get(group, {}) | fields).items()
    ]
    payload["data"] = {
        "custom_id": payload["data"]["custom_id"],
        "components": [{"type": 18, "component": control} for control in controls],
    }
    return stranger(payload, MANAGE_GUILD)


FORGED = (
    *("", "-1", "+1", "00", "1_0", " 1", "1.0", "1e3", "0x10", "x", "NaN", "None"),
    *("\u0663", "\u00b2", "\uff11", "\u0967\u0968", "1\u0663"),
    *("7" + "f" * 15, "8" + "0" * 15, "f" * 16, "f" * 17, "f" * 40),
    *(str(2**31), str(2**53), str(2**63 - 1), str(2**63), str(2**64), "9" * 19, "9" * 20, "9" * 40),
)
"""Numbers that no button has: too large, negative, in other digits, or no numbers."""

FORGED_AS_WELL = FORGED if examples(1) > 1 else ("", "-1", "x", "\u0663", "f" * 40, str(2**63), "9" * 40)
"""Those that a token's numbers are forged with at a table or a version that is wrong itself."""

_NUMBER = re.compile(r"(?<![a-z])[0-9a-f]*[0-9][0-9a-f]*(?![a-z])")


@cache
def shapes() -> dict[str, list[str]]:
    """The tokens of all pages and tables with ``#`` for each number, by how they begin."""
    made: set[str] = {
        "c.remove.#",
        "se.set.games.#",
        "se.set.people.#",
        "v#",
        "k#",
        "p#",
        "b#",
        "r",
        "s",
        "t",
        *LOBBY_TOKENS,
    }
    for kind, make in KINDS.items():
        for screen in make() if make and kind != ODDS else ():
            for block in screen.blocks:
                if isinstance(block, Buttons):
                    made |= {_NUMBER.sub("#", button.token) for button in block.buttons}
                elif isinstance(block, Section):
                    made.add(_NUMBER.sub("#", block.button.token))
    found: dict[str, list[str]] = {}
    for shape in sorted(made):
        found.setdefault(shape.partition(".")[0], []).append(shape)
    return found


LOBBY_TOKENS = ("l.leave", "l.start", "l.options", "l.set.#", "l.ai.#", "l.noai", "l.cancel")
PARTS = 12
"""Into so many tests the ids are divided, which several processes can share."""


def test_the_whole_grammar_of_ids_is_here() -> None:
    assert shapes().keys() >= set(map(str, pages._handlers))
    assert {"st.records.tutto.#", "he.open", "hi.r.#.#.n.s.#", "se.open.people"} <= {
        shape for found in shapes().values() for shape in found
    }


def few(shapes: list[str]) -> list[str]:
    """Return one of the tokens that ask for the same, with numbers in the same places."""
    kinds = {}
    for shape in shapes:
        words = shape.split(".")
        kinds[tuple(words[:2]), tuple(word == "#" for word in words), words[-1]] = shape
    return sorted(kinds.values())


@pytest.mark.parametrize("part", range(PARTS))
def test_each_forged_number_in_each_id_is_refused_in_words(house: House, part: int) -> None:
    before = house.truth
    for shape in itertools.chain.from_iterable(map(few, list(shapes().values())[part::PARTS])):
        ids = [
            f"1:{game}:{version}:{shape}"
            for game, version in (("0", "0"), ("2", "2"), ("#", "0"), ("2", "#"))
        ]
        for custom_id in ids:
            alone = custom_id.count("#") == shape.count("#")
            for place in range(custom_id.count("#")):
                for number in FORGED if alone or place == 0 else FORGED_AS_WELL:
                    pieces = custom_id.split("#")
                    filled = [number if at == place else "1" for at in range(len(pieces) - 1)] + [""]
                    text = "".join(map("".join, zip(pieces, filled, strict=True)))[:100]
                    if not text.endswith(JOINS):
                        house.send(
                            stranger(component(TABLE_CHANNEL, STRANGER, message(5, TABLE_CHANNEL, []), text))
                        )
    assert house.truth == before


@pytest.mark.parametrize("name", ["target", "gambler_target", "turn_seconds", "channels", "starters"])
@pytest.mark.parametrize(
    "value",
    [
        *("", "-1", "+600", " 600", "6_00", "600.0", "0x258", "\u0666\u0660\u0660", "\uff16\uff10\uff10"),
        *(str(2**63), "9" * 5000),
    ],
)
def test_a_number_in_another_notation_is_refused(house: House, name: str, value: str) -> None:
    before = house.rows("SELECT * FROM settings")
    group = next(group for group, fields in GROUPS.items() if name in fields)
    answer = house.send(settings_submitted(house, group, {name: [value]}))
    assert "nothing was changed" in json.dumps(answer)
    assert house.rows("SELECT * FROM settings") == before


def option(kind: int, names: tuple[str, ...], value: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """An option as Discord may send it: of its type, with any value, known to the command or not."""
    return st.fixed_dictionaries({"name": st.sampled_from(names), "type": st.just(kind), "value": value})


NAMES = (
    *("edition", "stars", "dice", "card", "aside", "target", "points"),
    *("game", "period", "sort", "where", "member", "to", "x"),
)
TEXTS = ("stop", "cloverleaf", "tutto", "gambler", "today", "wins", "server", "11", "1 5 5", "current")
options = st.lists(
    st.one_of(
        option(3, NAMES, st.text(max_size=40) | st.sampled_from(TEXTS)),
        option(
            4, NAMES, st.integers(-(2**53), 2**53) | st.sampled_from([2**63 - 1, 2**63, -(2**63) - 1, 2**64])
        ),
        option(5, NAMES, st.booleans()),
        # People whom Discord has not looked up.
        option(
            6, NAMES, st.integers(0, 2**53).map(str) | st.sampled_from([str(ANNA), str(2**63), str(2**64)])
        ),
        option(3, NAMES, st.sampled_from(FORGED)),
        option(10, NAMES, st.floats(allow_nan=False)),
    ),
    max_size=4,
)
COMMANDS = [
    "tutto show",
    "tutto leave",
    "tutto end",
    "tutto remove",
    "tutto handover",
    "tutto rules",
    "tutto odds",
    "leaderboard",
    "stats",
    "history",
    "help",
    "settings",
    "privacy",
    "gone",
    "tutto gone",
    "gambler review",
]


@quick
@given(path=st.sampled_from(COMMANDS), given_options=options)
def test_any_options_of_any_command_are_answered(house: House, path: str, given_options: list[Any]) -> None:
    """Also commands of an earlier version, which a client may still offer."""
    before = house.truth
    payload = stranger(command(LOBBY_CHANNEL, STRANGER, *path.split()))
    inner = payload["data"]
    while inner.get("options"):
        inner = inner["options"][0]
    inner["options"] = given_options
    house.send(payload)
    assert house.truth == before


@pytest.mark.parametrize(
    ("path", "options"),
    [
        ("tutto odds", {"dice": "11", "card": "stop"}),
        ("tutto odds", {"dice": 11}),
        ("tutto odds", {"dice": "11", "points": "many"}),
        ("tutto start", {"edition": "newest"}),
        ("tutto start", {"edition": 1}),
        ("tutto start", {"target": "6000"}),
        ("gambler start", {"stars": "some"}),
        ("leaderboard", {"game": "chess"}),
        ("leaderboard", {"period": "never"}),
        ("leaderboard", {"sort": 3}),
        ("stats", {"game": ""}),
        ("history", {"where": "everywhere"}),
        ("stats", {"member": "somebody"}),
        ("stats", {"member": ANNA}),
        ("tutto remove", {"member": "somebody"}),
        ("tutto handover", {"member": str(ANNA), "to": "somebody"}),
    ],
)
def test_an_option_that_is_not_offered_is_refused(house: House, path: str, options: dict[str, Any]) -> None:
    before = house.truth
    answer = house.send(command(EMPTY_CHANNEL, STRANGER, *path.split(), **options))
    assert "can’t make sense of that" in json.dumps(answer, ensure_ascii=False)
    assert house.truth == before


NASTY = (
    "**bold**",
    "<@1> @everyone",
    "||spoiler||",
    "```",
    "a\u202eb",
    "\u0627\u0644\u0639",
    "\u200b\u200d",
    "\U0001f3b2" * 40,
    "\ud800",
    "\udfff\ud800x",
    "x" * 32,
    "\u0301" * 32,
    "[a](http://b)",
    "\n# big",
    "",
    " ",
    "{name}",
    "%s",
)


@quick
@given(
    name=st.sampled_from(NASTY) | st.text(st.characters(), max_size=40),
    locale=st.sampled_from(["pt-BR", "de", "xx", "", "en-US", "\u0000"]) | st.text(max_size=8),
)
def test_any_name_in_any_language_can_join_and_leave(house: House, name: str, locale: str) -> None:
    payload = component(LOBBY_CHANNEL, STRANGER, message(5, LOBBY_CHANNEL, []), "1:1:0:l.join")
    payload["member"]["nick"] = name or None
    payload["guild_locale"] = payload["locale"] = locale
    answer = house.send(stranger(payload, global_name=name))
    assert answer["type"] == 7
    assert (clean(name) or f"u{STRANGER}",) in house.rows("SELECT name FROM seats WHERE user_id = 99")
    away = component(LOBBY_CHANNEL, STRANGER, message(5, LOBBY_CHANNEL, []), "1:1:1:l.leave")
    away["locale"] = locale
    house.send(stranger(away, global_name=name))
    assert house.rows("SELECT name FROM seats WHERE user_id = 99") == []
