"""Games with each language on either side: public texts are in the server's, private ones in the client's.

A text is recognised by the catalogues: it is in the languages that have a message it can have been made of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from simcord import InteractionResult, MemberActor
from simcord.enums import ComponentType

from bot.games.core import Unreadable
from bot.i18n.catalogue import Catalogue
from bot.registry import GAMES, find
from bot.screens.model import Act
from bot.store.base import FINISHED
from tests.cogs.test_look import illustrated
from tests.i18n.test_catalogue import TEXTS
from tests.support import screen
from tests.support.examples import shortest
from tests.support.screen import Message
from tests.support.world import World, reply

LANGUAGES = Catalogue({}).languages
PAIRINGS = [
    pytest.param(game, *pair, id="-".join([*pair, game]))
    for game in GAMES
    for pair in pairwise([*LANGUAGES, LANGUAGES[0]])
]

_PLACE = re.compile(r"\{\w+\}")
_BETWEEN = re.compile(r" → | · |\n")


@cache
def _shapes(language: str) -> tuple[frozenset[str], re.Pattern[str]]:
    """Texts of a language without placeholders, and the forms of those with some; none without words."""
    plain, forms = set(), set()
    for key, texts in TEXTS[language].items():
        if key.startswith(("name-", "choice-", "cmd-")):
            continue
        for part in {part for text in texts for part in _BETWEEN.split(text)}:
            if not re.search(r"[^\W\d_]{3}", _PLACE.sub("", part)):
                continue
            if _PLACE.search(part):
                pieces = [re.escape(one) for one in _PLACE.split(part)]
                forms.add(".+".join(pieces))
            else:
                plain.add(part)
    return frozenset(plain), re.compile("|".join(sorted(forms)))


@cache
def languages_of(part: str) -> frozenset[str]:
    """The languages that have a message which reads like this."""
    found = set()
    for language in LANGUAGES:
        plain, forms = _shapes(language)
        if part in plain or forms.fullmatch(part):
            found.add(language)
    return frozenset(found)


def parts(message: Message) -> Iterator[str]:
    """All texts of a message in small pieces: texts, labels, placeholders, descriptions of pictures."""
    for one in screen.walk(message):
        texts = [one.get("content"), one.get("label"), one.get("placeholder")]
        texts += [item.get("description") for item in one.get("items", ())]
        texts += [
            text for option in one.get("options", ()) for text in (option["label"], option.get("description"))
        ]
        for text in filter(None, texts):
            yield from filter(None, _BETWEEN.split(screen.read(text)))


class Reader:
    """Reads messages and holds them to a language."""

    def __init__(self) -> None:
        self.certain = 0
        """How many pieces could be of one language only."""

    def reads(self, message: Message, language: str) -> None:
        before = self.certain
        for part in parts(message):
            found = languages_of(part)
            assert not found or language in found, f"{part!r} is {sorted(found)}, not {language}"
            self.certain += found == {language}
        assert self.certain > before, f"nothing in {language}: {list(parts(message))}"


def test_pieces_are_recognised() -> None:
    assert languages_of("-# Herausgelegt 1️⃣ 5️⃣") == {"de"}
    assert languages_of("So far this turn: **350** points, not banked yet") == {"en"}
    assert languages_of("Tocca a te") == languages_of("12345") == languages_of("👉 **Anna**") == set()


def told(result: InteractionResult) -> list[Message]:
    """The messages that an interaction brought for one person's eyes."""
    found = [one for one in (result.response, *result.followups) if one and one.ephemeral]
    return [{"components": one.components, "content": one.content} for one in found]


@pytest.mark.parametrize(("game", "server", "client"), PAIRINGS)
async def test_a_whole_game_speaks_to_all_in_one_language_and_to_each_in_theirs(
    world: World, game: str, server: str, client: str
) -> None:
    everybody, alone = Reader(), Reader()
    if game == "gambler":
        # What the server has chosen counts more than what it speaks in Discord.
        world.guild_locales[world.guild.id] = client
        await world.bot.servers.choose(world.guild.id, "language", server, 0.0)
    else:
        world.guild_locales[world.guild.id] = server
    world.locales |= {one.id: client for one in (world.anna, world.ben, world.chiara)}

    async def forward() -> str:
        """The id of a button that brings the game on: what is played for the absent, if it is there."""
        entry, state = find(game), await world.state()
        moves = {}
        for token, custom_id in world.tokens().items():
            with suppress(Unreadable):
                pressed = entry.screen.press(state, token)
                if isinstance(pressed, Act):
                    moves[pressed.action] = custom_id
        wanted = entry.absent.choose(state, Random(0))
        return moves.get(wanted) or next(iter(moves.values()))

    async def asks(who: MemberActor, command: str, **options: Any) -> None:
        result = await world.slash(who, command, **options)
        messages = told(result)
        assert messages, command
        for message in messages:
            alone.reads(message, client)

    async def is_told(who: MemberActor, custom_id: str) -> None:
        for message in told(await world.click(who, world.table(), custom_id)):
            alone.reads(message, client)

    async def acts(who: MemberActor, custom_id: str) -> None:
        result = await world.press(who, custom_id)
        assert result.acknowledged
        assert not told(result)
        for message in world.messages():
            everybody.reads(message, server)

    await world.slash(world.anna, f"{game} start", **shortest(find(game).rules))
    await acts(world.ben, world.tokens()["l.join"])
    await is_told(world.ben, world.tokens()["l.start"])  # only the host may
    form = await world.press(world.anna, world.tokens()["l.options"])
    assert form.modal is not None
    for field in form.modal["components"]:
        alone.reads({"components": [{"type": 10, "content": field["label"]}]}, client)
    await world.submit(world.anna, form, turn_seconds="0")
    await acts(world.anna, world.tokens()["l.start"])
    for command in (f"{game} rules", f"{game} fair", "help", "privacy", f"{game} leave", "stats"):
        await asks(world.ben, command)
    for _ in range(400):
        who = await world.mover()
        if who is None:
            break
        if everybody.certain % 3 == 0:
            await is_told(world.chiara, await forward())
            if find(game).advice is not None:
                for message in told(await world.press_more(world.chiara, "g.odds")):
                    alone.reads(message, client)
        await acts(who, await forward())
    row = await world.row()
    assert row.status == FINISHED
    found = await illustrated(world, str(row.message_id))
    everybody.reads(
        {"components": [{"type": ComponentType.TEXT_DISPLAY, "content": found["description"]}]}, server
    )
    everybody.reads(world.table(), server)
    tokens = world.tokens()
    await is_told(world.ben, tokens["e.record"])
    if "e.review" in tokens:
        await is_told(world.ben, tokens["e.review"])
    await asks(world.ben, "history")
    for command in ("leaderboard", "stats"):
        result = await world.slash(world.ben, command, game=game)
        assert not reply(result).ephemeral
        everybody.reads({"components": reply(result).components}, server)
    await world.click(world.ben, world.message(str(row.message_id)), tokens["e.again"])
    everybody.reads(world.table(), server)
    assert everybody.certain > 100
    assert alone.certain > 30
