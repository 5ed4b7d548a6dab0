"""A screen as the JSON that Discord takes, and within its limits."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from bot.discordpy.components import MAX_COMPONENTS, MAX_TEXT, attached, cut, mentions, render
from bot.screens.button_ids import ids
from bot.screens.model import (
    Block,
    Button,
    Buttons,
    Divider,
    File,
    Menu,
    Picture,
    Screen,
    Section,
    Text,
)

VOICE: Any = SimpleNamespace(text=str, icon=str, maker=lambda look: partial(look, VOICE))
CATALOGUE: Any = SimpleNamespace(voice=lambda locale: VOICE)
"""Shows strings as they are."""

ALT: Any = "A race"
EMOJI = 1234567890123456789


HINT: Any = "Choose"


def menu(*lines: Any) -> Menu:
    """A menu whose last line is chosen."""
    return Menu(tuple(Button(line, line, disabled=line == lines[-1]) for line in lines), HINT)


def text(*lines: Any, spare: bool = False) -> Text:
    return Text(lines, spare)


def button(token: str, label: Any, style: str = "secondary", **more: Any) -> Button:
    return Button(token, label, style, **more)


def inside(*blocks: Block) -> list[Any]:
    """The components in the container of a screen."""
    rendered = render(Screen(blocks, accent=5), CATALOGUE, "en-US", 7, 3)
    assert rendered.view.is_finished()
    (container,) = rendered.to_components()
    parts: list[Any] = container.pop("components")
    assert container == {"type": 17, "accent_color": 5, "spoiler": False}
    return parts


def test_an_emoji_stays_with_its_word() -> None:
    (shown,) = inside(text("<:stop:12> Stop ×4 <:die_1:34> <:die_2:56> and"))
    assert shown["content"] == "<:stop:12>\u00a0Stop ×4 <:die_1:34> <:die_2:56>\u00a0and"


def test_no_line_of_a_phone_begins_with_a_sign() -> None:
    line: Any = "a · b"
    first, second = inside(
        text("Anna · 350 · 2 Tuttos", "1 2 → keeps 1 → null", "below ↓"), Section((line,), button("x", "X"))
    )
    assert first["content"] == "Anna\u00a0· 350\u00a0· 2 Tuttos\n1 2\u00a0→ keeps 1\u00a0→ null\nbelow\u00a0↓"
    assert second["components"][0]["content"] == "a\u00a0· b"


def test_each_block_becomes_a_component() -> None:
    play = button("play", "Play", "primary", icon=f"<:die:{EMOJI}>")
    back = button("back", None, disabled=True, icon="⬅")
    custom_id = ids(7, 3)
    line = {"type": 14, "divider": True, "spacing": 1}
    look: dict[str, Any] = {"type": 2, "style": 2, "disabled": False}
    assert inside(
        *(Divider(), text("One", "Two"), Divider(), text(), Divider(), Buttons((play, back)), Divider()),
        *(menu("add", "remove"), Divider()),
        *(Section(text("Here").lines, button("open", "Open")), Divider(), Picture("race.png", ALT)),
        *(Divider(), File("record.json"), Divider()),
    ) == [
        {"type": 10, "content": "One\nTwo"},
        line,
        {
            "type": 1,
            "components": [
                {
                    **look,
                    "style": 1,
                    "label": "Play",
                    "emoji": {"id": EMOJI, "name": "die"},
                    "custom_id": custom_id("play"),
                },
                {
                    **look,
                    "disabled": True,
                    "emoji": {"id": None, "name": "⬅"},
                    "custom_id": custom_id("back"),
                },
            ],
        },
        line,
        {
            "type": 1,
            "components": [
                {
                    "type": 3,
                    "placeholder": "Choose",
                    "options": [
                        {"default": False, "label": "add", "value": custom_id("add")},
                        {"default": True, "label": "remove", "value": custom_id("remove")},
                    ],
                    "custom_id": custom_id("add"),
                }
            ],
        },
        line,
        {
            "type": 9,
            "components": [{"type": 10, "content": "Here"}],
            "accessory": {**look, "label": "Open", "custom_id": custom_id("open")},
        },
        line,
        {
            "type": 12,
            "items": [{"media": {"url": "attachment://race.png"}, "description": "A race", "spoiler": False}],
        },
        line,
        {"type": 13, "file": {"url": "attachment://record.json"}, "spoiler": False},
        line,
    ]


@pytest.mark.parametrize(
    ("block", "components"),
    [
        (text("One"), 1),
        (Buttons((button("a", "A"), button("b", "B"))), 3),
        (Section(text("One").lines, button("a", "A")), 3),
        (menu("a", "b"), 2),
    ],
)
def test_components_inside_others_count(block: Block, components: int) -> None:
    # One is the container.
    others = MAX_COMPONENTS - 1 - components
    assert len(inside(block, *[text("One")] * others)) == 1 + others
    with pytest.raises(ValueError, match="40 components"):
        inside(block, *[text("One")] * (others + 1))


@pytest.mark.parametrize(
    ("blocks", "shown"),
    [
        ([text("a" * (MAX_TEXT - 1)), text("b")], ["a" * (MAX_TEXT - 1), "b"]),
        # Lines of a spare text go first, as many as must.
        (
            [text("a" * 2000, "b" * 999, spare=True), text("c" * 3000), text("d")],
            ["b" * 999, "c" * 3000, "d"],
        ),
        ([text("a" * 999, "b" * 2000, spare=True), text("c" * 2000)], ["b" * 2000, "c" * 2000]),
        ([text("a" * 100, spare=True), text("b" * 100), text("c" * 3901)], ["b" * 100, "c" * 3899 + "…"]),
        # Of the others, the longest one is cut.
        ([text("a" * 1000, "b"), text("c" * 3000)], ["a" * 1000 + "\nb", "c" * 2997 + "…"]),
    ],
)
def test_texts_that_are_too_long_are_shortened(blocks: list[Block], shown: list[str]) -> None:
    assert [one["content"] for one in inside(*blocks)] == shown


@pytest.mark.parametrize(("whole", "found"), [("abcd", "abcd"), ("abcde", "abc…")])
def test_a_text_is_cut(whole: str, found: str) -> None:
    assert cut(whole, 4) == found


def test_a_screen_notifies_nobody_but_the_person_it_mentions() -> None:
    assert dict(mentions(Screen(())).to_dict()) == {"parse": []}
    told: dict[str, Any] = {**mentions(Screen((), mention=7)).to_dict()}
    assert (told["parse"], told["users"], "roles" in told) == ([], [7], False)


def test_files_are_sent_under_their_names() -> None:
    sent = attached({"a.png": b"123", "b.txt": b""})
    assert [(one.filename, one.fp.read()) for one in sent] == [("a.png", b"123"), ("b.txt", b"")]
