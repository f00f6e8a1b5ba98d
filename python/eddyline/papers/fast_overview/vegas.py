"""Vegas: fewer losses than Reno, what delay does to it, what a wrong base round-trip time does, and REM's cure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.runner import Run
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLUE, GREEN, RED, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["base_rtt", "delay", "loss"]

_FLOWS = (1, 4, 8)
_RTTS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
PHI = 1.004
_REM = (
    (
        "link.there.queue",
        f'{{ kind = "rem", target = "5 packets", phi = {PHI}, gamma = 0.02, period = "10 ms" }}',
    ),
)
_MARKS = (("flow.*.controller.price", f'{{ kind = "marks", phi = {PHI} }}'),)
_CASES = {
    "estimated, by delay": (),
    "known, by delay": (("flow.*.controller.base_rtt", "known"),),
    "estimated, by REM's marks": (*_REM, *_MARKS),
}


def loss(context: Context) -> Exhibit:
    """Vegas and Reno on the same short queue."""
    cases = [(kind, n) for n in _FLOWS for kind in ("reno", "vegas")]
    runs = [Run("vegas-loss", set=(("flow.*.controller.kind", kind), ("flow.*.count", str(n)))) for kind, n in cases]
    rows: list[Row] = []
    for (kind, n), result in zip(cases, context.runner.run_all(runs), strict=True):
        link, flows = result.document["links"][0], result.document["flows"]
        sent = sum(f["delivered_bytes"] for f in flows) / 1460
        rows.append(
            {
                "controller": kind,
                "flows": n,
                "setting": f"{n} flow{'s' if n > 1 else ''}",
                "utilisation": link["utilisation"],
                "lost": link["drops"]["data"] / sent,
                "queue": link["queue_packets"]["mean"],
                "alpha_beta": f"{2 * n} to {4 * n}",
            }
        )
    for row in rows:
        reno = next(r for r in rows if r["flows"] == row["flows"] and r["controller"] == "reno")
        row["reno_lost"], row["reno_utilisation"] = reno["lost"], reno["utilisation"]
    return Exhibit(
        id="vegas-loss",
        title="Vegas against Reno in loss",
        place="Principle, second paragraph",
        reading=(
            "10 Mbit/s, 100 ms, a queue of 50 packets. Reno grows until packets are lost, Vegas until two to four of "
            "each flow wait. Losses are over the whole run, the start included."
        ),
        columns=(
            Column("setting", "flows"),
            Column("controller", "controller"),
            Column("utilisation", "utilisation", percent=True),
            Column("reno_utilisation", "Reno's", percent=True),
            Column("lost", "packets lost", percent=True, digits=6),
            Column("reno_lost", "Reno's", percent=True, digits=6),
            Column("queue", "mean queue", "packets"),
            Column("alpha_beta", "alpha to beta of all", "packets"),
        ),
        rows=rows,
    )


def _started(rtt: float) -> float:
    """Seconds after which nothing of the start is left.

    A path of 8,333 packets a second is filled by 20 flows that gain a packet a round trip each in 417 rtt^2 seconds;
    they run over it and take as long again.
    """
    return max(100.0, 1000.0 * rtt**2)


def delay(context: Context) -> Exhibit:
    """The same flows over longer paths."""
    runs = [
        Run(
            "vegas-delay",
            set=(
                *((f"link.{name}.delay", f"{500 * rtt:g} ms") for name in ("there", "back")),
                ("warmup", f"{_started(rtt):g} s"),
                ("duration", f"{_started(rtt) + 100.0:g} s"),
            ),
            interval="100 ms",
        )
        for rtt in _RTTS
    ]
    results = context.runner.run_all(runs)
    rows: list[Row] = []
    series: dict[str, list[Row]] = {}
    for rtt, result in zip(_RTTS, results, strict=True):
        times, queue = result.over_time("there", "queue_packets")
        kept = [(t - _started(rtt), q) for t, q in zip(times, queue, strict=True) if t > _started(rtt)]
        link = result.document["links"][0]
        early, late = (_swing([q for _, q in part]) for part in (kept[: len(kept) // 2], kept[len(kept) // 2 :]))
        swing = _swing([q for _, q in kept])
        rows.append(
            {
                "rtt": rtt,
                "place": f"{1000 * rtt:g} ms",
                "utilisation": link["utilisation"],
                "queue": link["queue_packets"]["mean"],
                "wanted": 80.0,
                "least": min(q for _, q in kept),
                "swing": swing,
                "relative_swing": swing / 80.0,
                "growth": late / early if early else None,
            }
        )
        series[f"vegas-delay-{1000 * rtt:g}ms"] = [{"time_s": t, "queue_packets": q} for t, q in kept[:500]]
    return Exhibit(
        id="vegas-delay",
        title="Vegas at large delay",
        place="Principle, second paragraph",
        reading=(
            "Twenty flows on 100 Mbit/s that know their base round-trip time want four packets each in the queue, 80 "
            "together, and move by one packet a round trip each: they go on stepping round it at every delay. The "
            "swing is from the 5th to the 95th percentile of the queue over 100 s, after the start, which lasts some "
            "400 s times the square of the round trip. A loop that has become unstable would swing more and more "
            "until the queue runs empty and capacity is lost; a swing alone is not that."
        ),
        columns=(
            Column("place", "round trip"),
            Column("utilisation", "utilisation", percent=True),
            Column("queue", "mean queue", "packets"),
            Column("wanted", "wanted", "packets"),
            Column("least", "least queue", "packets"),
            Column("swing", "swing", "packets"),
            Column("relative_swing", "swing over what is wanted"),
            Column("growth", "swing of the second half over that of the first"),
        ),
        rows=rows,
        series=series,
        pictures=[Picture("vegas-delay", "The queue over time", drawn(_paint, 7.0, 3.6, series))],
    )


def _swing(queue: list[float]) -> float:
    ordered = sorted(queue)
    return ordered[int(0.95 * len(ordered))] - ordered[int(0.05 * len(ordered))]


def _paint(figure: Figure, series: dict[str, list[Row]]) -> None:
    axis = figure.subplots()
    names = list(series)
    chosen = (names[0], names[2], names[-1])
    for name, colour in zip(chosen, (BLUE, GREEN, RED), strict=True):
        rows = series[name]
        axis.plot(
            [r["time_s"] for r in rows],
            [r["queue_packets"] for r in rows],
            color=colour,
            linewidth=0.8,
            label=name.removeprefix("vegas-delay-").replace("ms", " ms"),
        )
    axis.set_xlabel("time after the start (s)")
    axis.set_ylabel("queue (packets)")
    figure.legend(loc="outside right upper")


def base_rtt(context: Context) -> Exhibit:
    """Flows that join one after the other, with three ways to hear of congestion."""
    runs = [Run("vegas-joining", set=changes) for changes in _CASES.values()]
    rows: list[Row] = []
    for name, result in zip(_CASES, context.runner.run_all(runs), strict=True):
        link, group = result.document["links"][0], result.document["groups"][0]
        bases = [f["base_rtt_s"] for f in result.document["flows"]]
        rows.append(
            {
                "case": name,
                "queue": link["queue_packets"]["mean"],
                "wanted": 50.0,
                "excess": link["queue_packets"]["mean"] / 50.0,
                "utilisation": link["utilisation"],
                "jain": group["jain_index"],
                "first": group["goodput_bps"]["min"],
                "last": group["goodput_bps"]["max"],
                "base_error": max(bases) - min(bases),
            }
        )
    for row in rows:
        row["plain_queue"], row["plain_jain"] = rows[0]["queue"], rows[0]["jain"]
    return Exhibit(
        id="vegas-base-rtt",
        title="A wrong base round-trip time, and REM's cure",
        place="Principle, second paragraph",
        reading=(
            "Five flows join 20 s apart; each wants 8 to 10 packets queued, so 40 to 50 wait if all know the path. "
            "Who comes late takes the others' queue for propagation, keeps more queued, and gets more. With REM's "
            "marks as the price (phi 1.004, a price of 1 standing for 1 ms) the round-trip time plays no part, and "
            "REM keeps the queue at its target of 5 packets."
        ),
        columns=(
            Column("case", "base round-trip time and price"),
            Column("queue", "mean queue", "packets"),
            Column("wanted", "wanted at most", "packets"),
            Column("excess", "queue over wanted"),
            Column("plain_queue", "queue, estimated by delay", "packets"),
            Column("utilisation", "utilisation", percent=True),
            Column("jain", "Jain's index"),
            Column("plain_jain", "the same, estimated by delay"),
            Column("first", "least goodput", "Mbit/s", scale=1e6),
            Column("last", "most", "Mbit/s", scale=1e6),
            Column("base_error", "largest less smallest base", "ms", scale=1e-3),
        ),
        rows=rows,
    )
