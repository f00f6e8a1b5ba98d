"""Tables of TOML files as dataclasses, with errors that name the key."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args, get_origin, get_type_hints

from eddyline.errors import InputError
from eddyline.spelling import unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["filled", "parse"]

T = TypeVar("T")


def parse(kind: type[T], table: Mapping[str, Any], where: str) -> T:
    """The dataclass `kind` from a table; nested tables become nested dataclasses.

    Args:
        kind: A dataclass whose fields are texts, numbers, booleans, lists, dicts or other dataclasses.
        table: The table.
        where: What error messages call it.

    Raises:
        InputError: A key is unknown, missing or of the wrong type.
    """
    if not isinstance(table, dict):
        raise InputError(f"{where}: this is {table!r}; it must be a table")
    known = {f.name: f for f in fields(kind)}  # type: ignore[arg-type]
    hints = get_type_hints(kind)
    for key in table:
        if key not in known:
            raise InputError(f"{where}: {unknown('key', key, known)}")
    for name, field in known.items():
        if name not in table and field.default is MISSING and field.default_factory is MISSING:
            raise InputError(f"{where}: key {name!r} is missing")
    return kind(**{key: _value(hints[key], value, f"{where}, {key}") for key, value in table.items()})


def _value(hint: Any, value: Any, where: str) -> Any:
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    for kind in kinds:
        if is_dataclass(kind) and isinstance(value, dict):
            return parse(cast("type", kind), value, where)
        if get_origin(kind) is list and isinstance(value, list):
            (item,) = get_args(kind)
            return [_value(item, each, f"{where}[{place}]") for place, each in enumerate(value)]
    plain = [get_origin(kind) or kind for kind in kinds]
    if Any in plain or any(isinstance(value, kind) for kind in plain if not isinstance(value, bool) or kind is bool):
        return value
    if float in plain and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    wanted = [_NAMES.get(kind, "a table") for kind in plain if kind is not NoneType]
    raise InputError(f"{where}: this is {value!r}; it must be {' or '.join(wanted)}")


_NAMES = {
    str: "a text",
    float: "a number",
    int: "a whole number",
    bool: "true or false",
    list: "a list",
}


def filled(text: str, values: Mapping[str, Any], where: str) -> str:
    """A template with its fields `{name:format}` filled; runs of white space become one blank.

    Raises:
        InputError: A field has no value, or one that does not fit its format.
    """
    try:
        return " ".join(text.split()).format_map(values)
    except KeyError as e:
        raise InputError(f"{where}: {text!r} needs a value for {e}") from None
    except (ValueError, TypeError, IndexError) as e:
        raise InputError(f"{where}: {text!r} cannot be filled: {e}") from None
