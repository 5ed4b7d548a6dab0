"""Tutto's entry in the registry."""

from __future__ import annotations

from bot.games.tutto import Tutto
from bot.games.tutto.state import STOP
from bot.screens.entry import Entry
from bot.screens.tutto.advice import TuttoAdvice
from bot.screens.tutto.table import TuttoScreen
from bot.standings.ratings import ERRORS
from bot.strategy.policy import Cautious
from bot.strategy.tutto import Beginner, Casual, Expert, Grandmaster, learned, tables
from bot.strategy.tutto.skill import VERSION, measure

_rules = Tutto()
_advice = TuttoAdvice()

TUTTO = Entry(
    _rules,
    TuttoScreen(),
    {"beginner": Beginner(), "casual": Casual(), "expert": Expert(), "grandmaster": Grandmaster()},
    Cautious(_rules, STOP, Casual()),
    icon="🎲",
    icons={
        "card-bonus": "⭐",
        "card-cloverleaf": "🍀",
        "card-fireworks": "🎆",
        "card-plus-minus": "⚖️",
        "card-stop": "🛑",
        "card-straight": "📶",
        "card-x2": "✖️",
    },
    counted=("tuttos", "nulls", "cards"),
    feat="tuttos",
    advice=_advice,
    coach=_advice,
    measure=measure,
    measure_version=VERSION,
    errors=ERRORS,
    problems=lambda: (*tables.problems(), *learned.problems()),
)
