"""Why a controller passes or misses the bound of one test: a sentence, a table, plots, the scenario to run again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context

from eddyline.capacity import bottlenecks
from eddyline.gauntlet.drawing import binned, capacity, goodput, mean_capacity
from eddyline.gauntlet.measures import MEASURES
from eddyline.plots.style import COLOURS, STYLE, empty, entry, heading, scale
from eddyline.quantities import bits_per_second, count, percent, seconds

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from rich.table import Table

    from eddyline.gauntlet.drawing import Line
    from eddyline.gauntlet.scorecard import Card
    from eddyline.gauntlet.suite import Test
    from eddyline.scenario import Result

__all__ = ["FILES", "Explanation"]

FILES = ("why.html", "scenario.json", "why.json", "why.png", "why.svg")
"""What is in the folder."""

_BOUND: dict[str, Any] = {"color": "#D55E00", "linestyle": ":", "linewidth": 1.4}
_CAPACITY: dict[str, Any] = {"color": "#777777", "linestyle": "--", "linewidth": 1.0}
_DPI = 110

_EACH = ("least_share", "fairness")
"""Measures that compare flows."""


def counted(number: float, noun: str) -> str:
    """A number of things."""
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"


@dataclass(frozen=True, repr=False)
class Explanation:
    """One test with the controller under test and others.

    Attributes:
        test: The test.
        cards: Scorecards of this test alone; the first is that of the controller under test.
        results: A run of each, with series, all with the same seed.
        seed: The seed with the worst value of the controller under test.
    """

    test: Test
    cards: tuple[Card, ...]
    results: tuple[Result, ...]
    seed: int

    @property
    def passed(self) -> bool:
        """Whether the controller under test satisfies the bound."""
        return self.cards[0].verdicts[0].passed

    @property
    def sentence(self) -> str:
        """Why it passes or fails, with the numbers."""
        verdict, name = self.cards[0].verdicts[0], self.cards[0].name
        what = MEASURES[self.test.measure].what
        said = f"{what} is {verdict.text}, {self.test.bound.text} is required"
        first = f"{name} passes: {said}." if verdict.passed else f"{name} {self.test.why}: {said}."
        others = [
            f"{c.name} {'passes' if c.verdicts[0].passed else 'fails'} with {c.verdicts[0].text}"
            for c in self.cards[1:]
        ]
        return " ".join([first, *([f"{', '.join(others)}."] if others else []), *self._symptoms()])

    def _symptoms(self) -> list[str]:
        """What the run shows of the flows under test beside the value."""
        if self.passed:
            return []
        facts = self._facts(self.results[0])
        said = []
        if facts["timeouts"]:
            said.append(counted(facts["timeouts"], "timeout"))
        if facts["retransmits"]:
            said.append(counted(facts["retransmits"], "retransmitted packet"))
        if facts["queueing_s"] is not None and facts["utilisation"] is not None:
            wait, used = seconds(facts["queueing_s"]), percent(facts["utilisation"])
            said.append(f"a mean wait of {wait} at the bottleneck, which is used to {used}")
        return [f"The run with seed {self.seed} has {', '.join(said)}."] if said else []

    def _facts(self, result: Result) -> dict[str, Any]:
        """Totals of the flows under test and state of their bottleneck."""
        document = result.to_dict()
        flows = [f for f in document["flows"] if f["name"].startswith("tested")]
        rtts = [f["rtt_s"]["p99"] for f in flows if f["rtt_s"]["p99"] is not None]
        link = self._bottleneck(result)
        row = next((each for each in document["links"] if each["name"] == link), None)
        return {
            "goodput_bps": sum(f["goodput_bps"] or 0.0 for f in flows) if flows else None,
            "rtt_p99_s": max(rtts, default=None),
            "retransmits": sum(f["retransmits"] or 0 for f in flows),
            "timeouts": sum(f["timeouts"] or 0 for f in flows),
            "utilisation": None if row is None else row["utilisation"],
            "queueing_s": None if row is None else row["queueing_delay_s"]["mean"],
        }

    def _bottleneck(self, result: Result) -> str:
        """The slowest link of the data path of the first flow; of arrivals, and where rates are recorded, the first."""
        scenario = result.scenario.to_dict()
        tables = [*scenario.get("flow", []), *scenario.get("arrivals", [])]
        found = bottlenecks(scenario)
        return found[0] if found else str(tables[0]["data"][0] if tables else scenario["link"][0]["name"])

    @property
    def heads(self) -> list[str]:
        """Heads of the table."""
        return [
            "controller",
            self.test.measure,
            "bound",
            "",
            "goodput",
            "RTT p99",
            "resent",
            "timeouts",
            "wait",
            "used",
        ]

    @property
    def rows(self) -> list[list[str]]:
        """A row per controller: means of the value over the seeds, other columns of the run that is drawn."""
        rows = []
        for card, result in zip(self.cards, self.results, strict=True):
            verdict, facts = card.verdicts[0], self._facts(result)
            rows.append(
                [
                    card.name,
                    verdict.text,
                    self.test.bound.text,
                    "passed" if verdict.passed else "FAILED",
                    bits_per_second(facts["goodput_bps"]),
                    seconds(facts["rtt_p99_s"]),
                    count(facts["retransmits"]),
                    count(facts["timeouts"]),
                    seconds(facts["queueing_s"]),
                    percent(facts["utilisation"]),
                ]
            )
        return rows

    def table(self) -> Table:
        """The same for the terminal."""
        from eddyline.tables import table

        first, *heads = self.heads
        made = table(f"{self.test.name} ({self.test.group}): {self.test.tests}", first, heads)
        for row in self.rows:
            made.add_row(*row)
        return made

    def to_dict(self) -> dict[str, Any]:
        """The document."""
        return {
            "test": self.test.name,
            "group": self.test.group,
            "tests": self.test.tests,
            "passed": self.passed,
            "sentence": self.sentence,
            "bound": self.test.bound.text,
            "seed": self.seed,
            "controllers": [
                {"controller": c.name, "passed": c.verdicts[0].passed, "value": c.verdicts[0].value, **self._facts(r)}
                for c, r in zip(self.cards, self.results, strict=True)
            ],
        }

    @property
    def json(self) -> str:
        """The document as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def plot(self) -> Figure:
        """Goodput of the flows under test, waiting packets at the bottleneck and round-trip times, a line each."""
        bound = self.test.bound
        with rc_context(STYLE):
            figure = empty(8.0, 6.8)
            rates, queues, rtts = figure.subplots(3, 1, sharex=True)
            self._rates(rates)
            for axis, quantity, label, unit in (
                (queues, "queue_packets", "waiting packets", "plain"),
                (rtts, "rtt_s", "RTT", "time"),
            ):
                lines = [self._line(result, quantity) for result in self.results]
                limit = bound.value if quantity == "rtt_s" and self.test.measure == "rtt_p99" else None
                peaks = [float(line[1].max()) for line in lines if line is not None and len(line[1])]
                size, name = scale(unit, max([*peaks, *([limit] if limit is not None else [])], default=0.0))
                self._lines(axis, lines, size)
                if limit is not None:
                    axis.axhline(limit / size, label=f"bound, {bound.text}", **_BOUND)
                axis.set_ylabel(f"{label} ({name})" if name else label)
                axis.set_ylim(bottom=0)
                axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
            rtts.set_xlabel("time (s)")
            heading(figure, f"{self.test.name}: {self.test.tests}")
        return figure

    def _rates(self, axis: Axes) -> None:
        bound, lines = self.test.bound, []
        poorest: list[Line] = []
        for result in self.results:
            names = self._measured(result)
            link = self._bottleneck(result)
            lines.append(goodput(result, names, capacity(result)) if names else self._departures(result, link))
            if self.test.measure in _EACH and len(names) > 1:
                rates = result.flows.set_index("name").loc[names, "goodput_bps"].astype(float)
                poorest.append(goodput(result, [str(rates.idxmin())], capacity(result)))
        first = self.results[0]
        carried = capacity(first)
        mean = None if carried is not None else mean_capacity(first, self._bottleneck(first))
        limit = None
        if self.test.measure == "share":
            limit = bound.value * sum(self.test.capacity_bps)
        elif self.test.measure == "least_share" and poorest and len(self.test.capacity_bps) == 1:
            limit = bound.value * self.test.capacity_bps[0] / len(self._measured(first))
        elif self.test.measure == "recovery":
            limit = self.test.level * self.test.capacity_bps[0]
        peaks = [float(line[1].max()) for line in lines if len(line[1])]
        known = [*peaks, *([float(carried[1].max())] if carried is not None else []), *filter(None, (limit, mean))]
        size, name = scale("rate", max(known, default=0.0))
        if carried is not None:
            axis.plot(carried[0], carried[1] / size, label="capacity", **_CAPACITY)
        elif mean is not None:
            axis.axhline(mean / size, label="capacity, mean", **_CAPACITY)
        self._lines(axis, lines, size)
        for place, (card, line) in enumerate(zip(self.cards, poorest, strict=False)):
            colour = COLOURS[place % len(COLOURS)]
            axis.plot(
                line[0], line[1] / size, label=f"{card.name}, poorest flow", color=colour, linestyle="-.", linewidth=1.0
            )
        if limit is not None:
            what = f"{percent(self.test.level)}, {bound.text}" if self.test.measure == "recovery" else bound.text
            axis.axhline(limit / size, label=f"bound, {what}", **_BOUND)
        others = "" if all(n.startswith("tested") for n in self._measured(first)) else f" of {', '.join(self.test.of)}"
        axis.set_ylabel(f"goodput{others} ({name})")
        axis.set_ylim(bottom=0)
        axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))

    def _measured(self, result: Result) -> list[str]:
        """The flows that the bound is about; where it is about something else, those under test."""
        names = [str(n) for n in result.flows["name"]] if len(result.flows) else []
        if self.test.measure not in {"share", *_EACH}:
            return [n for n in names if n.startswith("tested")]
        return [n for n in names if any(n == of or n.startswith(f"{of}[") for of in self.test.of)]

    def _departures(self, result: Result, link: str) -> Line:
        series = result.series
        rows = series[(series["quantity"] == "departure_bps") & (series["entity"] == link)]
        return binned(rows, result.scenario.duration_s)

    def _line(self, result: Result, quantity: str) -> Line | None:
        series = result.series
        rows = series[series["quantity"] == quantity]
        if quantity == "rtt_s":
            rows = rows[rows["entity"].astype(str).str.startswith("tested")]
        else:
            rows = rows[rows["entity"] == self._bottleneck(result)]
        return binned(rows, result.scenario.duration_s) if len(rows) else None

    def _lines(self, axis: Axes, lines: list[Line | None] | list[Line], size: float) -> None:
        for place, (card, line) in enumerate(zip(self.cards, lines, strict=True)):
            if line is not None:
                axis.plot(line[0], line[1] / size, label=entry(card.name), color=COLOURS[place % len(COLOURS)])

    def write(self, folder: Path) -> None:
        """Writes the page, the scenario, the document and the figure into an existing folder."""
        from eddyline.plots import render
        from eddyline.reports.page import data_uri, render_page

        figure = self.plot()
        with BytesIO() as file, rc_context(STYLE):
            figure.savefig(file, format="png", dpi=_DPI, metadata={"Software": None})
            image = file.getvalue()
        page, scenario, document, *pictures = FILES
        (folder / page).write_text(render_page("why.html", why=self, figure=data_uri(image)), "utf-8")
        (folder / scenario).write_text(self.results[0].scenario.canonical + "\n", "utf-8")
        (folder / document).write_text(self.json + "\n", "utf-8")
        for name in pictures:
            render(figure, folder / name)

    def _repr_html_(self) -> str:
        import pandas as pd

        from eddyline.reports.page import data_uri

        with BytesIO() as file, rc_context(STYLE):
            self.plot().savefig(file, format="png", dpi=_DPI)
            image = data_uri(file.getvalue())
        table = pd.DataFrame(self.rows, columns=self.heads).to_html(index=False)
        return f"<p>{self.sentence}</p>{table}<img src='{image}'>"

    def __repr__(self) -> str:
        return f"<Explanation of {self.test.name} for {self.cards[0].name}: {'passed' if self.passed else 'failed'}>"
