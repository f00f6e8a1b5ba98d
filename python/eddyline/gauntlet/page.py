"""A scorecard as one self-contained page: the verdicts, and for each test what happened in its first run."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

from matplotlib import rc_context

from eddyline.errors import ControllerError
from eddyline.gauntlet.reports import changed, summary
from eddyline.gauntlet.suite import suite
from eddyline.plots.style import COLOURS, MAX_LINES, STYLE, empty, scale
from eddyline.reports.page import data_uri, render_page

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from matplotlib.axes import Axes

    from eddyline.gauntlet.scorecard import Card
    from eddyline.gauntlet.suite import Test

__all__ = ["page"]

_BINS = 200


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
        return _Figure(image=data_uri(_picture(card, test)))
    except ControllerError as e:  # the test has failed by it already; the others' figures are drawn
        return _Figure(error=str(e))


def _picture(card: Card, test: Test) -> bytes:
    """Rates and queues of the test's first run over time."""
    result = test.scenario(card.controller, list(card.parameters.items())).run("sim", series=True)
    series = result.series
    with rc_context(STYLE):
        figure = empty(9.0, 2.4)
        left, right = figure.subplots(1, 2)
        rates = "goodput_bps" if len(result.flows) else "departure_bps"
        _lines(left, series[series["quantity"] == rates], "rate")
        left.set_title("Goodput" if len(result.flows) else "Rates of the links")
        _lines(right, series[series["quantity"] == "queue_packets"], "plain")
        right.set_title("Waiting packets")
        file = BytesIO()
        figure.savefig(file, format="png", dpi=80, metadata={"Software": None})
    return file.getvalue()


def _lines(axis: Axes, rows: pd.DataFrame, unit: str) -> None:
    end = float(rows["time_s"].max())
    rows = rows.assign(bin=(rows["time_s"] / end * _BINS).clip(upper=_BINS - 1).astype(int))
    size, name = scale(unit, float(rows["value"].max()))
    for place, entity in enumerate(list(rows["entity"].unique())[:MAX_LINES]):
        means = rows[rows["entity"] == entity].groupby("bin")[["time_s", "value"]].mean()
        axis.plot(means["time_s"], means["value"] / size, label=str(entity), color=COLOURS[place % len(COLOURS)])
    axis.set_xlabel("time (s)")
    axis.set_ylabel(name or "packets")
    axis.set_ylim(bottom=0)
    axis.legend(loc="best")
