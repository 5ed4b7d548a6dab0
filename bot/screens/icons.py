"""What pictures are shown as where no application emoji stands in for them."""

from __future__ import annotations

TEXT_ICONS = {
    "die-1": "1️⃣",
    "die-2": "2️⃣",
    "die-3": "3️⃣",
    "die-4": "4️⃣",
    "die-5": "5️⃣",
    "die-6": "6️⃣",
    "card-bonus": "⭐",
    "card-cloverleaf": "🍀",
    "card-fireworks": "🎆",
    "card-plus-minus": "⚖️",
    "card-stop": "🛑",
    "card-straight": "📶",
    "card-x2": "✖️",
    "down": "⬇️",
    "game-tutto": "🎲",
    "skip": "⏩",
    "seat-ai": "🤖",
    "seat-human": "👤",
}
