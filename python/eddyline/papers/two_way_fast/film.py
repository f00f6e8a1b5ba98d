"""Section 5.2: Example 3 with a film played to many viewers at once. Figure 4."""

from __future__ import annotations

from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any

from eddyline.papers.runner import NS2_PROFILE, Run
from eddyline.papers.two_way_fast.examples import ratio
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLACK, BLUE, RED, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["figure_4", "film", "load"]

SYNTHETIC = (
    "The paper's Star Wars IV trace is not available. The film here is synthetic, made so that its first 70 s have the "
    "paper's figures (908 frames, 5,032 bits each on average). Whoever has the real trace can name it in "
    'python/eddyline/papers/two_way_fast/scenarios/film-*.toml with offset = "1431280 ms".'
)

_WINDOW = (("duration", "80 s"), ("warmup", "10 s"))
_ACK_BITS = 320.0
_START, _STOP = 10.0, 80.0


def _runs(profile: str | None) -> dict[str, Run]:
    runs = {"none": Run("example-3-1040B", "sim", profile, _WINDOW)}
    return runs | {way: Run(f"film-{way}", "sim", profile) for way in ("backward", "forward", "both")}


def _theory(context: Context) -> dict[str, Run]:
    """Theory takes the film for a constant rate, its mean."""
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


def film(context: Context) -> Exhibit:
    """Mean rates of both flows from 10 s to 80 s, without a film and in the three experiments."""
    theory, clean, module = _theory(context), _runs(None), _runs(NS2_PROFILE)
    context.runner.run_all([*theory.values(), *clean.values(), *module.values()])
    printed = {p["way"]: p for p in context.values["film"]}
    rows: list[Row] = []
    for way in ("none", "backward", "forward", "both"):
        said = printed.get(way)
        for flow in ("flow 1", "flow 2"):
            ours = {k: context.runner.run(r[way]).flow(flow)["packets_per_s"] for k, r in _three(theory, clean, module)}
            alone = {
                k: context.runner.run(r["none"]).flow(flow)["packets_per_s"] for k, r in _three(theory, clean, module)
            }
            paper = said[flow.replace(" ", "_")] if said else _alone(context, flow)
            rows.append(
                {
                    "way": way,
                    "flow": flow,
                    "paper_simulation": paper,
                    **ours,
                    "off": ratio(ours["module"], paper),
                    "paper_change": ratio(paper, _alone(context, flow)) if said else None,
                    "theory_change": ratio(ours["theory"], alone["theory"]) if said else None,
                    "module_alone": alone["module"],
                    "module_change": ratio(ours["module"], alone["module"]) if said else None,
                    "module_loss": -(ratio(ours["module"], alone["module"]) or 0.0) if said else None,
                }
            )
    for row in rows:
        other = next(r for r in rows if r["way"] == "forward" and r["flow"] == row["flow"])
        row["loss_forward"] = other["module_loss"]
        row["extra_loss"] = None if row["module_loss"] is None else row["module_loss"] - other["module_loss"]
    return Exhibit(
        id="film",
        title="A film on the way: mean rates of both flows",
        place="Section 5.2",
        reading=(
            "Example 3 with a film from 10 s to 80 s: 20 copies backward (1.3 Mbit/s on the 10 Mbit/s link that is the "
            "bottleneck), 200 copies forward (13 Mbit/s on the 100 Mbit/s link), or both. Changes are against the same "
            "column without a film. Theory has the film's mean rate taken off the link."
        ),
        columns=(
            Column("way", "film"),
            Column("flow", "flow"),
            Column("paper_simulation", "paper's simulation", "packets/s", digits=6),
            Column("theory", "our theory, mean load", "packets/s"),
            Column("clean", "our sim, clean", "packets/s"),
            Column("module", "our sim, ns-2 profile", "packets/s"),
            Column("off", "profile against paper", percent=True, digits=3),
            Column("paper_change", "paper: change", percent=True, digits=3),
            Column("theory_change", "theory: change", percent=True, digits=3),
            Column("module_change", "profile: change", percent=True, digits=3),
            Column("module_loss", "profile: loss", percent=True, digits=3),
            Column("loss_forward", "profile: loss with the film forward", percent=True, digits=3),
            Column("extra_loss", "profile: loss beyond that", percent=True, digits=3),
        ),
        rows=rows,
        notes=(SYNTHETIC, "Without a film the paper's rates are those of Example 3."),
    )


def _three(theory: dict[str, Run], clean: dict[str, Run], module: dict[str, Run]) -> list[tuple[str, dict[str, Run]]]:
    return [("theory", theory), ("clean", clean), ("module", module)]


def _alone(context: Context, flow: str) -> float:
    row = next(
        p
        for p in context.values["printed"]
        if p["example"] == 3 and p["entity"] == flow and p["what"] == "packets_per_s"
    )
    return float(row["simulation"])


def load(context: Context) -> Exhibit:
    """Whether the paper's rates fit on the backward link together with the film."""
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
    return Exhibit(
        id="film-load",
        title="What the paper's rates put on the backward link",
        place="Section 5.2",
        reading=(
            "Flow 2's data, flow 1's ACKs and the film share the 10 Mbit/s backward link. With the rates that the "
            "paper reports they need more than the link has wherever the film goes backward, even at 1,000 B a "
            "packet: those two results cannot have come from the experiment as described."
        ),
        columns=(
            Column("experiment", "experiment"),
            Column("way", "film"),
            Column("wire", "wire", "B"),
            Column("data", "data of flow 2", "Mbit/s", scale=1e6),
            Column("acks", "ACKs of flow 1", "Mbit/s", scale=1e6),
            Column("film", "film", "Mbit/s", scale=1e6),
            Column("load", "in all", "Mbit/s", scale=1e6),
            Column("capacity", "capacity", "Mbit/s", scale=1e6),
            Column("share", "load", percent=True),
            Column("one_copy_printed", "one copy, paper", "kbit/s", scale=1e3),
            Column("one_copy", "one copy, from its frames", "kbit/s", scale=1e3),
            Column("one_copy_simulated", "one copy, played", "kbit/s", scale=1e3),
        ),
        rows=rows,
        notes=(SYNTHETIC,),
    )


def _measured(context: Context) -> float:
    """Mean rate of one copy as it went over the backward link."""
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
            series += [
                {"way": way, "flow": flow, "time_s": t, "goodput_bps": v} for t, v in zip(times, values, strict=True)
            ]
    shown = [{"time_s": t, "bits": bits} for t, bits in frames]
    return Exhibit(
        id="fig-4",
        title="Figure 4: throughput of flows 1 and 2 with the film, and its frames",
        place="Section 5.2, Fig. 4",
        reading=(
            "Twenty copies of the film go backward from 10 s to 80 s. Large frames should show as dips in both flows "
            "at once: flow 2's data and flow 1's ACKs wait behind them. One-second averages, ns-2 profile; spread is "
            "their standard deviation over their mean from 10 s on, deepest dip their smallest against their mean."
        ),
        columns=(
            Column("way", "film"),
            Column("flow", "flow"),
            Column("mean", "mean", "Mbit/s", scale=1e6),
            Column("lowest", "lowest second", "Mbit/s", scale=1e6),
            Column("highest", "highest second", "Mbit/s", scale=1e6),
            Column("spread", "spread", percent=True, digits=3),
            Column("deepest", "deepest dip", percent=True, digits=3),
        ),
        rows=rows,
        series={"fig-4-series": series, "fig-4-frames": shown},
        pictures=[
            Picture(
                "fig-4",
                "Throughput with 20 copies of the film backward; its frames",
                drawn(_paint, 8.0, 5.0, series, shown),
            )
        ],
        notes=(SYNTHETIC,),
    )


_FILES = {"none": "example-3-1040B", "backward": "film-backward", "forward": "film-forward", "both": "film-both"}


def _frames(file: Any) -> list[tuple[float, float]]:
    """Time in s and size in bits of every frame of a trace with columns frame, type, ms, bytes."""
    lines = file.read_text("utf-8").splitlines()
    cells = [line.split() for line in lines if line and not line.startswith("#")]
    return [(float(c[2]) / 1e3, 8.0 * float(c[3])) for c in cells]


def _paint(figure: Figure, series: list[Row], frames: list[Row]) -> None:
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
