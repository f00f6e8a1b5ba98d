"""Why a controller passes or misses the bound of one test: a sentence, a table, plots, the scenario to run again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from io import BytesIO
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import rc_context

from eddyline.capacity import policers
from eddyline.folder_manifest import MANIFEST
from eddyline.gauntlet.drawing import binned, by_bottleneck, capacity, capacity_lines, goodput, mean_capacity
from eddyline.gauntlet.measures import MEASURES
from eddyline.plots.picture import empty
from eddyline.plots.style import COLOURS, STYLE, capacity_look, entry, from_zero, heading, scale
from eddyline.quantities import bits_per_second, count, percent, seconds
from eddyline.worlds import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Sized
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from rich.table import Table

    from eddyline.gauntlet.drawing import Line
    from eddyline.gauntlet.scorecard import Card
    from eddyline.gauntlet.suite import Test
    from eddyline.scenario import Result

__all__ = ["FILES", "Explanation"]

_PICTURES = ("why.png", "why.svg")
FILES = ("why.html", "scenario.json", "why.json", *_PICTURES, MANIFEST)
"""What is in the folder."""

_BOUND: dict[str, Any] = {"color": "#D55E00", "linestyle": ":", "linewidth": 1.4}
_DPI = 110

_POLICER: dict[str, Any] = {"color": "#333333", "linestyle": (0, (4, 2, 1, 2)), "linewidth": 1.2, "zorder": 3}
_DIRECTIONS = ("-", "--", "-.", ":")
"""Lines of flows with different bottlenecks."""

_BOTTLENECK = 0.5
"""The share of the time from which on a link is called the bottleneck."""
_EACH = ("least_share", "fairness")
"""Measures that compare flows."""


def counted(number: float, noun: str) -> str:
    """A number of things."""
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"


def _label(card: Card, link: str, links: Sized) -> str:
    """A controller, with the link where there are several."""
    return card.name if len(links) == 1 else f"{card.name}, {link}"


def _totals(flows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    rtts = [f["rtt_s"]["p99"] for f in flows if f["rtt_s"]["p99"] is not None]
    return {
        "goodput_bps": sum(f["goodput_bps"] or 0.0 for f in flows) if flows else None,
        "rtt_p99_s": max(rtts, default=None),
        "retransmits": sum(f["retransmits"] or 0 for f in flows),
        "timeouts": sum(f["timeouts"] or 0 for f in flows),
    }


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

    def again(self, scenario: str = FILES[1], options: str = "") -> str:
        """The command that repeats the run of the controller under test; `options` have a space in front."""
        world = self.cards[0].world
        return f"eddyline run {scenario}{options}{'' if world == DEFAULT else f' --world {world}'} --out result"

    @property
    def sentence(self) -> str:
        """Why it passes or fails, with the numbers."""
        verdict, name = self.cards[0].verdicts[0], self.cards[0].name
        what = MEASURES[self.test.measure].what
        whose = f"for {self.test.others}, " if self.test.others else ""
        said = f"{whose}{what} is {verdict.text}, {self.test.bound.text} is required"
        why = f"a connection was lost ({verdict.lost})" if verdict.lost else self.test.why
        first = f"{name} passes: {said}." if verdict.passed else f"{name} fails: {why}; {said}."
        others = [
            f"{c.name} {'passes' if c.verdicts[0].passed else 'fails'} with {c.verdicts[0].text}"
            + (f" ({c.verdicts[0].lost})" if c.verdicts[0].lost else "")
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
        for link in facts["links"]:
            if link["queueing_s"] is not None and link["utilisation"] is not None:
                wait, used = seconds(link["queueing_s"]), percent(link["utilisation"])
                said.append(f"a mean wait of {wait} at link {link['link']}, which is used to {used}")
        if elsewhere := self._bottleneck_elsewhere({link["link"] for link in facts["links"]}):
            said.append(elsewhere)
        listed = f"{', '.join(said[:-1])} and {said[-1]}" if len(said) > 1 else "".join(said)
        return [f"The run with seed {self.seed} has {listed}."] if said else []

    def _bottleneck_elsewhere(self, shown: set[str]) -> str | None:
        """What a link that is most often the bottleneck has, where it is none of the slowest links of data paths."""
        known = [link for link in self.results[0].to_dict()["links"] if link["bottleneck_share"] is not None]
        most = max(known, key=lambda link: link["bottleneck_share"], default=None)
        if most is None or most["name"] in shown or most["bottleneck_share"] < _BOTTLENECK:
            return None
        wait, share = most["queueing_delay_s"]["mean"], percent(most["bottleneck_share"])
        return (
            f"a mean wait of {seconds(wait or 0.0)} at link {most['name']}, which is the bottleneck {share} of the time"
        )

    def _facts(self, result: Result) -> dict[str, Any]:
        """Totals of the flows that the test is about, and the same by bottleneck with its state."""
        document = result.to_dict()
        rows = {link["name"]: link for link in document["links"]}
        names = self._subjects(result)
        links = [
            {
                "link": link,
                **_totals([f for f in document["flows"] if f["name"] in own]),
                "utilisation": rows[link]["utilisation"],
                "queueing_s": rows[link]["queueing_delay_s"]["mean"],
            }
            for link, own in by_bottleneck(result, names).items()
        ]
        poorest = min(links, key=lambda link: link["goodput_bps"] or 0.0)
        return {
            **_totals([f for f in document["flows"] if f["name"] in names]),
            "utilisation": poorest["utilisation"],
            "queueing_s": poorest["queueing_s"],
            "links": links,
        }

    @property
    def heads(self) -> list[str]:
        """Heads of the table."""
        several = len(self.cards[0].verdicts[0].values) > 1
        value = f"{self.test.measure} of {self.test.others}" if self.test.others else self.test.measure
        return [
            "controller",
            *([f"{value}, mean", f"seed {self.seed}"] if several else [value]),
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
        """A row per controller and bottleneck: means of the value over the seeds, the rest of the run that is drawn."""
        rows = []
        for card, result in zip(self.cards, self.results, strict=True):
            verdict, links = card.verdicts[0], self._facts(result)["links"]
            text = MEASURES[self.test.measure].text
            values = [verdict.text, *([text(verdict.values[self.seed])] if len(verdict.values) > 1 else [])]
            said = [*values, self.test.bound.text, "passed" if verdict.passed else "FAILED"]
            for place, facts in enumerate(links):
                rows.append(
                    [
                        card.name if len(links) == 1 else f"{card.name}, {facts['link']}",
                        *(said if place == 0 else [""] * len(said)),
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
            "world": self.cards[0].world,
            "group": self.test.group,
            "tests": self.test.tests,
            "passed": self.passed,
            "sentence": self.sentence,
            "bound": self.test.bound.text,
            "seed": self.seed,
            "controllers": [
                {
                    "controller": c.name,
                    "passed": c.verdicts[0].passed,
                    "value": c.verdicts[0].value,
                    **({"lost_connection": c.verdicts[0].lost} if c.verdicts[0].lost else {}),
                    **self._facts(r),
                }
                for c, r in zip(self.cards, self.results, strict=True)
            ],
        }

    @property
    def json(self) -> str:
        """The document as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def plot(self) -> Figure:
        """Goodput of the flows under test, waiting packets at their bottleneck and round-trip times, a line each."""
        bound = self.test.bound
        with rc_context(STYLE):
            figure = empty(8.0, 6.8)
            rates, queues, rtts = figure.subplots(3, 1, sharex=True)
            self._rates(rates)
            for axis, quantity, label, unit in (
                (queues, "queue_packets", "waiting packets", "plain"),
                (rtts, "rtt_s", "RTT", "time"),
            ):
                lines = [self._series(result, quantity) for result in self.results]
                limit = bound.value if quantity == "rtt_s" and self.test.measure == "rtt_p99" else None
                peaks = [float(line[1].max()) for own in lines for line in own.values()]
                size, name = scale(unit, max([*peaks, *([limit] if limit is not None else [])], default=0.0))
                self._lines(axis, lines, size)
                if limit is not None:
                    axis.axhline(limit / size, label=f"bound, {bound.text}", **_BOUND)
                axis.set_ylabel(f"{label} ({name})" if name else label)
                from_zero(axis)
                if lines_drawn := axis.get_legend_handles_labels()[0]:
                    axis.legend(handles=lines_drawn, loc="upper left", bbox_to_anchor=(1.0, 1.0))
            rtts.set_xlabel("time (s)")
            heading(figure, f"{self.test.name}: {self.test.tests}")
        return figure

    def _rates(self, axis: Axes) -> None:
        bound, test = self.test.bound, self.test
        lines: list[dict[str, Line]] = []
        poorest: list[tuple[str, str, Line]] = []
        for place, (card, result) in enumerate(zip(self.cards, self.results, strict=True)):
            groups = by_bottleneck(result, self._measured(result))
            lines.append({})
            for link, names in groups.items():
                carried = capacity(result, link)
                lines[-1][link] = goodput(result, names, carried) if names else self._departures(result, link)
                if test.measure in _EACH and len(names) > 1:
                    rates = result.flows.set_index("name").loc[names, "goodput_bps"].astype(float)
                    label = f"{_label(card, link, groups)}, poorest flow"
                    poorest.append(
                        (COLOURS[place % len(COLOURS)], label, goodput(result, [str(rates.idxmin())], carried))
                    )
        first = self.results[0]
        carried_by = self._capacities(list(by_bottleneck(first, self._measured(first))))
        limits = self._limits(poorest=bool(poorest))
        known = [line for own in lines for line in own.values()] + [line for _, line, _ in carried_by]
        peaks = [float(values.max()) for _, values in known if len(values)]
        size, name = scale("rate", max([*peaks, *limits], default=0.0))
        for label, line, style in carried_by:
            axis.plot(line[0], line[1] / size, label=label, **style)
        self._lines(axis, lines, size)
        for colour, label, line in poorest:
            axis.plot(line[0], line[1] / size, label=label, color=colour, linestyle="-.", linewidth=1.0)
        for limit in limits:
            share = f"{bound.text} of {bits_per_second(limit / bound.value)}"
            what = f"{percent(test.level)}, {bound.text}" if test.measure == "recovery" else share
            axis.axhline(limit / size, label=f"bound, {what}", **_BOUND)
        whose = f" of {test.others}" if test.measure in {"share", *_EACH} and test.others else ""
        axis.set_ylabel(f"goodput{whose} ({name})")
        from_zero(axis)
        axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))

    def _limits(self, *, poorest: bool) -> list[float]:
        """The goodputs that the bound asks for; none where it is about something else."""
        test, rates = self.test, self.test.capacity_bps
        if test.measure == "share":
            return [test.bound.value * sum(rates)]
        if test.measure == "least_share" and len(rates) > 1:
            return sorted({test.bound.value * rate for rate in rates})
        if test.measure == "least_share" and poorest:
            return [test.bound.value * rates[0] / len(self._measured(self.results[0]))]
        return [test.level * rates[0]] if test.measure == "recovery" else []

    def _capacities(self, links: Sequence[str]) -> list[tuple[str, Line, dict[str, Any]]]:
        """Labels, lines and styles of what links carry and of their policers; equal ones once."""
        first = self.results[0]
        ends = np.array([0.0, first.scenario.duration_s])
        carried: dict[str, Line] = {}
        means = set()
        for link in links:
            if (line := capacity(first, link)) is not None:
                carried[link] = line
            elif (mean := mean_capacity(first, link)) is not None:
                carried[link] = ends, np.full(2, mean)
                means.add(link)
        drawn = [(label, line, capacity_look(n)) for n, (label, line) in enumerate(capacity_lines(carried, means))]
        known = policers(first.scenario.to_dict())
        rates = dict.fromkeys(known[link] for link in links if link in known)
        return drawn + [(f"policer, {bits_per_second(rate)}", (ends, np.full(2, rate)), _POLICER) for rate in rates]

    def _measured(self, result: Result) -> list[str]:
        """The flows that the bound is about; where it is about something else, those under test."""
        names = [str(n) for n in result.flows["name"]] if len(result.flows) else []
        if self.test.measure not in {"share", *_EACH}:
            return [n for n in names if n.startswith("tested")]
        return [n for n in names if any(n == of or n.startswith(f"{of}[") for of in self.test.of)]

    def _subjects(self, result: Result) -> list[str]:
        """The flows under test, and of these only those that the bound is about, if it is about some."""
        names = [str(n) for n in result.flows["name"]] if len(result.flows) else []
        tested = [n for n in names if n.startswith("tested")]
        return [n for n in tested if n in self._measured(result)] or tested

    def _departures(self, result: Result, link: str) -> Line:
        series = result.series
        rows = series[(series["quantity"] == "departure_bps") & (series["entity"] == link)]
        return binned(rows, result.scenario.duration_s)

    def _series(self, result: Result, quantity: str) -> dict[str, Line]:
        """A line per bottleneck: of its queue, or of the flows that have it."""
        series = result.series
        rows = series[series["quantity"] == quantity]
        tested = rows["entity"].astype(str).str.startswith("tested")
        found = {}
        for link, names in by_bottleneck(result, self._subjects(result)).items():
            of_flows = rows["entity"].isin(names) if names else tested
            own = rows[of_flows if quantity == "rtt_s" else rows["entity"] == link]
            if len(own):
                found[link] = binned(own, result.scenario.duration_s)
        return found

    def _lines(self, axis: Axes, lines: Sequence[dict[str, Line]], size: float) -> None:
        for place, (card, own) in enumerate(zip(self.cards, lines, strict=True)):
            for (link, line), style in zip(own.items(), cycle(_DIRECTIONS)):  # styles repeat
                label, colour = _label(card, link, own), COLOURS[place % len(COLOURS)]
                axis.plot(line[0], line[1] / size, label=entry(label), color=colour, linestyle=style)

    def write(self, folder: Path, options: str = "") -> None:
        """Writes the page, the scenario, the document and the figure into an existing folder.

        Args:
            folder: The folder.
            options: What the command on the page needs to repeat the run, seen from the folder, with a space in front.
        """
        from eddyline.plots import render
        from eddyline.reports.page import data_uri, render_page

        figure = self.plot()
        with BytesIO() as file, rc_context(STYLE):
            figure.savefig(file, format="png", dpi=_DPI, metadata={"Software": None})
            image = file.getvalue()
        page, scenario, document, *_ = FILES
        (folder / page).write_text(
            render_page("why.html", why=self, again=self.again(options=options), figure=data_uri(image)), "utf-8"
        )
        (folder / scenario).write_text(self.results[0].scenario.canonical + "\n", "utf-8")
        (folder / document).write_text(self.json + "\n", "utf-8")
        for name in _PICTURES:
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
