"""A scorecard as one self-contained page: the verdicts, and for each test what happened in its first run."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context

from eddyline.errors import ControllerError
from eddyline.gauntlet.drawing import BINS, by_bottleneck, capacity, capacity_lines, goodput
from eddyline.gauntlet.reports import changed, summary
from eddyline.gauntlet.suite import suite
from eddyline.plots.picture import empty
from eddyline.plots.style import COLOURS, DASHES, MAX_LINES, STYLE, capacity_look, entry, from_zero, scale
from eddyline.reports.page import data_uri, render_page
from eddyline.worlds import RunOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from eddyline.gauntlet.drawing import Line
    from eddyline.gauntlet.scorecard import Card
    from eddyline.gauntlet.suite import Test
    from eddyline.scenario import Result

__all__ = ["page"]


@dataclass(frozen=True)
class _Figure:
    """The figure of a test, or why there is none."""

    image: str = ""
    error: str = ""


def page(card: Card, drawn: Callable[[int, int], object] | None = None) -> str:
    """The page; `drawn` is called after each figure with the number of figures done and of all."""
    tests = {t.name: t for t in suite().tests}
    sections = []
    for place, verdict in enumerate(card.verdicts):
        test = tests[verdict.name]
        sections.append((verdict, test, _figure(card, test)))
        if drawn is not None:
            drawn(place + 1, len(card.verdicts))
    changes = None
    if card.changes is not None:
        changes = [changed(change, verdict) for change, verdict in zip(card.changes, card.verdicts, strict=True)]
    return render_page("scorecard.html", card=card, summary=summary(card), changes=changes, sections=sections)


def _figure(card: Card, test: Test) -> _Figure:
    try:
        scenario = test.scenario(card.controller, list(card.parameters.items()))
        result = scenario.run_with(RunOptions(series=True), card.world)
    except ControllerError as e:  # the test has failed by it already; the others' figures are drawn
        return _Figure(error=str(e))
    with rc_context(STYLE), BytesIO() as file:
        _picture(result).savefig(file, format="png", dpi=80, metadata={"Software": None})
        return _Figure(image=data_uri(file.getvalue()))


def _picture(result: Result) -> Figure:
    """Rates and queues of a run over time."""
    series = result.series
    with rc_context(STYLE):
        figure = empty(9.0, 4.4)
        above, below = figure.subplots(2, 1, sharex=True)
        flows = list(result.flows["name"]) if len(result.flows) else []
        if flows:
            kinds = dict(zip(flows, result.flows["controller"], strict=True))
            carried = {link: capacity(result, link) for link in by_bottleneck(result, flows)}
            own = {name: link for link, names in by_bottleneck(result, flows).items() for name in names}
            lines = {f"{name} ({kinds[name]})": goodput(result, [name], carried[own[name]]) for name in flows}
            _goodputs(above, lines, carried)
        else:
            _lines(above, series[series["quantity"] == "departure_bps"], "rate")
        above.set_title("Goodput" if flows else "Rates of the links")
        _lines(below, series[series["quantity"] == "queue_packets"], "plain")
        below.set_title("Waiting packets")
        below.set_xlabel("time (s)")
    return figure


def _goodputs(axis: Axes, lines: Mapping[str, Line], carried: Mapping[str, Line | None]) -> None:
    """Goodputs, with what the bottlenecks carry as dashed lines: equal ones once."""
    known = {link: line for link, line in carried.items() if line is not None}
    size, name = scale("rate", max(float(rates.max()) for _, rates in [*lines.values(), *known.values()]))
    for place, (label, (times, rates)) in enumerate(capacity_lines(known)):
        axis.plot(times, rates / size, label=label, **capacity_look(place))
    for place, (label, (times, rates)) in enumerate(list(lines.items())[:MAX_LINES]):
        axis.plot(times, rates / size, label=label, **_look(place))
    axis.set_ylabel(name)
    from_zero(axis)
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _lines(axis: Axes, rows: pd.DataFrame, unit: str) -> None:
    end = float(rows["time_s"].max())
    rows = rows.assign(bin=(rows["time_s"] / end * BINS).clip(upper=BINS - 1).astype(int))
    size, name = scale(unit, float(rows["value"].max()))
    for place, entity in enumerate(list(rows["entity"].unique())[:MAX_LINES]):
        means = rows[rows["entity"] == entity].groupby("bin")[["time_s", "value"]].mean()
        axis.plot(means["time_s"], means["value"] / size, label=entry(str(entity)), **_look(place))
    axis.set_ylabel(name or "packets")
    from_zero(axis)
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _look(place: int) -> dict[str, Any]:
    """Colour and dashes of a line."""
    turn, colour = divmod(place, len(COLOURS))
    return {"color": COLOURS[colour], "linestyle": DASHES[turn % len(DASHES)]}
