"""Gambler's entry in the registry."""

from __future__ import annotations

from bot.games.dice import FACES
from bot.games.gambler import Gambler
from bot.games.gambler.state import STOP
from bot.screens.entry import Entry
from bot.screens.gambler.advice import GamblerAdvice
from bot.screens.gambler.table import GamblerScreen
from bot.standings.ratings import Errors
from bot.strategy.gambler import Beginner, Casual, Expert, Grandmaster, completion, tables
from bot.strategy.gambler.skill import VERSION, measure
from bot.strategy.policy import Cautious

_rules = Gambler()
_advice = GamblerAdvice()

# As code, a number or a star has a small frame, like an empty box.
_BOXES = {**{str(face): f"`{face}`" for face in FACES}, "star": "`★`", "star-a": "`A`", "star-b": "`B`"}

GAMBLER = Entry(
    _rules,
    GamblerScreen(),
    {"beginner": Beginner(), "casual": Casual(), "expert": Expert(), "grandmaster": Grandmaster()},
    Cautious(_rules, STOP, Casual()),
    icon="🎰",
    icons={
        **{f"box-{asked}": text for asked, text in _BOXES.items()},
        **{f"next-{asked}": f"▸{text}" for asked, text in _BOXES.items()},
        "chip-100": "🔵",
        "chip-50": "🟡",
        "chip-10": "⚪",
        "row-costs": "⬛",
        "row-pays": "🟨",
    },
    counted=("rows", "rounds"),
    beta=14.0,
    feat="rows",
    advice=_advice,
    coach=_advice,
    measure=measure,
    measure_version=VERSION,
    errors=Errors(mean=0.2, noise=0.12, slope=4.5),
    problems=lambda: (*tables.problems(), *completion.problems()),
)
