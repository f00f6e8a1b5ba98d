"""Records of a paper's exhibits: remedies for an upload that kills a download, and buffers against closed forms."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from eddyline.papers.bidirectional_tcp import packets, ratio
from eddyline.papers.bidirectional_tcp.cures import UPLOADS, rows_of
from eddyline.papers.bidirectional_tcp.cures.access_links import ACCESS_LINKS
from eddyline.papers.bidirectional_tcp.cures.catalogue import catalogue
from eddyline.papers.bidirectional_tcp.cures.trials import Trial
from eddyline.papers.bidirectional_tcp.setting import Link
from eddyline.papers.context import Context
from eddyline.papers.paper import find
from eddyline.scenario import Scenario
from recorded.record import Record, axis, mark, result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.runner import Run
    from recorded.record import Expression

_EQUATION, _NS2 = "equation 8", "ns-2's measurements"
_COMMAND = "eddyline reproduce bidirectional-tcp --exhibit"


@cache
def _context() -> Context:
    return Context(find("bidirectional-tcp").folder)


def _added(record: Record, run: Run) -> int:
    """Adds a run of the paper."""
    context = _context()
    scenario = Scenario.load(context.folder / "scenarios" / f"{run.file}.toml", set=dict(run.overrides()))
    return record.run(scenario, 1e3 * float(context.runner.run(run).document["cost"]["cpu_s"]))


def _names(run: Run) -> list[str]:
    return [flow["name"] for flow in _context().runner.run(run).document["flows"]]


def _goodput(record: Record, run: Run, way: str) -> Expression:
    """Of all flows of a direction together, as the exhibits add them."""
    number = _added(record, run)
    places = [i for i, name in enumerate(_names(run)) if name.startswith(way)]
    total: Expression = 0
    for place in places:
        total = ["+", total, ["or", result(number, f"flows.{place}.goodput_bps"), 0]]
    return total


def _ratio(record: Record, link: Link) -> Expression:
    run = link.run()
    return ["/", _goodput(record, run, "download"), _goodput(record, run, "upload")]


def buffer_estimate() -> Record:
    """The ratio that equation 8 gives over the simulated one."""
    record = Record(f"{_COMMAND} fig-6")
    rows = [row for row in ratio.figure_6(_context()).rows if row["order"] == "together"]
    for tp in ratio.DELAYS_MS:
        part = [row for row in rows if row["tp_s"] == 1e-3 * tp]
        drawn = [
            ("rule of thumb, 300 ms", 1, "dots", [r for r in part if r["rule"]]),
            ("downlink buffer below bandwidth x delay", 0, "rings", [r for r in part if r["marked"] and not r["rule"]]),
            ("our simulation", 0, "dots", [r for r in part if not r["marked"] and not r["rule"]]),
        ]
        marks: list[Any] = []
        for label, colour, how, some in drawn:
            if not some:
                continue
            links = [Link(f"{r['down']} B", f"{r['up']} B", r["window"], tp_ms=tp) for r in some]
            estimates = [r["estimate"] for r in some]
            calculated = [_ratio(record, link) for link in links]
            marks.append(mark(label, colour, how, calculated, estimates, ([r["ratio"] for r in some], estimates)))
        ns2 = [(r["ns2"], r["estimate"]) for r in part if r["ns2"] is not None]
        if ns2:
            xs, ys = ([pair[i] for pair in ns2] for i in (0, 1))
            marks.append(mark("ns-2", "grey", "crosses", xs, ys, (xs, ys), fixed=_NS2))
        ends = [0.5, 20.0]
        marks.append(mark("equal", "grey", "dashed", ends, ends, (ends, ends), fixed="the diagonal"))
        x, y = (axis(label, log=True, limits=(0.5, 24)) for label in ("download over upload, simulated", _EQUATION))
        record.panel(f"tp = {tp:g} ms", x, y, marks)
    return record


def buffer_packets() -> Record:
    """The ratio over an uplink's buffer in packets."""
    record = Record(f"{_COMMAND} fig-10-1", columns=1)
    rows = packets.figure_10("10-1")(_context()).rows
    shown = [r for r in rows if r["order"] == "together" and r["up"] <= 61 and (r["ratio"] or -1) >= 0]
    marks: list[Any] = []
    for colour, tp in ((0, 20.0), (1, 100.0)):
        part = [r for r in shown if r["tp_s"] == 1e-3 * tp]
        links = [Link(f"{packets.DOWNLINK} packets", f"{r['up']} packets", tp_ms=tp, duration_s=2000.0) for r in part]
        ups = [r["up"] for r in part]
        calculated = [_ratio(record, link) for link in links]
        recorded = (ups, [r["ratio"] for r in part])
        marks.append(mark(f"our simulation, tp = {tp:g} ms", colour, "line dots", ups, calculated, recorded))
        for label, key, how, fixed in (
            (f"ns-2, tp = {tp:g} ms", "ns2", "crosses", _NS2),
            (f"eq. 8 in packets, tp = {tp:g} ms", "estimate", "dashed", _EQUATION),
        ):
            known = [(r["up"], r[key]) for r in part if r[key] is not None and r[key] <= 30]
            if known:
                xs, ys = ([pair[i] for pair in known] for i in (0, 1))
                marks.append(mark(label, colour if how == "dashed" else "grey", how, xs, ys, (xs, ys), fixed=fixed))
    x = axis("uplink buffer (packets)", limits=(3, 61))
    record.panel("Buffers in packets", x, axis("download over upload", limits=(0, 34)), marks)
    return record


def cures() -> Record:
    """What remedies leave of a download and of uploads, and how long packets wait."""
    record = Record(f"{_COMMAND} cures")
    link = ACCESS_LINKS[0]
    rows = rows_of(_context(), [link])
    for uploads in UPLOADS:
        part = [r for r in rows if r["uploads"] == uploads]
        trials = {cure.name: Trial(link, uploads, cure) for cure in catalogue(link, uploads)}
        best = {way: max(part, key=lambda r, way=way: r[f"{way}_alone"]) for way in ("download", "upload")}  # type: ignore[misc]
        most = {
            way: _goodput(record, trials[best[way]["cure"]].runs()[place], way)
            for place, way in enumerate(("download", "upload"))
        }

        def kept(cures: Sequence[Trial], way: str, most: dict[str, Expression] = most) -> list[Expression]:
            return [["/", _goodput(record, trial.runs()[2], way), most[way]] for trial in cures]

        marks, waits = [], []
        for colour, what in enumerate(("queue", "TCP", "queue and TCP", "the medium", "nothing")):
            some = [r for r in part if r["changes"] == what]
            if not some:
                continue
            chosen = [trials[r["cure"]] for r in some]
            label = {"nothing": "as it comes", "the medium": "another medium"}.get(what, f"changes: {what}")
            how = "rings" if what == "nothing" else "dots"
            x, y = kept(chosen, "upload"), kept(chosen, "download")
            recorded = [r["upload_kept"] for r in some], [r["download_kept"] for r in some]
            marks.append(mark(label, colour, how, x, y, recorded))
            wait = [_wait(record, trial) for trial in chosen]
            recorded = [r["download_kept"] for r in some], [r["up_p99_s"] for r in some]
            waits.append(mark(label, colour, how, y, wait, recorded))
        named = f"{uploads} upload{'s' if uploads > 1 else ''}"
        share = (0.0, 1.05)
        record.panel(named, axis("upload kept", limits=share), axis("download kept", limits=share), marks)
        y_wait = axis("wait for the uplink, p99 (s)", log=True)
        record.panel(f"{named}: wait", axis("download kept", limits=share), y_wait, waits)
    return record


def _wait(record: Record, trial: Trial) -> Expression:
    """The 99th percentile of the uplink's queueing delay under both transfers."""
    run = trial.runs()[2]
    names = [link["name"] for link in _context().runner.run(run).document["links"]]
    return result(_added(record, run), f"links.{names.index('line/up')}.queueing_delay_s.p99")
