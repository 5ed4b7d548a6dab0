"""Leaderboards, settings, statistics, history and privacy, through commands and buttons."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from simcord import MemberActor

from bot.discordpy.membership import KNOWN_SECONDS
from bot.games import codec
from bot.records.game_log import read_log
from bot.records.verification import verify_line
from bot.registry import find
from bot.services import luck_backfill
from bot.services.data_retention import KEEP_SECONDS
from bot.standings.mastery import stored
from bot.store.base import FINISHED, LIVE, LOBBY, Change
from bot.store.people import TO_ERASE
from bot.strategy.skill import Measured, Skill
from cogs import history
from tests.support import screen
from tests.support.databases import traces
from tests.support.rows import a_game, a_result
from tests.support.screen import Message
from tests.support.world import World, fields, opened, private, reply, said

MANAGES = discord.Permissions(manage_guild=True)


async def over(world: World, *people: MemberActor, times: int = 1, **options: Any) -> None:
    """Whole games, one after the other."""
    for _ in range(times):
        await world.begin(*people, **options)
        await world.play()


async def result(
    world: World, *users: int, at: float = 0.0, guild_id: int | None = None, **given: Any
) -> int:
    """A finished game without a log, the users best first; its id."""
    store = world.bot.store
    channel = 1_000_000 + world.count("games")
    row = await store.create(a_game(channel, *users, guild_id=guild_id or world.guild.id, **given), None)
    results = [a_result(seat, user, place=seat + 1, score=1000 - seat) for seat, user in enumerate(users)]
    at = at or world.bot.sessions.now()
    done = replace(row, status=FINISHED, version=row.version + 1, updated_at=at)
    await store.commit(Change(done, row.version, None, results=results))
    await store.mark_shown(replace(done, message_id=1, shown_version=done.version), urgent=False)
    return row.id


class Page:
    """A private page, which is turned by clicks on its own buttons and menus."""

    def __init__(self, world: World, who: MemberActor, shown: Any) -> None:
        assert reply(shown).ephemeral
        self.world, self.who, self.last = world, who, shown
        self._id = reply(shown).id

    @property
    def message(self) -> Message:
        return self.world.message(self._id)

    @property
    def text(self) -> str:
        return screen.text_of(self.message)

    @property
    def labels(self) -> list[str]:
        return screen.labels(self.message)

    async def click(self, which: str) -> str:
        self.last = await self.world.click(self.who, self.message, which)
        return self.text

    async def open_newest(self) -> str:
        """Click the button beside the first game of a list."""
        ids = [one["custom_id"] for one in screen.buttons(self.message) if ":hi.g." in one["custom_id"]]
        return await self.click(ids[0])

    async def form(self, group: str) -> Any:
        """Open the form for a group of settings."""
        return await self.world.click(self.who, self.message, f"1:0:0:se.open.{group}")

    async def change(self, group: str, **values: Any) -> str:
        """Change settings of a group with its form."""
        self.last = await self.world.submit(self.who, await self.form(group), **values)
        return self.text


async def open_page(world: World, who: MemberActor, command: str, **options: Any) -> Page:
    return Page(world, who, await world.slash(who, command, options.pop("channel", None), **options))


# Leaderboards.


async def test_leaderboards_by_period_and_sort(world: World) -> None:
    """There is one list per period and column, each a click away."""
    now = world.bot.sessions.now()
    anna, ben, chiara = world.anna.id, world.ben.id, world.chiara.id
    for person in (world.anna, world.ben, world.chiara):
        await world.bot.store.note_member(world.guild.id, person.id, person.user._user.global_name or "")
    for _ in range(5):
        await result(world, chiara, anna, at=now - 400 * 86_400)
    await result(world, ben, anna, at=now)
    shown = said(await world.slash(world.anna, "leaderboard"))
    assert r"1\. **Chiara** · 5 wins in 5 games (100%)" in shown
    assert r"2\. **Ben** · 1 win in 1 game (100%)" in shown
    await world.press(world.anna, "Today")
    assert "Chiara" not in world.text()
    assert r"1\. **Ben** · 1 win" in world.text()
    assert "(UTC)" in world.text()
    await world.press(world.anna, "Win rate")
    assert "Nobody is on this list yet" in world.text()
    await world.press(world.anna, "All time")
    assert "Ben" not in world.text()  # a single game is no rate
    assert r"1\. **Chiara** · **100%** · 5 wins in 5 games" in world.text()
    await world.press(world.anna, "Rating")
    assert sum(r"\. **" in line for line in world.text().splitlines()) == 3
    by_choice = said(await world.slash(world.anna, "leaderboard", period="day", sort="rating"))
    assert "Chiara" not in by_choice


async def test_today_is_the_servers_today(world: World) -> None:
    now = world.bot.sessions.now()
    midnight = now - now % 86_400
    await result(world, world.anna.id, world.ben.id, at=midnight - 3600)
    assert "Nobody" in said(await world.slash(world.anna, "leaderboard", period="day"))
    await world.bot.servers.choose(world.guild.id, "time_zone", "America/Los_Angeles", now)
    shown = said(await world.slash(world.anna, "leaderboard", period="day"))
    assert r"1\. **" in shown
    assert "America/Los_Angeles" in shown


async def test_the_page_with_the_persons_own_place(world: World) -> None:
    for number in range(14):
        await result(world, 9000 + number, world.ben.id)
    await world.slash(world.anna, "leaderboard")
    before = world.text()
    answer = await world.press(world.ben, "Where am I?")
    assert "👉" in private(answer)
    assert world.text() == before  # nobody else's page is turned
    assert "You’re not on this list" in private(await world.press(world.chiara, "Where am I?"))


async def test_a_page_past_the_end_is_the_last_one(world: World) -> None:
    await over(world, world.anna, world.ben)
    await world.slash(world.anna, "leaderboard")
    before = world.text()
    await world.forge(world.ben, "1:0:0:lb.tutto.all.wins.99999.n")
    assert world.text() == before
    await world.forge(world.ben, "1:0:0:lb.tutto.wins.3.n")  # from before there were periods
    assert world.text() == before
    for token in ("lb.tutto.all.wins.-1.n", "lb.tutto.year.wins.0.n", "lb.tutto.all.wins", "lb"):
        assert "no longer works" in private(await world.forge(world.ben, f"1:0:0:{token}"))
    assert "no game called" in private(await world.forge(world.ben, "1:0:0:lb.chess.all.wins.0.n"))


async def test_a_person_who_left_the_server_is_hidden_until_they_are_back(world: World) -> None:
    await over(world, world.anna, world.ben)
    assert "Ben" in said(await world.slash(world.anna, "leaderboard"))
    world.guild.remove_member(world.ben)
    await world.settle()
    await world.later(KNOWN_SECONDS + 1)
    for sort in ("wins", "rating", "best"):
        assert "Ben" not in said(await world.slash(world.anna, "leaderboard", sort=sort))
    world.guild.add_member(world.ben.user)
    await world.settle()
    await world.later(KNOWN_SECONDS + 1)
    assert "Ben" in said(await world.slash(world.anna, "leaderboard"))


async def test_nobody_is_hidden_when_discord_does_not_say(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await over(world, world.anna, world.ben)
    world.guild.remove_member(world.ben)

    async def silent(*args: Any, **kwargs: Any) -> Any:
        raise TimeoutError

    monkeypatch.setattr(discord.Guild, "query_members", silent)
    assert "Ben" in said(await world.slash(world.anna, "leaderboard"))


async def test_a_new_name_shows_at_once(world: World) -> None:
    """Names that Discord has just sent are shown, though the people have not played since."""
    await over(world, world.anna, world.ben)
    world.anna.user._user.global_name = "Anna the Second"
    world.ben.user._user.global_name = "Ben the Third"
    shown = said(await world.slash(world.ben, "stats", member=world.anna))
    assert "Anna the Second" in shown
    assert "Anna the Second" in said(await world.slash(world.anna, "stats"))
    board = said(await world.slash(world.chiara, "leaderboard"))
    assert "Anna the Second" in board
    assert "Ben the Third" in board
    assert "Ben the Third" in said(await world.slash(world.anna, "stats"))


async def test_two_people_of_one_name_are_told_apart(world: World) -> None:
    other = world.person("Anna")
    await over(world, world.anna, world.ben)
    await over(world, other, world.ben)
    board = said(await world.slash(world.ben, "leaderboard"))
    for one in (world.anna, other):
        assert f"Anna ({one.user._user.name})" in board.replace("\\", "")
    await world.lobby(world.anna, other)
    assert f"Anna ({other.user._user.name})" in world.text().replace("\\", "")


async def test_turning_pages_asks_discord_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even while Discord does not answer: otherwise each page would wait a second for it."""
    asked = []
    query = discord.Guild.query_members

    async def counted(guild: discord.Guild, *args: Any, **kwargs: Any) -> Any:
        asked.append(guild.id)
        return await query(guild, *args, **kwargs)

    async def silent(guild: discord.Guild, *args: Any, **kwargs: Any) -> Any:
        asked.append(guild.id)
        raise TimeoutError

    await over(world, world.anna, world.ben)
    for answer in (counted, silent):
        asked.clear()
        monkeypatch.setattr(discord.Guild, "query_members", answer)
        for sort in ("wins", "rating", "best", "wins"):
            await world.slash(world.anna, "leaderboard", sort=sort)
        assert len(asked) == 1
        await world.later(KNOWN_SECONDS + 1)
    asked.clear()
    await world.slash(world.anna, "leaderboard")
    assert len(asked) == 1


async def test_a_busy_connection_is_not_asked(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """After 110 gateway messages in a minute the library waits before it sends the next one."""

    async def forbidden(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("asked")

    await over(world, world.anna, world.ben)
    busy = SimpleNamespace(is_ws_ratelimited=lambda: True)
    monkeypatch.setattr(world.bot, "get_shard", lambda _: busy)
    monkeypatch.setattr(discord.Guild, "query_members", forbidden)
    assert "Ben" in said(await world.slash(world.anna, "leaderboard"))


async def test_a_leaderboard_needs_no_privileged_intent(world: World) -> None:
    assert not world.bot.intents.members
    assert not world.bot.intents.presences
    assert not world.bot.intents.message_content


# Settings.


async def boss(world: World) -> MemberActor:
    return world.person("Boss", permissions=MANAGES)


async def test_settings_show_values_explain_and_go_back(world: World) -> None:
    page = await open_page(world, await boss(world), "settings")
    assert "**Time zone** · UTC" in page.text
    assert "When “today”" in page.text
    assert page.labels == ["Change"] * 5
    await page.change("tutto", edition="classic")
    assert "**Tutto: edition** · classic edition" in page.text
    assert page.labels == [*["Change"] * 5, "↺ Tutto: edition"]
    await page.click("↺ Tutto: edition")
    assert "**Tutto: edition** · current edition" in page.text
    assert world.bot.servers.of(world.guild.id) == world.bot.servers.defaults


async def test_every_setting_can_be_changed(world: World) -> None:
    page = await open_page(world, await boss(world), "settings")
    second = world.guild.create_text_channel("tables")
    role = world.guild.create_role("Hosts")
    await page.change("language", language="en", time_zone="america/argentina/buenos aires")
    await page.change("tutto", edition="modern", target="10000")
    await page.change("gambler", gambler_stars="distinct", gambler_target="300", switches=["gambler_choose"])
    await page.change("games", turn_seconds="0", switches=[])
    await page.change("people", mentions="name", channels=[second], starters=[role])
    chosen = world.bot.servers.of(world.guild.id)
    assert chosen.time_zone == "America/Argentina/Buenos_Aires"
    assert (chosen.rated, chosen.mentions, chosen.language) == (False, "name", "en")
    assert (chosen.value("target"), chosen.turn_seconds) == (10_000, 0)
    assert (chosen.channels, chosen.starters) == ((second.id,), (role.id,))
    assert f"**Channels** · <#{second.id}>" in page.text
    assert f"**Who may start** · <@&{role.id}>" in page.text
    assert "**Turn limit** · No turn limit" in page.text
    assert len(page.labels) == 5 + 13
    await world.restart()
    assert world.bot.servers.of(world.guild.id) == chosen
    # What is chosen is chosen in the form as well, and the rest stays.
    form = await page.form("people")
    assert fields(form)["mentions"] == "name"
    assert [one.id for one in fields(form)["channels"]] == [second.id]
    await page.change("people", channels=[], starters=[])
    assert (await open_page(world, page.who, "settings")).text == page.text
    assert world.bot.servers.of(world.guild.id) == replace(chosen, channels=(), starters=())


async def test_the_right_to_set_is_checked_with_every_click(world: World) -> None:
    who = await boss(world)
    page = await open_page(world, who, "settings")
    form = await page.form("games")
    for token in ("se.open.games", "se.reset.rated"):
        refused = await world.forge(world.anna, f"1:0:0:{token}", page.message)
        assert "You need Manage Server to change the settings" in private(refused)
    role = next(
        role for role in world.env.backend.guilds[world.guild.id].roles.values() if "Boss" in role.name
    )
    role.permissions = 0
    assert "You need Manage Server" in private(await world.submit(who, form, switches=[]))
    assert world.bot.servers.of(world.guild.id).rated


@pytest.mark.parametrize(
    "token",
    [
        "se.set.games.0",
        "se.set.colours.0",
        "se.open.colours",
        "se.reset.colour",
        "se",
        # Buttons and menus of earlier versions.
        "se.all",
        "se.open",
        "se.set.hints.off",
        "se.menu.target",
        "se.reset.hints.o",
    ],
)
async def test_a_forged_or_old_setting_is_refused(world: World, token: str) -> None:
    who = await boss(world)
    page = await open_page(world, who, "settings")
    result = await world.forge(who, f"1:0:0:{token}", page.message)
    assert private(result)
    assert result.modal is None
    assert world.bot.servers.of(world.guild.id) == world.bot.servers.defaults


async def test_a_form_with_one_wrong_value_changes_nothing(world: World) -> None:
    page = await open_page(world, await boss(world), "settings")
    await page.change("language", language="de", time_zone="Zurch")
    assert "I don’t know the time zone “Zurch”, so nothing was changed." in private(page.last)
    assert "`Europe/Zurich`" in private(page.last)
    assert world.bot.servers.of(world.guild.id) == world.bot.servers.defaults


async def test_a_form_does_not_take_back_what_somebody_else_has_set(world: World) -> None:
    page = await open_page(world, await boss(world), "settings")
    form = await page.form("tutto")
    await page.change("tutto", target="2000")
    late = await world.submit(page.who, form, edition="classic")
    assert "Someone else has changed these settings in the meantime" in private(late)
    chosen = world.bot.servers.of(world.guild.id)
    assert (chosen.value("target"), chosen.value("edition")) == (2000, "current")


async def test_new_games_follow_the_settings(world: World) -> None:
    for name, value in (("edition", "modern"), ("target", 3000), ("turn_seconds", 3600), ("rated", False)):
        await world.bot.servers.choose(world.guild.id, name, value, 0.0)
    await world.slash(world.anna, "tutto start")
    row = await world.row()
    assert row.options.to_json() == {"edition": "modern", "target": 3000}
    assert (row.turn_seconds, row.rated) == (3600, False)
    # What is said with the command goes before.
    await world.press(world.anna, "Close the table")
    await world.slash(world.anna, "tutto start", edition="classic", target=1000, rated=True)
    row = await world.row()
    assert (row.options.to_json(), row.rated) == ({"edition": "classic", "target": 1000}, True)


async def test_games_start_only_where_and_by_whom_the_server_allows(world: World) -> None:
    other = world.guild.create_text_channel("tables")
    hosts = world.guild.create_role("Hosts")
    host = world.guild.add_member(world.env.create_user("host", global_name="Host"), roles=[hosts])
    await over(world, world.anna, world.ben)
    await world.bot.servers.choose(world.guild.id, "channels", [other.id], 0.0)
    assert f"played in <#{other.id}>" in private(await world.slash(world.anna, "tutto start"))
    assert f"played in <#{other.id}>" in private(await world.press(world.anna, "Rematch"))
    await world.slash(world.anna, "tutto start", other)
    assert (await world.row(channel=other)).status == LOBBY
    await world.bot.servers.choose(world.guild.id, "channels", None, 0.0)
    await world.bot.servers.choose(world.guild.id, "starters", [hosts.id], 0.0)
    assert f"only <@&{hosts.id}>" in private(await world.slash(world.anna, "tutto start"))
    await world.slash(host, "tutto start")
    assert (await world.row()).status == LOBBY
    await world.press(world.anna, "Join")  # anybody may join
    await world.press(host, "Close the table")
    await world.slash(await boss(world), "tutto start")
    assert (await world.row()).status == LOBBY


async def chosen_in_form(page: Page, name: str) -> list[int]:
    return [one.id for one in fields(await page.form("people"))[name]]


@pytest.mark.parametrize(
    ("name", "gone"), [("channels", "None of the channels chosen"), ("starters", "None of the roles chosen")]
)
async def test_choices_that_were_deleted(world: World, name: str, gone: str) -> None:
    """They are no defaults of menus, and if none is left, all channels count: otherwise nobody could start a
    game.
    """
    who = await boss(world)
    others = (
        [world.guild.create_text_channel(f"tables-{place}") for place in range(2)]
        if name == "channels"
        else [world.guild.create_role(f"Hosts {place}") for place in range(2)]
    )
    backend = world.env.backend
    delete = backend.delete_channel if name == "channels" else partial(backend.delete_role, world.guild.id)
    await world.bot.servers.choose(world.guild.id, name, [one.id for one in others], 0.0)
    page = await open_page(world, who, "settings")
    assert await chosen_in_form(page, name) == [one.id for one in others]
    delete(others[0].id)
    await world.settle()
    page = await open_page(world, who, "settings")
    assert str(others[0].id) not in page.text
    assert await chosen_in_form(page, name) == [others[1].id]
    assert gone not in page.text
    refused = private(await world.slash(world.anna, "tutto start"))
    assert str(others[1].id) in refused
    assert str(others[0].id) not in refused
    delete(others[1].id)
    await world.settle()
    page = await open_page(world, who, "settings")
    assert gone in page.text
    assert await chosen_in_form(page, name) == []
    result = await world.slash(world.anna, "tutto start")
    assert gone in private(result)
    assert (await world.row()).status == LOBBY
    # Reset, there is nothing to say any more.
    await page.click(f"1:0:0:se.reset.{name}")
    assert gone not in page.text
    await world.press(world.anna, "Close the table")
    assert private(await world.slash(world.anna, "tutto start")) == ""


async def test_a_rematch_says_too_that_the_chosen_channels_were_deleted(world: World) -> None:
    await over(world, world.anna, world.ben)
    other = world.guild.create_text_channel("tables")
    await world.bot.servers.choose(world.guild.id, "channels", [other.id], 0.0)
    world.env.backend.delete_channel(other.id)
    await world.settle()
    assert "None of the channels chosen" in private(await world.press(world.anna, "Rematch"))


async def test_a_form_of_settings_that_discord_does_not_open(world: World) -> None:
    """As if Discord knew before the bot that a channel is gone: the form then comes without defaults."""
    await world.bot.servers.choose(world.guild.id, "channels", [world.channel.id], 0.0)
    page = await open_page(world, await boss(world), "settings")
    world.tries = 3
    world.fail("POST", "/interactions/*/callback", 500)
    form = await page.form("people")
    assert fields(form)["channels"] == []
    page.last = await world.submit(page.who, form, mentions="name", channels=[], starters=[])
    settings = world.bot.servers.of(world.guild.id)
    assert settings.mentions == "name"
    assert settings.channels == (world.channel.id,), "it was left empty, so it stays as it is"
    world.fail("POST", "/interactions/*/callback", 500, times=2)
    assert "Please click again" in private(await page.form("people"))
    assert "↺ Channels" in page.labels


async def test_people_are_called_by_name_if_the_server_wants_it(world: World) -> None:
    await world.bot.servers.choose(world.guild.id, "mentions", "name", 0.0)
    await world.begin(world.anna, world.ben)
    await world.later(120)
    posted = len(world.messages())
    while await world.mover() is world.anna:
        await world.press(world.anna, world.careful())
    assert len(world.messages()) == posted + 1  # a fresh table for Ben, who may be away
    assert not world.table()["mentions"]
    assert f"<@{world.ben.id}>" not in world.text()
    assert "Ben" in world.text()


async def test_a_language_the_server_chose_goes_before_discords(world: World) -> None:
    world.guild_locales[world.guild.id] = "ja"
    await world.bot.servers.choose(world.guild.id, "language", "en", 0.0)
    await world.begin(world.anna, world.ben)
    assert (await world.row()).locale == "en"


# Statistics.


async def test_statistics_with_a_picture(world: World) -> None:
    await over(world, world.anna, world.ben, times=2)
    shown = await world.slash(world.anna, "stats")
    text = said(shown)
    assert not reply(shown).ephemeral
    assert "**2 games**" in text
    assert "Rating **" in text
    assert "Most played with: **Ben** (2 games" in text
    _, picture = await opened(world, shown)
    assert picture.startswith(b"\x89PNG")
    await world.press(world.chiara, "Records of this server")
    assert "records of this server" in world.text()
    assert world.table()["attachments"] == []
    assert "**2 games**" in said(await world.slash(world.chiara, "stats", member=world.ben))


async def test_skill_and_luck_have_a_picture_from_the_fifth_game_with_an_account(world: World) -> None:
    measured = [Measured(0, Skill(1, 20, 0.05, 0.001, luck)) for luck in (0.2, -0.2)]
    for number in range(1, 6):
        game = await result(world, world.anna.id, world.ben.id)
        await world.slash(world.anna, "stats")
        assert pictures(world) == ["rating.png"] * (number > 1)
        await world.bot.store.set_luck(game, 1, measured)
    await world.restart()
    await world.slash(world.anna, "stats")
    assert pictures(world) == ["rating.png", "skill.png"]
    # The page is edited by its buttons, and loses no picture.
    await world.press(world.chiara, "Records of this server")
    assert pictures(world) == []
    await world.press(world.chiara, "← Back")
    assert pictures(world) == ["rating.png", "skill.png"]


def pictures(world: World) -> list[str]:
    """Return the names of the pictures on the page."""
    return [one["filename"] for one in screen.files(world.table())]


async def test_luck_comes_after_the_game(world: World) -> None:
    """It is worked out once, in the background, even if the game ended right before the bot stopped."""
    people = [world.anna, world.ben]
    await over(world, *people)
    await world.settle()
    luck = dict(world.query("SELECT user_id, luck FROM results"))
    assert set(luck) == {world.anna.id, world.ben.id}
    assert all(value is not None for value in luck.values())
    entry = find("tutto")
    assert entry.measure is not None
    log = await read_log(world.bot.store, await world.row())
    measured = entry.measure(log.options, 2, log.opening, log.moves)
    assert [luck[person.id] for person in people] == [one.luck for one in measured]
    assert dict(world.query("SELECT user_id, skill FROM results")) == {
        person.id: codec.dumps(stored(one)) for person, one in zip(people, measured, strict=True)
    }
    points = luck[world.anna.id]
    key = "above" if points > 0 else "below"
    assert f"Luck: **{abs(points):,}** points {key} average (1 game)" in said(
        await world.slash(world.anna, "stats")
    )
    assert "Plays like: **" in said(await world.slash(world.anna, "stats"))
    assert "Wins without luck: **" in said(await world.slash(world.ben, "stats"))
    await damage(world, "UPDATE results SET luck = NULL, skill = NULL, measured = 0")
    lucky = world.query("SELECT user_id, feats FROM totals WHERE period = 'all'")
    measures = {name for one in measured for name in stored(one) or {}}
    names = ", ".join(f"'$.{name}'" for name in ("luck", "luck_games", *measures))
    await damage(world, f"UPDATE totals SET feats = json_remove(feats, {names})")
    await world.restart()
    await world.later(luck_backfill.FIRST_SECONDS)
    await world.settle()
    assert dict(world.query("SELECT user_id, luck FROM results")) == luck
    assert world.query("SELECT user_id, feats FROM totals WHERE period = 'all'") == lucky


async def test_people_see_their_own_chances_only(world: World) -> None:
    """Against one person, against their usual opponents, and beside the ratings; nobody else sees them."""
    people = [world.anna, world.ben, world.chiara]
    for one in people:
        await world.bot.store.note_member(world.guild.id, one.id, one.user._user.global_name or "")
    await result(world, *(one.id for one in people))
    ben = await world.slash(world.chiara, "stats", member=world.ben)
    assert "Against **Ben**: too early to say" in private(await world.press(world.anna, "My chances"))
    strengths = f"CASE user_id WHEN {world.anna.id} THEN 32 ELSE 25 END"
    await damage(world, f"UPDATE totals SET mu = {strengths}, sigma = 2")
    assert "Against **Ben** you win about **53** of 100" in private(
        await world.press(world.anna, "My chances")
    )
    own = private(await world.press(world.ben, "My chances"))
    assert "Against **Anna** you win about **47** of 100" in own
    assert "Against **Chiara** you win about **50** of 100" in own
    board = await world.slash(world.chiara, "leaderboard", sort="rating")
    mine = private(await world.press(world.ben, "Where am I?"))
    assert mine.count("You win about 47 of 100") == mine.count("You win about 50 of 100") == 1
    own_page = Page(world, world.ben, await world.press(world.ben, "Where am I?"))
    assert "You win" not in await own_page.click("Wins")
    assert (await own_page.click("Rating")).count("You win about") == 2
    assert "of 100" not in said(ben)
    assert "You win" not in said(board)
    await world.bot.store.set_unlisted(world.guild.id, world.anna.id, "Anna", True)
    token = f"1:0:0:st.forecasts.tutto.{world.anna.id:x}"
    assert "Anna has chosen not to show" in private(await world.forge(world.ben, token))
    await world.slash(world.chiara, "stats", member=world.ben)
    assert "Anna" not in private(await world.press(world.ben, "My chances"))
    # It is not too early to say anything about somebody who has left, or was deleted.
    await world.bot.store.set_unlisted(world.guild.id, world.anna.id, "Anna", False)
    await world.bot.store.set_present(world.guild.id, {world.anna.id: False}, 0.0)
    assert "Anna isn’t in this server any more" in private(await world.forge(world.ben, token))
    await world.slash(world.chiara, "stats", member=world.ben)
    assert "Anna" not in private(await world.press(world.ben, "My chances"))
    await world.bot.store.erase(world.anna.id)
    assert "somebody has not finished a game" in private(await world.forge(world.ben, token))


async def test_records_of_the_server_with_links(world: World) -> None:
    await over(world, world.anna, world.ben)
    row = await world.row()
    await world.slash(world.anna, "stats")
    await world.press(world.chiara, "Records of this server")
    best = max(one.best_turn for one in await world.bot.store.results(row.id))
    assert f"Best turn: **{best:,} points**" in world.text()
    assert f"https://discord.com/channels/{world.guild.id}/{row.channel_id}/{row.message_id}" in world.text()
    await world.press(world.ben, "← Back")
    assert "Anna" in world.text()


async def test_statistics_are_of_a_game_that_was_played(world: World) -> None:
    await result(world, world.anna.id, world.ben.id, game="gambler")
    await world.slash(world.anna, "stats")
    assert "Anna · Gambler" in world.text()
    assert "has not finished a game of Tutto" in private(await world.slash(world.anna, "stats", game="tutto"))
    alone = await world.press(world.anna, "Against AIs")
    assert "Anna has not finished a game of Gambler against AIs that counts here yet" in private(alone)


async def test_statistics_of_nobody(world: World) -> None:
    assert "Anna has not finished a game that counts here yet" in private(
        await world.slash(world.anna, "stats")
    )
    assert "Anna has not finished a game of Gambler that counts here yet" in private(
        await world.slash(world.anna, "stats", game="gambler")
    )
    stranger = world.env.create_user("stranger", global_name="Stra*nger")
    elsewhere = world.env.create_guild("Other").add_member(stranger)
    del elsewhere
    assert "has not finished a game that counts here yet" in private(
        await world.slash(world.anna, "stats", member=stranger)
    )
    await over(world, world.anna, world.ben)
    await world.slash(world.anna, "stats")
    for user in ("0", "ffff", "x", "1" * 17):
        answer = await world.forge(world.ben, f"1:0:0:st.person.tutto.{user}")
        assert "has not finished" in private(answer) or "no longer works" in private(answer)
    assert "no game called" in private(await world.forge(world.ben, "1:0:0:st.person.chess.1"))


async def test_a_hidden_person_shows_no_statistics(world: World) -> None:
    await over(world, world.anna, world.ben)
    page = await open_page(world, world.ben, "privacy")
    await page.click("Hide me on leaderboards")
    assert "you are no longer on the leaderboards" in page.text
    assert "Ben has chosen not to show their statistics" in private(
        await world.slash(world.anna, "stats", member=world.ben)
    )
    own = await world.slash(world.ben, "stats")
    assert "**1 game**" in private(own)
    assert "Ben" not in said(await world.slash(world.anna, "leaderboard"))
    assert "Ben" not in said(await world.slash(world.anna, "stats"))
    await page.click("Show me on leaderboards")
    assert "Ben" in said(await world.slash(world.anna, "leaderboard"))


# History.


async def test_a_game_is_opened_replayed_checked_and_taken_along(world: World) -> None:
    await over(world, world.anna, world.ben)
    row = await world.row()
    page = await open_page(world, world.chiara, "history")
    assert "Tutto" in page.text
    await page.open_newest()
    assert "wins!" in page.text
    assert {"Replay", "Record", "Check the dice", "← Back"} <= set(page.labels)
    await page.click("Replay")
    assert "Turn 0 of" in page.text
    turns = 0
    entry = find("tutto")
    log = await read_log(world.bot.store, row)
    expected = [entry.rules.scores(played.state) for played in replace(log, moves=()).replay()]
    assert expected
    while "Turn →" in page.labels:
        await page.click("Turn →")
        turns += 1
        assert f"Turn {turns} of" in page.text
    assert "wins!" in page.text
    assert turns == entry.rules.turns(await world.state())
    for seat, points in enumerate(entry.rules.scores(await world.state())):
        assert f"{('Anna', 'Ben')[seat]} · {points:,}" in page.text.replace("*", "")
    await page.click("Start")
    assert "Turn 0 of" in page.text
    await page.click("End")
    await page.click("← Back")
    await page.click("Check the dice")
    assert f"{len(log.moves)} moves by the rules" in page.text
    assert row.secret.hex() in page.text
    await page.click("Record")
    _, text = await opened(world, page.last)
    assert verify_line(text.decode()).moves == len(log.moves)


async def test_the_history_shows_the_newest_games_first_by_pages(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "PAGE", 2)
    await over(world, world.anna, world.ben, times=3)
    page = await open_page(world, world.chiara, "history")
    assert page.labels == ["Open", "Open", "Older →", "The whole server"]
    first = screen.buttons(page.message)[0]["custom_id"]
    assert f"hi.g.{(await world.row()).id:x}." in first
    await page.click("Older →")
    assert page.labels == ["Open", "← Newer", "The whole server"]
    await page.click("← Newer")
    assert len(page.labels) == 4
    # Where there is nothing are the newest.
    await world.forge(world.chiara, "1:0:0:hi.l.o.c.1", page.message)
    assert page.labels == ["Open", "Open", "Older →", "The whole server"]
    for scope in ("c", "s"):
        page = await open_page(world, world.chiara, "history", where=scope)
        pages = [games_of(page)]
        while "Older →" in page.labels:
            await page.click("Older →")
            pages.append(games_of(page))
        listed = [game for games in pages for game in games]
        assert listed == sorted(set(listed), reverse=True)
        assert len(listed) == world.count("games")
        assert len(pages) == -(-len(listed) // 2)
        # A new game moves nothing on the pages that are open.
        await over(world, world.anna, world.ben)
        await page.open_newest()
        await page.click("← Back")
        for games in reversed(pages[1:]):
            assert games_of(page) == games
            await page.click("← Newer")
        assert games_of(page) == pages[0]
        await page.click("← Newer")
        assert len(games_of(page)) == 2
        assert games_of(page)[1:] == pages[0][:1]
        assert "← Newer" not in page.labels
    assert "no longer works" in private(
        await world.forge(world.chiara, "1:0:0:hi.l.o.c.99999999999999999999", page.message)
    )


def games_of(page: Page) -> list[int]:
    """The ids of the games on a page of the list."""
    ids = [one["custom_id"] for one in screen.buttons(page.message)]
    return [int(one.split(".")[2], 16) for one in ids if ":hi.g." in one]


async def test_history_leaves_out_channels_that_the_person_can_not_see(world: World) -> None:
    role = world.guild.create_role("Secret")
    secret = world.guild.create_text_channel(
        "secret",
        overwrites={
            world.guild.default_role: discord.PermissionOverwrite(view_channel=False),
            role: discord.PermissionOverwrite(view_channel=True),
        },
    )
    insider = world.guild.add_member(world.env.create_user("insider", global_name="Insider"), roles=[role])
    game = await result(world, world.anna.id, 2)
    await damage(world, "UPDATE games SET channel_id = ? WHERE id = ?", secret.id, game)
    page = await open_page(world, insider, "history", where="s")
    assert f"hi.g.{game:x}." in screen.buttons(page.message)[0]["custom_id"]
    await page.open_newest()
    assert "That game doesn’t exist" not in private(page.last)
    outside = await open_page(world, world.ben, "history", where="s")
    assert "No game has finished here yet" in outside.text
    answer = await world.forge(world.ben, f"1:0:0:hi.g.{game:x}.s.0", outside.message)
    assert "That game doesn’t exist" in private(answer)


async def test_games_of_other_servers_and_hidden_channels_are_never_shown(world: World) -> None:
    elsewhere = await result(world, 1, 2, guild_id=4711)
    hidden = await result(world, world.anna.id, 2)  # its channel is one that nobody here sees
    page = await open_page(world, world.ben, "history", where="s")
    assert "No game has finished here yet" in page.text
    for game in (elsewhere, hidden, 999_999):
        for token in (f"g.{game:x}", f"r.{game:x}.0.a", f"d.{game:x}", f"f.{game:x}"):
            answer = await world.forge(world.ben, f"1:0:0:hi.{token}.s.0", page.message)
            assert "That game doesn’t exist" in private(answer)
    # Who has played in it sees it.
    own = await open_page(world, world.anna, "history", where="s")
    assert f"hi.g.{hidden:x}." in screen.buttons(own.message)[0]["custom_id"]


async def test_no_link_leads_to_a_channel_that_one_does_not_see(world: World) -> None:
    """People who played there and lost the role see the game, but not its channel; records are public."""
    secret = world.guild.create_text_channel(
        "secret", overwrites={world.guild.default_role: discord.PermissionOverwrite(view_channel=False)}
    )
    await over(world, world.anna, world.ben)
    row = await world.row()
    link = f"https://discord.com/channels/{world.guild.id}/{row.channel_id}/{row.message_id}"
    page = await open_page(world, world.anna, "history", where="s")
    assert f"<#{row.channel_id}>" in page.text
    await page.open_newest()
    assert link in page.text
    await damage(world, "UPDATE games SET channel_id = ? WHERE id = ?", secret.id, row.id)
    await world.restart()
    page = await open_page(world, world.anna, "history", where="s")
    assert f"{secret.id}" not in page.text
    await page.open_newest()
    assert "🏆" in page.text or "won" in page.text
    assert f"{secret.id}" not in page.text
    await world.slash(world.anna, "stats")
    await world.press(world.chiara, "Records of this server")
    assert "Best turn" in world.text()
    assert f"{secret.id}" not in world.text()


async def test_a_hidden_person_is_not_named_in_the_history(world: World) -> None:
    """Not in the list, and not in a game, its replay or record; only the person sees their own name."""
    await over(world, world.anna, world.ben)
    await (await open_page(world, world.ben, "privacy")).click("Hide me on leaderboards")
    for where in ("c", "s"):
        page = await open_page(world, world.chiara, "history", where=where)
        assert "Anna" in page.text
        assert "Ben" not in page.text
        await page.open_newest()
        assert "Anna" in page.text
        assert "Ben" not in page.text
    await page.click("Replay")
    assert "Ben" not in page.text
    page = await open_page(world, world.ben, "history")
    assert "Ben" in page.text
    await page.open_newest()
    assert "Ben" in page.text


async def test_a_running_game_is_not_in_the_history(world: World) -> None:
    """Its seed must not be shown before it is over."""
    await world.begin(world.anna, world.ben)
    row = await world.row()
    for token in ("g", "f", "d"):
        answer = await world.forge(world.anna, f"1:0:0:hi.{token}.{row.id:x}.c.0")
        assert "That game doesn’t exist" in private(answer)
        assert row.secret.hex() not in private(answer)


async def test_a_damaged_log_stops_the_replay_and_says_so(world: World) -> None:
    await over(world, world.anna, world.ben, target=4000)
    row = await world.row()
    move = (await world.bot.store.moves(row.id))[8]
    await damage(
        world, "UPDATE moves SET chance = '[{' WHERE game_id = ? AND number = ?", row.id, move.number
    )
    page = await open_page(world, world.anna, "history")
    await page.open_newest()
    await page.click("Replay")
    await page.click("End")
    assert "The replay stops here" in page.text
    assert "wins!" not in page.text
    await page.click("← Back")
    await page.click("Check the dice")
    assert "can’t confirm this game" in page.text
    await page.click("Record")
    assert "is damaged" in private(page.last)
    await damage(world, "DELETE FROM moves WHERE game_id = ? AND number >= ?", row.id, move.number)
    await page.click("Record")
    assert "is damaged" in private(page.last)
    await damage(world, "UPDATE games SET options = '7', state = '{' WHERE id = ?", row.id)
    page = await open_page(world, world.anna, "history")
    await page.open_newest()
    assert "can’t show the end of this game" in page.text
    await page.click("Replay")
    assert "The replay stops here" in page.text
    await page.click("← Back")


async def damage(world: World, statement: str, *values: Any) -> None:
    """Change the database without the bot, and let it compute everything again."""
    world.bot.derived._kept.clear()
    await world.written()
    world.execute(statement, *values)


async def test_how_to_check_a_game(world: World) -> None:
    page = await open_page(world, world.anna, "tutto fair")
    assert "seal" in page.text
    assert "python -m bot verify" in page.text
    await page.click("Choose a game to check")
    assert "Finished games in this channel" in private(page.last)


# Privacy.


async def test_deleting_everything_about_a_person(world: World) -> None:
    """Even during a game and in a lobby elsewhere: the person leaves these first."""
    people = [world.anna, world.ben, world.chiara]
    await over(world, *people)
    finished = await world.row()
    before = said(await world.slash(world.anna, "stats", member=world.ben))
    other = world.guild.create_text_channel("tables")
    await world.begin(*people)
    await world.lobby(world.anna, world.ben, channel=other)
    page = await open_page(world, world.anna, "privacy")
    assert "What I store about you" in page.text
    await page.click("Delete my data…")
    assert "You’re in 2 games right now" in page.text
    assert world.count("totals") == 12  # nothing happens before it is confirmed
    await page.click("Delete everything about me")
    assert "Everything about you is deleted" in page.text
    running, lobby = await world.row(), await world.row(channel=other)
    assert running.status == LIVE
    assert [seat.user_id for seat in running.seats] == [None, world.ben.id, world.chiara.id]
    assert running.host_id == world.ben.id
    assert (lobby.status, [seat.name for seat in lobby.seats]) == (LOBBY, ["Ben"])
    for table in ("members", "totals", "records", "seats", "results"):
        assert not world.query(f"SELECT 1 FROM {table} WHERE user_id = ?", world.anna.id), table
    assert traces(world.path, world.anna.id, "Anna") == []
    # The others play on, and their numbers are what they were.
    assert "somebody" in world.text() or "Anna" not in world.text()
    await world.play()
    assert (await world.row()).status == FINISHED
    assert "has not finished" in private(await world.slash(world.anna, "stats"))
    assert len(await world.bot.store.results(finished.id)) == 3
    assert "**1 game**" in before


async def test_an_operator_has_people_deleted(world: World) -> None:
    """Also after a backup was restored; somebody who plays at that time leaves first."""
    await over(world, world.anna, world.ben)
    await world.begin(world.anna, world.ben, world.chiara)
    for person in (world.anna.id, 4242):
        await world.bot.store.set_meta(f"{TO_ERASE}{person}", "")
    await world.bot.retention.round()
    assert traces(world.path, world.anna.id, "Anna") == []
    assert [seat.user_id for seat in (await world.row()).seats] == [None, world.ben.id, world.chiara.id]
    assert await world.bot.store.to_erase() == ()


async def test_deletion_does_not_wait_for_discord(world: World) -> None:
    """A person may sit at many tables, each of which Discord may be slow to show without them."""
    await world.begin(world.anna, world.ben, world.chiara)
    async with world.bot.painter._lock_of((await world.row()).id):
        await asyncio.wait_for(world.bot.erase(world.anna.id), 5)
        assert not world.query("SELECT 1 FROM seats WHERE user_id = ?", world.anna.id)
    await world.bot.painter._retries.finished()
    assert "somebody" in world.text()


async def test_a_game_that_ends_with_a_deletion_does_not_name_the_person(world: World) -> None:
    await world.begin(world.anna, world.ben)
    page = await open_page(world, world.anna, "privacy")
    await page.click("Delete my data…")
    before = len(world.requests("PATCH"))
    await page.click("Delete everything about me")
    assert (await world.row()).status == FINISHED
    assert "somebody" in world.text()
    assert not [one for one in world.requests("PATCH")[before:] if "Anna" in str(one.json)]


async def test_a_game_closes_when_its_last_person_deletes_their_data(world: World) -> None:
    await world.begin(world.anna, ais=1)
    page = await open_page(world, world.anna, "privacy")
    await page.click("Delete my data…")
    assert "You’re in a game right now" in page.text
    await page.click("Delete everything about me")
    row = await world.row()
    assert row.status == "ended"
    assert not world.query("SELECT 1 FROM seats WHERE user_id = ?", world.anna.id)
    assert not world.query("SELECT 1 FROM games WHERE host_id = ?", world.anna.id)


async def test_a_damaged_game_does_not_keep_anybody_from_leaving(world: World) -> None:
    await world.begin(world.anna, world.ben)
    await damage(world, "UPDATE games SET state = '{' WHERE id = ?", (await world.row()).id)
    page = await open_page(world, world.anna, "privacy")
    await page.click("Delete my data…")
    await page.click("Delete everything about me")
    assert "Everything about you is deleted" in page.text
    assert not world.query("SELECT 1 FROM seats WHERE user_id = ?", world.anna.id)


async def test_deletion_can_be_cancelled(world: World) -> None:
    await over(world, world.anna, world.ben)
    page = await open_page(world, world.anna, "privacy")
    await page.click("Delete my data…")
    await page.click("Keep my data")
    assert "What I store about you" in page.text
    assert "**1 game**" in said(await world.slash(world.anna, "stats"))


async def test_my_data_as_a_file(world: World) -> None:
    await over(world, world.anna, world.ben)
    page = await open_page(world, world.anna, "privacy")
    await page.click("Download my data")
    assert page.last.response is not None
    assert page.last.response.ephemeral
    name, text = await opened(world, page.last)
    assert name in private(page.last)
    data = json.loads(text)
    assert data["user_id"] == str(world.anna.id)
    (game,) = data["games"]
    assert game["name"] == "Anna"
    assert len(game["moves"]) == len([move for move in await world.log() if move[1] == 0])
    assert "Ben" not in json.dumps(data)


async def test_a_rematch_asks_nobody_who_was_erased(world: World) -> None:
    await over(world, world.anna, world.ben, world.chiara)
    end = world.table()
    page = await open_page(world, world.ben, "privacy")
    await page.click("Delete my data…")
    await page.click("Delete everything about me")
    await world.click(world.anna, end, "Rematch")
    assert [seat.user_id for seat in (await world.row()).seats] == [world.anna.id]
    assert "Chiara: another game?" in world.text()


async def test_the_data_of_a_removed_server_goes_after_30_days(world: World) -> None:
    other = world.env.create_guild("Other")
    await result(world, 1, 2, guild_id=other.id)
    await over(world, world.anna, world.ben)
    await world.settle()
    world.env.backend.emit("GUILD_DELETE", {"id": str(other.id), "unavailable": True})
    await world.settle()
    assert await world.bot.store.departures() == {}  # an outage
    world.env.backend.emit("GUILD_DELETE", {"id": str(other.id)})
    await world.settle()
    assert list(await world.bot.store.departures()) == [other.id]
    world.fail("GET", f"/guilds/{other.id}", 404, 10004, times=None)
    await damage(world, "UPDATE departures SET at = at - ?", KEEP_SECONDS - 7200)
    del world.env.backend.guilds[other.id]
    await world.restart()
    await world.later(3 * 3600)
    # Nothing has confirmed the clock since the start.
    assert other.id in await world.bot.store.known_guilds()
    await world.slash(world.anna, "tutto fair")
    await world.later(3700)
    assert await world.bot.store.known_guilds() == (world.guild.id,)


async def test_a_server_that_comes_back_keeps_everything(world: World) -> None:
    other = world.env.create_guild("Other")
    await result(world, 1, 2, guild_id=other.id)
    await world.slash(world.anna, "tutto fair")  # the clock is certain from here on
    world.env.backend.emit("GUILD_DELETE", {"id": str(other.id)})
    await world.settle()
    assert list(await world.bot.store.departures()) == [other.id]
    from simcord.backend import serializers

    payload = serializers.guild_create_payload(world.env.backend, world.env.backend.guilds[other.id])
    world.env.backend.emit("GUILD_CREATE", dict(payload))
    await world.settle()
    assert await world.bot.store.departures() == {}
    assert other.id in await world.bot.store.known_guilds()
