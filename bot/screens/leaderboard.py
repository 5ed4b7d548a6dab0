"""The leaderboard of a server."""

from __future__ import annotations

from collections.abc import Sequence

from bot.i18n.say import Icons, Name, say
from bot.ranking import Sort, Standing
from bot.screens.model import PRIMARY, SECONDARY, Block, Button, Buttons, Divider, Screen, Text

PAGE = 10
ACCENT = 0xF1C40F


def leaderboard(game: str, sort: Sort, rows: Sequence[Standing], page: int, pages: int) -> Screen:
    """One page; ``page`` counts from 0."""
    name, by = say(f"{game}-name"), say(f"board-by-{sort.value}")
    title = say("board-title", icon=Icons((f"game-{game}",)), game=name, sort=by)
    lines = [
        say(
            "board-line",
            place=row.place,
            name=Name(row.name) if row.name else say("nobody"),
            wins=say("board-wins", n=row.wins),
            games=say("board-games", n=row.games),
            rate=100 * row.wins // row.games,
            best=row.best_turn,
        )
        for row in rows
    ]
    blocks: list[Block] = [Text((title,)), Divider(), Text(tuple(lines) or (say("board-empty"),))]
    if pages > 1:
        blocks.append(Text((say("board-page", page=page + 1, pages=pages),)))
        here = f"lb.{game}.{sort.value}"
        previous = Button(f"{here}.{page - 1}.p", say("board-previous"), disabled=page == 0)
        following = Button(f"{here}.{page + 1}.n", say("board-next"), disabled=page >= pages - 1)
        blocks.append(Buttons((previous, following)))
    blocks.append(
        Buttons(
            tuple(
                Button(
                    f"lb.{game}.{other.value}.0.s",
                    say(f"board-sort-{other.value}"),
                    PRIMARY if other is sort else SECONDARY,
                    disabled=other is sort,
                )
                for other in Sort
            )
        )
    )
    return Screen(tuple(blocks), ACCENT)
