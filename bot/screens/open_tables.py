"""Lists of open tables: those of a server, and a person's own in all servers. For their eyes only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.games.seats import Seat
from bot.i18n.say import Argument, Icons, Moment, Name, Say, joined, say
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
"""Tokens: a page of either list, and take a seat."""


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


def of_server(found: Sequence[OpenTable], at: int, pages: int, games: Iterable[str]) -> Screen:
    """List the open tables of a server that a person can see: page ``at`` of ``pages``, from 0.

    If there are none, buttons open a table of one of ``games``.
    """
    tables = [_in_server(one) for one in found]
    page = _page(say("tables-title"), tables or [Text.of(say("tables-none"))], SERVER, at, pages)
    return Screen(page if tables else (*page, open_buttons(games)))


def of_person(found: Sequence[OpenTable], at: int, pages: int) -> Screen:
    """List the tables at which a person plays or is asked to, in all servers: page ``at`` of ``pages``."""
    tables = [_of_person(one) for one in found]
    return Screen(_page(say("mine-title"), tables or [Text.of(say("mine-none"))], MINE, at, pages))


def _in_server(one: OpenTable) -> Block:
    place = say("tables-place", icon=_icon(one), game=_game(one), channel=f"<#{one.channel_id}>")
    people = say("tables-people", names=_names(one), state=_state(one))
    lines = (place, people, say("tables-watch", link=one.link))
    if one.most is not None and one.mine is None and len(one.seats) < one.most:
        button = Button(Page.TABLES.token(JOIN, f"{one.game_id:x}"), say("lobby-join"), SUCCESS)
        return Section(lines, button)
    return Text(lines)


def _of_person(one: OpenTable) -> Block:
    server: Argument = Name(one.server) if one.server else say("mine-elsewhere")
    place = say("mine-place", icon=_icon(one), game=_game(one), server=server)
    return Text.of(place, _mine(one), say("mine-open", link=one.link))


def _mine(one: OpenTable) -> Say:
    """Say what a table waits for, as its player sees it."""
    if one.mine is None:
        return say("mine-asked")
    if one.is_my_turn:
        return say("mine-turn-until", until=Moment(one.until)) if one.until is not None else say("mine-turn")
    return say("tables-people", names=_names(one), state=_state(one))


def _state(one: OpenTable) -> Say:
    if one.most is not None:
        return say("tables-lobby", n=len(one.seats), most=one.most)
    if one.turn is None:
        return say("tables-running")
    return say("tables-turn", name=short_names([seat_name(one.seats, one.turn)])[0])


def _names(one: OpenTable) -> Argument:
    names = short_names([seat_name(one.seats, seat) for seat in range(len(one.seats))])
    if len(names) <= MAX_NAMES:
        return joined(names)
    return say("tables-more", names=joined(names[:MAX_NAMES]), n=len(names) - MAX_NAMES)


def _icon(one: OpenTable) -> Icons:
    return Icons((f"game-{one.game}",))


def _game(one: OpenTable) -> Say:
    return say(f"{one.game}-name")


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
