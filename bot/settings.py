"""The bot's settings, from the environment or a .env file. No other module reads the environment."""

from __future__ import annotations

import os
import re
import stringprep
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import unquote, urlsplit

from dotenv import dotenv_values
from dotenv.parser import parse_stream

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
FORMATS = ("text", "json")
DATABASE = Path("data/games.db")
SQLITE = "sqlite:///"
POSTGRES = ("postgresql", "postgres")
"""How the URL of a SQLite file begins, and the schemes of the URL of a PostgreSQL database."""

MAX_SHARDS = 16_384
"""More shards than any bot has."""

ENV_FILE = Path(".env")

NAMES = frozenset(
    {
        "DISCORD_TOKEN",
        "DATABASE_URL",
        "LOG_LEVEL",
        "LOG_FORMAT",
        "METRICS_PORT",
        "METRICS_HOST",
        "GUILD_IDS",
        "OWNER_GUILD_ID",
        "EMOJIS",
        "STEP_BY_STEP",
        "SHARD_COUNT",
        "SHARD_IDS",
        "DISCORD_API_URL",
        "DISCORD_GATEWAY_URL",
    }
)
"""The names of all settings."""

_TOKEN = re.compile(r"[\w.~+/=-]{1,500}", re.ASCII)
_LABEL = re.compile(rb"[\w-]{1,63}", re.ASCII)
"""A part of a host's name, between dots."""

_PATH = re.compile(r"[\w.~!$&'()*+,;=:@/-]*", re.ASCII)
MIN_SECRET = 6
"""How long a password must be to be hidden in output; a shorter one could be part of any word."""

MAX_HOST = 253
"""Characters of a host's name, as DNS has it."""


class WrongSetting(Exception):
    """A setting has a wrong value; the text names it and says what would be right."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings. ``token`` and ``postgres``, which may contain a password, are never printed or logged.

    ``database`` is the path of the SQLite file; it is not used if ``postgres``, the URL of a PostgreSQL
    database, is set. With ``metrics_port`` None there is no HTTP server.
    """

    token: str | None = field(default=None, repr=False)
    api_url: str | None = None
    gateway_url: str | None = None
    database: Path = DATABASE
    postgres: str = field(default="", repr=False)
    log_level: str = "INFO"
    log_format: str = "text"
    metrics_port: int | None = None
    metrics_host: str = "127.0.0.1"
    guild_ids: tuple[int, ...] = ()
    owner_guild_id: int | None = None
    """The server in which the application's owner has commands of their own; None for no such commands."""
    emojis: bool = True
    step_by_step: bool = True
    """Whether tables show AI turns and the like step by step, in servers that have not turned it off."""
    shard_count: int | None = None
    """How many shards there are in all; None for as many as Discord recommends."""
    shard_ids: tuple[int, ...] = ()
    """The shards this process serves; () for all."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be printed: the token, and the database's password as given and decoded."""
        password = urlsplit(self.postgres).password or ""
        passwords = (password, unquote(password)) if len(password) >= MIN_SECRET else ()
        return tuple(secret for secret in dict.fromkeys((self.token or "", *passwords)) if secret)

    @property
    def serves_all(self) -> bool:
        """Whether this process serves every shard."""
        return not self.shard_ids or len(self.shard_ids) == self.shard_count


def load(env_file: Path = ENV_FILE) -> Settings:
    """Read the settings; the environment overrides the file. Raises :class:`WrongSetting`."""
    given = read_file(env_file)
    given |= {key: value for key, value in os.environ.items() if value}
    return parse(given)


def read_file(env_file: Path = ENV_FILE) -> dict[str, str]:
    """Read the file alone; {} if there is none. Raises :class:`WrongSetting`."""
    try:
        if not env_file.exists():
            return {}
        # Some editors write a byte order mark, which must not become part of the first name.
        with env_file.open(encoding="utf-8-sig") as lines:
            for binding in parse_stream(lines):
                if binding.error:
                    raise WrongSetting(
                        f"{env_file}, line {binding.original.line} can't be read: it should look like "
                        "NAME=value, with quotes in pairs if there are any"
                    )
        values = dotenv_values(env_file, encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise WrongSetting(f"{env_file} can't be read: {error}") from error
    return {key: value for key, value in values.items() if value}


def parse(given: Mapping[str, str]) -> Settings:
    """Parse settings given by name. Raises :class:`WrongSetting`."""
    database, postgres = _database(given.get("DATABASE_URL", f"{SQLITE}{DATABASE}"))
    shard_count, shard_ids = _shards(given.get("SHARD_COUNT", ""), given.get("SHARD_IDS", ""))
    settings = Settings(
        token=_token(given.get("DISCORD_TOKEN")),
        api_url=_url(given, "DISCORD_API_URL", ("http", "https"), "https://discord.com/api/v10"),
        gateway_url=_url(given, "DISCORD_GATEWAY_URL", ("ws", "wss"), "wss://gateway.discord.gg/"),
        database=database,
        postgres=postgres,
        log_level=_level(given.get("LOG_LEVEL", "INFO")),
        log_format=_format(given.get("LOG_FORMAT", "text")),
        metrics_port=_port(given.get("METRICS_PORT", "")),
        metrics_host=_host(given.get("METRICS_HOST", "127.0.0.1")),
        guild_ids=_ids("GUILD_IDS", given.get("GUILD_IDS", "")),
        owner_guild_id=_id("OWNER_GUILD_ID", given.get("OWNER_GUILD_ID", "")),
        emojis=_switch(given, "EMOJIS"),
        step_by_step=_switch(given, "STEP_BY_STEP"),
        shard_count=shard_count,
        shard_ids=shard_ids,
    )
    if not settings.serves_all and not settings.postgres:
        raise WrongSetting(
            "SHARD_IDS names only some of the shards, so there must be several processes: they need a "
            "PostgreSQL database, see docs/postgres.md"
        )
    return settings


def _token(value: str | None) -> str | None:
    value = (value or "").strip()
    if value and not _TOKEN.fullmatch(value):
        raise WrongSetting(
            "DISCORD_TOKEN is not a token, which has no spaces, quotes or accented letters: copy it again "
            "from the developer portal"
        )
    return value or None


def _url(given: Mapping[str, str], name: str, schemes: tuple[str, ...], example: str) -> str | None:
    value = given.get(name, "").strip()
    if not value:
        return None
    try:
        parts = urlsplit(value)
        fine = (
            parts.scheme in schemes
            and _is_host(parts.hostname or "")
            and parts.port != 0
            # A user, password, query or fragment would be lost.
            and not (parts.username or parts.password or set(value) & set("?#"))
            and _PATH.fullmatch(parts.path) is not None
        )
    except ValueError:
        fine = False
    if not fine:
        raise WrongSetting(f"{name} should look like {example}")
    return value if name == "DISCORD_GATEWAY_URL" else value.rstrip("/")


def _is_host(name: str) -> bool:
    """Whether this has the form of an IP address or a host name."""
    try:
        ip_address(name)
    except ValueError:
        pass
    else:
        return True
    if any(stringprep.in_table_b1(character) for character in name):
        # Python drops such characters (a soft hyphen) from a host name, and the HTTP client refuses them.
        return False
    try:
        labels = name.removesuffix(".").encode("idna").split(b".")
    except UnicodeError:
        return False
    return len(b".".join(labels)) <= MAX_HOST and all(_LABEL.fullmatch(label) for label in labels)


def _database(value: str) -> tuple[Path, str]:
    """Parse a URL. Return a SQLite file, and the URL of a PostgreSQL database or ""."""
    value = value.strip()
    path = value.removeprefix(SQLITE)
    if value.startswith(SQLITE):
        # SQLite would keep ":memory:" and some "file:" in memory, and forget all games. Only shells know "~".
        if path and "\0" not in path and not path.startswith((":memory:", "file:", "~")):
            return Path(path), ""
    else:
        with suppress(ValueError):
            parts = urlsplit(value)
            host = not parts.hostname or _is_host(parts.hostname)
            if parts.scheme in POSTGRES and len(parts.path) > 1 and parts.port != 0 and host:
                return DATABASE, value
    raise WrongSetting(
        "DATABASE_URL should look like sqlite:///data/games.db, sqlite:////absolute/path/games.db (with four "
        "slashes) or postgresql://user:password@host/database"
    )


def _level(value: str) -> str:
    level = value.strip().upper()
    if level not in LEVELS:
        raise WrongSetting(f"LOG_LEVEL should be one of {', '.join(LEVELS)}")
    return level


def _format(value: str) -> str:
    form = value.strip().lower()
    if form not in FORMATS:
        raise WrongSetting(f"LOG_FORMAT should be {' or '.join(FORMATS)}")
    return form


def _port(value: str) -> int | None:
    value = value.strip()
    if not value:
        return None
    if not (value.isascii() and value.isdigit() and len(value) <= 5 and 1 <= int(value) <= 65_535):
        raise WrongSetting("METRICS_PORT should be a port from 1 to 65535, like 9464, or empty")
    return int(value)


def _host(value: str) -> str:
    host = value.strip()
    if not _is_host(host):
        raise WrongSetting("METRICS_HOST should be an address or a name of this machine, like 127.0.0.1")
    return host


def _switch(given: Mapping[str, str], name: str) -> bool:
    value = given.get(name, "on").strip().lower()
    if value not in ("on", "off"):
        raise WrongSetting(f"{name} should be on or off")
    return value == "on"


def _shards(count: str, ids: str) -> tuple[int | None, tuple[int, ...]]:
    """Parse the number of shards, and the shard ids of this process, like "0-3,7". Return these sorted."""
    count, ids = count.strip(), ids.strip()
    if not count:
        if ids:
            raise WrongSetting("SHARD_IDS needs SHARD_COUNT, the number of all shards")
        return None, ()
    if not (count.isascii() and count.isdigit() and len(count) < 6 and 0 < int(count) <= MAX_SHARDS):
        raise WrongSetting(f"SHARD_COUNT should be a number from 1 to {MAX_SHARDS}")
    shards: set[int] = set()
    for part in ids.replace(",", " ").split():
        first, dash, last = part.partition("-")
        if not all(text.isascii() and text.isdigit() and len(text) < 6 for text in (first, last or first)):
            raise WrongSetting("SHARD_IDS should look like 0-3,7")
        if (dash and not last) or int(last or first) < int(first):
            raise WrongSetting("SHARD_IDS should look like 0-3,7")
        shards |= set(range(int(first), int(last or first) + 1))
    if any(shard_id >= int(count) for shard_id in shards):
        raise WrongSetting(
            f"SHARD_IDS should be numbers from 0 to {int(count) - 1}: SHARD_COUNT is {int(count)}"
        )
    if ids and not shards:
        raise WrongSetting("SHARD_IDS should look like 0-3,7")
    return int(count), tuple(sorted(shards))


def _id(name: str, value: str) -> int | None:
    if (value := value.strip()) and not _is_id(value):
        raise WrongSetting(f"{name} should be the id of one server, like 123456789")
    return int(value) if value else None


def _ids(name: str, value: str) -> tuple[int, ...]:
    parts = value.replace(",", " ").split()
    if not all(map(_is_id, parts)):
        raise WrongSetting(f"{name} should be server ids separated by commas, like 123456789,234567890")
    return tuple(dict.fromkeys(map(int, parts)))


def _is_id(text: str) -> bool:
    # Discord's ids have 63 bits; the number of digits is checked first, as reading millions takes long.
    return text.isascii() and text.isdigit() and len(text) < 20 and 0 < int(text) < 1 << 63
