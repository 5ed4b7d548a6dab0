"""The package: what is in it, and that it works where there is nothing else of this project."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import signal
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from email.parser import Parser
from pathlib import Path

import pytest

from benchmarks.playground import Page
from bot import __version__
from bot.settings import NAMES
from tools import runtime_lock

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PARTS = ("assets", "bot", "cogs")
EXTRAS = ("playground", "postgres")
OPENS_WITHIN = 60.0


@pytest.fixture
def idle_seconds() -> float:
    return 2 * OPENS_WITHIN


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    """Run a command without any setting of the bot; return its output. It must succeed."""
    kept = {key: value for key, value in os.environ.items() if key not in NAMES}
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env={**kept, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}: {done.stdout}"
    return done.stdout


def build(source: Path, folder: Path, *kinds: str) -> None:
    run(sys.executable, "-m", "hatchling", "build", "-d", folder, *kinds, cwd=source)


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source distribution of this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    build(ROOT, folder)
    return folder


def locked(*extras: str) -> str:
    """The part of the lock file that the bot needs to run."""
    project, lock = ((ROOT / name).read_text("utf-8") for name in ("pyproject.toml", "requirements.lock"))
    return runtime_lock.runtime(project, lock, extras)


def wheel(folder: Path) -> Path:
    (found,) = folder.glob("*.whl")
    return found


def contents(path: Path) -> dict[str, str]:
    """The hash of each file in a wheel."""
    with zipfile.ZipFile(path) as archive:
        return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}


def files(parts: Sequence[str]) -> dict[str, str]:
    """The hash of each file in these folders of the checkout, by its name in a wheel."""
    return {
        f"dicebot/{path.relative_to(ROOT).as_posix()}": hashlib.sha256(path.read_bytes()).hexdigest()
        for part in parts
        for path in (ROOT / part).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_has_all_of_the_program_under_one_name(dist: Path) -> None:
    found = contents(wheel(dist))
    ours = {name: digest for name, digest in found.items() if name.startswith("dicebot/")}
    own = {
        f"dicebot/{name}" for name in ("__init__.py", "__main__.py", "pyproject.toml", "requirements.lock")
    }
    assert ours.keys() - own == files(PARTS).keys()
    assert files(PARTS).items() <= ours.items()
    assert {name.partition("/")[0] for name in found} == {"dicebot", f"dicebot-{__version__}.dist-info"}
    with zipfile.ZipFile(wheel(dist)) as archive:
        about = Parser().parsestr(archive.read(f"dicebot-{__version__}.dist-info/METADATA").decode())
    assert (about["Version"], about["License-Expression"]) == (__version__, "MIT")
    assert set(about.get_all("Provides-Extra", ())) >= set(EXTRAS)


def test_the_source_distribution_makes_the_same_wheel(dist: Path, tmp_path: Path) -> None:
    (source,) = dist.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        names = archive.getnames()
        archive.extractall(tmp_path, filter="data")
    assert not [name for name in names if name.endswith((".db", "/.env", ".pyc"))]
    (unpacked,) = tmp_path.iterdir()
    build(unpacked, tmp_path / "again", "-t", "wheel")
    assert contents(wheel(tmp_path / "again")) == contents(wheel(dist))


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_every_package_of_the_image_is_there_as_a_wheel(machine: str, tmp_path: Path) -> None:
    """Also for a Raspberry Pi, as the image has no compiler; the lock file must have their hashes."""
    (tmp_path / "runtime.lock").write_text(locked("postgres"), "utf-8")
    run(
        *(Path(sys.executable).with_name("uv"), "pip", "install", "--quiet", "--dry-run", "--require-hashes"),
        *("--python-platform", f"{machine}-manylinux_2_28", "--python-version", "3.11"),
        *("--only-binary", ":all:", "--target", tmp_path / "target", "-r", tmp_path / "runtime.lock"),
        cwd=tmp_path,
    )


async def test_it_works_in_an_empty_environment(dist: Path, tmp_path: Path, unused_tcp_port: int) -> None:
    """Beside another program's ``bot`` and ``cogs``, in a folder of its own."""
    venv, here = tmp_path / "venv", tmp_path / "here"
    here.mkdir()
    uv, python = Path(sys.executable).with_name("uv"), venv / "bin" / "python"
    run(uv, "venv", "--quiet", "--python", sys.executable, venv, cwd=here)
    (tmp_path / "runtime.lock").write_text(locked(*EXTRAS), "utf-8")
    install = (uv, "pip", "install", "--quiet", "--python", python)
    run(*install, "--require-hashes", "-r", tmp_path / "runtime.lock", cwd=here)
    # All its requirements are installed; its metadata must not ask for anything else.
    run(*install, "--offline", f"dicebot[{','.join(EXTRAS)}] @ {wheel(dist).as_uri()}", cwd=here)
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=here).strip())
    for name in ("bot", "cogs"):
        for folder in (site, here):
            (folder / f"{name}.py").write_text("raise SystemExit('another program')\n")
    dicebot = venv / "bin" / "dicebot"
    assert run(dicebot, "--version", cwd=here) == f"dicebot {__version__}\n"
    assert run(python, "-P", "-m", "dicebot", "--version", cwd=here) == f"dicebot {__version__}\n"
    assert "usage: dicebot" in run(dicebot, "--help", cwd=here)
    for game in ("tutto", "gambler"):
        assert "Ended by:" in run(dicebot, "simulate", "--game", game, "--games", "3", cwd=here)
    token = "MTIzNDU2Nzg5MDEyMzQ1Njc4.GhIjKl.abcdefghijklmnopqrstuvwxyz0123456789AB"  # made up
    checked = run(dicebot, "doctor", "--offline", cwd=here, env={"DISCORD_TOKEN": token})
    assert "packages     as in requirements.lock" in checked
    await played(dicebot, here, unused_tcp_port)
    assert sorted(path.name for path in here.iterdir()) == ["bot.py", "cogs.py", "data"]


async def played(dicebot: Path, here: Path, port: int) -> None:
    """Open the playground, and play against an AI, which thinks in a process of its own."""
    process = await asyncio.create_subprocess_exec(
        *(dicebot, "playground", "--port", str(port)),
        cwd=here,
        env={key: value for key, value in os.environ.items() if key not in NAMES},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        line = (await asyncio.wait_for(process.stdout.readline(), OPENS_WITHIN)).decode()
        async with Page.open(line.split()[-1]) as page:
            assert "Welcome to the playground" in page.text()
            await page.command("tutto", "start")
            for label in ("＋ Casual", "Start the game", "Turn a card and roll"):
                await page.click(label)
        process.send_signal(signal.SIGINT)
        _, said = await asyncio.wait_for(process.communicate(), OPENS_WITHIN)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    assert process.returncode == 0
    assert not [one for one in ("WARNING", "ERROR", "Traceback") if one in said.decode()], said.decode()
