"""A result is posted once."""

from __future__ import annotations

from typing import Any, cast

import pytest

from bot.discordpy.answer import Answer
from bot.discordpy.sharing import Shares
from bot.i18n.say import say
from bot.screens.model import Screen
from bot.screens.private import note
from bot.sessions.request import Echo, Refused

ANN, BEN, DAY = 1, 2, 100
POSTED, AFTERWARDS = note(say("done-already")), note(say("error-host-only"))


def test_a_result_is_posted_once_in_a_channel(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = Shares()
    assert shares.take((ANN, DAY, 1))
    assert not shares.take((ANN, DAY, 1))
    assert shares.take((ANN, DAY, 2))
    shares.give_back((ANN, DAY, 1))
    assert shares.take((ANN, DAY, 1))
    monkeypatch.setattr("bot.discordpy.sharing.MAX_SHARES", 1)
    shares = Shares()
    assert shares.take((ANN, DAY, 2))
    shares.take((BEN, DAY, 1))
    assert shares.take((ANN, DAY, 2))


class Discord:
    """Notes how a click is answered.

    ``accepts`` says whether the channel takes what is posted, ``elsewhere`` whether another process posts it.
    """

    def __init__(self, accepts: bool, *, elsewhere: bool = False) -> None:
        self.accepts = accepts
        self.elsewhere = elsewhere
        self.answers: list[Any] = []

    async def claim(self) -> None:
        if self.elsewhere:
            raise Echo

    async def acknowledge(self) -> None:
        self.answers.append("acknowledged")

    async def public(self, screen: Screen, files: dict[str, bytes]) -> bool:
        self.answers.append(screen)
        return self.accepts

    async def turn_page(self, screen: Screen) -> None:
        self.answers.append(screen)

    async def private(self, screen: Screen) -> None:
        self.answers.append(screen)


async def post(shares: Shares, *, accepts: bool, elsewhere: bool = False) -> list[Any]:
    there = Discord(accepts, elsewhere=elsewhere)

    async def afterwards() -> Screen:
        return AFTERWARDS

    await shares.post(cast(Answer, there), ANN, POSTED, afterwards)
    return there.answers


async def test_a_result_that_could_not_be_posted_can_be_shared_again() -> None:
    shares = Shares()
    refused = note(say("error-daily-not-shared"))
    assert await post(shares, accepts=False) == ["acknowledged", POSTED, refused]
    assert await post(shares, accepts=True) == ["acknowledged", POSTED, AFTERWARDS]
    with pytest.raises(Refused, match="error-daily-shared"):
        await post(shares, accepts=True)


async def test_a_result_that_another_process_posts_is_not_posted_here() -> None:
    with pytest.raises(Echo):
        await post(Shares(), accepts=True, elsewhere=True)
