"""People who play whole games by what they see: find the table, press a button, wait."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random

from simcord.backend import serializers
from simcord.backend.models import Channel
from simcord.enums import CallbackType

from bot.games.core import Unreadable
from bot.screens.button_ids import SKIP, ButtonId, parse
from tests.support import screen
from tests.support.discord_server.people import Person, Reply
from tests.support.discord_server.server import DiscordServer
from tests.support.screen import Component, Message, text_of

PATIENCE = 4.0
"""Discord gives up after 3 seconds; then a person sees that the click has failed, and clicks again."""

TO_SEE_IT = 1.0
"""How long people wait for the table to change after an acknowledged click, before they click again."""

STUCK = 100.0
"""A table changes within so many seconds: an AI whose move could not be stored tries again after 30, and a
deadline that could not be met after another 30."""

MOST_LOOKED_THROUGH = 12
"""How many of a channel's last messages people look through for the table."""

_MOVE = re.compile(r"[tskrp]|[bn][0-9a-f]{2}")
"""How the tokens of moves begin. In Tutto: turn, stop, keep, keep and bank, keep and turn the next card; in
Gambler: roll, stop and place."""

_TWO_MOVES = re.compile(r"[bn][0-9a-f]{2}")

_DIE = re.compile(r"(✓ )?[1-6]")
_TURN = re.compile(r"👉 \*\*(\w+) ")
_ROLL = re.compile(r"^Roll(?: \d of \d)?: (.*)$", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Press:
    """One click or command of a script and its answer. ``button`` is None for a command."""

    who: Person
    what: str
    button: ButtonId | None
    reply: Reply

    @property
    def id(self) -> int:
        """Return the interaction's id."""
        return self.reply.record.id

    @property
    def is_move(self) -> bool:
        """Return whether it asks for a move in a game."""
        return self.button is not None and _MOVE.match(self.button.token) is not None

    @property
    def moves(self) -> int:
        """Return how many moves it makes: two if it keeps dice and then banks or turns the next card."""
        return 2 if self.button is not None and _TWO_MOVES.match(self.button.token) else 1

    @property
    def is_look(self) -> bool:
        """Return whether it only selects a die, of which nothing is stored."""
        return self.button is not None and self.button.token.startswith("v")

    @property
    def promised(self) -> bool:
        """Return whether the person saw that it was done: the clicked message changed.

        A click on an old table also updates it, but then says so in words.
        """
        if self.button is None:
            return self.reply.type == CallbackType.CHANNEL_MESSAGE_WITH_SOURCE and not self.reply.ephemeral
        changed = self.reply.type == CallbackType.UPDATE_MESSAGE and not self.is_look
        return changed and not self.reply.followups

    @property
    def taken(self) -> bool:
        """Return whether the click was acknowledged without a text, like a repetition of another one."""
        return self.reply.type == CallbackType.DEFERRED_UPDATE_MESSAGE

    @property
    def told(self) -> str:
        """Return the private text that the person got instead."""
        return self.reply.text if self.reply.ephemeral else ""

    def __str__(self) -> str:
        return f"{self.id} {self.what!r} {self.button or ''} -> {self.reply.type}"


class Table:
    """A message of the bot with buttons: a lobby, a table in play, or an end."""

    def __init__(self, message: Message, buttons: list[Component]) -> None:
        self.message = message
        self.buttons = buttons
        self.text = text_of(message)
        self.labels = [button.get("label", "") for button in buttons]
        self.id = parse(buttons[0]["custom_id"])

    @staticmethod
    def buttons_of(message: Message) -> list[Component]:
        """Return the buttons of a message that belong to a game."""
        return [button for button in screen.buttons(message) if _of_a_game(button)]

    @property
    def look(self) -> object:
        """Return a text that differs as soon as a person can see a change."""
        return self.message["id"], self.message["edited_timestamp"], [b["custom_id"] for b in self.buttons]

    @property
    def is_lobby(self) -> bool:
        return "Start the game" in self.labels

    @property
    def is_over(self) -> bool:
        return "Rematch" in self.labels

    @property
    def is_step(self) -> bool:
        """Return whether it shows a step of what was played, with the buttons of its end."""
        return any(parse(button["custom_id"]).token == SKIP for button in self.buttons)

    @property
    def turn(self) -> str:
        """Return the name of the player to move, as the table marks it, or ""."""
        found = _TURN.search(self.text)
        return found[1] if found else ""

    @property
    def roll(self) -> tuple[int, ...] | None:
        """Return the dice on the table."""
        found = _ROLL.search(self.text)
        return tuple(sorted(int(face) for face in re.findall("[1-6]", found[1]))) if found else None

    def pressable(self, pattern: re.Pattern[str]) -> list[Component]:
        """Return the enabled buttons whose label matches."""
        return [b for b in self.buttons if not b.get("disabled") and pattern.match(b.get("label", ""))]


def find_table(server: DiscordServer, channel: Channel) -> Table | None:
    """Return the newest message in the channel that has buttons of a game."""
    stored = server.backend.messages.get(channel.id, {})
    public = (stored[number] for number in sorted(stored, reverse=True) if not stored[number].is_ephemeral)
    for seen in islice(public, MOST_LOOKED_THROUGH):
        message = dict(serializers.message_payload(server.backend, seen))
        if buttons := Table.buttons_of(message):
            return Table(message, buttons)
    return None


def _of_a_game(button: Component) -> bool:
    try:
        return parse(button["custom_id"]).game_id > 0
    except Unreadable:
        return False


class Script:
    """Plays one game after the other in a channel, as people would.

    Their choices depend on the seed and on what the table shows, not on when they look. With
    ``mischief`` (a probability) they press twice, press out of turn, or have a click delivered twice.
    """

    def __init__(
        self,
        server: DiscordServer,
        channel: Channel,
        people: Sequence[Person],
        *,
        seed: object,
        game: str = "tutto",
        target: int = 1000,
        ais: int = 0,
        mischief: float = 0.0,
        stuck_seconds: float = STUCK,
    ) -> None:
        self.server = server
        self.channel = channel
        self.people = {server.backend.get_user(person.id).name: person for person in people}
        self.host = people[0]
        self.seed = seed
        self.game = game
        self.target = target
        self.ais = ais
        self.mischief = mischief
        self.stuck_seconds = stuck_seconds
        self.presses: list[Press] = []
        self.rolls: dict[tuple[int, int], tuple[int, ...]] = {}
        self.differing: list[str] = []
        self.over: set[int] = set()
        self.stopped = False
        self._moods = Random(f"{seed}:moods")
        self._marked: set[tuple[int, int]] = set()

    def __str__(self) -> str:
        table = self.table()
        seen = f"{table.text}\n{table.labels} {table.id}" if table else "nothing"
        last = "\n".join(f"{press} {press.told}" for press in self.presses[-6:])
        return f"{sorted(self.people)} see {seen}\nand have pressed\n{last}"

    # ------------------------------------------------------------------ playing

    async def play(self, games: int = 1) -> None:
        """Play until so many games have ended, or :attr:`stopped` is set."""
        clock = asyncio.get_running_loop().time
        look, since = self._look(), clock()
        while not self.stopped and (len(self.over) < games or not self._at_an_end()):
            await self.step()
            if (now := self._look()) != look:
                look, since = now, clock()
            assert clock() < since + self.stuck_seconds, f"nothing changes on the table: {self}"

    def _look(self) -> object:
        table = self.table()
        return table.look if table else None

    async def turns(self, number: int) -> None:
        """Play until ``number`` turns have begun."""
        seen: list[str] = []
        while len(seen) <= number:
            await self.step()
            table = self.table()
            if table is not None and table.turn and table.turn not in seen[-1:]:
                seen.append(table.turn)

    async def step(self) -> None:
        """Look at the channel and do the next thing, if there is one to do."""
        table = self.table()
        doing = self._next(table) if self.server.gateway.connected else None
        if doing is None:
            await asyncio.sleep(0.02)
            return
        started = self.server.gateway.identifies
        replies = [press.reply for press in doing]

        def settled() -> bool:
            return all(reply.acked for reply in replies) or self.server.gateway.identifies != started

        await self._wait(settled, PATIENCE)
        if all(reply.acked for reply in replies):
            before = table.look if table else None

            def changed() -> bool:
                now = self.table()
                return (now.look if now else None) != before or self.server.gateway.identifies != started

            await self._wait(changed, TO_SEE_IT)

    def table(self) -> Table | None:
        """Return the table that people see now, and remember its dice."""
        table = find_table(self.server, self.channel)
        if table is None:
            return None
        if table.is_over:
            self.over.add(table.id.game_id)
        elif table.roll is not None and not table.is_step:
            place = table.id.game_id, table.id.version
            if self.rolls.setdefault(place, table.roll) != table.roll:
                self.differing.append(
                    f"game {place[0]} at {place[1]}: {self.rolls[place]}, then {table.roll}"
                )
        return table

    def press(self, who: Person, table: Table, button: Component, *, stale: bool = False) -> Press:
        """Click, and record the click."""
        reply = who.click(table.message, button, stale=stale)
        press = Press(who, button.get("label", ""), parse(button["custom_id"]), reply)
        self.presses.append(press)
        return press

    def use(self, who: Person, *path: str, **options: object) -> Press:
        """Use a command, and record it."""
        press = Press(who, " ".join(path), None, who.slash(self.channel, *path, **options))
        self.presses.append(press)
        return press

    # ------------------------------------------------------------------ choosing

    def moves(self, table: Table) -> list[Component]:
        """Return the table's buttons that make a move."""
        return [
            button
            for button in table.buttons
            if not button.get("disabled") and _MOVE.match(parse(button["custom_id"]).token)
        ]

    def offers_two_moves(self) -> bool:
        """Return whether the first of the table's buttons that make a move makes two."""
        table = self.table()
        moves = self.moves(table) if table is not None else []
        return bool(moves and _TWO_MOVES.match(parse(moves[0]["custom_id"]).token))

    def choice(self, table: Table) -> Component | None:
        """Return the button that the player to move presses: for the same table always the same."""
        place = table.id.game_id, table.id.version
        rng = Random(f"{self.seed}:{len(self.over)}:{table.id.version}")
        moves, dice = self.moves(table), table.pressable(_DIE)
        if dice and place not in self._marked and rng.random() < 0.15:
            self._marked.add(place)
            return rng.choice(dice)
        if not moves:
            # The only marked die has been taken back.
            return rng.choice(dice) if dice else None
        return rng.choice(moves)

    def _next(self, table: Table | None) -> list[Press] | None:
        """Start the next thing to do. Return None if there is none."""
        if table is None:
            return [self.use(self.host, self.game, "start", target=self.target)]
        if table.is_over:
            if len(self.over) % 2:
                (button,) = [button for button in table.buttons if button.get("label") == "Rematch"]
                if not button.get("disabled"):
                    return self._with_mischief(self.host, table, button)
            return [self.use(self.host, self.game, "start", target=self.target)]
        if table.is_lobby:
            return self._gather(table)
        who = self.people.get(table.turn)
        if who is None:
            return None
        chosen = self.choice(table)
        return None if chosen is None else self._with_mischief(who, table, chosen)

    def _gather(self, table: Table) -> list[Press] | None:
        """Do what is missing before the game can start."""
        for name, person in self.people.items():
            if not re.search(rf"^\d+\\\. {name}\b", table.text, re.MULTILINE):
                return self._with_mischief(person, table, screen.button(table.message, "Join"))
        label = "＋ Casual" if table.text.count("🤖") < self.ais else "Start the game"
        return self._with_mischief(self.host, table, screen.button(table.message, label))

    def _with_mischief(self, who: Person, table: Table, button: Component) -> list[Press] | None:
        if button.get("disabled"):
            return None
        pressed = [self.press(who, table, button)]
        if self._moods.random() < self.mischief:
            pressed.append(self.press(who, table, button))
        if self._moods.random() < self.mischief:
            self.people[self._moods.choice(list(self.people))].again(pressed[0].reply)
        if self._moods.random() < self.mischief:
            other = self.people[self._moods.choice(list(self.people))]
            if other is not who:
                pressed.append(self.press(other, table, button))
        return pressed

    # ------------------------------------------------------------------ waiting

    def _at_an_end(self) -> bool:
        table = self.table()
        return table is not None and table.is_over

    async def _wait(self, check: Callable[[], bool], within: float) -> None:
        clock = asyncio.get_running_loop().time
        deadline = clock() + within
        while not (check() or self.stopped) and clock() < deadline:  # noqa: ASYNC110 - what people see
            await asyncio.sleep(0.005)


def presses_of(scripts: Sequence[Script]) -> Iterator[Press]:
    """Return every press of every script."""
    for script in scripts:
        yield from script.presses
