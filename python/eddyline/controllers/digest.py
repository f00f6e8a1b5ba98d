"""A digest of the code of a class, for classes that are in no file.

It covers its methods and the functions and classes of its module that they use, with their constants, defaults and
the values that they refer to, as they are pickled: arrays and other objects too. Of functions and classes of other
modules it covers the names. The same code and values have the same digest in every process of one version of Python.
"""

from __future__ import annotations

import copyreg
import hashlib
import types
from typing import Any

__all__ = ["digest"]

_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))
_SURROUNDINGS = frozenset(
    {"__dict__", "__weakref__", "__doc__", "__module__", "__firstlineno__", "__static_attributes__", "__annotations__"}
)
_LONG = 1000  # bytes whose hash stands for them
_PROTOCOL = 4  # of pickle: the next one keeps large values beside what it returns


def digest(cls: type) -> str:
    """SHA-256 of the code of a class."""
    return hashlib.sha256(repr(_Reader(cls.__module__).of(cls)).encode()).hexdigest()


class _Reader:
    """Reduces objects to values with a stable `repr`; each object once."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._seen: list[object] = []  # the objects, not their ids, which are reused

    def of(self, value: Any) -> object:
        if isinstance(value, bytes) and len(value) > _LONG:
            return ["bytes", hashlib.sha256(value).hexdigest()]
        if isinstance(value, _PLAIN):
            return value
        match value:
            case tuple():
                return ["tuple", *map(self.of, value)]
            case frozenset():
                return ["frozenset", *sorted(repr(self.of(v)) for v in value)]
            case types.CodeType():
                return self._code(value)
        earlier = next((n for n, seen in enumerate(self._seen) if seen is value), None)
        if earlier is not None:
            return ["as before", earlier]
        self._seen.append(value)
        match value:
            case list():
                return ["list", *map(self.of, value)]
            case set():
                return ["set", *sorted(repr(self.of(v)) for v in value)]
            case dict():
                return ["dict", *((self.of(k), self.of(v)) for k, v in value.items())]
            case staticmethod() | classmethod():
                return [type(value).__name__, self.of(value.__func__)]
            case property():
                return ["property", *map(self.of, (value.fget, value.fset, value.fdel))]
            case types.FunctionType() if value.__module__ == self._module:
                return self._function(value)
            case type() if value.__module__ == self._module:
                members = sorted((k, v) for k, v in vars(value).items() if k not in _SURROUNDINGS)
                return [value.__qualname__, *map(self.of, value.__bases__), *((k, self.of(v)) for k, v in members)]
            case types.ModuleType():
                return ["module", value.__name__]
        if isinstance(value, types.MethodType) or not hasattr(value, "__qualname__"):
            return self._object(value)
        return f"{value.__module__}.{value.__qualname__}"

    def _object(self, value: Any) -> object:
        """An object by how pickle makes it again."""
        name = f"{type(value).__module__}.{type(value).__qualname__}"
        reduce = copyreg.dispatch_table.get(type(value))
        try:
            parts = reduce(value) if reduce else value.__reduce_ex__(_PROTOCOL)
        except Exception:  # any object may raise anything
            return [name, _pickled(value)]
        if isinstance(parts, str):
            return [name, parts]
        *made, state, items, pairs = (*parts, None, None, None)[:5]
        return [name, *map(self.of, (made, state, list(items or ()), list(pairs or ())))]

    def _function(self, function: types.FunctionType) -> object:
        cells = [_content(cell) for cell in function.__closure__ or ()]
        names = sorted(_names(function.__code__))
        used = [(n, self.of(function.__globals__[n])) for n in names if n in function.__globals__]
        return [*map(self.of, (function.__code__, function.__defaults__, function.__kwdefaults__, cells)), *used]

    def _code(self, code: types.CodeType) -> object:
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        return [code.co_name, counts, names, code.co_code, *map(self.of, code.co_consts)]


def _names(code: types.CodeType) -> set[str]:
    inner = (_names(c) for c in code.co_consts if isinstance(c, types.CodeType))
    return set(code.co_names).union(*inner)


def _pickled(value: Any) -> str:
    """The hash of a value that only cloudpickle pickles, such as an open file."""
    import cloudpickle

    try:
        return hashlib.sha256(cloudpickle.dumps(value)).hexdigest()
    except Exception:  # any object may raise anything
        return "not pickled"


def _content(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return "empty"
