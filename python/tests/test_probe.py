"""What a buffer counts: by hand, on every unit and discipline, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import eddyline as el
from eddyline.cli import main
from eddyline.framing import FRAMINGS
from eddyline.papers import find
from eddyline.probing import Load, judge, measured

DUPLEX = Path(__file__).parents[2] / "examples/upload.toml"
FILE = find("bidirectional-tcp").folder / "scenarios" / "link.toml"
SHORT, LONG = 100.0, 1500.0


@pytest.mark.parametrize(
    ("waits", "unit", "limit"),
    [
        # 75,000 B at 192 kbit/s: 3.125 s of either
        ((3.125, 3.125), "bytes", 75_000),
        # 50 packets: 800 and 12,000 bits each
        ((50 * 800 / 192e3, 50 * 12_000 / 192e3), "packets", 50),
        # 3,200 cells: 3 and 32 a packet (108 and 1,508 bytes in cells of 48)
        ((3200 / 3 * 800 / 192e3, 100 * 12_000 / 192e3), "cells", 3200),
        # half as long for the long ones: no buffer does that
        ((3.0, 1.5), None, None),
    ],
)
def test_by_hand(waits: tuple[float, float], unit: str | None, limit: float | None) -> None:
    found = measured(192e3, (SHORT, LONG), waits)
    assert found.unit == unit
    assert found.limit == (None if limit is None else pytest.approx(limit))


def test_one_packet_more_or_less_does_not_change_the_unit() -> None:
    # six packets of 1,500 B: a wait is known to one of them
    assert judge(Load(SHORT, 0.36, 0.36 * 192e3 / 800), Load(LONG, 0.3125, 5.0)).unit == "bytes"


@pytest.mark.parametrize(
    ("waits", "unit", "limit"),
    [
        # over pppoe-llcsnap 100 B take 3 cells on the line, 1,500 B take 33: 1,272 and 13,992 bits
        ("210.8 ms,204.1 ms", "cells", 500),
        ("81.02 ms,889.7 ms", "packets", 64),
        ("381.2 ms,274.1 ms", "bytes", 30_000),
    ],
)
def test_on_an_adsl_line(waits: str, unit: str, limit: float, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["probe", "--rate", "1 Mbit/s", "--waits", waits, "--framing", "pppoe-llcsnap", "--json"]
    assert main(asked) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert document["unit"] == unit
    assert document["limit"] == pytest.approx(limit, rel=0.02)


@pytest.mark.parametrize("name", FRAMINGS)
@pytest.mark.parametrize("size", [40, 1500])
def test_a_frame_takes_as_long_as_in_the_simulation(name: str, size: int) -> None:
    link = {"name": "up", "rate": "1 Mbit/s", "delay": "0 s", "framing": name}
    model = {"kind": "cbr", "rate": f"{size * 8} bit/s"}  # one a second
    load = {"name": "load", "path": ["up"], "packet": f"{size} B", "model": model}
    result = el.Scenario({"duration": "10 s", "link": [link], "traffic": [load]}).run("sim", series=False).to_dict()
    bits = result["links"][0]["utilisation"] * 1e6 * 10
    assert bits == pytest.approx(8 * FRAMINGS[name].line_bytes(size) * result["traffic"][0]["packets_delivered"])


@pytest.mark.parametrize(
    ("queue", "unit", "limit"),
    [
        ('{ kind = "droptail", limit = "20000 B" }', "bytes", 20_000),
        ('{ kind = "droptail", limit = "40 packets" }', "packets", 40),
        ('{ kind = "droptail", limit = "900 cells" }', "cells", 900),
        ('{ kind = "headdrop", limit = "30 packets" }', "packets", 30),
        ('{ kind = "headdrop", limit = "400 packets" }', "packets", 400),
        ('{ kind = "headdrop", limit = "75000 B" }', "bytes", 75_000),
    ],
)
def test_simulated(queue: str, unit: str, limit: float) -> None:
    found = el.probe(el.Scenario.load(FILE, set={"link.up.queue": queue}), "up")
    assert found.unit == unit
    packet = {"bytes": LONG, "packets": 1, "cells": 32}[unit]
    assert found.limit == pytest.approx(limit, abs=packet)


@pytest.mark.parametrize("framing", [None, *FRAMINGS])
@pytest.mark.parametrize("kind", ["droptail", "headdrop"])
def test_units_behind_framing(kind: str, framing: str | None) -> None:
    """With head drop the waits depend on the load, which is the same for both sizes on the line alone."""
    link = {"name": "up", "rate": "1 Mbit/s", "delay": "10 ms"} | ({"framing": framing} if framing else {})
    load = {"name": "load", "path": ["up"], "model": {"kind": "cbr", "rate": "1 Mbit/s"}}
    for limit, packet in (("60000 B", LONG), ("100 packets", 1), ("400 packets", 1), ("1600 cells", 32)):
        table = {"duration": "1 s", "link": [{**link, "queue": {"kind": kind, "limit": limit}}], "traffic": [load]}
        found = el.probe(el.Scenario(table), "up")
        value, unit = limit.split()
        assert (found.unit, limit) == ("bytes" if unit == "B" else unit, limit)
        assert found.limit == pytest.approx(float(value), abs=packet)


@pytest.mark.parametrize("short", [40.0, 52.0, 60.0, 64.0, 100.0, 250.0])
@pytest.mark.parametrize("framing", ["pppoe-llcsnap", "ipoa-vcmux"])
def test_cells_of_a_modem_hold_the_encapsulation(short: float, framing: str) -> None:
    """640 cells wait for as long whatever packets they are of."""
    found = measured(1e6, (short, 1500.0), (640 * 424 / 1e6,) * 2, framing)
    assert found.unit == "cells"
    assert found.limit == pytest.approx(640.0)


@pytest.mark.parametrize(
    "queue",
    [
        '{ kind = "codel", limit = "1000 packets" }',
        '{ kind = "pie", limit = "1000 packets" }',
        '{ kind = "fq_codel" }',
        '{ kind = "cake" }',
        '{ kind = "red", limit = "50 packets" }',
    ],
)
def test_what_is_bounded_by_time_has_no_unit(queue: str) -> None:
    for rate in (0.5, 1, 3, 5, 10, 20):
        changed = {"link.up.queue": queue, "link.up.rate": f"{rate} Mbit/s"}
        found = el.probe(el.Scenario.load(FILE, set=changed), "up")
        assert (found.unit, found.limit) == (None, None), rate
        assert any(
            why in found.why for why in ("too few to tell", "no unit explains", "not bounded by its length alone")
        )


def test_a_policer_has_no_buffer() -> None:
    changed = {"link.up.rate": "50 Mbit/s", "link.up.policer": {"rate": "5 Mbit/s", "burst": "30 kB"}}
    with pytest.raises(el.InputError, match=r"^up: nothing waits: its policer drops at once") as caught:
        el.probe(el.Scenario.load(FILE, set=changed), "up")
    assert caught.value.hint == "leave the policer out to probe the queue behind it"


def test_other_sizes() -> None:
    found = el.probe(
        el.Scenario.load(FILE, set={"link.up.queue.limit": "50 packets"}), "up", short="64 B", long="640 B"
    )
    assert (found.unit, found.short.packet_bytes, found.long.packet_bytes) == ("packets", 64.0, 640.0)


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", str(FILE), "--link", "up", "--json"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert document["unit"] == "bytes"
    assert document["limit"] == pytest.approx(75_000, rel=0.02)
    assert main(["probe", str(FILE), "--link", "up"]) == 0
    out = capsys.readouterr().out
    assert "counts bytes, about 74,9" in out
    assert "packets of 15 times the size wait " in out
    assert "Its limit by short and by long packets, if it counts" in out
    assert main(["probe", "--rate", "192 kbit/s", "--waits", "0.2083 s, 3.125 s"]) == 0
    assert "counts packets, about 50" in capsys.readouterr().out
    assert main(["probe", "--rate", "192 kbit/s", "--waits", "3 s, 1.5 s"]) == 0
    assert "Unit unknown" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ([], "either FILE with --link, or --rate with --waits"),
        ([str(FILE)], f"--link is missing; links of {FILE} are down, up"),
        ([str(FILE), "--link", "upp"], "did you mean up?"),
        ([str(FILE), "--link", "up", "--short", "1500 B"], "not shorter"),
        ([str(FILE), "--link", "up", "--short", "0 B"], "short: packets of 0 B; at least 1 B is allowed"),
        ([str(FILE), "--link", "up", "--long", "0 B"], "long: packets of 0 B; at least 1 B is allowed"),
        (["--rate", "1 Mbit/s", "--waits", "1 s,1 s", "--short", "0 B"], "short: packets of 0 B; at least 1 B"),
        ([str(FILE), "--link", "up", "--short", "100"], "unit"),
        ([str(FILE), "--rate", "1 Mbit/s"], "either FILE"),
        (["--rate", "1 Mbit/s"], "--waits"),
        (["--rate", "1 Mbit/s", "--waits", "1 s"], "two times"),
        (["--rate", "1 Mbit/s", "--waits", "0 s,1 s"], "nothing waits"),
        (["--rate", "1 Mbit/s", "--waits", "1 s,1 s", "--link", "up"], "--link is for FILE"),
        ([str(FILE), "--link", "up", "--framing", "docsis"], "--framing is for --rate, without FILE"),
        (["--rate", "1 Mbit/s", "--waits", "1 s,1 s", "--framing", "pppoe"], "Did you mean pppoe-"),
        (["nowhere.toml", "--link", "up"], "nowhere.toml"),
    ],
)
def test_wrong_input(arguments: list[str], word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", *arguments]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert word in streams.err


def test_a_buffer_without_limit_never_fills(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "endless.toml"
    text = (
        FILE.read_text("utf-8")
        .replace('"192 kbit/s"', '"1 kbit/s"')
        .replace('limit = "75000 B"', 'limit = "unlimited"')
    )
    file.write_text(text, "utf-8")
    assert main(["probe", str(file), "--link", "up"]) == 1
    told = capsys.readouterr().err
    assert "did not fill" in told
    assert "a queue without a limit never fills" in told


@pytest.mark.parametrize(
    ("framing", "said"),
    [(None, "a DSL or cable line has framing (--framing), or the queue"), ("docsis", "the line has another framing")],
)
def test_two_waits_that_no_unit_explains_may_be_of_another_framing(
    framing: str | None, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An ADSL line with PPPoA and 65 packets, whose framing was not given, or another one."""
    words = ["probe", "--rate", "1 Mbit/s", "--waits", "83 ms,870 ms"]
    assert main([*words, "--framing", "pppoa-vcmux"]) == 0
    assert "counts packets, about 65" in capsys.readouterr().out
    assert main(words if framing is None else [*words, "--framing", framing]) == 0
    assert said in capsys.readouterr().out


def test_a_long_queue_of_a_slow_link_fills(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """1,000 packets at 64 kbit/s take more than an hour at slightly more than the rate; a year is too long."""
    file = tmp_path / "modem.toml"
    text = FILE.read_text("utf-8").replace('limit = "75000 B"', 'limit = "1000 packets"')
    file.write_text(text.replace('"192 kbit/s"', '"64 kbit/s"'), "utf-8")
    assert main(["probe", str(file), "--link", "up"]) == 0
    assert "counts packets, about 1,000" in capsys.readouterr().out
    file.write_text(text.replace('"192 kbit/s"', '"1 bit/s"'), "utf-8")
    assert main(["probe", str(file), "--link", "up"]) == 1
    assert "hint: a smaller limit of its queue fills sooner" in capsys.readouterr().err


def test_a_direction_of_a_duplex() -> None:
    """`wimax-2009` counts 75,000 B in both; a limit that the scenario says goes before the preset's."""
    found = el.probe(el.Scenario.load(DUPLEX), "home/up")
    assert (found.unit, found.limit) == ("bytes", pytest.approx(75_000, rel=0.01))
    own = {"link.home/up.queue": '{ kind = "droptail", limit = "40 packets" }'}
    found = el.probe(el.Scenario.load(DUPLEX, set=own), "home/up")
    assert (found.unit, found.limit) == ("packets", pytest.approx(40, abs=1))
    with pytest.raises(el.InputError, match="no link 'home/upp'"):
        el.probe(el.Scenario.load(DUPLEX), "home/upp")


@pytest.mark.parametrize("limit", ["40 packets", "30 kB"])
def test_a_recording_of_the_rate_does_not_hide_the_queue(limit: str, tmp_path: Path) -> None:
    """At its beginning it has several times its mean rate, with which nothing would wait."""
    (tmp_path / "r.csv").write_text("time_s,rate_bps\n0,20e6\n10,1e6\n20,1e6\n")
    link = {"delay": "5 ms", "queue": {"kind": "droptail", "limit": limit}, "trace": {"kind": "csv", "file": "r.csv"}}
    load = {"name": "load", "path": ["up"], "model": {"kind": "cbr", "rate": "1 Mbit/s"}}
    table = {"duration": "1 s", "link": [{"name": "up", **link}], "traffic": [load]}
    found = el.probe(el.Scenario(table, folder=tmp_path), "up")
    value, unit = limit.split()
    assert found.unit == {"packets": "packets", "kB": "bytes"}[unit]
    assert found.limit == pytest.approx(float(value) * {"packets": 1, "kB": 1000}[unit], rel=0.05)


@pytest.mark.parametrize("limit", ["100 packets", "150000 B"])
@pytest.mark.parametrize(
    "link",
    [
        {"loss": 0.001},
        {"loss": 0.5, "corrupt": 0.1},
        {"delay": "1 h"},
        {"rate": "10 Gbit/s", "delay": "10 ms"},
        {"outages": [{"start": "0 s", "length": "1 s", "every": "2 s"}]},
        {"changes": [{"at": "10 ms", "rate": "1 Mbit/s"}], "jitter": {"kind": "exponential", "mean": "5 ms"}},
    ],
)
def test_only_the_queue_matters(link: dict[str, Any], limit: str) -> None:
    queue = {"kind": "droptail", "limit": limit}
    load = {"name": "load", "path": ["up"], "model": {"kind": "cbr", "rate": "1 Mbit/s"}}
    table = {"name": "up", "rate": "10 Mbit/s", "delay": "10 ms", "queue": queue} | link
    found = el.probe(el.Scenario({"duration": "1 s", "link": [table], "traffic": [load]}), "up")
    value, unit = limit.split()
    assert found.unit == ("bytes" if unit == "B" else unit)
    assert found.limit == pytest.approx(float(value), abs=LONG if unit == "B" else 1)


@pytest.mark.parametrize(
    ("queue", "unit", "limit"),
    [
        ({"kind": "tbf", "rate": "10 Mbit/s", "burst": "3000 B", "limit": "200 kB"}, "bytes", 200e3),
        ({"kind": "tbf", "rate": "23.75 Mbit/s", "burst": "5 kB", "limit": "90 kB"}, "bytes", 90e3),
        (
            {"kind": "tbf", "rate": "10 Mbit/s", "burst": "3 kB", "limit": "60 packets", "framing": "pppoe-llcsnap"},
            "packets",
            60,
        ),
        ({"kind": "cake", "bandwidth": "10 Mbit/s"}, None, None),
    ],
)
def test_a_shaper_is_loaded_at_its_own_rate(queue: dict[str, str], unit: str | None, limit: float | None) -> None:
    """On a link a hundred times as fast. The CoDel of CAKE limits time."""
    link = {"name": "router", "rate": "1 Gbit/s", "delay": "0 s", "queue": queue}
    load = {"name": "load", "path": ["router"], "model": {"kind": "cbr", "rate": "1 Mbit/s"}}
    found = el.probe({"duration": "1 s", "link": [link], "traffic": [load]}, "router")
    assert (found.unit, found.limit) == (unit, None if limit is None else pytest.approx(limit, rel=0.01))


def test_behind_a_policer_nothing_waits() -> None:
    policer = {"rate": "8 Mbit/s", "burst": "100 B"}
    table = {"name": "up", "rate": "10 Mbit/s", "delay": "10 ms", "policer": policer}
    load = {"name": "load", "path": ["up"], "model": {"kind": "cbr", "rate": "1 Mbit/s"}}
    with pytest.raises(el.InputError, match="nothing waits"):
        el.probe(el.Scenario({"duration": "1 s", "link": [table], "traffic": [load]}), "up")
