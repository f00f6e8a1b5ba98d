"""What Section IV says of FAST: round trips that oscillate (figure 1), and a longer route taken for congestion."""

from __future__ import annotations

from itertools import pairwise
from statistics import correlation, fmean
from typing import TYPE_CHECKING

import numpy as np

from eddyline.papers.runner import NS2_PROFILE
from eddyline.papers.vfast.runs import FAST, SENDERS, Case

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.papers.runner import RunResult
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["oscillation", "rerouting"]

_PROFILES = {"clean": "clean", NS2_PROFILE: NS2_PROFILE}
_TWO, _CROSS = "two round trips", "beside on-off traffic"
_CASES: dict[str, tuple[str, str, tuple[str, ...], tuple[tuple[str, str], ...]]] = {
    "start together": (_TWO, "two-delays", ("near", "far"), (("flow.*.controller.base_rtt", "estimated"),)),
    "far 20 s later": (
        _TWO,
        "two-delays",
        ("near", "far"),
        (("flow.*.controller.base_rtt", "estimated"), ("flow.far.start", "20 s")),
    ),
    "one flow": (_CROSS, "fluctuating", ("flow 1",), (("duration", "100 s"),)),
}
"""By its name: what competes, scenario, flows, changes."""
_FROM, _TO = 40.0, 100.0


def oscillation(context: Context) -> Exhibit:
    """Figure 1: how much a flow's round trip oscillates, and whether its window falls where the round trip rises."""
    keys = [(name, profile) for name in _CASES for profile in _PROFILES]
    runs = [Case(_CASES[n][1], FAST, profile=p, more=_CASES[n][3]).with_series() for n, p in keys]
    rows: list[Row] = []
    for (name, profile), result in zip(keys, context.runner.run_all(runs), strict=True):
        case, _, flows, _ = _CASES[name]
        for flow in flows:
            rtt, window = (_settled(result, flow, quantity) for quantity in ("rtt_s", "cwnd_packets"))
            swing = float(np.percentile(rtt, 95) - np.percentile(rtt, 5))
            queueing = fmean(rtt) - min(rtt)
            rows.append(
                {
                    "case": case,
                    "start": name,
                    "profile": profile,
                    "flow": flow,
                    "mean": fmean(rtt),
                    "swing": swing,
                    "share": swing / fmean(rtt),
                    "above_least": queueing,
                    "follows": _follows(rtt, window),
                }
            )
    return context.definition("fig-1").exhibit(rows)


def _settled(result: RunResult, flow: str, quantity: str) -> list[float]:
    times, values = result.over_time(flow, quantity)
    return [v for t, v in zip(times, values, strict=True) if _FROM < t <= _TO and v == v]


def _follows(rtt: list[float], window: list[float]) -> float | None:
    """Correlation between the round trip and the change of the window that follows it."""
    changes = [b - a for a, b in pairwise(window)]
    if len(set(changes)) < 2 or len(set(rtt[:-1])) < 2:
        return None
    return correlation(rtt[:-1], changes)


_LONGER_MS = (10, 30, 60)
"""By how much the new route is longer, there."""
_WINDOWS = ((("warmup", "30 s"), ("duration", "50 s")), (("warmup", "80 s"), ("duration", "100 s")))
_RATE, _ALPHA = 100e6 / (8 * 1040), 200.0


def rerouting(context: Context) -> Exhibit:
    """One flow whose route becomes longer at 50 s."""
    keys = [(longer, sender, profile) for longer in _LONGER_MS for sender in SENDERS for profile in _PROFILES]
    runs = []
    for longer, sender, profile in keys:
        step = f'[{{ at = "50 s", delay = "{20 + longer} ms" }}]'
        whole = (("link.forward.loss", "0.0"), ("link.forward.changes", step))
        runs += [Case("scenario-4-alone", sender, profile=profile, more=(*whole, *w)).summary() for w in _WINDOWS]
    results = iter(context.runner.run_all(runs))
    rows: list[Row] = []
    for longer, sender, profile in keys:
        before, after = (next(results).flow("flow 1") for _ in range(2))
        learnt = after["base_rtt_s"] - before["base_rtt_s"]
        rows.append(
            {
                "longer": f"{longer} ms",
                "sender": sender,
                "profile": profile,
                "before": before["packets_per_s"] / _RATE,
                "after": after["packets_per_s"] / _RATE,
                # alpha = x (D - d), D - d at least what the route is longer by
                "predicted": min(1.0, _ALPHA / (longer * 1e-3) / _RATE),
                "base_before": before["base_rtt_s"],
                "base": after["base_rtt_s"],
                "learnt": learnt / (longer * 1e-3),
                "rtt": after["rtt_s"]["mean"],
            }
        )
    return context.definition("rerouting").exhibit(rows)
