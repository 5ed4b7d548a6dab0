"""What seats are called in charts."""

from __future__ import annotations

from collections.abc import Sequence

from bot.charts.letters import drawable
from bot.games.seats import Seat
from bot.i18n.catalogue import Catalogue
from bot.i18n.say import Name, say
from bot.screens.model import seat_name


def drawn_name(catalogue: Catalogue, locale: str, seats: Sequence[Seat], seat: int) -> str:
    """Return a seat's name, or if the fonts can't draw it its number, as in "Player 2"."""
    who = seat_name(seats, seat)
    name = who.text if isinstance(who, Name) else catalogue.text(locale, who)  # type: ignore[arg-type]
    return drawable(name) or catalogue.text(locale, say("chart-player", number=seat + 1))
