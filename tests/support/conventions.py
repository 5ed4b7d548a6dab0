"""The catalogue keys that follow from a game's entry; docs/adding-a-game.md lists them."""

from __future__ import annotations

from collections.abc import Iterator

from bot.games.options import Choice, Flag, Number, declared, value_key
from bot.screens.entry import Entry


def keys_of(entry: Entry) -> Iterator[str]:
    """Yield every key that follows from a game's options, endings, levels, feats and rules pages."""
    game = entry.rules.key
    yield from (f"{game}-name", f"{game}-goal", f"cmd-{game}", f"cmd-{game}-menu", f"cmd-{game}-start")
    for reason in entry.rules.endings:
        yield from (f"end-won-{reason}", f"chart-won-{reason}")
    for topic in entry.screen.topics:
        yield from (f"{game}-rules-{topic}", f"{game}-rules-{topic}-title")
    for level in entry.policies:
        yield f"ai-{level}"
    for feat in entry.counted:
        yield f"{game}-sum-{feat}"
    if entry.feat:
        yield from (f"{game}-sort-{entry.feat}", f"{game}-record-feat")
    yield from _keys_of_options(entry)


def _keys_of_options(entry: Entry) -> Iterator[str]:
    game = entry.rules.key
    for name, option in declared(entry.rules.options_type).items():
        yield from (f"name-{name}", f"error-{name}", f"cmd-{game}-start-{name}")
        match option:
            case Choice(values=values):
                for value in values:
                    yield from (f"choice-{value}", value_key(game, name, value))
            case Flag(added=added):
                # The lobby says of one that was added only that it is on.
                told = (True,) if added else (True, False)
                yield from (value_key(game, name, value) for value in told)
            case Number():
                pass
        if option.setting:
            key = f"settings-{option.setting.replace('_', '-')}"
            yield from (key, f"{key}-what")
            if isinstance(option, Number):
                yield f"{key}-value"
