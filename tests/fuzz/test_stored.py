"""Whatever stands in the database beside a game's state: it is read, done without, or refused as damaged."""

from __future__ import annotations

import contextlib
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.games.core import Unreadable
from bot.records import turn_statistics
from bot.sessions import narration
from tests.support.examples import examples, json_values

texts = st.text(max_size=30) | json_values.map(json.dumps)
lines = st.lists(st.tuples(json_values, st.lists(json_values, max_size=3)), max_size=3).map(json.dumps)
sums = st.lists(st.tuples(json_values, json_values, json_values), max_size=3).map(json.dumps)


@given(text=texts | lines)
@settings(max_examples=examples(200), deadline=None)
def test_any_news_are_told_or_left_out(text: str) -> None:
    assert isinstance(narration.loads(text), tuple)


@given(text=texts | sums)
@settings(max_examples=examples(200), deadline=None)
def test_any_tally_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(Unreadable):
        assert isinstance(turn_statistics.loads(text), (list, tuple))
