"""The real worker process with real pipes."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest

from bot.games.core import IllegalMove
from bot.games.tutto.cards import Card
from bot.games.tutto.state import Options, Phase, State
from bot.registry import find
from bot.screens.tutto.advice import calculator
from bot.services.thinking import Thinker
from tests.support.waiting import until

POSITION = State(
    Options(), (1000, 3000), phase=Phase.CHOOSE, card=Card.X2, roll=(1, 1, 2, 2, 2, 5), points=600
)


@pytest.fixture
async def thinker() -> AsyncIterator[Thinker]:
    thinker = Thinker(60.0)
    yield thinker
    await thinker.close()


def gone(pid: int) -> bool:
    """Whether a process has ended, even if its parent has not waited for it yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def processes(thinker: Thinker) -> list[int]:
    """The ids of the worker processes."""
    return [worker._process.pid for worker in thinker._workers if worker._process is not None]


async def test_every_policy_chooses_as_it_does_here(thinker: Thinker) -> None:
    for policy in find("tutto").policies.values():
        chosen = await thinker(policy.choose, POSITION, Random(7))
        assert chosen == policy.choose(POSITION, Random(7))
    assert await thinker(os.getpid) not in (os.getpid(), None)


async def test_calls_are_answered_in_order_by_one_process(thinker: Thinker) -> None:
    answers = await asyncio.gather(*(thinker(int, str(number)) for number in range(50)))
    assert answers == list(range(50))
    assert len(set(await asyncio.gather(*(thinker(os.getpid) for _ in range(5))))) == 1


async def test_errors_come_back_with_what_they_know(thinker: Thinker) -> None:
    with pytest.raises(IllegalMove) as caught:
        await thinker(calculator, "7")
    assert (caught.value.code, caught.value.facts) == ("error-odds-dice", {"most": 6})
    with pytest.raises(ValueError, match="invalid literal"):
        await thinker(int, "x")
    assert await thinker(int, "8") == 8


async def test_what_can_not_travel_is_called_in_a_thread(thinker: Thinker) -> None:
    here = threading.get_ident()
    assert await thinker(lambda: threading.get_ident()) != here
    assert processes(thinker) == []
    # Nor can this answer; the process lives on.
    with pytest.raises(TypeError, match="pickle"):
        await thinker(threading.Lock)
    assert await thinker(int, "8") == 8


async def test_printed_text_is_not_taken_for_an_answer(thinker: Thinker) -> None:
    await thinker(print, "not an answer")
    assert await thinker(os.write, 1, b"nor this") == 8
    assert await thinker(int, "8") == 8


async def test_a_process_that_dies_is_replaced(thinker: Thinker, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    first = await thinker(os.getpid)
    os.kill(first, signal.SIGKILL)
    assert await thinker(os.getpid) != first
    # Also in the middle of its work.
    task = asyncio.create_task(thinker(time.sleep, 0.5))
    await asyncio.sleep(0.2)
    (pid,) = processes(thinker)
    os.kill(pid, signal.SIGKILL)
    await task
    assert any("worker process has failed" in one.getMessage() for one in caplog.records)


async def test_without_a_process_there_is_a_thread(
    thinker: Thinker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert await thinker(os.getpid) == os.getpid()
    assert any("worker process has failed" in one.getMessage() for one in caplog.records)


async def test_what_takes_too_long_is_given_up() -> None:
    thinker = Thinker(60.0)
    try:
        await thinker(int, "1")
        thinker._most_seconds = 0.3
        with pytest.raises(TimeoutError):
            await thinker(time.sleep, 60)
        thinker._most_seconds = 60.0
        assert await thinker(int, "8") == 8
    finally:
        await thinker.close()


async def test_a_caller_that_gave_up_gets_no_answer_meant_for_another(thinker: Thinker) -> None:
    await thinker(int, "1")
    task = asyncio.create_task(thinker(str, "late"))
    await asyncio.sleep(0)
    task.cancel()
    assert await thinker(int, "8") == 8
    assert task.cancelled() or task.done()


async def test_a_caller_whose_process_hangs_gets_another_process() -> None:
    """That process stays, and the one that hung is not started again until it is needed."""
    thinker = Thinker(2.0, idle_seconds=0.4, most=2, patience_seconds=0.1)
    try:
        first = await thinker(os.getpid)
        hanging = asyncio.create_task(thinker(time.sleep, 60))
        await asyncio.sleep(0)
        start = time.monotonic()
        seconds = await asyncio.gather(*(thinker(os.getpid) for _ in range(20)))
        assert time.monotonic() - start < 1.9
        assert not hanging.done()
        (second,) = set(seconds)
        assert second != first
        with pytest.raises(TimeoutError):
            await hanging
        await until(lambda: gone(first), 20.0)
        for _ in range(5):
            third = await thinker(os.getpid)
            assert len(processes(thinker)) == 1
            await asyncio.sleep(0.15)
        # Processes that were idle for long enough have ended.
        assert len(thinker._workers) == 1
        await until(lambda: gone(third), 20.0)
        assert thinker._workers == thinker._idle == []
        assert await thinker(int, "8") == 8
    finally:
        await thinker.close()


async def test_there_are_never_more_processes_than_may_be() -> None:
    thinker = Thinker(60.0, most=2, patience_seconds=0.05)
    try:
        await asyncio.gather(*(thinker(time.sleep, 0.1) for _ in range(12)))
        assert len(processes(thinker)) == 2
        assert sorted(thinker._idle, key=id) == sorted(thinker._workers, key=id)
    finally:
        await thinker.close()


async def test_a_caller_that_gives_up_while_waiting_takes_no_process_away() -> None:
    """Even at the moment in which a process becomes free."""
    thinker = Thinker(60.0, most=2, patience_seconds=0.02)
    rng = Random(5)
    try:
        await thinker(int, "1")
        for _ in range(30):
            tasks = [asyncio.create_task(thinker(time.sleep, 0.005)) for _ in range(6)]
            await asyncio.sleep(rng.random() * 0.03)
            for task in rng.sample(tasks, 3):
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            assert len(thinker._idle) == len(thinker._workers) <= 2
            assert not any(not future.done() for future in thinker._waiting)
        assert await asyncio.gather(*(thinker(int, "8") for _ in range(5))) == [8] * 5
    finally:
        await thinker.close()


async def test_the_process_rests_when_there_is_nothing_to_do() -> None:
    thinker = Thinker(60.0, idle_seconds=0.2)
    try:
        first = await thinker(os.getpid)
        await until(lambda: gone(first), 20.0)
        assert await thinker(os.getpid) != first
    finally:
        await thinker.close()


async def test_it_is_warm_before_it_is_needed(thinker: Thinker) -> None:
    thinker.warm("bot.registry")
    thinker.warm("bot.registry")
    await until(lambda: processes(thinker) != [], 20.0)
    before = processes(thinker)
    assert await thinker(_loaded, "bot.registry")
    assert processes(thinker) == before


async def test_closing_ends_it_and_later_calls_go_to_a_thread() -> None:
    thinker = Thinker(60.0)
    first = await thinker(os.getpid)
    waiting = asyncio.create_task(thinker(_a_moment, 0.5))
    await asyncio.sleep(0.2)
    await thinker.close()
    await until(lambda: gone(first), 20.0)
    assert await waiting == os.getpid()
    assert await thinker(os.getpid) == os.getpid()
    await thinker.close()
    warming = Thinker(60.0)
    warming.warm("bot.registry")
    await warming.close()


def test_it_ends_with_the_bot_however_the_bot_ends() -> None:
    script = (
        "import asyncio, os, time\n"
        "from bot.services.thinking import Thinker\n"
        "async def main():\n"
        "    thinker = Thinker(60.0)\n"
        "    print(await thinker(os.getpid), flush=True)\n"
        "    await thinker(time.sleep, 1)\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    root = Path(__file__).parents[2]
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=root) as bot:
        assert bot.stdout is not None
        child = int(bot.stdout.readline())
        bot.kill()
        bot.wait()
    end = time.monotonic() + 20
    while not gone(child):
        assert time.monotonic() < end
        time.sleep(0.05)


def _loaded(name: str) -> bool:
    return name in sys.modules


def _a_moment(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()
