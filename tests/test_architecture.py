"""Who may know whom. Read from the sources, so that a wrong import fails here before it does harm."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Source:
    """One module of the program: its name and everything it imports, also under TYPE_CHECKING."""

    name: str
    path: Path
    tree: ast.Module

    @property
    def package(self) -> str:
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]

    def imports(self) -> Iterator[str]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                module = node.module or ""
                if node.level:
                    base = self.package.split(".")[: len(self.package.split(".")) - node.level + 1]
                    module = ".".join([*base, module] if module else base)
                # ``from bot import news`` imports bot.news, ``from bot import __version__`` only bot.
                names = [f"{module}.{alias.name}" for alias in node.names]
                yield from (name if name in MODULES else module for name in names)


def _names() -> dict[str, Path]:
    found = {}
    for folder in ("bot", "cogs"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = _names()
SOURCES = [
    Source(name, path, ast.parse(path.read_text(encoding="utf-8"), str(path)))
    for name, path in MODULES.items()
]


def inside(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


def of(*packages: str) -> list[Source]:
    return [source for source in SOURCES if inside(source.name, *packages)]


def offences(sources: list[Source], *forbidden: str) -> list[str]:
    return [
        f"{source.name} imports {name}"
        for source in sources
        for name in source.imports()
        if inside(name, *forbidden)
    ]


HOUSE = ("cogs", "bot.client", "bot.gateway", "bot.playground", "bot.__main__")
DISCORD = ("discord", "simcord", "aiohttp", "yarl", *HOUSE)
DATABASE = ("sqlite3", "aiosqlite", "aiosql", "asyncpg", "bot.store")
CHANCE_AND_TIME = ("random", "secrets", "time", "datetime", "uuid")
SIDE_EFFECTS = (
    "asyncio",
    "concurrent",
    "logging",
    "multiprocessing",
    "os",
    "socket",
    "subprocess",
    "threading",
)

PURE = {
    "__future__",
    "abc",
    "bisect",
    "collections",
    "dataclasses",
    "enum",
    "fractions",
    "functools",
    "itertools",
    "json",
    "math",
    "operator",
    "orjson",
    "re",
    "types",
    "typing",
}
"""What rules may use of the standard library: nothing with a clock, randomness or side effects."""


def test_the_sources_are_found() -> None:
    assert {"bot.games.core", "bot.games.tutto.rules", "bot.nature", "bot.record"} <= MODULES.keys()
    core = next(source for source in SOURCES if source.name == "bot.games.tutto.rules")
    assert {"bot.games.core", "bot.games.tutto.codec", "typing"} <= set(core.imports())


@pytest.mark.parametrize("source", of("bot.games"), ids=lambda source: source.name)
def test_rules_are_pure(source: Source) -> None:
    for name in source.imports():
        assert inside(name, "bot.games") or name.partition(".")[0] in PURE, f"{source.name} imports {name}"
    called = {
        node.func.id
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    # Boards and the like are Python values, not files that are read.
    assert not called & {"open", "print", "input", "exec", "eval", "id"}
    assert not [node for node in ast.walk(source.tree) if isinstance(node, ast.AsyncFunctionDef | ast.Global)]


def test_games_do_not_know_each_other() -> None:
    folders = {source.name.split(".")[2] for source in of("bot.games") if source.name.count(".") >= 3}
    assert "tutto" in folders
    for folder in folders:
        others = [f"bot.games.{other}" for other in folders - {folder}]
        assert not offences(of(f"bot.games.{folder}"), *others)
    shared = [source for source in of("bot.games") if not folders & set(source.name.split("."))]
    assert not offences(shared, *(f"bot.games.{folder}" for folder in folders))


def test_nature_is_only_a_seed_and_hashes() -> None:
    (nature,) = of("bot.nature")
    allowed = {"__future__", "collections", "hashlib", "hmac", "operator", "secrets", "typing"}
    assert {name.partition(".")[0] for name in nature.imports()} <= allowed


def test_policies_know_rules_and_nothing_of_the_house() -> None:
    strategy = of("bot.strategy")
    assert not offences(strategy, *DISCORD, *DATABASE, "asyncio")
    for source in strategy:
        for name in source.imports():
            assert not inside(name, "bot") or inside(name, "bot.games", "bot.strategy"), (
                f"{source.name}: {name}"
            )


def test_screens_are_pure() -> None:
    screens = of("bot.screens")
    assert screens
    assert not offences(screens, *DISCORD, *DATABASE, *CHANCE_AND_TIME, *SIDE_EFFECTS, "bot.session")


def test_catalogues_know_no_discord() -> None:
    assert of("bot.i18n")
    assert not offences(of("bot.i18n"), *DISCORD, *DATABASE, "bot.session", "bot.screens", "bot.games")


def test_the_store_knows_neither_games_nor_discord() -> None:
    assert of("bot.store")
    others = ("bot.session", "bot.screens", "bot.registry", "bot.strategy")
    assert not offences(of("bot.store"), *DISCORD, *others)


def test_the_session_knows_no_discord_and_no_sql() -> None:
    assert of("bot.session")
    assert not offences(of("bot.session"), *DISCORD, "sqlite3", "aiosqlite", "aiosql", "bot.store.sqlite")


def test_the_command_line_tools_need_no_discord() -> None:
    names = ("simulate", "verify", "text")
    tools = of(*(f"bot.commandline.{name}" for name in names))
    tools += of("bot.record", "bot.simulate", "bot.nature", "bot.registry")
    assert not offences(tools, *DISCORD, *DATABASE, "bot.session", "asyncio")


def test_only_these_import_discord() -> None:
    here = ("bot.client", "bot.gateway", "bot.tree", "bot.playground", "bot.__main__")
    may = ("cogs", "bot.commandline.checks_discord", *here)
    others = [source for source in SOURCES if not inside(source.name, *may)]
    assert not offences(others, "discord", "cogs", "bot.client", "bot.playground")


ENVIRONMENT = {"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"}


def test_only_the_settings_read_the_environment() -> None:
    readers = set()
    for source in SOURCES:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Attribute):
                names = {node.attr}
            else:
                names = {alias.name for alias in node.names} if isinstance(node, ast.ImportFrom) else set()
            if names & ENVIRONMENT:
                readers.add(source.name)
        if any(inside(name, "dotenv") for name in source.imports()):
            readers.add(source.name)
    assert readers <= {"bot.settings"}


LAYERS = [
    ["bot.games"],
    ["bot.nature", "bot.strategy", "bot.i18n", "bot.metrics", "bot.context"],
    ["bot.store", "bot.screens"],
    ["bot.registry"],
    ["bot.session", "bot.record", "bot.simulate"],
    ["bot.gateway"],
    ["bot.client", "bot.commandline"],
    ["cogs"],
    ["bot.playground"],
    ["bot.__main__"],
]
"""From the innermost outwards; what stands in a layer may import its own package and what stands before."""


def test_imports_point_one_way() -> None:
    level = {package: number for number, layer in enumerate(LAYERS) for package in layer}

    def place(name: str) -> tuple[str, int] | None:
        return next(((package, n) for package, n in level.items() if inside(name, package)), None)

    wrong = []
    for source in SOURCES:
        own = place(source.name)
        for name in source.imports():
            other = place(name)
            if own and other and other[0] != own[0] and other[1] > own[1]:
                wrong.append(f"{source.name} imports {name}")
    assert not wrong


def test_there_are_no_circles() -> None:
    """No module imports itself by way of others, not even for types alone."""
    known = {source.name: sorted(MODULES.keys() & set(source.imports())) for source in SOURCES}
    done: set[str] = set()

    def visit(name: str, way: tuple[str, ...]) -> None:
        assert name not in way, " -> ".join([*way[way.index(name) :], name])
        if name not in done:
            for other in known[name]:
                visit(other, (*way, name))
            done.add(name)

    for name in known:
        visit(name, ())
