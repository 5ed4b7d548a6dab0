"""Situations that other bots with games and boards have stumbled over, and where each is replayed here.

``SITUATIONS`` names the tests of every one, or says why it can't arise. What needs real sockets (cut
connections, retries of the library, rate limits, processes that are killed) is in tests/wire.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import discord
import pytest
from simcord import ChannelHandle

from bot.store.base import ENDED, LIVE, LOBBY, OVER
from bot.store.sqlite import SqliteStore
from tests.discord.world import TURN, World, private
from tests.wire import screen

TESTS = Path(__file__).parents[1]

SITUATIONS: dict[str, dict[str, str]] = {
    "Interaction life cycle": {
        "buttons sent before a restart": "test_restart: test_buttons_from_before_a_restart_work",
        "views die after three minutes": "test_clicks: test_time_alone_makes_no_button_stale",
        "views are registered at READY": "test_restart: test_ready_twice_starts_nothing_twice, "
        "test_a_click_right_after_the_connection_is_answered",
        "click spam": "test_clicks: test_twenty_clicks_within_a_second_are_one_move; "
        "test_answer: test_clicks_that_wait_for_the_lock_are_acknowledged_while_they_wait",
        "the same interaction twice": "test_clicks: test_the_same_interaction_delivered_twice_counts_once",
        "two dispatchers answer one click": "test_scenarios: test_one_dispatcher_answers_a_click",
        "a board sent as a followup dies after a quarter of an hour": "test_scenarios: "
        "test_a_table_that_was_announced_late_is_edited_after_a_quarter_of_an_hour",
        "too many edits of an old message": "test_painting: test_a_board_too_old_to_be_edited_is_replaced, "
        "test_a_board_that_can_not_be_edited_at_all_any_more",
        "private messages can't be edited later": "test_rules_and_places: "
        "test_an_old_page_of_rules_still_turns",
        "a timer edits in a hidden channel": "test_painting: test_a_hidden_channel_while_a_deadline_fires; "
        "test_away: test_a_hidden_channel_does_not_stop_the_timers",
        "old buttons": "test_clicks: test_buttons_of_a_finished_game_explain_themselves_and_go, "
        "test_a_late_click_on_an_old_message_takes_its_buttons_off",
        "buttons of an old page": "test_leaderboard: test_pages_work_for_ever_and_after_restarts; "
        "test_rules_and_places: test_an_old_page_of_rules_still_turns",
        "unknown and cut ids": "test_clicks: test_unknown_and_garbled_ids_get_a_private_answer; "
        "test_screens: test_ids_are_read_back_as_they_were_written",
        "ids that are too long": "test_screens: test_the_largest_id_fits",
    },
    "Concurrency and duplicates": {
        "many clicks on one button": "test_together: test_eight_people_click_in_the_same_tick; "
        "test_painting: test_a_slow_discord_does_not_hold_up_the_game",
        "two starts in one channel": "test_together: test_two_starts_at_once_make_one_lobby",
        "joining again resets the score": "test_scenarios: test_who_left_a_game_can_not_join_it_again",
        "a round starts twice": "test_away: test_the_click_and_the_deadline_in_one_tick_play_the_turn_once",
        "a move races with the end of the turn": "test_scenarios: "
        "test_a_click_just_after_the_deadline_is_late; "
        "test_away: test_the_deciding_vote_and_the_players_click_in_one_tick",
        "join and start together": "test_together: test_join_and_start_in_one_tick_show_the_newest_state",
        "the last two seats": "test_together: test_the_last_two_seats_are_taken_at_once_by_five, "
        "test_two_starts_of_the_game_are_one",
        "two lobbies together": "test_together: test_lobbies_in_two_guilds_at_once_are_both_kept",
        "in a game, though not": "test_scenarios: test_nobody_is_ever_busy; "
        "test_store: test_a_refused_game_leaves_nothing_behind",
        "seats of a lobby that was given up": "test_restart: "
        "test_an_idle_lobby_closes_after_an_hour_also_across_a_restart; "
        "test_leaving: test_a_lobby_that_everybody_has_left_closes",
        "two rematches": "test_together: test_a_double_click_on_rematch_makes_one_game",
        "a retry posts copies": "test_painting: test_a_table_posted_by_the_bot_itself_carries_a_nonce",
    },
    "Who may act": {
        "outsiders": "test_clicks: test_an_outsider_is_told_about_the_next_game",
        "buttons after the end": "test_games: test_two_people_play_a_game_to_its_end, "
        "test_what_is_left_of_an_ended_game_has_no_buttons",
        "challenging oneself, bots, the same person twice": "test_clicks: test_nobody_takes_two_seats; "
        "test_leaving: test_a_seat_is_not_handed_to_a_bot_or_to_somebody_who_has_one",
        "moderators": "test_leaving: test_a_moderator_may_end_without_being_in_the_game, "
        "test_permissions_are_checked_again_when_the_answer_comes",
        "ending a game elsewhere": "No command takes a channel: all act where they are used. "
        "test_leaving: test_rights_of_another_channel_do_not_count_here",
    },
    "Leaving, away, stuck": {
        "who is away blocks the channel": "test_away: test_at_the_deadline_the_turn_is_played, "
        "test_deadlines_survive_a_restart_and_are_kept_once",
        "the host vanishes": "test_away: test_the_others_vote_to_have_an_idle_turn_played, "
        "test_who_left_the_server_has_left_the_game",
        "points of who leaves": "test_leaving: "
        "test_leaving_in_ones_own_turn_skips_it_and_loses_what_was_not_banked",
        "a player leaves the server": "test_away: test_one_left_in_the_server_ends_the_game",
        "no way to leave": "test_leaving: test_leaving_is_possible_in_every_phase",
        "an active game counts as idle": "test_away: test_any_move_resets_the_timer",
        "a stuck game": "test_clicks: test_an_exception_in_a_handler_is_told_logged_and_survived; "
        "test_leaving: test_a_damaged_game_can_be_ended",
        "a restart freezes timers": "test_away: test_deadlines_survive_a_restart_and_are_kept_once",
        "commands between phases": "test_scenarios: test_every_command_in_every_phase",
        "closed direct messages": "test_scenarios: test_nothing_is_sent_by_direct_message",
    },
    "Channels, permissions, surfaces": {
        "deleted messages and channels": "test_painting: "
        "test_a_board_that_somebody_deleted_is_posted_once_more, "
        "test_a_deleted_channel_closes_its_game_and_frees_its_people",
        "a deleted channel makes its game immortal": "test_painting: "
        "test_a_deleted_channel_with_an_open_lobby_does_not_come_back_to_haunt, "
        "test_what_happened_in_a_deleted_channel_is_not_tried_to_be_shown_for_ever",
        "refusals pile up": "test_scenarios: test_refusals_do_not_pile_up",
        "a channel object outlives its channel": "test_painting: "
        "test_the_channel_is_looked_up_anew_each_time",
        "a warning never goes away": "test_painting: test_without_the_right_to_post_no_lobby_opens",
        "replying needs the history": "test_painting: test_reading_the_history_is_not_needed",
        "archived and locked threads": "test_scenarios: test_a_thread_that_was_closed_holds_nothing_up",
        "stored archive durations": "The bot makes no threads.",
        "other kinds of channels": "test_rules_and_places: test_all_channels_that_take_messages_take_games, "
        "test_a_forum_post_takes_games, test_where_no_game_can_be_kept_it_is_said_so",
        "direct messages": "test_rules_and_places: test_commands_are_not_offered_in_direct_messages, "
        "test_a_click_in_a_direct_message_is_answered",
        "a buried board": "test_painting: test_fifty_messages_of_chat_cost_nothing, "
        "test_the_table_is_brought_to_the_bottom_by_its_button",
    },
    "Names, limits, numbers": {
        "ids in place of names": "test_leaderboard: test_names_are_text_and_ids_are_never_shown",
        "mentions in embeds": "test_scenarios: test_no_message_has_an_embed; "
        "test_painting: test_at_most_one_person_is_called_and_nobody_by_a_name",
        "deleted accounts": "test_leaderboard: test_names_are_text_and_ids_are_never_shown",
        "markdown in names": "test_scenarios: test_names_that_are_markdown_stay_names_on_the_table; "
        "test_i18n: test_an_escaped_name_is_no_markdown_mention_or_link",
        "everyone in a comment": "Nobody can type text into the bot but their name. "
        "test_painting: test_at_most_one_person_is_called_and_nobody_by_a_name",
        "long leaderboards": "test_leaderboard: test_the_longest_page_fits_into_a_message",
        "many players": "test_screens: test_every_table_of_a_random_game_fits, test_lobbies_fit_however_full",
        "long names": "test_screens: test_every_table_of_a_random_game_fits",
        "long turns": "test_screens: test_a_turn_without_end_is_told_shortly",
        "giant numbers": "test_scenarios: test_commands_keep_within_the_limits; "
        "test_session: test_opening_checks_game_and_options",
        "ties for the first place": "test_screens: test_all_who_win_are_named; "
        "test_leaderboard: test_ties_share_a_place_and_keep_their_order",
        "rigged dice": "test_games: test_the_record_of_a_game_verifies",
        "biased dice": "test_nature: test_rejection_leaves_no_bias, test_600_000_dice_are_fair",
    },
}


def mentioned() -> Iterator[tuple[str, str, str]]:
    """Every test that is named above, with the situation it is named for and its module."""
    for situations in SITUATIONS.values():
        for situation, text in situations.items():
            module = ""
            for word in re.findall(r"\btest_\w+:?", text):
                if word.endswith(":"):
                    module = word[:-1]
                else:
                    yield situation, module, word


def test_every_test_that_is_named_is_there() -> None:
    known = {
        path.stem: {
            node.name
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        }
        for path in TESTS.rglob("test_*.py")
        if "wire" not in path.parts
    }
    missing = [(module, name) for _, module, name in mentioned() if name not in known.get(module, set())]
    assert missing == []


def test_every_situation_has_a_test_or_a_reason() -> None:
    for situations in SITUATIONS.values():
        for situation, text in situations.items():
            assert "test_" in text or text.endswith("."), situation


# Those that fit nowhere else.


async def test_one_dispatcher_answers_a_click(world: World) -> None:
    """No view is kept, so the library has nothing to call; our one listener answers, once."""
    await world.begin(world.anna, world.ben)
    result = await world.press(world.anna, TURN)
    tries = world.requests("POST", f"{result._interaction.token}/callback")
    assert len(tries) == 1
    listeners = world.bot.extra_events["on_interaction"]
    assert len(listeners) == 1
    store = world.bot._connection._view_store
    assert not store._views
    assert not store._dynamic_items
    assert not store._synced_message_views


async def test_a_table_that_was_announced_late_is_edited_after_a_quarter_of_an_hour(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command was answered with "thinking…" first; its token dies after 15 minutes, the table doesn't."""
    import asyncio

    create = SqliteStore.create

    async def slow(store: SqliteStore, *args: Any) -> Any:
        await asyncio.sleep(2)
        return await create(store, *args)

    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "create", slow)
        world.send_slash(world.anna, "tutto start", target=1000)
        await world.later(3)
    table = world.table()
    await world.later(20 * 60)
    for who in (world.ben, world.chiara):
        await world.click(who, table, "Join")
    asked = await world.slash(world.chiara, "tutto leave")
    assert asked.response is not None
    await world.chiara.click(asked.response, label="Leave the game")  # a paint without a click on the table
    assert "2. Ben" in world.text()
    assert "Chiara" not in world.text()
    assert world.table()["id"] == table["id"]


async def test_who_left_a_game_can_not_join_it_again(world: World) -> None:
    """So no score can be reset by leaving and coming back; a seat that was left keeps its points."""
    people = [world.anna, world.ben, world.chiara]
    table = await world.lobby(*people)
    await world.press(world.anna, "Start the game")
    for _ in range(6):
        who = await world.mover(people)
        assert who is not None
        await world.press(who, world.careful())
    scores = (await world.state()).scores
    asked = await world.slash(world.ben, "tutto leave")
    assert asked.response is not None
    await world.ben.click(asked.response, label="Leave the game")
    joining, _ = world.send(world.ben, table, "Join")
    await world.settle()
    assert private(joining)
    assert (await world.state()).scores == scores
    assert (await world.state()).left == (1,)


async def test_a_click_just_after_the_deadline_is_late(world: World) -> None:
    """The turn was played a moment before: the click is told so, and moves nothing."""
    await world.begin(world.anna, world.ben)
    await world.later(400)
    table = world.table()
    await world.later(205)
    before = await world.row()
    assert (await world.state()).finished == 1
    result, _ = world.send(world.anna, table, TURN)
    await world.settle()
    assert "moved on" in private(result)
    assert await world.row() == before


async def test_nobody_is_ever_busy(world: World) -> None:
    """People play in as many channels as they like, so nothing can keep them from the next game."""
    channels = [world.guild.create_text_channel(f"table-{number}") for number in range(3)]
    for channel in channels:
        await world.begin(world.anna, world.ben, channel=channel)
    world.env.backend.delete_channel(channels[0].id)
    await world.lobby(world.anna, world.ben)
    assert (await world.row()).status == LOBBY
    for channel in channels[1:]:
        assert (await world.row(channel=channel)).status == LIVE


@pytest.mark.parametrize("phase", ["nothing", "lobby", "game", "game of others", "over", "ended"])
async def test_every_command_in_every_phase(world: World, phase: str) -> None:
    """Each does what it says or tells why it can't; none fails, and none does anything unasked."""
    people = [world.anna, world.ben]
    match phase:
        case "lobby":
            await world.lobby(*people)
        case "game":
            await world.begin(*people)
        case "game of others":
            await world.begin(world.ben, world.chiara)
        case "over":
            await world.begin(*people)
            await world.play(people)
        case "ended":
            await world.lobby(*people)
            await world.press(world.anna, "Cancel")
    count = world.count("games")
    before = await world.bot.store.latest_game(world.channel.id)
    running = before is not None and before.status in (LOBBY, LIVE)
    for command in ("leave", "end"):
        result = await world.slash(world.anna, f"tutto {command}")
        assert private(result)
        after = await world.bot.store.latest_game(world.channel.id)
        assert after == before  # both ask first
        if not running:
            assert "There is no game in this channel" in private(result)
    for command in ("tutto rules", "leaderboard"):
        assert (await world.slash(world.anna, command)).response is not None
    shown = await world.slash(world.anna, "tutto show")
    assert bool(private(shown)) != running
    started = await world.slash(world.anna, "tutto start", target=1000)
    assert ("already has a game" in private(started)) == running
    assert world.count("games") == count + (not running)


async def test_nothing_is_sent_by_direct_message(world: World) -> None:
    people = [world.anna, world.ben]
    await world.begin(*people)
    await world.later(400)
    await world.play(people)
    assert not [request for request in world.env.http_requests if request.path == "/users/@me/channels"]
    assert world.env.backend.dm_channels == {}


async def test_refusals_do_not_pile_up(world: World) -> None:
    """Discord counts refused requests towards a ban: a hidden channel is tried seldom, not all the time."""
    await world.begin(world.anna, world.ben)
    world.deny("view_channel", "send_messages")
    made = len(world.env.http_requests)
    await world.later(3600)
    tried = [one for one in world.env.http_requests[made:] if "/channels/" in one.path]
    assert len(tried) <= 40
    assert (await world.row()).status == LIVE
    world.deny()
    await world.slash(world.anna, "tutto show")
    row = await world.row()
    assert row.shown_version == row.version


@pytest.mark.parametrize(("status", "code"), [(400, 50083), (403, 50001), (400, 160005)])
async def test_a_thread_that_was_closed_holds_nothing_up(world: World, status: int, code: int) -> None:
    """Archived or locked between the click and the edit: the move counts and the table comes later."""
    thread = world.env.backend.create_thread(world.channel.id, "dice", world.anna.id)
    channel = ChannelHandle(world.env, world.guild, thread)
    table = await world.begin(world.anna, world.ben, channel=channel)
    row = await world.row(channel=channel)
    world.fail("*", "/channels/*", status, code, times=None)
    world.fail("POST", "/interactions/*/callback", status, code)
    world.tries = 2
    result, _ = world.send(world.anna, table, TURN)
    await world.settle()
    assert result.acknowledged
    assert len(await world.bot.store.moves(row.id)) == 1
    world.heal()
    await world.slash(world.anna, "tutto show", channel)
    row = await world.row(channel=channel)
    assert row.shown_version == row.version


async def test_no_message_has_an_embed(world: World) -> None:
    people = [world.anna, world.ben]
    await world.begin(*people)
    await world.play(people)
    await world.slash(world.anna, "leaderboard")
    await world.slash(world.anna, "tutto rules")
    for messages in world.env.backend.messages.values():
        for message in messages.values():
            assert not message.embeds
            assert not message.content
            assert message.flags & screen.COMPONENTS_V2


async def test_names_that_are_markdown_stay_names_on_the_table(world: World) -> None:
    people = [world.person(name) for name in ("||secret||", "```code", "**bold** _it_")]
    await world.begin(*people)
    for _ in range(8):
        who = await world.mover(people)
        if who is None:
            break
        await world.press(who, world.careful())
    text = world.text()
    assert "\\|\\|secret\\|\\|" in text
    bare = re.sub(r"\\.", "", text)  # without all that is escaped
    assert "secret" in bare
    for raw in ("||", "```", "_it_", "****"):
        assert raw not in bare


async def test_commands_keep_within_the_limits(world: World) -> None:
    """What is registered: names, descriptions, choices, the range of every number, and the whole's size."""

    def walk(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
        yield node
        for option in node.get("options") or []:
            yield from walk(option)

    commands = [one for scope in world.env.backend.commands.values() for one in scope.values()]
    assert len(commands) <= 100
    for command in commands:
        size = 0
        for node in walk(command):
            assert re.fullmatch(r"[-_'\w]{1,32}", node["name"]) or command["type"] != 1
            if command["type"] == 1:
                assert 1 <= len(node["description"]) <= 100
            assert len(node.get("options") or []) <= 25
            assert len(node.get("choices") or []) <= 25
            for choice in node.get("choices") or []:
                assert 1 <= len(choice["name"]) <= 100
                size += len(choice["name"]) + len(str(choice["value"]))
            for text in (node.get("description_localizations") or {}).values():
                assert 1 <= len(text) <= 100
            for text in (node.get("name_localizations") or {}).values():
                assert 1 <= len(text) <= 32
            if node["type"] == discord.AppCommandOptionType.integer.value and node is not command:
                assert "min_value" in node or node.get("choices") or node.get("autocomplete"), node["name"]
                assert "max_value" in node or node.get("choices") or node.get("autocomplete"), node["name"]
            size += len(node["name"]) + len(node.get("description") or "")
        assert size <= 8000


async def test_a_game_that_ends_is_over_for_everybody(world: World) -> None:
    """Over, ended, or its channel gone: no row stays behind as active, and no deadline with it."""
    people = [world.anna, world.ben]
    await world.begin(*people)
    await world.play(people)
    await world.lobby(*people)
    await world.press(world.anna, "Cancel")
    rows = world.query("SELECT status, deadline, ai_to_move FROM games")
    assert rows == [(OVER, None, 0), (ENDED, None, 0)]
