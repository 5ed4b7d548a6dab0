"""The checks of `doctor` that need no network."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sqlite3
from collections import namedtuple
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from filelock import FileLock

from bot import __main__ as program
from bot.cli import checks_here, doctor, run
from bot.cli.findings import State
from bot.cli.text import USAGE
from bot.i18n import catalogue
from bot.settings import Settings
from bot.store import files
from bot.store.schema import FOLDER, migrations
from bot.store.sqlite.migrate import statements
from bot.store.sqlite.store import SqliteStore
from bot.strategy.tutto import tables

ROOT = Path(__file__).parents[2]

# Made up, in the form Discord gives them.
TOKEN = "MTIzNDU2Nzg5MDEyMzQ1Njc4.GhIjKl.abcdefghijklmnopqrstuvwxyz0123456789AB"
NEWEST = len(migrations())
posix = pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(token=TOKEN, database=tmp_path / "data" / "games.db")


async def made(settings: Settings) -> None:
    await (await SqliteStore.open(settings.database)).close()


def execute(path: Path, text: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(text)
        connection.commit()


@pytest.mark.parametrize(
    ("token", "state"),
    [
        (TOKEN, State.OK),
        (None, State.FAIL),
        ("swordfish", State.FAIL),
        (f'"{TOKEN}"', State.FAIL),
        (f"Bot{TOKEN}", State.FAIL),
        (TOKEN[:-20], State.FAIL),
        (TOKEN.replace("MTIz", "zzzz"), State.FAIL),  # its first part is no id
    ],
)
def test_the_form_of_the_token(token: str | None, state: State) -> None:
    found = checks_here.token(Settings(token=token))
    assert found.state is state
    assert bool(found.fix) == (state is State.FAIL)
    assert not token or token not in str(found)


@posix
def test_a_file_of_settings_that_others_can_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / ".env"
    file.write_text(f"DISCORD_TOKEN={TOKEN}\nMETRIC_PORT=9464\nLOG_LEVEL=INFO\n")
    file.chmod(0o644)
    monkeypatch.setattr(files, "_lets_through", lambda folder, enter: True)
    found = checks_here.file_of_settings(Settings(token=TOKEN), file)
    assert (found.state, found.fix) == (State.FAIL, f"make it private: chmod 600 {file}")
    assert checks_here.file_of_settings(Settings(token="another"), file).state is State.OK
    file.chmod(0o600)
    found = checks_here.file_of_settings(Settings(token=TOKEN), file)
    assert found.state is State.OK
    assert "METRIC_PORT" in found.text
    assert "LOG_LEVEL" not in found.text
    assert checks_here.file_of_settings(Settings(), tmp_path / "none").text == "are valid"


async def test_a_database_in_order(settings: Settings) -> None:
    assert "does not exist yet" in str(checks_here.database(settings))
    await made(settings)
    before, beside = settings.database.read_bytes(), sorted(settings.database.parent.iterdir())
    found = checks_here.database(settings)
    assert sorted(settings.database.parent.iterdir()) == beside, "it leaves no file of SQLite there"
    assert (found.state, f"schema {NEWEST}" in found.text) == (State.OK, True)
    assert settings.database.read_bytes() == before
    with FileLock(f"{settings.database}.lock"):
        assert "a bot is running" in checks_here.database(settings).text
    assert "a bot is running" not in checks_here.database(settings).text


async def with_unwritable(end: str, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a database, one of whose files can't be written; ``end`` follows its name. Return that file."""
    await made(settings)
    file = settings.database.with_name(settings.database.name + end)
    file.touch()
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != file and real(path, mode))
    return file


@pytest.mark.parametrize("end", [".lock", "-wal", "-shm"])
async def test_what_somebody_else_left_beside_the_database_is_named(
    end: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root has restored a backup: the bot can't start, and doctor does not take this for a running bot."""
    file = await with_unwritable(end, settings, monkeypatch)
    monkeypatch.setattr(os, "geteuid", lambda: 10001)
    found = checks_here.database(settings)
    assert found.state is State.FAIL
    assert f"{file} can't be written" in found.text


@pytest.mark.parametrize("end", ["", "-shm"])
async def test_a_file_of_its_own_that_the_bot_can_not_write_is_named(
    end: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Next to a database that was for reading only, SQLite makes its other files for reading only as well."""
    file = await with_unwritable(end, settings, monkeypatch)
    found = checks_here.database(settings)
    assert (found.state, found.text) == (State.FAIL, f"{file} can't be written")
    assert found.fix == f"chmod u+rwX {settings.database.parent} {settings.database}*"


@pytest.mark.skipif(os.name != "posix", reason="users of POSIX")
@pytest.mark.parametrize("there", [True, False])
def test_a_folder_that_root_has_made(
    there: bool, settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A container engine makes the folder of a mount as root: one line says what to do, at the start and in
    doctor.
    """
    folder = settings.database.parent
    if there:
        folder.mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    monkeypatch.setattr(os, "geteuid", lambda: 10001)
    monkeypatch.setattr(os, "getegid", lambda: 10002)
    found = checks_here.database(settings)
    assert found.state is State.FAIL
    assert f"{folder} can't be {'written' if there else 'made'} by user 10001" in found.text
    assert f"chown -R 10001:10002 {folder}" in found.fix or f"chown 10001:10002 {folder}" in found.fix
    assert run.run(argparse.Namespace(), settings) == USAGE
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"{found.text}: {found.fix}"


def test_an_old_database(settings: Settings) -> None:
    settings.database.parent.mkdir()
    with closing(sqlite3.connect(settings.database, isolation_level=None)) as connection:
        for statement in statements((FOLDER / "0001_games.sql").read_text(encoding="utf-8")):
            connection.execute(statement)
        connection.execute("PRAGMA user_version = 1")
    settings.database.chmod(0o600)
    found = checks_here.database(settings)
    assert found.state is State.OK
    assert f"schema 1, the next start migrates it to {NEWEST}" in found.text


def test_a_database_of_a_version_that_was_never_released(settings: Settings) -> None:
    settings.database.parent.mkdir()
    with closing(sqlite3.connect(settings.database, isolation_level=None)) as connection:
        # Later migrations name the column that is not there.
        for number, path in migrations()[:7]:
            script = path.read_text(encoding="utf-8").replace("    hints INTEGER NOT NULL DEFAULT 1,\n", "")
            for statement in statements(script):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
    settings.database.chmod(0o600)
    found = checks_here.database(settings)
    assert found.state is State.FAIL
    assert "says that it has schema 7, but its table games has no hints" in found.text
    assert "another name" in found.fix


@posix
@pytest.mark.parametrize("mode", [0o604, 0o640])
@pytest.mark.parametrize("end", ["", ".lock", ".20261128T010203Z.schema-3", ".20261128T010203Z.replaced"])
async def test_a_database_that_others_can_read(
    mode: int, end: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Itself, what belongs to it, or a copy."""
    await made(settings)
    file = settings.database.with_name(settings.database.name + end)
    file.touch()
    file.chmod(mode)
    keeps_out = settings.database.parent.name
    monkeypatch.setattr(files, "_lets_through", lambda folder, enter: folder.name != keeps_out)
    assert checks_here.database(settings).state is State.OK, "its folder keeps them out"
    monkeypatch.setattr(files, "_lets_through", lambda folder, enter: True)
    found = checks_here.database(settings)
    assert (found.state, found.fix) == (State.FAIL, f"make it private: chmod 600 {settings.database}*")
    assert str(file) in found.text
    for one in settings.database.parent.iterdir():
        one.chmod(0o600)
    assert checks_here.database(settings).state is State.OK


@posix
async def test_a_folder_in_which_others_can_replace_the_database(settings: Settings) -> None:
    await made(settings)
    settings.database.parent.chmod(0o770)
    found = checks_here.database(settings)
    assert (found.state, "chmod 700" in found.fix) == (State.FAIL, True)


@pytest.mark.parametrize(
    ("version", "faulty"),
    [
        ("3.40.1", True),
        ("3.44.5", True),
        ("3.44.6", False),
        ("3.45.0", True),
        ("3.50.6", True),
        ("3.50.7", False),
        ("3.51.2", True),
        ("3.51.3", False),
        ("3.53.0", False),
    ],
)
def test_a_sqlite_with_the_fault_is_named(version: str, faulty: bool) -> None:
    found = checks_here.sqlite(version)
    assert found.state is State.OK
    assert ("WAL-reset fault" in found.text) == faulty


@pytest.mark.parametrize(
    ("mounts", "state"),
    [
        ("/dev/sda / ext4 rw 0 0", State.OK),
        ("/dev/sda / ext4 rw 0 0\nserver:/x {folder} nfs4 rw 0 0", State.FAIL),
        ("/dev/sda / ext4 rw 0 0\nserver:/x {folder}/data cifs rw 0 0", State.FAIL),
        ("host: {folder} fuse.sshfs rw 0 0\n/dev/sdb {folder}/data xfs rw 0 0", State.OK),
        ("server:/x {folder} nfs rw 0 0\n/dev/sdb {folder} xfs rw 0 0", State.OK),
        ("server:/x {folder}/dat nfs rw 0 0\n/dev/sda / ext4 rw 0 0", State.OK),
        ("server:/x / nfs rw 0 0", State.FAIL),
        ("", State.OK),
    ],
)
def test_a_database_on_a_network_file_system(mounts: str, state: State, tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    (folder / "data").mkdir(parents=True)
    list_of_mounts = tmp_path / "mounts"
    list_of_mounts.write_text(mounts.format(folder=str(folder).replace(" ", "\\040")))
    settings = Settings(database=folder / "data" / "games.db")
    assert checks_here.file_system(settings, list_of_mounts).state is state
    assert checks_here.file_system(settings, tmp_path / "none").state is State.SKIPPED


@pytest.mark.parametrize("what", ["text", "spoilt", "newer", "folder", "circle", "long"])
async def test_a_database_out_of_order(what: str, settings: Settings) -> None:
    path = settings.database
    await made(settings)
    match what:
        case "text":
            path.write_text("These are somebody's notes and no database.\n" * 100)
        case "spoilt":
            with path.open("r+b") as file:
                file.seek(4096)
                file.write(b"\xa5" * (path.stat().st_size - 4096))
        case "newer":
            execute(path, f"PRAGMA user_version = {NEWEST + 1}")
        case "folder":
            path.unlink()
            path.mkdir()
        case "circle":
            path.unlink()
            path.symlink_to(path)
        case "long":
            settings = replace(settings, database=path.with_name("x" * 300))
    found = checks_here.database(settings)
    assert found.state is State.FAIL
    assert {"newer": "newer", "text": "restore", "spoilt": "restore"}.get(what, "DATABASE_URL") in found.fix
    assert checks_here.disk(settings).state is State.OK


def test_a_full_disk(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    assert checks_here.disk(settings).state is State.OK
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**9, 10**9 - 10**6, 10**6))
    found = checks_here.disk(settings)
    assert found.state is State.FAIL
    assert "need room" in found.fix


def project(folder: Path, python: str, *dependencies: str, lock: str = "") -> Path:
    lines = [f'requires-python = "{python}"', f"dependencies = {json.dumps(dependencies)}"]
    (folder / "pyproject.toml").write_text("[project]\n" + "\n".join(lines))
    (folder / "requirements.lock").write_text(lock)
    return folder


def test_versions(tmp_path: Path) -> None:
    assert checks_here.python().state is State.OK
    assert checks_here.packages().state is State.OK
    assert checks_here.python(project(tmp_path, ">=4")).state is State.FAIL
    needed = ["pytest>=1", "filelock>=999", "no-such-package-here>=1", "tqdm>=999; python_version < '3'"]
    found = checks_here.packages(project(tmp_path, ">=3", *needed))
    assert found.state is State.FAIL
    assert "filelock" in found.text
    assert "no-such-package-here is missing" in found.text
    assert "pytest" not in found.text
    assert "tqdm" not in found.text
    lock = "pytest==1.0 \\\n    --hash=sha256:00\nno-such-package-here==1.0\n"
    found = checks_here.packages(project(tmp_path, ">=3", "pytest>=1", lock=lock))
    assert found.state is State.OK
    assert "(1.0)" in found.text
    assert "no-such" not in found.text


def test_languages(tmp_path: Path) -> None:
    assert checks_here.languages().state is State.OK
    folder = tmp_path / "locale"
    shutil.copytree(catalogue.FOLDER, folder)
    path = next(iter(sorted((folder / "fr").glob("*.po"))))
    parts = path.read_text(encoding="utf-8").split("\n\n")
    path.write_text("\n\n".join(parts[:-1]) + "\n", encoding="utf-8")
    found = checks_here.languages(folder)
    assert found.state is State.FAIL
    assert "fr is missing 1" in found.text
    shutil.rmtree(folder / "en")
    assert checks_here.languages(folder).state is State.FAIL


def test_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert checks_here.tables().state is State.OK
    folder = tmp_path / "solved"
    shutil.copytree(tables.DIRECTORY, folder)
    monkeypatch.setattr(tables, "DIRECTORY", folder)
    assert checks_here.tables().state is State.OK
    path = next(iter(folder.glob("*.f32")))
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    path.write_bytes(data)
    found = checks_here.tables()
    assert found.state is State.FAIL
    assert path.name in found.text
    assert path.name.split("-")[0] in found.text


def test_the_manual_has_a_line_for_everything_it_says() -> None:
    sources = [*Path(checks_here.__file__).parent.glob("checks_*.py"), Path(doctor.__file__)]
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    said = set(re.findall(r"\b(?:ok|fail|skipped)\(\s*\"([a-z]+)\"", text))
    manual = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
    table = manual.partition("\n## Doctor\n")[2].partition("\n## ")[0]
    named = {name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in row.split(", ")}
    assert {name.strip("`") for name in named} == said


@pytest.mark.usefixtures("no_settings")
def test_offline_as_a_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", TOKEN)
    assert program.main(["doctor", "--offline"]) == 0
    out = capsys.readouterr().out
    assert out.endswith("\n10 ok, 0 FAIL, 1 not checked\n")
    assert TOKEN not in out
    assert {line.split()[1] for line in out.splitlines()[:-1]} == {
        *(
            "settings",
            "token",
            "database",
            "filesystem",
            "sqlite",
            "disk",
            "python",
            "packages",
            "languages",
            "ai",
            "discord",
        )
    }


@pytest.mark.usefixtures("no_settings")
def test_a_file_of_the_checkout_that_is_missing_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(checks_here.packages, "__defaults__", (tmp_path,))
    assert program.main(["doctor", "--offline"]) == 1
    assert re.search("FAIL +packages .*pyproject.toml.*git checkout", capsys.readouterr().out)


@pytest.mark.usefixtures("no_settings")
def test_a_wrong_setting_is_a_finding(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", TOKEN + " x")
    assert program.main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "DISCORD_TOKEN is not a token" in out
    assert TOKEN not in out
    assert ", 1 FAIL, " in out.splitlines()[-1]
