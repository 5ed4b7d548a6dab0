"""The subcommands ``simulate`` and ``verify`` on the command line."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from bot import __main__ as program
from bot.cli import simulate as simulate_command
from bot.cli import verify as verify_command
from bot.records.record import to_line
from tests.support.coin import register
from tests.support.records import tutto_record

Result = tuple[int, str, str]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command line, split at spaces, and further arguments; return the exit code and both streams."""

    def run(command: str, *more: str) -> Result:
        try:
            code = program.main([*command.split(), *more])
        except SystemExit as error:
            code = int(error.code or 0)
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def simulated(cli: Any, tmp_path: Path) -> Path:
    """Twelve games on file."""
    path = tmp_path / "games.jsonl"
    code, _, err = cli("simulate --target 1000 --games 12 --seed 7 --record", str(path))
    assert (code, err) == (0, "")
    return path


def rewrite(path: Path, line: int, change: Any) -> None:
    """Change the record on one line (from 0) of a file."""
    lines = path.read_text(encoding="ascii").splitlines()
    record = json.loads(lines[line])
    change(record)
    lines[line] = to_line(record)
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


# simulate


def test_a_summary_for_people(cli: Any) -> None:
    code, out, err = cli(
        "simulate --edition classic --target 1500 --seats casual,casual,casual --games 20 --seed x"
    )
    assert (code, err) == (0, "")
    assert out.isascii()
    lines = out.splitlines()
    assert lines[0] == "tutto, edition classic, target 1500"
    assert re.fullmatch(r"20 games in \d+\.\d s \([\d,]+ a second\), seed x", lines[1])
    assert re.split(r"\s{2,}", lines[3]) == ["seat", "player", "wins", "share", "95% interval", "mean score"]
    rows = [re.split(r"\s{2,}", line.strip()) for line in lines[4:7]]
    assert [row[:2] for row in rows] == [["0", "casual"], ["1", "casual"], ["2", "casual"]]
    assert sum(float(row[2]) for row in rows) == pytest.approx(20, abs=0.2)
    for row in rows:
        low, share, high = float(row[4].split("%")[0]), float(row[3][:-1]), float(row[4].split()[2][:-1])
        assert low <= share <= high
    assert len({len(line) for line in lines[3:7]}) == 1
    assert re.fullmatch(r"Turns per game: \d+\.\d", lines[8])
    assert lines[9].startswith("Ended by: target ")


def test_the_summary_tells_of_shared_wins(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch)
    code, out, _ = cli("simulate --game coin --option bonus=3 --seats tosser,idler --games 8 --seed 1")
    assert code == 0
    assert out.startswith("coin, bonus 3\n")
    shared = r"\d wins were shared; each counts as an equal part of one for each of its winners\.\n"
    assert re.search(shared, out)


def test_json_and_the_same_games_again(cli: Any) -> None:
    found = []
    for _ in range(2):
        code, out, err = cli("simulate --target 1000 --games 5 --seed 7 --json")
        assert (code, err) == (0, "")
        report = json.loads(out)
        assert report.pop("seconds") > 0
        assert report.pop("games_per_second") > 0
        found.append(report)
    assert found[0] == found[1]
    assert found[0]["options"] == {"edition": "current", "target": 1000}
    assert found[0]["seed"] == "7"


def test_without_a_seed_one_is_chosen_and_shown(cli: Any) -> None:
    _, first, _ = cli("simulate --target 1000 --games 2 --json")
    _, second, _ = cli("simulate --target 1000 --games 2 --json")
    seeds = [json.loads(out)["seed"] for out in (first, second)]
    assert seeds[0] != seeds[1]
    _, again, _ = cli(f"simulate --target 1000 --games 2 --json --seed {seeds[0]}")
    assert json.loads(again)["seats"] == json.loads(first)["seats"]


def test_options_may_be_given_either_way(cli: Any) -> None:
    _, short, _ = cli("simulate --edition modern --target 1500 --games 2 --seed 1 --json")
    _, long, _ = cli("simulate --option edition=modern --option target=1500 --games 2 --seed 1 --json")
    assert (
        json.loads(short)["options"] == json.loads(long)["options"] == {"edition": "modern", "target": 1500}
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--game ludo", "there is no game 'ludo'; choose from: tutto"),
        ("--seats casual,smart", "no player 'smart'; choose from: "),
        ("--seats casual", "2 to 10 seats, not 1"),
        ("--seats ,", "no player ''; choose from: "),
        ("--target 5", "1,000 to 50,000"),
        ("--target many", "1,000 to 50,000"),
        ("--target 99999999999999999999999", "1,000 to 50,000"),
        ("--edition old", "classic, modern or current"),
        ("--option colour=red", "no option 'colour'; it has: edition, target"),
        ("--option target", "--option takes NAME=VALUE"),
        ("--option =5", "--option takes NAME=VALUE"),
        ("--target 1000 --option target=1500", "'target' is given twice"),
        ("--games 0", "at least 1, not 0"),
        ("--games -3", "at least 1, not -3"),
        ("--games many", "invalid int value"),
        ("--seed", "expected one argument"),
    ],
)
def test_what_is_wrong_is_said_with_what_would_be_right(cli: Any, arguments: str, told: str) -> None:
    code, out, err = cli("simulate", *arguments.split())
    assert (code, out) == (2, "")
    assert told in err
    assert "Traceback" not in err


def test_a_refused_command_leaves_an_old_file_alone(cli: Any, simulated: Path) -> None:
    before = simulated.read_bytes()
    assert cli("simulate", "--target", "5", "--record", str(simulated))[0] == 2
    assert simulated.read_bytes() == before


def test_a_file_that_can_not_be_written(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "no such folder" / "games.jsonl"
    code, out, err = cli("simulate", "--target", "1000", "--games", "2", "--record", str(path))
    assert (code, out) == (2, "")
    assert err == f"simulate: can't write {path}: No such file or directory\n"


def test_strange_texts_can_be_shown(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even in an ASCII terminal, and for bytes that are not text."""
    written = io.BytesIO()
    stderr = io.TextIOWrapper(written, encoding="ascii", write_through=True)
    monkeypatch.setattr(sys, "stderr", stderr)
    assert cli("simulate", "--game", "lüdö\udcff")[0] == 2
    assert b"simulate: there is no game" in written.getvalue()
    code, out, _ = cli("simulate", "--target", "1000", "--games", "1", "--seed", "sämen\udcff")
    assert (code, out.isascii()) == (0, True)


def test_interrupting(cli: Any, monkeypatch: pytest.MonkeyPatch, simulated: Path) -> None:
    def interrupt(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(simulate_command, "simulate", interrupt)
    code, _, err = cli("simulate")
    assert (code, "interrupted" in err) == (130, True)
    monkeypatch.setattr(verify_command, "verify_stream", interrupt)
    code, _, err = cli("verify", str(simulated))
    assert (code, err) == (130, "verify: interrupted; 0 games verified so far\n")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("terminal", [True, False])
def test_a_progress_bar_only_on_a_terminal(
    cli: Any, monkeypatch: pytest.MonkeyPatch, simulated: Path, terminal: bool
) -> None:
    stderr = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", stderr)
    assert cli("simulate", "--target", "1000", "--games", "3")[0] == 0
    assert ("game" in stderr.getvalue()) == terminal
    assert cli("verify", str(simulated))[0] == 0
    assert bool(stderr.getvalue()) == terminal


# verify


def test_records_that_are_in_order(cli: Any, simulated: Path) -> None:
    code, out, err = cli("verify", str(simulated))
    assert (code, err) == (0, "")
    assert re.fullmatch(r"12 games verified \(tutto 12\): [\d,]+ moves and [\d,]+ outcomes of chance\n", out)


def test_one_record(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text(to_line(tutto_record()), encoding="ascii")
    assert cli("verify", str(path))[1].startswith("1 game verified")


def test_standard_input(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = to_line(tutto_record(1)) + "\n" + to_line(tutto_record(2)) + "\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    code, out, _ = cli("verify", "-")
    assert (code, out[:16]) == (0, "2 games verified")


def test_no_standard_input(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert cli("verify", "-") == (2, "", "verify: can't read -: standard input is closed\n")


def set_at(*path: Any) -> Any:
    *outer, last, value = path

    def change(record: Any) -> None:
        for step in outer:
            record = record[step]
        record[last] = value

    return change


def turn_a_die(record: Any) -> None:
    """Make one die of the first roll another, in ascending order."""
    roll = next(one for move in record["moves"] for one in move["chance"] if "dice" in one)["dice"]
    roll[0] = 2 if roll[0] == 1 else 1
    roll.sort()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (set_at("schema", 9), "line 5, schema: is 9"),
        (set_at("game", "chess"), 'line 5, game: is "chess"'),
        (set_at("options", "target", 1001), "line 5, options: "),
        (set_at("seats", 0, "policy", None), "line 5, seats[0].policy: "),
        (set_at("seats", 1, "kind", "cat"), "line 5, seats[1]: "),
        (set_at("seed", "0" * 64), "line 5, seed_sha256: "),
        (set_at("seed_sha256", "0" * 64), "line 5, seed_sha256: "),
        (turn_a_die, "but the seed gives"),
        (set_at("moves", 0, "chance", 0, "card", "joker"), "line 5, moves[0].chance[0]: "),
        (set_at("moves", 0, "seat", 1), "line 5, moves[0].seat: it is seat 0"),
        (set_at("moves", 0, "action", {"type": "stop"}), "line 5, moves[0].action: the rules forbid"),
        (set_at("scores", 0, [50, 50]), "line 5, scores[0]: is [50,50]"),
        (set_at("result", "scores", [0, 0]), "line 5, result.scores: "),
        (set_at("result", "winners", []), "line 5, result.winners: "),
        (set_at("result", "reason", "luck"), 'line 5, result.reason: is "luck"'),
        (lambda record: record["moves"].pop(), "line 5, moves: the game is not over"),
        (lambda record: record["scores"].pop(), "is missing: a turn ended with"),
        (lambda record: record.pop("result"), "line 5, result: is missing"),
    ],
)
def test_the_first_thing_wrong_is_named(cli: Any, simulated: Path, change: Any, told: str) -> None:
    rewrite(simulated, 4, change)
    rewrite(simulated, 7, set_at("schema", 0))
    code, out, err = cli("verify", str(simulated))
    assert (code, out) == (1, "")
    assert err.startswith(f"verify: {simulated}, line 5, ")
    assert told in err
    assert err.endswith("\nverify: 4 games before it are in order\n")


def test_games_by_other_rules_are_told_apart_from_wrong_ones(cli: Any, simulated: Path) -> None:
    """They are neither verified nor doubted, and the rest of the file is checked."""
    for line in (4, 7):
        rewrite(simulated, line, set_at("rules_version", 9))
    code, out, err = cli("verify", str(simulated))
    assert code == 1
    assert out.startswith("10 games verified")
    assert f"{simulated}, line 5, rules_version: is 9, but this program plays" in err
    assert "2 games made under other rules" in err
    rewrite(simulated, 4, set_at("seed", "0" * 64))
    code, out, err = cli("verify", str(simulated))
    assert (code, out) == (1, "")
    assert "line 5, seed_sha256" in err


SAMPLES = Path(__file__).parents[1] / "records" / "samples"


@pytest.mark.parametrize("schema", [1, 2, 3, 4, 5])
def test_records_of_every_schema_verify(cli: Any, schema: int) -> None:
    code, out, err = cli("verify", str(SAMPLES / f"schema-{schema}.jsonl"))
    assert (code, err) == (0, "")
    assert "verified" in out


def test_a_file_that_was_cut_off(cli: Any, simulated: Path) -> None:
    simulated.write_bytes(simulated.read_bytes()[:-40])
    code, _, err = cli("verify", str(simulated))
    assert (code, "line 12: not JSON" in err) == (1, True)


def test_a_file_without_records(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text("\n\n", encoding="ascii")
    assert cli("verify", str(path)) == (1, "", f"verify: {path} contains no game records\n")


@pytest.mark.parametrize("kind", ["missing", "folder", "forbidden"])
def test_a_file_that_can_not_be_read(cli: Any, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "games.jsonl"
    if kind == "folder":
        path.mkdir()
    elif kind == "forbidden":
        path.touch(mode=0)
        if os.access(path, os.R_OK):
            pytest.skip("this user may read everything")
    code, out, err = cli("verify", str(path))
    assert (code, out) == (2, "")
    reason = {"missing": "No such file or directory", "folder": "Is a directory"}.get(
        kind, "Permission denied"
    )
    assert err == f"verify: can't read {path}: {reason}\n"


def test_a_picture_is_no_record(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 10)
    code, _, err = cli("verify", str(path))
    assert (code, err) == (1, f"verify: {path}, line 1: is not UTF-8 text (byte 1)\n")
