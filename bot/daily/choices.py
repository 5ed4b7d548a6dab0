"""What a person has chosen in a daily game, as one line of text. A game is replayed from nothing else.

``t`` turns a card, ``s`` stops, ``k15`` puts a 1 and a 5 aside; a space stands between two choices.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.games.core import Unreadable
from bot.games.tutto.state import NUMBER_OF_DICE, STOP, TURN_CARD, Action, Keep, Stop, TurnCard

_FACES = frozenset("123456")


def written(choices: Sequence[Action]) -> str:
    """Write choices down.

    >>> written([TURN_CARD, Keep((1, 5)), STOP])
    't k15 s'
    """
    return " ".join(map(_word, choices))


def read(text: str) -> tuple[Action, ...]:
    """Read what :func:`written` has returned. Raises :class:`Unreadable`."""
    return tuple(map(_choice, text.split(" "))) if text else ()


def _word(choice: Action) -> str:
    match choice:
        case TurnCard():
            return "t"
        case Stop():
            return "s"
        case Keep(dice=dice):
            return "k" + "".join(map(str, dice))


def _choice(word: str) -> Action:
    if word == "t":
        return TURN_CARD
    if word == "s":
        return STOP
    faces = word[1:]
    if word[:1] != "k" or not 0 < len(faces) <= NUMBER_OF_DICE or set(faces) - _FACES:
        raise Unreadable("error-unreadable")
    return Keep(tuple(map(int, faces)))
