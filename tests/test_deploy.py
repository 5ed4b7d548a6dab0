"""Deployment files: the image, the services, and the lock file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bot import __main__ as program
from bot.cli import run
from bot.cli.text import FAILED, OK, REFUSED, USAGE
from bot.settings import NAMES
from tools import dry_build, runtime_lock

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
PROJECT = '[project]\ndependencies = ["discord.py>=2.7,<3", "tqdm", "zoneless>=1; python_version > \'3\'"]\n'
LOCK = """\
aiohttp==3.1 \\
    --hash=sha256:aa
    # via
    #   discord-py
    #   simcord
discord-py==2.7 \\
    --hash=sha256:bb
    # via
    #   dicebot (pyproject.toml)
    #   simcord
pluggy==1.0 \\
    --hash=sha256:cc
    # via pytest
pytest==9.0 \\
    --hash=sha256:dd
    # via dicebot (pyproject.toml)
simcord==3.0 \\
    --hash=sha256:ee
    # via dicebot (pyproject.toml)
tqdm==4.0 \\
    --hash=sha256:ff
    # via dicebot (pyproject.toml)
yarl==1.0 ; python_version > '3' \\
    --hash=sha256:00
    # via aiohttp
zoneless==1.0 \\
    --hash=sha256:11
    # via dicebot (pyproject.toml)
"""


def test_only_what_runs_is_installed_and_by_its_hash() -> None:
    text = runtime_lock.runtime(PROJECT, LOCK)
    names = re.findall(r"^([\w-]+)==", text, re.MULTILINE)
    assert names == ["aiohttp", "discord-py", "tqdm", "yarl", "zoneless"]
    assert re.findall(r"sha256:(\w+)", text) == ["aa", "bb", "ff", "00", "11"]
    assert "yarl==1.0 ; python_version > '3' \\" in text


def test_extras_are_added_by_name() -> None:
    extra = '[project.optional-dependencies]\nplay = ["simcord[preview]>=3"]\n'
    text = runtime_lock.runtime(PROJECT + extra, LOCK, ["play"])
    assert re.findall(r"^([\w-]+)==", text, re.MULTILINE) == [
        *("aiohttp", "discord-py", "simcord", "tqdm", "yarl", "zoneless")
    ]
    with pytest.raises(ValueError, match="no extra work"):
        runtime_lock.runtime(PROJECT + extra, LOCK, ["work"])


def test_a_lock_file_that_lacks_something_is_refused() -> None:
    with pytest.raises(ValueError, match=r"lacks zoneless.*make lock"):
        runtime_lock.runtime(PROJECT, LOCK.partition("zoneless")[0])


def test_the_image_has_no_tool_of_the_developers() -> None:
    blocks = runtime_lock.blocks((ROOT / "requirements.lock").read_text(encoding="utf-8"))
    assert {"pytest", "discord-py", "aiohttp"} <= blocks.keys()
    assert blocks["aiohttp"][1] >= {"discord-py"}
    wanted = runtime_lock.wanted((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "discord-py" in wanted
    assert not wanted & {"pytest", "mypy", "simcord", "ruff"}


@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("bot/__main__.py", True),
        ("bot/store/sql/queries/games.sql", True),
        ("bot/i18n/locale/de/tutto.po", True),
        ("assets/emojis/manifest.json", True),
        ("tools/runtime_lock.py", True),
        ("tools/dry_build.py", False),
        (".env", False),
        ("data/games.db", False),
        ("tests/support/rows.py", False),
        (".git/config", False),
        ("bot/__pycache__/app.pyc", False),
        ("bot/store/__pycache__/base.pyc", False),
    ],
)
def test_what_gets_into_the_image(name: str, good: bool, tmp_path: Path) -> None:
    assert dry_build.allowed(ROOT / name, dry_build.Image(tmp_path, None).patterns) is good


def test_the_steps_copy_all_that_the_bot_reads() -> None:
    found = list(dry_build.steps((ROOT / "Dockerfile").read_text(encoding="utf-8")))
    copied = {word for step, rest in found if step == "COPY" for word in rest.split()[:-1]}
    assert {"bot", "cogs", "assets", "pyproject.toml", "requirements.lock"} <= copied
    assert [rest for step, rest in found if step == "USER"] == ["10001:10001"]
    assert any(step == "HEALTHCHECK" and '"bot", "healthcheck"' in rest for step, rest in found)


def test_all_settings_that_are_set_exist() -> None:
    other = {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "SQLITE_TMPDIR"}
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    names = set(re.findall(r"^(?:ENV|   ) +(\w+)=", text, re.MULTILINE))
    for path in DEPLOY.glob("*.service"):
        for line in re.findall(r"^Environment=(.*)$", path.read_text(encoding="utf-8"), re.MULTILINE):
            names |= set(re.findall(r"(\w+)=", line))
    compose = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    names |= set(re.findall(r"^      ([A-Z_]+): ", compose, re.MULTILINE)) - {
        *("POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD")
    }
    assert {"DATABASE_URL", "METRICS_PORT"} <= names
    assert names - other <= NAMES


def test_exit_codes_that_need_a_person_are_not_started_again() -> None:
    unit = (DEPLOY / "dicebot.service").read_text(encoding="utf-8")
    (codes,) = re.findall(r"^RestartPreventExitStatus=(.*)$", unit, re.MULTILINE)
    assert {int(code) for code in codes.split()} == {USAGE, REFUSED}


def test_engines_which_know_no_exit_codes_do_not_start_it_again_either(
    monkeypatch: pytest.MonkeyPatch, no_settings: Path
) -> None:
    compose = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    assert re.findall(r"^  restart: (\S+)$", compose, re.MULTILINE) == ["on-failure:10"]
    assert "command:" not in compose
    docker = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    (command,) = re.findall(r"^CMD (\[.*\])$", docker, re.MULTILINE)
    assert program.main(["run"]) == USAGE
    assert program.main(json.loads(command)) == OK
    monkeypatch.setenv("EMOJIS", "maybe")
    assert program.main(["run"]) == USAGE
    assert program.main(json.loads(command)) == OK
    monkeypatch.delenv("EMOJIS")
    monkeypatch.setenv("DISCORD_TOKEN", "token")
    for code, expected in {REFUSED: OK, FAILED: FAILED, OK: OK}.items():
        monkeypatch.setattr(run, "run", lambda arguments, settings, code=code: code)
        monkeypatch.setattr(program, "_log_to_stderr", lambda settings: None)
        assert program.main(json.loads(command)) == expected


def test_the_workflow_builds_this_image_for_both_architectures() -> None:
    workflow = (ROOT / ".github" / "workflows" / "image.yml").read_text(encoding="utf-8")
    docker = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    (base,) = re.findall(r"^ARG BASE=(\S+)$", docker, re.MULTILINE)
    assert re.findall(r"^  BASE_NAME: (\S+)$", workflow, re.MULTILINE) == [base]
    assert re.findall(r"^FROM (\S+)", docker, re.MULTILINE) == ["${BASE}", "${BASE}"]
    assert "platforms: linux/amd64,linux/arm64" in workflow
    assert workflow.count("BASE=") == 2


def test_the_probe_needs_a_port(monkeypatch: pytest.MonkeyPatch, no_settings: Path) -> None:
    assert program.main(["healthcheck"]) == 1
    monkeypatch.setenv("METRICS_PORT", "no")
    assert program.main(["healthcheck"]) == 1
