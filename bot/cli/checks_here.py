"""Checks of this machine that need no network: settings, database, disk, versions, files."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sqlite3
import stat
import tomllib
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from bot.cli.findings import Finding, fail, ok, skipped, some
from bot.cli.text import PORTAL, program
from bot.i18n import catalogue, locales
from bot.registry import GAMES
from bot.settings import ENV_FILE, NAMES, Settings, read_file
from bot.store.backup import files_of, open_to_read, unfit_file
from bot.store.files import is_open_to_others, is_writable_for_others
from bot.store.schema import Unfit, migrations
from bot.store.sqlite.access import foreign_obstacle
from bot.store.sqlite.lock import is_locked

ROOT = Path(__file__).parents[2]

ELSEWHERE = "set DATABASE_URL to the path of a file"
"""What to do if the path of the database is none."""

MIN_FREE_BYTES = 200 * 2**20
"""Less free disk space than this is reported."""

REPAIRED = {(3, 44): (3, 44, 6), (3, 50): (3, 50, 7)}
"""Older series of SQLite that have the repair of 3.51.3, and the first version of each with it."""

NETWORK = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "davfs", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs"}
    | {"nfs4", "ocfs2", "smb2", "smb3", "smbfs", "virtiofs"}
)
"""Network file systems as Linux names them."""

NETWORK_FUSE = ("fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.glusterfs", "fuse.ceph", "fuse.davfs")
"""How the names of those begin that run outside the kernel."""

_TOKEN = re.compile(r"[\w-]{18,40}\.[\w-]{6,7}\.[\w-]{27,60}", re.ASCII)


def file_of_settings(settings: Settings, env_file: Path = ENV_FILE) -> Finding:
    """Check that others can't read a secret in the file of settings, and name unknown settings."""
    given = read_file(env_file)
    secret = any(secret in value for secret in settings.secrets for value in given.values())
    if secret and is_open_to_others(env_file):
        return fail(
            "settings",
            f"other users of this machine can read {env_file}",
            f"make it private: chmod 600 {env_file}",
        )
    unknown = sorted(given.keys() - NAMES)
    return ok(
        "settings", "are valid" + (f"; not known, so without effect: {some(unknown)}" if unknown else "")
    )


def token(settings: Settings) -> Finding:
    """Check that there is a token in Discord's format. Never prints it."""
    if not settings.token:
        return fail(
            "token",
            "DISCORD_TOKEN is not set",
            f"take the token from {PORTAL} (Bot > Reset Token) and put DISCORD_TOKEN=... into .env",
        )
    again = f"copy it again from {PORTAL} (Bot > Reset Token), without quotes or the word Bot"
    if not _TOKEN.fullmatch(settings.token) or not _is_id(settings.token.split(".")[0]):
        return fail("token", "DISCORD_TOKEN does not look like a bot's token", again)
    return ok("token", "looks like a bot's token")


def _is_id(text: str) -> bool:
    """Return whether this is an id in base64, as the first part of a token is."""
    try:
        return urlsafe_b64decode(text + "=" * (-len(text) % 4)).isdigit()
    except ValueError:
        return False


def database(settings: Settings) -> Finding:
    """Check that the database opens, is sound, writable and private, and has a known schema."""
    path = settings.database
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return _missing_database(path)
    except OSError as error:
        return fail("database", f"{path} can't be used: {error.strerror}", ELSEWHERE)
    if not stat.S_ISREG(mode):
        return fail("database", f"{path} is not a file", ELSEWHERE)
    damage, schema, unfit = _examined(path)
    if damage is not None and is_locked(path):
        # A bot that has started meanwhile writes to it.
        damage, schema, unfit = _examined(path)
    if damage is not None:
        return fail(
            "database",
            f"{path} is damaged or not a database: {' '.join(damage.split())}",
            f"stop the bot and restore the latest backup: {program()} restore FILE",
        )
    if unfit is not None:
        return fail("database", f"{path} {unfit.reason}", unfit.remedy)
    if (forbidden := _closed_to_us(path) or _open_to_others(path)) is not None:
        return forbidden
    newest = len(migrations())
    migrates = "" if schema == newest else f", the next start migrates it to {newest}"
    running = "; a bot is running on it" if is_locked(path) else ""
    return ok("database", f"{path} is sound, schema {schema}{migrates}{running}")


def _missing_database(path: Path) -> Finding:
    """Check that a database can be created."""
    if (obstacle := foreign_obstacle(path)) is not None:
        return fail("database", obstacle.reason, obstacle.remedy)
    folder = _nearest(path)
    if not os.access(folder, os.W_OK | os.X_OK):
        return fail("database", f"{path} can't be created in {folder}", f"chmod u+rwx {folder}")
    return ok("database", f"{path} does not exist yet; the first start creates it")


def _examined(path: Path) -> tuple[str | None, int, Unfit | None]:
    """Return what is damaged in a database, if anything, its schema, and why it can't be used."""
    try:
        with closing(open_to_read(path)) as connection:
            said: str = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            schema = int(connection.execute("PRAGMA user_version").fetchone()[0])
            return None if said == "ok" else said, schema, unfit_file(connection)
    except sqlite3.Error as error:
        return str(error), 0, None


def _closed_to_us(path: Path) -> Finding | None:
    """Return what keeps the bot from writing to a database, if anything does."""
    if (obstacle := foreign_obstacle(path)) is not None:
        return fail("database", obstacle.reason, obstacle.remedy)
    closed = [file for file in files_of(path) if not os.access(file, os.W_OK)]
    if closed or not os.access(path.parent, os.W_OK | os.X_OK):
        what = some(map(str, closed or [path]))
        return fail("database", f"{what} can't be written", f"chmod u+rwX {path.parent} {path}*")
    return None


def _open_to_others(path: Path) -> Finding | None:
    """Return how other users of this machine could read or replace a database, if they could."""
    for file in files_of(path):
        if is_open_to_others(file):
            return fail(
                "database",
                f"other users of this machine can read {file}",
                f"make it private: chmod 600 {path}*",
            )
    if is_writable_for_others(path.parent):
        return fail(
            "database",
            f"other users of this machine can replace {path}, as they may write in its folder",
            f"make the folder private: chmod 700 {path.parent}",
        )
    return None


def sqlite(library: str = sqlite3.sqlite_version) -> Finding:
    """Say whether the version of SQLite has the fault that can damage a database with several writers.

    https://sqlite.org/wal.html#walresetbug
    """
    major, minor, patch, *_ = map(int, library.split("."))
    if (major, minor, patch) >= REPAIRED.get((major, minor), (3, 51, 3)):
        return ok("sqlite", library)
    return ok(
        "sqlite",
        f"{library} can damage a database that several programs write at the same moment, before 3.51.3 (its "
        "WAL-reset fault). The bot writes on one connection and is safe; let no other program write to its "
        "database",
    )


def file_system(settings: Settings, mounts: Path = Path("/proc/self/mounts")) -> Finding:
    """Check that the database is not on a network file system, where SQLite's locks and log don't work."""
    folder = os.path.realpath(_nearest(settings.database))
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return skipped("filesystem", "not checked: this system does not say")
    kinds = {}
    for line in lines:
        _, where, kind, *_ = line.split(" ")
        # Later mounts hide earlier ones. Spaces and the like are written in octal.
        kinds[re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), where)] = kind
    above = [folder, *map(str, Path(folder).parents)]
    kind = next((kinds[place] for place in above if place in kinds), "")
    if kind in NETWORK or kind.startswith(NETWORK_FUSE):
        return fail(
            "filesystem",
            f"{folder} is on a network file system ({kind}), where SQLite can lose or damage data",
            "move the database to a disk of this machine, or use PostgreSQL",
        )
    if not kind:
        return ok("filesystem", f"{folder} is on an unknown one")
    return ok("filesystem", f"{folder} is on {kind}, which is not a known network file system")


def disk(settings: Settings) -> Finding:
    """Check that the disk has room for a copy of the database."""
    path = settings.database
    folder = _nearest(path)
    free = shutil.disk_usage(folder).free
    needed = max(MIN_FREE_BYTES, 2 * (path.stat().st_size if os.path.isfile(path) else 0))
    text = f"{free // 2**20:,} MiB free in {folder}"
    if free < needed:
        return fail("disk", text, f"free {needed // 2**20:,} MiB; copies of the database need room, too")
    return ok("disk", text)


def _nearest(path: Path) -> Path:
    """Return the nearest existing folder above a file."""
    absolute = path.absolute()
    return next((folder for folder in absolute.parents if os.path.isdir(folder)), Path(absolute.anchor))


def python(root: Path = ROOT) -> Finding:
    """Check that this Python is new enough."""
    wanted: str = _project(root)["requires-python"]
    if not SpecifierSet(wanted).contains(platform.python_version(), prereleases=True):
        return fail(
            "python", f"{platform.python_version()} is not {wanted}", "make clean, make PYTHON=python3.12 run"
        )
    return ok("python", f"{platform.python_version()}, {wanted} is needed")


def packages(root: Path = ROOT) -> Finding:
    """Check that the installed packages are in the ranges that this version of the bot supports."""
    again = "install the bot again: make install in a checkout, pipx reinstall dicebot elsewhere"
    bad = []
    for text in _project(root)["dependencies"]:
        requirement = Requirement(text)
        if requirement.marker is not None and not requirement.marker.evaluate():
            continue
        try:
            installed = version(requirement.name)
        except PackageNotFoundError:
            bad.append(f"{requirement.name} is missing")
            continue
        if not requirement.specifier.contains(installed, prereleases=True):
            bad.append(f"{requirement.name} {installed} is not {requirement.specifier}")
    if bad:
        return fail("packages", some(bad), again)
    other = list(_other_than_locked(root))
    if other:
        return ok("packages", f"all supported; other versions than in requirements.lock: {some(other)}")
    return ok("packages", "as in requirements.lock")


def _other_than_locked(root: Path) -> Iterator[str]:
    """Yield the packages whose installed version is not the locked one."""
    lock = (root / "requirements.lock").read_text(encoding="utf-8")
    for name, locked in re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", lock, re.MULTILINE):
        try:
            installed = version(name)
        except PackageNotFoundError:
            continue  # only for development, or for another system
        if installed != locked:
            yield f"{name} {installed} ({locked})"


def _project(root: Path) -> dict[str, Any]:
    with (root / "pyproject.toml").open("rb") as file:
        project: dict[str, Any] = tomllib.load(file)["project"]
    return project


def languages(folder: Path = catalogue.FOLDER) -> Finding:
    """Check that every language has every text."""
    again = "copy bot/i18n/locale from the release again"
    try:
        texts = {
            language.name: {
                message.id[0] if isinstance(message.id, (list, tuple)) else message.id
                for message in catalogue.read(language.name, folder)
                if message.id
                and all(message.string if isinstance(message.string, (list, tuple)) else [message.string])
            }
            for language in sorted(folder.iterdir())
            if language.is_dir()
        }
        source = texts[locales.SOURCE]
    except (OSError, ValueError, KeyError) as error:
        return fail("languages", f"they can't be read: {error}", again)
    lacking = [f"{name} is missing {len(source - keys)}" for name, keys in texts.items() if source - keys]
    if lacking or not source:
        return fail("languages", f"of {len(source)} texts {some(lacking)}", again)
    return ok("languages", f"{', '.join(texts)} are complete, {len(source)} texts each")


def tables() -> Finding:
    """Check that the AI players' tables are there and unchanged."""
    problems = [str(problem) for entry in GAMES.values() for problem in entry.problems()]
    if problems:
        return fail("ai", some(problems), "copy bot/strategy from the release again, or run that command")
    return ok("ai", "the AI players' tables are there, with the right checksums")
