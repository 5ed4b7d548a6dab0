"""Print the part of requirements.lock that a running bot needs, with hashes, for the container image.

    python tools/runtime_lock.py > runtime.lock

The lock file names for each package who asked for it; what no dependency of the project leads to is left out.
Needs nothing but Python, as it runs before anything is installed.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def normalised(name: str) -> str:
    """A package's name as lock files write it.

    >>> normalised("discord.py")
    'discord-py'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def wanted(pyproject: str) -> set[str]:
    """What the project itself depends on, extras left out."""
    texts = tomllib.loads(pyproject)["project"]["dependencies"]
    return {normalised(re.split(r"[^\w.-]", text, maxsplit=1)[0]) for text in texts}


def blocks(lock: str) -> dict[str, tuple[str, set[str]]]:
    """For each package its lines and who asked for it."""
    found = {}
    for block in re.split(r"^(?=[A-Za-z0-9])", lock, flags=re.MULTILINE):
        if match := re.match(r"([A-Za-z0-9._-]+)==", block):
            asked = re.findall(r"^    #(?: via)? +(?:via +)?(\S+)", block, flags=re.MULTILINE)
            found[normalised(match[1])] = (block, {normalised(name) for name in asked})
    return found


def runtime(pyproject: str, lock: str) -> str:
    """The lines of the lock file to install. Raises :class:`ValueError` if it lacks a dependency."""
    known, needed = blocks(lock), wanted(pyproject)
    if missing := needed - known.keys():
        raise ValueError(f"requirements.lock lacks {', '.join(sorted(missing))}; renew it with: make lock")
    while more := {name for name, (_, asked) in known.items() if asked & needed} - needed:
        needed |= more
    return "".join(block for name, (block, _) in known.items() if name in needed)


def main() -> int:
    try:
        text = runtime(
            *((ROOT / name).read_text("utf-8") for name in ("pyproject.toml", "requirements.lock"))
        )
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
