"""The tool that cuts Discord's description of its API down to what the bot uses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tools import api_description
from tools.api_description import ROUTES, main, prune, written

NAMED = {"$ref": "#/components/schemas/Body"}


def whole() -> dict[str, Any]:
    """A description that knows all routes; a message refers to a part, which refers to another."""
    content = {kind: {"schema": NAMED} for kind in ("application/json", api_description.FORMS)}
    operation = {
        "operationId": "x",
        "requestBody": {"content": content},
        "responses": {"200": {}},
        "security": [],
    }
    ref = "#/components/schemas/"
    return {
        "openapi": "3.1.0",
        "info": {"title": "Discord"},
        "servers": [],
        "paths": {
            **{
                path: {"parameters": [], **dict.fromkeys(methods, operation)}
                for path, methods in ROUTES.items()
            },
            "/lobbies": {"post": operation},
        },
        "components": {
            "schemas": {
                "Body": {"type": "object", "properties": {"part": {"$ref": f"{ref}Part"}}},
                "Part": {"type": "array", "items": {"$ref": f"{ref}Inner"}},
                "Inner": {"type": "string"},
                "Unused": {"type": "string"},
            },
            "responses": {},
        },
    }


def test_only_what_requests_need_stays() -> None:
    cut = prune(whole())
    assert cut["paths"].keys() == ROUTES.keys()
    assert cut["components"] == {
        "schemas": {name: whole()["components"]["schemas"][name] for name in ("Body", "Inner", "Part")}
    }
    assert cut["paths"]["/channels/{channel_id}/messages"]["post"] == {
        "operationId": "x",
        "requestBody": {"content": {"application/json": {"schema": NAMED}}},
    }


def test_cutting_again_changes_nothing() -> None:
    kept = api_description.TARGET.read_text("utf-8")
    assert written(prune(json.loads(kept))) == kept


def test_the_command_writes_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "cut.json"
    monkeypatch.setattr(api_description, "TARGET", target)
    source = tmp_path / "openapi.json"
    source.write_text(json.dumps(whole()))
    assert main([str(source)]) == 0
    assert json.loads(target.read_text()) == prune(whole())
    assert str(target) in capsys.readouterr().out


def test_a_route_that_is_gone_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    description = whole()
    del description["paths"]["/gateway/bot"]
    source = tmp_path / "openapi.json"
    source.write_text(json.dumps(description))
    assert main([str(source)]) == 1
    assert "get /gateway/bot" in capsys.readouterr().err
    assert main([]) == 2
