"""The log in both forms: the ids in each line, and the secrets that are hidden."""

from __future__ import annotations

import asyncio
import contextvars
import json
import logging

import pytest

from bot.observability import context, logging_setup
from bot.observability.logging_setup import HIDDEN, JsonFormatter, TextFormatter, redact

# Made up, in the form Discord gives them.
TOKEN = "MTIzNDU2Nzg5MDEyMzQ1Njc4.GhIjKl.abcdefghijklmnopqrstuvwxyz0123456789AB"
INTERACTION = "aW50ZXJhY3Rpb246MTIzNDU2Nzg5MDEyMzQ1Njc4OnNlY3JldHNlY3JldA=="


def record(message: str, *args: object, error: BaseException | None = None) -> logging.LogRecord:
    exc_info = (type(error), error, error.__traceback__) if error else None
    return logging.LogRecord("bot.test", logging.WARNING, __file__, 1, message, args, exc_info)


@pytest.mark.parametrize(
    "text",
    [
        f"token {TOKEN} refused",
        f"header Authorization: Bot {TOKEN}",
        f"'Authorization': 'Bot {TOKEN}'",
        f"POST https://discord.com/api/v10/interactions/1/{INTERACTION}/callback 429",
        f"PATCH https://discord.com/api/v10/webhooks/99/{INTERACTION}/messages/@original?with_response=1",
        f"token={INTERACTION}",
    ],
)
def test_tokens_are_hidden_wherever_they_stand(text: str) -> None:
    hidden = redact(text)
    assert HIDDEN in hidden
    for secret in (TOKEN, INTERACTION, TOKEN.split(".")[2], INTERACTION[-20:]):
        assert secret not in hidden


def test_a_database_password_is_hidden() -> None:
    hidden = redact("can't reach postgresql://dice:pa55word@db.example:5432/dice")
    assert hidden == f"can't reach postgresql://{HIDDEN}@db.example:5432/dice"


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://dice:pa55word@db/dice",
        "postgres://dice:pa55word@[2001:db8::1]:5432/dice?sslmode=require",
        "can't reach 'postgresql://dice:x/pa55word@db/dice'",
        "postgresql://dice:x@pa55word@db/dice",
        "postgresql://dice:x%40pa55word@db/dice",
        "postgresql://:pa55word@/dice?host=/run/postgresql",
        "postgresql://db/dice?user=dice&password=pa55word&sslmode=require",
        "http://proxy:x@pa55word@proxy.example:3128/",
        "host=db password=pa55word user=dice",
        "host=db password = 'a \\' pa55word' user=dice",
        "PGPASSWORD=pa55word psql",
        "sslpassword=pa55word",
        "{'host': 'db', 'password': 'a pa55word'}",
        '{"password": "a pa55word"}',
    ],
)
def test_a_database_password_is_hidden_in_every_form(text: str) -> None:
    hidden = redact(text)
    assert HIDDEN in hidden
    assert "pa55word" not in hidden


@pytest.mark.parametrize("form", [TextFormatter, JsonFormatter])
@pytest.mark.parametrize("sign", ["\x1b[2J", "\r", "\x07", "\x9b", "\x7f", "\u202e", "\u2028", "\U000e0041"])
def test_control_characters_are_escaped(form: type[TextFormatter] | type[JsonFormatter], sign: str) -> None:
    """A terminal would obey them: a name could clear the screen, or hide what stands before it."""
    try:
        raise ValueError(f"a{sign}b")
    except ValueError as error:
        line = form([]).format(record("server %s", f"a{sign}b", error=error))
    assert all(one.isprintable() for part in line.split("\n") for one in part)
    if form is JsonFormatter:
        assert json.loads(line)["message"] == f"server a{sign}b"


def test_a_name_can_not_pretend_to_be_another_line() -> None:
    line = TextFormatter([]).format(record("server %s", "a\n2026-11-28 12:00:00 ERROR bot: stolen"))
    assert "\n" not in line


def test_a_secret_in_no_known_form_is_hidden_if_it_was_named() -> None:
    assert redact("it is swordfish", ["swordfish"]) == f"it is {HIDDEN}"


@pytest.mark.parametrize(
    "text",
    [
        "Game 17 could not be shown; it is tried again later: 503 Service Unavailable",
        "https://discord.com/api/v10/channels/123456789012345678/messages/123456789012345678",
        "bot.store.sqlite_memory.SqliteMemory has failed at 2026-11-28T02:24:35.123Z",
    ],
)
def test_other_text_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("form", [TextFormatter, JsonFormatter])
def test_arguments_and_tracebacks_are_covered(form: type[TextFormatter] | type[JsonFormatter]) -> None:
    try:
        raise RuntimeError(f"failed for {TOKEN} with swordfish")
    except RuntimeError as error:
        line = form(["swordfish"]).format(record("url /webhooks/1/%s", INTERACTION, error=error))
    assert "RuntimeError" in line
    for secret in (TOKEN, INTERACTION, "swordfish"):
        assert secret not in line


def test_an_empty_secret_hides_nothing() -> None:
    assert TextFormatter([""]).format(record("hello")).endswith("bot.test: hello")


def test_json_is_an_object_a_line_with_what_it_is_about() -> None:
    def one() -> str:
        context.interaction.set(11)
        context.guild.set(12)
        context.game.set(13)
        return JsonFormatter([]).format(record('said "%s"\nand more', "ä"))

    line = contextvars.copy_context().run(one)
    assert "\n" not in line
    read = json.loads(line)
    assert read["message"] == 'said "ä"\nand more'
    assert (read["level"], read["logger"]) == ("WARNING", "bot.test")
    assert (read["interaction"], read["guild"], read["game"]) == (11, 12, 13)
    assert read["time"].endswith("Z")
    # What was set in one task is not known in another.
    assert "game" not in json.loads(JsonFormatter([]).format(record("x")))


def test_text_names_what_it_is_about_before_the_traceback() -> None:
    def one() -> str:
        context.game.set(13)
        try:
            raise ValueError("no")
        except ValueError as error:
            return TextFormatter([]).format(record("failed", error=error))

    first, *rest = contextvars.copy_context().run(one).splitlines()
    assert first.endswith("WARNING  bot.test: failed [game=13]")
    assert rest[-1] == "ValueError: no"


async def test_tasks_do_not_share_it() -> None:
    async def one(number: int) -> int | None:
        context.game.set(number)
        await asyncio.sleep(0)
        return context.current().get("game")

    assert await asyncio.gather(*(asyncio.create_task(one(n)) for n in (1, 2, 3))) == [1, 2, 3]


def test_the_library_is_never_heard_at_debug(monkeypatch: pytest.MonkeyPatch) -> None:
    """At DEBUG it writes down every event, with tokens and what people have written."""
    monkeypatch.setattr(logging, "basicConfig", lambda **kwargs: None)
    library = logging.getLogger("discord")
    before, filters = library.level, list(logging.getLogger("discord.client").filters)
    try:
        logging_setup.log_to_stderr("DEBUG", "json", [TOKEN])
        assert library.level == logging.INFO
        assert not logging.getLogger("discord.gateway").isEnabledFor(logging.DEBUG)
    finally:
        library.setLevel(before)
        logging.getLogger("discord.client").filters[:] = filters
