"""Discord's description of its HTTP API, made into validators: one for each operation, built once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, ValidationError, validators

from tests.support.contract.request import Request

FILE = Path(__file__).parent / "openapi.json"

Schema = dict[str, Any]

DOCUMENTED: dict[str, Schema] = {
    # https://docs.discord.com/developers/interactions/receiving-and-responding
    "IncomingWebhookUpdateForInteractionCallbackRequestPartial": {"tts": {"type": "boolean"}},
    "IncomingWebhookUpdateRequestPartial": {"tts": {"type": "boolean"}},
    "MessageEditRequestPartial": {"tts": {"type": "boolean"}},
    # https://docs.discord.com/developers/interactions/application-commands
    "ApplicationCommandUpdateRequest": {"nsfw": {"type": "boolean"}},
}
"""Fields that the documentation knows and the description lacks, by schema."""


@dataclass(frozen=True)
class Operation:
    """A method of a path: its parts, and what validates what goes with it; no ``body`` if it takes none."""

    template: tuple[str, ...]
    path: Mapping[str, Draft202012Validator]
    query: Mapping[str, Draft202012Validator]
    body: Draft202012Validator | None
    takes_files: bool


class Description:
    """The operations that the bot uses, each with its validators."""

    def __init__(self, text: str) -> None:
        whole = json.loads(text)
        self._schemas: dict[str, Schema] = whole["components"]["schemas"]
        self._plain: dict[str, Schema] = {}
        self._operations: dict[str, list[Operation]] = {}
        for path, methods in whole["paths"].items():
            for method, described in methods.items():
                if method != "parameters":
                    parameters = methods["parameters"] + described.get("parameters", [])
                    operation = self._operation(path, parameters, described.get("requestBody"))
                    self._operations.setdefault(method.upper(), []).append(operation)

    def violations(self, request: Request) -> list[str]:
        """Return what the description says against a request, a line each."""
        parts = tuple(request.path.strip("/").split("/"))
        operation = self._find(request.method, parts)
        if operation is None:
            return [f"{request.method} {request.path} is not described"]
        found = [
            f"path: {template} {error.message}"
            for template, part in zip(operation.template, parts, strict=True)
            if template in operation.path
            for error in operation.path[template].iter_errors(part)
        ]
        for name, value in request.query.items():
            if name not in operation.query:
                found.append(f"query: {name} is not described")
            else:
                found += [
                    f"query: {name} {e.message}" for e in operation.query[name].iter_errors(_typed(value))
                ]
        return found + self._of_body(operation, request)

    def _of_body(self, operation: Operation, request: Request) -> list[str]:
        if request.files and not operation.takes_files:
            return ["files: this operation takes none"]
        if operation.body is None:
            return [] if request.body is None else ["body: this operation takes none"]
        return [f"{error.json_path}: {error.message}" for error in operation.body.iter_errors(request.body)]

    def _find(self, method: str, parts: Sequence[str]) -> Operation | None:
        """Return the operation whose path fits; of several the one that says most of it to the letter."""
        fitting = [one for one in self._operations.get(method, ()) if _fits(one.template, parts)]
        return min(fitting, key=lambda one: len(one.path), default=None)

    def _operation(self, path: str, parameters: Sequence[Schema], body: Schema | None) -> Operation:
        by_place: dict[str, dict[str, Draft202012Validator]] = {"path": {}, "query": {}}
        for one in parameters:
            name = f"{{{one['name']}}}" if one["in"] == "path" else one["name"]
            by_place[one["in"]][name] = _Validator(self._simple(one["schema"]))
        content = body["content"] if body else {}
        return Operation(
            tuple(path.strip("/").split("/")),
            by_place["path"],
            by_place["query"],
            _Validator(self._simple(content["application/json"]["schema"])) if content else None,
            "multipart/form-data" in content,
        )

    def _named(self, name: str) -> Schema:
        if name not in self._plain:
            schema = self._schemas[name]
            if name in DOCUMENTED:
                schema = {**schema, "properties": schema["properties"] | DOCUMENTED[name]}
            self._plain[name] = self._simple(schema)
        return self._plain[name]

    def _simple(self, schema: Schema) -> Schema:
        """Return a schema without references, closed to unknown keys, and with its unions chosen by ``type``.

        Validating it is several times as fast, and an error names the one place where something is wrong.
        """
        if "$ref" in schema:
            return self._named(schema["$ref"].rpartition("/")[2])
        simple = {key: value for key, value in schema.items() if key in _KEPT}
        if simple.get("format") == "snowflake":
            # https://docs.discord.com/developers/reference#id-serialization: ids may be sent as integers.
            simple["type"] = ["string", "integer"]
        if "properties" in simple:
            simple["properties"] = {
                key: _Property(self._simple(one)) for key, one in simple["properties"].items()
            }
            simple.setdefault("additionalProperties", False)
        simple.pop("format", None)
        for key in ("items", "additionalProperties"):
            if isinstance(simple.get(key), dict):
                simple[key] = self._simple(simple[key])
        if "enum" not in simple:  # with it, allOf and oneOf only name the values
            simple |= self._union(schema.get("oneOf") or schema.get("anyOf") or [])
            simple |= {"allOf": [self._simple(one) for one in schema["allOf"]]} if "allOf" in schema else {}
        return simple

    def _union(self, members: Sequence[Schema]) -> Schema:
        if not members:
            return {}
        if all("const" in one for one in members):
            return {"enum": [one["const"] for one in members]}
        others = [one for one in members if one != {"type": "null"}]
        made = [self._simple(one) for one in others]
        types = [one.get("properties", {}).get("type", {}).get("enum") for one in made]
        union: Schema
        if len(made) == 1:
            (union,) = made
        elif all(types):
            union = {
                "byType": {kind: one for kinds, one in zip(types, made, strict=True) for kind in kinds or ()}
            }
        else:
            union = {"anyOf": made}
        return union if len(others) == len(members) else {"orNull": union}


@cache
def described() -> Description:
    """Return the description that lies beside this module."""
    return Description(FILE.read_text("utf-8"))


_KEPT = frozenset(
    [
        *("type", "enum", "const", "properties", "required", "additionalProperties", "maxProperties"),
        *("items", "minItems", "maxItems", "uniqueItems"),
        *("minLength", "maxLength", "pattern", "format", "minimum", "maximum"),
    ]
)
"""The keywords that say what is allowed, but for unions; the other ones describe."""


class _Property(Schema):
    """The schema of a property, which is the same as no other."""

    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__
    __ne__ = object.__ne__


def _properties(
    validator: Draft202012Validator, properties: Mapping[str, _Property], instance: Any, _: Schema
) -> Iterator[ValidationError]:
    """Validate the properties that an object has; what a value was found to be is remembered."""
    if not isinstance(instance, dict):
        return
    for key in properties.keys() & instance.keys():
        value = instance[key]
        if isinstance(value, (dict, list)) or not _is_valid(properties[key], value):
            yield from validator.descend(value, properties[key], path=key, schema_path=key)


@lru_cache(maxsize=4096, typed=True)
def _is_valid(schema: _Property, value: str | float | None) -> bool:
    return _Validator(schema).is_valid(value)


def _by_type(
    validator: Draft202012Validator, members: Mapping[int, Schema], instance: Any, _: Schema
) -> Iterator[ValidationError]:
    """Validate an object by the member of a union that has its ``type``."""
    kind = instance.get("type") if isinstance(instance, dict) else None
    if not isinstance(kind, int) or kind not in members:
        yield ValidationError(f"{kind!r} is none of the types {sorted(members)}")
    else:
        yield from validator.descend(instance, members[kind])


def _or_null(
    validator: Draft202012Validator, schema: Schema, instance: Any, _: Schema
) -> Iterator[ValidationError]:
    if instance is not None:
        yield from validator.descend(instance, schema)


_Validator: type[Draft202012Validator] = validators.extend(  # type: ignore[no-untyped-call]
    Draft202012Validator, {"properties": _properties, "byType": _by_type, "orNull": _or_null}
)


def _fits(template: Sequence[str], parts: Sequence[str]) -> bool:
    return len(template) == len(parts) and all(
        mine == theirs or (mine.startswith("{") and not theirs.startswith("@"))
        for mine, theirs in zip(template, parts, strict=True)
    )


def _typed(value: Any) -> Any:
    """Return a value of a query, which is text, as JSON has it.

    >>> _typed("1"), _typed("true"), _typed("name")
    (True, True, 'name')
    """
    text = str(value).lower()
    if text in ("0", "1", "true", "false"):
        return text in ("1", "true")
    return int(text) if re.fullmatch(r"-?\d{1,15}", text) else value
