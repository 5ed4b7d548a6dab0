"""Handling an interaction: once, acknowledged in time, and with a message whatever goes wrong."""

from __future__ import annotations

import asyncio
import inspect
import logging
import time
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar, overload

from bot.discordpy.acknowledging import seconds_to_ack, snowflake_seconds
from bot.discordpy.answer import Answer, Interaction
from bot.discordpy.errors import ALREADY_ACKNOWLEDGED
from bot.discordpy.rate_limits import RateLimits, cost_of
from bot.games.core import GameError
from bot.i18n.say import say
from bot.observability import context, metrics
from bot.screens.private import note
from bot.sessions.request import Echo, Refused, Stale
from bot.store.bounded import Bounded

MAX_SEEN = 1000
"""How many interaction ids to keep, to notice one that is delivered twice."""

Work: TypeAlias = Coroutine[object, object, None]
P = ParamSpec("P")
C = TypeVar("C")

_log = logging.getLogger(__name__)


class HandlingClient(Protocol):
    """The part of the client that handling uses."""

    seen: Bounded[int, None]
    """Ids of the latest interactions, so that one that is delivered twice is handled once."""
    running: set[asyncio.Future[None]]
    """The interactions that are being answered."""
    limits: RateLimits

    def learn_time(self, discord_id: int) -> None:
        """Learn the time from an id that Discord has just made."""
        ...

    async def carried_out(self, interaction_id: int) -> bool:
        """Return whether another process has changed a game as this interaction asks."""
        ...


async def handle(answer: Answer, work: Work) -> None:
    """Await ``work``, which answers; acknowledge in time if it takes long, and show errors privately.

    Does nothing if the interaction was delivered before, as can happen after a gateway resume.
    """
    client: HandlingClient = answer.interaction.client
    interaction_id = answer.interaction.id
    if interaction_id in client.seen:
        metrics.interactions[answer.is_command][metrics.REPEATED].inc()
        # Discord would have refused a second answer, so count it as refused.
        metrics.unseen_answers[ALREADY_ACKNOWLEDGED] += 1
        work.close()
        return
    client.seen[interaction_id] = None
    client.learn_time(interaction_id)
    start = time.perf_counter()
    if metrics.enabled():
        age = time.time() - snowflake_seconds(interaction_id)
        metrics.interaction_age_seconds.observe(max(0.0, age))
    context.interaction.set(interaction_id)
    context.guild.set(answer.interaction.guild_id)
    task = asyncio.current_task()
    assert task is not None
    client.running.add(task)
    # A timer costs next to nothing; the task that acknowledges exists only if it is needed.
    acknowledging: list[asyncio.Task[None]] = []
    timer = asyncio.get_running_loop().call_later(
        seconds_to_ack(interaction_id, time.time()),
        lambda: acknowledging.append(asyncio.create_task(answer.acknowledge())),
    )
    outcome = metrics.FAILED
    try:
        outcome = await _carry_out(answer, work)
        if answer.needs_message:
            await answer.private(note(say("done-already")))
        await answer.acknowledge()
        if acknowledging:
            # The timer's task may still be at it.
            await acknowledging[0]
    finally:
        timer.cancel()
        for unfinished in acknowledging:
            unfinished.cancel()
        client.running.discard(task)
        answer.settle()
        if metrics.enabled():
            metrics.interactions[answer.is_command][outcome].inc()
            if not answer.is_command:
                metrics.click_seconds.observe(time.perf_counter() - start)


async def _carry_out(answer: Answer, work: Work) -> str:
    """Do what is asked for, within the limits of the person and the server. Return how that ended.

    Moves cost nothing, but after too many refused ones a person has to wait.
    """
    interaction = answer.interaction
    limits: RateLimits = interaction.client.limits
    cost = 1 if answer.is_command else cost_of(answer.custom_id)
    try:
        if cost:
            limits.spend(interaction.user.id, interaction.guild_id, cost)
        else:
            limits.check_misses(interaction.user.id, interaction.guild_id)
    except Refused as refused:
        work.close()
        await answer.refuse(note(say(refused.code, **refused.facts)))
        return metrics.REFUSED
    outcome = await _await_and_explain(answer, work)
    if not cost and outcome in (metrics.REFUSED, metrics.STALE):
        limits.missed(interaction.user.id, interaction.guild_id)
    return outcome


async def _await_and_explain(answer: Answer, work: Work) -> str:
    """Await ``work``, and show the person its errors. Return how it ended, for the metrics."""
    try:
        try:
            await work
        except (Refused, GameError):
            # While a process replaces another, both get each interaction; the slower one refuses it.
            if await answer.interaction.client.carried_out(answer.interaction.id):
                raise Echo from None
            raise
    except Echo:
        return metrics.ECHO
    except (Refused, GameError) as error:
        await answer.refuse(note(say(error.code, **error.facts)))
        return metrics.STALE if isinstance(error, Stale) else metrics.REFUSED
    except Exception:
        _log.exception("Interaction %s has failed", answer.interaction.id)
        await answer.private(note(say("error-internal")))
        return metrics.FAILED
    return answer.outcome


@overload
def answered(  # type: ignore[overload-overlap]
    work: Callable[Concatenate[Answer, P], Work],
) -> Callable[Concatenate[Interaction, P], Work]: ...


@overload
def answered(
    work: Callable[Concatenate[C, Answer, P], Work],
) -> Callable[Concatenate[C, Interaction, P], Work]: ...


def answered(work: Callable[..., Work]) -> Callable[..., Work]:
    """Turn a function with a parameter ``answer`` into the callback of a command.

    The callback takes the interaction in place of the answer; the other parameters stay. :func:`handle`
    shows the errors that the function raises.
    """
    # discord.py evaluates the annotations of a callback, and would look for their names in this module.
    signature = inspect.signature(work, eval_str=True)
    place = list(signature.parameters).index("answer")

    @wraps(work)
    async def callback(*args: Any, **kwargs: object) -> None:
        answer = Answer(args[place])
        await handle(answer, work(*args[:place], answer, *args[place + 1 :], **kwargs))

    callback.__signature__ = signature  # type: ignore[attr-defined]
    return callback
