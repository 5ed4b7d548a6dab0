"""What pictures are shown as where no application emoji stands in for them."""

from __future__ import annotations

_DICE = {
    f"die-{face}": f"{face}\N{VARIATION SELECTOR-16}\N{COMBINING ENCLOSING KEYCAP}" for face in range(1, 7)
}

TEXT_ICONS = {
    **_DICE,
    **{f"{name}-kept": f"✓{text}" for name, text in _DICE.items()},
    **{f"{name}-off": f"✗{text}" for name, text in _DICE.items()},
    # As code, a number or a star stands in a small frame: something is to be put there.
    **{f"box-{face}": f"`{face}`" for face in range(1, 7)},
    "box-star": "`★`",
    "box-star-a": "`A`",
    "box-star-b": "`B`",
    **{f"next-{face}": f"▸`{face}`" for face in range(1, 7)},
    "next-star": "▸`★`",
    "next-star-a": "▸`A`",
    "next-star-b": "▸`B`",
    "card-bonus": "⭐",
    "card-cloverleaf": "🍀",
    "card-fireworks": "🎆",
    "card-plus-minus": "⚖️",
    "card-stop": "🛑",
    "card-straight": "📶",
    "card-x2": "✖️",
    "down": "⬇️",
    "game-gambler": "🎰",
    "game-tutto": "🎲",
    "odds": "🎯",
    "review": "🎓",
    "row-costs": "⬛",
    "row-pays": "🟨",
    "skip": "⏩",
    "seat-ai": "🤖",
    "seat-human": "👤",
}
