"""Vegas: fewer losses than Reno, faster links, what a wrong base round-trip time does, and REM's cure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.runner import Run

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["base_rtt", "loss", "scale"]

_FLOWS = (1, 4, 8)
_RATES = (1e6, 10e6, 100e6, 1e9)
_SCALE_RTT = 0.05
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


def scale(context: Context) -> Exhibit:
    """One flow of each kind over faster and faster links, on a queue of 100, once it has started."""
    cases = [(kind, rate) for rate in _RATES for kind in ("reno", "vegas")]
    runs = []
    for kind, rate in cases:
        # a path of w packets is filled a packet a round trip: twice that time, at least a minute
        started = max(60.0, 2.0 * rate / 12_000 * _SCALE_RTT**2)
        keys = {"link.there.rate": f"{rate:.0f} bit/s", "link.back.rate": f"{rate:.0f} bit/s"}
        keys |= {f"link.{name}.delay": f"{500 * _SCALE_RTT:g} ms" for name in ("there", "back")}
        keys |= {"link.there.queue.limit": "100 packets", "flow.*.controller.kind": kind, "flow.*.count": "1"}
        keys |= {"warmup": f"{started:g} s", "duration": f"{2.5 * started:g} s"}
        runs.append(Run("vegas-loss", set=tuple(keys.items())))
    rows: list[Row] = []
    for (kind, rate), result in zip(cases, context.runner.run_all(runs), strict=True):
        link = result.document["links"][0]
        rows.append(
            {
                "controller": kind,
                "rate": rate,
                "utilisation": link["utilisation"],
                "queue": link["queue_packets"]["mean"],
                "dropped": link["drops"]["data"],
                "path": rate / 12_000 * _SCALE_RTT,
            }
        )
    for row in rows:
        row["vegas"] = next(r["utilisation"] for r in rows if (r["controller"], r["rate"]) == ("vegas", row["rate"]))
    return context.definition("vegas-scale").exhibit(rows, values={"rtt": 1000 * _SCALE_RTT})


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
