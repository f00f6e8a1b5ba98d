"""Eq. 6 against RFC 6298 on a path with jitter: timeouts that are spurious, and how long a true loss waits for one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eddyline import _core
from eddyline.papers.vfast.runs import VFAST, Case, Reading
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLUE, RED, drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.papers.runner import Run
    from eddyline.reports.exhibit import Row

__all__ = ["timeouts"]

RULES = {"RFC 6298": ("rfc6298", (0.125, 0.125, 0.25)), "eq. 6": ("eq6", (0.75, 0.5, 0.25))}
"""The key, and weights up, down and of the deviation."""
FLOORS = {"1 ms": 1e-3, "200 ms": 0.2, "1 s": 1.0}
SPREADS = (5, 20, 100)
TIMES = ("0 s", "200 ms", "2 s")
JUMPS = "cross traffic"
EVERY = 50
"""Every so many packets one is lost, where losses are timed."""
_THIN, _BULK = "one packet", "a window"
_BULK_S = 600.0


@dataclass(frozen=True)
class _Case:
    """A path and a flow on it: what varies the delay, by how much, for how long; how much is in flight."""

    by: str
    spread_ms: int | None
    correlation: str
    flow: str

    def run(self, rule: str, floor: str, frto: bool, seconds: float, loss: bool) -> Run:
        """One run of it."""
        more = [("flow.*.tcp.min_rto", floor), ("flow.*.tcp.frto", str(frto).lower()), ("duration", f"{seconds:g} s")]
        more.append(("warmup", "0 s"))
        if self.by == JUMPS:
            more += [("flow.*.receive_window", "1000 B"), ("flow.*.tcp.pacing", "false")]
        else:
            more += [
                ("link.forward.jitter.sd", f"{self.spread_ms} ms"),
                ("link.forward.jitter.correlation", self.correlation),
            ]
        if self.flow == _BULK:
            more.append(("flow.*.receive_window", "1 MB"))
        if loss:
            more.append(("link.forward.loss", f'{{ kind = "periodic", every = {EVERY} }}'))
        reading = Reading(rule, rule, (("rto", RULES[rule][0]),))
        file = "late-acks" if self.by == JUMPS else "jitter-thin"
        return Case(file, VFAST, reading=reading, more=tuple(more)).summary()


def _late(rule: str, spread_s: float) -> dict[str, tuple[float, float]]:
    """By floor, where samples are independent: the share that is late, and the timeout less a round trip in s."""
    found = _core.late_samples(*RULES[rule][1], [least / spread_s for least in FLOORS.values()])
    return {floor: (share, at * spread_s) for floor, (share, at) in zip(FLOORS, found, strict=True)}


def timeouts(
    context: Context,
    spreads: Sequence[int] = SPREADS,
    times: Sequence[str] = TIMES,
    hours: float = 10.0,
) -> Exhibit:
    """Spurious timeouts an hour and the wait of a true loss, by rule, floor, spread and correlation time."""
    rows = _expiries(context, spreads, times, hours)
    return Exhibit(
        id="jitter-timeouts",
        title="The timeout on a path with jitter",
        place="Section V, eq. 4 to 6",
        reading=(
            "One packet in flight is late if its round trip exceeds the timeout by those before it. Where they are "
            "independent theory says how often. V of eq. 5 is measured from an SRTT that runs after every sample, so "
            "it is larger than RFC 6298's, and eq. 6 is late half as often; where delay stays up for longer than a "
            "round trip it runs after that too, V shrinks, and eq. 6 is late more often. A least spread of 200 ms, "
            "as senders have it, ends all that jitter does not exceed and costs each true loss as much. With a window "
            "in flight every acknowledgement of the round trip starts the timer anew, and jitter never makes it expire."
        ),
        columns=(
            Column("by", "delay varies by"),
            Column("flow", "in flight"),
            Column("spread", "standard deviation"),
            Column("correlation", "correlation time"),
            Column("rule", "timeout by"),
            Column("floor", "least spread"),
            Column("frto", "F-RTO"),
            Column("per_hour", "spurious an hour"),
            Column("predicted", "by theory"),
            Column("standard", "by RFC 6298"),
            Column("wait", "a loss waits", "ms", scale=1e-3),
            Column("predicted_wait", "by theory", "ms", scale=1e-3),
            Column("standard_wait", "by RFC 6298", "ms", scale=1e-3),
            Column("goodput", "goodput", "kbit/s", scale=1e3),
        ),
        rows=rows,
        pictures=[
            Picture("jitter-timeouts", "Spurious timeouts, least spread 1 ms", drawn(_paint, 9.0, 3.4, rows, spreads))
        ],
        notes=(
            f"One packet: {hours:g} hours a run; a window: ten minutes, alpha 20 packets, 10 Mbit/s. Jitter is normal, "
            "its mean four standard deviations, on top of 50 ms. A loss waits from when its packet is sent: every "
            f"{EVERY}th is lost, without F-RTO, and the timer alone finds it. Cross traffic: bursts that take 0.2 s on "
            "average, every 2 s.",
        ),
    )


def _expiries(context: Context, spreads: Sequence[int], times: Sequence[str], hours: float) -> list[Row]:
    paths = [
        *(_Case("jitter", sd, time, flow) for flow in (_THIN, _BULK) for sd in spreads for time in times),
        _Case(JUMPS, None, "2 s", _THIN),
    ]
    keys = [
        (path, rule, floor, frto)
        for path in paths
        for rule in RULES
        for floor in FLOORS
        for frto in (False, True)
        if path.flow == _THIN or (floor == "1 ms" and not frto)
    ]
    length = {path: _BULK_S if path.flow == _BULK else 3600.0 * hours for path in paths}
    results = iter(
        context.runner.run_all([p.run(rule, floor, frto, length[p], loss=False) for p, rule, floor, frto in keys])
    )
    timed = [key for key in keys if key[0].flow == _THIN and not key[3]]
    lossy = context.runner.run_all([p.run(rule, floor, frto, length[p], loss=True) for p, rule, floor, frto in timed])
    waits = dict(zip(timed, lossy, strict=True))
    theory = {(rule, sd): _late(rule, sd * 1e-3) for rule in RULES for sd in spreads}
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
        if path.spread_ms is not None and path.flow == _THIN and path.correlation == "0 s":
            share, after = theory[rule, path.spread_ms][floor]
            row |= {
                "predicted": share * packets * 3600.0 / seconds,
                "predicted_wait": flow["rtt_s"]["mean"] + after,
            }
        if key in waits:
            loss = waits[key]
            heard = loss.flow("flow 1")
            # all the time that no packet was on its way and back is time that a lost one was waited for
            waited = seconds - heard["packets_per_s"] * seconds * heard["rtt_s"]["mean"]
            row["wait"] = waited / loss.link("forward")["lost"]
        rows.append(row)
    for row in rows:
        alike = (r for r in rows if r["rule"] == "RFC 6298")
        same = ("by", "flow", "spread", "correlation", "floor", "frto")
        standard = next(r for r in alike if all(r[k] == row[k] for k in same))
        row["standard"], row["standard_wait"] = standard["per_hour"], standard["wait"]
    return rows


def _paint(figure: Figure, rows: list[Row], spreads: Sequence[int]) -> None:
    axes = figure.subplots(1, len(spreads), squeeze=False)[0]
    for axis, spread in zip(axes, spreads, strict=True):
        part = [r for r in rows if r["flow"] == _THIN and r["spread"] == f"{spread} ms" and not r["frto"]]
        part = [r for r in part if r["floor"] == "1 ms"]
        names = list(dict.fromkeys(r["correlation"] for r in part))
        for place, (rule, colour) in enumerate(zip(RULES, (BLUE, RED), strict=True)):
            values = [r["per_hour"] for r in part if r["rule"] == rule]
            axis.bar([i + 0.36 * (place - 0.5) for i in range(len(names))], values, 0.34, color=colour, label=rule)
        axis.set_xticks(range(len(names)), names)
        axis.set_xlabel("correlation time")
        axis.set_title(f"jitter of {spread} ms", fontsize=9)
    axes[0].set_ylabel("spurious timeouts an hour")
    axes[-1].legend(fontsize=8)
