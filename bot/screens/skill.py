"""Skill and luck in words, for the review and the statistics."""

from __future__ import annotations

from bot.i18n.say import Argument, Percent, Say, say
from bot.strategy.skill import THOUSAND, Skill

LEVELS = ((0.5, "ai-grandmaster"), (2.0, "ai-expert"), (4.5, "skilled-player"), (9.0, "ai-casual"))
"""The ratings up to which somebody plays like each of these; a beginner's is higher. They lie between those
of the AI players, which are in benchmarks/skill.md."""


def level(rating: float) -> Say:
    """Name the class of a performance rating."""
    return say(next((key for most, key in LEVELS if rating <= most), "ai-beginner"))


def rating_facts(skill: Skill) -> dict[str, Argument] | None:
    """Return the arguments ``level``, ``rating`` and ``interval`` of a text, or None with too few choices."""
    rating, interval = skill.rating, skill.interval
    if rating is None or interval is None:
        return None
    return {
        "level": level(rating),
        "rating": Percent(rating / THOUSAND, 2),
        "interval": Percent(interval / THOUSAND, 2),
    }


def signed(change: float) -> Argument:
    """Return a change of the winning chance with its sign, unless it is shown as 0."""
    if not round(change, 3):
        return Percent(0.0)
    return say("skill-luck-bad" if change < 0 else "skill-luck-good", luck=Percent(abs(change)))


def within(share: float) -> Percent:
    """Return a result without luck, which may lie a little outside 0 to 1, as a share of 1."""
    return Percent(min(1.0, max(0.0, share)))
