"""Python values as a scenario file writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from eddyline.errors import InputError, ScenarioError
from eddyline.utf8 import required

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Overrides: TypeAlias = Mapping[str, object] | Iterable[tuple[str, object] | str]

__all__ = ["assignment", "given_text", "pairs", "table_text", "value_text"]


def table_text(table: Mapping[str, Any], name: str) -> str:
    """A scenario table as JSON.

    Args:
        table: The table.
        name: What messages call it.

    Raises:
        ScenarioError: No scenario can hold one of its values; the message names the first such key.
    """
    if isinstance(table, (str, Path)):
        raise ScenarioError(f"{name}: {str(table)!r} is no table; a file is read by Scenario.load({str(table)!r})")
    try:
        return json.dumps(table, default=_plain, allow_nan=False)
    except (TypeError, ValueError) as e:
        raise ScenarioError(f"{name}: {_first_invalid(table) or e}") from None


def pairs(overrides: Overrides) -> list[tuple[str, str]]:
    """Overrides as dotted names with values as text.

    Args:
        overrides: A dict, pairs, or texts as `--set` takes them, one or several.

    Raises:
        InputError: It is none of these.
        ScenarioError: No scenario can hold one of the values; the message names the key.
    """
    from collections.abc import Iterable, Mapping

    if isinstance(overrides, Mapping):
        items: Iterable[Any] = overrides.items()
    elif isinstance(overrides, str) or not isinstance(overrides, Iterable):
        items = [overrides]
    else:
        items = overrides
    return [_pair(item) for item in items]


def _pair(item: object) -> tuple[str, str]:
    pair = assignment(item) if isinstance(item, str) else item
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not isinstance(pair[0], str):
        raise InputError(f"{item!r} is no override", "as in {'link.up.rate': '5 Mbit/s'} or 'link.up.rate=5 Mbit/s'")
    key = required(pair[0])
    return key, given_text(key, pair[1])


def assignment(text: str) -> tuple[str, str] | None:
    """KEY=VALUE, split at the first `=` outside quotes; none if there is no key or no `=`."""
    quote, escaped = "", False
    for place, char in enumerate(text):
        if escaped:
            escaped = False
        elif quote:
            escaped = quote == '"' and char == "\\"
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char == "=":
            return (text[:place].strip(), text[place + 1 :].strip()) if place else None
    return None


def given_text(key: str, value: object) -> str:
    """A value that Python gives for a key, as `--set` takes it.

    Raises:
        ScenarioError: No scenario can hold it; the message names the key.
    """
    if value is None:
        raise ScenarioError(f"{key}: None is no value of a scenario")
    if invalid := _first_invalid(value, key):
        raise ScenarioError(invalid)
    return value_text(value)


def value_text(value: object) -> str:
    """A value as `--set` takes it: a text as it is, a dict as an inline table."""
    return required(value if isinstance(value, str) else _toml(value))


def _toml(value: object) -> str:
    """A value within TOML."""
    if isinstance(value, dict):
        # TOML has no null: a key without a value is left out
        inner = (f"{_key(str(key))} = {_toml(each)}" for key, each in value.items() if each is not None)
        return f"{{ {', '.join(inner)} }}" if value else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, default=_plain, ensure_ascii=False)


def _key(name: str) -> str:
    bare = name.replace("-", "").replace("_", "").isalnum() and name.isascii()
    return name if bare else json.dumps(name, ensure_ascii=False)


def _plain(value: object) -> object:
    """JSON values of paths, numpy's numbers and arrays."""
    if isinstance(value, Path):
        return str(value)
    tolist = getattr(value, "tolist", None)
    if callable(tolist):
        return tolist()
    raise TypeError(f"a scenario cannot hold a {type(value).__name__}")


def _first_invalid(value: object, key: str = "", within: tuple[int, ...] = ()) -> str | None:
    """The first value that no scenario can hold, by its key, and the reason."""
    place = f"{key}: " if key else ""
    if isinstance(value, (dict, list, tuple)):
        if id(value) in within:
            return f"{place}a table or list within itself"
        named = isinstance(value, dict)
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        found = (
            _first_invalid(v, (f"{key}.{k}" if key else str(k)) if named else f"{key}[{k}]", (*within, id(value)))
            for k, v in inner
        )
        return next(filter(None, found), None)
    try:
        json.dumps(value, default=_plain, allow_nan=False)
    except TypeError as e:
        return f"{place}{e}"
    except ValueError:
        return f"{place}{value} is not a finite number"
    return None
