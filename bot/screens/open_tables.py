"""Lists of open tables, shown privately: those of a server, and a person's own in all servers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.games.seats import Seat
from bot.i18n.say import Argument, GameIcon, GameName, Moment, Name, Say, joined, say
from bot.screens.button_ids import Page
from bot.screens.help import open_buttons
from bot.screens.leaderboard import turning_buttons
from bot.screens.model import SUCCESS, Block, Button, Buttons, Divider, Screen, Section, Text, seat_name
from bot.screens.seat_names import short_names

PAGE = 8
"""How many tables stand on a page."""

MAX_NAMES = 4
"""How many names of a table are shown; the others are counted."""

SERVER, MINE, JOIN = "s", "m", "j"
"""Tokens: show a page of either list, and take a seat."""


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A lobby or running game in a list.

    ``most`` is how many seats it has, or None if it is running. ``turn`` is the seat that is to move, None in
    a lobby or if that can't be read. ``mine`` is the person's seat, None if they have none; ``until`` is when
    their turn is played for them (Unix seconds). ``server`` is a name, or "" if the bot doesn't know it.
    """

    game_id: int
    game: str
    channel_id: int
    link: str
    seats: tuple[Seat, ...]
    most: int | None
    turn: int | None = None
    mine: int | None = None
    until: float | None = None
    server: str = ""

    @property
    def is_my_turn(self) -> bool:
        return self.mine is not None and self.turn == self.mine


def of_server(tables: Sequence[OpenTable], at: int, pages: int, games: Iterable[str]) -> Screen:
    """List the open tables of a server that a person can see: page ``at`` of ``pages``, from 0.

    If there are none, buttons open a table of one of ``games``.
    """
    blocks = [_in_server(table) for table in tables]
    page = _page(say("tables-title"), blocks or [Text.of(say("tables-none"))], SERVER, at, pages)
    return Screen(page if blocks else (*page, open_buttons(games)))


def of_person(tables: Sequence[OpenTable], at: int, pages: int) -> Screen:
    """List the tables at which a person plays or is asked to, in all servers: page ``at`` of ``pages``."""
    blocks = [_of_person(table) for table in tables]
    return Screen(_page(say("mine-title"), blocks or [Text.of(say("mine-none"))], MINE, at, pages))


def _in_server(table: OpenTable) -> Block:
    place = say(
        "tables-place", icon=GameIcon(table.game), game=GameName(table.game), channel=f"<#{table.channel_id}>"
    )
    people = say("tables-people", names=_names(table), state=_state(table))
    lines = (place, people, say("tables-watch", link=table.link))
    if table.most is not None and table.mine is None and len(table.seats) < table.most:
        button = Button(Page.TABLES.token(JOIN, f"{table.game_id:x}"), say("lobby-join"), SUCCESS)
        return Section(lines, button)
    return Text(lines)


def _of_person(table: OpenTable) -> Block:
    server: Argument = Name(table.server) if table.server else say("mine-elsewhere")
    place = say("mine-place", icon=GameIcon(table.game), game=GameName(table.game), server=server)
    return Text.of(place, _mine(table), say("mine-open", link=table.link))


def _mine(table: OpenTable) -> Say:
    """Say what a table waits for, as its player sees it."""
    if table.mine is None:
        return say("mine-asked")
    if table.is_my_turn:
        return say("mine-turn") if table.until is None else say("mine-turn-until", until=Moment(table.until))
    return say("tables-people", names=_names(table), state=_state(table))


def _state(table: OpenTable) -> Say:
    if table.most is not None:
        return say("tables-lobby", n=len(table.seats), most=table.most)
    if table.turn is None:
        return say("tables-running")
    return say("tables-turn", name=short_names([seat_name(table.seats, table.turn)])[0])


def _names(table: OpenTable) -> Argument:
    names = short_names([seat_name(table.seats, seat) for seat in range(len(table.seats))])
    if len(names) <= MAX_NAMES:
        return joined(names)
    return say("tables-more", names=joined(names[:MAX_NAMES]), n=len(names) - MAX_NAMES)


def _page(title: Say, tables: Sequence[Block], kind: str, at: int, pages: int) -> tuple[Block, ...]:
    """Return the title and the tables with dividers between them, and buttons if there are more pages."""
    blocks: list[Block] = [Text.of(title)]
    for number, table in enumerate(tables):
        blocks += [Divider(), table] if number else [table]
    if pages > 1:
        # The last part tells the tokens of a page apart.
        before = Page.TABLES.token(kind, max(at - 1, 0), "b")
        after = Page.TABLES.token(kind, min(at + 1, pages - 1), "a")
        blocks.append(Buttons(turning_buttons(before, after, at, pages)))
    return tuple(blocks)
