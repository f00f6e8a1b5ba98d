"""Parameters of a controller's constructor, as scenarios write them."""

from __future__ import annotations

import inspect
import json
import math
import types
import typing
from dataclasses import dataclass
from enum import Enum
from numbers import Integral, Real
from typing import Annotated, Any, Literal, TypeAlias

import eddyline._core as _core
from eddyline.errors import InputError

__all__ = ["Bytes", "Duration", "Frequency", "Packets", "Parameters", "Percent", "Rate", "constructor", "hints"]


@dataclass(frozen=True)
class _Unit:
    """A quantity with a unit: text in a scenario, a number in SI units in Python."""

    format: str
    symbol: str
    scale: float = 1.0


Duration: TypeAlias = Annotated[float, _Unit("time", "s")]
"""A parameter that scenarios write as `"20 ms"` and the constructor gets in seconds."""
Rate: TypeAlias = Annotated[float, _Unit("rate", "bit/s")]
"""A parameter that scenarios write as `"10 Mbit/s"` and the constructor gets in bits a second."""
Bytes: TypeAlias = Annotated[float, _Unit("bytes", "B")]
"""A parameter that scenarios write as `"1500 B"`."""
Packets: TypeAlias = Annotated[float, _Unit("packets", "packets")]
"""A parameter that scenarios write as `"100 packets"`."""
Frequency: TypeAlias = Annotated[float, _Unit("frequency", "/s")]
"""A parameter that scenarios write as `"0.5 /s"`."""
Percent: TypeAlias = Annotated[float, _Unit("percent", "%", 100.0)]
"""A parameter that scenarios write as `"3 %"` and the constructor gets as a fraction of one."""

_SIMPLE = {float: "number", int: "integer", bool: "boolean", str: "string"}
_DEFAULTS: dict[str, tuple[type, str]] = {
    "number": (Real, "a number"),
    "integer": (Integral, "a whole number"),
    "boolean": (bool, "True or False"),
    "string": (str, "a text"),
}
_REQUIRED = inspect.Parameter.empty


@dataclass(frozen=True)
class _Parameter:
    name: str
    schema: dict[str, Any]
    unit: _Unit | None
    number: bool
    whole: bool
    """A number whose whole values are ints, as its default is."""
    default: Any

    def read(self, value: Any) -> Any:
        """What the constructor gets for a value as a scenario writes it."""
        if self.unit is not None:
            return _core.quantity(self.unit.format, value)
        if self.number:
            whole = self.whole and (isinstance(value, int) or float(value).is_integer())
            return int(value) if whole else float(value)
        return value

    def written(self, value: Any) -> Any:
        """A value as a scenario writes it; raises where no scenario can."""
        if self.unit is not None and isinstance(value, str):
            return _core.canonical_quantity(self.unit.format, value)
        if self.unit is None or value is None:
            json.dumps(value, allow_nan=False)  # raises for what JSON does not have
            plain = _plain(value)
            return self.read(plain) if self.number else plain
        number = float(value) * self.unit.scale
        if not math.isfinite(number) or number < 0:
            raise ValueError(f"{value!r} {self.unit.symbol}")
        # no exponent: quantities of whole base units are read digit by digit
        digits = f"{number:.12f}".rstrip("0").rstrip(".") if number < 1e15 else f"{number:.0f}"
        return _core.canonical_quantity(self.unit.format, f"{digits} {self.unit.symbol}")

    def with_default(self) -> dict[str, Any]:
        """The schema, with the default if there is one that scenarios can write."""
        if self.default is _REQUIRED or self.default is None:
            return self.schema
        try:
            return {**self.schema, "default": self.written(self.default)}
        except (TypeError, ValueError):
            return self.schema


class Parameters:
    """The parameters of a class's constructor besides the path facts.

    Args:
        cls: The class.

    Raises:
        InputError: Its constructor cannot be called with the keys of a table.
    """

    def __init__(self, cls: type) -> None:
        wrong = f"{cls.__name__}.__init__"
        try:
            signature = inspect.signature(cls)
        except (ValueError, TypeError) as e:
            raise InputError(f"{wrong}: its parameters cannot be read: {e}") from None
        named = list(signature.parameters.values())
        first, rest = named[0] if named else None, named[1:]
        if first is None or first.kind in (first.KEYWORD_ONLY, first.VAR_KEYWORD):
            raise InputError(
                f"{wrong} does not take the facts of the path", "def __init__(self, path: el.PathFacts, ...)"
            )
        known = hints(cls)
        self._open = False
        self._all: list[_Parameter] = []
        for p in rest:
            if p.kind is p.VAR_KEYWORD:
                self._open = True
            elif p.kind is p.POSITIONAL_ONLY:
                raise InputError(f"{wrong}: {p.name} cannot be given by name", "parameters of a scenario have names")
            elif p.name == "kind":
                raise InputError(
                    f"{wrong}: kind is the controller's name in a scenario", "call the parameter otherwise"
                )
            elif p.kind is not p.VAR_POSITIONAL:
                self._all.append(_parameter(p.name, known.get(p.name), p.default, wrong))

    def schema(self) -> str:
        """JSON Schema of the table."""
        return json.dumps(
            {
                "type": "object",
                "properties": {p.name: p.with_default() for p in self._all},
                "required": [p.name for p in self._all if p.default is _REQUIRED],
                "additionalProperties": self._open,
            }
        )

    def read(self, text: str) -> tuple[dict[str, Any], str]:
        """Keywords for the constructor, and the canonical table, for a table as JSON.

        Defaults are read as the canonical table has them, so that a scenario with and without them is the same.
        """
        given: dict[str, Any] = json.loads(text)
        keywords: dict[str, Any] = {k: v for k, v in given.items() if v is not None}
        canonical = dict(keywords)
        for p in self._all:
            if p.name not in keywords:
                if p.default is not _REQUIRED and p.default is not None:
                    try:
                        canonical[p.name] = p.written(p.default)
                    except (TypeError, ValueError):
                        continue  # no scenario can write it
                    keywords[p.name] = p.read(canonical[p.name])
                continue
            if p.unit is not None:
                canonical[p.name] = _core.canonical_quantity(p.unit.format, keywords[p.name])
            keywords[p.name] = p.read(keywords[p.name])
            if p.number:
                canonical[p.name] = keywords[p.name]
        return keywords, json.dumps(canonical)


def constructor(cls: type) -> Any:
    """The `__init__` that is called."""
    return next(vars(c)["__init__"] for c in cls.__mro__ if "__init__" in vars(c))


def hints(cls: type) -> dict[str, Any]:
    """Annotations of the constructor, as far as they can be resolved."""
    made_by = constructor(cls)
    try:
        return typing.get_type_hints(made_by, include_extras=True)
    except (NameError, TypeError):  # a name that is imported for type checkers only
        resolved = {}
        for name, hint in getattr(made_by, "__annotations__", {}).items():
            alone = types.FunctionType(compile("None", "", "eval"), getattr(made_by, "__globals__", {}))
            alone.__annotations__ = {name: hint}
            try:
                resolved.update(typing.get_type_hints(alone, include_extras=True))
            except (NameError, TypeError):
                continue
        return resolved


def _plain(value: Any) -> Any:
    """A value of JSON's own types, tuples as lists; raises for others, which would be read as something else."""
    if value is None or type(value) in (bool, int, str):
        return value
    if isinstance(value, float) and not isinstance(value, Enum):
        return float(value)
    if type(value) in (list, tuple):
        return [_plain(each) for each in value]
    if type(value) is dict and all(type(key) is str for key in value):
        return {key: _plain(each) for key, each in value.items()}
    raise TypeError(f"no type of JSON: {type(value).__name__}")


def _parameter(name: str, hint: Any, default: Any, where: str) -> _Parameter:
    schema, unit = _schema(hint, f"{where}: {name}") if hint is not None else (_of_default(default), None)
    number = schema.get("type") == "number"
    whole = number and hint is None and isinstance(default, int)
    _check_default(f"{where}: {name}", schema, unit, default)
    if default is None:
        schema = {"anyOf": [schema, {"type": "null"}]}
    return _Parameter(name, schema, unit, number, whole, default)


def _check_default(where: str, schema: dict[str, Any], unit: _Unit | None, default: Any) -> None:
    """Refuses a default that is not of its type: it stands in stored scenarios, which would be refused."""
    if default is _REQUIRED or default is None:
        return
    if unit is not None and isinstance(default, str):
        try:
            _core.quantity(unit.format, default)
        except ValueError as e:
            raise InputError(f"{where} = {default!r}: {e}") from None
        return
    if "enum" in schema:
        right, needed = default in schema["enum"], f"one of {', '.join(schema['enum'])}"
    else:
        python, needed = (Real, "a number") if unit is not None else _DEFAULTS.get(schema.get("type", ""), (object, ""))
        right = isinstance(default, python) and (python in (bool, object) or not isinstance(default, bool))
    if not right:
        raise InputError(f"{where} = {default!r}: {needed} is needed, as it is annotated")


def _schema(hint: Any, where: str) -> tuple[dict[str, Any], _Unit | None]:
    """The schema of a type; an open one where the type has no counterpart in a table."""
    if typing.get_origin(hint) is Annotated:
        unit = next((extra for extra in hint.__metadata__ if isinstance(extra, _Unit)), None)
        if unit is not None:
            return {"type": "string", "format": unit.format}, unit
        return _schema(hint.__origin__, where)
    if hint in _SIMPLE:
        return {"type": _SIMPLE[hint]}, None
    if typing.get_origin(hint) is Literal:
        texts = typing.get_args(hint)
        if not all(isinstance(text, str) for text in texts):
            raise InputError(f"{where}: a Literal of texts is needed, which a scenario can tell apart")
        return {"type": "string", "enum": list(texts)}, None
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        inner = [each for each in typing.get_args(hint) if each is not type(None)]
        if len(inner) == 1:
            return _schema(inner[0], where)
    return {}, None


def _of_default(default: Any) -> dict[str, Any]:
    """The schema of the type of the default, where there is no annotation."""
    if isinstance(default, bool):
        return {"type": "boolean"}
    if isinstance(default, (int, float)):
        return {"type": "number"}
    return {"type": "string"} if isinstance(default, str) else {}
