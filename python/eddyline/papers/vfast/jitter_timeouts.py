"""Eq. 6 against RFC 6298 on a path with jitter: spurious timeouts, and how long a real loss waits for one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import eddyline._core as _core
from eddyline.papers.vfast.runs import VFAST, Case, Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.context import Context
    from eddyline.papers.runner import Run
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["timeouts"]

RULES = {"RFC 6298": ("rfc6298", (0.125, 0.125, 0.25)), "eq. 6": ("eq6", (0.75, 0.5, 0.25))}
"""The value of `rto`, and the weights: up, down, of the deviation."""
FLOORS = {"1 ms": 1e-3, "200 ms": 0.2, "1 s": 1.0}
SPREADS = (5, 20, 100)
TIMES = ("0 s", "200 ms", "2 s")
CROSS_TRAFFIC = "cross traffic"
LOSS_PERIOD = 50
"""One packet in so many is lost, where the wait for a timeout is measured."""
_ONE_PACKET, _WINDOW = "one packet", "a window"
_WINDOW_S = 600.0


@dataclass(frozen=True)
class _Case:
    """A path and a flow: what varies the delay, by how much, with which correlation time; how much is in flight."""

    by: str
    spread_ms: int | None
    correlation: str
    flow: str

    def run(self, rule: str, floor: str, frto: bool, seconds: float, loss: bool) -> Run:
        """The run of this case with one rule for the timeout."""
        more = [("flow.*.tcp.min_rto", floor), ("flow.*.tcp.frto", str(frto).lower()), ("duration", f"{seconds:g} s")]
        more.append(("warmup", "0 s"))
        if self.by == CROSS_TRAFFIC:
            more += [("flow.*.receive_window", "1000 B"), ("flow.*.tcp.pacing", "false")]
        else:
            more += [
                ("link.forward.jitter.sd", f"{self.spread_ms} ms"),
                ("link.forward.jitter.correlation", self.correlation),
            ]
        if self.flow == _WINDOW:
            more.append(("flow.*.receive_window", "1 MB"))
        if loss:
            more.append(("link.forward.loss", f'{{ kind = "periodic", every = {LOSS_PERIOD} }}'))
        reading = Reading(rule, (("rto", RULES[rule][0]),))
        file = "late-acks" if self.by == CROSS_TRAFFIC else "jitter-thin"
        return Case(file, VFAST, reading=reading, more=tuple(more)).summary()


def _late_samples(rule: str, spread_s: float) -> dict[str, tuple[float, float]]:
    """Share of late samples and timeout less a round trip in s, by floor, for independent samples."""
    found = _core.late_samples(*RULES[rule][1], [floor / spread_s for floor in FLOORS.values()])
    return {floor: (share, after * spread_s) for floor, (share, after) in zip(FLOORS, found, strict=True)}


def timeouts(
    context: Context,
    spreads: Sequence[int] = SPREADS,
    times: Sequence[str] = TIMES,
    hours: float = 10.0,
) -> Exhibit:
    """Spurious timeouts an hour and how long a real loss waits for one, by rule, floor, spread and correlation time."""
    rows = _expiries(context, spreads, times, hours)
    return context.definition("jitter-timeouts").exhibit(rows, values={"hours": hours, "loss_period": LOSS_PERIOD})


def _expiries(context: Context, spreads: Sequence[int], times: Sequence[str], hours: float) -> list[Row]:
    paths = [
        *(_Case("jitter", sd, time, flow) for flow in (_ONE_PACKET, _WINDOW) for sd in spreads for time in times),
        _Case(CROSS_TRAFFIC, None, "2 s", _ONE_PACKET),
    ]
    keys = [
        (path, rule, floor, frto)
        for path in paths
        for rule in RULES
        for floor in FLOORS
        for frto in (False, True)
        if path.flow == _ONE_PACKET or (floor == "1 ms" and not frto)
    ]
    length = {path: _WINDOW_S if path.flow == _WINDOW else 3600.0 * hours for path in paths}
    results = iter(
        context.runner.run_all([p.run(rule, floor, frto, length[p], loss=False) for p, rule, floor, frto in keys])
    )
    timed = [key for key in keys if key[0].flow == _ONE_PACKET and not key[3]]
    lossy = context.runner.run_all([p.run(rule, floor, frto, length[p], loss=True) for p, rule, floor, frto in timed])
    waits = dict(zip(timed, lossy, strict=True))
    theory = {(rule, sd): _late_samples(rule, sd * 1e-3) for rule in RULES for sd in spreads}
    rows: list[Row] = []
    for key in keys:
        path, rule, floor, frto = key
        flow, seconds = next(results).flow("flow 1"), length[path]
        packets = flow["packets_per_s"] * seconds
        row: Row = {
            "by": path.by,
            "flow": path.flow,
            "spread": "0.2 s bursts" if path.spread_ms is None else f"{path.spread_ms} ms",
            "correlation": "none" if path.correlation == "0 s" else path.correlation,
            "rule": rule,
            "floor": floor,
            "frto": frto,
            "timeouts": flow["timeouts"],
            "per_hour": flow["timeouts"] * 3600.0 / seconds,
            "goodput": flow["goodput_bps"],
            "predicted": None,
            "predicted_wait": None,
            "wait": None,
        }
        if path.spread_ms is not None and path.flow == _ONE_PACKET and path.correlation == "0 s":
            share, after = theory[rule, path.spread_ms][floor]
            row |= {
                "predicted": share * packets * 3600.0 / seconds,
                "predicted_wait": flow["rtt_s"]["mean"] + after,
            }
        if key in waits:
            loss = waits[key]
            with_loss = loss.flow("flow 1")
            # whenever no packet is on its way and back, the sender waits for the timeout of a lost one
            waited = seconds - with_loss["packets_per_s"] * seconds * with_loss["rtt_s"]["mean"]
            row["wait"] = waited / loss.link("forward")["lost"]
        rows.append(row)
    for row in rows:
        by_standard = (r for r in rows if r["rule"] == "RFC 6298")
        same = ("by", "flow", "spread", "correlation", "floor", "frto")
        standard = next(r for r in by_standard if all(r[k] == row[k] for k in same))
        row["standard"], row["standard_wait"] = standard["per_hour"], standard["wait"]
    return rows
