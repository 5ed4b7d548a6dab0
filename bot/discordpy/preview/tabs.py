"""The page of a simcord preview, made fit for playing: tabs in places of their own, quick clicks, its look.

All of it relies on internals of simcord 3.2.1. ``tests/test_playground.py`` plays over HTTP in one tab, and
``make browser`` in two tabs of a browser. After an upgrade of the library run both, and leave out what fails:
the preview works without it, only less well.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict, deque
from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import lru_cache, partial
from html import escape
from pathlib import Path
from typing import Any

from aiohttp import web

from bot.discordpy.preview.places import Places

STYLE = """
/* Emojis are as large as in Discord, and keep their place while they load. */
.text-display h1 { font-size: 24px; line-height: 33px; }
.text-display .custom-emoji { width: 1.375em; height: 1.375em; }
.custom-emoji { display: inline-block; overflow: hidden; color: transparent; }
.custom-emoji:not([src]) { visibility: hidden; }
/* Coloured squares are shown in code, too, whose lines wrap as in Discord. */
@font-face { font-family: Squares; src: url("/fonts/noto-color-emoji-v2.051.ttf");
  unicode-range: U+1F7E5-1F7EB, U+2B1B-2B1C; }
.code-block { font-family: Squares, var(--preview-font-mono); white-space: pre-wrap; }
.code-block code { min-width: 0; font-family: inherit; }
"""

PLAIN = """
/* Only what is needed for playing. */
#refresh, #capture-open, #inspector-toggle, .session-menu, #action-status, #view-action-output,
  .sidebar-heading,
  .messages-sidebar > :not(#places), .message-edited-compact { display: none !important; }
.preview-shell { --toolbar-height: 52px; }
.preview-brand { margin-right: auto; }
@media (max-width: 400px) { .preview-brand > span:last-child { display: block; } }
/* A link to a message takes one line, as in Discord. */
a[href*="/channels/"] { display: inline-block; max-width: 100%; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; vertical-align: bottom; }
a[href*="//discord.com/channels/"], .thread-summary { cursor: pointer; }
/* The list of places, and what folds it. */
#messages-toggle { order: -1; font-size: 18px; }
.messages-sidebar { flex-basis: 200px; }
.drawer-scrim { border: 0; }
#unreached { margin: 0; padding: 8px 16px; color: #fff; background: var(--discord-red); }
#places { margin: 0; padding: 0; list-style: none; }
.place { display: flex; gap: 8px; align-items: center; width: 100%; min-height: 34px; padding: 4px 8px;
  color: var(--discord-muted); background: none; border: 0; border-radius: 6px; text-align: left; }
.place:hover, .place[aria-current] { color: var(--discord-text); background: var(--discord-hover); }
.place-name { flex: 1; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.place-thread { padding-left: 22px; }
.place-direct { margin-top: 16px; }
.place-foreign { font-style: italic; }
.place-unread { color: var(--discord-text); font-weight: 700; }
.place-calls { padding: 0 6px; color: #fff; background: var(--discord-red); border-radius: 9px; }
"""

APP = (
    # A tab that stays open while the playground is started again reloads itself.
    (
        'terminateSession("Preview session is unavailable. Reload the active Preview URL.")',
        "location.reload()",
    ),
    ('noteTransportFailure("state-poll-unavailable");', "showReached(false);"),
    ("  tick: () => {", "  tick: () => {\n    showReached(true);"),
    (
        'addDiagnostic({ code: "bootstrap-failed"',
        'showReached(false);\n    addDiagnostic({ code: "bootstrap-failed"',
    ),
    (
        'import { createModal } from "./modal.js";',
        'import { createModal } from "./modal.js";\nimport { showPlaces, showReached } from "./places.js";',
    ),
    (
        "  composer.setContext({",
        "  showPlaces(snapshot, (viewer, place) =>\n"
        '    dispatch("viewer", { viewer_id: viewer, channel_id: place }));\n'
        "  composer.setContext({",
    ),
)
"""What to change in the page's program so that it shows the list of places and goes to the chosen one, and
says when the playground can't be reached."""

FOLLOWING = (
    (
        'if (!state.ready && state.scrollIntent?.policy === "target") return;',
        'if (!state.ready || (performance.now() > byHand && state.scrollIntent?.policy === "bottom"))\n'
        "      return;",
    ),
    (
        'if (state.scrollIntent?.policy !== "target") state',
        'if (state.scrollIntent?.policy !== "bottom") state',
    ),
    ('snapshot.targetId && String(snapshot.targetId) !== String(previousTargetId || "")', "false"),
    (": state.scrollIntent || captureScrollIntent();", ': state.scrollIntent || { policy: "bottom" };'),
    (
        "  ui.timeline.addEventListener(",
        """  let byHand = 0;
  for (const kind of ["wheel", "touchmove", "keydown", "pointerdown"])
    ui.timeline.addEventListener(kind, (event) => {
      if (kind !== "pointerdown" || event.target === ui.timeline) byHand = performance.now() + 1000;
    }, { passive: true });
  ui.timeline.addEventListener(""",
    ),
)
"""What to change in the page's program so that it begins at the bottom, and stays there when a message grows.

The unchanged program takes the browser's own scrolling for scrolling by hand, and scrolls to the clicked
message.
"""

ICON = "/favicon.ico"
"""Where browsers look for a page's icon; the library has none there."""

PLACES_PROGRAM = "/places.js"

SETTLE_SECONDS = 0.2
"""How long a click waits, once it is answered, for what the bot does after that."""

UNANSWERED_SECONDS = 2.8
"""How much longer an unanswered click waits; Discord gives up after three seconds."""

REMEMBERED = 8
"""How many of a tab's latest states to remember: clicks made in them count, and their pictures are served."""

PICTURES = 128
"""How many pictures are kept ready."""


class Pictures:
    """Prepares pictures in this process, each once.

    The library starts a process for each, 0.1 s one after another, because it expects pictures of strangers.
    """

    def __init__(self) -> None:
        from simcord.preview._media import _process_media

        self._prepared = lru_cache(maxsize=PICTURES)(_process_media)

    async def validate(self, key: str, blob: bytes, *, media_time: float | None = None) -> Any:
        return await asyncio.to_thread(self._prepared, blob, media_time or 0.0)

    def release(self, key: str) -> None:
        """Keep the picture all the same: dice come back."""

    async def close(self) -> None:
        self._prepared.cache_clear()


class Tabs:
    """What the open tabs of a preview show and do, each in a place of its own.

    Create it before the preview is entered.
    """

    def __init__(self, preview: Any, title: str, you_are: str, unreached: str, icon: bytes) -> None:
        self._preview = preview
        self._env = preview.env
        self._home = preview.channel
        self._places = Places(preview.env)
        self._shown: dict[str, int] = {}
        """How much of the world's transcript each tab shows, as its length."""
        self._states: defaultdict[str, deque[tuple[int, dict[str, str]]]] = defaultdict(
            partial(deque, maxlen=REMEMBERED)
        )
        """For each tab the buttons and menus of its latest states, with the number of the state."""
        self._referenced: defaultdict[str, deque[frozenset[str]]] = defaultdict(
            partial(deque, maxlen=REMEMBERED)
        )
        """For each tab the pictures of its latest states."""
        self._one_at_a_time = asyncio.Lock()
        self._words, self._icon = (title, you_are, unreached), icon
        self._publish, self._act = preview._publish, preview._action
        self._open, self._member = preview._open_page, preview._viewer
        preview._open_page, preview._viewer = self._open_at_home, self._person
        # A tab opens at the newest message, not at the bot's newest, and stays there.
        preview._initial_target = lambda *_: None
        self._serve, self._settle = preview._server._static, self._env._settle_internal
        self._release_others = preview._reconcile_assets
        preview._publish, preview._action = self._note, self._wait_and_act
        preview._reconcile_assets = self._keep_pictures
        preview._server._static = self._serve_dressed
        own = {ICON: ICON, PLACES_PROGRAM: PLACES_PROGRAM}
        preview._server._STATIC_FILES = {**preview._server._STATIC_FILES, **own}
        self._env._settle_internal = self._settle_quickly
        preview._media_worker = Pictures()

    def refresh(self, *, clock: bool = False) -> None:
        """Show in each tab what happened since it was last told; with ``clock`` the time as well.

        Tabs fetch it within half a second.
        """
        if self._preview._active_action is not None:
            return
        self._preview.capture_time = self._env.now()
        length = len(self._env.backend.transcript)
        for tab in list(self._preview._pages.values()):
            # The library has a tab of its own, which no browser shows.
            if tab is not self._preview._python and (clock or self._shown.get(tab.id) != length):
                self._preview._publish(tab, reason="refresh")

    def _note(self, tab: Any, **how: Any) -> None:
        """Publish a tab's next state, and note what it shows."""
        self._publish(tab, **how)
        tab.snapshot["places"] = self._places.listed(tab.viewer.id, tab.channel_id)
        self._shown[tab.id] = len(self._env.backend.transcript)
        self._states[tab.id].append((tab.revision, self._controls(tab)))

    def _controls(self, tab: Any) -> dict[str, str]:
        """Return the bot's ids of all buttons and menus in the tab, by the page's keys for them."""
        from simcord.preview._action_plans import _component_key, _component_paths

        ids = {}
        for message_id in map(int, tab.snapshot["messages"]):
            for at, root in enumerate(self._preview._target_message(tab, message_id).components):
                for path, component in _component_paths(root, str(at)):
                    if (key := _component_key(component, path, message_id)) and "custom_id" in component:
                        ids[key] = component["custom_id"]
        return ids

    async def _wait_and_act(self, tab_id: str | None, action: Mapping[str, Any]) -> Any:
        """Carry out an action after those of other tabs; during those the library would refuse it."""
        async with self._one_at_a_time:
            self.refresh()
            tab = self._preview._pages.get(tab_id)
            before = self._move(tab, action) if tab is not None else 0
            receipt: Any = {"rejected": True}
            try:
                receipt = await self._act(tab_id, self._renewed(tab_id, action))
            finally:
                if tab is not None and receipt["rejected"]:
                    tab.channel_id = before
                self._preview.channel = self._home
                self.refresh()
            return receipt

    def _move(self, tab: Any, action: Mapping[str, Any]) -> int:
        """Have the preview act in the tab's place, or in the one that the action chooses. Return the former.

        The library lets a tab choose a person; a place is chosen together with one.
        """
        before = int(tab.channel_id)
        if action.get("kind") == "viewer":
            person = self._member(action.get("viewer_id"))
            tab.channel_id = self._places.destination(person.id, action.get("channel_id"), before)
        with contextlib.suppress(KeyError):  # A place that is gone can only be left.
            self._preview.channel = self._places.handle(tab.channel_id)
        return before

    def _person(self, viewer_id: Any) -> Any:
        """Return the library's handle of a person: of a user in direct messages, elsewhere of a member."""
        member = self._member(viewer_id)
        return member if self._preview.channel.guild is not None else member.user

    def _open_at_home(self, *which: Any) -> Any:
        """Open a tab in the first channel, even while another tab acts elsewhere."""
        elsewhere, self._preview.channel = self._preview.channel, self._home
        try:
            return self._open(*which)
        finally:
            self._preview.channel = elsewhere

    def _renewed(self, tab_id: str | None, action: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return an action as one in the latest state, if the tab had not fetched that yet.

        A click counts as long as its button is there, whatever else changed meanwhile: for example the
        rest of the message, while the table shows step by step what was played.
        """
        states, made = self._states[tab_id or ""], action.get("published_revision")
        controls = next((controls for revision, controls in states if revision == made), None)
        if controls is None:
            return action
        latest, latest_controls = states[-1]
        renewed = {**action, "published_revision": latest}
        if (key := action.get("control_key")) is None:
            return renewed
        # A page that is shown twice has the same buttons twice.
        message = key.split(":")[1]
        same = next(
            (
                latest_key
                for latest_key, button in latest_controls.items()
                if button == controls.get(key) and latest_key.split(":")[1] == message
            ),
            None,
        )
        return action if same is None else {**renewed, "control_key": same}

    def _keep_pictures(self, tab: Any) -> None:
        """Keep the pictures of a state that the tab is still loading when the next one comes."""
        latest = self._referenced[tab.id]
        latest.append(frozenset(tab.referenced_assets))
        tab.referenced_assets.update(*latest)
        self._release_others(tab)

    async def _settle_quickly(self, **how: Any) -> None:
        """Wait until the bot has nothing more to do, but not long once it has answered.

        What it does later, :meth:`refresh` shows.
        """
        for seconds in (SETTLE_SECONDS, UNANSWERED_SECONDS):
            try:
                await self._settle(**{**how, "timeout": seconds})
            except TimeoutError:
                action = self._preview._active_action
                if action is None or action.interaction is None or action.interaction.responded:
                    return
            else:
                return

    async def _serve_dressed(self, request: Any) -> Any:
        if request.path == ICON:
            return web.Response(body=self._icon, content_type="image/png")
        if request.path == PLACES_PROGRAM:
            program = Path(__file__).with_name("places.js").read_text(encoding="utf-8")
            return web.Response(text=program, content_type="text/javascript")
        response = await self._serve(request)
        match request.path:
            case "/":
                response.text = dressed(response.text, *self._words)
            case "/preview.css":
                response.text += STYLE + PLAIN
            case "/timeline.js" | "/app.js" as path:
                for old, new in FOLLOWING if path == "/timeline.js" else APP:
                    response.text = response.text.replace(old, new, 1)
        return response


def as_bot(env: Any) -> AbstractContextManager[None]:
    """Return the context in which the bot's own methods run: they then see the clock of its world."""
    scope: AbstractContextManager[None] = env._bot_scope()
    return scope


def dressed(page: str, title: str, you_are: str, unreached: str) -> str:
    """Return the preview's HTML page with another title, and with words for people who play.

    ``you_are`` stands before the name of who plays, and ``unreached`` is what it says while the playground
    can't be reached.
    """
    mark, *words = title.split()
    for old, new in (
        ("<title>SimCord Preview</title>", f"<title>{title}</title>"),
        ("Viewing as\n", f"{escape(you_are)}\n"),
        ('aria-label="Viewing as"', f'aria-label="{escape(you_are)}"'),
        (
            "<strong>SimCord</strong><small>Preview</small>",
            f"<strong>{mark}</strong><small>{' '.join(words)}</small>",
        ),
        (">Messages</button>", ' aria-label="Places">☰</button>'),
        (
            'aria-label="Message navigation" data-workbench>',
            'aria-label="Places" data-workbench><ul id="places"></ul>',
        ),
        (
            '<div class="preview-workspace"',
            f'<p id="unreached" role="alert" hidden>{escape(unreached)}</p><div class="preview-workspace"',
        ),
        ('aria-hidden="true">S</span>', f'aria-hidden="true">{mark[0]}</span>'),
    ):
        page = page.replace(old, new)
    return page
