"""Simulated games are reproducible and counted correctly, and their records verify."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from random import Random
from time import perf_counter
from typing import Any

import pytest

from bot.cli import simulation as module
from bot.cli.simulation import Report, SimulationError, derive, play_game, simulate, wilson
from bot.games.core import IllegalMove, Unreadable
from bot.games.tutto import Tutto
from bot.records.verification import verify_line
from bot.registry import GAMES
from tests.support.coin import Coin, Idler, register
from tests.support.records import result_of

SMALL = {"target": 1000}
TWO = ["casual", "casual"]


def run(games: int = 12, seed: str = "7", **more: Any) -> tuple[Report, list[str]]:
    lines: list[str] = []
    report = simulate("tutto", more.pop("options", SMALL), more.pop("seats", TWO), games, seed, lines.append)
    assert not more
    return report, lines


def without_time(report: Report) -> dict[str, Any]:
    return {
        key: value for key, value in report.to_json().items() if key not in ("seconds", "games_per_second")
    }


def test_the_same_seed_gives_the_same_games() -> None:
    first, first_lines = run()
    second, second_lines = run()
    assert first_lines == second_lines
    assert without_time(first) == without_time(second)
    assert len(set(first_lines)) == 12
    _, other_lines = run(seed="8")
    assert not set(first_lines) & set(other_lines)


def test_games_do_not_depend_on_how_many_are_played() -> None:
    _, few = run(games=5)
    _, many = run(games=9)
    assert many[:5] == few


def test_seeds_follow_from_the_master_seed_as_documented() -> None:
    _, lines = run(games=3)
    for number, line in enumerate(lines):
        assert json.loads(line)["seed"] == derive("7", b"game", number).hex()
    # HMAC-SHA256 with key "7" of "game" and eight zero bytes, computed with OpenSSL.
    assert derive("7", b"game", 0).hex() == DERIVED
    labels = {derive("7", b"policy", n, seat) for n in range(4) for seat in range(4)}
    assert len(labels | {derive("7", b"game", n) for n in range(4)}) == 20
    assert derive("\udcff\ud800", b"game", 0) != derive("", b"game", 0)


DERIVED = "e7d1b494195a3489775a43a6634b9ca0df0b9acf69f61fb1f02302f19e72298d"


@pytest.mark.parametrize("edition", ["classic", "modern", "current"])
def test_every_game_is_recorded_and_verifies(edition: str) -> None:
    report, lines = run(options={"edition": edition, "target": 1500}, seats=["casual"] * 3)
    verified, results = [verify_line(line) for line in lines], [result_of(line) for line in lines]
    assert len(verified) == report.games == 12
    assert report.mean_turns == pytest.approx(sum(one.turns for one in verified) / 12)
    assert report.reasons == Counter(one.reason for one in results)
    for seat, found in enumerate(report.seats):
        shares = [1 / len(one.winners) for one in results if seat in one.winners]
        assert found.wins == pytest.approx(sum(shares))
        assert found.share == pytest.approx(found.wins / 12)
        assert found.mean_score == pytest.approx(sum(one.scores[seat] for one in results) / 12)
        assert found.low < found.share < found.high or found.share in (0, 1)
    assert sum(seat.wins for seat in report.seats) == pytest.approx(12)


@pytest.mark.parametrize("key", list(GAMES))
def test_every_game_of_the_registry_can_be_simulated(key: str) -> None:
    entry = GAMES[key]
    names = list(entry.policies)
    lines: list[str] = []
    seats = [names[seat % len(names)] for seat in range(entry.rules.min_seats)]
    report = simulate(key, {}, seats, 1, "1", lines.append)
    assert [seat.policy for seat in report.seats] == seats
    assert verify_line(lines[0]).game == key


def test_a_shared_win_counts_as_a_part_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch)
    lines: list[str] = []
    report = simulate("coin", {"bonus": 1}, ["tosser", "idler", "tosser"], 40, "x", lines.append)
    wins = [0.0, 0.0, 0.0]
    for line in lines:
        winners = result_of(line).winners
        for seat in winners:
            wins[seat] += 1 / len(winners)
    assert [seat.wins for seat in report.seats] == pytest.approx(wins)
    assert any(len(result_of(line).winners) == 3 for line in lines)
    assert sum(seat.wins for seat in report.seats) == pytest.approx(40)
    assert report.shared == sum(len(result_of(line).winners) > 1 for line in lines) > 0
    assert report.reasons == {"tossed": 40}
    assert report.mean_turns == 3
    assert all(json.loads(line)["chance"] for line in lines)


def test_the_report_is_json() -> None:
    report, _ = run(games=4)
    raw = json.loads(json.dumps(report.to_json()))
    assert raw["game"] == "tutto"
    assert raw["options"] == {"edition": "current", "target": 1000}
    assert (raw["seed"], raw["games"]) == ("7", 4)
    assert set(raw["seats"][0]) == {"policy", "wins", "share", "interval", "mean_score"}
    assert raw["games_per_second"] > 0


def test_progress_is_told_after_each_game() -> None:
    told: list[int] = []
    simulate("tutto", SMALL, TWO, 5, "7", progress=told.append)
    assert told == [1] * 5


@pytest.mark.parametrize(
    ("share", "games", "low", "high"),
    [
        # Wilson's interval, from R: prop.test(x, n, correct = FALSE)
        (0.0, 10, 0.0, 0.2775),
        (1.0, 10, 0.7225, 1.0),
        (0.5, 10, 0.2366, 0.7634),
        (0.2, 100, 0.1334, 0.2888),
        (0.5, 10_000, 0.4902, 0.5098),
    ],
)
def test_intervals(share: float, games: int, low: float, high: float) -> None:
    assert wilson(share, games) == pytest.approx((low, high), abs=5e-5)


def test_what_can_not_be_simulated() -> None:
    with pytest.raises(Unreadable):
        simulate("ludo", {}, TWO, 1, "7")
    with pytest.raises(IllegalMove):
        simulate("tutto", {"target": 1}, TWO, 1, "7")
    with pytest.raises(SimulationError, match=r"no player 'smart'; choose from: .*casual"):
        simulate("tutto", SMALL, ["casual", "smart"], 1, "7")
    with pytest.raises(SimulationError, match="2 to 10 seats, not 1"):
        simulate("tutto", SMALL, ["casual"], 1, "7")
    with pytest.raises(SimulationError, match="2 to 10 seats, not 11"):
        simulate("tutto", SMALL, ["casual"] * 11, 1, "7")
    for games in (0, -1):
        with pytest.raises(SimulationError, match="at least 1"):
            simulate("tutto", SMALL, TWO, games, "7")


def test_a_game_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_MOVES", 2)
    with pytest.raises(SimulationError, match="has not ended after 2 moves"):
        play_game(Coin(), Coin().options({}), [Idler()] * 3, bytes(32), [Random(1)] * 3)
    _, log = play_game(Coin(), Coin().options({}), [Idler()] * 2, bytes(32), [Random(1)] * 2)
    assert len(log.moves) == 2


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("edition", ["classic", "modern", "current"])
def test_10_000_games_verify_without_a_difference(
    edition: str, record_property: Callable[[str, object], None]
) -> None:
    games = int(os.environ.get("SIMULATED_GAMES", "10000"))
    checked, spent = 0, 0.0

    def check(line: str) -> None:
        nonlocal checked, spent
        start = perf_counter()
        verify_line(line)
        spent += perf_counter() - start
        checked += 1

    start = perf_counter()
    report = simulate("tutto", {"edition": edition}, TWO, games, edition, check)
    whole = perf_counter() - start
    assert checked == games
    assert sum(report.reasons.values()) == games
    assert set(report.reasons) <= {"target", "cloverleaf"}
    # Two equal players: beginning is worth little in any edition.
    assert abs(report.seats[0].share - 0.5) < (0.06 if edition == "classic" else 0.03)
    figures = {"simulate_s": whole - spent, "verify_s": spent, **report.to_json()}
    record_property("figures", json.dumps(figures))
    print(f"\n{edition}: simulated in {whole - spent:.1f} s, verified in {spent:.1f} s; {report.to_json()}")


def test_tutto_is_the_default_game() -> None:
    assert next(iter(GAMES)) == Tutto.key
