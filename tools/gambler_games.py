"""Plays Gambler among experts, one of them perhaps a grandmaster, in compiled code.

Needs numpy and numba (the extra ``solver``). Everybody plays as in the bot, with stars ``independent`` and
target 500; the grandmaster as in a game of three to six.

How many games a seat wins is mostly luck, and the luck of the dice can be taken out: before and after each
roll, the seat has some estimated chance to win. The differences have the mean 0 whatever the estimate is, as
all outcomes of the roll are counted out. The wins less these differences have the same mean as the wins, and
vary less the better the estimate is.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import FunctionType
from typing import Any, NamedTuple, TypeVar

from bot.games.dice import FACES, rolls
from bot.games.gambler.boards import BOARDS, ROWS, Kind
from bot.games.gambler.state import DICE_A_TURN, NUMBER_OF_DICE, START_POINTS
from bot.strategy.gambler import completion, many_players, outlook
from bot.strategy.gambler.automata import automaton
from bot.strategy.gambler.chances import chance_alone
from bot.strategy.gambler.expert import DECIDED

np: Any = import_module("numpy")
numba: Any = import_module("numba")

F = TypeVar("F", bound=Callable[..., Any])

TARGET = 500
MOST_NODES = 40_000
COLUMNS = 20
"""What a record of an open row has."""
NEVER = -1e9
MAX_COUNTED_OUT = many_players.MAX_COUNTED_OUT
YELLOW = (outlook.YELLOW.close, outlook.YELLOW.far, outlook.YELLOW.growth)
BLACK = (outlook.BLACK.close, outlook.BLACK.far, outlook.BLACK.growth)
KINDS = tuple(Kind)


def compiled(function: F) -> F:
    """Compile with numba, keeping the type checker's view of the function."""
    found: F = numba.njit(cache=False, fastmath={"nnan", "ninf", "nsz"})(function)
    return found


_shared = compiled(outlook.shared)
_features = compiled(completion.features)
_chance = compiled(many_players.chance)
# What the weights call is compiled too, instead of what the module has.
_called = {**vars(many_players), "chance": _chance}
_called["counted_out"] = compiled(FunctionType(many_players.counted_out.__code__, _called))
_weights = compiled(FunctionType(many_players.weights.__code__, _called))


class Boards(NamedTuple):
    """All boards as arrays, by board, row and state of the row: the state after a face (-1: it doesn't fit),
    whether the row is full, how many dice it has, and the chance to complete it alone by dice in hand. By
    board and row: points, size and what it counts in a fill's number."""

    after: Any
    full: Any
    placed: Any
    alone: Any
    points: Any
    size: Any
    kind: Any
    stride: Any


class Rolls(NamedTuple):
    """By number of dice and roll: the chance, and by face the index of the other dice (-1: no such face)."""

    number: Any
    chance: Any
    rest: Any


def boards() -> Boards:
    rows = [[automaton(row, True) for row in board.rows] for board in BOARDS.values()]
    most = max(len(row.states) for board in rows for row in board)
    shape = (len(rows), ROWS, most)
    after, full = np.full((*shape, len(FACES)), -1, np.int64), np.zeros(shape, np.bool_)
    placed, alone = np.zeros(shape, np.int64), np.zeros((*shape, DICE_A_TURN + 1))
    points, size, kind, stride = (np.zeros(shape[:2], np.int64) for _ in range(4))
    for b, board in enumerate(rows):
        count = 1
        for r, row in reversed(list(enumerate(board))):
            points[b, r], size[b, r], stride[b, r] = row.row.points, len(row.row.boxes), count
            kind[b, r] = KINDS.index(row.row.kind)
            count *= len(row.states)
            for state, dice in enumerate(row.states):
                full[b, r, state], placed[b, r, state] = row.full[state], len(dice)
                alone[b, r, state] = [chance_alone(row.row, dice, n) for n in range(DICE_A_TURN + 1)]
                for face, following in row.steps[state]:
                    after[b, r, state, face] = following
    return Boards(after, full, placed, alone, points, size, kind, stride)


def all_rolls() -> Rolls:
    index = {dice: at for n in range(DICE_A_TURN + 1) for at, (dice, _) in enumerate(rolls(n))}
    most = len(rolls(DICE_A_TURN))
    number = np.array([len(rolls(n)) for n in range(DICE_A_TURN + 1)])
    chance = np.zeros((DICE_A_TURN + 1, most))
    rest = np.full((DICE_A_TURN + 1, most, len(FACES)), -1, np.int64)
    for n in range(DICE_A_TURN + 1):
        for at, (dice, weight) in enumerate(rolls(n)):
            chance[n, at] = weight / len(FACES) ** n
            for face in set(dice):
                k = dice.index(face)
                rest[n, at, face - 1] = index[dice[:k] + dice[k + 1 :]]
    return Rolls(number, chance, rest)


class Net(NamedTuple):
    """The weights of :mod:`~bot.strategy.gambler.completion` for one number of seats; ``corrects`` is whether
    to use them at all. ``spread`` belongs to the formula of the chance."""

    corrects: bool
    spread: Any
    own: Any
    turn: Any
    common: Any
    bias: Any
    out: Any
    direct: Any


@compiled
def see(bd: Boards, b: int, r: int, state: int, open_boxes: int, common: Any) -> None:
    """Write the features of a row and of the whole board to ``common``."""
    common[:] = 0.0
    common[bd.size[b, r] - bd.placed[b, r, state] - 1] = 1.0
    common[5] = 1.0 if bd.points[b, r] < 0 else 0.0
    common[6] = 1.0 if bd.kind[b, r] == 2 else 0.0
    common[7] = 1.0 if bd.kind[b, r] == 1 else 0.0
    common[8] = open_boxes / 10 - 1


@compiled
def row_shares(bd: Boards, net: Net, b: int, r: int, state: int, dice: Any, common: Any, out: Any) -> None:
    """Write each seat's probability to complete a row to ``out``."""
    seats = len(dice)
    hands = np.minimum(dice, 5)
    chances = np.empty(seats)
    for turn in range(seats):
        chances[turn] = bd.alone[b, r, state, hands[turn]]
    missing = bd.size[b, r] - bd.placed[b, r, state]
    black = bd.points[b, r] < 0
    if black:
        found = _shared(BLACK[0], BLACK[1], BLACK[2], missing == 1, chances, hands)
    else:
        found = _shared(YELLOW[0], YELLOW[1], YELLOW[2], missing == 1, chances, hands)
    for turn in range(seats):
        out[turn] = found[turn]
    if net.corrects:
        own = _features(out[:seats], chances, dice, 1.0 if black else 0.0)
        largest = -1e9
        for turn in range(seats):
            logit = 0.0
            for k in range(len(own[turn])):
                logit += net.direct[k] * own[turn][k]
            for unit in range(len(net.out)):
                value = net.bias[unit] + net.turn[turn, unit]
                for k in range(len(own[turn])):
                    value += net.own[k, unit] * own[turn][k]
                for k in range(len(common)):
                    value += net.common[k, unit] * common[k]
                logit += net.out[unit] * np.tanh(value)
            out[turn] = logit
            largest = max(largest, logit)
        total = 0.0
        for turn in range(seats):
            out[turn] = np.exp(out[turn] - largest)
            total += out[turn]
        for turn in range(seats):
            out[turn] /= total


class Turn(NamedTuple):
    """A turn about to be played. ``scores`` and ``dice`` are in playing order, the seat to move last, its
    dice without the hand. ``fill`` is the state of each row. ``hero`` is the place of the seat whose luck is
    counted."""

    board: int
    scores: Any
    dice: Any
    fill: Any
    hand: int
    hero: int


class Space(NamedTuple):
    """Room for the tree of a turn, by node, for shares and values by hand, row and state, and for the hero's
    chance by the set of open rows: a constant, and a weight for each row and seat."""

    fills: Any
    child: Any
    at: Any
    end: Any
    roll: Any
    best: Any
    index: Any
    stamp: Any
    numbers: Any
    shares: Any
    values: Any
    constant: Any
    weights: Any
    weighed: Any
    own: Any


def space() -> Space:
    bd = boards()
    fills = max(int(bd.stride[b, 0]) * bd.after.shape[2] for b in range(len(bd.points)))
    shape = (DICE_A_TURN + 1, ROWS, bd.after.shape[2])
    return Space(
        np.zeros((MOST_NODES, ROWS), np.int64),
        np.full((MOST_NODES, len(FACES), ROWS), -1, np.int64),
        np.zeros(MOST_NODES, np.int64),
        np.zeros((MOST_NODES, 2)),
        np.zeros((MOST_NODES, 2)),
        np.zeros((10 * MOST_NODES, 2)),
        np.zeros(fills, np.int64),
        np.zeros(fills, np.int64),
        np.zeros(MOST_NODES, np.int64),
        np.zeros((*shape, 6)),
        np.zeros(shape),
        np.zeros(1 << ROWS),
        np.zeros((1 << ROWS, ROWS, 6)),
        np.zeros(1 << ROWS, np.int64),
        np.zeros(1, np.int64),
    )


@compiled
def prepare(bd: Boards, expert: Net, learned: Net, turn: Turn, room: Space) -> None:
    """Find the shares by ``learned``, and the values of rows to an expert, for all ends of the turn."""
    b, seats, boxes = turn.board, len(turn.dice), 0
    for r in range(ROWS):
        boxes += bd.size[b, r] - bd.placed[b, r, turn.fill[r]]
    dice, found, common = turn.dice.copy(), np.empty(6), np.zeros(9)
    for hand in range(turn.hand + 1):
        dice[-1] = turn.dice[-1] + hand
        open_boxes = max(1, boxes - (turn.hand - hand))
        for r in range(ROWS):
            points, known = bd.points[b, r], -1
            for state in range(bd.after.shape[2]):
                if bd.placed[b, r, state] == 0 and state > 0:
                    break
                if bd.full[b, r, state]:
                    room.values[hand, r, state] = points
                    continue
                if bd.placed[b, r, state] == known:
                    # States with as many dice differ only in the names of the faces.
                    room.shares[hand, r, state] = room.shares[hand, r, state - 1]
                    room.values[hand, r, state] = room.values[hand, r, state - 1]
                    continue
                known = bd.placed[b, r, state]
                see(bd, b, r, state, open_boxes, common)
                # The next seat with dice comes first for the networks.
                skipped = 0
                while skipped < seats - 1 and not dice[skipped]:
                    skipped += 1
                turned = np.concatenate((dice[skipped:], dice[:skipped]))
                row_shares(bd, learned, b, r, state, turned, common, found)
                for seat in range(seats):
                    room.shares[hand, r, state, (seat + skipped) % seats] = found[seat]
                row_shares(bd, expert, b, r, state, dice, common, found)
                own = found[seats - 1]
                room.values[hand, r, state] = points * (own - (1 - own) / (seats - 1))


@compiled
def weigh(bd: Boards, learned: Net, turn: Turn, room: Space, is_open: int) -> None:
    """Find how the hero's chance depends on who completes the rows of a set."""
    b, seats = turn.board, len(turn.dice)
    number, points, scores = 0, np.zeros(ROWS), [float(score) for score in turn.scores]
    shares = np.zeros((ROWS, seats))
    for r in range(ROWS):
        state = turn.fill[r]
        if is_open >> r & 1:
            points[number] = bd.points[b, r]
            for seat in range(seats):
                shares[number, seat] = room.shares[turn.hand, r, state, seat]
            number += 1
        elif not bd.full[b, r, state]:
            scores[seats - 1] += bd.points[b, r]
    scores[seats - 1] = max(0.0, scores[seats - 1])
    found = _weights(points[:number], shares, scores, turn.hero, float(TARGET), learned.spread)
    room.constant[is_open], number = found[0], 1
    for r in range(ROWS):
        for seat in range(seats):
            room.weights[is_open, r, seat] = 0.0
            if is_open >> r & 1:
                room.weights[is_open, r, seat] = found[number]
                number += 1
    room.weighed[is_open] = room.own[0]


@compiled
def tree(bd: Boards, rl: Rolls, learned: Net, turn: Turn, room: Space, chances: bool) -> None:
    """Build and evaluate the tree of a turn; node 0 is its beginning.

    ``end`` of a node are the value of ending the turn to the seat that plays it, and the chance of the hero.
    With ``chances`` both are the chance.
    """
    # Arrays in tuples are slow in inner loops.
    fills, child, at_of, end, rolled, best = room.fills, room.child, room.at, room.end, room.roll, room.best
    index, stamps, numbers, shares, values = room.index, room.stamp, room.numbers, room.shares, room.values
    b, seats = turn.board, len(turn.dice)
    after_of, is_full, points = bd.after[b], bd.full[b], bd.points[b]
    room.own[0] += 1
    stamp = room.own[0]
    first = np.zeros(turn.hand + 2, np.int64)  # by dice placed
    scores, nodes, pool, number = np.zeros(seats), 1, 0, 0
    for r in range(ROWS):
        fills[0, r] = turn.fill[r]
        number += turn.fill[r] * bd.stride[b, r]
    numbers[0] = number
    for placed in range(turn.hand + 1):
        hand, begin, stop = turn.hand - placed, first[placed], nodes
        first[placed + 1] = stop
        for node in range(begin, stop):
            # The end of the turn here.
            total, is_open = 0.0, 0
            for seat in range(seats):
                scores[seat] = turn.scores[seat]
            for r in range(ROWS):
                state = fills[node, r]
                total += values[hand, r, state]
                if not is_full[r, state]:
                    is_open |= 1 << r
                elif not is_full[r, turn.fill[r]]:
                    scores[seats - 1] += points[r]
            if not is_open:
                others = scores[: seats - 1].max()
                if max(scores[seats - 1], others) >= TARGET:
                    total += DECIDED if scores[seats - 1] >= others else -DECIDED
            if room.weighed[is_open] != stamp:
                weigh(bd, learned, turn, room, is_open)
            chance = room.constant[is_open]
            for r in range(ROWS):
                if is_open >> r & 1:
                    for seat in range(seats):
                        chance += room.weights[is_open, r, seat] * shares[hand, r, fills[node, r], seat]
            end[node, 0], end[node, 1], at_of[node] = chance if chances else total, chance, -1
            if hand == 0 or not is_open:
                continue
            at_of[node] = pool
            pool += rl.number[hand]
            for r in range(ROWS):
                state = fills[node, r]
                for face in range(6):
                    after = after_of[r, state, face]
                    child[node, face, r] = -1
                    if after >= 0:
                        number = numbers[node] + (after - state) * bd.stride[b, r]
                        if stamps[number] != stamp:
                            stamps[number], index[number], numbers[nodes] = stamp, nodes, number
                            for other in range(ROWS):
                                fills[nodes, other] = fills[node, other]
                            fills[nodes, r] = after
                            nodes += 1
                        child[node, face, r] = index[number]
    for placed in range(turn.hand - 1, -1, -1):
        hand = turn.hand - placed
        for node in range(first[placed], first[placed + 1]):
            at = at_of[node]
            if at < 0:
                continue
            mean, mean_chance = 0.0, 0.0
            for roll in range(rl.number[hand]):
                value, chance = NEVER, 0.0
                for face in range(6):
                    rest = rl.rest[hand, roll, face]
                    if rest < 0:
                        continue
                    for r in range(ROWS):
                        below = child[node, face, r]
                        if below < 0:
                            continue
                        place = at_of[below]
                        worth = end[below, 0] if place < 0 else best[place + rest, 0]
                        if worth > value:
                            value = worth
                            chance = end[below, 1] if place < 0 else best[place + rest, 1]
                best[at + roll, 0], best[at + roll, 1] = value, chance
                if value == NEVER:
                    value, chance = end[node, 0], end[node, 1]
                mean += rl.chance[hand, roll] * value
                mean_chance += rl.chance[hand, roll] * chance
            rolled[node, 0], rolled[node, 1] = mean, mean_chance
            stops = end[node, 0] >= mean
            go_on = end[node, 0] if stops else mean
            go_on_chance = end[node, 1] if stops else mean_chance
            for roll in range(rl.number[hand]):
                if best[at + roll, 0] <= go_on:
                    best[at + roll, 0], best[at + roll, 1] = go_on, go_on_chance


@compiled
def best_of(room: Space, node: int, rest: int, which: int) -> Any:
    """Return the value (0) or the chance (1) after a die was placed, if ``rest`` may still be placed."""
    return room.end[node, which] if room.at[node] < 0 else room.best[room.at[node] + rest, which]


@compiled
def best_child(rl: Rolls, room: Space, node: int, hand: int, roll: int) -> tuple[int, int]:
    """Return the node after the best placement of one die of a roll, and the rest of the roll; -1 if none
    fits."""
    found, left, best = -1, -1, NEVER
    for face in range(6):
        rest = rl.rest[hand, roll, face]
        if rest >= 0:
            for r in range(ROWS):
                child = room.child[node, face, r]
                if child >= 0:
                    worth = best_of(room, child, rest, 0)
                    if worth > best:
                        found, left, best = child, rest, worth
    return found, left


@compiled
def play_turn(
    bd: Boards, rl: Rolls, expert: Net, learned: Net, begun: Turn, room: Space, grand: bool
) -> tuple[int, int, float]:
    """Play a turn. Return the node at its end, the dice left in hand, and the hero's luck.

    Nodes belong to the last tree: a grandmaster makes a new one for each decision, as in the bot.
    """
    turn = begun
    prepare(bd, expert, learned, turn, room)
    tree(bd, rl, learned, turn, room, grand)
    node, hand, luck = 0, turn.hand, 0.0
    while True:
        draw, roll = np.random.random(), 0
        while roll < rl.number[hand] - 1 and draw >= rl.chance[hand, roll]:
            draw -= rl.chance[hand, roll]
            roll += 1
        child, rest = best_child(rl, room, node, hand, roll)
        if child < 0:
            return node, hand, luck + room.end[node, 1] - room.roll[node, 1]
        luck += best_of(room, child, rest, 1) - room.roll[node, 1]
        while True:
            node, hand, roll = child, hand - 1, rest
            if room.at[node] < 0:
                return node, hand, luck
            if grand:
                scores, fill = turn.scores.copy(), room.fills[node].copy()
                for r in range(ROWS):
                    if bd.full[turn.board, r, fill[r]] and not bd.full[turn.board, r, turn.fill[r]]:
                        scores[-1] = max(0, scores[-1] + bd.points[turn.board, r])
                turn = Turn(turn.board, scores, turn.dice, fill, hand, turn.hero)
                prepare(bd, expert, learned, turn, room)
                tree(bd, rl, learned, turn, room, grand)
                node = 0
            child, rest = best_child(rl, room, node, hand, roll)
            go_on = max(room.end[node, 0], room.roll[node, 0])
            if child < 0 or best_of(room, child, rest, 0) <= go_on:
                break
        if room.end[node, 0] >= room.roll[node, 0]:
            return node, hand, luck


@compiled
def play(
    bd: Boards,
    rl: Rolls,
    expert: Net,
    learned: Net,
    seats: int,
    hero: int,
    grand: bool,
    room: Space,
    record: Any,
) -> tuple[float, float, int]:
    """Play a game. Return what the hero won (a shared win is a part), its luck, and how many records were
    written.

    ``grand`` is whether the hero is a grandmaster; all others are experts. ``learned`` is also for the hero's
    luck. A record is an open row at the beginning of a turn: board, row, state, open boxes, the seat to move,
    the dice in playing order, the place of who completed it, how many rows of the turn are recorded before,
    the scores, and the winners' places as bits.
    """
    scores = np.full(seats, START_POINTS)
    pile = np.random.permutation(len(bd.points))
    luck, seat, boards_played, records = 0.0, 0, 0, 0
    while scores.max() < TARGET:
        if boards_played == len(pile):
            pile, boards_played = np.random.permutation(len(bd.points)), 0
        b = pile[boards_played]
        boards_played += 1
        dice, fill = np.full(seats, NUMBER_OF_DICE // seats), np.zeros(ROWS, np.int64)
        owner, begun = np.full(ROWS, -1), records
        boxes = bd.size[b].sum()
        while boxes:
            hand = min(DICE_A_TURN, dice[seat])
            order = (seat + 1 + np.arange(seats)) % seats
            held, before = dice[order], records
            for r in range(ROWS):
                if records < len(record) and not bd.full[b, r, fill[r]]:
                    record[records, 0], record[records, 1], record[records, 2] = b, r, fill[r]
                    record[records, 3], record[records, 4] = boxes, seat
                    record[records, 5] = held[-1]
                    record[records, 6 : 5 + seats] = held[:-1]
                    record[records, 12] = records - before
                    record[records, 13] = scores[seat]
                    record[records, 14 : 13 + seats] = scores[order[:-1]]
                    records += 1
            held[-1] -= hand
            turn = Turn(b, scores[order], held, fill, hand, (hero - seat - 1) % seats)
            node, left, lucky = play_turn(bd, rl, expert, learned, turn, room, grand and seat == hero)
            luck += lucky
            for r in range(ROWS):
                state = room.fills[node, r]
                if bd.full[b, r, state] and not bd.full[b, r, fill[r]]:
                    owner[r] = seat
                    scores[seat] = max(0, scores[seat] + bd.points[b, r])
            boxes -= hand - left
            fill, dice[seat] = room.fills[node].copy(), dice[seat] - hand + left
            if boxes:
                seat = (seat + 1) % seats
                while not dice[seat]:
                    seat = (seat + 1) % seats
        for k in range(begun, records):
            record[k, 11] = (owner[record[k, 1]] - record[k, 4]) % seats
        seat = (seat + 1) % seats
    for k in range(records):
        for place in range(seats):
            if scores[(record[k, 4] + place) % seats] == scores.max():
                record[k, 19] |= 1 << place
    final = [float(score) for score in scores]
    return _chance(final, hero, float(TARGET), 0.0, learned.spread), luck, records


@compiled
def inputs(bd: Boards, seats: int, records: Any, own: Any, row: Any, estimate: Any) -> None:
    """Write what a network sees of each record, and the estimate that it corrects."""
    for k in range(len(records)):
        b, r, state, boxes = records[k, 0], records[k, 1], records[k, 2], records[k, 3]
        dice = records[k, 5 : 5 + seats]
        hands = np.minimum(dice, 5)
        chances = np.empty(seats)
        for turn in range(seats):
            chances[turn] = bd.alone[b, r, state, hands[turn]]
        missing, black = bd.size[b, r] - bd.placed[b, r, state], bd.points[b, r] < 0
        close, far, growth = BLACK if black else YELLOW
        found = _shared(close, far, growth, missing == 1, chances, hands)
        for turn in range(seats):
            estimate[k, turn] = found[turn]
        mine = _features(estimate[k], chances, dice, 1.0 if black else 0.0)
        for turn in range(seats):
            for feature in range(len(mine[turn])):
                own[k, turn, feature] = mine[turn][feature]
        see(bd, b, r, state, boxes, row[k])


@compiled
def expected(
    bd: Boards, learned: Net, seats: int, records: Any, scores: Any, open_points: Any, won: Any
) -> int:
    """Write the scores expected at the end of the round, what the open rows pay or cost, and who won, for the
    beginning of each turn with more open rows than are counted out. Do the same for the end of each round.
    Return how many that are."""
    found, first, share, common = 0, 0, np.zeros(seats), np.zeros(9)
    for k in range(len(records)):
        if records[k, 12] == 0:
            first = k
        b, r, state, boxes = records[k, 0], records[k, 1], records[k, 2], records[k, 3]
        if r == 0 and boxes == bd.size[b].sum():
            # A round begins where another one has ended.
            write(records, k, seats, scores, won, found)
            found += 1
        if k + 1 < len(records) and records[k + 1, 12]:
            continue
        rows = k + 1 - first
        if rows <= MAX_COUNTED_OUT:
            continue
        write(records, k, seats, scores, won, found)
        for j in range(first, k + 1):
            b, r, state = records[j, 0], records[j, 1], records[j, 2]
            see(bd, b, r, state, boxes, common)
            row_shares(bd, learned, b, r, state, records[j, 5 : 5 + seats], common, share)
            open_points[found] += abs(bd.points[b, r])
            for place in range(seats):
                scores[found, place] += share[place] * bd.points[b, r]
        found += 1
    return found


@compiled
def write(records: Any, k: int, seats: int, scores: Any, won: Any, at: int) -> None:
    """Write scores and winners of a record; those who share a win have a part of it."""
    winners = 0
    for place in range(seats):
        scores[at, place] = records[k, 13 + place]
        winners += records[k, 19] >> place & 1
    for place in range(seats):
        won[at, place] = (records[k, 19] >> place & 1) / winners


@compiled
def set_seed(seed: int) -> None:
    np.random.seed(seed)


def no_net(seats: int) -> Net:
    """The estimate as it is."""
    width = completion.OWN
    return Net(
        False,
        many_players.SPREADS[seats],
        np.zeros((width, 1)),
        np.zeros((seats, 1)),
        np.zeros((completion.COMMON, 1)),
        np.zeros(1),
        np.zeros(1),
        np.zeros(width),
    )


def net(network: completion.Network, seats: int) -> Net:
    """Return shipped weights as arrays."""
    own, common = np.array(network.own).T.copy(), np.array(network.common).T.copy()
    rest = (np.array(one) for one in (network.bias, network.out, network.direct))
    return Net(True, many_players.SPREADS[seats], own, np.array(network.turn), common, *rest)


def examples(seats: int, number: int, seed: int) -> tuple[Any, Any, Any, Any]:
    """Return from experts' games the features of the seats and of the row, the estimate, and who completed
    it."""
    records = recorded(seats, number, seed)
    # Neighbours say nearly the same, so that held back records should not be their neighbours.
    own = np.zeros((number, seats, completion.OWN))
    row, estimate = np.zeros((number, completion.COMMON)), np.zeros((number, seats))
    inputs(boards(), seats, records, own, row, estimate)
    return own, row, estimate, records[:, 11]


def standings(network: completion.Network, seats: int, number: int, seed: int) -> tuple[Any, Any, Any]:
    """Return from experts' games, with ``number`` records, what the formula of the chance is used for: the
    scores expected at the end of the round, and what the open rows pay or cost. The last is who won."""
    records = recorded(seats, number, seed)
    scores, points, won = np.zeros((2 * number, seats)), np.zeros(2 * number), np.zeros((2 * number, seats))
    found = expected(boards(), net(network, seats), seats, records, scores, points, won)
    return scores[:found], points[:found], won[:found]


def recorded(seats: int, number: int, seed: int) -> Any:
    """Return records of experts' games."""
    bd, rl, room, nobody = boards(), all_rolls(), space(), no_net(seats)
    set_seed(seed)
    records, done = np.zeros((number, COLUMNS), np.int64), 0
    while done < number:
        done += play(bd, rl, nobody, nobody, seats, 0, False, room, records[done:])[2]
    return records
