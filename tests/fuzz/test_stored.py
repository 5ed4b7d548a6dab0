"""Arbitrary values in the columns of a game are read, ignored, or refused as damaged."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.store import encoding
from bot.store.base import Damaged
from tests.support.examples import examples, json_values
from tests.support.rows import a_game, stored_as

texts = st.text(max_size=30) | json_values.map(json.dumps)
lines = st.lists(st.tuples(json_values, st.lists(json_values, max_size=3)), max_size=3).map(json.dumps)
sums = st.lists(st.tuples(json_values, json_values, json_values), max_size=3).map(json.dumps)


@given(text=texts | lines)
@settings(max_examples=examples(200), deadline=None)
def test_any_narration_is_told_or_left_out(text: str) -> None:
    assert isinstance(stored_as(a_game(), news=text).lines, tuple)


@given(text=texts | sums)
@settings(max_examples=examples(200), deadline=None)
def test_any_statistics_are_read_or_damaged(text: str) -> None:
    assert isinstance(stored_as(a_game(), tally=text).stats, (Damaged, tuple))


@given(text=texts | lines, column=st.sampled_from(["options", "state", "first_chance"]))
@settings(max_examples=examples(200), deadline=None)
def test_what_can_not_be_read_is_written_back_as_it_was(text: str, column: str) -> None:
    row = stored_as(a_game(), **{column: text})
    if isinstance(getattr(row, column), Damaged):
        assert encoding.new_game_columns(row)[column] == text
