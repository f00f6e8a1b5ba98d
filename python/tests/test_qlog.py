"""`run --qlog` and `Scenario.run(qlog=...)`: files, their place, and that they hold the run's packets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest

import eddyline.qlog as qlog
from eddyline.errors import InputError
from eddyline.scenario import Scenario

if TYPE_CHECKING:
    from pathlib import Path

TWO_FLOWS = """
duration = "3 s"

[[link]]
name = "f"
rate = "5 Mbit/s"
delay = "20 ms"
queue = { kind = "droptail", limit = "20 packets" }

[[link]]
name = "b"
rate = "5 Mbit/s"
delay = "20 ms"

[[flow]]
name = "one way"
controller = { kind = "newreno" }
data = ["f"]
ack = ["b"]

[[flow]]
name = "other/way"
controller = { kind = "cubic" }
data = ["b"]
ack = ["f"]
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Scenario:
    file = tmp_path / "two.toml"
    file.write_text(TWO_FLOWS)
    return Scenario.load(file)


def test_long_names_are_cut(tmp_path: Path) -> None:
    """A name has up to 200 characters, up to twelve each in that of a file; two that begin alike have a file each."""
    names = ["日" * 200, "日" * 199 + "本", "x" * 200]
    text = TWO_FLOWS.replace('"one way"', f'"{names[0]}"').replace('"other/way"', f'"{names[1]}"')
    file = tmp_path / "two.toml"
    file.write_text(text)
    Scenario.load(file).run(set={"duration": "100 ms"}, qlog=tmp_path / "traces")
    written = sorted(file.name for file in (tmp_path / "traces").iterdir())
    assert written == sorted(qlog.file_names(names[:2]))
    assert len(set(written)) == 2
    assert all(200 < len(name) <= 255 for name in qlog.file_names(names))
    # whole characters, a hash and the suffix
    assert all(set(unquote(name, errors="strict")[: -17 - len(qlog.SUFFIX)]) == {"日"} for name in written)


def records(file: Path) -> list[dict[str, Any]]:
    return [json.loads(part) for part in file.read_text().split("\x1e") if part]


def test_each_flow_has_a_file(scenario: Scenario, tmp_path: Path) -> None:
    result = scenario.run(qlog=tmp_path / "traces")
    assert sorted(file.name for file in (tmp_path / "traces").iterdir()) == ["one way.sqlog", "other%2Fway.sqlog"]
    for name, file in zip(scenario.flows, qlog.file_names(scenario.flows), strict=True):
        header, *events = records(tmp_path / "traces" / file)
        assert (header["qlog_version"], header["title"]) == ("0.3", name)
        lost = sum(event["name"] == "recovery:packet_lost" for event in events)
        flow = result.flows[result.flows["name"] == name].iloc[0]
        assert lost == flow["retransmits"]


def test_a_later_run_replaces_traces_and_nothing_else(scenario: Scenario, tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    (folder / "gone.sqlog").touch()
    scenario.run(qlog=folder)
    assert sorted(file.name for file in folder.iterdir()) == ["one way.sqlog", "other%2Fway.sqlog"]
    (folder / "notes.txt").touch()
    with pytest.raises(InputError, match=r"holds more than traces: notes\.txt"):
        scenario.run(qlog=folder)


def test_one_file_is_for_one_flow(scenario: Scenario, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one file holds the trace of one flow, and there are 2"):
        scenario.run(qlog=tmp_path / "both.sqlog")
    single = tmp_path / "single.toml"
    single.write_text(TWO_FLOWS[: TWO_FLOWS.rindex("[[flow]]")])
    Scenario.load(single).run(qlog=tmp_path / "one.sqlog")
    assert len(records(tmp_path / "one.sqlog")) > 1000


def test_an_interrupted_run_leaves_nothing(tmp_path: Path) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    file = tmp_path / "long.toml"
    file.write_text(TWO_FLOWS)
    scenario = Scenario.load(file, set=[("duration", "10 min")])
    with pytest.raises(KeyboardInterrupt):
        scenario.run(qlog=tmp_path / "traces", progress=interrupt)
    assert list(tmp_path.iterdir()) == [file]


def test_worlds_without_packets_have_no_traces(scenario: Scenario, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="qlog: world theory has no packets"):
        scenario.run("theory", qlog=tmp_path / "traces")
