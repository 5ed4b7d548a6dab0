"""What Discord's documentation asks of messages and its description does not say.

References are pages below https://docs.discord.com/developers/.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tests.support.contract.component_rules import (
    BUTTON,
    FILE,
    ROW,
    SELECTS,
    interactive,
    media,
    size,
    text_of,
    walk,
)
from tests.support.contract.request import Component, File, Stored

SUPPRESS_EMBEDS, EPHEMERAL = 1 << 2, 1 << 6
SUPPRESS_NOTIFICATIONS, VOICE_MESSAGE, COMPONENTS_V2 = 1 << 12, 1 << 13, 1 << 15

POSTED = SUPPRESS_EMBEDS | SUPPRESS_NOTIFICATIONS | VOICE_MESSAGE | COMPONENTS_V2
"""Flags of a new message (resources/message#create-message)."""

ANSWERED = POSTED | EPHEMERAL
"""Flags of an answer (interactions/receiving-and-responding#interaction-response-object-messages)."""

EDITED = SUPPRESS_EMBEDS | COMPONENTS_V2
"""Flags that an edit may carry (resources/message#edit-message)."""

MAX_ROWS, MAX_FILES, MAX_FILE_BYTES = 5, 10, 10 * 2**20

CONTENTS = ("content", "embeds", "poll", "sticker_ids")
"""What a message of components can't have (resources/message#create-message)."""

Body = Mapping[str, Any]
Violations = Iterator[str]


def new_message(body: Body, files: Sequence[File], flags: int) -> Violations:
    """A message that is to be created; ``flags`` are those that it may carry."""
    yield from only(flags_of(body), flags, "a new message")
    yield from _uploads(files)
    components = body.get("components") or []
    if not (components or files or any(body.get(key) for key in CONTENTS)):
        yield "the message is empty"
    if body.get("attachments"):
        yield from _listed(body["attachments"], files, ())
    yield from _state(flags_of(body), body, components, [file.name for file in files])
    yield from _mentions(body, components)


def edited_message(body: Body, files: Sequence[File], before: Stored) -> Violations:
    """An edit of a message; what it does not name stays (resources/message#edit-message)."""
    yield from only(flags_of(body), EDITED, "an edit")
    yield from _uploads(files)
    flags = before.flags
    if body.get("flags") is not None:
        flags |= body["flags"]
        if before.flags & COMPONENTS_V2 and not body["flags"] & COMPONENTS_V2:
            yield "IS_COMPONENTS_V2 can't be removed"
    names = {str(one["id"]): str(one["filename"]) for one in before.attachments}
    kept = names
    if body.get("attachments") is not None:
        listed = {str(one["id"]) for one in body["attachments"]}
        kept = {number: name for number, name in names.items() if number in listed}
        yield from _listed(body["attachments"], files, names)
    components = (body["components"] or []) if "components" in body else before.components
    after = {"content": before.content, "embeds": before.embeds, **body}
    attached = [*kept.values(), *(file.name for file in files)]
    yield from _state(flags, after, components, attached, names)
    yield from _mentions(after, components)


def nonce(body: Body) -> Violations:
    """resources/message#create-message; the description has the number of characters."""
    if body.get("enforce_nonce") and body.get("nonce") is None:
        yield "enforce_nonce does nothing without a nonce"


def _state(
    flags: int,
    body: Body,
    components: Sequence[Component],
    attached: Sequence[str],
    earlier: Mapping[str, str] | None = None,
) -> Violations:
    """A message as it is after the request.

    ``attached`` has the names of its files, ``earlier`` the names of the files it had before, by their ids.
    """
    yield from interactive(components)
    if not flags & COMPONENTS_V2:
        if extra := {one["type"] for one in walk(components)} - {ROW, BUTTON, *SELECTS}:
            yield f"components of types {sorted(extra)} need IS_COMPONENTS_V2"
        if len(components) > MAX_ROWS:  # components/reference#legacy-message-component-behavior
            yield f"{len(components)} rows are more than {MAX_ROWS}"
        return
    yield from (f"IS_COMPONENTS_V2 excludes {key}" for key in CONTENTS if body.get(key))
    yield from size(components)
    yield from _shown_files(components, attached, earlier or {})


def _shown_files(
    components: Sequence[Component], attached: Sequence[str], earlier: Mapping[str, str]
) -> Violations:
    """Each file has a component that shows it, and each component its file (components/reference)."""
    shown = set()
    for kind, item in media(components):
        url, known = item["url"], str(item.get("attachment_id"))
        if url.startswith("attachment://"):
            shown.add(url.removeprefix("attachment://"))
        elif known in earlier:
            shown.add(earlier[known])
        elif kind == FILE:  # components/reference#file-file-structure
            yield f"a file component shows {url}, which is no attachment"
        elif not re.match(r"https?://", url):
            yield f"a component shows {url}"
    for name in sorted(shown - set(attached)):
        yield f"a component shows the file {name}, which is missing"
    for name in attached:
        if name not in shown:
            yield f"no component shows the file {name}"
    for name, number in Counter(attached).items():
        if number > 1:
            yield f"{number} files are called {name}, so a component can't tell which it shows"


def _uploads(files: Sequence[File]) -> Violations:
    """reference#uploading-files"""
    if len(files) > MAX_FILES:
        yield f"{len(files)} files are more than {MAX_FILES}"
    for file in files:
        if file.size > MAX_FILE_BYTES:
            yield f"the file {file.name} has {file.size} bytes, more than {MAX_FILE_BYTES}"


def _listed(listed: Sequence[Body], files: Sequence[File], earlier: Iterable[str]) -> Violations:
    """``attachments`` names files that the message has, and by its number each that is sent with the request.

    A file that it does not name is dropped (reference#editing-message-attachments).
    """
    ids = Counter(str(one["id"]) for one in listed)
    sent = {str(number): file.name for number, file in enumerate(files)}
    for one in sorted(ids.keys() - set(earlier) - sent.keys()):
        yield f"attachments names {one}, which is no file"
    yield from (f"attachments names {one} {number} times" for one, number in ids.items() if number > 1)
    for number, name in sent.items():
        if number not in ids:
            yield f"the file {name} is sent but not named in attachments, so it is dropped"


def _mentions(body: Body, components: Sequence[Component]) -> Violations:
    """resources/message#allowed-mentions-object; nobody may be notified whom the text does not mention."""
    allowed = body.get("allowed_mentions") or {}
    text = f"{body.get('content') or ''}\n{text_of(components)}"
    for key, mention in (("users", r"<@!?{}>"), ("roles", r"<@&{}>")):
        ids = allowed.get(key) or []
        if ids and key in (allowed.get("parse") or []):
            yield f"allowed_mentions names {key} and lets them be parsed"
        for one in ids:
            if not re.search(mention.format(one), text):
                yield f"{key[:-1]} {one} may be notified, but the text does not mention them"


def flags_of(body: Body) -> int:
    """Return the flags that a request sets."""
    return body.get("flags") or 0


def only(flags: int, allowed: int, what: str) -> Violations:
    """No other flags than those that are allowed."""
    if extra := flags & ~allowed:
        yield f"{what} can't carry the flags {extra:#x}"
