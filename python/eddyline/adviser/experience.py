"""The line of a home before and after the advice, simulated: the load of a speed test both ways, and what waits for it.

Before, the line's own buffers are the queues. After, the router's shaper is in front of the line on the way up, and
behind it on the way down, as in SQM; the line with its buffers stays where it is.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any

import eddyline._core as _core
from eddyline.adviser.access import ACK_B, HEADER_B, PACKET_B
from eddyline.errors import InputError
from eddyline.latency import grade
from eddyline.parallel import run_all
from eddyline.scenario import Scenario
from eddyline.worlds import RunOptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd

    from eddyline.adviser.access import Access
    from eddyline.adviser.candidates import Queues
    from eddyline.adviser.isp import Isp
    from eddyline.adviser.line import Line
    from eddyline.progress import Count

__all__ = ["FLOWS", "INTERVAL_S", "PING", "Experience", "experiences", "profile_delay_s", "scenario"]

FLOWS = 4
"""Downloads, and uploads, at a time: those of flent's test `rrul`."""

PING = "ping"
"""A flow with one small packet at a time: round-trip times of a user that sends little, over time."""

SEEDS = 5
"""Runs of a line whose rate is random; what is found is their mean."""

INTERVAL_S = 0.25
"""Time between two values of the series."""

_START_S, _WARMUP_S = 5.0, 10.0
_DURATION_S, _VARYING_S = 60.0, 130.0  # a recording lasts 120 s
_PING_B = 100
_PROBE_EVERY_S, _SYN_B, _REQUEST_B, _RESPONSE_B = 0.1, 40, 300, 1500
"""Defaults of `[[probe]]`: an interval, and the sizes of the packets of a connection."""
_PROBE_SHARE = 1 / 8
"""A probe that takes more of a slow line measures itself: a fair queue then holds it back, a FIFO does not."""
_ETHERNET_BPS = 1e9
_SPACED = ("cake", "droptail")
"""Queues that space packets, or have a token bucket in front that does."""


@dataclass(frozen=True)
class Experience:
    """What a user has of a line under load.

    Attributes:
        grade: Bufferbloat grade, by the increase of the mean time of a request, without its handshakes.
        idle_s: A small request on the idle line.
        loaded_s: Its mean under load.
        loaded_p99_s: Its 99th percentile.
        responsiveness_rpm: Round trips a minute (draft-ietf-ippm-responsiveness).
        foreign_rpm: The same of new connections.
        loaded_rpm: The same of the connections that carry the load.
        unanswered: Share of connections without an answer within the run, of which no time is in the others.
        download_bps: Goodput of all downloads together.
        upload_bps: Goodput of all uploads together.
        series: Throughputs, and round-trip times of `PING`, the latest and smoothed, for figures.
    """

    grade: str | None
    idle_s: float
    loaded_s: float | None
    loaded_p99_s: float | None
    responsiveness_rpm: float | None
    foreign_rpm: float | None
    loaded_rpm: float | None
    unanswered: float
    download_bps: float
    upload_bps: float
    series: pd.DataFrame = field(compare=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """As `advise --json` has it; SI units."""
        document = asdict(self)
        del document["series"]
        return document


def experiences(
    isp: Isp,
    access: Access,
    several: Sequence[Queues | None],
    rates_bps: tuple[float, float],
    done: Count | None = None,
) -> list[Experience]:
    """Simulates the line with shapers that have these queues, and without one where there are none.

    Args:
        isp: Its access type.
        access: The access link at the rates to which it is shaped.
        several: Queues of each shaper.
        rates_bps: Rates of the line, down and up.
        done: Called after each run.

    Returns:
        One for each of `several`: of a line with a profile, the mean over draws of it.
    """
    seeds = range(1, 1 + (SEEDS if isp.profile else 1))
    tables = [{**scenario(isp, access, each, rates_bps), "seed": seed} for each in several for seed in seeds]
    found = run_all([partial(_experience, table) for table in tables], done=done)
    return [_mean(found[place : place + len(seeds)]) for place in range(0, len(found), len(seeds))]


def _mean(runs: Sequence[Experience]) -> Experience:
    """Of several draws of a line; the series are those of the first."""

    def mean(values: Iterable[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return fmean(known) if len(known) == len(runs) else None

    idle_s, loaded_s = fmean(run.idle_s for run in runs), mean(run.loaded_s for run in runs)
    return Experience(
        grade(idle_s, loaded_s),
        idle_s,
        loaded_s,
        mean(run.loaded_p99_s for run in runs),
        mean(run.responsiveness_rpm for run in runs),
        mean(run.foreign_rpm for run in runs),
        mean(run.loaded_rpm for run in runs),
        fmean(run.unanswered for run in runs),
        fmean(run.download_bps for run in runs),
        fmean(run.upload_bps for run in runs),
        runs[0].series,
    )


def scenario(isp: Isp, access: Access, queues: Queues | None, rates_bps: tuple[float, float]) -> dict[str, Any]:
    """The line under load as a scenario; without `queues` as it is."""
    framing = {"framing": access.line.framing()} if access.line.line_bytes(0) else {}
    varies = {"trace": {"kind": isp.profile}} if isp.profile else {}
    delay = f"{max(access.rtt_s) / 2 * 1e9:.0f} ns"
    links: list[dict[str, Any]] = [
        {
            "name": way,
            "rate": f"{rate:.0f} bit/s",
            "delay": delay,
            "queue": {"kind": "droptail", "limit": _buffer(isp.text(f"buffer_{way}"), rate)},
            **framing,
            **varies,
        }
        for way, rate in zip(("down", "up"), rates_bps, strict=True)
    ]
    down, up = ["down"], ["up"]
    if queues is not None:
        shapers = {
            way: _shaper(f"shaper {way}", rate, queue, access.line)
            for way, rate, queue in (("down", access.down_bps, queues.down), ("up", access.up_bps, queues.up))
        }
        links += shapers.values()
        down, up = ["down", "shaper down"], ["shaper up", "up"]
        if not isp.profile and queues.up["kind"] not in _SPACED:
            # the line behind it is always free: without it, a packet is transmitted once
            shapers["up"]["delay"] = delay
            links, up = [link for link in links if link["name"] != "up"], ["shaper up"]
    duration = _VARYING_S if isp.profile else _DURATION_S
    ping = {
        "name": PING,
        "controller": {"kind": "reno"},
        "data": up,
        "ack": down,
        "packet": f"{_PING_B} B",
        "header": f"{HEADER_B} B",
        "receive_window": f"{_PING_B - HEADER_B} B",
    }
    return {
        "title": isp.title,
        "duration": f"{duration} s",
        "warmup": f"{_WARMUP_S} s",
        "seed": 1,
        "record": {"interval": f"{INTERVAL_S} s"},
        "link": links,
        "flow": [_load("downloads", access, down, up), _load("uploads", access, up, down), ping],
        "probe": [{"name": "web", "data": up, "ack": down, "every": f"{_every_s(access) * 1e6:.0f} us"}],
    }


def _every_s(access: Access) -> float:
    """From one connection of the probe to the next: they take at most `_PROBE_SHARE` of a shaped direction."""

    def transmission_s(message: int, rate_bps: float) -> float:
        sent = access.line.line_bytes(_SYN_B) + 2 * access.line.line_bytes(message)
        return 8 * sent / rate_bps

    longest = max(transmission_s(_REQUEST_B, access.up_bps), transmission_s(_RESPONSE_B, access.down_bps))
    return max(_PROBE_EVERY_S, longest / _PROBE_SHARE)


def profile_delay_s(isp: Isp, access: Access, rates_bps: tuple[float, float]) -> float:
    """What the line's profile adds to a small request's round trip, the mean over its draws; 0 where there is none."""
    if not isp.profile:
        return 0.0
    table = {**scenario(isp, access, None, rates_bps), "flow": []}
    steady = [{key: value for key, value in link.items() if key != "trace"} for link in table["link"]]
    draws = [{**table, "seed": seed} for seed in range(1, 1 + SEEDS)]
    constant, *varying = run_all([partial(_idle_s, each) for each in ({**table, "link": steady}, *draws)])
    return fmean(varying) - constant


def _idle_s(table: Mapping[str, Any], progress: Any) -> float:
    result = Scenario(table, name=str(table["title"])).run_with(RunOptions(series=False), progress=progress)
    return float(result.to_dict()["probes"][0]["idle_s"])


def _shaper(name: str, rate_bps: float, queue: Mapping[str, Any], line: Line) -> dict[str, Any]:
    """A shaper in the router: an Ethernet link whose queue spaces packets, which does not hold them for a transmission.

    Queues that cannot space packets are those of a link at the shaped rate, which does hold them.
    """
    rate = f"{rate_bps:.0f} bit/s"
    framing = {"framing": line.framing()} if line.line_bytes(0) else {}
    link = {"name": name, "rate": f"{max(_ETHERNET_BPS, 10 * rate_bps):.0f} bit/s", "delay": "0 s"}
    if queue["kind"] == "cake":
        return {**link, "queue": {**queue, "bandwidth": rate, **framing}}
    if queue["kind"] == "droptail":
        bucket = {"kind": "tbf", "rate": rate, "burst": f"{line.line_bytes(PACKET_B)} B", "limit": queue["limit"]}
        return {**link, "queue": {**bucket, **framing}}
    return {**link, "rate": rate, "queue": dict(queue), **framing}


def _buffer(limit: str, rate_bps: float) -> str:
    """The line's own buffer, of a packet at least: on a slow line the usual time may be too short for one."""
    try:
        room = _core.quantity("time", limit) * rate_bps / 8
    except InputError:  # packets or bytes
        return limit
    return limit if room >= PACKET_B else "1 packets"


def _load(name: str, access: Access, data: list[str], ack: list[str]) -> dict[str, Any]:
    return {
        "name": name,
        "controller": access.sender(),
        "data": data,
        "ack": ack,
        "count": FLOWS,
        "start": f"{_START_S} s",
        "start_jitter": "100 ms",
        "packet": f"{PACKET_B} B",
        "header": f"{HEADER_B} B",
        "ack_packet": f"{ACK_B} B",
        "delayed_ack": True,
    }


def _experience(table: Mapping[str, Any], progress: Any) -> Experience:
    result = Scenario(table, name=str(table["title"])).run_with(RunOptions(series=True), progress=progress)
    document = result.to_dict()
    (web,) = document["probes"]

    def goodput(name: str) -> float:
        return sum(float(f["goodput_bps"] or 0.0) for f in document["flows"] if f["name"].startswith(f"{name}["))

    series = result.series
    trips = series["quantity"].isin(["rtt_s", "srtt_s"]) & (series["entity"] == PING)
    ours = (series["quantity"] == "throughput_bps") | trips
    times = web["http_s"]
    return Experience(
        grade(web["idle_s"], times["mean"]),
        web["idle_s"],
        times["mean"],
        times["p99"],
        web["responsiveness_rpm"],
        web["foreign_rpm"],
        web["loaded_rpm"],
        web["unanswered"] / web["started"],
        goodput("downloads"),
        goodput("uploads"),
        series[ours],
    )
