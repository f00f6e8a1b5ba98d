"""The plan of a sweep: a scenario, a grid, a world, all checked before anything runs or is written."""

from __future__ import annotations

import hashlib
import json
import re
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import eddyline._core as _core
from eddyline.controllers.installed import import_declared
from eddyline.errors import InputError, ScenarioError
from eddyline.keys import covers, require_effect
from eddyline.parallel import processors
from eddyline.sweeps.grid import Grid
from eddyline.sweeps.manifest import FORMAT
from eddyline.sweeps.worker import Job
from eddyline.worlds import require

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from eddyline.controllers.transfer import Origin
    from eddyline.source import Source
    from eddyline.sweeps.grid import Vary

__all__ = ["Plan"]

_CHUNK = 256
_MAX_ERRORS = 100
_VARIED = re.compile(r"--vary (.+?)=")
_KEY_PART = re.compile(r'"(?:[^"\\]|\\.)*"|[^.]+')
_OF_ENTITY = 2
"""Parts of the key of a whole link, flow and the like."""


class Plan:
    """A sweep that can be run.

    Args:
        source: The scenario.
        vary: The keys of the grid and their values.
        given: Overrides of the whole sweep.
        seeds: Number of seeds of every combination: the scenario's, the next, ...
        world: The world that runs the points.
        shard: `(i, n)`: of n shards, the i-th, counted from 1.

    Raises:
        InputError: The lists make no grid, or there is no such world.
        WorldUnavailable: That world cannot be run here.
    """

    def __init__(
        self,
        source: Source,
        vary: Sequence[Vary],
        given: Sequence[tuple[str, str]],
        seeds: int,
        world: str,
        shard: tuple[int, int] | None = None,
    ) -> None:
        require(world)
        _require_shard(shard)
        both = [v.key for v in vary if v.key in {key for key, _ in given}]
        if both:
            raise InputError(f"{', '.join(both)}: both --set and --vary", "a key is set once, or varied")
        for key, _ in given:
            if (wider := next((v.key for v in vary if covers(v.key, key)), None)) is not None:
                raise InputError(f"--set {key}: --vary {wider} sets the same anew", "leave one of them out")
        if seeds < 1:
            raise InputError(f"{seeds} seeds: a point has at least one")
        require_effect([v.key for v in vary])
        self.source = source
        self.given = tuple(given)
        self.world = world
        self.shard = shard
        # the first seed is known after loading; where that fails, `check` reports why
        self.grid = Grid(vary, seeds=seeds)
        self._base = self._loaded(self.given)
        first = self._loaded([*self.given, *self.grid.overrides(0)])
        import_declared({value for each in vary if each.key.endswith("kind") for value in each.values})
        self._controllers = _origins(self._naming_controllers(vary, first))
        if first is not None:
            self.grid = Grid(vary, first.seed, seeds)

    def _naming_controllers(self, vary: Sequence[Vary], first: _core.Scenario | None) -> list[str]:
        """The kinds of controllers of the first point, and all values that may name others."""
        if first is None or self._base is None:
            return [self.source.text, *(v for _, v in self.given), *(v for each in vary for v in each.values)]
        tables = [json.loads(scenario.canonical) for scenario in (self._base, first)]
        senders = [sender for each in tables for kind in ("flow", "arrivals") for sender in each.get(kind, ())]
        varied = (v for each in vary for v in each.values if "controller" in each.key or "kind" in v)
        return [*(sender["controller"]["kind"] for sender in senders), *varied]

    def _loaded(self, overrides: Sequence[tuple[str, str]]) -> _core.Scenario | None:
        try:
            return self.source.load(overrides)
        except ScenarioError:
            return None

    def job(
        self,
        files: Mapping[str, Path],
        timeout_s: float | None = None,
        memory: int | None = None,
        *,
        carried: bool = False,
    ) -> Job:
        """What the workers need: whatever becomes of the scenario's files, they read these copies of them.

        Args:
            files: The copies, by the names of the files.
            timeout_s: Limit of a point.
            memory: Limit of a point.
            carried: Send the content of the copies, not their places.
        """
        s = self.source
        content = {name: copy.read_bytes() for name, copy in files.items()} if carried else {}
        there = {**s.copies, **{s.path(name): copy.absolute() for name, copy in files.items()}}
        keys = tuple(v.key for v in self.grid.vary)
        return Job(
            s.text,
            s.format,
            s.name,
            str(s.folder),
            self.given,
            keys,
            self.world,
            content,
            self._controllers,
            copies={name: str(copy) for name, copy in there.items()},
            timeout_s=timeout_s,
            memory=memory,
        )

    def check(self, checked: Callable[[int], object] = lambda _: None) -> list[str]:
        """Loads every combination once.

        Args:
            checked: Called repeatedly with the number of checked combinations.

        Returns:
            The files that any of them names, and those of the scenario without the varied values.

        Raises:
            ScenarioError: Some are invalid; the message lists every error once.
        """
        files: set[Path] = set() if self._base is None else set(self._checked([[*self.given]]).files)
        errors: dict[tuple[Any, ...], tuple[str, dict[str, Any]]] = {}
        unknown: set[str] = set()
        count = 0
        with ThreadPoolExecutor(processors()) as pool:
            for found in pool.map(self._check, self._chunks()):
                files |= found.files
                unknown |= found.unknown_controllers
                for text, document in found.errors:
                    diagnostic = json.loads(document)
                    errors.setdefault(_identity(diagnostic), (text, diagnostic))
                count = min(count + _CHUNK, self.grid.combinations)
                checked(count)
                if len(errors) > _MAX_ERRORS:
                    pool.shutdown(wait=False, cancel_futures=True)
                    break
        if errors:
            texts = [text + self._together(text, identity) for identity, (text, _) in errors.items()][:_MAX_ERRORS]
            more = ["and more"] if len(errors) > _MAX_ERRORS else []
            raise ScenarioError("\n".join(texts + more), [each for _, each in errors.values()], sorted(unknown))
        return sorted({self._named(path) for path in files})

    def _together(self, text: str, identity: tuple[Any, ...]) -> str:
        """What else is set where a value is wrong with some values of the other keys; nothing where it always is."""
        named = _VARIED.match(text)
        at = next((i for i, v in enumerate(self.grid.vary) if named and v.key == named[1]), None)
        if at is None or named is None or len(self.grid.vary) < 2:
            return ""
        vary, wrong, right = self.grid.vary, [], False
        for combination in range(min(self.grid.combinations, _CHUNK)):
            overrides = self.grid.overrides(combination)
            if not text.startswith(f"--vary {overrides[at][0]}={overrides[at][1]}:"):
                continue
            found = self._check(range(combination, combination + 1)).errors
            if any(_identity(json.loads(document)) == identity for _, document in found):
                wrong.append(overrides)
            else:
                right = True
        if not (wrong and right):
            return ""
        others = {i: {each[i][1] for each in wrong} for i in range(len(vary)) if i != at}
        settings = [
            f"{vary[i].key}={value}" for i, own in others.items() if len(own) < len(vary[i].values) for value in own
        ]
        deciding = [vary[i].key for i, own in others.items() if len(own) < len(vary[i].values)]
        table = _common_table([vary[at].key, *deciding])
        remedy = (
            "give a value that fits all of them, or sweep these alone"
            if table is None
            else f"keys that depend on each other vary as one table: --vary '{table}={{ ... }},{{ ... }}'"
        )
        return f"\n  so it is with {', '.join(settings) or 'some of the other values'}; {remedy}"

    def _chunks(self) -> Iterator[range]:
        for start in range(0, self.grid.combinations, _CHUNK):
            yield range(start, min(start + _CHUNK, self.grid.combinations))

    def _check(self, combinations: range) -> _core.Checked:
        return self._checked([[*self.given, *self.grid.overrides(c)] for c in combinations])

    def _checked(self, points: list[list[tuple[str, str]]]) -> _core.Checked:
        s = self.source
        return _core.check_points(s.text, s.format, s.name, s.folder, points, len(self.given), self.world, s.copies)

    def _named(self, path: Path) -> str:
        """The name of a file in the scenario: relative to its folder where it is inside."""
        try:
            return str(path.relative_to(self.source.folder))
        except ValueError:
            return str(path)

    def digests(self, files: Sequence[str]) -> dict[str, str | None]:
        """SHA-256 of files by name; None for those that cannot be read."""
        return {name: _digest(self.source.file(name)) for name in files}

    def document(self, files: Sequence[str]) -> dict[str, Any]:
        """What identifies this sweep, as in `sweep.json`."""
        base = self._base
        return {
            "format": FORMAT,
            "version": _core.VERSION,
            "world": self.world,
            "scenario_sha256": base.sha256 if base else hashlib.sha256(self.source.text.encode()).hexdigest(),
            # null where the scenario is complete only with the varied keys: its text identifies it
            "scenario": json.loads(base.canonical) if base else None,
            "files": self.digests(files),
            # only where there are any, so that older sweeps of built-in controllers stay the same
            **({"controllers": {c.name: c.digest for c in self._controllers}} if self._controllers else {}),
            **({"controller_files": parts} if (parts := _parts(self._controllers)) else {}),
            "set": [list(pair) for pair in self.given],
            "vary": {v.key: list(v.values) for v in self.grid.vary},
            "first_seed": self.grid.first_seed,
            "seeds": self.grid.seeds,
            "points": len(self.grid),
            **({} if self.shard is None else {"shard": list(self.shard)}),
        }

    @property
    def own(self) -> range:
        """The points of this shard; all where there is none."""
        index, shards = self.shard or (1, 1)
        return range(index - 1, len(self.grid), shards)


def _require_shard(shard: object) -> None:
    match shard:
        case None:
            return
        case (int(index), int(shards)):
            if not 1 <= index <= shards:
                raise InputError(f"shard {index}/{shards}: allowed are 1/N to N/N")
        case _:
            raise InputError(f"shard {shard!r}: not a pair of integers", "(3, 8) is the third of eight")


def _origins(texts: Sequence[str]) -> tuple[Origin, ...]:
    """Origins of the user's own controllers that these texts may name."""
    import sys

    if "eddyline.controllers.registry" not in sys.modules:
        return ()  # none is registered
    from eddyline.controllers.transfer import origins

    return origins(texts)


def _parts(controllers: Sequence[Origin]) -> dict[str, dict[str, dict[str, str]]]:
    """What controllers in Python are made of: it says which file has changed."""
    made = {c.name: parts for c in controllers if (parts := getattr(c, "parts", None)) is not None}
    return {name: {"code": dict(parts.code), "read": dict(parts.read)} for name, parts in made.items()}


def _identity(diagnostic: dict[str, Any]) -> tuple[Any, ...]:
    """What is equal in the same error of several points: the key that was set, whatever its value."""
    file = str(diagnostic["file"])
    where = file.partition("=")[0] if file.startswith("--") else file
    return where, diagnostic["line"], diagnostic["column"], diagnostic["key"], diagnostic["message"]


def _common_table(keys: list[str]) -> str | None:
    """The table that has all keys, where it can be varied: one inside a link, a flow and the like, not one of these."""
    common = []
    for names in zip(*(_KEY_PART.findall(key)[:-1] for key in keys), strict=False):
        named = [name for name in names if name != "*"] or ["*"]
        if len({name.strip('"') for name in named}) > 1:
            break
        common.append(named[0])
    return ".".join(common) if len(common) > _OF_ENTITY else None


def _digest(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
