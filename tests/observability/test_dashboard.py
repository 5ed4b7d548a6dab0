"""The dashboard and the manual name only existing metrics, and the manual names all of them."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from bot.observability import metrics
from bot.settings import NAMES

ROOT = Path(__file__).parents[2]
NAME = re.compile(r"\b(?:dicebot|process)_[a-z_]+")


@pytest.fixture
def series(monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    """The labels of everything a scrape holds, by name of the sample."""
    monkeypatch.setattr(metrics, "unseen_answers", Counter({10062: 1}))
    metrics.set_version("1.2.3")
    now = metrics.Snapshot(True, 0.1, 1, {("tutto", "live"): 1})
    text = (generate_latest(metrics.REGISTRY) + generate_latest(now)).decode()
    return {
        sample.name: set(sample.labels)
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def expressions() -> list[str]:
    dashboard = json.loads((ROOT / "deploy" / "grafana.json").read_text(encoding="utf-8"))
    return [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


def test_the_dashboard_asks_for_what_there_is(series: dict[str, set[str]]) -> None:
    assert len(expressions()) > 20
    for expression in expressions():
        names = NAME.findall(expression)
        assert names, expression
        labels = set().union(*(series[name] for name in names if name in series))
        assert set(names) <= series.keys(), expression
        grouped = re.findall(r"by \(([^)]*)\)", expression)
        asked = {one.strip() for group in grouped for one in group.split(",")}
        asked |= set(re.findall(r'(\w+)=~?"', expression))
        assert asked <= labels | {"job", "instance"}, expression


def test_no_two_panels_are_in_one_place() -> None:
    dashboard = json.loads((ROOT / "deploy" / "grafana.json").read_text(encoding="utf-8"))
    taken = Counter(
        (x, y)
        for panel in dashboard["panels"]
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    )
    assert set(taken.values()) == {1}
    assert max(x for x, _ in taken) < 24


MANUAL = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")


def test_the_manual_explains_every_metric_and_no_other(series: dict[str, set[str]]) -> None:
    own = {re.sub(r"_(bucket|sum|count)$", "", name) for name in series if name.startswith("dicebot_")}
    assert set(re.findall(r"\bdicebot_[a-z_]+", MANUAL)) == own
    for name in own:
        row = next(line for line in MANUAL.splitlines() if line.startswith("|") and f"`{name}`" in line)
        labels = set().union(*(series[one] for one in series if one.startswith(name))) - {"le"}
        if name != "dicebot_info":
            assert labels <= set(re.findall(r"`(\w+)`", row)), name


def test_the_manual_lists_every_setting() -> None:
    table = MANUAL.partition("## Settings")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `([A-Z_]+)` \|", table, re.MULTILINE)) == NAMES
