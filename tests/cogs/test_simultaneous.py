"""Several people click at the same time: everybody is answered, and everything happens once."""

from __future__ import annotations

from bot.store.base import ABORTED, FINISHED, LIVE, LOBBY
from tests.support import screen
from tests.support.world import World, private, reply


async def test_two_starts_at_once_make_one_lobby(world: World) -> None:
    results = [world.send_slash(who, "tutto start", target=1000) for who in (world.anna, world.ben)]
    await world.settle()
    assert world.count("games") == 1
    told = [private(result) for result in results]
    assert sorted(map(bool, told)) == [False, True]
    assert "already has a game" in "".join(told)
    assert "At the table** (1 of 10)" in world.text()


async def test_lobbies_in_two_guilds_at_once_are_both_kept(world: World) -> None:
    other = world.env.create_guild("Other")
    channel = other.create_text_channel("elsewhere")
    dora = world.person("Dora", guild=other)
    world.send_slash(world.anna, "tutto start", target=1000)
    world.send_slash(dora, "tutto start", channel, target=1500)
    await world.settle()
    here, there = await world.row(), await world.row(channel=channel)
    assert (here.status, there.status) == (LOBBY, LOBBY)
    assert here.guild_id != there.guild_id
    await world.press(world.ben, "Join")
    assert [seat.name for seat in (await world.row(channel=channel)).seats] == ["Dora"]


async def test_eight_people_click_in_the_same_tick(world: World) -> None:
    people = world.people(8)
    await world.begin(*people)
    table = world.table()
    results = [world.send(who, table, "Turn a card and roll") for who in reversed(people)]
    await world.settle()
    assert all(result.acknowledged for result in results)
    assert len(await world.log()) == 1
    told = [private(result) for result in results]
    # Those before Anna's click were not on turn, and after it there were none left to tell of.
    assert sum("Not your turn yet" in text or "moved on" in text for text in told) == 7


async def test_the_last_two_seats_are_taken_at_once_by_five(world: World) -> None:
    people = world.people(8)
    await world.lobby(*people)
    table = world.table()
    late = [world.person(f"Late {number}") for number in range(5)]
    results = [world.send(who, table, "Join") for who in late]
    await world.settle()
    row = await world.row()
    assert len(row.seats) == 10
    assert len({seat.user_id for seat in row.seats}) == 10
    assert ["All seats are taken" in private(result) for result in results] == [False] * 2 + [True] * 3
    assert "At the table** (10 of 10)" in world.text()
    assert "Join" not in world.labels()


async def test_join_and_start_in_one_tick_show_the_newest_state(world: World) -> None:
    await world.lobby(world.anna, world.ben)
    table = world.table()
    joining = world.send(world.chiara, table, "Join")
    starting = world.send(world.anna, table, "Start the game")
    await world.settle()
    row = await world.row()
    assert row.status == LIVE
    assert len(row.seats) == 3
    assert joining.acknowledged
    assert starting.acknowledged
    assert row.shown_version == row.version
    assert "Chiara" in world.text()
    assert "Turn a card and roll" in world.labels()


async def test_join_leave_and_join_again_in_one_tick(world: World) -> None:
    table = await world.lobby(world.anna)
    for label in ("Join", "Leave", "Join", "Join", "Leave"):
        world.send(world.ben, table, label)
    await world.settle()
    row = await world.row()
    assert [seat.name for seat in row.seats] == ["Anna"]
    assert row.shown_version == row.version
    assert world.query("SELECT count(*) FROM seats") == [(1,)]


async def test_everybody_leaves_the_lobby_at_once(world: World) -> None:
    people = [world.anna, world.ben, world.chiara]
    table = await world.lobby(*people, ais=2)
    results = [world.send(who, table, "Leave") for who in people]
    await world.settle()
    assert (await world.row()).status == ABORTED
    assert all(result.acknowledged for result in results)
    assert "Everyone has left" in screen.text_of(world.message(table["id"]))


async def test_a_move_and_the_end_of_the_game_in_one_tick(world: World) -> None:
    """The first commit wins, and the other is told that the game is over."""
    table = await world.begin(world.anna, world.ben)
    asked = await world.slash(world.anna, "tutto end")
    question = world.message(reply(asked).id)
    ending = world.send(world.anna, question, "End the game")
    moving = world.send(world.anna, table, "Turn a card and roll")
    await world.settle()
    assert (await world.row()).status == ABORTED
    assert await world.log() == []
    assert "This game is over" in private(moving)
    assert ending.acknowledged


async def test_all_but_one_leave_a_game_at_once(world: World) -> None:
    people = [world.anna, world.ben, world.chiara]
    await world.begin(*people)
    questions = []
    for who in people[1:]:
        asked = await world.slash(who, "tutto leave")
        questions.append((who, world.message(reply(asked).id)))
    for who, question in questions:
        world.send(who, question, "Leave the game")
    await world.settle()
    row = await world.row()
    assert row.status == FINISHED
    assert "everyone else has left" in world.text()
    assert world.count("results") == 3


async def test_a_double_click_on_rematch_makes_one_game(world: World) -> None:
    await world.begin(world.anna, world.ben)
    await world.play()
    over = world.table()
    results = [world.send(who, over, "Rematch") for who in (world.anna, world.anna, world.ben)]
    await world.settle()
    assert world.count("games") == 2
    assert world.query("SELECT parent_id FROM games WHERE parent_id IS NOT NULL") == [(1,)]
    told = [private(result) for result in results]
    assert told[0] == ""
    for text in told[1:]:
        assert "rematch" in text
        assert "further down" in text


async def test_many_shows_at_once_leave_one_table(world: World) -> None:
    await world.begin(world.anna, world.ben)
    for who in (world.anna, world.ben, world.chiara):
        world.send_slash(who, "tutto show")
    await world.settle()
    tables = [one for one in world.messages() if screen.buttons(one)]
    assert len(tables) == 1
    assert int(tables[0]["id"]) == (await world.row()).message_id
