"""The log on standard error, as text or JSON: each line names its interaction, server and game, and secrets
are hidden."""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from collections.abc import Sequence
from unicodedata import category

from bot.observability import context

HIDDEN = "[hidden]"
EXAMPLE = "user:password"
"""Stands in messages that say how an address should look; it is not hidden."""

_SECRETS = (
    # A bot's token: its id, a time and a signature, in base64.
    re.compile(r"(?<![\w-])[\w-]{18,40}\.[\w-]{6,7}\.[\w-]{27,60}(?![\w-])"),
    re.compile(r"(?<=Bot )[\w.-]{10,}"),
    # The token of an interaction, in the address that answers it and as Discord writes it.
    re.compile(r"(?<=/interactions/)(\d+/)[^/\s?\"']+"),
    re.compile(r"(?<=/webhooks/)(\d+/)[^/\s?\"']+"),
    re.compile(r"(?<![\w-])aW50ZXJhY3Rpb246[\w=-]+"),
    # The user and password of a database, also if the password has signs that should have been encoded.
    re.compile(rf"(?i)(\bpostgres(?:ql)?://)(?!{EXAMPLE}@)[^\s\"'<>]*(?=@)"),
    # Those of any other address.
    re.compile(rf"(?<=://)(?!{EXAMPLE}@)[^/\s:@]*:[^/\s]+(?=@)"),
    # A password in the query of an address, or in a connection string like "host=db password='a b'".
    re.compile(r"(?i)((?<![a-z])(?:pg)?(?:ssl)?(?:password|passwd)\s*=\s*)(?:'(?:\\.|[^'\\])*'|[^\s&'\"]+)"),
    # A password in a dictionary.
    re.compile(r"(?i)([\"']password[\"']\s*:\s*)(?:'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")"),
)


def redact(text: str, secrets: Sequence[str] = ()) -> str:
    """Return ``text`` with ``secrets``, and everything that looks like a token or a password, hidden.

    >>> redact("429 for https://discord.com/api/v10/interactions/123/aToken/callback")
    '429 for https://discord.com/api/v10/interactions/123/[hidden]/callback'
    """
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    for pattern in _SECRETS:
        text = pattern.sub(rf"\g<1>{HIDDEN}" if pattern.groups else HIDDEN, text)
    return text


def escape(text: str) -> str:
    """Return ``text`` with characters escaped that a terminal would act on instead of showing them.

    >>> print(escape("a name\\x1b[2J with\\nlines"))
    a name\\u001b[2J with\\nlines
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or category(character) == "Zs" else json.dumps(character)[1:-1]
        for character in text
    )


class _Redacting(logging.Formatter):
    """Hides secrets in whole lines, including arguments and tracebacks."""

    def __init__(self, secrets: Sequence[str]) -> None:
        super().__init__("{asctime} {levelname:<8} {name}: {message}", style="{")
        self._secrets = tuple(secret for secret in secrets if secret)

    def format(self, record: logging.LogRecord) -> str:
        return redact(self._line(record), self._secrets)

    def _line(self, record: logging.LogRecord) -> str:
        """Return a record as text, with its secrets."""
        raise NotImplementedError


class TextFormatter(_Redacting):
    """Lines for people, with the ids of :mod:`~bot.observability.context` at the end."""

    def _line(self, record: logging.LogRecord) -> str:
        ids = " ".join(f"{name}={value}" for name, value in context.current().items())
        record.message = record.getMessage()
        record.asctime = self.formatTime(record)
        first = escape(self.formatMessage(record)) + (f" [{ids}]" if ids else "")
        more = [self.formatException(record.exc_info)] if record.exc_info else []
        more += [self.formatStack(record.stack_info)] if record.stack_info else []
        return "\n".join([first, *(escape(line) for text in more for line in text.split("\n"))])


class JsonFormatter(_Redacting):
    """Lines for programs: one JSON object each."""

    def _line(self, record: logging.LogRecord) -> str:
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line: dict[str, object] = {
            "time": f"{stamp}.{int(record.msecs):03d}Z",
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **context.current(),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        if record.stack_info:
            line["stack"] = self.formatStack(record.stack_info)
        return escape(json.dumps(line, ensure_ascii=False))


def log_to_stderr(level: str, form: str, secrets: Sequence[str]) -> None:
    """Start logging. ``form`` is ``text`` or ``json``; ``secrets`` are hidden wherever they occur."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter(secrets) if form == "json" else TextFormatter(secrets))
    logging.basicConfig(level=level, handlers=[handler])
    # At INFO, discord.py logs every rate limit and reconnect: only for those who debug. At DEBUG it logs
    # every event in full, with tokens and messages of people: never.
    logging.getLogger("discord").setLevel(logging.INFO if level == "DEBUG" else logging.WARNING)
    for name in ("discord.client", "discord.shard"):
        logging.getLogger(name).addFilter(_shorten_reconnects)


def _shorten_reconnects(record: logging.LogRecord) -> bool:
    """Shorten discord.py's error for a lost connection, which has a traceback, to a warning of one line."""
    if str(record.msg).startswith(("Attempting a reconnect", "Failed to connect")) and record.exc_info:
        reason = record.exc_info[1]
        record.levelno, record.levelname, record.exc_info = logging.WARNING, "WARNING", None
        record.msg, record.args = f"{record.getMessage()}: {type(reason).__name__}: {reason}", ()
    return True
