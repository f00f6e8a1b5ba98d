"""`sweep.json`: the description of the sweep in a folder, and its differences from another."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from eddyline.errors import InputError
from eddyline.sweeps.grid import Grid, Vary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = [
    "EXTENSION",
    "FORMAT",
    "MANIFEST",
    "differences",
    "grid_of",
    "identity",
    "own_points",
    "read",
    "without_shard",
]

MANIFEST = "sweep.json"

FORMAT = 2
"""Of the folders that this version writes; it reads those of format 1 too, see `entities.stored`."""

EXTENSION = ".extension"
"""Folder of an extension that counts already and is not yet in place; see `extension`."""

_SHAPE = {
    "version": str,
    "world": str,
    "scenario_sha256": str,
    "scenario": dict | None,
    "files": {str: str | None},
    "set": [(str, str)],
    "vary": {str: [str]},
    "first_seed": int,
    "seeds": int,
    "points": int,
}
"""What is in every description, see `_fits`."""

_SHAPE_IF_THERE = {
    "controllers": {str: str},
    "controller_files": {str: {"code": {str: str}, "read": {str: str}}},
    "shard": (int, int),
}

_MAX_SHOWN = 5
_ABSENT = object()
_ANEW = "a sweep into another folder starts anew"


def read(folder: Path) -> dict[str, Any] | None:
    """The description of the sweep in a folder, or None where it holds none.

    Raises:
        InputError: This version cannot read it.
    """
    path = folder / MANIFEST
    try:
        try:
            text = (folder / EXTENSION / MANIFEST).read_text("utf-8")
        except (FileNotFoundError, NotADirectoryError):
            text = path.read_text("utf-8")
        document = json.loads(text)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as e:
        raise InputError(f"{path}: cannot be read: {(e.strerror or str(e)).lower()}") from None
    except ValueError as e:
        raise InputError(f"{path} is damaged: {e}", _ANEW) from None
    if not isinstance(document, dict) or document.get("format") not in range(1, FORMAT + 1):
        raise InputError(f"{path}: not the description of a sweep that this version can read")
    if (wrong := _wrong(document)) is not None:
        raise InputError(f"{path} is damaged: {wrong}", _ANEW)
    return document


def _wrong(document: Mapping[str, Any]) -> str | None:
    """What keeps a document from being the description of a sweep."""
    for key, shape in (_SHAPE | _SHAPE_IF_THERE).items():
        if key not in document:
            if key in _SHAPE:
                return f"it has no {key}"
        elif not _fits(document[key], shape):
            return f"{key} is {_cut(json.dumps(document[key], ensure_ascii=False))}"
    if document["seeds"] < 1:
        return f"seeds is {document['seeds']}"
    index, shards = document.get("shard", (1, 1))
    if not 1 <= index <= shards:
        return f"shard is {document['shard']}"
    try:
        grid = grid_of(document)
    except InputError as e:
        return str(e)
    points = grid.combinations * grid.seeds
    return None if points == document["points"] else f"points is {document['points']}, and vary and seeds make {points}"


def _fits(value: Any, shape: Any) -> bool:
    """Whether a value of JSON is of a type, or a list or table of such; in a table, `str` stands for any name."""
    if isinstance(shape, dict):
        named = shape.keys() - {str}
        return (
            isinstance(value, dict)
            and named <= value.keys()
            and all(_fits(each, shape.get(key, shape.get(str, object))) for key, each in value.items())
        )
    if isinstance(shape, list):
        return isinstance(value, list) and all(_fits(each, shape[0]) for each in value)
    if isinstance(shape, tuple):
        return isinstance(value, list) and len(value) == len(shape) and all(map(_fits, value, shape))
    return isinstance(value, shape) and not isinstance(value, bool)


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def grid_of(document: Mapping[str, Any]) -> Grid:
    """The grid of the sweep that a folder holds."""
    vary = [Vary(key, tuple(values)) for key, values in document["vary"].items()]
    return Grid(vary, document["first_seed"], document["seeds"])


def own_points(document: Mapping[str, Any]) -> range:
    """The points that the folder is for: all, or every so many of a shard."""
    index, shards = document.get("shard", (1, 1))
    return range(index - 1, document["points"], shards)


def identity(document: Mapping[str, Any]) -> str:
    """A digest of what makes two sweeps the same one, as `differences` has it; shards are of the whole sweep."""
    same = [document.get(key) for key in ("version", "world", "seeds", "first_seed", "scenario_sha256", "set")]
    named = [sorted(document.get(key, {}).items()) for key in ("files", "controllers")]
    text = json.dumps([same, list(document["vary"].items()), named], ensure_ascii=False)
    return sha256(text.encode()).hexdigest()


def without_shard(document: Mapping[str, Any]) -> dict[str, Any]:
    """The description of the whole sweep."""
    return {key: value for key, value in document.items() if key != "shard"}


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """The differences of the sweep `new` from `old`, in words; empty where they are the same."""
    plain = ("format", "version", "world", "seeds")
    found = [f"{key} {old[key]}, now {new[key]}" for key in plain if old[key] != new[key]]
    if old.get("shard") != new.get("shard"):
        found.append(f"{_shard(old)}, now {_shard(new)}")
    found += _of_scenario(old, new)
    if old["set"] != new["set"]:
        found.append(f"--set {_pairs(old['set'])}, now {_pairs(new['set'])}")
    for key in dict.fromkeys([*old["vary"], *new["vary"]]):
        earlier, now = old["vary"].get(key), new["vary"].get(key)
        if earlier != now:
            found.append(f"--vary {key}={_values(earlier)}, now {_values(now)}")
    if old["vary"] == new["vary"] and list(old["vary"]) != list(new["vary"]):
        found.append(f"the order of the keys was {', '.join(old['vary'])}")
    for name in old["files"]:  # earlier versions do not have those that only the scenario without varied values names
        if old["files"][name] != new["files"].get(name):
            found.append(f"the file {name} has changed")
    earlier, now = old.get("controllers", {}), new.get("controllers", {})
    changed = [name for name in {**earlier, **now} if earlier.get(name) != now.get(name)]
    for name in changed:
        found += _of_controller(name, *(each.get("controller_files", {}).get(name, {}) for each in (old, new)))
    if not found and old["first_seed"] != new["first_seed"]:
        found.append(f"first seed {old['first_seed']}, now {new['first_seed']}")
    return found


def _of_controller(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """What of a controller has changed, by the files that it was and is made of, as far as they are known."""
    if not old or not new:  # of an earlier version, or not in Python
        return [f"the code of controller {name} has changed"]
    code, read = (_changed(old[part], new[part]) for part in ("code", "read"))
    found = [f"the file {each}, which controller {name} reads, has changed" for each in read]
    if code or not read:
        found.insert(0, f"the code of controller {name} has changed{': ' if code else ''}{', '.join(code)}")
    return found


def _changed(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Names of other contents; where there is none, those that came or went, for instance with an import."""
    return [name for name in old if name in new and old[name] != new[name]] or sorted(old.keys() ^ new.keys())


def _shard(document: Mapping[str, Any]) -> str:
    return "--shard {}/{}".format(*document["shard"]) if "shard" in document else "no --shard"


def _of_scenario(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    if old["scenario_sha256"] == new["scenario_sha256"]:
        return []
    if old["scenario"] is None or new["scenario"] is None:
        return ["another scenario"]
    earlier, now = dict(_leaves(old["scenario"])), dict(_leaves(new["scenario"]))
    changed = [key for key in {**earlier, **now} if earlier.get(key, _ABSENT) != now.get(key, _ABSENT)]
    found = [f"{key} = {_shown(earlier, key)}, now {_shown(now, key)}" for key in changed[:_MAX_SHOWN]]
    if len(changed) > _MAX_SHOWN:
        found.append(f"{len(changed) - _MAX_SHOWN} more keys of the scenario")
    return found


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Values of a scenario by dotted name."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}.{key}" if name else key)
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        for number, item in enumerate(value):
            yield from _leaves(item, f"{name}.{item.get('name', number)}")
    else:
        yield name, value


def _shown(leaves: Mapping[str, Any], key: str) -> str:
    return json.dumps(leaves[key], ensure_ascii=False) if key in leaves else "(nothing)"


def _pairs(pairs: list[list[str]]) -> str:
    return " ".join(f"{key}={value}" for key, value in pairs) or "(nothing)"


def _values(values: list[str] | None) -> str:
    return "(not varied)" if values is None else ",".join(v.replace(",", "\\,") for v in values)
