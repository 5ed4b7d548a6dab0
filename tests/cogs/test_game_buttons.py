"""Which function handles which button of a game."""

from __future__ import annotations

import pytest

from bot.screens import button_ids
from bot.screens.button_ids import is_shared
from cogs.game_buttons import FAMILIES, HANDLERS, handler_of, move

OWN = [token for token in map(chr, range(0x21, 0x7F)) if token not in (button_ids.FAIR, button_ids.TO_BOTTOM)]


@pytest.mark.parametrize("token", [*HANDLERS, *(beginning + "1" for beginning, _ in FAMILIES)])
def test_what_is_handled_for_all_games_has_a_token_that_they_share(token: str) -> None:
    assert is_shared(token)
    assert handler_of(token) is not move


@pytest.mark.parametrize("token", [*OWN, "k1.5", "bb", "fair", "bg.odds"])
def test_any_other_token_is_a_move(token: str) -> None:
    assert not is_shared(token)
    assert handler_of(token) is move
