"""What stood out in a finished game, in a line each: its most important turn, and its best decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.games.seats import Seat
from bot.i18n.say import Argument, Percent, Say, joined, resolve, say
from bot.screens.seat_names import shortest_names_of


@dataclass(frozen=True, slots=True)
class TurnOfGame:
    """The turn that changed most. ``number`` counts the turns of all seats from 1.

    ``told`` is what came of it, whose texts name seats by :class:`~bot.i18n.say.SeatRef`; ``chances`` are
    the winning chances of its seat before and after it, or None if they are unknown.
    """

    seat: int
    number: int
    told: tuple[Say, ...]
    chances: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class BestDecision:
    """A choice that was right where most people would have made another one.

    ``turn`` counts from 1, ``gain`` is how much more winning chance it gave than the ``usual`` choice.
    """

    seat: int
    turn: int
    played: Say
    usual: Say
    gain: float


@dataclass(frozen=True, slots=True)
class Highlights:
    """What stood out in a finished game; None for what did not."""

    turn: TurnOfGame | None = None
    decision: BestDecision | None = None


NO_HIGHLIGHTS = Highlights()


def told(seats: Sequence[Seat], highlights: Highlights) -> tuple[Say, ...]:
    """Return what stood out in a finished game, in a line each."""
    names = shortest_names_of(seats)
    lines: list[Say] = []
    if (turn := highlights.turn) is not None:
        story = joined([resolve(piece, names.__getitem__) for piece in turn.told], "turn-joined")
        line = say("end-turn", name=names[turn.seat], turn=turn.number, story=story)
        if turn.chances is not None:
            before, after = (Percent(chance, 0) for chance in turn.chances)
            line = say("end-turn-chances", line=line, before=before, after=after)
        lines.append(line)
    if (best := highlights.decision) is not None:
        name = names[best.seat]
        given: dict[str, Argument] = {"played": best.played, "usual": best.usual, "gain": Percent(best.gain)}
        lines.append(say("end-decision", name=name, turn=best.turn, **given))
    return tuple(lines)
