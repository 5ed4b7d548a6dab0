"""Settings: reading, documentation, and the messages for wrong ones."""

from __future__ import annotations

import os
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import hypothesis
import pytest
import yarl
from hypothesis import given
from hypothesis import strategies as st

from bot.settings import NAMES, Settings, WrongSetting, load, parse
from tests.support import examples as strategies  # noqa: F401 - the settings of property tests

ROOT = Path(__file__).parents[1]


class Spy(dict[str, str]):
    """Settings that remember which of them were looked at."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.read: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        self.read.add(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> str:
        self.read.add(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.read.add(str(key))
        return super().__contains__(key)


def example() -> dict[str, str]:
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    return dict(re.findall(r"^([A-Z_]+)=(.*)$", text, re.MULTILINE))


def test_the_example_lists_exactly_what_is_read() -> None:
    spy = Spy()
    parse(spy)
    assert example().keys() == spy.read == NAMES
    # DATABASE_URL is either of two.
    assert len(NAMES) == len(Settings.__dataclass_fields__.keys() - {"postgres"})


def test_the_example_is_all_defaults(no_settings: Path) -> None:
    assert load(ROOT / ".env.example") == Settings() == parse({})


def test_only_the_settings_read_the_environment() -> None:
    for path in [*(ROOT / "bot").rglob("*.py"), *(ROOT / "cogs").rglob("*.py")]:
        if path.name != "settings.py" or path.parent.name != "bot":
            assert not re.search(r"os\.(environ|getenv)", path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("DISCORD_TOKEN", " abc.def-ghi_123 ", ("token", "abc.def-ghi_123")),
        ("DISCORD_TOKEN", "   ", ("token", None)),
        ("DISCORD_API_URL", "http://127.0.0.1:8080/api/v10/", ("api_url", "http://127.0.0.1:8080/api/v10")),
        ("DISCORD_GATEWAY_URL", "ws://localhost:1234/", ("gateway_url", "ws://localhost:1234/")),
        ("DATABASE_URL", "sqlite:///x.db", ("database", Path("x.db"))),
        ("DATABASE_URL", "sqlite:////var/lib/x.db", ("database", Path("/var/lib/x.db"))),
        ("DATABASE_URL", "postgresql://bot:pw@db/games", ("postgres", "postgresql://bot:pw@db/games")),
        ("DATABASE_URL", " postgres:///games?host=/run ", ("postgres", "postgres:///games?host=/run")),
        ("SHARD_COUNT", "16", ("shard_count", 16)),
        ("SHARD_COUNT", "", ("shard_count", None)),
        ("LOG_LEVEL", "debug", ("log_level", "DEBUG")),
        ("GUILD_IDS", "1, 2 3,,4", ("guild_ids", (1, 2, 3, 4))),
        ("GUILD_IDS", " , ", ("guild_ids", ())),
        ("GUILD_IDS", "7,7,1,7", ("guild_ids", (7, 1))),
        ("OWNER_GUILD_ID", " 12 ", ("owner_guild_id", 12)),
        ("OWNER_GUILD_ID", "", ("owner_guild_id", None)),
        ("METRICS_HOST", " ::1 ", ("metrics_host", "::1")),
        ("METRICS_HOST", "games_host.example.", ("metrics_host", "games_host.example.")),
        (
            "DISCORD_API_URL",
            "https://b\u00fccher.example/api",
            ("api_url", "https://b\u00fccher.example/api"),
        ),
        ("DISCORD_API_URL", "http://[::1]:8080", ("api_url", "http://[::1]:8080")),
    ],
)
def test_right_values(name: str, value: str, read: tuple[str, Any]) -> None:
    assert getattr(parse({name: value}), read[0]) == read[1]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DISCORD_TOKEN", "two words"),
        ("DISCORD_TOKEN", "line\nbreak"),
        ("DISCORD_TOKEN", "zero\u200bwidth"),
        ("DISCORD_TOKEN", '"quoted"'),
        ("DISCORD_TOKEN", "t\u00f6ken"),
        ("DISCORD_TOKEN", "x" * 5000),
        ("DISCORD_API_URL", "discord.com"),
        ("DISCORD_API_URL", "https://a..b/api"),
        ("DISCORD_API_URL", f"https://{'a' * 64}/api"),
        ("DISCORD_API_URL", f"https://{'a.' * 127}a/api"),
        ("DISCORD_API_URL", "https://\u200b/api"),
        ("DISCORD_API_URL", "https://*/api"),
        ("DISCORD_API_URL", "https://user:password@host/api"),
        ("DISCORD_API_URL", "https://host/api?x=1"),
        ("DISCORD_API_URL", "https://host/api#x"),
        ("DISCORD_API_URL", "https://host/{name}"),
        ("DISCORD_API_URL", "https://host/a b"),
        ("DISCORD_API_URL", "https://host\\api"),
        ("DISCORD_GATEWAY_URL", "wss://\u200b/"),
        ("DISCORD_GATEWAY_URL", "wss://gateway.discord.gg/?v=10"),
        ("DISCORD_API_URL", "ftp://discord.com"),
        ("DISCORD_API_URL", "https://"),
        ("DISCORD_API_URL", "https://host:99999"),
        ("DISCORD_API_URL", "http://[::1"),
        ("DISCORD_GATEWAY_URL", "https://gateway.discord.gg"),
        ("DATABASE_URL", "games.db"),
        ("DATABASE_URL", "sqlite:///"),
        ("DATABASE_URL", "sqlite:///:memory:"),
        ("DATABASE_URL", "sqlite:///file:games?mode=memory"),
        ("DATABASE_URL", "sqlite:///a\0b.db"),
        ("DATABASE_URL", "nan"),
        ("DATABASE_URL", "mysql://localhost/games"),
        ("DATABASE_URL", "postgresql://a..b/games"),
        ("METRICS_PORT", "nan"),
        ("METRICS_PORT", "inf"),
        ("METRICS_PORT", "-1"),
        ("METRICS_PORT", "9464.0"),
        ("METRICS_PORT", "\uff19\uff14"),
        ("METRICS_PORT", "9" * 5000),
        ("METRICS_HOST", "a..b"),
        ("METRICS_HOST", "."),
        ("METRICS_HOST", "a" * 64),
        ("METRICS_HOST", "[::1]"),
        ("METRICS_HOST", "127.0.0.1:9464"),
        ("METRICS_HOST", "*"),
        ("METRICS_HOST", '"localhost"'),
        ("LOG_FORMAT", "xml"),
        ("EMOJIS", "yes"),
        ("DATABASE_URL", "postgresql://localhost"),
        ("DATABASE_URL", "postgresql://localhost:99999/games"),
        ("SHARD_COUNT", "0"),
        ("SHARD_COUNT", "many"),
        ("SHARD_COUNT", "99999"),
        ("SHARD_IDS", "0"),
        ("LOG_LEVEL", "LOUD"),
        ("LOG_LEVEL", "10"),
        ("GUILD_IDS", "1,x"),
        ("GUILD_IDS", "-5"),
        ("GUILD_IDS", "0"),
        ("GUILD_IDS", "1.5"),
        ("GUILD_IDS", "9" * 30),
        ("GUILD_IDS", "１２"),
        ("OWNER_GUILD_ID", "1,2"),
        ("OWNER_GUILD_ID", "mine"),
    ],
)
def test_a_wrong_value_is_named_with_what_would_be_right(name: str, value: str) -> None:
    with pytest.raises(WrongSetting) as info:
        parse({name: value})
    text = str(info.value)
    assert name in text
    assert len(text) > len(name) + 10
    if name == "DISCORD_TOKEN":
        assert value not in text  # a token is never shown


POSTGRES = {"DATABASE_URL": "postgresql://bot:secret@db/games"}


@pytest.mark.parametrize(
    ("ids", "found"), [("", ()), ("0-3,7", (0, 1, 2, 3, 7)), ("7, 1 1", (1, 7)), ("0-7", tuple(range(8)))]
)
def test_a_process_serves_some_shards(ids: str, found: tuple[int, ...]) -> None:
    settings = parse(POSTGRES | {"SHARD_COUNT": "8", "SHARD_IDS": ids})
    assert settings.shard_ids == found
    assert settings.serves_all == (ids in ("", "0-7"))
    assert "secret" not in repr(settings)


@pytest.mark.parametrize("ids", ["8", "0-8", "-1", "1-", "x", "3-1", ","])
def test_shards_that_there_are_not(ids: str) -> None:
    with pytest.raises(WrongSetting, match="SHARD_IDS"):
        parse(POSTGRES | {"SHARD_COUNT": "8", "SHARD_IDS": ids})


def test_several_processes_need_postgresql() -> None:
    with pytest.raises(WrongSetting, match="PostgreSQL"):
        parse({"SHARD_COUNT": "2", "SHARD_IDS": "1"})
    assert parse({"SHARD_COUNT": "2", "SHARD_IDS": "0-1"}).serves_all


# What values of other settings, or careless hands, may leave behind.
odd = st.sampled_from(
    [
        "nan",
        "-inf",
        "1e400",
        "-0",
        "0x1F",
        "9" * 400,
        "\u0663",
        "\u00b2",
        "''",
        '"x"',
        "a\nb",
        "\0",
        "\udcff",
        "\u202e",
        "/",
        "..",
        "~",
        "${HOME}",
        "%",
        "{}",
        "on",
        "1,2",
        "0-9",
    ]
)
stems = st.sampled_from(
    ["", "sqlite:///", "postgresql://", "postgres:///", "http://", "https://host/", "ws://", "wss://host:"]
)
values = st.text(max_size=40) | odd | st.builds("".join, st.tuples(stems, st.text(max_size=20) | odd, odd))


@pytest.mark.parametrize("name", sorted(NAMES))
@given(value=values)
@hypothesis.example(value="http://0\xad")
def test_any_value_is_read_and_of_use_or_refused_in_a_line(name: str, value: str) -> None:
    try:
        read = parse({name: value})
    except WrongSetting as error:
        told = str(error)
    else:
        told = ""
    if told:
        assert name in told
        assert told.isprintable()
        assert len(told) < 250
        return
    # What they are used for must not raise either: there it would be a traceback.
    for address in (read.api_url, read.gateway_url):
        if address is not None:
            assert yarl.URL(address).host
            assert address.format_map({}) == address
    for host in (read.metrics_host, yarl.URL(read.api_url or "http://host").raw_host or ""):
        host.encode("idna")
    os.path.realpath(read.database)
    (read.token or "").encode("ascii")
    assert all(0 < number < 1 << 63 for number in read.guild_ids)


def test_the_token_is_not_in_what_is_printed() -> None:
    assert "secret" not in repr(parse({"DISCORD_TOKEN": "secret"}))


def test_the_environment_goes_before_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / ".env"
    file.write_text("LOG_LEVEL=DEBUG\nGUILD_IDS='1'\nDISCORD_TOKEN=file\n# COMMENT=1\n", encoding="utf-8")
    monkeypatch.setenv("LOG_LEVEL", "ERROR")
    monkeypatch.setenv("GUILD_IDS", "")  # empty is as if it were not there
    monkeypatch.delenv("DISCORD_TOKEN", raising=False)
    settings = load(file)
    assert (settings.log_level, settings.guild_ids, settings.token) == ("ERROR", (1,), "file")
    assert os.environ.get("DISCORD_TOKEN") is None  # the file is read, not loaded


def test_a_missing_file_is_no_error(tmp_path: Path) -> None:
    assert isinstance(load(tmp_path / "none.env"), Settings)


def test_a_binary_file_is_named_in_the_error(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_bytes(b"DISCORD_TOKEN=\xff\xfe\x00")
    with pytest.raises(WrongSetting, match=r"\.env can't be read"):
        load(file)


def test_a_mark_before_the_first_line_is_no_part_of_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISCORD_TOKEN", raising=False)
    file = tmp_path / ".env"
    file.write_text("DISCORD_TOKEN=abc\n", encoding="utf-8-sig")
    assert load(file).token == "abc"


@pytest.mark.parametrize(
    ("text", "line"),
    [("LOG_LEVEL=INFO\nDISCORD_TOKEN='abc\n", 2), ('EMOJIS="on\n', 1), ("A=1\n\n#\n=x\n", 4)],
)
def test_an_invalid_line_is_named_in_the_error(tmp_path: Path, text: str, line: int) -> None:
    file = tmp_path / ".env"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(WrongSetting, match=rf"\.env, line {line} .*NAME=value"):
        load(file)


def test_a_folder_in_the_place_of_the_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.mkdir()
    with pytest.raises(WrongSetting, match=r"\.env can't be read.*directory"):
        load(file)


@given(
    data=st.binary(max_size=60)
    | values.map(lambda text: f"LOG_LEVEL={text}".encode(errors="surrogateescape"))
)
def test_any_file_is_read_or_refused_in_a_line(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / ".env"
        file.write_bytes(data)
        told = ""
        try:
            load(file)
        except WrongSetting as error:
            told = str(error)
    assert len(told.splitlines()) <= 1
