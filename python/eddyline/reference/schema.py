"""Reading JSON Schemas: types, ranges and defaults as text."""

from __future__ import annotations

import json
from typing import Any

from eddyline.reference.markdown import code

__all__ = ["Schema", "default", "fields_in_order", "kind_of", "limits"]

Json = dict[str, Any]

_REFERENCE = "#/$defs/"
_FORMATS = {"queue-limit": "queue limit"}
_RANGES = (
    ("minimum", "at least"),
    ("x-minimum", "at least"),
    ("exclusiveMinimum", "above"),
    ("x-exclusiveMinimum", "above"),
    ("maximum", "at most"),
    ("x-maximum", "at most"),
    ("exclusiveMaximum", "below"),
    ("x-exclusiveMaximum", "below"),
)


class Schema:
    """A JSON Schema with its definitions.

    Args:
        root: The schema as read.
    """

    def __init__(self, root: Json) -> None:
        self.root = root
        self.definitions: dict[str, Json] = root.get("$defs", {})

    def reached(self, start: Json, beyond: frozenset[str] = frozenset()) -> list[str]:
        """Definitions that `start` refers to, directly or not, in order; not through those in `beyond`."""
        found: list[str] = []
        waiting = list(_references(start))
        while waiting:
            name = waiting.pop(0)
            if name not in found and name not in beyond:
                found.append(name)
                waiting += _references(self.definitions[name])
        return found

    def types(self, schema: Json, link: dict[str, str]) -> str:
        """The type of a field as text; `link` has the address of each definition."""
        if "$ref" in schema:
            name = schema["$ref"].removeprefix(_REFERENCE)
            return f"[{code(name)}]({link[name]})" if name in link else code(name)
        if "const" in schema:
            return code(json.dumps(schema["const"]))
        for choice in ("anyOf", "oneOf"):
            if choice in schema:
                return " or ".join(self.types(s, link) for s in schema[choice] if s.get("type") != "null")
        if schema.get("type") == "array" or "items" in schema:
            return f"list of {self.types(schema['items'], link)}"
        if "format" in schema and "string" in _types(schema):
            return _FORMATS.get(schema["format"], str(schema["format"]))
        return " or ".join(t for t in _types(schema) if t != "null") or "any"


def _types(schema: Json) -> list[str]:
    given = schema.get("type", [])
    return [given] if isinstance(given, str) else list(given)


def _references(schema: Any) -> list[str]:
    if isinstance(schema, dict):
        own = [schema["$ref"].removeprefix(_REFERENCE)] if "$ref" in schema else []
        rest = [value for key, value in schema.items() if key not in ("$defs", "properties")]
        rest += fields_in_order(schema).values()
        return own + [name for value in rest for name in _references(value)]
    if isinstance(schema, list):
        return [name for value in schema for name in _references(value)]
    return []


def fields_in_order(schema: Json) -> Json:
    """The fields of a table: its name, those that are required in the order of their declaration, the others."""
    fields: Json = schema.get("properties", {})
    order = dict.fromkeys(["name", *schema.get("required", []), *fields])
    return {name: fields[name] for name in order if name in fields and not name.startswith("$")}


def limits(schema: Json) -> str:
    """The range of a field as text."""
    lower: list[str] = []
    upper: list[str] = []
    for key, words in _RANGES:
        if key in schema and not _of_the_type(schema, key):
            (lower if words in ("at least", "above") else upper).append(f"{words} {_number(schema[key])}")
    return ", ".join(lower + upper)


def _of_the_type(schema: Json, key: str) -> bool:
    """Whether a bound is that of an unsigned integer of some width, which says nothing about the field."""
    return bool(schema.get("format", "").startswith("uint")) and (
        (key == "minimum" and schema[key] == 0) or (key == "maximum" and schema[key] in (255, 2**32 - 1))
    )


def _number(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:,}" if isinstance(value, int) else f"{value:g}"


def default(schema: Json, required: bool) -> str:
    """`required`, the default as TOML, or nothing where the description has it."""
    if required:
        return "required"
    return code(_toml(schema["default"])) if schema.get("default") is not None else ""


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_toml(inner)}' for key, inner in value.items())} }}" if value else "{}"
    return json.dumps(value, ensure_ascii=False)


def kind_of(schema: Json) -> str | None:
    """The `kind` of one alternative of a choice, where it has one."""
    kind = schema.get("properties", {}).get("kind", {}).get("const")
    return kind if isinstance(kind, str) else None
