"""The tool that starts a PostgreSQL server for tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import postgres_server
from tools.postgres_server import HELP, VARIABLE, NoServer, main, programs, server


def test_without_the_programs_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(postgres_server, "SYSTEM", (str(tmp_path / "*" / "bin"),))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(VARIABLE, raising=False)
    assert main(["true"]) == 2
    assert capsys.readouterr().err.strip() == HELP
    assert "apt-get install" in HELP


def test_a_server_that_is_there_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "postgresql://somewhere/else")
    check = f"import os, sys; sys.exit(os.environ[{VARIABLE!r}] != 'postgresql://somewhere/else')"
    assert main([sys.executable, "-c", check]) == 0
    assert main([sys.executable, "-c", "import sys; sys.exit(5)"]) == 5


def test_nothing_is_left_of_it() -> None:
    try:
        programs()
    except NoServer:
        pytest.skip("there is no PostgreSQL on this machine")
    with server() as one:
        assert one.folder.is_dir()
        pid = int((one.folder / "data" / "postmaster.pid").read_text().split("\n")[0])
        os.kill(pid, 0)
        one.stop()
        one.start()
        pid = int((one.folder / "data" / "postmaster.pid").read_text().split("\n")[0])
    assert not one.folder.exists()
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    assert found.stdout.strip() in ("", "Z")
