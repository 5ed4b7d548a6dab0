"""People who use the bot: they type slash commands, press buttons, and wait for what comes back."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Generator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Self

from simcord import GuildHandle, MemberActor, UserHandle, interactions
from simcord.backend.models import Channel, Guild, Interaction
from simcord.enums import AppCommandType, CallbackType, ComponentType, InteractionType

from tests.support import screen
from tests.support.discord_server.calls import Call
from tests.support.discord_server.server import DiscordServer
from tests.support.screen import Message, Which
from tests.support.values import not_none

IN_TIME = 3.0
"""How many seconds Discord waits for an acknowledgement."""


@dataclass(eq=False)
class Reply:
    """The answer to one interaction. Await it to wait for the bot's acknowledgement.

    `type` is the callback's: 4 message, 5 deferred message, 6 deferred update, 7 update, 8 choices,
    9 modal; None while the bot has said nothing. `tries` holds every callback call, refused ones too.
    """

    server: DiscordServer
    record: Interaction
    payload: dict[str, Any]
    at: float
    type: int | None = None
    data: dict[str, Any] = field(default_factory=dict)
    acked_after: float | None = None
    tries: list[Call] = field(default_factory=list)

    def acknowledge(self, call: Call, at: float) -> None:
        """Note that a callback took effect."""
        self.type = int(call.json["type"])
        self.data = call.json.get("data") or {}
        self.acked_after = at - self.at

    def __await__(self) -> Generator[Any, None, Self]:
        return self.wait().__await__()

    async def wait(self, within: float = 4.0) -> Self:
        """Wait for the acknowledgement; if none comes in time, `acked` stays False."""
        with contextlib.suppress(TimeoutError):
            await self.server.until(lambda: self.acked, within)
        return self

    async def finished(self, within: float = 5.0) -> Self:
        """Wait until the bot has also sent what it deferred. Fails if it does not."""
        await self.server.until(lambda: self.acked and not self.pending, within, f"an end of {self!r}")
        return self

    @property
    def acked(self) -> bool:
        """Return whether the bot answered in time."""
        return self.acked_after is not None

    @property
    def acked_in_time(self) -> bool:
        """Return whether the bot answered before Discord gave the interaction up."""
        return self.acked_after is not None and self.acked_after < IN_TIME

    @property
    def pending(self) -> bool:
        """Return whether the bot has deferred and not yet sent or changed anything."""
        if self.type == CallbackType.DEFERRED_UPDATE_MESSAGE:
            now, before = self.message, self.payload.get("message")
            same = now and before and now["edited_timestamp"] == before["edited_timestamp"]
            return bool(same) and not self.record.followup_ids
        return self.record.loading and self.message is not None

    @property
    def message(self) -> Message | None:
        """Return the response as it is now; if a click was answered by an update, the clicked message."""
        if self.record.message_id is None:
            return None
        return self.server.message(self.record.channel_id, self.record.message_id)

    @property
    def followups(self) -> list[Message]:
        """Return the messages sent after the first response."""
        found = (self.server.message(self.record.channel_id, item) for item in self.record.followup_ids)
        return [message for message in found if message is not None]

    @property
    def ephemeral(self) -> bool:
        """Return whether only this person sees everything the bot sent."""
        said = [message for message in (self.message, *self.followups) if message is not None]
        own = [message for message in said if message["id"] != self._clicked]
        return bool(own) and all(screen.is_ephemeral(message) for message in own)

    @property
    def text(self) -> str:
        """Return all text of the response and the follow-ups."""
        return "\n".join(filter(None, map(screen.text_of, (self.message, *self.followups))))

    @property
    def modal(self) -> dict[str, Any] | None:
        """Return the form that opened."""
        return self.record.modal

    @property
    def _clicked(self) -> str | None:
        clicked: str | None = self.payload.get("message", {}).get("id")
        return clicked

    def __repr__(self) -> str:
        data = self.payload["data"]
        what = data.get("custom_id") or data.get("name")
        return f"<Reply to {what!r}: type {self.type} after {self.acked_after}>"


@dataclass(frozen=True, eq=False)
class Person:
    """One member of a guild. All actions return at once; await the Reply, or don't."""

    server: DiscordServer
    id: int
    guild: Guild

    @classmethod
    def join(cls, server: DiscordServer, guild: Guild, name: str) -> Self:
        """Let a new user join a guild."""
        made = server.backend.make_user(name)
        server.backend.add_member(guild.id, made.id, announce=True)
        return cls(server, made.id, guild)

    def leave(self) -> None:
        """Leave the guild."""
        self.server.backend.remove_member(self.guild.id, self.id)

    # ------------------------------------------------------------------ commands

    def slash(self, channel: Channel, /, *path: str, **options: Any) -> Reply:
        """Use a slash command: `slash(channel, "game", "start", seats=3)`.

        Values may be Persons. The client's own checks apply.
        """
        backend = self.server.backend
        root = backend.find_command(path[0], channel.guild_id, type=AppCommandType.CHAT_INPUT)
        if root is None:
            known = sorted(key[0] for scope in backend.commands.values() for key in scope)
            raise LookupError(f"no command {path[0]!r} is registered; there are {known}")
        leaf, nesting = interactions.walk_to_subcommand(root, list(path[1:]))
        handles = {name: self._handle(value) for name, value in options.items()}
        built, resolved = interactions.build_options(
            self._handle(self), " ".join(path), leaf, handles, channel_id=channel.id
        )
        data: dict[str, Any] = {k: root[k] for k in ("id", "name", "type", "guild_id") if k in root}
        data["options"] = interactions.nest_options(root, nesting, built)
        if resolved:
            data["resolved"] = resolved
        return self._interact(InteractionType.APPLICATION_COMMAND, channel, data)

    # ------------------------------------------------------------------ components

    def click(self, message: Message, which: Which, *, stale: bool = False) -> Reply:
        """Press a button, found by custom_id, label or predicate, or given as a component.

        With `stale` it is pressed on the message as given, whatever it shows by now: the click and
        an edit have crossed. Otherwise it must be there now, for Discord refuses all other clicks.
        """
        seen = self._seen(message, stale)
        button = screen.button(seen, which)
        if button.get("disabled"):
            raise LookupError(f"{which!r} is disabled")
        return self._use(seen, button, screen.click_data(button))

    def submit(self, form: Reply, /, **values: str | list[str]) -> Reply:
        """Send the form that a Reply opened, with ``values`` by custom_id; the others stay as they are."""
        assert form.modal is not None, f"{form!r} opened no form"
        rows = [row for part in form.modal["components"] if (row := _filled(part, values)) is not None]
        data = {"custom_id": form.modal["custom_id"], "components": rows}
        channel = self.server.backend.get_channel(form.record.channel_id)
        return self._interact(InteractionType.MODAL_SUBMIT, channel, data, form.payload.get("message"))

    # ------------------------------------------------------------------ the wire

    def _interact(
        self, type: int, channel: Channel, data: dict[str, Any], message: Message | None = None
    ) -> Reply:
        """Send an interaction."""
        backend = self.server.backend
        record, payload = interactions.base_payload(
            backend, type=type, channel_id=channel.id, guild_id=channel.guild_id, user_id=self.id, data=data
        )
        guild = self.guild
        payload["guild_locale"] = guild.preferred_locale
        payload["guild"] = {"id": str(guild.id), "locale": guild.preferred_locale, "features": []}
        payload["authorizing_integration_owners"] = {"0": str(guild.id)}
        if message is not None:
            payload["message"] = copy.deepcopy(message)
            record.source_message_id = int(message["id"])
        reply = Reply(self.server, record, payload, self.server.now())
        self.server.replies[record.id] = reply
        backend.emit("INTERACTION_CREATE", payload)
        return reply

    def again(self, reply: Reply) -> None:
        """Deliver the same interaction once more, as the gateway sometimes does."""
        self.server.backend.emit("INTERACTION_CREATE", reply.payload)

    def _use(self, message: Message, component: dict[str, Any], data: dict[str, Any]) -> Reply:
        if "id" in component:
            data["id"] = component["id"]
        channel = self.server.backend.get_channel(int(message["channel_id"]))
        return self._interact(InteractionType.MESSAGE_COMPONENT, channel, data, message)

    def _seen(self, message: Message, stale: bool) -> Message:
        if stale:
            return message
        backend = self.server.backend
        stored = backend.get_message(int(message["channel_id"]), int(message["id"]))
        if not stored.visible_to(self.id):
            raise LookupError("that message is for somebody else's eyes")
        return not_none(self.server.message(stored.channel_id, stored.id))

    def _handle(self, value: Any) -> Any:
        """Return simcord's handle for a person, which needs an Env only for its backend."""
        if not isinstance(value, Person):
            return value
        env: Any = _env(self.server)
        user = UserHandle(env, self.server.backend.get_user(value.id))
        return (
            MemberActor(env, GuildHandle(env, value.guild), user) if value.id in value.guild.members else user
        )


def _env(server: DiscordServer) -> SimpleNamespace:
    # Handles of one world must share one Env, so it is kept with the server's backend.
    if not hasattr(server.backend, "wire_env"):
        server.backend.wire_env = SimpleNamespace(backend=server.backend)  # type: ignore[attr-defined]
    return server.backend.wire_env  # type: ignore[attr-defined, no-any-return]


def _filled(component: dict[str, Any], values: dict[str, Any]) -> dict[str, Any] | None:
    """Return a form's component as the client sends it back, or None for plain text."""
    kept: dict[str, Any] = {k: component[k] for k in ("id", "type", "custom_id") if k in component}
    if component["type"] == ComponentType.TEXT_DISPLAY:
        return None
    if component["type"] == ComponentType.LABEL:
        return {**kept, "component": _filled(component["component"], values)}
    if component["type"] == ComponentType.ACTION_ROW:
        return {**kept, "components": [_filled(child, values) for child in component["components"]]}
    if component["type"] == ComponentType.TEXT_INPUT:
        return {**kept, "value": values.get(component["custom_id"], component.get("value", ""))}
    options = component.get("options") or component.get("default_values") or []
    chosen = [one.get("value", one.get("id")) for one in options if one.get("default", "id" in one)]
    value = values.get(component["custom_id"], chosen)
    if component["type"] == ComponentType.RADIO_GROUP:
        return {**kept, "value": value if isinstance(value, str) else next(iter(value), None)}
    return {**kept, "values": [value] if isinstance(value, str) else value}
