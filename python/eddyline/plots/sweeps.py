"""Figures of sweeps: means with 95 % bands over one key, a panel per metric."""

from __future__ import annotations

import re
import warnings
from textwrap import fill
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context

from eddyline.plots.picture import empty
from eddyline.plots.style import (
    COLOURS,
    DASHES,
    MARKERS,
    MAX_LINES,
    STYLE,
    entry,
    from_zero,
    heading,
    log_scale,
    name_ticks,
    numbered,
    scale,
)
from eddyline.quantities import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["LinesLeftOut", "kind_of", "label_of", "panels", "short_names"]

_NAMES = 66  # characters below a panel
_LOG_FROM = 20.0  # a key whose values span this factor has a logarithmic axis

_LABELS = {
    "completion_s": "completion time",
    "jain_index": "Jain's index",
    "mean_present": "flows present, mean",
    "one_way_delay_s": "one-way delay",
    "packets_per_s": "rate (packets/s)",
    "retransmits": "retransmitted packets",
}
"""Of fields whose label is not made of their name."""
_ENDINGS = {"_bps": "", "_bytes": "", "_s": "", "_packets": " (packets)", "_rpm": " (round trips/min)"}
"""Ends of metrics' names, and what labels say in their place; the others have their unit by `scale`."""

_ACRONYMS = {"rtt": "RTT", "tcp": "TCP", "tls": "TLS", "http": "HTTP"}


class LinesLeftOut(UserWarning):
    """A figure has not room for all lines."""


def kind_of(metric: str) -> str:
    """The kind of a metric's unit, as `scale` takes it, by its name."""
    base = metric.split(".")[0]
    if base.endswith("_bps"):
        return "rate"
    if base.endswith("_s") and not base.endswith("per_s"):
        return "time"
    return "bytes" if base.endswith("_bytes") else "plain"


def label_of(metric: str) -> str:
    """What an axis or a table says about a metric, its unit left out where `kind_of` has one."""
    base, *parts = metric.split(".")
    ending = next((end for end in _ENDINGS if base.endswith(end)), "")
    words = " ".join(_ACRONYMS.get(word, word) for word in base.removesuffix(ending).split("_"))
    label, end = (_LABELS[base], "") if base in _LABELS else (words, _ENDINGS.get(ending, ""))
    return ", ".join([label, *(part.replace("_", " ") for part in parts)]) + end


def panels(
    statistics: pd.DataFrame,
    x: str,
    numbers: tuple[Sequence[float], str] | None,
    lines: Sequence[str],
    title: str,
) -> Figure:
    """A panel per metric: means over a key, with the 95 % interval of the mean as a band.

    Args:
        statistics: Of `sweeps.statistics`.
        x: The key of the axis.
        numbers: Its values in the order in which they first occur, as numbers, and the kind of their unit; None where
            they are names.
        lines: The columns that tell the lines of a panel from each other.
        title: Above the figure.
    """
    number = statistics.groupby(list(lines), sort=False, dropna=False, observed=True).ngroups
    if number > MAX_LINES:
        warnings.warn(LinesLeftOut(f"the figure has the first {MAX_LINES} of {number:,} lines"), stacklevel=3)
    metrics = list(dict.fromkeys(statistics["metric"]))
    values = list(dict.fromkeys(statistics[x]))
    with rc_context(STYLE):
        figure = empty(7.0, 0.9 + 2.2 * len(metrics))
        axes = figure.subplots(len(metrics), 1, sharex=True, squeeze=False)[:, 0]
        places, size, unit, logarithmic = list(range(len(values))), 1.0, "", False
        at: dict[Any, float] = dict(zip(values, map(float, places), strict=True))
        if numbers is not None:
            least, most = min(numbers[0]), max(numbers[0])
            logarithmic = least > 0 and most / least >= _LOG_FROM
            size, unit = log_scale(numbers[1], least, most) if logarithmic else scale(numbers[1], most)
            at = {value: number / size for value, number in zip(values, numbers[0], strict=True)}
        for axis, metric in zip(axes, metrics, strict=True):
            _panel(axis, statistics[statistics["metric"] == metric], metric, x, at, lines, joined=numbers is not None)
        if numbers is None:
            _named(axes[-1], list(shortened(values).values()))
        elif logarithmic:
            axes[-1].set_xscale("log")
            numbered(axes[-1].xaxis, most / least, sorted(set(at.values())))
        elif numbers[1] == "plain" and all(number.is_integer() for number in numbers[0]):
            axes[-1].xaxis.get_major_locator().set_params(integer=True)
        axes[-1].set_xlabel(f"{x} ({unit})" if unit else x)
        heading(figure, title + _repetitions(statistics))
    return figure


def _repetitions(statistics: pd.DataFrame) -> str:
    """What a title says of the number of runs behind each point; nothing where no point has two."""
    runs = statistics.loc[statistics["n"] > 0, "n"]
    fewest, most = (int(runs.min()), int(runs.max())) if len(runs) else (0, 0)
    if most < 2:
        return ""
    return f": means and 95 % intervals of {most if fewest == most else f'{fewest} to {most}'} runs"


def _panel(
    axis: Axes, rows: pd.DataFrame, metric: str, x: str, at: dict[Any, float], lines: Sequence[str], *, joined: bool
) -> None:
    size, unit = scale(kind_of(metric), float(rows["mean"].max()) if rows["mean"].notna().any() else 0.0)
    groups = list(rows.groupby(list(lines), sort=False, dropna=False, observed=True))
    short = [shortened(rows[key]) for key in lines]
    for place, (labels, part) in enumerate(groups[:MAX_LINES]):
        part = part.assign(place=part[x].map(at)).sort_values("place")
        colour, again = COLOURS[place % len(COLOURS)], place // len(COLOURS)
        # points that are not joined have no dashes, nor has a single one
        dash, mark = DASHES[again % len(DASHES)], MARKERS[again % len(MARKERS)]
        low, high = part["ci95_low"] / size, part["ci95_high"] / size
        mean, name = part["mean"] / size, _name(lines, [short[n][label] for n, label in enumerate(labels)])
        if joined:
            axis.plot(part["place"], mean, color=colour, linestyle=dash, marker=mark, markersize=3, label=entry(name))
            axis.fill_between(part["place"], low, high, color=colour, alpha=0.2, linewidth=0)
            # a band between neighbours has no width at a point without any
            known = low.notna()
            alone = known & ~known.shift(1, fill_value=False) & ~known.shift(-1, fill_value=False)
            if alone.any():
                errors = [(mean - low)[alone], (high - mean)[alone]]
                axis.errorbar(part["place"][alone], mean[alone], errors, color=colour, fmt="none", capsize=2)
        else:
            shift = 0.6 * ((place + 0.5) / min(len(groups), MAX_LINES) - 0.5)
            errors = [(mean - low).fillna(0.0), (high - mean).fillna(0.0)]
            axis.errorbar(part["place"] + shift, mean, errors, color=colour, fmt=mark, markersize=4, label=entry(name))
    axis.set_ylabel(f"{label_of(metric)} ({unit})" if unit else label_of(metric))
    from_zero(axis)
    more = f"first {MAX_LINES} of {len(groups)} lines" if len(groups) > MAX_LINES else ""
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), title=more or None)


def _named(axis: Axes, names: Sequence[str]) -> None:
    """Names below an axis, in several lines where they are long."""
    width = max(8, _NAMES // max(1, len(names)))
    broken = [fill(name, width, break_long_words=False, break_on_hyphens=False) for name in names]
    name_ticks(axis.xaxis, range(len(names)), broken)


def _name(lines: Sequence[str], labels: Any) -> str:
    """The entity, then the values of the keys."""
    *keys, _ = lines
    *values, name = labels
    shown = short_names(keys, str(name).split("[")[0])
    return ", ".join([str(name), *(f"{shown[key]} {value}" for key, value in zip(keys, values, strict=True))])


_WORD = re.compile(r""""[^"]*"|'[^']*'|[^.]+""")


def short_names(keys: Sequence[str], entity: str) -> dict[str, str]:
    """The last word of each key, after whose it is if not the entity's; where several end alike, the words between.

    Args:
        keys: Of the scenario, as `flow.NAME.start`.
        entity: What the line is of.
    """
    words = {key: [word.strip("\"'") for word in _WORD.findall(key)] for key in keys}
    short = {}
    for key, (*before, ending) in words.items():
        own = 3 if before[:1] == ["duplex"] else 2  # a link of a duplex is named by its direction too
        whose = [name for name in before[1:own] if name not in (entity, "*")]
        alike = [set(other[own:-1]) for other in words.values() if other[-1] == ending]
        shared = set.intersection(*alike)
        short[key] = " ".join([*whose, *(word for word in before[own:] if word not in shared), ending])
    # the same words in another place, are told apart by whole keys only
    return short if len(set(short.values())) == len(short) else {key: key for key in keys}
