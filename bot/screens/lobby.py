"""The lobby: the players, the options, and the buttons to join and to start."""

from __future__ import annotations

from collections.abc import Sequence

from bot.games.seats import Seat
from bot.i18n.say import GameIcon, GameName, Icons, Mention, Say, and_list, say
from bot.records.who_begins import BY_LOT, IN_ORDER
from bot.screens.button_ids import ADD_AI, CANCEL, JOIN, LEAVE_LOBBY, OPTIONS, REMOVE_AI, RULES, START
from bot.screens.fairness import FAIR_BUTTON, DiceSource, short, words_line
from bot.screens.model import (
    DANGER,
    PRIMARY,
    SUCCESS,
    Button,
    Buttons,
    Divider,
    Menu,
    Screen,
    Text,
    seat_name,
)
from bot.screens.seat_names import short_names_of

ACCENT = 0x6B78F5


def lobby(
    game: str,
    goal: Sequence[Say],
    seats: Sequence[Seat],
    host_id: int,
    *,
    least: int,
    most: int,
    levels: Sequence[str],
    dice: DiceSource,
    invited: int | None = None,
    asked: Sequence[Seat] = (),
    even: bool = False,
) -> Screen:
    """Show an open lobby.

    ``goal`` says what is played, then the other options. ``least`` and ``most`` bound the number of seats.
    ``levels`` are the levels of AI players, weakest first. ``dice`` has the seal and the words. ``invited``
    is a person to mention, ``asked`` are people who may want to play again; the last of them may start the
    game, see ``start`` in bot/sessions/lobby.py. ``even`` is whether the game would be even.
    """
    full, enough = len(seats) >= most, len(seats) >= least
    hint = say("lobby-full") if full else say("lobby-ready") if enough else say("lobby-wait", n=least)
    last = len(asked) == 1 and not full
    people = and_list([seat_name(asked, number) for number in range(len(asked))])
    return Screen.of(
        Text.of(say("lobby-title", icon=GameIcon(game), goal=goal[0]), *goal[1:]),
        Divider(),
        # The list has a text of its own, or Discord would show what follows as part of its last line.
        Text.of(say("lobby-seats", n=len(seats), most=most), *_seat_lines(seats, host_id)),
        Text.of(
            *words_line("lobby-words", dice),
            _invitation(invited, seats, host_id) if invited is not None else None,
            say("lobby-asked-last" if last else "lobby-asked", names=people) if asked else None,
            say("lobby-even") if even else None,
            hint if enough or not asked else None,
        ),
        Buttons.of(
            Button(JOIN, say("lobby-join"), PRIMARY, disabled=full),
            Button(LEAVE_LOBBY, say("lobby-leave")),
            Button(RULES, say("more-rules")),
            FAIR_BUTTON,
        ),
        _ai_menu(seats, () if full else levels),
        Buttons.of(
            Button(START, say("lobby-start"), SUCCESS, disabled=len(seats) + last < least),
            Button(OPTIONS, say("lobby-options")),
            Button(CANCEL, say("lobby-cancel"), DANGER),
        ),
        Text.of(say("lobby-seal", seal=f"{short(dice.seal)}…")) if dice.seal else None,
        accent=ACCENT,
        mention=invited,
    )


def _seat_lines(seats: Sequence[Seat], host_id: int) -> list[Say]:
    """Return the numbered players, with marks for the host and for AI players."""
    lines = []
    for number, (seat, name) in enumerate(zip(seats, short_names_of(seats), strict=True), start=1):
        key = "lobby-seat" if seat.human else "lobby-seat-ai"
        if seat.human and seat.user_id == host_id:
            key = "lobby-seat-host"
        lines.append(say(key, place=number, name=name, icon=Icons(("seat-ai",))))
    return lines


def _invitation(invited: int, seats: Sequence[Seat], host_id: int) -> Say:
    host = next((number for number, seat in enumerate(seats) if seat.user_id == host_id), 0)
    return say("lobby-invited", who=Mention(invited), host=seat_name(seats, host))


def _ai_menu(seats: Sequence[Seat], levels: Sequence[str]) -> Menu | None:
    """Return the menu that adds an AI of one of the ``levels``, or removes one that is at the table."""
    lines = [Button(f"{ADD_AI}{level}", say("lobby-add-ai", level=say(f"ai-{level}"))) for level in levels]
    if not all(seat.human for seat in seats):
        lines.append(Button(REMOVE_AI, say("lobby-remove-ai")))
    return Menu(tuple(lines), say("lobby-ai-hint")) if lines else None


def limit_line(turn_seconds: int) -> Say:
    """Return the turn limit as a line of the lobby; 0 means none."""
    return say("lobby-limit", time=limit_name(turn_seconds)) if turn_seconds else limit_name(0)


def limit_name(turn_seconds: int) -> Say:
    """Return only the time of a turn limit, e.g. "10 minutes"; 0 means none."""
    if not turn_seconds:
        return say("lobby-no-limit")
    for unit, seconds in (("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if turn_seconds >= seconds:
            return say(f"time-{unit}", n=turn_seconds // seconds)
    return say("time-seconds", n=turn_seconds)


def rated_line(rated: bool) -> Say:
    """Return in words whether the game will be rated, and who may see the odds."""
    return say("lobby-rated" if rated else "lobby-friendly")


def who_begins(begins: int, seats: Sequence[Seat]) -> tuple[Say, ...]:
    """Return who begins as a line of the lobby; nothing if it is the first at the table, as usual."""
    if begins == IN_ORDER:
        return ()
    return (
        say("lobby-begins-lot") if begins == BY_LOT else say("lobby-begins", name=seat_name(seats, begins)),
    )


def closed(game: str, reason: Say, dice: DiceSource) -> Screen:
    """Show a lobby or game that was closed without a result."""
    title = say("closed-title", icon=GameIcon(game), game=GameName(game))
    opened = say("end-fair", seal=short(dice.seal), secret=short(dice.secret))
    return Screen.of(Text.of(title, reason, opened), Buttons.of(FAIR_BUTTON))
