"""Vegas: fewer losses than Reno, what delay does to it, what a wrong base round-trip time does, and REM's cure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.runner import Run

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

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
    return context.definition("vegas-loss").exhibit(rows)


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
    return context.definition("vegas-delay").exhibit(rows, series=series)


def _swing(queue: list[float]) -> float:
    ordered = sorted(queue)
    return ordered[int(0.95 * len(ordered))] - ordered[int(0.05 * len(ordered))]


def base_rtt(context: Context) -> Exhibit:
    """Flows that join one after the other, with three congestion signals."""
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
    return context.definition("vegas-base-rtt").exhibit(rows)
