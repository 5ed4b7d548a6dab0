"""The bot's settings, from the environment or a .env file. Nothing else reads the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from dotenv import dotenv_values

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
FORMATS = ("text", "json")
SQLITE = "sqlite:///"
POSTGRES = ("postgresql", "postgres")
MOST_SHARDS = 16_384


class WrongSetting(Exception):
    """A setting has a value that can't be used; the text names it and says what would be right."""


@dataclass(frozen=True, slots=True)
class Settings:
    """``token`` is never printed or logged, nor is ``postgres``, which may hold a password.

    ``database`` is the path of the SQLite file, unless ``postgres`` is the address of a PostgreSQL database.
    ``metrics_port`` None: nothing is served.
    """

    token: str | None = field(default=None, repr=False)
    api_url: str | None = None
    gateway_url: str | None = None
    database: Path = Path("data/games.db")
    postgres: str = field(default="", repr=False)
    log_level: str = "INFO"
    log_format: str = "text"
    metrics_port: int | None = None
    metrics_host: str = "127.0.0.1"
    guild_ids: tuple[int, ...] = ()
    emojis: bool = True
    shard_count: int | None = None
    """Into how many parts Discord divides the servers; None leaves it to Discord."""
    shard_ids: tuple[int, ...] = ()
    """The parts this process serves; () for all."""

    @property
    def serves_all(self) -> bool:
        return not self.shard_ids or len(self.shard_ids) == self.shard_count


def load(env_file: Path = Path(".env")) -> Settings:
    """Read the settings; the environment goes before the file. Raises :class:`WrongSetting`."""
    given: dict[str, str] = {}
    if env_file.is_file():
        try:
            given |= {key: value for key, value in dotenv_values(env_file).items() if value}
        except (OSError, UnicodeDecodeError) as error:
            raise WrongSetting(f"{env_file} can't be read: {error}") from error
    given |= {key: value for key, value in os.environ.items() if value}
    return parse(given)


def parse(given: Mapping[str, str]) -> Settings:
    """Check settings by name. Raises :class:`WrongSetting`."""
    settings = Settings(
        token=_token(given.get("DISCORD_TOKEN")),
        api_url=_url(given, "DISCORD_API_URL", ("http", "https"), "https://discord.com/api/v10"),
        gateway_url=_url(given, "DISCORD_GATEWAY_URL", ("ws", "wss"), "wss://gateway.discord.gg/"),
        **_database(given.get("DATABASE_URL", SQLITE + "data/games.db")),
        log_level=_level(given.get("LOG_LEVEL", "INFO")),
        log_format=_format(given.get("LOG_FORMAT", "text")),
        metrics_port=_port(given.get("METRICS_PORT", "")),
        metrics_host=_host(given.get("METRICS_HOST", "127.0.0.1")),
        guild_ids=_ids(given.get("GUILD_IDS", "")),
        emojis=_switch(given, "EMOJIS"),
        **_shards(given.get("SHARD_COUNT", ""), given.get("SHARD_IDS", "")),
    )
    if not settings.serves_all and not settings.postgres:
        raise WrongSetting(
            "SHARD_IDS names some of the shards only, so there are several processes: they need a PostgreSQL "
            "database, see docs/postgres.md"
        )
    return settings


def _token(value: str | None) -> str | None:
    value = (value or "").strip()
    if any(character.isspace() or not character.isprintable() for character in value):
        raise WrongSetting("DISCORD_TOKEN contains spaces: copy it again from the developer portal")
    return value or None


def _url(given: Mapping[str, str], name: str, schemes: tuple[str, ...], example: str) -> str | None:
    value = given.get(name, "").strip()
    if not value:
        return None
    try:
        parts = urlsplit(value)
        fine = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fine = False
    if not fine:
        raise WrongSetting(f"{name} is no {schemes[0]} address: it should look like {example}")
    return value if name == "DISCORD_GATEWAY_URL" else value.rstrip("/")


def _database(value: str) -> dict[str, Any]:
    value = value.strip()
    path = value.removeprefix(SQLITE)
    if value.startswith(SQLITE) and path:
        return {"database": Path(path)}
    with suppress(ValueError):
        parts = urlsplit(value)
        if parts.scheme in POSTGRES and len(parts.path) > 1 and parts.port != 0:
            return {"postgres": value}
    raise WrongSetting(
        "DATABASE_URL should look like sqlite:///data/games.db or postgresql://user:password@host/database"
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
    if not host or not host.isascii() or any(character.isspace() or character in "/@" for character in host):
        raise WrongSetting("METRICS_HOST should be an address or a name of this machine, like 127.0.0.1")
    return host


def _switch(given: Mapping[str, str], name: str) -> bool:
    value = given.get(name, "on").strip().lower()
    if value not in ("on", "off"):
        raise WrongSetting(f"{name} should be on or off")
    return value == "on"


def _shards(count: str, ids: str) -> dict[str, Any]:
    count, ids = count.strip(), ids.strip()
    if not count:
        if ids:
            raise WrongSetting("SHARD_IDS needs SHARD_COUNT, the number of all shards")
        return {}
    if not (count.isascii() and count.isdigit() and len(count) < 6 and 0 < int(count) <= MOST_SHARDS):
        raise WrongSetting(f"SHARD_COUNT should be a number from 1 to {MOST_SHARDS}")
    found: set[int] = set()
    for part in ids.replace(",", " ").split():
        first, dash, last = part.partition("-")
        if not all(one.isascii() and one.isdigit() and len(one) < 6 for one in (first, last or first)):
            raise WrongSetting("SHARD_IDS should look like 0-3,7")
        if (dash and not last) or int(last or first) < int(first):
            raise WrongSetting("SHARD_IDS should look like 0-3,7")
        found |= set(range(int(first), int(last or first) + 1))
    if any(one >= int(count) for one in found):
        raise WrongSetting(
            f"SHARD_IDS should be numbers from 0 to {int(count) - 1}: SHARD_COUNT is {int(count)}"
        )
    if ids and not found:
        raise WrongSetting("SHARD_IDS should look like 0-3,7")
    return {"shard_count": int(count), "shard_ids": tuple(sorted(found))}


def _ids(value: str) -> tuple[int, ...]:
    parts = [part for part in value.replace(",", " ").split() if part]
    for part in parts:
        if not (part.isascii() and part.isdigit() and 0 < int(part[:20]) < 1 << 63 and len(part) < 20):
            raise WrongSetting("GUILD_IDS should be server ids separated by commas, like 123456789,234567890")
    return tuple(int(part) for part in parts)
