"""What can go wrong on the way to Discord and back, one rule per route."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass, field
from typing import Any

BAD_GATEWAY = "<html><head><title>502 Bad Gateway</title></head><body>cloudflare</body></html>"
OLD_EDITS = "Maximum number of edits to messages older than 1 hour reached. Try again later"


@dataclass(eq=False)
class Rule:
    """One fault: which calls it affects, how often, and how.

    With `after`, the fault comes after the effect: Discord carries the call out, but the bot is not told.
    """

    method: str
    path: str
    name: str
    times: int | None = 1
    after: bool = False
    delay: float = 0.0
    gate: asyncio.Event | None = None
    status: int | None = None
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    reset: bool = False
    hits: int = 0

    def __post_init__(self) -> None:
        self._path = re.compile(self.path)

    def meets(self, method: str, path: str) -> bool:
        """Return whether the rule affects this call, and count it."""
        if self.method not in ("*", method) or not self._path.search(path):
            return False
        if self.times is not None and self.hits >= self.times:
            return False
        self.hits += 1
        return True

    async def wait(self) -> None:
        """Wait for the rule's delay, or until the test releases the call."""
        if self.delay:
            await asyncio.sleep(self.delay)
        if self.gate is not None:
            await self.gate.wait()

    def release(self) -> None:
        """Release the calls that this rule holds."""
        if self.gate is not None:
            self.gate.set()


class Faults:
    """The rules in force. Paths are regular expressions, searched in the path after /api/vN.

    Every method takes `times` (None: always).
    """

    def __init__(self) -> None:
        self.rules: list[Rule] = []

    def add(self, rule: Rule) -> Rule:
        """Put a rule in force. The first rule that matches a call applies."""
        self.rules.append(rule)
        return rule

    def match(self, method: str, path: str) -> Rule | None:
        """Return the rule for this call, or None."""
        return next((rule for rule in self.rules if rule.meets(method, path)), None)

    def clear(self) -> None:
        """Remove all rules, and release the calls that they hold."""
        for rule in self.rules:
            rule.release()
        self.rules.clear()

    def rate_limit(
        self,
        method: str,
        path: str,
        *,
        retry_after: float = 0.2,
        message: str = "You are being rate limited.",
        code: int = 0,
        scope: str = "user",
        **when: Any,
    ) -> Rule:
        """Answer with 429. The ``scope`` is "user" for the bot alone, "shared" with others, or "global"."""
        everywhere = scope == "global"
        body = {"message": message, "code": code, "retry_after": retry_after, "global": everywhere}
        # Without the Via header the client takes it for a ban and does not try again.
        headers = {"Retry-After": str(retry_after), "X-RateLimit-Scope": scope, "Via": "1.1 google"}
        if everywhere:
            headers["X-RateLimit-Global"] = "true"
        return self.add(Rule(method, path, "429", status=429, body=body, headers=headers, **when))

    def use_up(self, method: str, path: str, *, reset_after: float, **when: Any) -> Rule:
        """Carry the call out, and say that it was the last one for a while that its rate limit allows."""
        headers = {
            "X-RateLimit-Limit": "5",
            "X-RateLimit-Remaining": "0",
            "X-RateLimit-Reset": str(time.time() + reset_after),
            "X-RateLimit-Reset-After": str(reset_after),
            "X-RateLimit-Bucket": "edits",
        }
        return self.add(Rule(method, path, "limit used up", headers=headers, **when))

    def old_edits(self, path: str, *, method: str = "PATCH", **when: Any) -> Rule:
        """Answer with a 429 that says 30046: a message older than an hour was edited too often."""
        return self.rate_limit(method, path, message=OLD_EDITS, code=30046, **when)

    def error(self, method: str, path: str, status: int, code: int, message: str = "", **when: Any) -> Rule:
        """Answer with an error of Discord's own, such as 403 50013 or 404 10008."""
        body = {"code": code, "message": message or f"error {code}"}
        return self.add(Rule(method, path, f"{status} {code}", status=status, body=body, **when))

    def fail(self, method: str, path: str, status: int = 500, *, after: bool = False, **when: Any) -> Rule:
        """Answer with a 5xx, before or after the effect."""
        body = BAD_GATEWAY if status > 500 else {"message": "500: Internal Server Error", "code": 0}
        return self.add(Rule(method, path, str(status), status=status, body=body, after=after, **when))

    def delay(self, method: str, path: str, seconds: float, *, after: bool = False, **when: Any) -> Rule:
        """Delay the call, or with `after` its answer."""
        return self.add(Rule(method, path, f"delay {seconds}", delay=seconds, after=after, **when))

    def hold(self, method: str, path: str, *, after: bool = False, **when: Any) -> Rule:
        """Hold the call until `rule.release()`; `rule.hits` says whether it has arrived."""
        return self.add(Rule(method, path, "hold", gate=asyncio.Event(), after=after, **when))

    def cut(self, method: str, path: str, *, after: bool = False, reset: bool = False, **when: Any) -> Rule:
        """Cut the connection before or after the effect; `reset` sends RST instead of FIN."""
        return self.add(Rule(method, path, "cut", cut=True, after=after, reset=reset, **when))
