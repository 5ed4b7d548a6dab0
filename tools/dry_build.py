"""Run the steps of the Dockerfile without a container engine, in a folder instead of an image.

    python -m tools.dry_build FOLDER [--lock requirements.lock]

COPY is done as the .dockerignore allows, RUN by a shell with the paths of the image moved into the folder.
What only an engine can do, the base image, its packages and users, is taken from this machine or left out.
Last, the commands of the health check and of the bot are tried, and ``doctor --offline``.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACES = ("/build", "/venv", "/app")
"""Folders of the image that the steps name."""


def steps(text: str) -> Iterator[tuple[str, str]]:
    """The instructions of a Dockerfile with what follows them, continued lines joined."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    for line in re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines():
        word, _, rest = line.partition(" ")
        yield word.upper(), rest.strip()


def allowed(path: Path, patterns: list[str]) -> bool:
    """Whether the .dockerignore lets a file of the checkout into a build."""
    name, good = path.relative_to(ROOT).as_posix(), True
    for pattern in patterns:
        exception, bare = pattern.startswith("!"), pattern.removeprefix("!")
        anywhere = bare.removeprefix("**/")
        parts = [name, *map(str, Path(name).parents)]
        if any(fnmatch.fnmatch(part, bare) for part in parts) or (
            bare != anywhere and any(fnmatch.fnmatch(part, anywhere) for part in name.split("/"))
        ):
            good = exception
    return good


class Image:
    """The folder that stands for the image."""

    def __init__(self, folder: Path, lock: Path | None) -> None:
        self.folder = folder.resolve()
        self.lock = lock
        self.here = "/"
        self.env: dict[str, str] = {}
        ignore = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
        self.patterns = [line.strip() for line in ignore if line.strip() and not line.startswith("#")]

    def inside(self, path: str) -> Path:
        return self.folder / os.path.normpath(os.path.join(self.here, path)).lstrip("/")

    def moved(self, text: str) -> str:
        return re.sub(rf"(?<![\w/.])({'|'.join(PLACES)})(?=[/\s\"']|$)", rf"{self.folder}\1", text)

    def step(self, word: str, rest: str) -> None:
        match word:
            case "WORKDIR":
                self.here = rest
                self.inside(".").mkdir(parents=True, exist_ok=True)
            case "ENV":
                self.env |= dict(re.findall(r"(\w+)=(\S+)", rest))
            case "COPY":
                self.copy(rest.split())
            case "RUN":
                self.run(rest)
            case _:
                print(f"   {word} {rest}: left out")

    def copy(self, words: list[str]) -> None:
        if words[0].startswith("--from="):
            print(f"   COPY {' '.join(words)}: is there")
            return
        *sources, target = words
        for source in sources:
            start = ROOT / source
            for path in [start] if start.is_file() else sorted(start.rglob("*")):
                if not path.is_file() or not allowed(path, self.patterns):
                    continue
                into_folder = target.endswith("/")
                within = path.name if start.is_file() else path.relative_to(start)
                goal = self.inside(target) / within if into_folder or start.is_dir() else self.inside(target)
                goal.parent.mkdir(parents=True, exist_ok=True)
                given = self.lock if self.lock and source == "requirements.lock" else path
                shutil.copyfile(given, goal)
        print(f"   COPY {' '.join(words)}: done")

    def run(self, command: str) -> None:
        if "useradd" in command or "apt-get" in command:
            print(f"   RUN {command}: left out")
            return
        command = self.moved(command).replace("-o dice -g dice ", "")
        command = re.sub(r"(^|&& )python ", rf"\1{sys.executable} ", command)
        self.shell(["sh", "-ec", command])

    def shell(self, command: list[str], expected: int = 0, **env: str) -> None:
        print(f"   {' '.join(command)}", flush=True)
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        done = subprocess.run(
            command, cwd=self.inside("."), env={**kept, **pip, **self.env, **env}, check=False
        )
        if done.returncode != expected:
            raise SystemExit(f"exit code {done.returncode} instead of {expected}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, help="a new folder")
    parser.add_argument("--lock", type=Path, help="another lock file than the checkout's")
    given = parser.parse_args()
    given.folder.mkdir()
    image = Image(given.folder, given.lock and given.lock.resolve())
    last: dict[str, list[str]] = {}
    for word, rest in steps((ROOT / "Dockerfile").read_text("utf-8")):
        image.step(word, rest)
        if word in ("ENTRYPOINT", "CMD", "HEALTHCHECK"):
            last[word] = json.loads(image.moved(rest[rest.index("[") :]))
    files = [path for path in image.inside("/app").rglob("*") if path.is_file()]
    assert not [path for path in files if path.name in (".env", "games.db")]
    size = sum(
        path.stat().st_size
        for place in PLACES[1:]
        for path in image.inside(place).rglob("*")
        if path.is_file()
    )
    print(f"{size / 2**20:.0f} MiB beside the base image")
    # Nobody runs, so the health check must say so; the rest must be able to run.
    image.shell(last["HEALTHCHECK"], expected=1)
    token = "MTIzNDU2Nzg5MDEyMzQ1Njc4.GhIjKl.abcdefghijklmnopqrstuvwxyz0123456789AB"  # made up
    image.shell([*last["ENTRYPOINT"], "doctor", "--offline"], DISCORD_TOKEN=token)
    # Without a token it says so, and exits so that no engine starts it again.
    image.shell([*last["ENTRYPOINT"], *last["CMD"]])


if __name__ == "__main__":
    main()
