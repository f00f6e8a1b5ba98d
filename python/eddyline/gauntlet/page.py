"""A scorecard as one self-contained page: the verdicts, and for each test what happened in its first run."""

from __future__ import annotations

import base64
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING

from matplotlib import rc_context

from eddyline.errors import ControllerError
from eddyline.gauntlet.reports import changed, summary
from eddyline.gauntlet.suite import suite
from eddyline.papers.report import page as webpage
from eddyline.plots.style import COLOURS, MAX_LINES, STYLE, empty, scale

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from matplotlib.axes import Axes

    from eddyline.gauntlet.scorecard import Card, Verdict
    from eddyline.gauntlet.suite import Test

__all__ = ["page"]

_BINS = 200


def page(card: Card, drawn: Callable[[int, int], object] | None = None) -> str:
    """The page; `drawn` is told after each figure how many are done, of how many."""
    tests = {t.name: t for t in suite().tests}
    sections = []
    for place, v in enumerate(card.verdicts):
        sections.append(_section(card, v, tests[v.name]))
        if drawn is not None:
            drawn(place + 1, len(card.verdicts))
    return webpage(f"Gauntlet: {card.name}", summary(card), [_table(card), *sections])


def _badge(verdict: Verdict) -> str:
    kind, word = ("confirmed", "passed") if verdict.passed else ("refuted", "failed")
    return f'<a class="badge {kind}" href="#{verdict.name}">{word}</a>'


def _table(card: Card) -> str:
    cards = [card, *card.against]
    heads = ["", "test", "bound", *(c.name for c in cards), *([] if card.changes is None else ["base"])]
    rows = []
    for place, v in enumerate(card.verdicts):
        cells = [_badge(v), escape(v.tests) + _why(v), escape(v.bound.text)]
        cells += [_number(c.verdicts[place]) for c in cards]
        if card.changes is not None:
            cells.append(escape(changed(card.changes[place], v)))
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    totals = "".join(f"<th>{c.passed} of {len(c.verdicts)}</th>" for c in cards)
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    foot = f"<tr><th></th><th>passed</th><th></th>{totals}</tr>"
    body = "\n".join(rows)
    return (
        f"<div class=wide><table class=claims><thead><tr>{head}</tr></thead><tbody>{body}{foot}</tbody></table></div>"
    )


def _why(verdict: Verdict) -> str:
    return "" if verdict.passed else f"<p class=where>{escape(verdict.error or verdict.why)}</p>"


def _number(verdict: Verdict) -> str:
    text = escape(verdict.text)
    return text if verdict.passed else f"<strong>{text}</strong>"


def _section(card: Card, verdict: Verdict, test: Test) -> str:
    source = "" if test.source is None else f"<p class=source>{escape(test.source)}</p>"
    return (
        f"<section id={verdict.name}><h3>{escape(verdict.name)} {_badge(verdict)}</h3>"
        f"<p>{escape(verdict.tests)}</p>{source}"
        f"<p class=where>{escape(verdict.text)}, {escape(verdict.bound.text)}{_why(verdict)}</p>"
        f"{_figure(card, test)}</section>"
    )


def _figure(card: Card, test: Test) -> str:
    try:
        picture = base64.b64encode(_picture(card, test)).decode()
    except ControllerError as e:  # the test has failed by it already; the others' figures are drawn
        return f"<p class=where>no figure: {escape(str(e))}</p>"
    return f'<figure><img alt="{escape(test.name)} over time" src="data:image/png;base64,{picture}"></figure>'


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
