"""Tables in the documents whose runs take a second or two together are what runs give now."""

from __future__ import annotations

import re
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from code_blocks import ROOT
from documented_commands import SLOW

import eddyline as el
from eddyline.cli import main
from eddyline.latency import grade

if TYPE_CHECKING:
    from pathlib import Path

DOCS = ROOT / "docs"
LINES = re.compile(r"^\| `(kind = .*?)` \|.*\|$", re.M)


def upload(queue: str) -> dict[str, dict[str, Any]]:
    """Flows and links by name of the upload with another queue."""
    scenario = el.Scenario.load(ROOT / "examples" / "upload.toml", set={"duplex.home.up.queue": f"{{ {queue} }}"})
    result = scenario.run(series=False).to_dict()
    return {each["name"]: each for part in ("flows", "links") for each in result[part]}


def kbps(flow: dict[str, Any]) -> str:
    return f"{flow['goodput_bps'] / 1e3:.0f}"


def test_all_disciplines_on_one_link() -> None:
    """docs/queues/README.md."""
    text = (DOCS / "queues" / "README.md").read_text("utf-8")
    rows = {found[1]: found[0] for found in LINES.finditer(text)}
    assert len(rows) == 21
    for queue, row in rows.items():
        made = upload(queue)
        down, up, drops = made["download"], made["upload"], made["home/up"]["drops"]
        waits = (down["reverse_queueing_delay_s"], up["forward_queueing_delay_s"])
        cells = [kbps(down), kbps(up), *(f"{1e3 * wait:.0f}" for wait in waits), str(drops["data"]), str(drops["ack"])]
        assert row == f"| `{queue}` | {' | '.join(cells)} |"


def test_dualpi2_on_a_slow_link() -> None:
    """docs/queues/dualpi2.md, "Slow links"."""
    text = (DOCS / "queues" / "dualpi2.md").read_text("utf-8")
    for label, queue in {
        r"default \(`target` 15 ms\)": 'kind = "dualpi2"',
        '`target = "63 ms"`, a packet\'s transmission time': 'kind = "dualpi2", target = "63 ms"',
        '`target = "80 ms"`': 'kind = "dualpi2", target = "80 ms"',
        '`target = "100 ms"`': 'kind = "dualpi2", target = "100 ms"',
        '`mtu = "0 B"`': 'kind = "dualpi2", mtu = "0 B"',
        "PIE": 'kind = "pie"',
    }.items():
        made = upload(queue)
        cells = (kbps(made["download"]), kbps(made["upload"]), str(made["download"]["timeouts"]))
        assert re.findall(rf"^\| {label} \| (.*) \|$", text, re.M) == [" | ".join(cells)], queue


@pytest.mark.parametrize("kind", ["droptail", "codel", "pie", "fq_codel", "cake"])
def test_realtime_response_under_load(kind: str, tmp_path: Path) -> None:
    """docs/guides/latency.md."""
    file = tmp_path / "rrul.toml"
    assert main(["init", str(file), "--preset", "rrul"]) == 0
    result = el.Scenario.load(file, set={"link.*.queue.kind": kind}).run(series=False).to_dict()
    rates = [f"{group['goodput_bps']['sum'] / 1e6:.1f} Mbit/s" for group in result["groups"]]
    (probe,) = result["probes"]
    waits = [f"{1e3 * probe['http_s'][key]:,.0f} ms" for key in ("mean", "p99")]
    rounds = [f"{probe[key]:,.0f}" for key in ("foreign_rpm", "loaded_rpm", "responsiveness_rpm")]
    row = f"| `{kind}` | {' | '.join([*rates, *waits, *rounds, grade(probe['idle_s'], probe['http_s']['mean'])])} |"
    assert row in (DOCS / "guides" / "latency.md").read_text("utf-8")


def test_pie_with_traffic_in_both_directions(tmp_path: Path) -> None:
    """docs/queues/pie.md."""
    file = tmp_path / "rrul.toml"
    assert main(["init", str(file), "--preset", "rrul"]) == 0
    waits = {}
    for load, later in (("downloads", "uploads"), ("uploads", "downloads"), ("both", None)):
        starts = {f"flow.{later}.start": "59 s"} if later else {}
        result = el.Scenario.load(file, set={"link.*.queue": {"kind": "pie"}, **starts}).run(series=False).to_dict()
        waits[load] = [f"{1e3 * link['queueing_delay_s']['mean']:.1f}" for link in result["links"]]
    (down, _), (_, up) = waits["downloads"], waits["uploads"]
    rows = f"| downloads | {down} | |\n| uploads | | {up} |\n| both | {' | '.join(waits['both'])} |\n"
    assert rows in (DOCS / "queues" / "pie.md").read_text("utf-8")


@pytest.mark.skipif(not SLOW, reason="40 runs with packet logs: EDDYLINE_SLOW=1 runs it")
def test_the_longest_time_without_an_advance() -> None:
    """docs/concepts/tcp.md."""
    text = (DOCS / "concepts" / "tcp.md").read_text("utf-8")
    for packets, row in ((60, "of 30 `newreno` flows"), (20, "the same, 20 packets")):
        medians = [median(longest(packets, rack, seed) for seed in range(1, 11)) for rack in (False, True)]
        cells = re.findall(rf"^\| {row}.* \| (.*) \| (.*) \|$", text, re.M)
        assert cells == [tuple(f"{each:.1f} s" for each in medians)]


def longest(packets: int, rack: bool, seed: int) -> float:
    """Of all flows, the longest time until the cumulative acknowledgement advances, or the run ends."""
    link = {"rate": "2 Mbit/s", "delay": "10 ms", "queue": {"kind": "droptail", "limit": f"{packets} packets"}}
    flow = {
        "name": "f",
        "count": 30,
        "start_jitter": "100 ms",
        "controller": {"kind": "newreno"},
        "tcp": {"rack": rack},
    }
    links = [{"name": name} | link for name in ("d", "u")]
    table = {"duration": "60 s", "seed": seed, "link": links, "flow": [{**flow, "data": ["d"], "ack": ["u"]}]}
    log = el.Scenario(table).run(log=True, series=False).log
    found = 0.0
    for _, rows in log[(log["event"] == "receive") & (log["packet"] == "ack")].groupby("source", observed=True):
        reached = np.maximum.accumulate(rows["seq"].to_numpy())
        times = rows["time_s"].to_numpy()[np.r_[True, np.diff(reached) > 0]]
        found = max(found, float(np.diff(np.r_[0.0, times, 60.0]).max()))
    return found


NOISE = """
[[traffic]]
name   = "noise"
path   = ["bottleneck"]
packet = "173 B"
model  = { kind = "poisson", rate = "RATE" }
"""
FIVE = {"--seeds": "5", "--start-jitter": "100 ms"}
EIGHT = {"--seeds": "8", "--start-jitter": "1 s"}
SLOWER = (
    "duration=300 s",
    "link.*.rate=20 Mbit/s",
    "link.bottleneck.queue.limit=1 BDP of 80 ms",
    'flow.short.access_delay={ data = "15 ms", ack = "15 ms" }',
    'flow.long.access_delay={ data = "55 ms", ack = "55 ms" }',
)


def jitter(mean: str) -> str:
    return f'link.bottleneck.jitter={{ kind = "exponential", mean = "{mean}" }}'


@pytest.mark.parametrize(
    ("row", "noise", "repeated", "changed"),
    [
        ("as it is", None, FIVE, ()),
        ("with jitter of the link, exponential, mean 500 us (a packet takes 240)", None, FIVE, (jitter("500 us"),)),
        ("with Poisson traffic of 1 Mbit/s", "1 Mbit/s", FIVE, ()),
        ("none", None, EIGHT, SLOWER),
        *((mean, None, EIGHT, (*SLOWER, jitter(mean))) for mean in ("600 us", "1200 us", "2400 us")),
        ("none, Poisson traffic of 0.6 Mbit/s", "0.6 Mbit/s", EIGHT, SLOWER),
    ],
)
def test_phases_and_their_remedies(
    row: str,
    noise: str | None,
    repeated: dict[str, str],
    changed: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """docs/concepts/traffic.md."""
    text = (DOCS / "concepts" / "traffic.md").read_text("utf-8")
    file = tmp_path / "phases.toml"
    added = "" if noise is None else NOISE.replace("RATE", noise)
    file.write_text((ROOT / "examples" / "phases.toml").read_text("utf-8") + added)
    options = [*repeated.items(), *(("--set", each) for each in changed)]
    assert main(["run", str(file), *(word for option in options for word in option)]) == 0
    goodputs = re.findall(r"goodput +([\d.]+ ± [\d.]+) Mbit/s", capsys.readouterr().out)
    (cells,) = re.findall(rf"^\| {re.escape(row)} \| (.*) \| (.*) \|$", text, re.M)
    assert [cell.removesuffix(" Mbit/s") for cell in cells] == goodputs[:2]


@pytest.mark.skipif(not SLOW, reason="30 runs of 120 s: EDDYLINE_SLOW=1 runs it")
@pytest.mark.parametrize("preset", ["docsis-3.1", "vdsl2", "adsl2+"])
def test_pacing_beside_an_upload(preset: str, capsys: pytest.CaptureFixture[str]) -> None:
    """docs/guides/upload-kills-download.md."""
    text = (DOCS / "guides" / "upload-kills-download.md").read_text("utf-8")
    cells: dict[str, list[str]] = {"download": [], "upload": []}
    sets = (f"duplex.home.preset={preset}", "flow.*.controller.kind=cubic", "flow.*.delayed_ack=true")
    for pacing in ("false", "true"):
        options = [word for each in (*sets, f"flow.download.tcp.pacing={pacing}") for word in ("--set", each)]
        assert main(["run", str(ROOT / "examples" / "upload.toml"), *options, "--seeds", "5", "-q"]) == 0
        rows = re.findall(r"goodput +([\d.]+) ± ([\d.]+) ([kM])bit/s", capsys.readouterr().out)
        for found, (mean, half, prefix) in zip(cells.values(), rows, strict=True):
            scale = 1e-3 if prefix == "k" else 1
            decimals = len(mean.partition(".")[2]) + (3 if prefix == "k" else 0)
            found.append(" ± ".join(f"{scale * float(each):.{decimals}f}" for each in (mean, half)))
    row = " | ".join([f"`{preset}`", *cells["download"], *cells["upload"]])
    assert f"| {row} |" in text


@pytest.mark.skipif(not SLOW, reason="54 runs of 300 s: EDDYLINE_SLOW=1 runs it")
def test_loss_over_quic() -> None:
    """docs/concepts/quic.md."""
    text = (DOCS / "concepts" / "quic.md").read_text("utf-8")
    ours = {"prr": True, "rack": True, "byte_counting": 1000, "pacing": True}
    ways = [("quic", "noq-{}", {}), ("quic", "{}", {}), ("sim", "{}", {"flow.one.tcp": ours})]
    for loss in ("0.01", "0.1", "1"):
        for limit in (10, 40, 160):
            path = {"link.f.loss": float(loss) / 100, "link.f.queue.limit": f"{limit} packets"}
            cells = []
            for family in ("newreno", "cubic"):
                flows = []
                for world, kind, tcp in ways:
                    changed = {**path, **tcp, "flow.one.controller.kind": kind.format(family)}
                    scenario = el.Scenario.load(ROOT / "examples" / "quic" / "loss.toml", set=changed)
                    flows.append(scenario.run(world, series=False).to_dict()["flows"][0])
                cells.append(", ".join(f"{flow['throughput_bps'] / 1e6:.2f}" for flow in flows))
                cells.append(", ".join(f"{flow['window_packets']['mean']:.1f}" for flow in flows))
            assert f"| {loss} % | {limit} | {' | '.join(cells)} |\n" in text
