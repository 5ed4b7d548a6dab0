"""Uploads the bot's drawings as application emojis and keeps them up to date; text replaces missing ones.

The database records which emojis Discord has, so a start without new drawings sends Discord no request. Once
a week, and when Discord refuses one of the emojis, the bot asks which there are: one request. Then it uses
the listed ones again. It asks at once after a first refusal, and after ever longer pauses if Discord keeps
refusing emojis that it lists: using them would make every message go out twice.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bot.discordpy.emojis import DiscordEmojis
from bot.i18n.catalogue import Catalogue
from bot.services.jobs import PeriodicJob
from bot.store.base import Store

FOLDER = Path(__file__).parents[2] / "assets" / "emojis"

RECHECK_SECONDS = 7 * 86_400.0
"""How often to ask Discord whether all emojis are still there."""

FOLLOW_SECONDS = 300.0
"""How often a process that uploads none reads which emojis there are."""

RETRY_SECONDS = 3600.0
"""How long to wait after a failed round."""

DOUBT_SECONDS = 60.0
"""How long to show text after Discord has refused for the second time emojis that it lists; each further
refusal doubles it. The first refusal may be temporary."""

MAX_DOUBT_SECONDS = 6 * 3600.0
"""How long that may become."""

TRUSTED_SECONDS = 3600.0
"""After how long without a refusal the count of refusals starts again."""

MAX_FAILURES = 3
"""After how many failures in a row to end the round, because single drawings are not the cause."""

_log = logging.getLogger(__name__)


def name_of(icon: str) -> str:
    """Return the name of an icon's emoji in Discord, which screen readers read out.

    >>> name_of("die-5-kept")
    'die_5_kept'
    """
    return icon.replace("-", "_")


class _Emoji(NamedTuple):
    """An emoji that Discord has, and the digest of the picture it was made from."""

    id: int
    digest: str


def drawn(folder: Path = FOLDER) -> dict[str, str]:
    """Return the digests of all pictures by icon, from the last build."""
    entries = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return {icon: entry["picture"] for icon, entry in entries.items()}


class ApplicationEmojis:
    """Keeps the application's emojis up to date with the drawings, and the catalogue with the emojis."""

    def __init__(
        self,
        catalogue: Catalogue,
        store: Store,
        api: DiscordEmojis,
        now: Callable[[], float],
        *,
        application_id: int,
        leads: bool = True,
        folder: Path = FOLDER,
        trusting: bool = True,
    ) -> None:
        """Of several processes one ``leads``: it uploads, and the others use the ids that it stores.

        With ``trusting``, believe the database about which emojis Discord has.
        """
        self._catalogue = catalogue
        self._store = store
        self._api = api
        self._now = now
        self._folder = folder
        self._trusting = trusting
        self._key = f"emojis:{application_id}"
        self._leads = leads
        self._pictures: dict[str, str] = {}
        self._known: dict[str, _Emoji] = {}
        """The emojis that Discord has as far as is known, by icon."""
        self._checked = float("-inf")
        """When Discord was last found to have all emojis."""
        self._usable = True
        self._refusals = 0
        self._doubted_until = float("-inf")
        """Until when not to use them, though Discord may list them."""
        self._used_since = float("-inf")
        """When the bot began to use the emojis again after the last refusal."""
        self.checks = PeriodicJob(
            "check emojis",
            self._check,
            failure="The emojis could not be checked; the next try is in an hour",
            retry_seconds=RETRY_SECONDS,
        )
        self.first_round = asyncio.Event()
        """Set when the first round has ended, successfully or not."""

    async def start(self) -> None:
        """Use the emojis that the database records; check and upload the others in the background."""
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

    def report_refused(self) -> None:
        """Show text instead of emojis until a check has found which emojis Discord has."""
        if not self._usable or not self._pictures:
            # Each of several refused tables calls this; and without emojis there are none to check.
            return
        _log.warning("Discord refuses an emoji; showing text while they are checked")
        if self._now() - self._used_since > TRUSTED_SECONDS:
            self._refusals = 0
        self._refusals += 1
        # The first refusal may be temporary.
        pause = (
            min(DOUBT_SECONDS * 2 ** (self._refusals - 2), MAX_DOUBT_SECONDS) if self._refusals > 1 else 0.0
        )
        self._usable, self._doubted_until = False, self._now() + pause
        self._show()
        self.checks.wake(pause)

    def shown(self) -> dict[str, tuple[int, Path]]:
        """Return the id of each emoji and the file it was made from, by icon."""
        return {icon: (emoji.id, self._file(icon)) for icon, emoji in self._known.items()}

    def _is_complete(self) -> bool:
        return all(
            icon in self._known and self._known[icon].digest == digest
            for icon, digest in self._pictures.items()
        )

    async def _check(self) -> float:
        """Update Discord's emojis. Return the seconds until the next check. Errors are only logged."""
        wait = RETRY_SECONDS
        try:
            if not self._leads:
                self._recall(await self._store.meta(self._key))
                self._trust()
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
        if self._usable:
            return wait
        return min(wait, max(self._doubted_until - self._now(), DOUBT_SECONDS))

    async def _round(self) -> int:
        """Upload missing and changed emojis. Return how many uploads failed."""
        listed = await self._api.all()
        self._known = {
            icon: emoji for icon, emoji in self._known.items() if listed.get(name_of(icon)) == emoji.id
        }
        self._trust()
        missing = [
            icon
            for icon, digest in self._pictures.items()
            if icon not in self._known or self._known[icon].digest != digest
        ]
        uploaded, failures_in_a_row = 0, 0
        for icon in missing:
            if failures_in_a_row == MAX_FAILURES:
                break
            try:
                await self._upload(icon, listed.get(name_of(icon)))
            except Exception as error:
                failures_in_a_row += 1
                _log.warning("The emoji %s could not be uploaded: %s", name_of(icon), error or "time out")
            else:
                uploaded, failures_in_a_row = uploaded + 1, 0
        if uploaded:
            _log.info("%s emojis were uploaded", uploaded)
        return len(missing) - uploaded

    def _trust(self) -> None:
        """Use the emojis that Discord lists again, unless it has refused them a moment ago."""
        if not self._usable and self._now() >= self._doubted_until:
            self._usable, self._used_since = True, self._now()
            self._show()

    async def _upload(self, icon: str, old: int | None) -> None:
        png = await asyncio.to_thread(self._file(icon).read_bytes)
        if old is not None:
            # Names are unique within an application, so the old one has to go first.
            await self._api.remove(old)
            self._known.pop(icon, None)
            self._show()
        self._known[icon] = _Emoji(await self._api.add(name_of(icon), png), self._pictures[icon])
        # Store it at once, or a crash would make the next start upload it again.
        await self._remember()

    def _file(self, icon: str) -> Path:
        return self._folder / "png" / f"{icon}.png"

    def _show(self) -> None:
        """Have texts show the emojis, or words while Discord refuses them."""
        known = self._known if self._usable else {}
        self._catalogue.use({icon: f"<:{name_of(icon)}:{emoji.id}>" for icon, emoji in known.items()})

    def _recall(self, text: str | None) -> None:
        """Take over what :meth:`_remember` has stored."""
        try:
            raw = json.loads(text or "{}")
            self._checked = float(raw.get("checked") or float("-inf"))
            known = raw.get("known", {})
            self._known = {
                icon: _Emoji(int(emoji_id), str(digest))
                for icon, (emoji_id, digest) in known.items()
                if icon in self._pictures
            }
        except (ValueError, TypeError, AttributeError, LookupError):
            # Another program has changed the text; ask Discord instead.
            self._known, self._checked = {}, float("-inf")

    async def _remember(self) -> None:
        checked = self._checked if self._checked > float("-inf") else None
        text = json.dumps({"checked": checked, "known": self._known}, separators=(",", ":"))
        await self._store.set_meta(self._key, text)
