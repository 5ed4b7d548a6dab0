"""Every request of a test, checked as it comes."""

from __future__ import annotations

import json
from functools import lru_cache

from tests.support.contract import rules
from tests.support.contract.description import described
from tests.support.contract.request import Request, Situation


class Contract:
    """What was wrong with the requests of one test."""

    def __init__(self) -> None:
        self.violations: list[str] = []
        self.checked = 0

    def check(self, request: Request, situation: Situation) -> None:
        """Check one request against Discord's description, and if it fits, against its documentation."""
        self.checked += 1
        self.violations += [f"{request}: {line}" for line in wrong_with(request, situation)]

    def verify(self) -> None:
        """Fail if anything was wrong."""
        assert not self.violations, "not what Discord takes:\n" + "\n".join(self.violations)


def wrong_with(request: Request, situation: Situation = Situation()) -> list[str]:  # noqa: B008
    """Return what is wrong with a request, a line each."""
    if request.method == "PUT" and not request.files:
        # Hundreds of bots register the same commands.
        return list(_wrong_with_put(request.path, json.dumps(request.query), json.dumps(request.body)))
    return _wrong_with(request, situation)


def _wrong_with(request: Request, situation: Situation) -> list[str]:
    return described().violations(request) or rules.violations(request, situation)


@lru_cache(maxsize=16)
def _wrong_with_put(path: str, query: str, body: str) -> tuple[str, ...]:
    return tuple(_wrong_with(Request("PUT", path, json.loads(query), json.loads(body)), Situation()))
