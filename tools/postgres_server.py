"""Start a PostgreSQL server for tests in a temporary folder, and remove it afterwards.

``python -m tools.postgres_server COMMAND…`` runs a command with its address in ``TEST_POSTGRES``.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

VARIABLE = "TEST_POSTGRES"
"""Where tests find the address of a server on which they may make databases."""

SYSTEM = "/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/libexec/postgresql*"
"""Where distributions put the server, which is seldom on the PATH."""

HELP = (
    "There is no PostgreSQL server on this machine. Install it, e.g. with\n"
    "    apt-get install -y --no-install-recommends postgresql\n"
    f"or put the address of a server on which databases may be made into {VARIABLE}, like\n"
    f"    {VARIABLE}=postgresql://postgres@localhost/postgres"
)

START_SECONDS = 60.0

FAST = {
    # Nothing here outlives the tests, so no disk is waited for.
    "fsync": "off",
    "full_page_writes": "off",
    "max_connections": "200",
    "listen_addresses": "",
    "log_min_messages": "fatal",
    "unix_socket_permissions": "0777",
}


class NoServer(Exception):
    """A server can't be started; the text says why and what to do."""


def programs() -> Path:
    """The folder with ``initdb`` and ``postgres``, of the newest version. Raises :class:`NoServer`."""
    found = [path for pattern in SYSTEM for path in Path("/").glob(pattern.lstrip("/"))]
    on_path = shutil.which("initdb")
    if on_path:
        found.append(Path(on_path).resolve().parent)
    usable = [path for path in found if (path / "initdb").exists() and (path / "postgres").exists()]
    if not usable:
        raise NoServer(HELP)
    return max(usable, key=lambda path: [int(part) for part in path.parent.name.split(".") if part.isdigit()])


def somebody() -> tuple[int, int] | None:
    """As whom the server runs: it refuses to be root. None for whoever runs this."""
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            user = pwd.getpwnam(name)
            return user.pw_uid, user.pw_gid
    raise NoServer("PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody.")


class Server:
    """A server on a Unix socket in a folder of its own. It can be stopped, killed and started again."""

    def __init__(self, folder: Path, settings: dict[str, str] | None = None) -> None:
        self.folder = folder
        self._programs = programs()
        self._who = somebody()
        self._settings = FAST | (settings or {})
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address of the database that every server has."""
        return self.url_of("postgres")

    @property
    def pid(self) -> int:
        """The process that all others of a running server are children of."""
        assert self._process is not None
        return self._process.pid

    def url_of(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def create(self) -> None:
        """Make the files of a new server."""
        if self._who:
            os.chown(self.folder, *self._who)
        # Others than the server's user have to reach the socket.
        self.folder.chmod(0o755)
        self._run(
            "initdb", "--pgdata", self._data, "--username", "postgres", "--auth", "trust",
            "--encoding", "UTF8", "--locale", "C", "--no-sync",
        )  # fmt: skip

    def start(self) -> None:
        """Start, and wait until it takes connections. Raises :class:`NoServer`."""
        arguments = [str(self._programs / "postgres"), "-D", str(self._data), "-k", str(self.folder)]
        for name, value in self._settings.items():
            arguments += ["-c", f"{name}={value}"]
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, **self._as
            )
        until = time.monotonic() + START_SECONDS
        while not self._ready():
            if self._process.poll() is not None or time.monotonic() > until:
                self.kill()
                tail = (self.folder / "server.log").read_text(errors="replace")[-2000:]
                raise NoServer(f"PostgreSQL does not start:\n{tail}")
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop it: SIGINT ends sessions and writes everything, SIGQUIT leaves at once, as in a crash."""
        if self._process is not None:
            self._process.send_signal(how)
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
            self._process = None

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def _ready(self) -> bool:
        # The pid file says so in its last line, and needs no client program.
        try:
            lines = (self._data / "postmaster.pid").read_text().split("\n")
        except OSError:
            return False
        return len(lines) > 7 and lines[7].strip() == "ready"

    @property
    def _as(self) -> dict[str, Any]:
        if self._who is None:
            return {}
        return {"user": self._who[0], "group": self._who[1], "extra_groups": []}

    def _run(self, program: str, *arguments: object) -> None:
        done = subprocess.run(
            [str(self._programs / program), *map(str, arguments)],
            capture_output=True, text=True, check=False, cwd=self.folder, **self._as,
        )  # fmt: skip
        if done.returncode:
            raise NoServer(f"{program} has failed:\n{done.stderr.strip()}")


@contextlib.contextmanager
def server(settings: dict[str, str] | None = None) -> Iterator[Server]:
    """A new server, running; it and its files are gone afterwards. Raises :class:`NoServer`."""
    # A socket's path may be about 100 characters long, so the folder has a short one.
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    one = Server(folder, settings)
    try:
        one.create()
        one.start()
        yield one
    finally:
        one.stop()
        for _ in range(50):
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
            # A process of a server that was killed may still be writing its last.
            time.sleep(0.1)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.postgres_server", description=__doc__)
    parser.add_argument("command", nargs=argparse.REMAINDER, help="what to run beside the server")
    command = parser.parse_args(arguments).command
    if not command:
        parser.error("name a command")
    if os.environ.get(VARIABLE):
        return subprocess.run(command, check=False).returncode
    # Told to end, it takes its server along.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        with server() as one:
            return subprocess.run(command, check=False, env={**os.environ, VARIABLE: one.url}).returncode
    except NoServer as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
