"""Statistics of a sweep over its seeds: mean, standard deviation and 95 % interval of every point and metric."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pandas as pd

import eddyline._core as _core
from eddyline.errors import InputError
from eddyline.quantities import bits_per_second, count, interval, percent, seconds, size
from eddyline.spelling import unknown
from eddyline.summary import spread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = ["METRICS", "axis", "form_of", "known_metrics", "mean_text", "statistics"]

METRICS = {
    "flows": ("goodput_bps", "rtt_s.mean", "retransmits"),
    "links": ("utilisation", "queueing_delay_s.mean"),
    "groups": ("goodput_bps.sum", "jain_index"),
    "arrivals": ("completion_s.mean", "completion_s.p99"),
    "probes": ("responsiveness_rpm", "http_s.mean"),
    "traffic": ("throughput_bps", "loss_ratio", "one_way_delay_s.mean"),
}
"""What is shown of each table where nothing is chosen."""

_LIMIT = re.compile(r"(\d+\.?\d*|\.\d+)\s*(cells|BDP(?: of .+)?)")
"""Limits of queues in units of the scenario."""

_KINDS = ("rate", "time", "bytes", "packets", "frequency", "percent")
"""Kinds of quantities, as `plots.style.scale` takes them."""


def form_of(metric: str) -> Callable[[float | None], str]:
    """How a metric is written, by its name."""
    base = metric.split(".")[0]
    if base.endswith("_bps"):
        return bits_per_second
    if base.endswith("_s") and not base.endswith("per_s"):
        return seconds
    if base.endswith("_bytes"):
        return size
    return percent if base.endswith(("utilisation", "ratio", "share")) else count


def mean_text(row: Mapping[Any, Any], runs: int) -> str:
    """A row of `statistics` as text: the mean, with half of its 95 % interval if there are several values.

    Args:
        row: The row.
        runs: How many there are of it; where points failed, or runs have no value, the number of values is added.
    """
    form, mean, n = form_of(str(row["metric"])), row["mean"], row["n"]
    if mean != mean:
        return "-"
    text = interval(mean, (row["ci95_high"] - row["ci95_low"]) / 2, form) if n > 1 else form(mean)
    return f"{text} (n = {n})" if n < runs else text


def known_metrics(frame: pd.DataFrame, keys: Sequence[str], entity: str) -> list[str]:
    """The columns of numbers that a sweep's frame has beside what identifies its rows."""
    labels = {*keys, "seed", entity}
    return [name for name in frame.columns if name not in labels and pd.api.types.is_numeric_dtype(frame[name])]


def statistics(frame: pd.DataFrame, keys: Sequence[str], entity: str, metrics: Iterable[str]) -> pd.DataFrame:
    """One row per value of the keys, entity and metric: `metric`, `mean`, `sd`, `ci95_low`, `ci95_high`, `n`.

    Args:
        frame: Of `read_sweep`.
        keys: Varied keys; the rows of all other keys and of all seeds are repetitions.
        entity: The column that names the flow or link.
        metrics: Columns of the frame.

    Raises:
        InputError: There is no such column of numbers.
    """
    known, metrics = known_metrics(frame, keys, entity), list(metrics)
    for name in metrics:
        if name not in known:
            parts = [each for each in known if each.startswith(f"{name}.")]
            raise unknown("metric", name, parts or known)
    rows: list[dict[str, Any]] = []
    names = [*keys, entity]
    for labels, part in frame.groupby(names, sort=False, dropna=False, observed=True):
        for metric in metrics:
            over = spread(values) if (values := part[metric].dropna().astype(float).tolist()) else None
            low, high = (over or {}).get("ci95") or (None, None)
            numbers = {"mean": over and over["mean"], "sd": over and over["sd"], "ci95_low": low, "ci95_high": high}
            rows.append({**dict(zip(names, labels, strict=True)), "metric": metric, **numbers, "n": len(values)})
    columns = [*names, "metric", "mean", "sd", "ci95_low", "ci95_high", "n"]
    made = pd.DataFrame(rows, columns=columns)
    return made.astype(dict.fromkeys(("mean", "sd", "ci95_low", "ci95_high"), "float64"))


def axis(values: Sequence[Any]) -> tuple[list[float], str] | None:
    """Values of a key as numbers in SI units, with the kind of their unit; None where they are no quantities.

    What SI units cannot say without a scenario, as `2 BDP`, has its unit in place of the kind.
    """
    if all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
        return [float(v) for v in values], "plain"
    for kind in _KINDS:
        try:
            return [_core.quantity(kind, str(v)) for v in values], kind
        except InputError:
            continue
    limits = [_LIMIT.fullmatch(str(v).strip()) for v in values]
    units = {limit and limit[2] for limit in limits}
    if len(units) == 1 and (unit := units.pop()) is not None:
        return [float(limit[1]) for limit in limits if limit], unit
    return None
