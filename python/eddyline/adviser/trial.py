"""Simulations of a download and uploads with a pair of queues."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from eddyline.adviser.access import ACK_B, HEADER_B, PACKET_B
from eddyline.kinds import controller
from eddyline.parallel import run_all
from eddyline.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from eddyline.adviser.access import Access
    from eddyline.progress import Count, RunCallback

__all__ = ["Outcome", "Queues", "run_trials"]

_MAX_PACKETS = 3e6
"""Of one run; a run of more packets is shortened."""
_CYCLES = 12
_MIN_S, _MAX_S = 60.0, 600.0
_WARMUP = 0.3
"""Share of the run before the summaries start."""


@dataclass(frozen=True)
class Queues:
    """The queues of both directions, as a scenario file writes them."""

    down: Mapping[str, Any]
    up: Mapping[str, Any]


@dataclass(frozen=True)
class Outcome:
    """The worst case over round-trip times and orders of start, for each direction.

    Attributes:
        download_bps: Goodput of the download beside the uploads, bit/s.
        upload_bps: Goodput of all uploads together beside the download, bit/s.
        download_alone_bps: Goodput of the download alone, in the run where its share is smallest.
        upload_alone_bps: Goodput of the uploads alone, likewise.
        download_share: Goodput of the download over that alone, the minimum over all runs.
        upload_share: The same of the uploads.
        worst_delay_s: 99th percentile of the queueing delay at the worse of both queues, the maximum over all runs.
    """

    download_bps: float
    upload_bps: float
    download_alone_bps: float
    upload_alone_bps: float
    download_share: float
    upload_share: float
    worst_delay_s: float

    @property
    def share(self) -> float:
        """The smaller of the two shares."""
        return min(self.download_share, self.upload_share)

    def to_dict(self) -> dict[str, Any]:
        """As `advise --json` has it."""
        alone = {"download_bps": self.download_alone_bps, "upload_bps": self.upload_alone_bps}
        return {
            "download_bps": self.download_bps,
            "upload_bps": self.upload_bps,
            "alone": alone,
            "worst_delay_s": self.worst_delay_s,
        }


def run_trials(
    access: Access,
    candidates: Sequence[Queues],
    done: Count | None = None,
    *,
    stretch: float = 1.0,
) -> list[Outcome]:
    """Simulates every candidate, as many runs at a time as there are processors.

    Args:
        access: The access link.
        candidates: Queues to try.
        done: Called after each run.
        stretch: Factor on the duration of every run.
    """
    plans = [list(_runs(access)) for _ in candidates]

    def simulate(queues: Queues, run: _Run, progress: RunCallback) -> dict[str, Any]:
        scenario = Scenario(_scenario(access, queues, run, stretch), name="trial")
        return scenario.run("sim", series=False, progress=progress).to_dict()

    tasks = [partial(simulate, q, run) for q, runs in zip(candidates, plans, strict=True) for run in runs]
    results = run_all(tasks, done=done)
    outcomes, start = [], 0
    for runs in plans:
        outcomes.append(_worst(runs, results[start : start + len(runs)]))
        start += len(runs)
    return outcomes


@dataclass(frozen=True)
class _Run:
    """The directions that are used, the round-trip time, and which direction starts first."""

    rtt_s: float
    download: bool
    uploads: bool
    download_first: bool = True


def _runs(access: Access) -> Iterator[_Run]:
    for rtt in access.rtts_s:
        yield _Run(rtt, download=True, uploads=False)
        yield _Run(rtt, download=False, uploads=True)
        # real and simulated alike, the flow that starts first keeps its advantage for minutes
        yield _Run(rtt, download=True, uploads=True)
        yield _Run(rtt, download=True, uploads=True, download_first=False)


def _duration(access: Access, rtt_s: float) -> float:
    """Some sawtooth cycles of the faster direction: half a window of round trips each (RFC 5681).

    A buffer of about one bandwidth-delay product makes the round trip twice as long.
    """
    fastest = max(access.down_packets_per_s, access.up_packets_per_s)
    trip = 2 * rtt_s
    cycle = fastest * trip / 2 * trip
    duration = min(max(_MIN_S, _CYCLES * cycle), _MAX_S)
    return min(duration, max(_MAX_PACKETS / fastest, 20 * trip))


def _scenario(access: Access, queues: Queues, run: _Run, stretch: float) -> dict[str, Any]:
    rtt = run.rtt_s
    duration = stretch * _duration(access, rtt)
    link = {"delay": _time(rtt / 2)}
    flows: list[dict[str, Any]] = []
    gap = min(5.0, duration / 20)
    common = {
        "controller": _controller(access.controller),
        "packet": f"{PACKET_B} B",
        "header": f"{HEADER_B} B",
        "ack_packet": f"{ACK_B} B",
        "delayed_ack": True,
    }
    if run.download:
        start = _time(0 if run.download_first else gap)
        flows.append({"name": "download", "data": ["down"], "ack": ["up"], "start": start, **common})
    if run.uploads:
        for i in range(access.uploads):
            # different round-trip times, against synchronisation
            access_delay = {"data": _time(rtt * 0.02 * (i + 1) / access.uploads), "ack": "0 s"}
            start = _time((gap if run.download_first and run.download else 0) + i * gap / 10)
            upload = {
                "name": f"upload {i}",
                "data": ["up"],
                "ack": ["down"],
                "start": start,
                "access_delay": access_delay,
            }
            flows.append(upload | common)
    return {
        "title": "an access link",
        "duration": _time(duration),
        "warmup": _time(_WARMUP * duration),
        "link": [
            {"name": "down", "rate": f"{access.down_bps:.0f} bit/s", "queue": dict(queues.down), **link},
            {"name": "up", "rate": f"{access.up_bps:.0f} bit/s", "queue": dict(queues.up), **link},
        ],
        "flow": flows,
    }


def _controller(kind: str) -> dict[str, Any]:
    alpha = controller(kind).alpha
    return {"kind": kind} if alpha is None else {"kind": kind, "alpha": f"{alpha.access_packets:.0f} packets"}


def _time(seconds: float) -> str:
    return f"{seconds * 1e9:.0f} ns"


def _worst(runs: Sequence[_Run], results: Sequence[dict[str, Any]]) -> Outcome:
    alone: dict[tuple[float, str], float] = {}
    for run, result in zip(runs, results, strict=True):
        if not (run.download and run.uploads):
            alone[run.rtt_s, "download" if run.download else "uploads"] = sum(_goodputs(result).values())
    kept: dict[str, list[tuple[float, float, float]]] = {"download": [], "uploads": []}
    worst = 0.0
    for run, result in zip(runs, results, strict=True):
        if not (run.download and run.uploads):
            continue
        goodputs = _goodputs(result)
        together = {"download": goodputs.pop("download"), "uploads": sum(goodputs.values())}
        for who, goodput in together.items():
            by_itself = alone[run.rtt_s, who]
            kept[who].append((goodput / by_itself if by_itself > 0 else 0.0, goodput, by_itself))
        worst = max([worst, *(link["queueing_delay_s"]["p99"] or 0.0 for link in result["links"])])
    download, uploads = min(kept["download"]), min(kept["uploads"])
    return Outcome(download[1], uploads[1], download[2], uploads[2], download[0], uploads[0], worst)


def _goodputs(result: dict[str, Any]) -> dict[str, float]:
    return {f["name"]: f["goodput_bps"] or 0.0 for f in result["flows"]}
