"""What docs/concepts/kernel.md and trust.md print of world `sim` beside world `kernel` is what runs give now."""

from __future__ import annotations

import re
from typing import Any

import pytest
from code_blocks import ROOT

import eddyline as el

EXAMPLES = ROOT / "examples" / "kernel"
TEXT = (ROOT / "docs" / "concepts" / "kernel.md").read_text("utf-8")

QUEUES: dict[str, dict[str, Any]] = {
    "75 kB, 75 kB": {},
    "6 kB up": {"link.up.queue.limit": "6 kB"},
    "50 packets, 50 packets": {"link.*.queue.limit": "50 packets"},
}
WARMUP = {0.0: "15 s", 15.0: "20 s"}
"""By the start of the upload."""


def goodput_kbps(upload_s: float, *more: dict[str, Any], later_s: float = 0.0) -> tuple[float, float]:
    """Download and upload of the asymmetric link."""
    set = {"flow.upload.start": f"{upload_s + later_s} s", "warmup": WARMUP[upload_s]}
    for each in more:
        set |= each
    scenario = el.Scenario.load(EXAMPLES / "asymmetric.toml", set=set)
    down, up = scenario.run(series=False).to_dict()["flows"]
    return down["goodput_bps"] / 1e3, up["goodput_bps"] / 1e3


def rows(header: str) -> dict[tuple[str, str], list[str]]:
    """The cells of the table below this line by queues and controller; an empty first cell is the one above."""
    table = TEXT.split(header + "\n", 1)[1].split("\n\n", 1)[0]
    found, queues = {}, ""
    for line in table.splitlines()[1:]:
        first, second, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        queues = first or queues
        found[queues, second] = cells
    return found


@pytest.mark.parametrize("paced", [False, True])
def test_the_asymmetric_link(paced: bool) -> None:
    order = "order of starts, paced" if paced else "order of starts"
    table = rows(f"| queues | controller, {order} | real time | virtual time | earlier | `sim` |")
    compared = 0
    for (queues, what), cells in table.items():
        kind, _, start = what.partition(", ")
        if start.endswith("alone"):
            continue
        pacing = {"flow.*.tcp.pacing": True} if paced else {}
        set = {"flow.*.controller.kind": kind, **QUEUES[queues], **pacing}
        flows = goodput_kbps(0.0 if start == "both at once" else 15.0, set)
        assert cells[-1] == ", ".join(f"{kbps:.0f}" for kbps in flows), (queues, what)
        compared += 1
    assert compared == (12 if paced else 18)


def test_starts_of_the_upload() -> None:
    columns = "virtual time, download | upload | `sim`, download | upload | earlier"
    table = rows(f"| queues | controller, order of starts | {columns} |")
    assert len(table) == 5
    for (queues, what), cells in table.items():
        kind, _, start = what.partition(", ")
        set = {"flow.*.controller.kind": kind, **QUEUES[queues]}
        upload_s = 0.0 if start == "both at once" else 15.0
        runs = [goodput_kbps(upload_s, set, later_s=later) for later in (0.0, 0.1, 0.4, 1.0)]
        down, up = (sorted(each) for each in zip(*runs, strict=True))
        assert cells[2] == ", ".join(f"{down[place]:.0f}" for place in (0, 2, 3)), (queues, what)
        assert cells[3] == f"{up[0]:.0f} to {up[-1]:.0f}", (queues, what)


def test_cures() -> None:
    fast = {"kind": "fast", "alpha": "10 packets"}
    cures: dict[str, dict[str, Any]] = {
        "drop-tail, 75 kB": {},
        "`ack_priority`, 75 kB": {"link.up.queue": {"kind": "ack_priority", "limit": "75 kB"}},
        "`fq_codel`": {"link.up.queue": {"kind": "fq_codel"}},
        "`ack_filter` with rule `all`, 75 kB: no cure": {
            "link.up.queue": {"kind": "ack_filter", "rule": "all", "limit": "75 kB"}
        },
        "FAST, alpha 10, drop-tail: the collapse": {"flow.*.controller": fast},
        'the same with `delay = "forward"`': {"flow.*.controller": {**fast, "delay": "forward"}},
        'the same with `delay = "weighted"`': {"flow.*.controller": {**fast, "delay": "weighted"}},
    }
    for name, set in cures.items():
        (cells,) = re.findall(rf"^\| {re.escape(name)} \|.*\| (.*?) \|$", TEXT, re.M)
        assert cells == ", ".join(f"{kbps:.0f}" for kbps in goodput_kbps(15.0, set)), name


@pytest.mark.parametrize("kind", ["reno", "cubic"])
def test_one_sender(kind: str) -> None:
    options = {f"flow.bulk.tcp.{name}": True for name in ("prr", "rack", "frto")}
    for packets in (25, 50, 100):
        path = {"link.*.rate": "10 Mbit/s", "link.forward.queue.limit": f"{packets} packets"}
        times = {"duration": "60 s", "warmup": "20 s"}
        scenario = el.Scenario.load(
            EXAMPLES / "bulk.toml", set={**path, **times, **options, "flow.bulk.controller.kind": kind}
        )
        result = scenario.run(series=False).to_dict()
        goodput = f"{result['flows'][0]['goodput_bps'] / 1e6:.3f}"
        queue = f"{result['links'][0]['queue_packets']['mean']:.2f}"
        row = rf"^\| {kind}, {packets} packets \| \S+ \| {goodput} \| \S+ \| {queue} \|$"
        assert len(re.findall(row, TEXT, re.M)) == 1, row


@pytest.mark.parametrize(
    ("profile", "row"), [("linux", '`sim`, `profile = "linux"`'), ("rfc9438", "`sim`, the default")]
)
def test_growth_of_cubic(profile: str, row: str) -> None:
    changes = [{"at": "15 s", "rate": "5 Mbit/s"}, {"at": "25 s", "rate": "100 Mbit/s"}]
    path = {"link.*.rate": "100 Mbit/s", "link.*.delay": "20 ms", "link.forward.queue.limit": "100 packets"}
    set = {**path, "duration": "40 s", "link.forward.changes": changes, "flow.bulk.controller.profile": profile}
    series = el.Scenario.load(EXAMPLES / "bulk.toml", set=set).run(series=True).series
    windows = series[series["quantity"] == "cwnd_packets"]
    means = [windows[windows["time_s"].between(t, t + 1, inclusive="left")]["value"].mean() for t in (28, 29, 30)]
    assert f"| {row} | {' | '.join(f'{mean:.1f}' for mean in means)} |\n" in TEXT


def test_bbr_with_traffic_in_both_directions() -> None:
    rates = []
    for start in (0, 1, 3, 5):
        set = {"flow.*.controller.kind": "bbr", "flow.ul.start": f"{start} s"}
        flows = el.Scenario.load(EXAMPLES / "access.toml", set=set).run(series=False).to_dict()["flows"]
        rates.append(f"{max(flow['goodput_bps'] for flow in flows) / 1e6:.1f}")
    text = " ".join((ROOT / "docs" / "concepts" / "trust.md").read_text("utf-8").split())
    assert f"{', '.join(rates[:3])} and {rates[3]} Mbit/s in `sim`" in text
