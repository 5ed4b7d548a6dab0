"""What Discord's documentation asks of requests and its description does not say.

Pure: each rule yields a line for each thing that is wrong. References are pages below
https://docs.discord.com/developers/.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator

from tests.support.contract.command_rules import commands
from tests.support.contract.component_rules import form
from tests.support.contract.message_rules import (
    ANSWERED,
    EDITED,
    EPHEMERAL,
    POSTED,
    edited_message,
    flags_of,
    new_message,
    nonce,
    only,
)
from tests.support.contract.request import Request, Situation, Stored

AUTOCOMPLETE, FORM = 4, 5
"""Types of interactions."""

MESSAGE, DEFERRED_MESSAGE, DEFERRED_UPDATE, UPDATE, CHOICES, MODAL = 4, 5, 6, 7, 8, 9
"""Types of answers."""

MAX_EMOJI_BYTES = 256 * 2**10
IMAGES = tuple(f"data:image/{kind}" for kind in ("png", "jpeg", "gif", "webp", "avif"))

Violations = Iterator[str]


def violations(request: Request, situation: Situation) -> list[str]:
    """Return what is wrong with a request that fits the description."""
    for method, path, rule in _RULES:
        if request.method == method and path.fullmatch(request.path):
            return list(rule(request, situation))
    return []


def _post(request: Request, _: Situation) -> Violations:
    yield from new_message(request.body, request.files, POSTED)
    yield from nonce(request.body)


def _edit(request: Request, situation: Situation) -> Violations:
    yield from edited_message(request.body, request.files, situation.edited or Stored())


def _follow_up(request: Request, situation: Situation) -> Violations:
    """interactions/receiving-and-responding#create-followup-message"""
    if situation.edited is None:
        yield from new_message(request.body, request.files, ANSWERED)
    else:
        # It takes the place of "is thinking…", and flags that only a new message has are ignored.
        body = {**request.body, "flags": flags_of(request.body) & EDITED}
        yield from edited_message(body, request.files, situation.edited)


def _callback(request: Request, situation: Situation) -> Violations:
    """interactions/receiving-and-responding#interaction-response-object"""
    kind, data = request.body["type"], request.body.get("data") or {}
    yield from _answer_type(kind, situation)
    if kind == MESSAGE:
        yield from new_message(data, request.files, ANSWERED)
    elif kind == UPDATE:
        yield from edited_message(data, request.files, situation.edited or Stored())
    elif kind == MODAL:
        yield from form(data["components"])
    elif kind in (DEFERRED_MESSAGE, DEFERRED_UPDATE):
        yield from only(
            flags_of(data), EPHEMERAL if kind == DEFERRED_MESSAGE else 0, "an answer that is deferred"
        )
        if extra := sorted(key for key, value in data.items() if value and key != "flags"):
            yield f"nobody sees {extra} of an answer that is deferred"
    if request.files and kind not in (MESSAGE, UPDATE):
        yield f"an answer of type {kind} takes no files"


def _answer_type(kind: int, situation: Situation) -> Violations:
    """interactions/receiving-and-responding#interaction-response-object-interaction-callback-type"""
    interaction = situation.interaction
    if interaction is None:
        return
    if (kind == CHOICES) != (interaction == AUTOCOMPLETE):
        yield f"type {kind} does not answer an interaction of type {interaction}"
    elif kind in (DEFERRED_UPDATE, UPDATE) and not situation.from_message:
        yield f"type {kind} answers only what comes from the components of a message"
    elif kind == MODAL and interaction == FORM:
        yield "a form does not answer a form"


def _emoji(request: Request, _: Situation) -> Violations:
    """resources/emoji#create-application-emoji and reference#image-data"""
    # The characters are those that Discord's own pages take.
    if not re.fullmatch(r"\w{2,32}", request.body["name"], re.ASCII):
        yield f"an emoji can't be called {request.body['name']!r}"
    head, _, data = request.body["image"].partition(";base64,")
    if head not in IMAGES:
        yield f"an emoji's image begins with {head[:30]!r}"
        return
    try:
        size = len(base64.b64decode(data, validate=True))
    except binascii.Error as error:
        yield f"an emoji's image is not base64: {error}"
    else:
        if size > MAX_EMOJI_BYTES:
            yield f"an emoji has {size} bytes, more than {MAX_EMOJI_BYTES}"


def _commands(request: Request, _: Situation) -> Violations:
    return commands(request.body or [])


_Rule = Callable[[Request, Situation], Violations]
_RULES: list[tuple[str, re.Pattern[str], _Rule]] = [
    ("POST", re.compile(r"/interactions/\d+/[^/]+/callback"), _callback),
    ("POST", re.compile(r"/channels/\d+/messages"), _post),
    ("PATCH", re.compile(r"/channels/\d+/messages/\d+"), _edit),
    ("POST", re.compile(r"/webhooks/\d+/[^/]+"), _follow_up),
    ("PATCH", re.compile(r"/webhooks/\d+/[^/]+/messages/[^/]+"), _edit),
    ("PUT", re.compile(r"/applications/\d+/(guilds/\d+/)?commands"), _commands),
    ("POST", re.compile(r"/applications/\d+/emojis"), _emoji),
]
