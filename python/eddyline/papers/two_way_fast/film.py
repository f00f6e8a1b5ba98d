"""Section 5.2: Example 3 with copies of a film as cross traffic. Figure 4."""

from __future__ import annotations

from functools import partial
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any

from eddyline.papers.runner import NS2_PROFILE, Run
from eddyline.papers.two_way_fast.backlogs import left_open, rounding
from eddyline.papers.two_way_fast.examples import relative_error
from eddyline.reports.figures import BLACK, BLUE, RED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["figure_4", "film_load", "mean_rates"]

_WINDOW = (("duration", "80 s"), ("warmup", "10 s"))
_ACK_BITS = 320.0
_START, _STOP = 10.0, 80.0


def _runs(profile: str | None) -> dict[str, Run]:
    runs = {"none": Run("example-3-1040B", "sim", profile, _WINDOW)}
    return runs | {way: Run(f"film-{way}", "sim", profile) for way in ("backward", "forward", "both")}


def _theory(context: Context) -> dict[str, Run]:
    """Theory takes the film as constant traffic at its mean rate."""
    runs = {"none": Run("example-3-1040B", "theory", None, _WINDOW)}
    for printed in context.values["film"]:
        films = {link: copies * _one_copy(context) for link, copies in printed["copies"].items() if copies}
        means = [
            (f'traffic."film {link}".model', f'{{ kind = "cbr", rate = "{bps:.0f} bit/s" }}')
            for link, bps in films.items()
        ]
        runs[printed["way"]] = Run(f"film-{printed['way']}", "theory", None, tuple(means))
    return runs


def _one_copy(context: Context) -> float:
    source = context.values["film_source"]
    return float(source["frames"] * source["mean_frame_bits"] / source["seconds"])


def mean_rates(context: Context) -> Exhibit:
    """Mean rates of both flows from 10 s to 80 s, without a film and in the three experiments."""
    runs = {"theory": _theory(context), "clean": _runs(None), "module": _runs(NS2_PROFILE)}
    context.runner.run_all([run for by_way in runs.values() for run in by_way.values()])
    printed = {p["way"]: p for p in context.values["film"]}
    # the film takes the same share of every equilibrium, so what is open is that of Example 3
    opened = left_open(context.runner.run(runs["module"]["none"]).scenario)
    rows: list[Row] = []
    for way in ("none", "backward", "forward", "both"):
        experiment = printed.get(way)
        for flow in ("flow 1", "flow 2"):
            ours, without = (
                {name: context.runner.run(by_way[w]).flow(flow)["packets_per_s"] for name, by_way in runs.items()}
                for w in (way, "none")
            )
            paper = experiment[flow.replace(" ", "_")] if experiment else _printed_without_film(context, flow)
            rows.append(
                {
                    "way": way,
                    "flow": flow,
                    "paper_simulation": paper,
                    **ours,
                    "off": relative_error(ours["module"], paper),
                    "deviation": abs(ours["module"] / paper - 1.0),
                    "left_open": opened[flow] + rounding(paper),
                    "paper_change": relative_error(paper, _printed_without_film(context, flow)) if experiment else None,
                    "theory_change": relative_error(ours["theory"], without["theory"]) if experiment else None,
                    "module_alone": without["module"],
                    "module_change": relative_error(ours["module"], without["module"]) if experiment else None,
                    "module_loss": -(relative_error(ours["module"], without["module"]) or 0.0) if experiment else None,
                }
            )
    for row in rows:
        other = next(r for r in rows if r["way"] == "forward" and r["flow"] == row["flow"])
        row["loss_forward"] = other["module_loss"]
        row["extra_loss"] = None if row["module_loss"] is None else row["module_loss"] - other["module_loss"]
    return context.definition("film").exhibit(rows)


def _printed_without_film(context: Context, flow: str) -> float:
    row = next(
        p
        for p in context.values["printed"]
        if p["example"] == 3 and p["entity"] == flow and p["what"] == "packets_per_s"
    )
    return float(row["simulation"])


def film_load(context: Context) -> Exhibit:
    """What the paper's rates and the film take of the backward link."""
    source = context.values["film_source"]
    one_copy = _one_copy(context)
    measured = _measured(context)
    capacity = 10e6
    rows: list[Row] = []
    for printed in context.values["film"]:
        for wire in (1000, 1040):
            data = printed["flow_2"] * 8 * wire
            acks = printed["flow_1"] * _ACK_BITS
            films = printed["copies"]["backward"] * one_copy
            rows.append(
                {
                    "experiment": printed["experiment"],
                    "way": printed["way"],
                    "wire": wire,
                    "data": data,
                    "acks": acks,
                    "film": films,
                    "load": data + acks + films,
                    "capacity": capacity,
                    "share": (data + acks + films) / capacity,
                    "one_copy": one_copy,
                    "one_copy_printed": 1e3 * source["one_copy_kbps"],
                    "one_copy_simulated": measured,
                }
            )
    return context.definition("film-load").exhibit(rows)


def _measured(context: Context) -> float:
    """Mean rate of one copy on the simulated backward link."""
    link = context.runner.run(Run("film-backward", "sim", NS2_PROFILE)).link("backward")
    cross = link["utilisation"] - link["data_utilisation"] - link["ack_utilisation"]
    return float(cross * 10e6 / 20)


def figure_4(context: Context) -> Exhibit:
    """Throughput over time with the film, and the film's frame sizes."""
    film_file = context.folder / "traces" / "synthetic-movie.dat"
    frames = [(_START + at, bits) for at, bits in _frames(film_file) if at < _STOP - _START]
    runs = {way: Run(name, "sim", NS2_PROFILE, _WINDOW, "1 s") for way, name in _FILES.items()}
    context.runner.run_all(list(runs.values()))
    rows: list[Row] = []
    series: list[Row] = []
    for way, run in runs.items():
        result = context.runner.run(run)
        for flow in ("flow 1", "flow 2"):
            times, values = result.over_time(flow, "goodput_bps")
            late = [v for t, v in zip(times, values, strict=True) if t > _START + 1e-9]
            rows.append(
                {
                    "way": way,
                    "flow": flow,
                    "mean": fmean(late),
                    "lowest": min(late),
                    "highest": max(late),
                    "spread": pstdev(late) / fmean(late),
                    "deepest": min(late) / fmean(late) - 1.0,
                }
            )
            rows[-1]["deepest_alone"] = next(r["deepest"] for r in rows if (r["way"], r["flow"]) == ("none", flow))
            series += [
                {"way": way, "flow": flow, "time_s": t, "goodput_bps": v} for t, v in zip(times, values, strict=True)
            ]
    frame_rows = [{"time_s": t, "bits": bits} for t, bits in frames]
    return context.definition("fig-4").exhibit(
        rows,
        series={"fig-4-series": series, "fig-4-frames": frame_rows},
        draw={"fig-4": partial(_draw, series=series, frames=frame_rows)},
    )


_FILES = {"none": "example-3-1040B", "backward": "film-backward", "forward": "film-forward", "both": "film-both"}


def _frames(file: Any) -> list[tuple[float, float]]:
    """Time in s and size in bits of every frame of a trace with columns frame, type, ms, bytes."""
    lines = file.read_text("utf-8").splitlines()
    cells = [line.split() for line in lines if line and not line.startswith("#")]
    return [(float(c[2]) / 1e3, 8.0 * float(c[3])) for c in cells]


def _draw(figure: Figure, series: list[Row], frames: list[Row]) -> None:
    rates, sizes = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
    for flow, colour in (("flow 1", BLUE), ("flow 2", RED)):
        for way, style in (("none", ":"), ("backward", "-")):
            part = [r for r in series if r["way"] == way and r["flow"] == flow]
            label = f"{flow}, {'20 copies backward' if way == 'backward' else 'no film'}"
            rates.plot(
                [r["time_s"] for r in part], [r["goodput_bps"] / 1e6 for r in part], style, color=colour, label=label
            )
    rates.set_ylabel("throughput, payload (Mbit/s)")
    rates.set_ylim(0, 32)
    rates.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4)
    sizes.vlines([r["time_s"] for r in frames], 0, [r["bits"] / 1e3 for r in frames], color=BLACK, linewidth=0.5)
    sizes.set_ylabel("frame size, one copy (kbit)")
    sizes.set_xlabel("time (s)")
    sizes.set_xlim(0, 80)
    sizes.set_ylim(bottom=0)
