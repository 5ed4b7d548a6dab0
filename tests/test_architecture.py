"""Import rules. Read from the sources, so that a wrong import fails here before it does harm."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import pytest

from tests.support.sources import sources

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Source:
    """One module of the program: its name and everything it imports, also under TYPE_CHECKING."""

    name: str
    path: Path

    @property
    def tree(self) -> ast.Module:
        return sources()[self.path]

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        return tuple(ast.walk(self.tree))

    @property
    def package(self) -> str:
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]

    @cached_property
    def imports(self) -> tuple[str, ...]:
        return tuple(self._imports())

    def _imports(self) -> Iterator[str]:
        for node in self.nodes:
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                module = node.module or ""
                if node.level:
                    base = self.package.split(".")[: len(self.package.split(".")) - node.level + 1]
                    module = ".".join([*base, module] if module else base)
                # ``from bot import client`` imports a module, ``from bot import __version__`` a value.
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
SOURCES = [Source(name, path) for name, path in MODULES.items()]


def inside(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


def of(*packages: str) -> list[Source]:
    return [source for source in SOURCES if inside(source.name, *packages)]


def offences(sources: list[Source], *forbidden: str) -> list[str]:
    return [
        f"{source.name} imports {name}"
        for source in sources
        for name in source.imports
        if inside(name, *forbidden)
    ]


DISCORD = ("discord", "simcord", "aiohttp", "yarl")
DATABASE = ("sqlite3", "aiosqlite", "asyncpg", "bot.store.sqlite", "bot.store.postgres", "bot.store.sql")
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

LAYERS: dict[str, tuple[str, ...]] = {
    "the rules": ("bot.games",),
    "texts, and what is seen from outside": (
        "bot.i18n",
        "bot.observability.context",
        "bot.observability.logging_setup",
        "bot.observability.metrics",
    ),
    "decisions and seeds": (
        "bot.strategy",
        "bot.records.who_begins",
        "bot.records.sealing",
        "bot.records.seeds",
        "bot.settings",
    ),
    "values that are stored": (
        "bot.standings",
        "bot.store.base",
        "bot.store.notifications",
        "bot.store.daily",
        "bot.store.guild_settings",
        "bot.store.history",
        "bot.store.people",
        "bot.store.puzzles",
        "bot.store.seasons",
        "bot.store.servers",
        "bot.store.standings",
    ),
    "what people see": ("bot.screens",),
    "the list of games": ("bot.registry",),
    "finished games": ("bot.records",),
    "storing": ("bot.store",),
    "games in channels": ("bot.sessions",),
    "the daily game": ("bot.daily",),
    "pictures": ("bot.charts",),
    "Discord": ("bot.discordpy",),
    "what runs in the background": ("bot.services", "bot.observability.health"),
    "the bot": ("bot.client",),
    "commands and buttons": ("cogs",),
    "processes": ("bot.cli", "bot.playground"),
    "the start": ("bot.__main__", "bot.probe"),
}
"""From the innermost outwards. A module belongs to the longest name that it is or lies in; it may import its
own layer and those before. The packages of ``EMPTY`` only hold others together and belong to no layer."""

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
    rules = next(source for source in SOURCES if source.name == "bot.games.tutto.rules")
    assert {"bot.games.core", "bot.games.tutto.soundness", "typing"} <= set(rules.imports)


@pytest.mark.parametrize("source", of("bot.games"), ids=lambda source: source.name)
def test_rules_are_pure(source: Source) -> None:
    for name in source.imports:
        assert inside(name, "bot.games") or name.partition(".")[0] in PURE, f"{source.name} imports {name}"
    called = {
        node.func.id
        for node in source.nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    # Boards and the like are Python values, not files that are read.
    assert not called & {"open", "print", "input", "exec", "eval", "id"}
    assert not [node for node in source.nodes if isinstance(node, ast.AsyncFunctionDef | ast.Global)]


def test_games_do_not_know_each_other() -> None:
    folders = {source.name.split(".")[2] for source in of("bot.games") if source.name.count(".") >= 3}
    assert "tutto" in folders
    for folder in folders:
        others = [f"bot.games.{other}" for other in folders - {folder}]
        assert not offences(of(f"bot.games.{folder}"), *others)
    shared = [source for source in of("bot.games") if not folders & set(source.name.split("."))]
    assert not offences(shared, *(f"bot.games.{folder}" for folder in folders))


def test_seeds_are_only_numbers_and_hashes() -> None:
    (seeds,) = of("bot.records.seeds")
    allowed = {"__future__", "bisect", "collections", "hashlib", "hmac", "itertools", "secrets", "typing"}
    assert {name.partition(".")[0] for name in seeds.imports} <= allowed


def test_policies_know_rules_alone() -> None:
    assert not offences(of("bot.strategy"), *DISCORD, *DATABASE, "asyncio")
    for source in of("bot.strategy"):
        for name in source.imports:
            assert not inside(name, "bot") or inside(name, "bot.games", "bot.strategy"), (
                f"{source.name}: {name}"
            )


def test_screens_are_pure() -> None:
    assert not offences(of("bot.screens"), *DISCORD, *DATABASE, *CHANCE_AND_TIME, *SIDE_EFFECTS)


def test_texts_know_no_game() -> None:
    assert not offences(of("bot.i18n"), *DISCORD, *DATABASE, "bot.games")


def test_what_databases_share_knows_neither_of_them() -> None:
    assert not offences(of("bot.store.sql"), *(name for name in DATABASE if name != "bot.store.sql"))


def test_sessions_know_no_sql() -> None:
    assert not offences(of("bot.sessions", "bot.daily"), *DATABASE)


def test_the_command_line_tools_need_no_discord() -> None:
    commands = (f"bot.cli.{name}" for name in ("simulate", "simulation", "verify", "text"))
    records = (f"bot.records.{name}" for name in ("record", "seeds", "header", "verification"))
    tools = of(*commands, *records, "bot.registry")
    assert not offences(tools, *DISCORD, *DATABASE, "bot.sessions", "asyncio")


def test_only_these_import_discord() -> None:
    may = (
        "cogs",
        "bot.discordpy",
        "bot.client",
        "bot.playground",
        "bot.services.painter",
        "bot.services.table_messages",
        "bot.cli.checks_discord",
        "bot.cli.invite",
        "bot.cli.refusals",
        "bot.cli.run",
        "bot.__main__",
    )
    others = [source for source in SOURCES if not inside(source.name, *may)]
    assert not offences(others, "discord", "simcord")


ENVIRONMENT = {"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"}


def test_only_the_settings_read_the_environment() -> None:
    readers = set()
    for source in SOURCES:
        for node in source.nodes:
            if isinstance(node, ast.Attribute):
                names = {node.attr}
            else:
                names = {alias.name for alias in node.names} if isinstance(node, ast.ImportFrom) else set()
            if names & ENVIRONMENT:
                readers.add(source.name)
        if any(inside(name, "dotenv") for name in source.imports):
            readers.add(source.name)
    assert readers <= {"bot.settings"}


def place(name: str) -> str | None:
    """The longest entry of ``LAYERS`` that is or contains a module."""
    found = [prefix for layer in LAYERS.values() for prefix in layer if inside(name, prefix)]
    return max(found, key=len, default=None)


EMPTY = {"bot", "bot.records", "bot.store", "bot.observability", "cogs"}
"""Packages whose parts stand in several layers: they must not import anything themselves."""


def test_every_module_has_a_place() -> None:
    assert not [source.name for source in SOURCES if source.name not in EMPTY and place(source.name) is None]
    assert not [source.name for source in SOURCES if source.name in EMPTY and source.imports]
    for prefix in (prefix for layer in LAYERS.values() for prefix in layer):
        assert of(prefix), f"{prefix} is no module"


def test_the_floor_plan() -> None:
    modules = {path.stem for path in (ROOT / "bot").glob("*.py")} - {"__init__"}
    packages = {path.parent.name for path in (ROOT / "bot").glob("*/__init__.py")}
    assert modules == {"__main__", "client", "playground", "probe", "registry", "settings"}
    assert len(packages) <= 14


def test_imports_point_one_way() -> None:
    level = {prefix: number for number, layer in enumerate(LAYERS.values()) for prefix in layer}
    wrong = []
    for source in SOURCES:
        own = place(source.name)
        for name in source.imports:
            other = place(name) if name in MODULES else None
            if own and other and name not in EMPTY and level[other] > level[own]:
                wrong.append(f"{source.name} imports {name}")
    assert not wrong


def test_there_are_no_circles() -> None:
    """No module imports itself by way of others, not even for types alone."""
    known = {source.name: sorted(MODULES.keys() & set(source.imports)) for source in SOURCES}
    done: set[str] = set()

    def visit(name: str, way: tuple[str, ...]) -> None:
        assert name not in way, " -> ".join([*way[way.index(name) :], name])
        if name not in done:
            for other in known[name]:
                visit(other, (*way, name))
            done.add(name)

    for name in known:
        visit(name, ())


MAY_TOUCH_PRIVATES = ("bot.discordpy",)
"""Where names may be used that a library keeps to itself."""

ONLY_NAME = {"_SubParsersAction", "_replace"}
"""The only names under which the standard library has something: a type, and a method of named tuples."""


def is_private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def defined_names(tree: ast.AST) -> set[str]:
    """What is defined under a node: functions, classes, variables, arguments, attributes of self and cls."""
    names = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                names.add(name)
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
                names.add(name)
    return names


def class_families() -> dict[ast.ClassDef, set[str]]:
    """For each class of the program, what it and its relatives define: its bases and what derives from it."""
    classes = {
        node: {ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases}
        for source in SOURCES
        for node in source.nodes
        if isinstance(node, ast.ClassDef)
    }
    named: dict[str, list[ast.ClassDef]] = {}
    for node in classes:
        named.setdefault(node.name, []).append(node)
    relatives: dict[ast.ClassDef, set[ast.ClassDef]] = {node: {node} for node in classes}
    for node, bases in classes.items():
        for base in (one for name in bases for one in named.get(name, ())):
            relatives[node].add(base)
            # A mixin uses what those have that it is mixed into.
            relatives[base].add(node)
    defined = {node: defined_names(node) for node in classes}
    families = {}
    for node in classes:
        family, waiting = set(), {node}
        while waiting:
            family.add(one := waiting.pop())
            waiting |= relatives[one] - family
        families[node] = set().union(*(defined[one] for one in family))
    return families


def names_of_families() -> dict[int, set[str]]:
    """By the id of each attribute of a name in a class: the names that the class and its family define."""
    return {
        id(inner): names
        for outer, names in class_families().items()
        for inner in ast.walk(outer)
        if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name)
    }


def foreign_privates(source: Source, known: dict[int, set[str]]) -> Iterator[str]:
    """Underscore names that a module uses and does not define; for self and cls, nor any of its family."""
    own = defined_names(source.tree)
    for node in source.nodes:
        names: list[str] = []
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
                names = [name] if name not in known.get(id(node), own) else []
            case ast.Attribute(attr=name):
                names = [name] if name not in own else []
            case ast.ImportFrom(module=module, names=aliases) if module != "__future__":
                names = [alias.name for alias in aliases]
            case ast.Call(func=ast.Name(id="getattr" | "hasattr" | "setattr" | "delattr"), args=args):
                texts = [one.value for one in args if isinstance(one, ast.Constant)]
                names = [text for text in texts if isinstance(text, str) and text not in own]
        yield from (f"{source.name}: {name}" for name in names if is_private(name) and name not in ONLY_NAME)


@cache
def all_foreign_privates() -> dict[str, set[str]]:
    """By the name of each module: what :func:`foreign_privates` finds in it."""
    known = names_of_families()
    return {source.name: set(foreign_privates(source, known)) for source in SOURCES}


def test_what_a_library_keeps_to_itself_is_touched_in_one_package() -> None:
    found = all_foreign_privates()
    assert found["bot.discordpy.fast_response"], "the search finds nothing"
    wrong = [names for name, names in found.items() if names and not inside(name, *MAY_TOUCH_PRIVATES)]
    assert not wrong


def test_the_page_names_all_that_is_touched_of_discord_py() -> None:
    rows = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").splitlines()
    wrong = []
    for name, privates in all_foreign_privates().items():
        package, _, module = name.rpartition(".")
        # The playground has a stand-in for Discord in the place of the library.
        if package == "bot.discordpy":
            named = "".join(row for row in rows if row.startswith(f"| `{module}.py` |"))
            wrong += [private for private in privates if private.partition(": ")[2] not in named]
    assert not wrong


def test_nothing_of_a_library_is_replaced_while_modules_are_imported() -> None:
    """No module sets an attribute outside of functions, but on what it has defined itself."""
    wrong = []
    for source in SOURCES:
        own = defined_names(source.tree)
        waiting: list[ast.AST] = [source.tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
                if ast.unparse(node).partition(".")[0] not in own:
                    wrong.append(f"{source.name}: {ast.unparse(node)}")
            elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                waiting += ast.iter_child_nodes(node)
    assert not wrong


def test_no_class_overrides_what_a_library_keeps_to_itself() -> None:
    wrong = []
    for name in MODULES:
        if name.endswith("__main__"):
            continue
        for one in vars(importlib.import_module(name)).values():
            if not isinstance(one, type) or one.__module__ != name:
                continue
            known = {"bot", "cogs", *sys.stdlib_module_names}
            foreign = [base for base in one.__mro__ if base.__module__.partition(".")[0] not in known]
            wrong += [
                f"{name}.{one.__name__}.{attribute}"
                for attribute in vars(one)
                for base in foreign
                if is_private(attribute) and attribute in vars(base)
            ]
    assert not wrong


def test_background_work_has_one_of_two_shapes() -> None:
    """Only they start tasks and timers; the thinking processes wait for their own."""
    makers = {"create_task", "ensure_future", "call_later", "call_at"}
    sources = [one for one in of("bot.services", "cogs", "bot.sessions") if one.name != "bot.services.jobs"]
    found = {
        source.name
        for source in sources
        for node in source.nodes
        if isinstance(node, ast.Attribute) and node.attr in makers
    }
    assert found == {"bot.services.thinking"}
