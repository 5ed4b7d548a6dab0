"""The check of requests: correct ones pass, and a planted mistake of each kind is found."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.support.contract.checks import Contract, wrong_with
from tests.support.contract.request import File, Request, Situation, Stored

POST = "/channels/1/messages"
EDIT = "/channels/1/messages/2"
CALLBACK = "/interactions/3/token/callback"
FOLLOW_UP = "/webhooks/4/token"
ORIGINAL = "/webhooks/4/token/messages/@original"
COMMANDS = "/applications/4/commands"
EMOJIS = "/applications/4/emojis"

V2, EPHEMERAL, LOADING = 1 << 15, 1 << 6, 1 << 7
COMMAND, COMPONENT, AUTOCOMPLETE, FORM = 2, 3, 4, 5

Json = dict[str, Any]
Change = Callable[[Json], object]


def text(content: str = "Hello <@7>") -> Json:
    return {"type": 10, "content": content}


def button(custom_id: str = "a", **parts: Any) -> Json:
    return {"type": 2, "style": 1, "label": "Roll", "custom_id": custom_id, **parts}


def row(*children: Json) -> Json:
    return {"type": 1, "components": list(children)}


def menu(**parts: Any) -> Json:
    options = [{"label": one, "value": one} for one in "abc"]
    return {"type": 3, "custom_id": "menu", "options": options, **parts}


def roles(**parts: Any) -> Json:
    return {"type": 6, "custom_id": "roles", "min_values": 0, "max_values": 2, **parts}


def shown(name: str) -> Json:
    return {"type": 13, "file": {"url": f"attachment://{name}"}}


def gallery(*names: str) -> Json:
    return {"type": 12, "items": [{"media": {"url": f"attachment://{name}"}} for name in names]}


def message(*parts: Json, **fields: Any) -> Json:
    """A message of components: a container with a text, and the given fields."""
    return {"flags": V2, "components": [{"type": 17, "components": [text(), *parts]}], **fields}


def stored(*names: str, **fields: Any) -> Stored:
    """A message that was posted with these files, each with the component that shows it."""
    files = [{"id": str(90 + number), "filename": name} for number, name in enumerate(names)]
    parts = [{"type": 13, "file": {"url": "https://cdn/x", "attachment_id": str(one["id"])}} for one in files]
    return Stored(
        **{"flags": V2, "components": message(*parts)["components"], "attachments": files, **fields}
    )


def post(body: Any, *files: File, **more: Any) -> tuple[Request, Situation]:
    return Request("POST", POST, body=body, files=files, **more), Situation()


def edit(body: Json, before: Stored, *files: File, path: str = EDIT) -> tuple[Request, Situation]:
    return Request("PATCH", path, body=body, files=files), Situation(edited=before)


def answer(
    kind: int,
    data: Json | None,
    interaction: int = COMPONENT,
    *files: File,
    before: Stored | None = None,
    clicked: bool | None = None,
) -> tuple[Request, Situation]:
    body = {"type": kind} if data is None else {"type": kind, "data": data}
    from_message = interaction == COMPONENT if clicked is None else clicked
    situation = Situation(interaction, from_message, before or stored())
    return Request("POST", CALLBACK, {"with_response": "1"}, body, files), situation


def option(name: str = "target", **parts: Any) -> Json:
    return {"type": 4, "name": name, "description": "Points", **parts}


def command(name: str = "tutto", **parts: Any) -> Json:
    return {"type": 1, "name": name, "description": "A game", **parts}


def form(*fields: Json) -> Json:
    return {"custom_id": "f", "title": "F", "components": [row({**FIELD, **one}) for one in fields]}


def labelled(*controls: Json) -> Json:
    """A form with these controls, each with a label and an id."""
    parts = [
        {"type": 18, "label": "L", "component": {"custom_id": f"c{number}", **one}}
        for number, one in enumerate(controls)
    ]
    return {"custom_id": "f", "title": "F", "components": parts}


def group(kind: int, *chosen: bool, **parts: Any) -> Json:
    """Radio buttons (21) or checkboxes (22) with an option for each of ``chosen``."""
    options = [{"label": "O", "value": str(n), "default": one} for n, one in enumerate(chosen)]
    return {"type": kind, "options": options, **parts}


def put(*registered: Json) -> tuple[Request, Situation]:
    return Request("PUT", COMMANDS, body=list(registered)), Situation()


def image(size: int = 8, kind: str = "png") -> str:
    return f"data:image/{kind};base64,{base64.b64encode(bytes(size)).decode()}"


def new_emoji(**parts: Any) -> tuple[Request, Situation]:
    return Request("POST", EMOJIS, body={"name": "die_1", "image": image(), **parts}), Situation()


DEFAULT = {"label": "a", "value": "a", "default": True}
FIELD = {"type": 4, "custom_id": "t", "style": 1, "label": "T"}
RECORD, CHART = File("record.json", 10), File("chart.png", 10)
LISTED = [{"id": 0, "filename": "record.json"}]

RIGHT = {
    "a post": post(message(row(button(), button("b", label=None, emoji={"name": "🎲"})), row(menu()))),
    "a nonce": post(message(nonce="1", enforce_nonce=True)),
    "a mention": post(message(allowed_mentions={"parse": [], "users": [7]})),
    "words only": post({"content": "Hello", "tts": False}),
    "a file": post(message(shown("record.json"), attachments=LISTED), RECORD),
    "a file that is not listed": post(message(shown("record.json")), RECORD),
    "a file without components": post({"content": "Here"}, RECORD),
    "an edit": edit(message(row(button()), tts=False), stored()),
    "a file kept": edit(message(shown("record.json")), stored("record.json")),
    "a file kept with its component": edit({"content": None}, stored("record.json")),
    "a file kept by its id": edit(
        message(shown("record.json"), attachments=[{"id": "90"}]), stored("record.json")
    ),
    "a file replaced": edit(
        message(gallery("chart.png"), attachments=[{"id": 0}]), stored("record.json"), CHART
    ),
    "all files dropped": edit(message(attachments=[]), stored("record.json")),
    "the flag set by an edit": edit(message(), stored(flags=LOADING | EPHEMERAL, components=[])),
    "the answer to a command": answer(4, message(flags=V2 | EPHEMERAL, tts=False), COMMAND),
    "a click answered by a post": answer(4, message()),
    "a click answered by an edit": answer(7, message()),
    "a click acknowledged": answer(6, None),
    "a command deferred": answer(5, {"flags": EPHEMERAL}, COMMAND),
    "a form opened": answer(9, form({})),
    "a form of groups and a menu": answer(
        9,
        labelled(
            group(21, True, False),
            group(22, True, True, required=False, min_values=0),
            {"type": 8, "min_values": 0, "max_values": 25, "required": False},
        ),
    ),
    "a form that a button opened": answer(7, message(), FORM, clicked=True),
    "choices": answer(8, {"choices": [{"name": "One", "value": 1}]}, AUTOCOMPLETE),
    "a follow-up": (
        Request("POST", FOLLOW_UP, {"wait": "true", "with_components": 1}, message(flags=V2 | EPHEMERAL)),
        Situation(COMMAND),
    ),
    "a follow-up in place of thinking": (
        Request("POST", FOLLOW_UP, {"wait": "true"}, message(flags=V2 | EPHEMERAL)),
        Situation(COMMAND, edited=stored(flags=LOADING | EPHEMERAL, components=[])),
    ),
    "the original edited": edit(message(), stored(), path=ORIGINAL),
    "the original deleted": (Request("DELETE", ORIGINAL), Situation()),
    "roles chosen": post(message(row(roles(default_values=[{"id": "5", "type": "role"}])))),
    "options chosen": post(message(row(menu(max_values=2, options=[DEFAULT, {**DEFAULT, "value": "b"}])))),
    "commands": put(
        command(options=[option(required=True, min_value=1, max_value=2), option("seats")]),
        command(
            "gambler", options=[{"type": 1, "name": "start", "description": "Start", "options": [option()]}]
        ),
        {"type": 3, "name": "Play Tutto", "description": "", "nsfw": False},
        command("aide", name_localizations={"fr": "règles", "hi": "खेल"}),
    ),
    "an emoji": new_emoji(),
    "a member": (Request("GET", "/guilds/1/members/2"), Situation()),
}


@pytest.mark.parametrize("case", RIGHT.values(), ids=RIGHT)
def test_what_is_right_passes(case: tuple[Request, Situation]) -> None:
    assert wrong_with(*case) == []


def many(number: int) -> list[Json]:
    return [text(f"line {one}") for one in range(number)]


CHOICE = {"name": "1", "value": 1}
CHOICES = [{"name": f"{n} {'x' * 97}", "value": "y" * 100} for n in range(25)]
MANY_TEXTS = {"type": 17, "components": many(38)}

WRONG: dict[str, tuple[tuple[Request, Situation], str]] = {
    # What the description says.
    "a path": ((Request("POST", "/channels/1/massages", body=message()), Situation()), "not described"),
    "a method": ((Request("DELETE", POST), Situation()), "not described"),
    "an id in a path": ((Request("DELETE", "/channels/1/messages/x"), Situation()), "does not match"),
    "a query": ((Request("GET", EDIT, {"limit": 5}), Situation()), "limit is not described"),
    "a value in a query": (
        (Request("POST", FOLLOW_UP, {"wait": "maybe"}, message()), Situation()),
        "wait 'maybe' is not of type 'boolean'",
    ),
    "no body": (post(None), "None is not of type 'object'"),
    "a body where none belongs": ((Request("GET", EDIT, body={}), Situation()), "takes none"),
    "a file where none belongs": (
        (Request("PUT", COMMANDS, body=[], files=[RECORD]), Situation()),
        "takes none",
    ),
    "an unknown field": (post(message(ephemeral=True)), "'ephemeral' was unexpected"),
    "an unknown field of a button": (post(message(row(button(colour=1)))), "'colour' was unexpected"),
    "tts where it does not belong": (put(command(tts=False)), "'tts' was unexpected"),
    "a number for a text": (post(message(text(5))), "5 is not of type 'string'"),  # type: ignore[arg-type]
    "a missing field": (post(message({"type": 13})), "'file' is a required property"),
    "an unknown type": (post(message({"type": 99})), "99 is none of the types"),
    "a type that is no number": (post(message({"type": [2]})), "[2] is none of the types"),
    "a type that does not belong there": (post(message(button())), "2 is none of the types"),
    "a style": (post(message(row(button(style=9)))), "9 is not one of"),
    "a long label": (post(message(row(button(label="x" * 81)))), "is too long"),
    "a long nonce": (post(message(nonce="9" * 26)), "is not valid under any"),
    "a long custom id": (post(message(row(button("x" * 101)))), "is too long"),
    "26 options": (
        post(message(row(menu(options=[{"label": str(n), "value": str(n)} for n in range(26)])))),
        "is too long",
    ),
    "a field of another answer": (answer(8, {"content": "Hello"}, AUTOCOMPLETE), "not valid under any"),
    "an unknown answer": (answer(11, None), "11 is none of the types"),
    "a long name of a command": (put(command("x" * 33)), "is too long"),
    "a long name in one language": (put(command(name_localizations={"de": "x" * 33})), "is too long"),
    # Messages.
    "no message": (post({"content": ""}), "is empty"),
    "41 components": (post({"flags": V2, "components": [MANY_TEXTS, row(button())]}), "41 components"),
    "4001 characters": (post(message(text("x" * 2000), text("y" * 1991))), "4001 characters"),
    "components without the flag": (post({**message(), "flags": 0}), "need IS_COMPONENTS_V2"),
    "six rows": (post({"components": [row(button(str(n))) for n in range(6)]}), "6 rows"),
    "the flag without components": (post({"flags": V2, "content": "x"}), "a message of components has none"),
    "the flag with content": (post(message(content="x")), "excludes content"),
    "the flag with embeds": (post(message(embeds=[{"title": "x"}])), "excludes embeds"),
    "the flag with old content": (edit(message(), stored(flags=0, content="old")), "excludes content"),
    "a post for one person": (post(message(flags=V2 | EPHEMERAL)), "can't carry the flags 0x40"),
    "an edit for one person": (edit(message(flags=V2 | EPHEMERAL), stored()), "can't carry the flags 0x40"),
    "the flag removed": (edit({"flags": 0, "content": "x"}, stored()), "can't be removed"),
    "a nonce that is missing": (post(message(enforce_nonce=True)), "without a nonce"),
    "somebody notified unseen": (
        post(message(allowed_mentions={"users": ["8"]})),
        "user 8 may be notified",
    ),
    "a role notified unseen": (post(message(allowed_mentions={"roles": [7]})), "role 7 may be notified"),
    "all and some notified": (
        post(message(allowed_mentions={"parse": ["users"], "users": [7]})),
        "names users and lets them be parsed",
    ),
    # Files.
    "a file that nothing shows": (post(message(attachments=LISTED), RECORD), "no component shows"),
    "a shown file that is missing": (post(message(gallery("chart.png"))), "chart.png, which is missing"),
    "another file than the shown one": (post(message(shown("chart.png")), RECORD), "which is missing"),
    "an address for a file": (
        post(message({"type": 13, "file": {"url": "https://example.com/x"}})),
        "which is no attachment",
    ),
    "no address of a picture": (
        post(message({"type": 12, "items": [{"media": {"url": "chart.png"}}]})),
        "a component shows chart.png",
    ),
    "a file that an edit keeps and nothing shows": (
        edit(message(), stored("record.json")),
        "no component shows",
    ),
    "a file that an edit drops": (
        edit(message(shown("record.json"), attachments=[]), stored("record.json")),
        "record.json, which is missing",
    ),
    "a file dropped below its component": (
        edit({"attachments": []}, stored("record.json")),
        "record.json, which is missing",
    ),
    "a file sent with an edit and not listed": (
        edit(message(attachments=[]), stored(), RECORD),
        "sent but not named in attachments",
    ),
    "a file of a click's answer that nothing shows": (
        answer(7, message(), COMPONENT, RECORD),
        "no component shows the file record.json",
    ),
    "an unknown file kept": (edit(message(attachments=[{"id": 5}]), stored()), "names 5, which is no file"),
    "a file listed twice": (post(message(shown("record.json"), attachments=LISTED * 2), RECORD), "2 times"),
    "two files of one name": (post(message(shown("record.json")), RECORD, RECORD), "2 files are called"),
    "eleven files": (post({"content": "x"}, *[File(str(n)) for n in range(11)]), "11 files are more"),
    "a large file": (post({"content": "x"}, File("x", 10 * 2**20 + 1)), "more than 10485760"),
    # Components.
    "two equal custom ids": (post(message(row(button(), button()))), "2 components have the custom_id 'a'"),
    "two equal ids": (post(message(row(button(id=3), button("b", id=3)))), "2 components have the id 3"),
    "an empty button": (post(message(row(button(label=None)))), "neither label nor emoji"),
    "a button with an empty label": (post(message(row(button(label="")))), "neither label nor emoji"),
    "a button without an id": (post(message(row({"type": 2, "style": 1, "label": "x"}))), "has no custom_id"),
    "a link with an id": (post(message(row(button(style=5, url="https://x.y")))), "has ['custom_id']"),
    "a purchase with a label": (post(message(row(button(style=6, sku_id="1")))), "has ['label']"),
    "a menu beside a button": (post(message(row(menu(), button()))), "up to five buttons"),
    "two options of one value": (post(message(row(menu(options=[DEFAULT, DEFAULT])))), "2 options 'a'"),
    "more to choose than there are": (post(message(row(menu(max_values=4)))), "choose 4 of 3"),
    "at least more than at most": (post(message(row(menu(min_values=2)))), "at least 2 and at most 1"),
    "too many options chosen": (
        post(message(row(menu(options=[DEFAULT, {**DEFAULT, "value": "b"}])))),
        "2 default values, not 1 to 1",
    ),
    "too many roles chosen": (
        post(message(row(roles(default_values=[{"id": str(n), "type": "role"} for n in range(3)])))),
        "3 default values, not 0 to 2",
    ),
    "too few users chosen": (
        post(message(row({**roles(min_values=2, default_values=[{"id": "1", "type": "user"}]), "type": 5}))),
        "1 default values, not 2 to 2",
    ),
    "a user among roles": (
        post(message(row(roles(default_values=[{"id": "1", "type": "user"}])))),
        "'user' is not one of ['role']",
    ),
    # Answers.
    "a command answered by an edit": (answer(7, message(), COMMAND), "only what comes from the components"),
    "a command acknowledged as a click": (answer(6, None, COMMAND), "only what comes from the components"),
    "a form of a command answered by an edit": (answer(7, message(), FORM), "only what comes from"),
    "a form that opens a form": (answer(9, form({}), FORM), "a form does not answer a form"),
    "choices for a click": (answer(8, {"choices": []}), "does not answer an interaction of type 3"),
    "a message for what is typed": (answer(4, message(), AUTOCOMPLETE), "does not answer an interaction"),
    "a deferral with the flag": (answer(5, {"flags": V2}, COMMAND), "can't carry the flags 0x8000"),
    "a deferral of an update for one person": (answer(6, {"flags": EPHEMERAL}), "can't carry the flags"),
    "a deferral with words": (answer(5, {"content": "x"}, COMMAND), "nobody sees ['content']"),
    "a deferral with a file": (answer(5, None, COMMAND, RECORD), "takes no files"),
    "two fields of one id": (answer(9, form({}, {})), "2 components have the custom_id 't'"),
    "a field that holds too much": (answer(9, form({"max_length": 1, "value": "xx"})), "holds 2 characters"),
    "a field of no length": (answer(9, form({"max_length": 1, "min_length": 2})), "at least 2 and at most 1"),
    "too many fields": (answer(9, labelled(*[group(21, True, False)] * 6)), "6 fields are more than 5"),
    "a form of text": (
        answer(9, {**labelled(), "components": [{"type": 10, "content": "x"}]}),
        "nothing to fill in",
    ),
    "a disabled field": (answer(9, labelled({"type": 8, "disabled": True})), "of a form is disabled"),
    "checkboxes that need none": (
        answer(9, labelled(group(22, False, min_values=0))),
        "is required but takes no value",
    ),
    "two radio buttons chosen": (answer(9, labelled(group(21, True, True))), "2 default values, more than 1"),
    "one radio button": (answer(9, labelled(group(21, True))), "is too short"),
    "more checkboxes than there are": (
        answer(9, labelled(group(22, False, max_values=2))),
        "choose 2 of 1 options",
    ),
    "a long label of a field": (
        answer(
            9,
            {
                **labelled(),
                "components": [{**labelled(group(21, True, False))["components"][0], "label": "x" * 46}],
            },
        ),
        "is too long",
    ),
    # Commands.
    "a command twice": (put(command(), command()), "2 commands of type 1 are called 'tutto'"),
    "a command twice in one language": (
        put(command(), command("x", name_localizations={"de": "tutto"})),
        "are called 'tutto' in de",
    ),
    "101 commands": (put(*[command(f"x{n}") for n in range(101)]), "101 commands of type 1"),
    "16 menus": (put(*[{"type": 3, "name": str(n)} for n in range(16)]), "16 commands of type 3"),
    "a space in a name": (put(command("my game")), "characters that names can't have"),
    "a capital letter": (put(command("Tutto")), "capital letters"),
    "a capital letter in one language": (put(command(name_localizations={"it": "Tutto"})), "capital letters"),
    "no description": (put(command(description="")), "/tutto has no description"),
    "a long description in one language": (
        put(command(description_localizations={"fr": "x" * 101})),
        "is too long",
    ),
    "a language that is none": (put(command(name_localizations={"xx": "tutto"})), "are no locales"),
    "a menu with a description": (put({"type": 3, "name": "Play", "description": "x"}), "is a menu"),
    "10,000 characters": (
        put(command(options=[option(one, type=3, choices=CHOICES) for one in "ab"])),
        "more than 8000",
    ),
    "an option twice": (put(command(options=[option(), option()])), "2 options of /tutto are called"),
    "an option twice in one language": (
        put(command(options=[option(), option("x", name_localizations={"de": "target"})])),
        "are called 'target' in de",
    ),
    "a required option last": (
        put(command(options=[option(), option("x", required=True)])),
        "after optional",
    ),
    "a subcommand beside an option": (
        put(command(options=[option(), {"type": 1, "name": "x", "description": "x"}])),
        "beside other options",
    ),
    "a long value": (
        put(command(options=[option(type=3, choices=[{"name": "1", "value": "x" * 101}])])),
        "a value of 101 characters",
    ),
    "a choice in a language that is none": (
        put(command(options=[option(choices=[{**CHOICE, "name_localizations": {"xx": "1"}}])])),
        "are no locales",
    ),
    "an option without a description": (
        put(command(options=[option(description="")])),
        "should be non-empty",
    ),
    "a group in a group": (
        put(command(options=[{**option(type=2), "options": [option(type=2)]}])),
        "2 is not one of [1]",
    ),
    "choices and completion": (
        put(command(options=[option(autocomplete=True, choices=[{"name": "1", "value": 1}])])),
        "completes what is typed",
    ),
    "two choices of one name": (
        put(command(options=[option(choices=[{"name": "1", "value": n} for n in range(2)])])),
        "2 choices of /tutto target",
    ),
    "bounds the wrong way round": (
        put(command(options=[option(min_value=2, max_value=1)])),
        "at least 2 and at most 1",
    ),
    # Emojis.
    "an emoji's name": (new_emoji(name="die-1"), "can't be called"),
    "an emoji's image": (new_emoji(image=image(kind="svg+xml")), "begins with"),
    "an emoji that is no base64": (new_emoji(image="data:image/png;base64,?"), "not base64"),
    "a large emoji": (new_emoji(image=image(256 * 1024 + 1)), "more than 262144"),
}


@pytest.mark.parametrize(("case", "found"), WRONG.values(), ids=WRONG)
def test_a_mistake_is_found(case: tuple[Request, Situation], found: str) -> None:
    lines = wrong_with(*case)
    assert any(found in line for line in lines), lines


def test_a_contract_collects_mistakes() -> None:
    contract = Contract()
    contract.check(*RIGHT["a post"])
    contract.verify()
    contract.check(*WRONG["no message"][0])
    assert contract.checked == 2
    with pytest.raises(AssertionError, match=r"POST /channels/1/messages: the message is empty"):
        contract.verify()


def test_the_same_commands_are_checked_for_each_path_and_query() -> None:
    request, situation = RIGHT["commands"]
    assert not wrong_with(request, situation)
    assert wrong_with(replace(request, path="/applications/4/orders"), situation)
    assert wrong_with(replace(request, query={"force": 1}), situation)
