"""A player's statistics, and a server's records."""

from __future__ import annotations

from collections.abc import Container, Sequence

from bot.i18n.say import Argument, GameIcon, GameName, Moment, Percent, Say, joined, say
from bot.screens.button_ids import Page
from bot.screens.entry import Entry
from bot.screens.leaderboard import win_rate
from bot.screens.model import (
    Button,
    Buttons,
    Divider,
    Picture,
    Screen,
    Text,
    choice_button,
    message_link,
    person_name,
)
from bot.screens.skill import rating_facts, signed, within
from bot.standings.mastery import habits, read
from bot.standings.values import LUCK, LUCK_GAMES, Board, CurvePoint, ServerRecord, SkillPoint, Stats
from bot.strategy.skill import THOUSAND, moving_ratings, total

ACCENT = 0x4489D8
RECORDS, PERSON, FORECASTS = "records", "person", "forecasts"
"""Tokens of the two pages, and of the one with forecasts, which is private."""
MAX_HABITS = 3
"""How many of the costliest habits to name."""
MIN_HABIT = 0.0001
"""The least winning chance per game that a named habit costs; less is shown as nothing."""
RECENT = 20
"""The latest games whose skill is shown besides that of all."""
MIN_CURVE_POINTS = 2
"""A rating chart needs at least this many points."""
MIN_SKILL_POINTS = 5
"""A chart of skill and luck needs at least this many games."""
RATING_CHART, SKILL_CHART = "rating.png", "skill.png"
"""Names of the two pictures."""


def charts(curve: Sequence[CurvePoint], skills: Sequence[SkillPoint]) -> tuple[str, ...]:
    """Name the pictures for which a person has played enough, in the order in which they are shown."""
    names = []
    if len(curve) >= MIN_CURVE_POINTS:
        names.append(RATING_CHART)
    if len(skills) >= MIN_SKILL_POINTS and _ratings(skills):
        names.append(SKILL_CHART)
    return tuple(names)


def statistics(entry: Entry, stats: Stats, pictures: Container[str] = ()) -> Screen:
    """Show one person's statistics. ``pictures`` are the drawn ones of :func:`charts`.

    Each of the game's ``counted`` feats has a text ``<game>-sum-<feat>``.
    """
    game, whose = entry.rules.key, f"{stats.user_id:x}"
    name = person_name(stats.name)
    described = {RATING_CHART: _rating_alt, SKILL_CHART: _skill_alt}
    boards = [
        choice_button(
            Page.STATS.token(PERSON, game, whose, board.value),
            say(f"board-against-{board.value}"),
            board is stats.board,
        )
        for board in Board
    ]
    play = [line for line in (_luck(stats), *_skill(stats)) if line is not None]
    return Screen.of(
        Text.of(say("stats-title", icon=GameIcon(game), name=name, game=GameName(game))),
        Divider(),
        Text.of(
            _games(stats),
            _rating(stats) if stats.board is Board.PEOPLE else None,
            _streaks(stats),
            _opponents(stats),
        ),
        Divider(),
        Text.of(say("stats-turns", average=_average(stats), best=stats.best_turn), _counts(entry, stats)),
        *((Divider(), Text.of(*play)) if play else ()),
        *(Picture(chart, alt(stats)) for chart, alt in described.items() if chart in pictures),
        Buttons.of(
            *boards,
            Button(Page.STATS.token(FORECASTS, game, whose), say("stats-forecasts")),
            Button(Page.STATS.token(RECORDS, game, whose), say("stats-records")),
        ),
        accent=ACCENT,
    )


def records(game: str, best: Sequence[ServerRecord], guild_id: int, back: int) -> Screen:
    """Show the records of a server. ``back`` is the person whose statistics the Back button shows."""
    lines = []
    for record in best:
        value: Argument = record.value
        if record.kind == "streak":
            value = say("board-wins", n=record.value)
        line = say(
            f"{game}-record-feat"
            if record.kind == "feat"
            else f"stats-record-{record.kind.replace('_', '-')}",
            value=value,
            n=record.value,
            name=person_name(record.name),
        )
        if record.at is not None:
            line = say("stats-record-when", line=line, at=Moment(record.at))
        if record.channel_id is not None and record.message_id is not None:
            link = message_link(guild_id, record.channel_id, record.message_id)
            line = say("stats-record-where", line=line, link=link)
        lines.append(line)
    title = say("stats-records-title", icon=GameIcon(game), game=GameName(game))
    return Screen(
        (
            Text((title,)),
            Divider(),
            Text(tuple(lines) or (say("stats-no-records"),)),
            Buttons((Button(Page.STATS.token(PERSON, game, f"{back:x}"), say("stats-back")),)),
        ),
        ACCENT,
    )


def _games(stats: Stats) -> Say:
    return say(
        "stats-games",
        games=say("board-games", n=stats.games),
        wins=say("board-wins", n=stats.wins),
        rate=win_rate(stats.wins, stats.games),
        since=Moment(stats.since),
    )


def _rating(stats: Stats) -> Say:
    if stats.rating is None:
        return say("stats-unrated")
    if stats.rank is None:
        return say("stats-rating", rating=stats.rating)
    return say("stats-rating-rank", rating=stats.rating, rank=stats.rank, ranked=stats.ranked)


def _counts(entry: Entry, stats: Stats) -> Say | None:
    """Say how often a person has achieved each of the game's feats."""
    game = entry.rules.key
    counts = [
        say(f"{game}-sum-{feat}", n=stats.feats[feat]) for feat in entry.counted if stats.feats.get(feat)
    ]
    return say("stats-counts", counts=joined(counts)) if counts else None


def _luck(stats: Stats) -> Say | None:
    """Say how many points luck has brought or cost in a game, on average."""
    if not (games := stats.feats.get(LUCK_GAMES)):
        return None
    luck = round(stats.feats[LUCK] / games)
    key = "stats-luck-good" if luck > 0 else "stats-luck-bad" if luck < 0 else "stats-luck-even"
    return say(key, points=abs(luck), n=games)


def _skill(stats: Stats) -> list[Say]:
    """Say how well a person plays: in all games, in the latest, and how often they would win without luck."""
    skill = read(stats.feats)
    rated = rating_facts(skill)
    if rated is None:
        return []
    lines = [say("stats-skill", n=skill.games, **rated)]
    latest = [point.skill for point in stats.skills[-RECENT:]]
    recent = rating_facts(total(latest))
    if recent is not None and len(latest) < skill.games:
        lines.append(say("stats-skill-recent", n=len(latest), **recent))
    adjusted, won = within(skill.adjusted / skill.games), Percent(skill.won / skill.games)
    lines.append(say("stats-without-luck", adjusted=adjusted, won=won))
    costly = [
        say("stats-habit", habit=say(f"habit-{name}"), cost=Percent(cost / skill.games, 2))
        for name, cost in habits(stats.feats)[:MAX_HABITS]
        if cost / skill.games >= MIN_HABIT
    ]
    if costly:
        lines.append(say("stats-habits", habits=joined(costly)))
    return lines


def _streaks(stats: Stats) -> Say | None:
    """Say how many games in a row a person has won, once they have won two."""
    if stats.longest_streak < 2:
        return None
    return say("stats-streaks", now=stats.streak, longest=stats.longest_streak)


def _opponents(stats: Stats) -> Say | None:
    """Name the people whom a person has played against most."""
    others = [
        say(
            "stats-opponent",
            name=person_name(other.name),
            games=say("board-games", n=other.games),
            ahead=say("stats-opponent-ahead", n=other.ahead) if other.ahead else say("stats-opponent-never"),
        )
        for other in stats.opponents
    ]
    return say("stats-opponents", others=joined(others)) if others else None


def _average(stats: Stats) -> int:
    return round(stats.score / stats.turns) if stats.turns else 0


def _rating_alt(stats: Stats) -> Say:
    ratings = [point.rating for point in stats.curve]
    return say(
        "stats-curve", n=stats.games, first=ratings[0], last=ratings[-1], low=min(ratings), high=max(ratings)
    )


def _skill_alt(stats: Stats) -> Say:
    ratings, lucks = _ratings(stats.skills), [point.skill.luck for point in stats.skills]
    return say(
        "stats-skill-curve",
        n=len(lucks),
        first=Percent(ratings[0] / THOUSAND, 2),
        last=Percent(ratings[-1] / THOUSAND, 2),
        low=signed(min(lucks)),
        high=signed(max(lucks)),
        average=signed(sum(lucks) / len(lucks)),
    )


def _ratings(skills: Sequence[SkillPoint]) -> list[float]:
    """Return the moving average where there is one."""
    return [rating for rating in moving_ratings([point.skill for point in skills]) if rating is not None]
