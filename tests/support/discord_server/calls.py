"""One REST call: reading, remembering and answering it."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from aiohttp import BodyPartReader, web


@dataclass
class Upload:
    """A file in the form that simcord's handlers take."""

    filename: str
    data: bytes
    description: str | None = None
    fp: io.BytesIO = field(init=False)

    def __post_init__(self) -> None:
        self.fp = io.BytesIO(self.data)


@dataclass(eq=False)
class Call:
    """A call, whether it was carried out, and its answer (status None means none yet)."""

    at: float
    method: str
    path: str
    query: dict[str, str]
    json: Any
    files: list[Upload]
    reason: str | None = None
    fault: str | None = None
    effect: bool = False
    status: int | None = None
    answer: Any = None
    took: float | None = None

    @property
    def code(self) -> int:
        """Return Discord's error code in the answer, or 0."""
        return int(self.answer.get("code") or 0) if isinstance(self.answer, dict) else 0

    def __str__(self) -> str:
        fault = f" [{self.fault}]" if self.fault else ""
        return f"{self.at:7.3f} {self.method} {self.path} -> {self.status} {self.code or ''}{fault}"


async def read(request: web.Request, at: float) -> Call:
    """Read a call, whether its body is JSON or multipart with payload_json and files."""
    body: Any = None
    files: list[Upload] = []
    if request.content_type == "multipart/form-data":
        body, files = await _read_form(request)
    elif raw := await request.read():
        body = json.loads(raw)
    reason = request.headers.get("X-Audit-Log-Reason")
    return Call(
        at=at,
        method=request.method,
        path="/" + request.rel_url.raw_path.split("/", 3)[3],  # without /api/vN
        query=dict(request.query),
        json=body,
        files=files,
        reason=unquote(reason) if reason else None,
    )


async def _read_form(request: web.Request) -> tuple[Any, list[Upload]]:
    fields: dict[str, str] = {}
    files: list[Upload] = []
    async for part in await request.multipart():
        assert isinstance(part, BodyPartReader)
        data = bytes(await part.read(decode=False))
        if part.filename is None:
            fields[part.name or ""] = data.decode()
        else:
            files.append(Upload(part.filename, data))
    if "payload_json" not in fields:
        return fields, files
    body = json.loads(fields["payload_json"])
    declared = (body.get("data") or body).get("attachments") or []  # "data" in an interaction's callback
    for item, upload in zip(declared, files, strict=False):
        upload.description = item.get("description")
    return body, files


def answer(call: Call, status: int, body: Any, headers: dict[str, str] | None = None) -> web.Response:
    """Answer a call and keep the answer. A text is what proxies send instead of JSON."""
    call.status, call.answer = status, body
    headers = dict(headers or {})
    if body is None:
        return web.Response(status=status, headers=headers)
    if isinstance(body, str):
        return web.Response(status=status, headers=headers, text=body, content_type="text/html")
    # discord.py compares the content type to the letter, so no charset may follow.
    headers["Content-Type"] = "application/json"
    return web.Response(status=status, headers=headers, body=json.dumps(body).encode())
