"""What is gained by trying many secrets, words or messages: the figures of docs/fair-dice.md.

    python -m benchmarks.dice_choice

Measured is how many of the six dice of Tutto's first roll are a 1 or a 5, which is 2 on average.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Iterable
from math import sqrt
from statistics import fmean, pstdev

from bot.games.dice import rolls
from bot.games.seats import person
from bot.records.sealing import seed_of, start_text, with_message
from bot.records.seeds import SeededChance
from bot.records.who_begins import IN_ORDER
from bot.registry import find

TRIES = 100_000
GAME_ID = 7
SEATS = (person(1, "Operator"), person(2, "Ann"))
OPTIONS = find("tutto").rules.options({}).to_json()
ROLLS = rolls(6)
FIRST_ROLL = 1
"""The number of the outcome: a card comes before it."""

Value = Callable[[bytes], int]


def secret(number: int) -> bytes:
    return hashlib.sha256(b"secret %d" % number).digest()


def message(number: int) -> int:
    """An id as Discord gives it: milliseconds, then 22 bits of its own."""
    return int.from_bytes(hashlib.sha256(b"message %d" % number).digest()[:8], "big") >> 2


def scoring(seed: bytes) -> int:
    """Return how many dice of the first roll are a 1 or a 5."""
    return sum(face in (1, 5) for face in SeededChance(seed, FIRST_ROLL).draw(ROLLS))


def first_roll(own_secret: bytes, own_word: str, other_word: str, message_id: int) -> int:
    """Return :func:`scoring` of a game, drawn as the bot draws it."""
    words = {0: own_word, 1: other_word}
    start = start_text(own_secret, GAME_ID, "tutto", 1, OPTIONS, SEATS, words, rated=True, begins=IN_ORDER)
    return scoring(seed_of(own_secret, with_message(start, message_id)))


def row(who: str, what: str, found: Iterable[int]) -> None:
    values = list(found)
    error = pstdev(values) / sqrt(len(values))
    print(f"| {who} | {what} | {fmean(values):.3f} ± {1.96 * error:.3f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=TRIES)
    tries = range(parser.parse_args().tries)
    print("| who | what they do | 1s and 5s in the first roll |")
    print("|--|--|--|")
    row("nobody", "nothing", (first_roll(secret(n), "a", "b", message(n)) for n in tries))
    best = max(scoring(secret(n)) for n in tries)
    row("operator", f"before there were seals of this kind: keeps the best of {len(tries):,} seeds", [best])

    # Everything is fixed before the message has its id, so the best that the operator can do is to guess it.
    guess = message(-1)
    chosen = max(tries, key=lambda n: first_roll(secret(n), f"word {n}", "b", guess))
    row(
        "operator",
        f"keeps the secret and word that are best for a guessed message, of {len(tries):,}",
        (first_roll(secret(chosen), f"word {chosen}", "b", message(n)) for n in tries),
    )
    chosen = max(tries, key=lambda n: first_roll(secret(-1), "a", f"word {n}", guess))
    row(
        "last player",
        f"keeps the word that is best for a guessed secret, of {len(tries):,}",
        (first_roll(secret(n), "a", f"word {chosen}", message(n)) for n in tries),
    )
    for posts in (2, 5):
        row(
            "operator",
            f"posts the opening message {posts} times, which all see, and keeps the best",
            (
                max(first_roll(secret(n), "a", "b", message(n * posts + post)) for post in range(posts))
                for n in range(len(tries) // posts)
            ),
        )
    row(
        "Discord and operator together",
        f"choose the message's id among {len(tries):,}",
        [max(first_roll(secret(1), "a", "b", message(n)) for n in tries)],
    )


if __name__ == "__main__":
    main()
