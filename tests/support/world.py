"""A small Discord in one process, with the real bot in it: people, a channel, and what they see and do."""

from __future__ import annotations

import itertools
import re
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import discord
import orjson
import simcord
from simcord import ChannelHandle, Env, GuildHandle, InteractionResult, MemberActor, ResponseMessage
from simcord.backend import serializers
from simcord.backend.models import Overwrite
from simcord.enums import ComponentType, InteractionType, OverwriteType

from bot.client import DiceBot
from bot.games import codec
from bot.i18n.say import say
from bot.registry import find
from bot.screens.button_ids import parse
from bot.sessions.request import Click
from bot.sessions.session import GameSession
from bot.store import encoding
from bot.store.base import LIVE, GameRow, intact
from bot.store.sqlite.store import SqliteStore
from tests.support import screen
from tests.support.invited import grant_invited
from tests.support.screen import Message, Which
from tests.support.values import not_none

SEED = bytes(range(32))
"""The source of dice and cards, unless a test names another one."""

TURN = "Turn a card and roll"


class World:
    """One guild with one channel, Anna, Ben and Chiara, and the bot. ``locales`` holds what clients speak."""

    def __init__(self, env: Env, make_bot: Callable[[], DiceBot], path: Path) -> None:
        self.env = env
        self.path = path
        self.locales: dict[int, str] = {}
        self.guild_locales: dict[int, str] = {}
        self.seed = SEED
        self.delivered: Counter[int] = Counter()
        """How often each interaction reached the bot."""
        self.unanswered: set[int] = set()
        """Interactions that a test expects to end without a visible answer."""
        self.tries = 1
        """How often the bot may try to answer one interaction; more than once only where answers fail."""
        self._make_bot = make_bot
        self._people: dict[int, MemberActor] = {}
        self._forged = itertools.count(1)
        env.backend.subscribers.insert(0, self._listen)
        self._settle_seed()
        self.guild: GuildHandle = env.create_guild()
        grant_invited(env.backend, self.guild._guild)
        self.channel: ChannelHandle = self.guild.create_text_channel("dice-games")
        self.anna, self.ben, self.chiara = (self.person(name) for name in ("Anna", "Ben", "Chiara"))

    # ------------------------------------------------------------------ people and places

    def person(
        self,
        name: str,
        *,
        guild: GuildHandle | None = None,
        locale: str | None = None,
        permissions: discord.Permissions | None = None,
        **user: Any,
    ) -> MemberActor:
        """Add a member to the guild, with a role of their own if they hold ``permissions``."""
        guild = guild or self.guild
        made = self.env.create_user(f"user{len(self.env.backend.users)}", global_name=name, **user)
        roles = [guild.create_role(f"{name}'s", permissions=permissions)] if permissions else []
        if locale:
            self.locales[made.id] = locale
        self._people[made.id] = guild.add_member(made, roles=roles)
        return self._people[made.id]

    def people(self, number: int) -> list[MemberActor]:
        """Return Anna, Ben, Chiara, and as many new members as ``number`` needs."""
        known = [self.anna, self.ben, self.chiara][:number]
        return known + [self.person(f"Guest {place}") for place in range(len(known), number)]

    # ------------------------------------------------------------------ the bot

    @property
    def bot(self) -> DiceBot:
        bot = self.env.bot
        assert isinstance(bot, DiceBot)
        return bot

    async def restart(self, *, crashed: bool = False) -> None:
        """Stop the bot and start a fresh one on the same database.

        If it ``crashed``, the old one does not write what it had postponed.
        """
        old = self.bot
        store = not_none(old._store)
        if crashed:
            await self.env.settle(idle=0.001)
            # A crash ends what works in the background too; here it would find the database closed.
            await old.stop_services()
            assert isinstance(store, SqliteStore)
            await store.reading.close()
            await store._thread.close()
            old._store = None
        await self.env.restart_bot(self._make_bot())
        await old.close()
        self._settle_seed()

    def _settle_seed(self) -> None:
        self.bot.sessions.new_secret = self.bot.daily.new_secret = lambda: self.seed

    @property
    def ai_name(self) -> str:
        """Return the name of the AI that lobbies in these tests add."""
        level = next(iter(find("tutto").policies))
        return self.bot.catalogue.text("en", say(f"ai-{level}"))

    def session(self, channel: ChannelHandle | None = None) -> GameSession:
        return self.bot.sessions.at((channel or self.channel).id)

    async def settle(self) -> None:
        await self.env.settle(idle=0.001)

    async def later(self, seconds: float) -> None:
        await self.env.advance_time(seconds)

    def fail(self, method: str, path: str, status: int, code: int = 0, times: int | None = 1) -> None:
        """Let the bot's next requests of this kind fail."""
        self.env.inject_error(method, path, status=status, code=code, times=times)

    def heal(self) -> None:
        """Let all requests succeed again."""
        self.env.backend.faults.clear()

    def deny(self, *permissions: str, channel: ChannelHandle | None = None) -> None:
        """Take permissions in a channel from the bot; without names, give all of them back."""
        bits = discord.Permissions(**dict.fromkeys(permissions, True)).value
        bot = self.env.backend.bot_user.id
        overwrite = Overwrite(target_id=bot, type=OverwriteType.MEMBER, allow=0, deny=bits)
        self.env.backend.set_overwrite((channel or self.channel).id, overwrite)

    def requests(self, method: str, ending: str = "") -> list[Any]:
        """Return the requests that the bot has made with this method, to a path with this ending."""
        return [one for one in self.env.http_requests if one.method == method and one.path.endswith(ending)]

    # ------------------------------------------------------------------ what is kept

    async def row(self, game_id: int | None = None, channel: ChannelHandle | None = None) -> GameRow:
        """Return a game as it is stored, by default the channel's latest."""
        await self.written()
        store = self.bot.store
        row = await (
            store.game(game_id) if game_id is not None else store.latest_game((channel or self.channel).id)
        )
        assert row is not None
        return row

    async def is_shown(self, channel: ChannelHandle | None = None) -> bool:
        """Return whether the channel's latest game is shown as it is stored."""
        row = await self.row(channel=channel)
        return row.shown_version == row.version

    async def written(self) -> None:
        """Wait until the store has written all that was passed to it, unless the test postpones that."""
        if not SqliteStore.lazy_seconds:
            store: Any = self.bot._store
            await store.write_postponed()

    async def state(self) -> Any:
        row = await self.row()
        return intact(row.state)

    def query(self, text: str, *values: Any) -> list[tuple[Any, ...]]:
        """Read from the database file."""
        with closing(sqlite3.connect(self.path)) as connection:
            return connection.execute(text, values).fetchall()

    def execute(self, text: str, *values: Any) -> None:
        """Write into the database file without the bot."""
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute(text, values)
        self.bot.store.forget()  # type: ignore[attr-defined]

    def count(self, table: str) -> int:
        return int(self.query(f"SELECT count(*) FROM {table}")[0][0])

    # ------------------------------------------------------------------ what people see

    def messages(
        self, channel: ChannelHandle | None = None, viewer: MemberActor | None = None
    ) -> list[Message]:
        """Return the messages of a channel that everybody (or the viewer) sees, oldest first."""
        stored = sorted(self.env.backend.messages.get((channel or self.channel).id, {}).items())
        viewer_id = viewer.id if viewer else None
        return [self.payload(message) for _, message in stored if message.visible_to(viewer_id)]

    def table(self, channel: ChannelHandle | None = None) -> Message:
        """Return the newest message with buttons that everybody sees."""
        return next(one for one in reversed(self.messages(channel)) if screen.buttons(one))

    def text(self, channel: ChannelHandle | None = None) -> str:
        return screen.text_of(self.table(channel))

    def labels(self, channel: ChannelHandle | None = None) -> list[str]:
        """Return the labels of the table's enabled buttons."""
        return [label for label in screen.labels(self.table(channel)) if label]

    def message(self, message_id: str | int) -> Message:
        stored = next(
            (messages[int(message_id)])
            for messages in self.env.backend.messages.values()
            if int(message_id) in messages
        )
        return self.payload(stored)

    def payload(self, stored: Any) -> Message:
        """Return a message of the backend in the form that the bot receives."""
        return sent(serializers.message_payload(self.env.backend, stored))

    # ------------------------------------------------------------------ what people do

    async def slash(
        self, who: MemberActor, command: str, channel: ChannelHandle | None = None, **options: Any
    ) -> InteractionResult:
        return await who.slash(channel or self.channel, command, **options)

    async def press(
        self, who: MemberActor, which: Which, channel: ChannelHandle | None = None
    ) -> InteractionResult:
        """Press a button of the table, found by its label or the beginning of it."""
        return await self.click(who, self.table(channel), which)

    async def press_more(
        self, who: MemberActor, token: str, channel: ChannelHandle | None = None
    ) -> InteractionResult:
        """Press the button of this token on the private page behind the table's "More"."""
        opened = await self.press(who, screen.with_id(":g.more"), channel)
        assert opened.response is not None, private(opened)
        assert opened.response.ephemeral
        return await self.click(who, self.message(opened.response.id), screen.with_id(f":{token}"))

    async def click(self, who: MemberActor, message: Message, which: Which) -> InteractionResult:
        """Press a button of a message as a client would: it must exist and be visible and enabled."""
        message = self.message(message["id"])
        if isinstance(which, str) and not any(
            which in (one.get("label"), one["custom_id"]) for one in screen.buttons(message)
        ):
            begins = which
            which = lambda one: (one.get("label") or "").startswith(begins)  # noqa: E731
        found = screen.button(message, which)
        stored = self.env.backend.get_message(int(message["channel_id"]), int(message["id"]))
        shown = ResponseMessage(self.env, stored)
        if "menu" in found:
            return await who.select(shown, [found["custom_id"]], custom_id=found["menu"])
        return await who.click(shown, custom_id=found["custom_id"])

    async def submit(self, who: MemberActor, opened: InteractionResult, **values: Any) -> InteractionResult:
        """Submit the form that a click has opened, with ``values`` by name; the others stay as they are."""
        given = fields(opened)
        for name, value in values.items():
            in_menu = isinstance(given[name], list) and isinstance(value, str)
            given[name] = [value] if in_menu else value
        return await who.submit_modal(opened, given)

    async def set_options(self, who: MemberActor, **values: Any) -> InteractionResult:
        """Choose options of the channel's lobby, by name."""
        return await self.submit(who, await self.press(who, "Options"), **values)

    async def confirmed(self, who: MemberActor, command: str, **options: Any) -> InteractionResult:
        """Use a command that asks first, and press the button of its question."""
        asked = await self.slash(who, command, **options)
        question = not_none(asked.response)
        assert question.ephemeral
        (label,) = screen.labels(self.message(question.id))
        return await who.click(question, label=label)

    def send(
        self, who: MemberActor, message: Message, which: Which | None = None, *, custom_id: str = ""
    ) -> InteractionResult:
        """Click on a message as a person saw it: it may have changed, and may never have had the button.

        Return before the bot has handled the click, so that several calls are clicks at the same time.
        """
        pressed = {"custom_id": custom_id} if which is None else screen.button(message, which)
        data = screen.click_data(pressed)
        result, payload = self._interaction(who, InteractionType.MESSAGE_COMPONENT, message, data)
        payload["message"] = sent(message)
        result._interaction.source_message_id = int(message["id"])
        self.deliver(payload)
        return result

    async def click_seen(
        self,
        who: MemberActor,
        message: Message,
        which: Which | None = None,
        *,
        custom_id: str = "",
        answered: bool = True,
    ) -> InteractionResult:
        """Click as :meth:`send` does, and wait for what the bot does; no answer comes unless ``answered``."""
        result = self.send(who, message, which, custom_id=custom_id)
        if not answered:
            self.unanswered.add(result._interaction.id)
        await self.settle()
        return result

    def send_slash(
        self, who: MemberActor, command: str, channel: ChannelHandle | None = None, **options: Any
    ) -> InteractionResult:
        """Use a command without waiting for its answer."""
        channel = channel or self.channel
        root, *path = command.split()
        known = self.env.backend.find_command(root, self.guild.id, type=1)
        assert known is not None, f"there is no command /{root}"
        leaf, nesting = simcord.interactions.walk_to_subcommand(known, path)
        built, _ = simcord.interactions.build_options(who, command, leaf, options, channel_id=channel.id)
        data = {
            "id": known["id"],
            "name": known["name"],
            "type": 1,
            "options": simcord.interactions.nest_options(known, nesting, built),
        }
        message = {"channel_id": str(channel.id)}
        result, payload = self._interaction(who, InteractionType.APPLICATION_COMMAND, message, data)
        self.deliver(payload)
        return result

    def deliver(self, payload: dict[str, Any]) -> None:
        self.env.backend.emit("INTERACTION_CREATE", sent(payload))

    def deliver_again(self, result: InteractionResult) -> None:
        """Deliver an interaction that was delivered before."""
        wanted = str(result._interaction.id)
        sent = (body for _, name, body in self.env.backend.transcript if name == "INTERACTION_CREATE")
        self.deliver(next(body for body in sent if body["id"] == wanted))

    async def forge(
        self, who: MemberActor, custom_id: str, message: Message | None = None
    ) -> InteractionResult:
        """Click with a custom id that no button has."""
        return await self.click_seen(who, message or self.table(), custom_id=custom_id)

    def _interaction(
        self, who: MemberActor, kind: InteractionType, message: Message, data: dict[str, Any]
    ) -> tuple[InteractionResult, dict[str, Any]]:
        record, payload = simcord.interactions.base_payload(
            self.env.backend,
            type=kind,
            channel_id=int(message["channel_id"]),
            guild_id=who.guild.id,
            user_id=who.id,
            data=data,
        )
        return InteractionResult(self.env, record), payload

    def _listen(self, event: str, payload: Any) -> None:
        if event == "INTERACTION_CREATE":
            self.delivered[int(payload["id"])] += 1

    # ------------------------------------------------------------------ games

    async def lobby(
        self, *people: MemberActor, ais: int = 0, channel: ChannelHandle | None = None, **options: Any
    ) -> Message:
        """Make a lobby: the first person opens it, with options of /tutto start, and the others join."""
        host, *others = people
        options.setdefault("target", 1000)
        await self.slash(host, "tutto start", channel, **options)
        for other in others:
            await self.press(other, "Join", channel)
        for _ in range(ais):
            await self.press(host, self.add_ai(channel), channel)
        return self.table(channel)

    async def begin(
        self, *people: MemberActor, ais: int = 0, channel: ChannelHandle | None = None, **options: Any
    ) -> Message:
        """Begin a game, with options of /tutto start."""
        await self.lobby(*people, ais=ais, channel=channel, **options)
        await self.press(people[0], "Start the game", channel)
        return self.table(channel)

    async def mover(self) -> MemberActor | None:
        """Return the person to move, or None if the game is over."""
        row = await self.row()
        if row.status != LIVE:
            return None
        entry = find(row.game)
        seat = row.seats[entry.rules.to_move(intact(row.state))]
        return self._people[not_none(seat.user_id)]

    def tokens(self, channel: ChannelHandle | None = None) -> dict[str, str]:
        """Return the custom ids of the table's enabled buttons by their tokens."""
        ids = [one["custom_id"] for one in screen.buttons(self.table(channel)) if not one.get("disabled")]
        return {parse(custom_id).token: custom_id for custom_id in ids}

    def add_ai(self, channel: ChannelHandle | None = None) -> str:
        """Return the id of the line of the lobby's menu for the first kind of AI."""
        return next(one for token, one in self.tokens(channel).items() if token.startswith("l.ai"))

    def marks(self) -> list[str]:
        """Return the custom ids of the dice that can be selected."""
        return [custom_id for token, custom_id in self.tokens().items() if token.startswith("v")]

    def careful(self) -> str:
        """Return the custom id of a button that advances the game: bank as soon as that is possible."""
        tokens = self.tokens()
        keep = next((token for token in tokens if token[0] == "k" or re.match("b[0-9a-f]{2}", token)), "")
        return tokens[next(token for token in ("s", keep, "t") if token in tokens)]

    async def step(self) -> None:
        """Let the person to move make a :meth:`careful` click."""
        result = await self.press(not_none(await self.mover()), self.careful())
        assert result.acknowledged

    async def until_a_choice(self) -> None:
        """Play Tutto on until there is a roll to choose dice from."""
        while (await self.state()).phase.value != "choose":
            await self.step()

    async def finish_turn(self) -> None:
        """Play until the turn has ended."""
        finished = (await self.state()).finished
        while (await self.state()).finished == finished and await self.mover():
            await self.step()

    async def play(self, *, most: int = 400) -> int:
        """Play to the end. Return how many clicks it took."""
        for clicks in range(most):
            if await self.mover() is None:
                return clicks
            await self.step()
        raise AssertionError("the game does not end")

    def click_of(self, who: MemberActor, channel: ChannelHandle | None = None) -> Click:
        """Return a request to the session, without Discord."""
        number = next(self._forged)
        return Click(number, who.id, who.name, self.guild.id, (channel or self.channel).id, "en-US")

    async def log(self) -> list[tuple[int, int, Any, Any]]:
        """Return the moves of the latest game."""
        row = await self.row()
        return [
            (move.number, move.seat, codec.loads(written["action"]), codec.loads(written["chance"]))
            for move in await self.bot.store.moves(row.id)
            for written in [encoding.move_columns(row.game, move)]
        ]


def sent(value: Any) -> Message:
    """Return an object as it arrives, which takes a tenth of the time of a deep copy."""
    arrived: Message = orjson.loads(orjson.dumps(value))
    return arrived


def fields(opened: InteractionResult) -> dict[str, Any]:
    """Return the first values of a form's fields by name."""
    assert opened.modal is not None, private(opened)
    found: dict[str, Any] = {}
    for label in opened.modal["components"]:
        control = label["component"]
        options = control.get("options") or []
        chosen = [one["value"] for one in options if one.get("default")]
        match control["type"]:
            case ComponentType.TEXT_INPUT:
                found[control["custom_id"]] = control.get("value", "")
            case ComponentType.RADIO_GROUP:
                found[control["custom_id"]] = chosen[0]
            case ComponentType.STRING_SELECT | ComponentType.CHECKBOX_GROUP:
                found[control["custom_id"]] = chosen
            case _:
                ids = [int(one["id"]) for one in control.get("default_values") or []]
                found[control["custom_id"]] = [SimpleNamespace(id=one) for one in ids]
    return found


async def opened(world: World, result: InteractionResult) -> tuple[str, bytes]:
    """Return the name and the contents of the first file that a person sees after an interaction."""
    parts = [one for one in (result.response, *result.followups) if one]
    found = [(one, file) for one in parts for file in screen.files(world.message(one.id))]
    (message, file), *_ = found
    (attachment,) = [one for one in message.attachments if str(one.id) == file["id"]]
    return file["filename"], await attachment.read()


def reply(result: InteractionResult) -> ResponseMessage:
    """Return the message with which the bot has answered an interaction."""
    return not_none(result.response)


def said(result: InteractionResult) -> str:
    """Return what a person sees after an interaction: the text of the response and the follow-ups."""
    parts = [result.response, *result.followups]
    return "\n".join(screen.text_of({"components": one.components}) for one in parts if one)


def private(result: InteractionResult) -> str:
    """Return the text that only this person sees, or ""."""
    parts = [one for one in (result.response, *result.followups) if one and one.ephemeral]
    return "\n".join(screen.text_of({"components": one.components}) for one in parts)
