"""Properties of every game, tested in random games: those in the registry, and the template of a new one."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.games.codec import dumps, loads
from bot.games.core import (
    CHANCE,
    OVER,
    AnyGame,
    IllegalMove,
    Leave,
    Move,
    Played,
    Unreadable,
    play,
    replay,
    settle,
)
from bot.records.seeds import SeededChance
from bot.registry import GAMES, find
from tests.support.examples import (
    examples,
    json_values,
    options_of,
    paths,
    random_move,
    replaced,
    setups,
    walk,
)
from tests.support.pig import PIG
from tests.support.values import not_none

ENTRIES = {entry.rules.key: entry for entry in (*GAMES.values(), PIG)}
every_game = pytest.mark.parametrize("game", [entry.rules for entry in ENTRIES.values()], ids=list(ENTRIES))


def check_position(game: AnyGame, state: Any, rng: Random) -> None:
    """Everything that must hold in any position by itself."""
    before = dumps(game.state_to_json(state))
    mover, legal, chance = game.to_move(state), game.legal(state), game.chance(state)
    seats, left = len(game.scores(state)), game.left(state)
    assert left == tuple(sorted(set(left)))
    assert game.turn_seat(state) in range(seats)
    assert len({legal, game.legal(state)}) == 1
    assert list(chance) == list(game.chance(state))
    assert len(set(legal)) == len(legal)
    assert len({outcome for outcome, _ in chance}) == len(chance)
    assert (game.result(state) is not None) == (mover == OVER)
    assert bool(legal) == (mover >= 0)
    assert bool(chance) == (mover == CHANCE)
    if mover >= 0:
        assert mover == game.turn_seat(state)
        assert mover not in left
    assert all(type(weight) is int and weight > 0 for _, weight in chance)

    some = rng.sample(list(chance), min(len(chance), 6))
    for move in [*legal, *(outcome for outcome, _ in some)]:
        step = game.apply(state, move)
        assert 0 <= game.turns(step.state) - game.turns(state) <= 1
        assert game.apply(state, move) == step
        hash(step.state)
    for action in legal:
        raw = loads(dumps(game.action_to_json(action)))
        assert game.action_from_json(raw) == action
        assert raw["type"] != "leave"  # records use it for Leave
    for outcome, _ in some:
        assert game.outcome_from_json(loads(dumps(game.outcome_to_json(outcome)))) == outcome
    # Nothing that was tried has changed the position, and it survives being stored.
    assert dumps(game.state_to_json(state)) == before
    restored = game.state_from_json(loads(before))
    assert restored == state
    assert hash(restored) == hash(state)


def refuse(game: AnyGame, state: Any, move: Any) -> None:
    before = dumps(game.state_to_json(state))
    with pytest.raises(IllegalMove):
        game.apply(state, move)
    assert dumps(game.state_to_json(state)) == before


@every_game
@settings(max_examples=examples(80))
@given(data=st.data())
def test_every_position_of_a_random_game_is_sound(game: AnyGame, data: st.DataObject) -> None:
    options, seats, seed = data.draw(setups(game))
    rng = Random(seed)
    state = game.initial(options, seats)
    assert game.scores(state) == (game.scores(state)[0],) * seats
    assert (game.turns(state), game.left(state)) == (0, ())
    for position, (_, _, step) in enumerate(walk(game, options, seats, seed, leaving=0.002)):
        # The deep check of one position costs as much as a hundred moves.
        if position % 16 == seed % 16 or game.to_move(step.state) == OVER:
            check_position(game, step.state, rng)
        state = step.state
    result = not_none(game.result(state))
    assert result.scores == game.scores(state)
    assert result.winners
    assert result.winners == tuple(sorted(set(result.winners)))
    assert result.left == game.left(state)
    assert not set(result.winners) & set(result.left)
    assert result.reason in game.endings
    places = result.places()
    assert all((places[seat] == 1) == (seat in result.winners) for seat in range(seats))
    for place in places:
        assert place == 1 + sum(other < place for other in places)
    for seat in range(seats):
        refuse(game, state, Leave(seat))


@every_game
@settings(max_examples=examples(50))
@given(data=st.data())
def test_what_is_not_legal_is_refused_and_changes_nothing(game: AnyGame, data: st.DataObject) -> None:
    options, seats, seed = data.draw(setups(game))
    rng = Random(seed)
    pool: list[Any] = []
    for position, (state, move, step) in enumerate(walk(game, options, seats, seed)):
        pool.append(move)
        if position % 8 == seed % 8 or game.to_move(step.state) == OVER:
            legal = game.legal(state)
            possible = {outcome for outcome, _ in game.chance(state)}
            for other in rng.sample(pool, min(len(pool), 12)):
                if other not in legal and other not in possible:
                    refuse(game, state, other)
            foreign = (None, 0, -1, "stop", (), object(), state, Leave(-1), Leave(seats), Leave(10**20))
            for other in foreign:
                refuse(game, state, other)
            if game.to_move(step.state) == OVER:
                for other in pool[:50]:
                    refuse(game, step.state, other)


@every_game
@settings(max_examples=examples(80))
@given(data=st.data())
def test_the_log_replays_to_the_snapshot(game: AnyGame, data: st.DataObject) -> None:
    """Played as the bot plays: one action, then chance answers; stored and read again between any two."""
    options, seats, seed = data.draw(setups(game))
    rng, script = Random(seed), SeededChance(seed.to_bytes(32, "big"))
    begun = settle(game, game.initial(options, seats), script)
    state, events = begun.state, list(begun.events)
    log: list[Move[Any, Any]] = []
    snapshots: list[Played[Any, Any]] = []
    while game.to_move(state) != OVER:
        state = game.state_from_json(loads(dumps(game.state_to_json(state))))
        if rng.random() < 0.05:
            # A restart: chance goes on from the seed and the saved index.
            script = SeededChance(script.seed, script.index)
        move = random_move(game, state, rng, leaving=0.003)
        played = play(game, state, move, script)
        log.append(
            Move(game.to_move(state) if not isinstance(move, Leave) else move.seat, move, played.outcomes)
        )
        snapshots.append(played)
        state = played.state
        events += played.events

    assert list(replay(game, options, seats, begun.outcomes, log)) == [begun, *snapshots]
    assert script.index == len(begun.outcomes) + sum(len(move.outcomes) for move in log)

    stats = game.stats(events, seats)
    assert len(stats) == seats
    assert all(seat.turns >= 0 and all(n >= 0 for n in seat.feats.values()) for seat in stats)
    assert len({tuple(seat.feats) for seat in stats}) == 1
    finished = sum(seat.turns for seat in stats)
    # A turn that its seat has broken off by leaving need not be counted for it.
    assert game.turns(state) - len(game.left(state)) <= finished <= game.turns(state)


@every_game
@settings(max_examples=examples(80))
@given(data=st.data())
def test_any_seat_may_leave_at_any_moment(game: AnyGame, data: st.DataObject) -> None:
    options, seats, seed = data.draw(setups(game))
    rng = Random(seed)
    state, turns = game.initial(options, seats), 0
    for number, (_, _, step) in enumerate(walk(game, options, seats, seed)):
        if number == seed % 97 or game.to_move(step.state) == OVER:
            break
        state, turns = step.state, game.turns(step.state)
    order = rng.sample(range(seats), seats)
    for gone, seat in enumerate(order[:-1], start=1):
        scores = game.scores(state)
        state = game.apply(state, Leave(seat)).state
        assert seat in game.left(state)
        assert game.scores(state)[seat] == scores[seat]
        assert 0 <= game.turns(state) - turns <= 1
        turns = game.turns(state)
        if game.to_move(state) == OVER:
            # Either one seat is left, or the last turn of the last round was broken off.
            break
        assert game.turn_seat(state) not in game.left(state)
        check_position(game, state, rng)
        refuse(game, state, Leave(seat))
        assert gone < seats - 1
    result = not_none(game.result(state))
    if len(result.left) == seats - 1:
        assert result.winners == (order[-1],)
        assert result.reason == "left"
    check_position(game, state, rng)


@every_game
def test_the_number_of_seats_is_checked(game: AnyGame) -> None:
    options = options_of(game)[0]
    for seats in (game.min_seats, game.max_seats):
        assert len(game.scores(game.initial(options, seats))) == seats
    for seats in (-1, 0, 1, game.min_seats - 1, game.max_seats + 1):
        with pytest.raises(IllegalMove) as caught:
            game.initial(options, seats)
        assert caught.value.code == "error-seats"
        assert caught.value.facts == {"n": seats, "least": game.min_seats, "most": game.max_seats}


@every_game
def test_options_are_complete_and_read_back(game: AnyGame) -> None:
    for options in [game.options({}), *options_of(game)]:
        raw = loads(dumps(options.to_json()))
        assert game.options(raw) == options
        assert hash(game.options(raw)) == hash(options)
    with pytest.raises(Unreadable):
        game.options({"no such option": 1})


@every_game
@settings(max_examples=examples(200))
@given(raw=json_values)
def test_any_json_is_read_or_refused(game: AnyGame, raw: Any) -> None:
    for name in game.options({}).to_json():
        with suppress(IllegalMove, Unreadable):
            assert game.options(game.options({name: raw}).to_json())
    for read, write in (
        (game.action_from_json, game.action_to_json),
        (game.outcome_from_json, game.outcome_to_json),
        (game.state_from_json, game.state_to_json),
    ):
        try:
            value = read(raw)
        except Unreadable:
            continue
        hash(value)
        assert read(write(value)) == value


@every_game
@settings(max_examples=examples(150))
@given(data=st.data())
def test_a_damaged_state_is_read_faithfully_or_refused(game: AnyGame, data: st.DataObject) -> None:
    """What is accepted is written again exactly as it was read, nothing mended, and can be played on."""
    options, seats, seed = data.draw(setups(game))
    state = game.initial(options, seats)
    for number, (_, _, step) in enumerate(walk(game, options, seats, seed)):
        state = step.state
        if number == seed % 61:
            break
    raw = loads(dumps(game.state_to_json(state)))
    path = data.draw(st.sampled_from(list(paths(raw))))
    damaged = replaced(raw, path, data.draw(json_values))
    try:
        read = game.state_from_json(damaged)
    except Unreadable:
        return
    assert dumps(game.state_to_json(read)) == dumps(damaged)
    for move in [*game.legal(read), *(outcome for outcome, _ in game.chance(read)[:20])]:
        game.apply(read, move)


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(Unreadable) as caught:
        find("ludo")
    assert caught.value.facts == {"game": "ludo"}


@every_game
def test_every_policy_chooses_legal_actions(game: AnyGame) -> None:
    for policy in ENTRIES[game.key].policies.values():
        for options in options_of(game):
            script, rng = SeededChance(bytes(32)), Random(1)
            state = settle(game, game.initial(options, game.min_seats), script).state
            for _ in range(60):
                if game.to_move(state) == OVER:
                    break
                action = policy.choose(state, rng)
                assert action in game.legal(state)
                state = play(game, state, action, script).state
