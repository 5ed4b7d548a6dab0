"""What simcord knows of a request: the interaction that it answers, and the message that it edits."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from simcord.backend import Backend
from simcord.backend.models import Interaction
from simcord.backend.models import Message as Kept

from tests.support.contract.checks import Contract
from tests.support.contract.request import File, Request, Situation, Stored

UPDATE = 7

_CALLBACK = re.compile(r"/interactions/(?P<id>\d+)/[^/]+/callback")
_WEBHOOK = re.compile(r"/webhooks/\d+/(?P<token>[^/]+)(/messages/(?P<message>[^/]+))?")
_MESSAGE = re.compile(r"/channels/(?P<channel>\d+)/messages/(?P<message>\d+)")


def situation(backend: Backend, request: Request) -> Situation:
    """Return what simcord knows when a request comes."""
    if match := _CALLBACK.fullmatch(request.path):
        record = backend.interactions.get(int(match["id"]))
        if record is None:
            return Situation()
        edits = isinstance(request.body, dict) and request.body.get("type") == UPDATE
        clicked = record.source_message_id
        return Situation(
            int(record.type),
            clicked is not None,
            _stored(backend, record.channel_id, clicked) if edits else None,
        )
    if match := _WEBHOOK.fullmatch(request.path):
        return _of_token(backend, match["token"], match["message"])
    if match := _MESSAGE.fullmatch(request.path):
        return Situation(edited=_stored(backend, int(match["channel"]), int(match["message"])))
    return Situation()


def _of_token(backend: Backend, token: str, message: str | None) -> Situation:
    number = backend.interaction_tokens.get(token)
    record: Interaction | None = backend.interactions.get(number) if number is not None else None
    if record is None:
        return Situation()
    if message is None:
        # A follow-up fills in what shows as "is thinking…".
        edited = record.message_id if record.loading else None
    else:
        edited = record.message_id if message == "@original" else int(message)
    return Situation(
        int(record.type), record.source_message_id is not None, _stored(backend, record.channel_id, edited)
    )


def _stored(backend: Backend, channel: int, message: int | None) -> Stored | None:
    kept: Kept | None = backend.messages.get(channel, {}).get(message) if message is not None else None
    if kept is None:
        return None
    return Stored(kept.flags, kept.content, kept.embeds, kept.components, kept.attachments)


def uploads(files: Sequence[Any]) -> list[File]:
    """Return the names and sizes of files as simcord gets them, without reading them."""
    return [File(file.filename, _size(file.fp)) for file in files]


def _size(stream: Any) -> int:
    place = stream.tell()
    end: int = stream.seek(0, 2)
    stream.seek(place)
    return end


def checked(contract: Contract, dispatch: Callable[..., Any]) -> Callable[..., Any]:
    """Return simcord's ``dispatch``, through which all requests go, with each of them checked first."""

    def check_and_dispatch(backend: Backend, method: str, path: str, **parts: Any) -> Any:
        request = Request(
            method, path, parts.get("params") or {}, parts.get("json"), uploads(parts.get("files") or [])
        )
        contract.check(request, situation(backend, request))
        return dispatch(backend, method, path, **parts)

    return check_and_dispatch
