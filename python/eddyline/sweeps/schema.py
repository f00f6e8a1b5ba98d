"""The columns that a sweep's tables may have, by the schema of results."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import eddyline._core as _core

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["columns"]

_TYPES = ("number", "integer", "boolean", "string")


@cache
def columns(of: str) -> Mapping[str, str]:
    """The JSON type of every column of a table, by dotted name; `null` is left out, and what fits no column.

    Args:
        of: A part of the result document, as `"flows"`.
    """
    schema = json.loads(_core.schema("result"))
    return dict(_leaves(schema["properties"][of]["items"], schema["$defs"], ""))


def _leaves(schema: Mapping[str, Any], definitions: Mapping[str, Any], name: str) -> Iterator[tuple[str, str]]:
    """Dotted names and types of the values within a value of this schema."""
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    for each in schema.get("anyOf", ()):
        yield from _leaves(each, definitions, name)
    for field, inner in schema.get("properties", {}).items():
        yield from _leaves(inner, definitions, f"{name}.{field}" if name else field)
    types = schema.get("type", ())
    for each in [types] if isinstance(types, str) else types:
        if each in _TYPES:
            yield name, each
