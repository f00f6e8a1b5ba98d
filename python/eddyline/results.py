"""Several results of one scenario: repetitions with other seeds, or worlds."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, overload

from eddyline.arguments import file
from eddyline.errors import EddylineError, InputError
from eddyline.summary import summarise

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pandas as pd
    from matplotlib.figure import Figure

    from eddyline.plots import Legend
    from eddyline.source import Source

__all__ = ["Results", "legend_of_seeds", "write_repetitions"]


_OF_A_RUN = ("seed", "scenario_sha256", "cost")
"""Keys of a document in which repetitions differ though nothing is random."""

_SHOWN = {
    "flows": ("goodput_bps", "rtt_s.mean", "queueing_delay_s", "retransmits"),
    "arrivals": ("completed", "completion_s.mean", "completion_s.p99"),
    "traffic": ("throughput_bps", "loss_ratio", "one_way_delay_s.mean", "jitter_s"),
    "probes": ("idle_s", "http_s.mean", "http_s.p99", "responsiveness_rpm"),
}
"""What a notebook shows of each part."""


class _Scenario(Protocol):
    """What is needed of a scenario."""

    @property
    def canonical(self) -> str: ...
    @property
    def source(self) -> Source: ...


class _Result(Protocol):
    """What is needed of a result."""

    @property
    def world(self) -> str: ...
    @property
    def scenario(self) -> _Scenario: ...
    @property
    def asked(self) -> dict[str, Any]: ...
    @property
    def approximations(self) -> list[str]: ...
    @property
    def title(self) -> str: ...
    @property
    def flows(self) -> pd.DataFrame: ...
    @property
    def links(self) -> pd.DataFrame: ...
    @property
    def groups(self) -> pd.DataFrame: ...
    @property
    def arrivals(self) -> pd.DataFrame: ...
    @property
    def traffic(self) -> pd.DataFrame: ...
    @property
    def probes(self) -> pd.DataFrame: ...
    @property
    def series(self) -> pd.DataFrame: ...
    @property
    def legend(self) -> Legend: ...
    def has_series(self) -> bool: ...
    def series_table(self) -> Any: ...  # pyarrow has no types
    def write_json(self, write: Callable[[str], object]) -> None: ...
    def to_dict(self) -> dict[str, Any]: ...
    def heading(self, *, world: bool | None = None) -> str: ...
    def plot(self, *, world: bool | None = None) -> Figure: ...


_One = TypeVar("_One", bound=_Result)


def legend_of_seeds(result: _Result) -> Legend:
    """The legend of several seeds, from one of them: without the capacities that each seed draws anew.

    Flows that may end are all that have a size or a stop.
    """
    from dataclasses import replace

    from eddyline.capacity import link_tables

    scenario = json.loads(result.scenario.canonical)
    finite = {flow["name"] for flow in scenario.get("flow", []) if not {"size", "stop"}.isdisjoint(flow)}
    flows = result.to_dict()["flows"] if finite else []
    ended = frozenset(flow["name"] for flow in flows if flow["name"].split("[")[0] in finite)
    legend = replace(result.legend, ended=ended)
    tables = link_tables(scenario)
    drawn = {name for name, link in tables.items() if "trace" in link and "file" not in link["trace"]}
    if not drawn:
        return legend
    of_all = legend.capacities
    return replace(legend, capacities=lambda times: {k: v for k, v in of_all(times).items() if k not in drawn})


def write_repetitions(
    results: Sequence[_Result], write: Callable[[str], object], failed: Sequence[dict[str, Any]] = ()
) -> None:
    """Writes the document of several seeds by calls of `write`, piece by piece."""

    def put(document: object) -> None:
        write(json.dumps(document, indent=2, ensure_ascii=False))

    write('{\n"runs": [\n')
    for number, result in enumerate(results):
        write(",\n" if number else "")
        result.write_json(write)
    write('\n],\n"summary": ')
    put(summarise([r.to_dict() for r in results]) if results else None)
    if failed:
        write(',\n"failed": ')
        put(list(failed))
    write("\n}")


class Results(Sequence[_One], Generic[_One]):
    """A sequence of results, with frames of all of them and statistics over them.

    Args:
        results: At least one.

    Raises:
        InputError: There is none.
    """

    def __init__(self, results: Sequence[_One]) -> None:
        self._results = list(results)
        if not self._results:
            raise InputError("results: at least one result is expected")
        documents = [r.to_dict() for r in self._results]
        several = {name: len({d[name] for d in documents}) > 1 for name in ("world", "seed")}
        names = [name for name, differs in several.items() if differs] or ["seed"]
        self._labels = [{name: d[name] for name in names} for d in documents]

    @overload
    def __getitem__(self, place: int) -> _One: ...
    @overload
    def __getitem__(self, place: slice) -> Results[_One]: ...
    def __getitem__(self, place: int | slice) -> _One | Results[_One]:
        """One of them, or some of them: at least one."""
        return Results(self._results[place]) if isinstance(place, slice) else self._results[place]

    def __len__(self) -> int:
        """How many there are."""
        return len(self._results)

    @property
    def title(self) -> str:
        """Title of the scenario."""
        return self._results[0].title

    @property
    def flows(self) -> pd.DataFrame:
        """One row per result and flow: `seed` or `world`, then the columns of a result's `flows`."""
        return self._stacked([r.flows for r in self._results])

    @property
    def links(self) -> pd.DataFrame:
        """One row per result and link: `seed` or `world`, then the columns of a result's `links`."""
        return self._stacked([r.links for r in self._results])

    @property
    def groups(self) -> pd.DataFrame:
        """One row per result and table with `count` above one, as `flows` has one per flow."""
        return self._stacked([r.groups for r in self._results])

    @property
    def arrivals(self) -> pd.DataFrame:
        """One row per result and table of arrivals, as `flows` has one per flow."""
        return self._stacked([r.arrivals for r in self._results])

    @property
    def traffic(self) -> pd.DataFrame:
        """One row per result and source of unresponsive traffic, as `flows` has one per flow."""
        return self._stacked([r.traffic for r in self._results])

    @property
    def probes(self) -> pd.DataFrame:
        """One row per result and table of latency probes, as `flows` has one per flow."""
        return self._stacked([r.probes for r in self._results])

    @property
    def series(self) -> pd.DataFrame:
        """The series of all results that have any, with `seed` or `world`.

        Raises:
            EddylineError: None were recorded.
        """
        there = [place for place, r in enumerate(self._results) if r.has_series()]
        if not there:
            raise EddylineError(
                "no series were recorded", "run(..., series=True) records them, where the world has any"
            )
        return self._stacked([self._results[place].series for place in there], [self._labels[place] for place in there])

    def _stacked(self, frames: Sequence[pd.DataFrame], labels: Sequence[dict[str, Any]] | None = None) -> pd.DataFrame:
        import pandas as pd

        parts = [
            pd.concat([pd.DataFrame(label, index=frame.index), frame], axis=1)
            for label, frame in zip(self._labels if labels is None else labels, frames, strict=True)
        ]
        return pd.concat(parts, ignore_index=True)

    @property
    def summary(self) -> dict[str, Any]:
        """Mean, standard deviation and 95 % interval of every number, as `run --seeds --json` prints it.

        Raises:
            InputError: They are results of several worlds, which are no repetitions; `json` has a summary of each.
        """
        worlds = list(self._by_world())
        if len(worlds) > 1:
            raise InputError(
                f"a summary is of repetitions in one world, and these are results of {', '.join(worlds)}",
                f"el.Results([r for r in results if r.world == {worlds[0]!r}]).summary",
            )
        return summarise(self.to_dict())

    @property
    def identical(self) -> bool:
        """Whether several of them say the same of everything but seed and cost."""
        said = ({k: v for k, v in r.to_dict().items() if k not in _OF_A_RUN} for r in self._results)
        first = next(said)
        return len(self) > 1 and all(each == first for each in said)

    def to_dict(self) -> list[dict[str, Any]]:
        """The documents."""
        return [r.to_dict() for r in self._results]

    @property
    def json(self) -> str:
        """The documents as JSON, with a summary of each world's repetitions, as `save` stores them."""
        pieces: list[str] = []
        self._write(pieces.append)
        return "".join(pieces)

    def plot(self) -> Figure:
        """Means with 95 % bands over time of the results of one world; without series the first result's figure."""
        from eddyline.plots import repeated

        drawn = next((r for r in self._results if r.has_series()), self._results[0])
        named = True if any("world" in label for label in self._labels) else None
        heading = drawn.heading(world=named)
        world = drawn.to_dict()["world"]
        same = [r for r in self._results if r.to_dict()["world"] == world and r.has_series()]
        if len(same) > 1:
            return repeated([r.series for r in same], heading, legend_of_seeds(drawn))
        return drawn.plot(world=named)

    def save(self, folder: str | Path) -> None:
        """Writes a result folder as `eddyline run --out` does; `Result.load` reads it. All of it or nothing.

        Raises:
            InputError: The folder exists and holds other files than a result's, or the results are not all of one
                scenario with different seeds or worlds, those of a world with the same options.
        """
        from eddyline.output import replaced, require_writable
        from eddyline.result_folder import write

        first = self._results[0].scenario
        self._require_one_scenario()
        asked = self._asked()
        worlds = list(self._by_world())
        labelled = sorted(
            zip(self._labels, self._results, strict=True), key=lambda each: worlds.index(each[1].world)
        )  # in the order of the document
        series: list[tuple[dict[str, Any], Any]]
        series = [(label, r.series_table()) for label, r in labelled if r.has_series()]
        place = file("folder", folder)
        require_writable(place)
        with replaced(place) as staged:
            remarks = write(staged, self._write, first.canonical, first.source, series, self.plot, asked)
        for remark in remarks:
            warnings.warn(f"{folder}: {remark}", stacklevel=2)

    def _require_one_scenario(self) -> None:
        runs = [(d["world"], d["seed"]) for d in self.to_dict()]
        # not loaded anew: a controller's class may have been replaced, or be gone
        unseeded = {json.dumps({**json.loads(r.scenario.canonical), "seed": None}) for r in self._results}
        if len(set(runs)) < len(runs) or len(unseeded) > 1:
            raise InputError(
                "a folder holds results of one scenario with different seeds or worlds",
                "save each by itself, or run a sweep",
            )

    def _asked(self) -> dict[str, dict[str, Any]]:
        """Options by world, as a folder keeps them."""
        by_world = self._by_world()
        for world, results in by_world.items():
            if any(r.asked != results[0].asked for r in results):
                raise InputError(
                    f"a folder holds results of world {world} with the same options, and these have different ones",
                    "save each by itself",
                )
        return {world: results[0].asked for world, results in by_world.items() if results[0].asked}

    def _by_world(self) -> dict[str, list[_One]]:
        by_world: dict[str, list[_One]] = {}
        for result in self._results:
            by_world.setdefault(result.world, []).append(result)
        return by_world

    def _write(self, write: Callable[[str], object]) -> None:
        by_world = self._by_world()
        repeated = any(len(results) > 1 for results in by_world.values()) or len(by_world) == 1
        for number, results in enumerate(by_world.values()):
            if len(by_world) > 1:
                write(",\n" if number else "[\n")
            if repeated:
                write_repetitions(results, write)
            else:
                results[0].write_json(write)
        if len(by_world) > 1:
            write("\n]")

    def _repr_html_(self) -> str:
        from html import escape

        from eddyline.display import approximations_html

        names = ["world", "name"] if len(self._by_world()) > 1 else ["name"]
        which = ", by world" if len(names) > 1 else ""
        tables = []
        for part, shown in _SHOWN.items():
            rows = getattr(self, part)
            if len(rows):
                means = rows.groupby(names, sort=False).mean(numeric_only=True)
                tables.append(means[[name for name in shown if name in means]].to_html())
        notes = approximations_html((result.world, result.approximations) for result in self._results)
        return f"<b>{escape(self.title)}</b>: means of {len(self)} results{which}{''.join(tables)}{notes}"

    def __repr__(self) -> str:
        labels = [", ".join(f"{name} {value}" for name, value in label.items()) for label in self._labels]
        shown = labels if len(labels) <= 4 else [*labels[:2], "...", labels[-1]]
        return f"<Results of {self.title!r}: {'; '.join(shown)}>"
