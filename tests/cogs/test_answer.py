"""The answer to an interaction, with a stand-in for Discord that records the calls."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Sequence
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import discord
import pytest

from bot.discordpy import acknowledging, handling
from bot.discordpy import answer as answer_module
from bot.discordpy.answer import Answer
from bot.discordpy.components import NO_MENTIONS, render
from bot.discordpy.errors import ALREADY_ACKNOWLEDGED, UNKNOWN_INTERACTION
from bot.discordpy.fallbacks import attempts
from bot.discordpy.fast_response import EPHEMERAL, FLAGS
from bot.discordpy.handling import handle
from bot.games.core import IllegalMove
from bot.i18n.catalogue import Catalogue
from bot.i18n.say import say
from bot.observability import metrics
from bot.registry import TEXT_ICONS
from bot.screens.model import File, Form, Screen
from bot.screens.private import note
from bot.services.jobs import WorkQueue
from bot.sessions.request import Echo, Refused, Stale
from bot.store.bounded import Bounded
from bot.store.guild_settings import GuildSettings


class Response:
    """Takes one answer, as Discord does. The first calls raise ``failures``, or all of them ``failure``."""

    def __init__(self, failure: Exception | None = None, failures: Sequence[Exception] = ()) -> None:
        self.calls: list[str] = []
        self.given: list[dict[str, Any]] = []
        """What each call asked for, also of those that failed."""
        self.failure = failure
        self.failures = list(failures)

    @property
    def type(self) -> discord.InteractionResponseType | None:
        if not self.calls:
            return None
        kinds = discord.InteractionResponseType
        by_call = {"form": kinds.modal, "send": kinds.channel_message}
        return by_call.get(self.calls[0], kinds.deferred_message_update)

    def is_done(self) -> bool:
        return bool(self.calls)

    async def defer(self, **given: Any) -> None:
        await self._call("defer", given)

    async def send_message(self, **given: Any) -> Any:
        await self._call("send", given)
        return SimpleNamespace(message_id=1)

    async def edit_message(self, **given: Any) -> None:
        await self._call("edit", given)

    async def _call(self, name: str, given: dict[str, Any]) -> None:
        self.given.append(given)
        if self.failures:
            raise self.failures.pop(0)
        if self.failure is not None:
            raise self.failure
        self.calls.append(name)
        await asyncio.sleep(0)


class Followup:
    def __init__(self) -> None:
        self.sent = 0
        self.given: list[dict[str, Any]] = []
        self.failures: list[Exception] = []

    async def send(self, **given: Any) -> Any:
        self.sent += 1
        self.given.append(given)
        if self.failures:
            raise self.failures.pop(0)
        return SimpleNamespace(id=2)


async def _carried_out(interaction_id: int) -> bool:
    return interaction_id in _elsewhere


async def _claim(interaction_id: int) -> bool:
    return interaction_id not in _elsewhere


_client = SimpleNamespace(
    seen=Bounded(1000),
    running=set(),
    deletions=WorkQueue[Answer]("delete refusal", Answer.delete, failure="%s"),
    learn_time=lambda discord_id: _heard.append(discord_id),
    carried_out=_carried_out,
    claim=_claim,
    limits=SimpleNamespace(
        spend=lambda *spent: None, check_misses=lambda *who: None, missed=lambda *who: None
    ),
    catalogue=Catalogue(TEXT_ICONS),
    servers=SimpleNamespace(of=lambda guild_id: GuildSettings()),
    app_emojis=SimpleNamespace(report_refused=lambda: _refused_emojis.append(None)),
)
_refused_emojis: list[None] = []
_heard: list[int] = []
_elsewhere: set[int] = set()
"""Interactions that another process has carried out."""

SCREEN = note(say("error-host-only"))
FILES = {"record.json": b"{}"}
WITH_FILE = Screen((File("record.json"),))


def an_answer(
    number: int, failure: Exception | None = None, failures: Sequence[Exception] = ()
) -> tuple[Answer, Response, Followup]:
    response, followup = Response(failure, failures), Followup()
    interaction: Any = SimpleNamespace(
        id=number,
        type=discord.InteractionType.component,
        client=_client,
        response=response,
        followup=followup,
        data=None,
        user=SimpleNamespace(id=7),
        locale=discord.Locale.german,
        guild_locale=None,
        guild_id=10,
    )
    return Answer(interaction), response, followup


async def work(raised: Exception | None = None) -> None:
    """Stand in for what an interaction asks for."""
    if raised is not None:
        raise raised


def clicked(**given: Any) -> Answer:
    """An answer to a click, with these parts of its interaction."""
    result, *_ = an_answer(1)
    usual = {
        "channel_id": 100,
        "user": SimpleNamespace(id=7, name="anna", display_name="Anna"),
        "data": None,
        "permissions": discord.Permissions(manage_messages=True),
    }
    for name, value in (usual | given).items():
        setattr(result.interaction, name, value)
    return Answer(result.interaction)


@pytest.mark.parametrize(
    ("own", "guild", "ephemeral", "private", "shared", "page"),
    [
        (discord.Locale.german, discord.Locale.french, True, "de", "fr", "de"),
        (discord.Locale.german, discord.Locale.french, False, "de", "fr", "fr"),
        (discord.Locale.german, "it", None, "de", "it", "it"),
        (discord.Locale.korean, discord.Locale.french, True, "fr", "fr", "fr"),
        (discord.Locale.korean, None, True, "en", "en", "en"),
    ],
)
def test_a_page_is_in_the_language_of_its_reader(
    own: Any, guild: Any, ephemeral: bool | None, private: str, shared: str, page: str
) -> None:
    data = {} if ephemeral is None else {"message": {"id": "5", "flags": FLAGS | EPHEMERAL * ephemeral}}
    found = clicked(locale=own, guild_locale=guild, data=data)
    languages = (found.private_locale, found.shared_locale, found.page_locale)
    assert tuple(language[:2] for language in languages) == (private, shared, page)


def test_what_was_clicked_and_entered() -> None:
    field = {"type": 18, "component": {"type": 3, "custom_id": "x", "values": ["1", "2"]}}
    found = clicked(data={"custom_id": "a:b", "components": [field]})
    assert (found.custom_id, found.entered) == ("a:b", {"x": ("1", "2")})
    assert (clicked().custom_id, clicked().entered) == ("", {})
    assert clicked(data={"custom_id": "menu", "values": ["line"]}).custom_id == "line"
    assert clicked(data={"message": {"id": "5", "flags": FLAGS}}).message_id == 5
    assert clicked().message_id is None


def test_a_click_is_made_in_a_channel_of_a_server() -> None:
    click = clicked().click()
    assert (click.user_id, click.name, click.guild_id, click.channel_id) == (7, "Anna", 10, 100)
    assert click.may_manage
    for place in ("guild_id", "channel_id"):
        with pytest.raises(Refused) as refused:
            clicked(**{place: None}).click()
        assert refused.value.code == "error-guild-only"


@pytest.fixture(autouse=True)
def _messages_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    async def send_private(interaction: Any, components: Any) -> None:
        await interaction.response.send_message(components=components, ephemeral=True)

    monkeypatch.setattr(answer_module, "send_private", send_private)


@pytest.fixture(autouse=True)
def _nothing_taken() -> None:
    _client.seen.clear()
    _client.running.clear()
    _heard.clear()


@pytest.mark.parametrize("answered", [True, False])
async def test_a_handled_click_takes_no_first_answer_unless_it_has_none(answered: bool) -> None:
    answer, response, followup = an_answer(1)
    if answered:
        await answer.private(SCREEN)
    answer.settle()
    response.calls.clear()  # the library makes a new response
    await answer.private(SCREEN)
    assert (response.calls, followup.sent) == (([], 1) if answered else (["send"], 0))


async def test_clicks_that_wait_for_the_lock_are_acknowledged_while_they_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Eight clicks, the first of which never ends: no interaction fails, and none is answered twice."""
    monkeypatch.setattr(acknowledging, "ACK_SECONDS", 0.01)
    lock, go, done = asyncio.Lock(), asyncio.Event(), []

    async def work(number: int) -> None:
        async with lock:
            await go.wait()
            done.append(number)

    made = [an_answer(number) for number in range(8)]
    tasks = [asyncio.create_task(handle(one, work(number))) for number, (one, _, _) in enumerate(made)]
    await asyncio.sleep(0.1)
    assert [response.calls for _, response, _ in made] == [["defer"]] * 8
    assert done == []
    go.set()
    await asyncio.gather(*tasks)
    assert done == list(range(8))
    assert [response.calls for _, response, _ in made] == [["defer"]] * 8


async def test_a_click_that_is_cancelled_leaves_no_acknowledgement_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As at a stop, when Discord takes long: it would fail later, when the connection is closed."""
    monkeypatch.setattr(acknowledging, "ACK_SECONDS", 0.01)
    one, response, _ = an_answer(1)
    monkeypatch.setattr(response, "defer", asyncio.Event().wait)
    click = asyncio.create_task(handle(one, asyncio.sleep(60)))
    await asyncio.sleep(0.05)
    assert len(asyncio.all_tasks()) == 3
    click.cancel()
    await asyncio.sleep(0.01)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_one_of_two_processes_that_get_a_click_claims_it(monkeypatch: pytest.MonkeyPatch) -> None:
    one, *_ = an_answer(1)
    await one.claim()
    monkeypatch.setattr(_client, "claim", lambda number: asyncio.sleep(0, number != 1))
    with pytest.raises(Echo):
        await one.claim()


async def test_a_click_that_another_process_has_carried_out_is_not_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """While one process replaces another both get each click, and the later one finds it done."""
    monkeypatch.setattr("tests.cogs.test_answer._elsewhere", {1})
    calls = {}
    for number in (1, 2):
        one, response, _ = an_answer(number)
        await handle(one, work(Refused("error-rematch-taken")))
        calls[number] = response.calls
    assert [calls[1], calls[2]] == [["defer"], ["send"]]


async def test_words_after_a_late_acknowledgement_go_into_a_followup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acknowledging, "ACK_SECONDS", 0.01)
    one, response, followup = an_answer(1)

    async def work() -> None:
        await asyncio.sleep(0.05)
        raise Refused("error-not-your-turn")

    await handle(one, work())
    assert (response.calls, followup.sent) == (["defer"], 1)


@pytest.mark.parametrize(
    ("raised", "calls"), [(None, ["defer"]), (Echo(), ["defer"]), (Refused("error-host-only"), ["send"])]
)
async def test_one_answer_whatever_happens(raised: Exception | None, calls: list[str]) -> None:
    one, response, followup = an_answer(1)
    await handle(one, work(raised))
    assert (response.calls, followup.sent) == (calls, 0)


async def test_private_and_quiet_at_once_are_one_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The acknowledgement that has become due and the real answer meet: one of them becomes a followup."""
    monkeypatch.setattr(acknowledging, "ACK_SECONDS", 0.0)
    one, response, followup = an_answer(1)

    async def work() -> None:
        await one.private(note(say("error-host-only")))

    await handle(one, work())
    assert len(response.calls) == 1
    assert followup.sent == (1 if response.calls == ["defer"] else 0)


def a_command(
    one: Answer, *, loading: bool, ephemeral: bool = True, failure: Exception | None = None
) -> list[dict[str, Any]]:
    """Make it the answer to a command for which Discord shows a message; return what each edit asks for.

    With ``failure`` Discord does not say what it shows.
    """
    edited: list[dict[str, Any]] = []

    async def original_response() -> Any:
        if failure is not None:
            raise failure
        return SimpleNamespace(id=1, flags=SimpleNamespace(loading=loading, ephemeral=ephemeral))

    async def edit_original_response(**given: Any) -> None:
        edited.append(given)

    interaction: Any = one.interaction
    one.is_command = True
    interaction.original_response = original_response
    interaction.edit_original_response = edit_original_response
    return edited


def refusal(status: int, code: int) -> discord.HTTPException:
    response: Any = SimpleNamespace(status=status, reason="")
    return discord.HTTPException(response, {"code": code, "message": ""})


async def test_an_answer_that_reached_discord_though_it_seemed_refused_is_replaced() -> None:
    """The command may show "thinking…", which the next message must replace."""
    one, response, followup = an_answer(1, failures=[refusal(400, ALREADY_ACKNOWLEDGED)])
    edited = a_command(one, loading=True)

    async def work() -> None:
        await one.acknowledge()
        await one.private(note(say("error-host-only")))

    await handle(one, work())
    assert (response.calls, followup.sent, len(edited)) == ([], 0, 1)


@pytest.mark.parametrize("failure", [OSError(), refusal(500, 0)])
async def test_an_announcement_of_which_nothing_is_known_is_replaced(failure: Exception) -> None:
    one, response, _ = an_answer(1, failures=[OSError(), refusal(400, ALREADY_ACKNOWLEDGED)])
    edited = a_command(one, loading=True, failure=failure)

    async def work() -> None:
        await one.acknowledge()
        await one.private(note(say("error-host-only")))

    await handle(one, work())
    assert (response.calls, len(edited)) == ([], 1)


async def test_an_announcement_that_a_page_for_all_meets_is_replaced() -> None:
    one, response, followup = an_answer(1, failures=[refusal(400, ALREADY_ACKNOWLEDGED)])
    edited = a_command(one, loading=True)
    await one.page(note(say("error-host-only")))
    assert (response.calls, followup.sent, len(edited)) == ([], 0, 1)


@pytest.mark.parametrize(
    ("failure", "sent"), [(OSError(), 1), (refusal(503, 0), 1), (refusal(403, 50013), 2)]
)
@pytest.mark.parametrize("shared", [True, False])
async def test_a_further_message_is_sent_again_only_if_it_was_refused_for_certain(
    failure: Exception, sent: int, shared: bool
) -> None:
    one, response, followup = an_answer(1)
    await one.acknowledge()
    followup.failures = [failure]
    screen = note(say("error-host-only"))
    await (one.public(screen, {}) if shared else one.private(screen))
    assert (response.calls, followup.sent) == (["defer"], sent)


@pytest.mark.parametrize("failure", [None, OSError()])
async def test_an_answer_that_another_process_has_given_is_left_alone(failure: Exception | None) -> None:
    """It may be a table, so it is left alone even if Discord does not say what it is."""
    one, response, followup = an_answer(1, failures=[refusal(400, ALREADY_ACKNOWLEDGED)])
    edited = a_command(one, loading=False, failure=failure)
    await handle(one, work(Echo()))
    assert (response.calls, followup.sent, edited) == ([], 0, [])


@pytest.mark.parametrize(
    ("loading", "ephemeral", "made"), [(False, False, 1), (True, False, None), (False, True, None)]
)
async def test_only_a_message_for_all_is_taken_for_the_table_that_was_posted(
    loading: bool, ephemeral: bool, made: int | None
) -> None:
    """Discord has not confirmed the post. The "thinking…" message is no table."""
    one, _, _ = an_answer(1, failures=[OSError()])
    a_command(one, loading=loading, ephemeral=ephemeral)
    board = render(note(say("error-host-only")), _client.catalogue, "en-US")
    assert await one.post(board, NO_MENTIONS) == made
    assert one.posted is (made is not None)


async def test_words_after_an_acknowledgement_that_seemed_refused_are_said() -> None:
    one, response, followup = an_answer(1, failures=[refusal(400, ALREADY_ACKNOWLEDGED)])

    async def work() -> None:
        await one.acknowledge()
        raise Refused("error-not-your-turn")

    await handle(one, work())
    assert (response.calls, followup.sent) == ([], 1)


async def test_a_command_that_was_done_before_says_so() -> None:
    """Its step is stored, and the process that handled it has died."""
    one, response, _ = an_answer(1)
    a_command(one, loading=False)
    await handle(one, work(Echo()))
    assert response.calls == ["send"]


async def test_an_interaction_delivered_twice_is_worked_on_once() -> None:
    worked = []
    before = metrics.unseen_answers[ALREADY_ACKNOWLEDGED]

    async def work() -> None:
        worked.append(1)

    for _ in range(2):
        one, response, _ = an_answer(7)
        await handle(one, work())
    assert worked == [1]
    assert response.calls == []
    assert _heard == [7]
    assert metrics.unseen_answers[ALREADY_ACKNOWLEDGED] == before + 1


async def test_an_answer_that_fails_is_counted_and_no_error(expected_errors: list[str]) -> None:
    interaction = cast(discord.Interaction, SimpleNamespace(type=None))
    failures = (discord.InteractionResponded(interaction), OSError(), TimeoutError())
    for number, failure in enumerate(failures):
        one, _, _ = an_answer(number, failure)
        await handle(one, work(Refused("error-host-only")))
    assert expected_errors == []


async def test_only_the_clicker_sees_that_a_command_is_worked_on() -> None:
    one, response, _ = an_answer(1)
    a_command(one, loading=True)
    await one.acknowledge()
    assert response.given == [{"ephemeral": True, "thinking": True}]


@pytest.mark.parametrize("deferred", [False, True])
async def test_private_words_and_files_are_for_the_clicker_only(deferred: bool) -> None:
    one, response, followup = an_answer(1)
    if deferred:
        await one.acknowledge()
    assert await one.private(WITH_FILE, files=FILES)
    given = (followup if deferred else response).given[-1]
    assert given["ephemeral"] is True
    assert [file.filename for file in given["files"]] == ["record.json"]


async def test_files_replace_an_announcement() -> None:
    one, _, _ = an_answer(1)
    replaced = a_command(one, loading=True)
    await one.acknowledge()
    assert await one.private(WITH_FILE, files=FILES)
    assert [file.filename for given in replaced for file in given["attachments"]] == ["record.json"]


@pytest.mark.parametrize(
    ("failures", "accepted"),
    [
        ([], True),
        ([refusal(400, 50035)], True),
        ([refusal(400, 50035)] * 3, False),
        ([refusal(404, UNKNOWN_INTERACTION)], False),
    ],
)
async def test_a_private_message_says_whether_it_was_accepted(
    failures: list[Exception], accepted: bool
) -> None:
    one, _, _ = an_answer(1, failures=failures)
    assert await one.private(SCREEN) is accepted


@pytest.mark.parametrize(
    ("status", "sent"), [(399, 1), (400, 2), (403, 2), (499, 2), (500, 1), (503, 1), (0, 1)]
)
async def test_only_an_error_of_the_request_is_a_refusal_for_certain(status: int, sent: int) -> None:
    one, _, followup = an_answer(1)
    await one.acknowledge()
    followup.failures = [refusal(status, 0)]
    assert await one.private(SCREEN) is (sent == 2)
    assert followup.sent == sent


@pytest.mark.parametrize("before", ["nothing", "a refused acknowledgement", "an acknowledgement"])
async def test_an_edit_takes_no_longer_than_it_may(monkeypatch: pytest.MonkeyPatch, before: str) -> None:
    monkeypatch.setattr(answer_module, "ATTEMPT_SECONDS", 0.02)
    one, response, _ = an_answer(1)

    async def forever(*given: object, **shown: object) -> None:
        await asyncio.sleep(1000)

    async def slow(**given: Any) -> None:
        await asyncio.sleep(0.01)
        if before == "an acknowledgement":
            response.calls.append("defer")

    acknowledging = None
    if before != "nothing":
        monkeypatch.setattr(response, "defer", slow)
        monkeypatch.setattr(answer_module, "ACK_TRIES", 1)
        acknowledging = asyncio.create_task(one.acknowledge())
        await asyncio.sleep(0)
    monkeypatch.setattr(answer_module, "edit_clicked", forever)
    monkeypatch.setattr(one.interaction, "edit_original_response", forever, raising=False)
    usual = 0.2 if before == "an acknowledgement" else 1000.0
    async with asyncio.timeout(5):
        with pytest.raises(TimeoutError):
            await one.edit(render(SCREEN, _client.catalogue, "en-US"), seconds=usual)
        if acknowledging is not None:
            await acknowledging


async def test_an_edit_after_a_refused_acknowledgement_has_its_own_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What it waited for the acknowledgement does not count."""
    monkeypatch.setattr(answer_module, "ATTEMPT_SECONDS", 5.0)
    monkeypatch.setattr(answer_module, "ACK_TRIES", 1)
    one, response, _ = an_answer(1)
    acknowledged, edited = asyncio.Event(), list[object]()

    async def refused(**given: Any) -> None:
        await acknowledged.wait()
        raise refusal(400, 50035)

    async def edit_clicked(interaction: object, components: object) -> None:
        edited.append(components)
        await asyncio.sleep(0)

    monkeypatch.setattr(response, "defer", refused)
    monkeypatch.setattr(answer_module, "edit_clicked", edit_clicked)
    acknowledging = asyncio.create_task(one.acknowledge())
    await asyncio.sleep(0)
    editing = asyncio.create_task(one.edit(render(SCREEN, _client.catalogue, "en-US"), seconds=60.0))
    await asyncio.sleep(0)
    acknowledged.set()
    await asyncio.gather(acknowledging, editing)
    assert len(edited) == 1


async def test_an_edit_after_an_acknowledgement_may_take_longer_than_a_first_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both the wait for the acknowledgement and the edits take longer here."""
    monkeypatch.setattr(answer_module, "ATTEMPT_SECONDS", 0.02)
    one, response, _ = an_answer(1)
    edited = a_command(one, loading=False)
    one.is_command = False
    edit_original_response = one.interaction.edit_original_response

    async def defer(**given: Any) -> None:
        await asyncio.sleep(0.06)
        response.calls.append("defer")

    async def edit(**given: Any) -> None:
        await asyncio.sleep(0.06)
        await edit_original_response(**given)

    monkeypatch.setattr(response, "defer", defer)
    monkeypatch.setattr(one.interaction, "edit_original_response", edit)
    acknowledging = asyncio.create_task(one.acknowledge())
    await asyncio.sleep(0)
    for times in (1, 2):
        await one.edit(render(SCREEN, _client.catalogue, "en-US"), seconds=60.0)
        assert len(edited) == times
    await acknowledging


@pytest.mark.parametrize("answered", [False, True])
async def test_a_page_is_turned_by_the_click_or_after_its_acknowledgement(answered: bool) -> None:
    one, response, followup = an_answer(1)
    edited = a_command(one, loading=False)
    one.is_command = False
    if answered:
        await one.acknowledge()
    assert await one.turn_page(WITH_FILE, FILES)
    given = edited if answered else response.given
    assert [file.filename for file in given[-1]["attachments"]] == ["record.json"]
    assert response.calls == ["defer" if answered else "edit"]
    assert followup.sent == 0


async def test_a_page_that_is_refused_in_every_form_becomes_a_message() -> None:
    before = metrics.unseen_answers[50035]
    one, response, _ = an_answer(1, failures=[refusal(400, 50035)] * 2)
    assert not await one.turn_page(SCREEN)
    assert response.calls == ["send"]
    assert metrics.unseen_answers[50035] == before + 2


@pytest.mark.parametrize(("refused", "accepted"), [(0, True), (1, True), (2, False)])
async def test_a_message_for_all_says_whether_it_was_accepted(refused: int, accepted: bool) -> None:
    one, _, followup = an_answer(1)
    await one.acknowledge()
    followup.failures = [refusal(403, 50013)] * refused
    assert await one.public(WITH_FILE, FILES) is accepted
    assert [given["ephemeral"] for given in followup.given] == [False] * min(refused + 1, 2)


@pytest.mark.parametrize("code", [UNKNOWN_INTERACTION, ALREADY_ACKNOWLEDGED])
async def test_a_page_that_comes_too_late_is_counted_once_and_left(code: int) -> None:
    before = metrics.unseen_answers[code]
    one, response, followup = an_answer(1, failures=[refusal(404, code)])
    assert not await one.turn_page(SCREEN)
    assert (response.calls, followup.sent) == ([], 0)
    assert metrics.unseen_answers[code] == before + 1


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (refusal(400, 50035), 50035),
        (discord.InteractionResponded(cast("Any", SimpleNamespace(type=None))), ALREADY_ACKNOWLEDGED),
        (OSError(), None),
    ],
)
async def test_refused_answers_are_counted_by_their_code(failure: Exception, code: int | None) -> None:
    before = metrics.unseen_answers.copy()
    one, _, _ = an_answer(1, failures=[failure])
    await one.private(SCREEN)
    counted = {key: count - before[key] for key, count in metrics.unseen_answers.items()}
    assert {key: count for key, count in counted.items() if count} == ({} if code is None else {code: 1})


@pytest.mark.parametrize("below", [False, True])
async def test_a_refused_further_message_is_counted_by_its_code(below: bool) -> None:
    one, _, followup = an_answer(1)
    await one.acknowledge()
    followup.failures = [refusal(403, 50013)]
    before = metrics.unseen_answers[50013]
    if below:
        await one.post_below(render(SCREEN, _client.catalogue, "en-US"), NO_MENTIONS)
    else:
        await one.private(SCREEN)
    assert metrics.unseen_answers[50013] == before + 1


async def test_after_words_in_place_of_a_refused_page_more_can_be_said() -> None:
    forms = sum(1 for _ in attempts(SCREEN, None, _client.catalogue))
    one, response, followup = an_answer(1, failures=[refusal(400, 50035)] * forms)
    assert not await one.private(SCREEN)
    assert (response.calls, one.posted) == (["send"], False)
    assert await one.private(SCREEN)
    assert followup.sent == 1


async def test_after_discord_takes_no_more_nothing_is_sent() -> None:
    one, response, followup = an_answer(1, failures=[refusal(404, UNKNOWN_INTERACTION)])
    assert not await one.private(SCREEN)
    assert not await one.private(SCREEN)
    await one.acknowledge()
    assert (len(response.given), followup.sent) == (1, 0)


@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize(("words", "about"), [("Invalid emoji", True), ("Too long", False)])
async def test_an_emoji_that_discord_refuses_is_reported(words: str, about: bool, private: bool) -> None:
    response: Any = SimpleNamespace(status=400, reason="")
    failure = discord.HTTPException(response, {"code": 50035, "message": words})
    one, _, _ = an_answer(1, failures=[failure])
    _refused_emojis.clear()
    if private:
        await one.private(SCREEN)
    else:
        a_command(one, loading=True)
        assert await one.post(render(SCREEN, _client.catalogue, "en-US"), NO_MENTIONS) is None
    assert (one.refused_emoji, len(_refused_emojis)) == (about, int(about))


async def test_an_announcement_that_is_gone_is_not_edited() -> None:
    """Discord says that there is no message; so what follows is one of its own."""
    one, response, followup = an_answer(1, failures=[refusal(400, ALREADY_ACKNOWLEDGED)])
    missing: Any = SimpleNamespace(status=404, reason="")
    edited = a_command(one, loading=False, failure=discord.NotFound(missing, "Unknown Message"))
    await one.acknowledge()
    await one.private(SCREEN)
    assert (response.calls, followup.sent, edited) == ([], 1, [])


def counted(name: str, **labels: str) -> float:
    return metrics.REGISTRY.get_sample_value(name, labels) or 0


@pytest.mark.parametrize("is_command", [False, True])
@pytest.mark.parametrize(
    ("raised", "outcome"),
    [
        (None, metrics.DONE),
        (Echo(), metrics.ECHO),
        (Refused("error-host-only"), metrics.REFUSED),
        (IllegalMove("error-old-button"), metrics.REFUSED),
        (Stale(cast("Any", SimpleNamespace(game="tutto"))), metrics.STALE),
        (RuntimeError("a mistake"), metrics.FAILED),
    ],
)
@pytest.mark.parametrize("on", [False, True])
async def test_how_interactions_end_is_counted_if_metrics_are_on(
    monkeypatch: pytest.MonkeyPatch,
    expected_errors: list[str],
    is_command: bool,
    raised: Exception | None,
    outcome: str,
    on: bool,
) -> None:
    monkeypatch.setattr(metrics, "_on", on)
    if outcome == metrics.FAILED:
        expected_errors.append("a mistake")
    one, response, _ = an_answer(1)
    if is_command:
        a_command(one, loading=False)

    def counts() -> dict[object, float]:
        found: dict[object, float] = {
            (kind, end): counted("dicebot_interactions_total", kind=kind, outcome=end)
            for kind in ("click", "command")
            for end in metrics.OUTCOMES
        }
        found["age"] = counted("dicebot_interaction_age_seconds_count")
        return found | {"took": counted("dicebot_step_seconds_count", step="whole")}

    before = counts()
    await handle(one, work(raised))
    changed = {key for key, count in counts().items() if count != before[key]}
    expected: set[object] = {("command" if is_command else "click", outcome), "age"}
    assert changed == ((expected if is_command else {*expected, "took"}) if on else set())
    assert response.calls == [
        "send" if is_command or outcome not in (metrics.DONE, metrics.ECHO) else "defer"
    ]


class Limits:
    """Notes what is asked of it; refuses everything after ``refused`` is set."""

    def __init__(self, refused: Refused | None = None) -> None:
        self.refused, self.asked = refused, list[tuple[Any, ...]]()

    def spend(self, *spent: int) -> None:
        self._ask("spend", *spent)

    def check_misses(self, *who: int) -> None:
        self._ask("check", *who)

    def missed(self, *who: int) -> None:
        self.asked.append(("missed", *who))

    def _ask(self, *what: Any) -> None:
        self.asked.append(what)
        if self.refused is not None:
            raise self.refused


MOVE, PAGE = "1:7:2a:k1.5", "1:7:2a:e.record"


@pytest.mark.parametrize(
    ("custom_id", "raised", "asked"),
    [
        (MOVE, None, [("check", 7, 10)]),
        (MOVE, Echo(), [("check", 7, 10)]),
        (MOVE, Refused("error-not-your-turn"), [("check", 7, 10), ("missed", 7, 10)]),
        (MOVE, Stale(cast("Any", SimpleNamespace(game="tutto"))), [("check", 7, 10), ("missed", 7, 10)]),
        (PAGE, None, [("spend", 7, 10, 1)]),
        (PAGE, Refused("error-host-only"), [("spend", 7, 10, 1)]),
        (None, None, [("spend", 7, 10, 1)]),
        (None, Refused("error-host-only"), [("spend", 7, 10, 1)]),
    ],
)
async def test_moves_count_if_they_are_not_accepted_and_all_else_counts_before(
    monkeypatch: pytest.MonkeyPatch,
    custom_id: str | None,
    raised: Exception | None,
    asked: list[tuple[Any, ...]],
) -> None:
    limits = Limits()
    monkeypatch.setattr(_client, "limits", limits)
    one = an_answer(1)[0]
    if custom_id is None:
        a_command(one, loading=False)
    else:
        one.custom_id = custom_id
    await handle(one, work(raised))
    assert limits.asked == asked


@pytest.mark.parametrize("custom_id", [MOVE, PAGE])
async def test_what_is_beyond_a_limit_is_not_done(monkeypatch: pytest.MonkeyPatch, custom_id: str) -> None:
    monkeypatch.setattr(metrics, "_on", True)
    monkeypatch.setattr(_client, "limits", Limits(Refused("error-too-fast", seconds=3)))
    one, response, _ = an_answer(1)
    one.interaction.data = cast("Any", {"custom_id": custom_id})
    done: list[None] = []

    async def work() -> None:
        done.append(None)

    labels = {"kind": "click", "outcome": metrics.REFUSED}
    before = counted("dicebot_interactions_total", **labels)
    await handle(one, work())
    assert (done, response.calls) == ([], ["send"])
    assert counted("dicebot_interactions_total", **labels) == before + 1


@pytest.mark.parametrize(
    ("refused", "calls", "sent"), [(0, ["form"], 0), (1, ["form"], 0), (2, ["send"], 0), (None, ["defer"], 1)]
)
async def test_the_first_form_that_discord_accepts_is_opened_and_without_one_that_is_said(
    monkeypatch: pytest.MonkeyPatch, refused: int | None, calls: list[str], sent: int
) -> None:
    async def open_form(interaction: Any, data: Any) -> None:
        if interaction.response.is_done():
            raise discord.InteractionResponded(interaction)
        await interaction.response._call("form", data)

    monkeypatch.setattr(answer_module, "open_form", open_form)
    one, response, followup = an_answer(1, failures=[refusal(400, 50035)] * (refused or 0))
    if refused is None:
        # A form can't follow an acknowledgement.
        await one.acknowledge()
    await one.form(*(Form(token, say("error-form"), ()) for token in ("rich", "plain")))
    assert (response.calls, followup.sent) == (calls, sent)
    opened = [given["custom_id"].split(":")[-1] for given in response.given if "custom_id" in given]
    assert opened == ["rich", "plain"][: 0 if refused is None else refused + 1]


async def test_an_interaction_is_held_until_it_is_answered_and_no_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A bot that stops waits for such interactions. The timer that would acknowledge later is cancelled."""
    monkeypatch.setattr(acknowledging, "ACK_SECONDS", 0.02)
    one, response, _ = an_answer(1)
    acknowledged: list[None] = []

    async def work() -> None:
        assert _client.running == {asyncio.current_task()}
        await one.private(SCREEN)

    await handle(one, work())
    assert _client.running == set()

    async def acknowledge() -> None:
        acknowledged.append(None)

    monkeypatch.setattr(one, "acknowledge", acknowledge)
    await asyncio.sleep(0.05)
    assert (acknowledged, response.calls) == ([], ["send"])


async def test_a_command_takes_its_answer_from_the_interaction() -> None:
    """What stands before and after it stays in its place, and is what discord.py sees of the command."""
    got: list[object] = []

    class Cog:
        async def command(self, answer: Answer, dice: str, times: int = 1) -> None:
            got.extend((self, answer.interaction, dice, times))

    callback = handling.answered(Cog.command)
    assert list(inspect.signature(callback).parameters) == ["self", "answer", "dice", "times"]
    assert inspect.signature(callback).parameters["times"].annotation is int
    cog, interaction = Cog(), an_answer(1)[0].interaction
    await callback(cog, interaction, "1 1 5", times=3)
    assert got == [cog, interaction, "1 1 5", 3]


@pytest.mark.parametrize(("failures", "message_id"), [([], 2), ([refusal(403, 50013)], None)])
async def test_a_message_for_all_below_comes_after_the_acknowledgement(
    failures: list[Exception], message_id: int | None
) -> None:
    one, response, followup = an_answer(1)
    followup.failures = failures
    board = render(SCREEN, _client.catalogue, "en-US")
    assert await one.post_below(board, NO_MENTIONS) == message_id
    assert (response.calls, followup.sent) == (["defer"], 1)
    # Without waiting there would be no message, and no id.
    assert followup.given[0]["wait"]


async def test_a_command_is_answered_by_no_message_below() -> None:
    one, _, followup = an_answer(1)
    one.is_command = True
    assert await one.post_below(render(SCREEN, _client.catalogue, "en-US"), NO_MENTIONS) is None
    assert followup.sent == 0


@pytest.mark.parametrize(
    ("kind", "times"),
    [(discord.InteractionType.component, 1), (discord.InteractionType.application_command, 0)],
)
async def test_a_refusal_of_a_click_is_deleted_and_one_of_a_command_stays(
    monkeypatch: pytest.MonkeyPatch, kind: discord.InteractionType, times: int
) -> None:
    monkeypatch.setattr(answer_module, "REFUSAL_SECONDS", 0.0)
    deleted: list[None] = []

    async def delete() -> None:
        deleted.append(None)

    answer = to_be_deleted(delete)
    answer.interaction.type = kind
    await answer.refuse(SCREEN)
    await asyncio.sleep(0.01)
    assert len(deleted) == times


async def test_a_refusal_never_deletes_the_table_of_an_acknowledged_click(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The "original response" is then the message that was clicked."""
    monkeypatch.setattr(answer_module, "REFUSAL_SECONDS", 0.0)
    deleted: list[None] = []

    async def delete() -> None:
        deleted.append(None)

    answer, _, followup = an_answer(77)
    answer.interaction.delete_original_response = delete  # type: ignore[method-assign]
    await answer.acknowledge()
    await answer.refuse(SCREEN)
    await asyncio.sleep(0.01)
    assert (followup.sent, deleted) == (1, [])


def to_be_deleted(delete: Callable[[], Coroutine[Any, Any, None]]) -> Answer:
    answer, *_ = an_answer(78)
    answer.interaction.delete_original_response = delete  # type: ignore[method-assign]
    return answer


@pytest.mark.parametrize("error", [None, aiohttp.ClientError("gone")])
async def test_a_message_is_deleted_once_after_its_time(error: Exception | None) -> None:
    calls: list[float] = []
    clock = asyncio.get_running_loop().time
    start = clock()

    async def delete() -> None:
        calls.append(clock() - start)
        if error is not None:
            raise error

    deletions = WorkQueue[Answer]("delete refusal", Answer.delete, failure="%s")
    deletions.add(to_be_deleted(delete), 0.02)
    await asyncio.sleep(0)
    assert calls == []
    await asyncio.sleep(0.1)
    assert len(calls) == 1
    assert calls[0] >= 0.02
    await deletions.stop()


async def test_what_is_left_at_a_stop_is_not_deleted() -> None:
    calls: list[None] = []

    async def delete() -> None:
        calls.append(None)

    deletions = WorkQueue[Answer]("delete refusal", Answer.delete, failure="%s")
    deletions.add(to_be_deleted(delete), 0.0)
    deletions.add(to_be_deleted(delete), 60.0)
    await deletions.stop()
    assert calls == []
    assert asyncio.all_tasks() == {asyncio.current_task()}
