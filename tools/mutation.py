"""Change the program in small ways, one at a time, and see whether a test fails.

    python -m tools.mutation [--jobs 2] [--sample 60 [--seed 1]] [--only bot/games/core.py ...]

A change that no test notices survives. Those in tests/mutation.txt are known, each with its reason; any other
fails the run. Only functions are changed: a forked process that has collected the tests already gets their
new code, so a change costs no more than its tests. Those that enter the changed function run first, the
quickest before the others. Why this is no library: docs/decisions/mutation.md.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import copy
import gc
import importlib
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType

import pytest

from tools.near_tests import NEAR

ROOT = Path(__file__).parents[1]
KNOWN = ROOT / "tests" / "mutation.txt"

NOT_INSTALLED = 77
"""The exit code of a process that could not make its change; it counts for nothing."""

ENTERED = "_mutation_entered"
"""The name of the builtin function that is told which functions the tests enter."""

LONGEST = 5.0
"""How many times as long as without a change its tests may take, before a change counts as noticed."""

PATIENCE = 20.0
"""So many seconds more: a test that waits for what is lost fails by itself before."""

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
SILENT = ("_log", "metrics", "context")
"""Calls to these are not changed: what is logged or counted is no behaviour that players or stores see."""


Place = tuple[str, int]
"""A field of a node, and which of its values if it is a list; -1 if it is none."""


@dataclass(frozen=True)
class Mutant:
    """One change, and a name for it that does not depend on the line."""

    name: str
    scope: str
    tree: ast.Module
    node: ast.AST
    place: Place | None
    new: ast.AST

    @property
    def line(self) -> int:
        return int(getattr(self.node, "lineno", 0))

    def changed(self) -> ast.Module:
        """The module with the change."""
        return _replaced(self.tree, self.node, self.place, self.new)


def mutants(path: Path) -> Iterator[Mutant]:
    """All changes to the functions of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    seen: dict[str, int] = {}
    for scope, node in _inside(tree, (), False):
        for place, new in _changes(node):
            after = new if place is None else _with(node, place, new)
            change = f"{_short(ast.unparse(node))} -> {_short(ast.unparse(after))}"
            name = f"{os.path.relpath(path, ROOT)} {scope}: {change}"
            seen[name] = seen.get(name, 0) + 1
            number = f" #{seen[name]}" if seen[name] > 1 else ""
            yield Mutant(name + number, scope, tree, node, place, new)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 100 else f"{text[:97]}..."


def _inside(node: ast.AST, scope: tuple[str, ...], function: bool) -> Iterator[tuple[str, ast.AST]]:
    """Every node in the functions below, without annotations, decorators and docstrings."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        scope = (*scope, node.name)
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        if isinstance(node, ast.ClassDef):
            for child in body:
                yield from _inside(child, scope, function)
        else:
            for child in body:
                yield from _inside(child, scope, True)
        return
    if isinstance(node, ast.If) and not node.orelse and all(map(_says_only, node.body)):
        # Which of these is said is no behaviour either.
        return
    if function:
        yield ".".join(scope), node
    for name, field in ast.iter_fields(node):
        if name == "annotation" or (isinstance(node, ast.Call) and _is_silent(node)):
            continue
        if isinstance(node, ast.keyword) and node.arg == "strict":
            # A guard against wrong lengths, of which there are none.
            continue
        for child in field if isinstance(field, list) else [field]:
            if isinstance(child, ast.AST):
                yield from _inside(child, scope, function)


def _says_only(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _is_silent(node.value)


def _is_silent(call: ast.Call) -> bool:
    names = {node.id for node in ast.walk(call.func) if isinstance(node, ast.Name)}
    return bool(names & set(SILENT))


def _changes(node: ast.AST) -> Iterator[tuple[Place | None, ast.AST]]:
    """What a node becomes: itself replaced (place None), or one of its fields."""
    match node:
        case ast.Compare(ops=ops):
            for number, operator in enumerate(ops):
                yield ("ops", number), COMPARISONS[type(operator)]()
        case ast.BoolOp(op=operator):
            yield ("op", -1), ast.Or() if isinstance(operator, ast.And) else ast.And()
        case ast.BinOp(op=operator) | ast.AugAssign(op=operator) if type(operator) in OPERATORS:
            yield ("op", -1), OPERATORS[type(operator)]()
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield None, operand
        case ast.Constant(value=bool() as value):
            yield None, ast.Constant(not value)
        case ast.Constant(value=int() | float() as value):
            yield None, ast.Constant(value + 1)
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            if not isinstance(test, ast.Compare | ast.UnaryOp):
                yield ("test", -1), ast.UnaryOp(ast.Not(), test)
        case ast.Expr(value=ast.Call() as call) if not _is_silent(call):
            yield None, ast.Pass()
        case ast.Expr(value=ast.Await(value=ast.Call() as call)) if not _is_silent(call):
            yield None, ast.Pass()
        case ast.Raise():
            yield None, ast.Pass()
        case ast.Break():
            yield None, ast.Continue()
        case ast.Continue():
            yield None, ast.Break()
        case ast.Return(value=value) if value is not None and not isinstance(value, ast.Constant):
            yield ("value", -1), ast.Constant(None)


def _with(node: ast.AST, place: Place, new: ast.AST) -> ast.AST:
    changed = copy.deepcopy(node)
    name, number = place
    if number < 0:
        setattr(changed, name, new)
    else:
        getattr(changed, name)[number] = new
    return changed


def _replaced(tree: ast.Module, node: ast.AST, place: Place | None, new: ast.AST) -> ast.Module:
    class Change(ast.NodeTransformer):
        def visit(self, found: ast.AST) -> ast.AST:
            if found is node:
                return ast.copy_location(new if place is None else _with(node, place, new), node)
            return super().generic_visit(found)

    # All but the node itself is copied, so that it is found again.
    result = Change().visit(copy.deepcopy(tree, {id(node): node}))
    assert isinstance(result, ast.Module)
    return ast.fix_missing_locations(result)


def install(path: Path, tree: ast.Module) -> bool:
    """Give the functions of a module the code they have in ``tree``; return whether any has changed."""
    whole = compile(tree, str(path), "exec")
    codes = {(code.co_qualname, code.co_firstlineno): code for code in _codes(whole)}
    installed = False
    for found in gc.get_objects():
        if isinstance(found, FunctionType) and found.__code__.co_filename == str(path):
            code = codes.get((found.__code__.co_qualname, found.__code__.co_firstlineno))
            if code is not None and code.co_freevars == found.__code__.co_freevars:
                installed = installed or found.__code__ != code
                found.__code__ = code
        elif hasattr(type(found), "cache_clear"):
            found.cache_clear()
    return installed


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def marked(path: Path) -> ast.Module:
    """The module, with functions that tell the builtin function ``ENTERED`` their name first of all."""
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))

    def mark(node: ast.AST, scope: tuple[str, ...]) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inside = (*scope, child.name)
                mark(child, inside)
                if not isinstance(child, ast.ClassDef):
                    call = ast.Call(ast.Name(ENTERED, ast.Load()), [ast.Constant(".".join(inside))], [])
                    at = 0 if ast.get_docstring(child) is None else 1
                    child.body.insert(at, ast.copy_location(ast.Expr(call), child.body[at - 1]))
            else:
                mark(child, scope)

    mark(tree, ())
    return ast.fix_missing_locations(tree)


class Runner:
    """Collects the near tests once, and runs them in a process of its own for each change."""

    def __init__(self, path: Path, changes: Sequence[Mutant], jobs: int) -> None:
        self.path = path
        self.changes = changes
        self.jobs = jobs
        self.survivors: list[Mutant] = []
        self.count = 0
        self.late = 0
        """How many took so long that they count as noticed."""
        self.failure = ""
        self._failed = ""
        """The test that failed."""
        self.notes: list[tuple[float, list[str]]] = []
        """How many seconds each test takes, and the functions of the module that it enters."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed = report.nodeid

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed or not session.items:
            self.failure = "its near tests can't be collected"
            return True
        # A test may import it only while it runs, as discord.py loads extensions.
        importlib.import_module(".".join(self.path.relative_to(ROOT).with_suffix("").parts))
        # Functions are found among all objects, which frozen ones are not.
        gc.unfreeze()
        self.notes = self._first_run(session)
        if not self.notes:
            return True
        limit = PATIENCE + LONGEST * sum(seconds for seconds, _ in self.notes)
        running: dict[int, Mutant] = {}
        started_at: dict[int, float] = {}
        for mutant in self.changes:
            self.count += 1
            while len(running) >= self.jobs:
                self._reap(running, started_at, limit)
            child = self._fork(session, mutant)
            running[child], started_at[child] = mutant, time.monotonic()
        while running:
            self._reap(running, started_at, limit)
        return True

    def _first_run(self, session: pytest.Session) -> list[tuple[float, list[str]]]:
        """Run all tests without a change and take notes; if a test fails there are none, and ``failure``."""
        with tempfile.TemporaryFile("w+") as file:
            child = os.fork()
            if not child:
                try:
                    _silence()
                    entered: set[str] = set()
                    setattr(builtins, ENTERED, entered.add)
                    install(self.path, marked(self.path))
                    notes = []
                    started = time.monotonic()
                    for _ in _run(session, session.items):
                        notes.append((time.monotonic() - started, sorted(entered)))
                        entered.clear()
                        started = time.monotonic()
                    json.dump([self._failed, notes], file)
                    file.flush()
                finally:
                    os._exit(0)
            os.waitpid(child, 0)
            file.seek(0)
            failed, notes = json.loads(file.read() or '["a test ends the process", []]')
        if failed:
            self.failure = f"without any change {failed} fails"
            return []
        return [(seconds, names) for seconds, names in notes]

    def _fork(self, session: pytest.Session, mutant: Mutant) -> int:
        child = os.fork()
        if child:
            return child
        code = NOT_INSTALLED
        try:
            _silence()
            # It can't be installed if a function gets another closure, as without its last call of super().
            if install(self.path, mutant.changed()):
                code = 1
                order = sorted(
                    range(len(session.items)),
                    key=lambda number: (mutant.scope not in self.notes[number][1], self.notes[number][0]),
                )
                for _ in _run(session, [session.items[number] for number in order]):
                    pass
                code = 1 if session.testsfailed else 0
        finally:
            os._exit(code)

    def _reap(self, running: dict[int, Mutant], started_at: dict[int, float], limit: float) -> None:
        """Take in those that are done; what takes too long is noticed."""
        for child in list(running):
            done, status = os.waitpid(child, os.WNOHANG)
            if not done and time.monotonic() - started_at[child] > limit:
                os.kill(child, signal.SIGKILL)
                done, status = os.waitpid(child, 0)
                self.late += 1
                print(f"by time: {running[child].name}", flush=True)
            if done:
                mutant = running.pop(child)
                if os.waitstatus_to_exitcode(status) == NOT_INSTALLED:
                    self.count -= 1
                elif status == 0:
                    self.survivors.append(mutant)
                    print(f"{mutant.name}   (line {mutant.line})", flush=True)
        time.sleep(0.005)


def _silence() -> None:
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 1)
    os.dup2(sink, 2)


def _run(session: pytest.Session, items: Sequence[pytest.Item]) -> Iterator[None]:
    """Run tests up to the first that fails; yield after each."""
    session.config.option.maxfail = 1
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        yield
        if session.testsfailed:
            return


def known() -> set[str]:
    """The names of the changes that may survive, each below its reason in the file."""
    if not KNOWN.exists():
        return set()
    lines = KNOWN.read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def chosen(path: Path, sample: int | None, seed: int) -> list[Mutant]:
    """Return all changes of a module, or ``sample`` of them, the same ones for the same seed."""
    found = list(mutants(path))
    if sample is None or sample >= len(found):
        return found
    numbers = sorted(random.Random(seed).sample(range(len(found)), sample))
    return [found[number] for number in numbers]


def measure(module: str, changes: Sequence[Mutant], jobs: int) -> int:
    """Try these changes of a module; 0 if each is noticed or known."""
    runner = Runner(ROOT / module, changes, jobs)
    quiet = [
        "-o",
        "addopts=",
        "-m",
        "not slow",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-p",
        "no:terminal",
        "--hypothesis-seed=0",
    ]
    pytest.main([*quiet, *(str(ROOT / near) for near in NEAR[module])], plugins=[runner])
    if runner.failure or not runner.count:
        print(f"{module}: {runner.failure or 'nothing was tried'}", flush=True)
        return 1
    may = known()
    new = [one for one in runner.survivors if one.name not in may]
    noticed = runner.count - len(runner.survivors)
    share = noticed / runner.count
    late = f", {runner.late} of them by time" if runner.late else ""
    print(f"{module}: {noticed} of {runner.count} noticed ({share:.1%}{late}), {len(new)} new", flush=True)
    return 1 if new else 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--sample",
        type=int,
        metavar="N",
        help="try at most N changes of each module",
    )
    parser.add_argument("--seed", type=int, default=0, help="which ones; the same ones for the same seed")
    parser.add_argument("--only", nargs="+", choices=list(NEAR), default=list(NEAR), metavar="MODULE")
    given = parser.parse_args(arguments)
    worst = 0
    for module in given.only:
        # A process a module, so that each begins with what it imports itself.
        child = os.fork()
        if not child:
            changes = chosen(ROOT / module, given.sample, given.seed)
            os._exit(measure(module, changes, given.jobs))
        worst = max(worst, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
