"""Our drawings as application emojis: uploaded once, kept in step, and text wherever one is missing.

What Discord holds is remembered in the database, so a start with nothing new asks Discord nothing. Once a
week, and when Discord refuses one of the emojis, it is asked which there are: one request. What it still
lists is used again, at once after a first refusal and after ever longer pauses where it goes on refusing.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from bot.i18n.catalogue import Catalogue
from bot.services.jobs import PeriodicJob
from bot.store.base import Store

FOLDER = Path(__file__).parents[2] / "assets" / "emojis"

RECHECK_SECONDS = 7 * 86_400.0
"""How often Discord is asked whether all emojis are still there."""

FOLLOW_SECONDS = 300.0
"""How often a process that uploads none looks which emojis there are."""

RETRY_SECONDS = 3600.0
"""How long a round that has failed waits before the next."""

DOUBT_SECONDS = 60.0
"""How long text is shown once Discord has refused, for the second time, emojis that it lists; each further
refusal doubles it. A first refusal may be a passing one."""

MAX_DOUBT_SECONDS = 6 * 3600.0
TRUSTED_SECONDS = 3600.0
"""Emojis that were used for so long without a refusal count as never refused."""

MAX_FAILURES = 3
"""After so many failures in a row the trouble is not one drawing's, and the round is given up."""

_log = logging.getLogger(__name__)


class EmojiApi(Protocol):
    """Where an application keeps its emojis. Each call is one request; all raise what Discord answers."""

    async def all(self) -> Mapping[str, int]:
        """The ids of the application's emojis by name."""
        ...

    async def add(self, name: str, png: bytes) -> int: ...

    async def remove(self, emoji_id: int) -> None: ...


def name_of(icon: str) -> str:
    """What an icon's emoji is called in Discord, which is what a screen reader says.

    >>> name_of("die-5-kept")
    'die_5_kept'
    """
    return icon.replace("-", "_")


def drawn(folder: Path = FOLDER) -> dict[str, str]:
    """The digests of all pictures by icon, as they were built last."""
    entries = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return {icon: entry["picture"] for icon, entry in entries.items()}


class ApplicationEmojis:
    """Keeps the application's emojis in step with our drawings, and the catalogue with the emojis."""

    def __init__(
        self,
        catalogue: Catalogue,
        store: Store,
        shelf: EmojiApi,
        now: Callable[[], float],
        *,
        application_id: int,
        leads: bool = True,
        folder: Path = FOLDER,
        trusting: bool = True,
    ) -> None:
        """Of several processes one ``leads``: it uploads, and the others use what it has noted.

        ``trusting`` is whether to believe the database about what Discord holds.
        """
        self._catalogue = catalogue
        self._store = store
        self._shelf = shelf
        self._now = now
        self._folder = folder
        self._trusting = trusting
        self._key = f"emojis:{application_id}"
        self._leads = leads
        self._pictures: dict[str, str] = {}
        self._known: dict[str, tuple[int, str]] = {}  # emoji id and digest of its picture, by icon
        self._checked = float("-inf")
        self._usable = True
        self._refusals = 0
        self._used_since = float("-inf")
        """When the emojis were shown again after the last refusal."""
        self.checks = PeriodicJob(
            "check emojis",
            self._check,
            failure="The emojis could not be checked; the next try is in an hour",
            retry_seconds=RETRY_SECONDS,
        )
        self.trust_again = PeriodicJob(
            "trust emojis again",
            self._trust_later,
            failure="The emojis could not be shown again",
            retry_seconds=DOUBT_SECONDS,
        )
        self.first_round = asyncio.Event()
        """Set once the emojis are in step, or the first attempt at it is over."""

    async def start(self) -> None:
        """Show the emojis that are known to be there; see to the others in the background."""
        try:
            self._pictures = await asyncio.to_thread(drawn, self._folder)
        except (OSError, ValueError, KeyError, TypeError) as error:
            _log.warning("Dice and cards are shown as text: no drawings in %s (%s)", self._folder, error)
            self.first_round.set()
            return
        if self._trusting:
            self._recall(await self._store.meta(self._key))
        self._show()
        wait = self._checked + RECHECK_SECONDS - self._now() if self._is_complete() else 0.0
        if wait > 0:
            self.first_round.set()
        self.checks.wake(wait)

    async def stop(self) -> None:
        await self.checks.stop()
        await self.trust_again.stop()

    def report_refused(self) -> None:
        """Discord refuses an emoji that should be there: show text until it is known what there is."""
        if not self._usable or not self._pictures:
            # Of several tables refused at once, each calls; and without emojis there are none to check.
            return
        _log.warning("Discord refuses an emoji; showing text while they are checked")
        if self._now() - self._used_since > TRUSTED_SECONDS:
            self._refusals = 0
        self._refusals += 1
        self._usable = False
        self._show()
        self.checks.wake()

    def shown(self) -> dict[str, tuple[int, Path]]:
        """The id of each emoji that is there, and the file it was made from, by icon."""
        return {icon: (known[0], self._file(icon)) for icon, known in self._known.items()}

    def _is_complete(self) -> bool:
        return all(
            icon in self._known and self._known[icon][1] == self._pictures[icon] for icon in self._pictures
        )

    async def _check(self) -> float:
        """Bring Discord's emojis in step; return the seconds until the next check. Trouble is only logged."""
        wait = RETRY_SECONDS if self._usable else DOUBT_SECONDS
        try:
            if not self._leads:
                await self._follow()
                wait = FOLLOW_SECONDS
            elif failed := await self._round():
                _log.warning("%s emojis are shown as text; they are tried again later", failed)
            else:
                self._checked = self._now()
                await self._remember()
                wait = RECHECK_SECONDS
        except Exception as error:
            reason = error or type(error).__name__
            _log.warning("The emojis could not be checked, which is tried again later: %s", reason)
        self._show()
        self.first_round.set()
        return wait

    async def _follow(self) -> None:
        """Take over what the process that uploads has noted."""
        before = self._known
        self._recall(await self._store.meta(self._key))
        self._reconsider(changed=self._known != before)

    async def _round(self) -> int:
        """Upload what is missing or has changed; how many could not be."""
        there = await self._shelf.all()
        known = {icon: known for icon, known in self._known.items() if there.get(name_of(icon)) == known[0]}
        self._reconsider(changed=known != self._known)
        self._known = known
        missing = [
            icon for icon, digest in self._pictures.items() if self._known.get(icon, (0, ""))[1] != digest
        ]
        done, in_a_row = 0, 0
        for icon in missing:
            if in_a_row == MAX_FAILURES:
                break
            try:
                await self._upload(icon, there.get(name_of(icon)))
            except Exception as error:
                in_a_row += 1
                _log.warning("The emoji %s could not be uploaded: %s", name_of(icon), error or "time out")
            else:
                done, in_a_row = done + 1, 0
        if done:
            _log.info("%s emojis were uploaded", done)
        return len(missing) - done

    def _reconsider(self, *, changed: bool) -> None:
        """Use the emojis again of which Discord has said that they are there."""
        if self._usable:
            return
        if changed or self._refusals <= 1:
            self._trust()
        else:
            # It refuses what it lists, and every message would be sent twice meanwhile.
            wait = min(DOUBT_SECONDS * 2 ** (self._refusals - 2), MAX_DOUBT_SECONDS)
            self.trust_again.wake(wait)

    async def _trust_later(self) -> None:
        self._trust()

    def _trust(self) -> None:
        self.trust_again.cancel()
        self._usable, self._used_since = True, self._now()
        self._show()

    async def _upload(self, icon: str, old: int | None) -> None:
        png = await asyncio.to_thread(self._file(icon).read_bytes)
        if old is not None:
            # Names are unique within an application, so the old one has to go first.
            await self._shelf.remove(old)
            self._known.pop(icon, None)
            self._show()
        self._known[icon] = (await self._shelf.add(name_of(icon), png), self._pictures[icon])
        # At once: an upload that is forgotten would be made again.
        await self._remember()

    def _file(self, icon: str) -> Path:
        return self._folder / "png" / f"{icon}.png"

    def _show(self) -> None:
        known = self._known if self._usable else {}
        self._catalogue.use({icon: f"<:{name_of(icon)}:{one[0]}>" for icon, one in known.items()})

    def _recall(self, text: str | None) -> None:
        try:
            raw = json.loads(text or "{}")
            self._checked = float(raw.get("checked") or float("-inf"))
            known = raw.get("known", {})
            self._known = {
                icon: (int(one[0]), str(one[1])) for icon, one in known.items() if icon in self._pictures
            }
        except (ValueError, TypeError, AttributeError, LookupError):
            # Something else has written there; Discord is asked instead.
            self._known, self._checked = {}, float("-inf")

    async def _remember(self) -> None:
        checked = self._checked if self._checked > float("-inf") else None
        text = json.dumps({"checked": checked, "known": self._known}, separators=(",", ":"))
        await self._store.set_meta(self._key, text)
