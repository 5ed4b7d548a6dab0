"""How the dice of a game are drawn, shown from the lobby to the end, and whether that can be confirmed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.i18n.say import Argument, GameIcon, GameName, Mention, Name, Say, joined, say
from bot.screens.button_ids import FAIR, RECORD, WORD
from bot.screens.history import CHANNEL, FIND, LIST, ListPage
from bot.screens.model import PRIMARY, Block, Button, Buttons, Divider, Screen, Text

SHORT = 12
"""How many characters of a seal or a secret a lobby shows; the page behind :data:`FAIR_BUTTON` shows all."""

FAIR_BUTTON = Button(FAIR, say("fair-button"))


@dataclass(frozen=True, slots=True)
class DiceSource:
    """What the dice of a game come from.

    ``secret`` is empty until the game has ended. ``words`` are texts with the names of their people, None for
    a deleted text. ``link`` leads to the message that opened the game; it is empty before that, and None for
    a game of an earlier version, whose dice come from the secret alone.
    """

    game: str
    seal: str
    secret: str = ""
    words: Sequence[tuple[Argument, str | None]] = ()
    link: str | None = ""


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A check that found nothing wrong: the numbers of moves, of outcomes, and of words that were deleted."""

    moves: int
    outcomes: int
    deleted: int = 0


Finding = Confirmed | Say
"""What a check has found; a text says why the game could not be confirmed."""


def short(digits: str) -> str:
    """Return the part of a seal or secret by which people recognise it."""
    return digits[:SHORT]


def words_line(key: str, source: DiceSource) -> tuple[Say, ...]:
    """Return the words that were added as one line of the text ``key``, or nothing if there are none."""
    words = [
        say("fair-word", name=name, word=Name(word))
        if word is not None
        else say("fair-word-deleted", name=name)
        for name, word in source.words
    ]
    return (say(key, words=joined(words)),) if words else ()


def opening(source: DiceSource, mention: int | None) -> Screen:
    """Show the message that opens a game, whose id is mixed into the dice; it then becomes the table."""
    title = say("opening-title", icon=GameIcon(source.game), game=GameName(source.game))
    seal = say("lobby-seal", seal=source.seal)
    call = (Text.of(say("opening-call", name=Mention(mention))),) if mention is not None else ()
    lines = (title, say("opening-what"), *words_line("lobby-words", source), seal)
    return Screen.of(Text(lines), *call, mention=mention)


def begun(source: DiceSource) -> Screen:
    """Show what remains of a lobby whose game has begun further down."""
    line = say("lobby-begun", icon=GameIcon(source.game), game=GameName(source.game), link=source.link or "")
    return Screen.of(Text.of(line, *words_line("fair-words", source), say("lobby-seal", seal=source.seal)))


def page(source: DiceSource, finding: Finding | None, buttons: Sequence[Button]) -> Screen:
    """Show everything about the dice of one game; ``finding`` if it has ended."""
    facts = [say("fair-seal", seal=source.seal)]
    facts.append(say("fair-secret", secret=source.secret) if source.secret else say("fair-secret-later"))
    if source.link:
        facts.append(say("fair-message", link=source.link))
    elif source.link is not None and not source.secret:
        facts.append(say("fair-message-later"))
    facts += words_line("fair-words", source)
    blocks: list[Block] = [Text.of(_title(source.game), *_found(finding))]
    blocks += [Divider(), Text.of(*facts), Divider()]
    blocks.append(Text.of(say("fair-how") if finding is None else say("fair-yourself")))
    if buttons:
        blocks.append(Buttons.of(*buttons))
    return Screen.of(*blocks)


def explained(game_key: str) -> Screen:
    """Show how dice and cards are made, and how to check a game by oneself."""
    find = Button(ListPage(CHANNEL).token(LIST, FIND), say("fair-find"), PRIMARY)
    how = Text.of(_title(game_key), say("fair-how"))
    return Screen.of(how, Divider(), Text.of(say("fair-yourself")), Buttons.of(find))


def word_button() -> Button:
    """Return the button that asks somebody at the table for a word, on the page of a lobby."""
    return Button(WORD, say("lobby-word"))


def record_button() -> Button:
    """Return the button that sends the record of a game, on a page of that game."""
    return Button(RECORD, say("end-record"))


def _found(finding: Finding | None) -> tuple[Say, ...]:
    match finding:
        case None:
            return ()
        case Confirmed(moves, outcomes, deleted):
            fine = say(
                "fair-fine", moves=say("fair-moves", n=moves), outcomes=say("fair-outcomes", n=outcomes)
            )
            return (fine, say("fair-deleted", n=deleted)) if deleted else (fine,)
        case Say():
            return (finding,)


def _title(game_key: str) -> Say:
    return say("fair-title", icon=GameIcon(game_key), game=GameName(game_key))
