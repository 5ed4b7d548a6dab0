"""Counters and timers of the running bot; docs/operating.md says what they mean.

Each series is looked up once, in this module, so that an update takes a microsecond.
"""

from __future__ import annotations

import platform
from collections import Counter as Tally
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

# Or each counter would have a second series with the time at which it began, and take twice the room.
prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]

REGISTRY = CollectorRegistry()
"""The metrics of this process, apart from those that other code may add to the library's registry."""

prometheus_client.ProcessCollector(registry=REGISTRY)
prometheus_client.GCCollector(registry=REGISTRY)

_SHORT = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
_LONG = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
"""Upper ends of the buckets of short and of long times, in seconds."""

_on = False


def enable() -> None:
    """Start measuring every click, which takes a fortieth of its time."""
    global _on
    _on = True


def enabled() -> bool:
    """Return whether clicks are measured. Rare events are always counted."""
    return _on


DONE, REFUSED, STALE, ECHO, FAILED, REPEATED = "done", "refused", "stale", "echo", "failed", "repeated"
"""Outcomes of an interaction: carried out; refused because of a rule or a permission; on an old table; the
second half of a double click; failed with an error; delivered again by Discord."""

OUTCOMES = (DONE, REFUSED, STALE, ECHO, FAILED, REPEATED)

_interactions = Counter(
    "dicebot_interactions", "Clicks and commands, by outcome.", ("kind", "outcome"), registry=REGISTRY
)
interactions: Mapping[bool, Mapping[str, Counter]] = {
    is_command: {
        outcome: _interactions.labels("command" if is_command else "click", outcome) for outcome in OUTCOMES
    }
    for is_command in (False, True)
}
"""The counters by whether the interaction is a command, and by outcome."""

_step = Histogram(
    "dicebot_step_seconds",
    "Time a step takes: reading a game, writing one, showing it, and a click as a whole.",
    ("step",),
    buckets=_SHORT,
    registry=REGISTRY,
)
load_seconds = _step.labels("load")
commit_seconds = _step.labels("commit")
paint_seconds = _step.labels("paint")
click_seconds = _step.labels("whole")

interaction_age_seconds = Histogram(
    "dicebot_interaction_age_seconds",
    "How old an interaction is when the bot gets it, by Discord's clock and the machine's.",
    buckets=_SHORT,
    registry=REGISTRY,
)

_commits = Counter(
    "dicebot_commits", "Steps of games written to the database, by outcome.", ("outcome",), registry=REGISTRY
)
commit_done = _commits.labels("done")
commit_conflict = _commits.labels("conflict")
commit_duplicate = _commits.labels("duplicate")
commit_failed = _commits.labels("failed")

_paints = Counter(
    "dicebot_paints", "Tables brought up to date in Discord, by outcome.", ("outcome",), registry=REGISTRY
)
paint_done = _paints.labels("done")
paint_coalesced = _paints.labels("coalesced")
paint_failed = _paints.labels("failed")

_thinking = Histogram(
    "dicebot_thinking_seconds",
    "Time until AI players, odds, reviews and other results of games are there, with the wait for a worker.",
    ("kind",),
    buckets=_LONG,
    registry=REGISTRY,
)
move_thinking = _thinking.labels("move")
review_thinking = _thinking.labels("review")
result_thinking = _thinking.labels("result")

_slowed = Counter(
    "dicebot_slowed",
    "Requests refused because a person, a server or everybody together asks for more than the bot can do.",
    ("limit",),
    registry=REGISTRY,
)
slowed_person = _slowed.labels("person")
slowed_server = _slowed.labels("server")
slowed_typing = _slowed.labels("typing")
slowed_waiting = _slowed.labels("waiting")

loop_lag_seconds = Histogram(
    "dicebot_loop_lag_seconds",
    "How late the event loop runs a timer, measured once a second; late means too little processor time.",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5),
    registry=REGISTRY,
)

_sessions = Counter(
    "dicebot_gateway_sessions",
    "Sessions with Discord's gateway: new ones, and resumed ones, in which no event is lost.",
    ("how",),
    registry=REGISTRY,
)
session_new = _sessions.labels("new")
session_resumed = _sessions.labels("resumed")

gateway_disconnects = Counter(
    "dicebot_gateway_disconnects", "Lost connections to Discord's gateway.", registry=REGISTRY
)

events_lost = Counter(
    "dicebot_events_lost",
    "Gateway sessions that could not be resumed: the events of the meantime never reach the bot.",
    registry=REGISTRY,
)

database_log_bytes = Gauge(
    "dicebot_database_log_bytes",
    "Size of SQLite's write-ahead log, looked at a minute after a write.",
    registry=REGISTRY,
)

_about = Gauge("dicebot_info", "The version that runs, always 1.", ("version", "python"), registry=REGISTRY)


def set_version(version: str) -> None:
    """Set the version that runs."""
    _about.labels(version, platform.python_version()).set(1)


unseen_answers: Tally[int] = Tally()
"""Answers that Discord refused as too late or repeated, by its error code."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The current values, as a registry that is built for each request.

    ``games`` counts lobbies and running games by game and status. ``latency`` is the gateway's in seconds;
    None without a connection.
    """

    connected: bool
    latency: float | None
    servers: int
    games: Mapping[tuple[str, str], int]

    def collect(self) -> Iterator[Metric]:
        yield GaugeMetricFamily(
            "dicebot_connected", "Whether the bot is connected to Discord's gateway.", int(self.connected)
        )
        if self.latency is not None:
            yield GaugeMetricFamily(
                "dicebot_gateway_latency_seconds", "Time a heartbeat takes to and fro.", self.latency
            )
        yield GaugeMetricFamily("dicebot_servers", "Servers the bot is in.", self.servers)
        games = GaugeMetricFamily(
            "dicebot_games", "Lobbies and running games in the database.", labels=("game", "status")
        )
        for (game, status), count in sorted(self.games.items()):
            games.add_metric((game, status), count)
        yield games
        unseen = CounterMetricFamily(
            "dicebot_answers_lost", "Answers that nobody saw, by Discord's error code.", labels=("code",)
        )
        for code, times in sorted(unseen_answers.items()):
            unseen.add_metric((str(code),), times)
        yield unseen
