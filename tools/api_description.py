"""Cut Discord's description of its HTTP API down to what the tests check requests against.

    python -m tools.api_description discord-api-spec/specs/openapi.json

The file comes from https://github.com/discord/discord-api-spec (MIT). Written to ``tests/support/contract/``
are the operations of ``ROUTES`` without their responses, and the schemas that their requests reach.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "tests" / "support" / "contract" / "openapi.json"

ROUTES: dict[str, tuple[str, ...]] = {
    "/applications/{application_id}/commands": ("get", "put"),
    "/applications/{application_id}/emojis": ("get", "post"),
    "/applications/{application_id}/emojis/{emoji_id}": ("delete",),
    "/applications/{application_id}/guilds/{guild_id}/commands": ("get", "put"),
    "/channels/{channel_id}": ("get",),
    "/channels/{channel_id}/messages": ("get", "post"),
    "/channels/{channel_id}/messages/{message_id}": ("get", "patch", "delete"),
    "/channels/{channel_id}/messages/{message_id}/threads": ("post",),
    "/channels/{channel_id}/thread-members/{user_id}": ("put",),
    "/gateway": ("get",),
    "/gateway/bot": ("get",),
    "/guilds/{guild_id}": ("get",),
    "/guilds/{guild_id}/channels": ("get",),
    "/guilds/{guild_id}/members/{user_id}": ("get",),
    "/interactions/{interaction_id}/{interaction_token}/callback": ("post",),
    "/oauth2/applications/@me": ("get",),
    "/users/@me": ("get",),
    "/users/@me/channels": ("post",),
    "/users/@me/guilds": ("get",),
    "/webhooks/{webhook_id}/{webhook_token}": ("post",),
    "/webhooks/{webhook_id}/{webhook_token}/messages/@original": ("get", "patch", "delete"),
}
"""What the bot asks Discord for: paths as the description writes them, and their methods."""

KEPT = ("operationId", "parameters", "requestBody")
FORMS = "application/x-www-form-urlencoded"
_REFERENCE = re.compile(r'"#/components/schemas/(\w+)"')

Description = dict[str, Any]


def prune(whole: Description) -> Description:
    """Return the part of a description that ``ROUTES`` needs.

    Raises :class:`ValueError` if it lacks a route.
    """
    paths = {}
    for path, methods in ROUTES.items():
        known = whole["paths"].get(path, {})
        if missing := [method for method in methods if method not in known]:
            raise ValueError(f"the description does not know {', '.join(missing)} {path}")
        paths[path] = {"parameters": known.get("parameters", [])}
        paths[path] |= {method: _requested(known[method]) for method in methods}
    schemas = whole["components"]["schemas"]
    return {
        "openapi": whole["openapi"],
        "info": whole["info"],
        "paths": paths,
        "components": {"schemas": {name: schemas[name] for name in sorted(_reached(paths, schemas))}},
    }


def _requested(operation: Description) -> Description:
    kept = {key: operation[key] for key in KEPT if key in operation}
    if "requestBody" in kept:
        body = kept["requestBody"]
        content = {kind: schema for kind, schema in body["content"].items() if kind != FORMS}
        kept["requestBody"] = {**body, "content": content}
    return kept


def _reached(part: Any, schemas: Description) -> set[str]:
    """Return the names of the schemas that a part refers to, and of those that these refer to."""
    found: set[str] = set()
    waiting = [part]
    while waiting:
        for name in _REFERENCE.findall(json.dumps(waiting.pop())):
            if name not in found:
                found.add(name)
                waiting.append(schemas[name])
    return found


def written(description: Description) -> str:
    """Return a description as JSON with a line for each path and schema, so that differences can be read."""

    def lines(values: Description, indent: str) -> str:
        return ",\n".join(f"{indent}{json.dumps(key)}: {json.dumps(value)}" for key, value in values.items())

    head = lines({key: description[key] for key in ("openapi", "info")}, " ")
    paths = lines(description["paths"], "  ")
    schemas = lines(description["components"]["schemas"], "   ")
    return (
        f'{{\n{head},\n "paths": {{\n{paths}\n }},\n'
        f' "components": {{\n  "schemas": {{\n{schemas}\n  }}\n }}\n}}\n'
    )


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        text = written(prune(json.loads(Path(arguments[0]).read_text("utf-8"))))
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    TARGET.write_text(text, "utf-8")
    print(f"{TARGET}: {len(text)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
