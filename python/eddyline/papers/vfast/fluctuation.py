"""What smoothing changes where the round trip fluctuates, and whether shares depend on the round trip."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING

from eddyline.papers.runner import NS2_PROFILE
from eddyline.papers.vfast.phases import swing
from eddyline.papers.vfast.runs import DEFAULT, FAST, SENDERS, VFAST, Case, Reading
from eddyline.reports.figures import BLUE, RED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.papers.runner import RunResult
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["delays", "fluctuating"]

_UPDATE = Reading("update", (("smoothing", "update"),))
_JITTER = "clean, on jitter"
_PROFILES: dict[str, tuple[str, str | None, tuple[tuple[str, str], ...]]] = {
    "clean": ("fluctuating", None, ()),
    NS2_PROFILE: ("fluctuating", NS2_PROFILE, ()),
    _JITTER: (
        "jitter-queue",
        None,
        (
            ("flow.*.controller.gamma", "0.5"),
            ("flow.*.tcp.pacing", "controller"),
            ("link.radio.jitter.sd", "4 ms"),
        ),
    ),
}
"""By the name of the profile in tables: scenario, profile, other changes."""


def fluctuating(context: Context, seeds: int = 3, reading: Reading = DEFAULT, stop: float = 220.0) -> Exhibit:
    """Rate, window, queue and round trip of a flow beside on-off traffic."""
    senders = [(FAST, "", DEFAULT), (VFAST, "", reading), (VFAST, ", once an update", _UPDATE)]
    keys = [(p, s, more, r, n) for p in _PROFILES for s, more, r in senders for n in range(1, seeds + 1)]
    end = (("duration", f"{stop:g} s"),) if stop != 220.0 else ()
    runs = [
        Case(file, s, None, reading=r, profile=profile, seed=n, more=(*more, *end)).with_series()
        for p, s, _, r, n in keys
        for file, profile, more in (_PROFILES[p],)
    ]
    found: dict[tuple[str, str], list[RunResult]] = {}
    for (profile, sender, more, _, _), result in zip(keys, context.runner.run_all(runs), strict=True):
        found.setdefault((profile, sender + more), []).append(result)
    rows: list[Row] = []
    for (profile, sender), results in found.items():
        row: Row = {
            "profile": profile,
            "sender": sender,
            "rate": fmean(a.flow("flow 1")["goodput_bps"] for a in results),
            "queue": fmean(a.link("forward")["queue_packets"]["mean"] for a in results),
        }
        for key, entity, quantity in (
            ("rate_swing", "flow 1", "goodput_bps"),
            ("window_swing", "flow 1", "cwnd_packets"),
            ("rtt_swing", "flow 1", "rtt_s"),
            ("queue_swing", "forward", "queue_packets"),
        ):
            moved = [m for a in results if (m := swing(*a.over_time(entity, quantity), 20.0, stop))]
            row[key] = fmean(m.width for m in moved)
        row["window_step"] = fmean(_step(*a.over_time("flow 1", "cwnd_packets"), stop) for a in results)
        fast = next((r for r in rows if r["profile"] == profile and r["sender"] == FAST), row)
        for key in ("rate_swing", "window_swing", "rtt_swing", "queue_swing", "queue", "window_step"):
            row[f"{key}_ratio"] = row[key] / fast[key]
        rows.append(row)
    pair = [(s, found["clean", s][0]) for s in SENDERS]
    return context.definition("fluctuating").exhibit(
        rows, values={"seeds": seeds}, draw={"fluctuating": partial(_draw, pair=pair)}
    )


def _step(times: Sequence[float], values: Sequence[float], stop: float) -> float:
    """Mean absolute difference between consecutive samples."""
    chosen = [v for t, v in zip(times, values, strict=True) if 20.0 < t <= stop]
    return fmean(abs(b - a) for a, b in pairwise(chosen))


def _draw(figure: Figure, pair: list[tuple[str, RunResult]]) -> None:
    top, bottom = figure.subplots(2, 1, sharex=True)
    for (sender, result), colour in zip(pair, (BLUE, RED), strict=True):
        for axis, quantity, scale in ((top, "cwnd_packets", 1.0), (bottom, "rtt_s", 1e-3)):
            times, values = result.over_time("flow 1", quantity)
            axis.plot(times, [v / scale for v in values], color=colour, linewidth=0.9, label=sender)
    top.set_ylabel("window (packets)")
    bottom.set_ylabel("RTT (ms)")
    bottom.set_xlabel("time (s)")
    bottom.set_xlim(100, 120)
    top.legend(loc="upper right", ncols=2)


def delays(context: Context) -> Exhibit:
    """Two round trips on one link, base round trips known or estimated."""
    sources = ("known", "estimated")
    starts = ("0 s", "20 s")
    keys = [(s, b, t) for s in SENDERS for b in sources for t in starts]
    runs = [
        Case(
            "two-delays",
            s,
            more=(("flow.*.controller.base_rtt", b), ("flow.far.start", t)),
        ).with_series()
        for s, b, t in keys
    ]
    rows: list[Row] = []
    for (sender, base, start), result in zip(keys, context.runner.run_all(runs), strict=True):
        near, far = (result.flow(name)["packets_per_s"] for name in ("near", "far"))
        rows.append(
            {
                "sender": sender,
                "base": base,
                "start": "together" if start == "0 s" else "far 20 s later",
                "near": near * 8e3,
                "far": far * 8e3,
                "ratio": far / near,
            }
        )
    return context.definition("two-delays").exhibit(rows)
