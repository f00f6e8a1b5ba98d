"""One simulated case: its scenario, and what is measured."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from eddyline.adviser.access import ACK_B, HEADER_B, PACKET_B
from eddyline.fairness import jain
from eddyline.parallel import run_all
from eddyline.scenario import Scenario
from eddyline.worlds import RunOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.adviser.access import Access
    from eddyline.adviser.candidates import Queues
    from eddyline.adviser.cases import Case
    from eddyline.progress import Count, RunCallback

__all__ = ["Measured", "run_trials", "scenario"]

_MAX_PACKETS = 4e5
"""Of both directions in one run; a run of more is shortened."""
_MIN_PACKETS = 3e3
"""Of the slower direction; a run of fewer is longer."""
_CYCLES = 12
_MIN_S, _MAX_S = 60.0, 600.0
_WARMUP = 0.3
"""Share of the run before the summaries start."""


@dataclass(frozen=True)
class Measured:
    """What one simulation gave.

    Attributes:
        download_bps: Goodput of all downloads together, bit/s.
        upload_bps: Goodput of all uploads together.
        delay_s: 99th percentile of the queueing delay at the worse of both queues.
        fairness: Jain's index of the goodputs of one direction's flows, the worse of both.
        responsiveness_rpm: Round trips a minute of the slowest flow (draft-ietf-ippm-responsiveness, on loaded
            connections).
    """

    download_bps: float
    upload_bps: float
    delay_s: float
    fairness: float
    responsiveness_rpm: float | None = None


def run_trials(
    access: Access, tasks: Sequence[tuple[Queues, Case]], done: Count | None = None, *, stretch: float = 1.0
) -> list[Measured]:
    """Simulates every case with its queues, as many runs at a time as there are processors.

    Args:
        access: The access link.
        tasks: Queues and cases.
        done: Called after each run.
        stretch: Factor on the duration of every run.
    """

    def simulate(queues: Queues, case: Case, progress: RunCallback) -> Measured:
        table = scenario(access, queues, case, stretch)
        return _measured(Scenario(table, name="trial").run_with(RunOptions(series=False), progress=progress).to_dict())

    return run_all([partial(simulate, queues, case) for queues, case in tasks], done=done)


def _measured(result: dict[str, Any]) -> Measured:
    goodputs: dict[str, list[float]] = {"download": [], "upload": []}
    for flow in result["flows"]:
        goodputs[flow["name"].split()[0]].append(flow["goodput_bps"] or 0.0)
    delay = max(link["queueing_delay_s"]["p99"] or 0.0 for link in result["links"])
    fairness = min(jain(each) or 0.0 for each in goodputs.values() if each)
    known = [flow["responsiveness_rpm"] for flow in result["flows"] if flow["responsiveness_rpm"] is not None]
    rpm = min(known, default=None)
    return Measured(sum(goodputs["download"]), sum(goodputs["upload"]), delay, fairness, rpm)


def _duration(access: Access, rtt_s: float) -> float:
    """Some sawtooth cycles of the faster direction: half a window of round trips each (RFC 5681).

    A buffer of about one bandwidth-delay product makes the round trip twice as long.
    """
    rates = access.down_packets_per_s, access.up_packets_per_s
    fastest, slowest = max(rates), min(rates)
    trip = 2 * rtt_s
    cycle = fastest * trip / 2 * trip
    duration = min(max(_MIN_S, _CYCLES * cycle, _MIN_PACKETS / slowest), _MAX_S)
    return min(duration, max(_MAX_PACKETS / sum(rates), 20 * trip))


def scenario(access: Access, queues: Queues, case: Case, stretch: float = 1.0) -> dict[str, Any]:
    """The case as a scenario."""
    duration = stretch * _duration(access, max(case.rtt_s))
    link: dict[str, Any] = {"delay": _time(min(case.rtt_s) / 2)}
    if access.line.line_bytes(0):
        link |= {"framing": access.line.framing()}
    gap = min(5.0, duration / 20)
    starts = {"together": (0.0, 0.0), "download first": (0.0, gap), "upload first": (gap, 0.0)}[case.order]
    phase = case.phase
    packet_s = 1 / access.up_packets_per_s
    downloads = _flows(access, case, "download", case.downloads, starts[0], 0.0, gap)
    later = starts[1] + phase.start * case.rtt_s[1]
    uploads = _flows(access, case, "upload", case.uploads, later, phase.delay * packet_s, gap)
    return {
        "title": "an access link",
        "duration": _time(duration),
        "warmup": _time(_WARMUP * duration),
        "link": [
            {"name": "down", "rate": f"{access.down_bps:.0f} bit/s", "queue": dict(queues.down), **link},
            {"name": "up", "rate": f"{access.up_bps:.0f} bit/s", "queue": dict(queues.up), **link},
        ],
        "flow": downloads + uploads,
    }


def _flows(
    access: Access, case: Case, direction: str, number: int, start: float, longer: float, gap: float
) -> list[dict[str, Any]]:
    """The flows of one direction, spread as the phase says."""
    data, ack, rtt = ("down", "up", case.rtt_s[0]) if direction == "download" else ("up", "down", case.rtt_s[1])
    spread = case.phase.spread
    further = rtt - min(case.rtt_s) + longer
    return [
        {
            "name": f"{direction} {i}",
            "data": [data],
            "ack": [ack],
            "start": _time(start + (i * gap / 10 if spread else 0.0)),
            "access_delay": {"data": _time(further + spread * rtt * (i + 1) / number), "ack": "0 s"},
            "controller": access.sender(),
            "packet": f"{PACKET_B} B",
            "header": f"{HEADER_B} B",
            "ack_packet": f"{ACK_B} B",
            "delayed_ack": True,
        }
        for i in range(number)
    ]


def _time(seconds: float) -> str:
    return f"{seconds * 1e9:.0f} ns"
