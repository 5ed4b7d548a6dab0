"""The command line: output and exit codes."""

from __future__ import annotations

import argparse
import gc
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from filelock import FileLock

from bot import __main__ as program
from bot import __version__, playground
from bot.cli import invite, run, text
from bot.cli import playground as cli_playground
from bot.cli.refusals import refusal
from bot.client import PERMISSIONS
from bot.settings import Settings
from bot.store.base import Unusable
from bot.store.sqlite.lock import claim, process_file

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _nowhere(no_settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log stays as it is."""
    monkeypatch.setattr(program, "_log_to_stderr", lambda settings: None)


def test_version_as_a_process(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bot", "--version"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, f"dicebot {__version__}")


def test_a_reader_that_has_had_enough_gets_no_traceback() -> None:
    """As in ``doctor | head -1``."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = [sys.executable, "-m", "bot", "simulate", "--games", "1"]
        done = subprocess.run(
            command, cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, text=True, check=False
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


def test_a_broken_pipe_of_the_bot_is_not_taken_for_one_of_its_output(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> int:
        raise BrokenPipeError

    monkeypatch.setattr(program, "_carry_out", broken)
    with pytest.raises(BrokenPipeError):
        program.main(["run"])


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as info:
        program.main(["--help"])
    assert info.value.code == 0
    text = capsys.readouterr().out
    for command in program.COMMANDS:
        assert command in text
        with pytest.raises(SystemExit) as info:
            program.main([command, "--help"])
        assert info.value.code == 0


def test_a_command_is_imported_without_collecting_garbage_and_runs_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    collecting = []
    monkeypatch.setattr(program, "import_module", lambda name: collecting.append(gc.isenabled()))
    program._module("run")
    assert (collecting, gc.isenabled()) == ([False], True)


@pytest.mark.parametrize(
    "arguments",
    [
        ["nothing"],
        ["--nothing"],
        ["run", "extra"],
        ["maintenance", "x" * 101],
        ["playground", "--port", "x"],
        ["playground", "--port", "0"],
        ["playground", "--port", "65536"],
        ["playground", "--port", "-1"],
        ["playground", "--port", "²"],
    ],
)
def test_wrong_arguments_exit_with_2_and_say_why(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as info:
        program.main(arguments)
    assert info.value.code == 2
    assert "error" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["postgresql://dice:pa55word@db/dice"],
        ["verify", "postgresql://dice:pa55word@db/\x1b[2J"],
        ["backup", "one.db", "password=pa55word\x1b[2J"],
        ["restore", "missing\x1b[2J.db"],
    ],
)
def test_a_terminal_gets_no_password_and_no_control_character(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code: object = program.main(arguments)
    except SystemExit as ended:
        code = ended.code
    assert code in (1, 2)
    printed = "".join(capsys.readouterr())
    assert "pa55word" not in printed
    assert "\x1b" not in printed


@pytest.mark.parametrize("command", ["run", "invite"])
def test_without_a_token_it_is_said_how_to_get_one(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main([command]) == 2
    text = capsys.readouterr().err
    assert "DISCORD_TOKEN" in text
    assert "https://discord.com/developers/applications" in text
    assert ".env" in text


@pytest.mark.parametrize(
    ("name", "value"), [("LOG_LEVEL", "LOUD"), ("DATABASE_URL", "games.db"), ("GUILD_IDS", "x")]
)
@pytest.mark.parametrize("command", [["run"], ["playground"], ["invite"], []])
def test_a_wrong_setting_exits_with_2_and_is_named(
    name: str,
    value: str,
    command: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(name, value)
    assert program.main(command) == 2
    text = capsys.readouterr().err
    assert name in text
    assert "Traceback" not in text


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("DATABASE_URL", "games.db", "postgresql://user:password@host/database"),
        ("DATABASE_URL", "sqlite:///~/games.db", "sqlite:////absolute/path/games.db"),
        ("OWNER_GUILD_ID", "x", "the id of one server"),
        ("DISCORD_API_URL", "discord.com", "should look like https://"),
    ],
)
def test_a_wrong_setting_comes_with_an_example(
    name: str, value: str, told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    assert program.main(["run"]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("addresses", "told"),
    [
        (["games.db"], "FROM: it should look like sqlite:///data/games.db"),
        (["sqlite:///games.db", "host"], "TO: it should look like postgresql://user:password@host/name"),
    ],
)
def test_a_wrong_address_of_a_database_is_not_taken_for_a_setting(
    addresses: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        program.main(["migrate-data", *addresses])
    printed = capsys.readouterr().err
    assert told in printed
    assert "DATABASE_URL" not in printed


@pytest.mark.parametrize(
    ("python", "typed"),
    [(".venv/bin/python", ".venv/bin/python -m bot"), ("/usr/bin/python3", "/usr/bin/python3 -m bot")],
)
def test_what_is_to_be_typed_works_in_the_present_folder(
    python: str, typed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / python))
    assert text.program() == typed
    monkeypatch.setattr(sys, "argv", ["dicebot"])
    assert text.program() == "dicebot"


def test_the_time_of_the_playground_may_name_its_zone() -> None:
    at = argparse.ArgumentParser()
    cli_playground.add_arguments(at)
    (here, there) = (
        at.parse_args(["--at", one]).at for one in ("2030-01-01T00:00", "2030-01-01T02:00+02:00")
    )
    assert here == there


@pytest.mark.parametrize("token", ["", "abc"])
def test_no_command_means_the_bot_with_a_token_and_else_the_playground(
    token: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[object] = []

    def noted(what: object) -> int:
        called.append(what)
        return 0

    monkeypatch.setattr(run, "run", lambda arguments, settings: noted("run"))
    monkeypatch.setattr(cli_playground, "run", lambda arguments, settings: noted(arguments.port))
    monkeypatch.setenv("DISCORD_TOKEN", token)
    assert program.main([]) == 0
    assert called == (["run"] if token else [playground.PORT])
    text = capsys.readouterr().err
    assert "DISCORD_TOKEN is" in text
    assert token not in text or not token


def with_bot(monkeypatch: pytest.MonkeyPatch, outcome: Any) -> None:
    """Set a token, and let the bot end like this."""

    async def bot(settings: Settings) -> int:
        if isinstance(outcome, BaseException):
            raise outcome
        return int(outcome)

    monkeypatch.setattr(run, "_bot", bot)
    monkeypatch.setenv("DISCORD_TOKEN", "secret-token")


@pytest.mark.parametrize(
    ("outcome", "code", "hint"),
    [
        (0, 0, ""),
        (discord.LoginFailure("Improper token"), 3, "Reset Token"),
        (discord.PrivilegedIntentsRequired(None), 3, "Privileged Gateway Intents"),
        (Unusable("the database has schema 9"), 2, "schema 9"),
    ],
)
def test_how_the_bot_ends_is_the_exit_code_with_the_fix_in_a_line(
    outcome: Any, code: int, hint: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_bot(monkeypatch, outcome)
    assert program.main(["run"]) == code
    text = capsys.readouterr().err
    assert hint in text
    assert len(text.splitlines()) <= 1
    assert "secret-token" not in text


def test_a_second_bot_on_the_same_database_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_bot(monkeypatch, 0)
    (tmp_path / "data").mkdir()
    with FileLock(tmp_path / "data" / "games.db.lock"):
        assert program.main(["run"]) == 2
    assert "Another bot is running" in capsys.readouterr().err
    assert program.main(["run"]) == 0  # once that one is gone


def test_a_database_where_no_folder_can_be_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_bot(monkeypatch, 0)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DATABASE_URL", "sqlite:///file/games.db")
    assert program.main(["run"]) == 2
    assert "games.db" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/dev/null", "not a file"),
        ("/proc/games.db", "no file can be made there"),
        (f"/{'x' * 300}", "too long"),
    ],
)
def test_a_place_where_no_database_can_be_is_told_in_a_line(
    path: str, told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_bot(monkeypatch, 0)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{path}")
    assert program.main(["run"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert re.search(f"DATABASE_URL.*{told}", line), line


def test_the_invite_link_asks_for_what_the_bot_needs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def application(settings: Settings) -> int:
        return 123456

    monkeypatch.setattr(invite, "_application", application)
    monkeypatch.setenv("DISCORD_TOKEN", "secret-token")
    assert program.main(["invite"]) == 0
    link = capsys.readouterr().out.strip()
    assert link.startswith("https://discord.com/oauth2/authorize?client_id=123456")
    assert "applications.commands" in link
    assert f"permissions={PERMISSIONS.value}" in link
    assert not PERMISSIONS.administrator
    assert not PERMISSIONS.mention_everyone


@pytest.mark.parametrize(("failure", "code"), [(discord.LoginFailure("no"), 3), (OSError("no network"), 1)])
def test_the_invite_link_when_discord_refuses(
    failure: Exception, code: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def application(settings: Settings) -> int:
        raise failure

    monkeypatch.setattr(invite, "_application", application)
    monkeypatch.setenv("DISCORD_TOKEN", "secret-token")
    assert program.main(["invite"]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "secret-token" not in captured.err


@pytest.mark.parametrize(
    ("code", "cure"),
    [
        (4004, "token.*https://discord.com/developers"),
        (4010, "SHARD_COUNT and SHARD_IDS"),
        (4011, "Raise SHARD_COUNT"),
        (4012, "newer version of the bot"),
        (4013, "newer version of the bot"),
        (4014, "intents.*https://discord.com/developers"),
        (4000, None),
    ],
)
def test_a_final_close_code_of_the_gateway_comes_with_its_cure(code: int, cure: str | None) -> None:
    socket: Any = SimpleNamespace(close_code=code)
    told = refusal(discord.ConnectionClosed(socket, shard_id=0))
    assert told is None if cure is None else re.match(f"Discord (refuses|does not know).*{cure}", told or "")


@pytest.mark.parametrize("noted", ["", "\n"])
def test_maintenance_while_the_bot_is_just_starting(
    no_settings: Path, capsys: pytest.CaptureFixture[str], noted: str
) -> None:
    """The bot has the lock, and not yet written the number of its process."""
    database = no_settings / "data" / "games.db"
    lock = claim(database)
    try:
        process_file(database).write_text(noted)
        assert program.main(["maintenance"]) == text.FAILED
    finally:
        lock.release()
    assert "the bot can't be told: it has not noted its process yet, try again" in capsys.readouterr().err
