"""Print the part of requirements.lock that a running bot needs, with hashes.

    python tools/runtime_lock.py [EXTRA ...] > runtime.lock

Extras are those of pyproject.toml, such as playground and postgres.
The lock file names for each package who asked for it; what no dependency of the project leads to is left out.
Needs nothing but Python, as it runs before anything is installed.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]


def normalised(name: str) -> str:
    """A package's name as lock files write it.

    >>> normalised("discord.py")
    'discord-py'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def wanted(pyproject: str, extras: Sequence[str] = ()) -> set[str]:
    """What the project itself depends on, and what these extras add. Raises :class:`ValueError`."""
    project = tomllib.loads(pyproject)["project"]
    texts = list(project["dependencies"])
    for extra in extras:
        if extra not in project["optional-dependencies"]:
            raise ValueError(f"pyproject.toml has no extra {extra}")
        texts += project["optional-dependencies"][extra]
    return {normalised(re.split(r"[^\w.-]", text, maxsplit=1)[0]) for text in texts}


def blocks(lock: str) -> dict[str, tuple[str, set[str]]]:
    """For each package its lines and who asked for it."""
    found = {}
    for block in re.split(r"^(?=[A-Za-z0-9])", lock, flags=re.MULTILINE):
        if match := re.match(r"([A-Za-z0-9._-]+)==", block):
            asked = re.findall(r"^    #(?: via)? +(?:via +)?(\S+)", block, flags=re.MULTILINE)
            found[normalised(match[1])] = (block, {normalised(name) for name in asked})
    return found


def runtime(pyproject: str, lock: str, extras: Sequence[str] = ()) -> str:
    """The lines of the lock file to install. Raises :class:`ValueError` if it lacks a dependency."""
    known, needed = blocks(lock), wanted(pyproject, extras)
    if missing := needed - known.keys():
        raise ValueError(f"requirements.lock lacks {', '.join(sorted(missing))}; renew it with: make lock")
    while more := {name for name, (_, asked) in known.items() if asked & needed} - needed:
        needed |= more
    return "".join(block for name, (block, _) in known.items() if name in needed)


def main() -> int:
    try:
        project, lock = ((ROOT / name).read_text("utf-8") for name in ("pyproject.toml", "requirements.lock"))
        text = runtime(project, lock, sys.argv[1:])
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
