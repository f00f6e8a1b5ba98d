"""Theorem 1 over k_f, over the packet size, and for flows of unequal alpha."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.asymmetric_fast.equations import FORWARD_BPS, aggregate_of_eq_15, backward_bps, factor, theorem_1
from eddyline.papers.runner import NS2_PROFILE, Run
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLACK, BLUE, GREEN, RED, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["flows", "packets", "sweep"]

_FACTORS = (0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0, 1.1, 1.25, 1.6, 2.5, 4.0, 6.0, 10.0, 16.0, 25.0, 40.0, 63.0, 100.0)
_SIZES = (250, 500, 1000, 1500, 2000, 4000, 9000)


def _backward(k_f: float, size: int) -> tuple[str, str]:
    return "link.backward.rate", f"{backward_bps(k_f, size):.6f} bit/s"


def _long(k_f: float) -> tuple[tuple[str, str], ...]:
    """Where ACKs are slow the start takes long: the file's 40 s grow with k_f."""
    if k_f <= 4:
        return ()
    return (("duration", f"{10 * k_f:g} s"), ("warmup", f"{5 * k_f:g} s"))


def _asked(context: Context, file: str, changes: list[tuple[tuple[str, str], ...]]) -> list[tuple[Row, ...]]:
    """Theory, clean and profile for each set of changes."""
    worlds = (("theory", None), ("sim", None), ("sim", NS2_PROFILE))
    context.runner.run_all([Run(file, world, profile, c) for c in changes for world, profile in worlds])
    return [tuple(context.runner.run(Run(file, w, p, c)).document for w, p in worlds) for c in changes]


def sweep(context: Context) -> Exhibit:
    """One flow, k_f from 0.1 to 100."""
    rows: list[Row] = []
    for k_f, (theory, clean, module) in zip(
        _FACTORS, _asked(context, "sweep", [(_backward(k, 1000), *_long(k)) for k in _FACTORS]), strict=True
    ):
        one, two, three = (r["flows"][0]["goodput_bps"] for r in (theory, clean, module))
        rows.append(
            {
                "k_f": k_f,
                "side": "above 1" if k_f > 1 else "below 1" if k_f < 1 else "1",
                "backward": backward_bps(k_f, 1000),
                "theorem": theorem_1(k_f),
                "theory": one,
                "clean": two,
                "clean_off": two / theorem_1(k_f) - 1.0,
                "module": three,
                "module_off": three / theorem_1(k_f) - 1.0,
                "eq_15": aggregate_of_eq_15(k_f),
                "in_words": (8000.0 / FORWARD_BPS) / (320.0 / backward_bps(k_f, 1000)),
                "forward_use": module["links"][0]["utilisation"],
                "backward_use": module["links"][1]["utilisation"],
                "limit_use": module["links"][0 if k_f <= 1 else 1]["utilisation"],
                "capacity": FORWARD_BPS,
            }
        )
    return Exhibit(
        id="k-f-sweep",
        title="Theorem 1 over the asymmetry factor",
        place="Theorem 1; eq. 1 and 15",
        reading=(
            "One flow, P_f = 1,000 and P_b = 40 bytes on the wire, c_f = 100 Mbit/s; only c_b varies. Below k_f = 1 "
            "the way there is the limit, above it the way back. Eq. 15, whose queues may be negative, crosses Theorem "
            "1 at k_f = 1 only, where both queues are busy."
        ),
        columns=(
            Column("k_f", "k_f"),
            Column("side", "k_f's side"),
            Column("backward", "c_b", "Mbit/s", scale=1e6),
            Column("theorem", "Theorem 1", "Mbit/s", scale=1e6),
            Column("theory", "our theory", "Mbit/s", scale=1e6),
            Column("clean", "our sim, clean", "Mbit/s", scale=1e6),
            Column("clean_off", "clean against theorem", percent=True),
            Column("module", "our sim, ns-2 profile", "Mbit/s", scale=1e6),
            Column("module_off", "profile against theorem", percent=True),
            Column("eq_15", "rest of eq. 15", "Mbit/s", scale=1e6),
            Column("in_words", "k_f as the text after eq. 1 says"),
            Column("forward_use", "load of the way there", percent=True),
            Column("backward_use", "load of the way back", percent=True),
            Column("limit_use", "load of the way that limits", percent=True),
            Column("capacity", "c_f", "Mbit/s", scale=1e6),
        ),
        rows=rows,
        pictures=[Picture("k-f-sweep", "Throughput over k_f", drawn(_paint_sweep, 7.0, 4.0, rows))],
    )


def _paint_sweep(figure: Figure, rows: list[Row]) -> None:
    axis = figure.subplots()
    places = [0.1 * 1000 ** (i / 300) for i in range(301)]
    axis.plot(places, [theorem_1(k) / 1e6 for k in places], color=BLACK, label="Theorem 1")
    axis.plot(places, [aggregate_of_eq_15(k) / 1e6 for k in places], ":", color=BLACK, label="rest of eq. 15")
    axis.plot(
        [r["k_f"] for r in rows],
        [r["clean"] / 1e6 for r in rows],
        "o",
        color=BLUE,
        markersize=5,
        label="our sim, clean",
    )
    axis.plot(
        [r["k_f"] for r in rows],
        [r["module"] / 1e6 for r in rows],
        "x",
        color=RED,
        markersize=6,
        label="our sim, ns-2 profile",
    )
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
    axis.set_yticks([1, 10, 100], ["1", "10", "100"])
    axis.set_xlabel("asymmetry factor k_f")
    axis.set_ylabel("throughput (Mbit/s)")
    axis.legend(loc="lower left")


def flows(context: Context) -> Exhibit:
    """Three flows with alpha 100, 200 and 300 at k_f = 0.5, 1 and 4."""
    factors, alphas = (0.5, 1.0, 4.0), (100, 200, 300)
    rows: list[Row] = []
    for k_f, results in zip(
        factors, _asked(context, "three-flows", [(_backward(k, 1000),) for k in factors]), strict=True
    ):
        for place, alpha in enumerate(alphas):
            one, two, three = (r["flows"][place]["goodput_bps"] for r in results)
            goal = theorem_1(k_f, alpha / sum(alphas))
            rows.append(
                {
                    "k_f": k_f,
                    "flow": f"flow {place + 1}",
                    "alpha": alpha,
                    "theorem": goal,
                    "theory": one,
                    "clean": two,
                    "clean_off": two / goal - 1.0,
                    "module": three,
                    "module_off": three / goal - 1.0,
                }
            )
    return Exhibit(
        id="three-flows",
        title="Three flows of unequal alpha",
        place="Theorem 1",
        reading="All start together. Theorem 1 shares what the narrower way lets through as alpha does.",
        columns=(
            Column("k_f", "k_f"),
            Column("flow", "flow"),
            Column("alpha", "alpha", "packets"),
            Column("theorem", "Theorem 1", "Mbit/s", scale=1e6),
            Column("theory", "our theory", "Mbit/s", scale=1e6),
            Column("clean", "our sim, clean", "Mbit/s", scale=1e6),
            Column("clean_off", "clean against theorem", percent=True),
            Column("module", "our sim, ns-2 profile", "Mbit/s", scale=1e6),
            Column("module_off", "profile against theorem", percent=True),
        ),
        rows=rows,
    )


def packets(context: Context) -> Exhibit:
    """Packet sizes from 250 to 9,000 bytes over ways back of 10, 1 and 0.1 Mbit/s."""
    cases = [(mbps, size) for mbps in (10.0, 1.0, 0.1) for size in _SIZES]
    changes = [
        (
            ("link.backward.rate", f"{1e6 * mbps:.0f} bit/s"),
            ("flow.*.packet", f"{size} B"),
            *((("duration", "200 s"), ("warmup", "100 s")) if mbps < 1 else ()),
        )
        for mbps, size in cases
    ]
    rows: list[Row] = []
    for (mbps, size), (theory, clean, module) in zip(cases, _asked(context, "sweep", changes), strict=True):
        one, two, three = (r["flows"][0]["goodput_bps"] for r in (theory, clean, module))
        k_f = factor(1e6 * mbps, size)
        rows.append(
            {
                "backward": 1e6 * mbps,
                "size": size,
                "k_f": k_f,
                "side": "above 1" if k_f > 1 else "1 or below",
                "theorem": theorem_1(k_f),
                "theory": one,
                "clean": two,
                "module": three,
                "clean_off": two / theorem_1(k_f) - 1.0,
            }
        )
    for row in rows:
        base = next(r for r in rows if r["backward"] == row["backward"] and r["size"] == 1000)
        row["times"] = row["module"] / base["module"]
        row["size_times"] = row["size"] / 1000
    return Exhibit(
        id="packet-size",
        title="Larger packets",
        place="Section III, last paragraph; Section IV, Fig. 4",
        reading=(
            "One flow; every data packet brings one ACK of 40 bytes. Where the way back is the limit (k_f above 1), "
            "payload grows with the packet size, so 2,000 bytes give twice the throughput of 1,000. Where it is not, "
            "size does nothing."
        ),
        columns=(
            Column("backward", "c_b", "Mbit/s", scale=1e6),
            Column("size", "P_f", "B"),
            Column("k_f", "k_f"),
            Column("theorem", "Theorem 1", "Mbit/s", scale=1e6),
            Column("theory", "our theory", "Mbit/s", scale=1e6),
            Column("clean", "our sim, clean", "Mbit/s", scale=1e6),
            Column("clean_off", "clean against theorem", percent=True),
            Column("module", "our sim, ns-2 profile", "Mbit/s", scale=1e6),
            Column("times", "times that of 1,000 B"),
            Column("size_times", "P_f over 1,000 B"),
        ),
        rows=rows,
        pictures=[
            Picture("packet-size", "Throughput over the size of data packets", drawn(_paint_packets, 7.0, 3.8, rows))
        ],
    )


def _paint_packets(figure: Figure, rows: list[Row]) -> None:
    axis = figure.subplots()
    for mbps, colour in ((10.0, GREEN), (1.0, BLUE), (0.1, RED)):
        part = [r for r in rows if r["backward"] == 1e6 * mbps]
        places = [r["size"] for r in part]
        axis.plot(
            places,
            [r["theorem"] / 1e6 for r in part],
            color=colour,
            linewidth=1,
            label=f"Theorem 1, c_b = {mbps:g} Mbit/s",
        )
        axis.plot(
            places, [r["module"] / 1e6 for r in part], "o", color=colour, markersize=4, label="our sim, ns-2 profile"
        )
    axis.set_xscale("log")
    axis.set_yscale("log")
    labelled = [s for s in _SIZES if s != 1500]
    axis.set_xticks(labelled, [f"{s:,}" for s in labelled])
    axis.set_yticks([1, 10, 100], ["1", "10", "100"])
    axis.minorticks_off()
    axis.set_xlabel("data packet P_f (bytes)")
    axis.set_ylabel("throughput (Mbit/s)")
    figure.legend(loc="outside right upper")
