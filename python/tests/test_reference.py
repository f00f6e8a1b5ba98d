"""The reference is what the schemas, the registers and the commands say, and has every term of the output."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

import eddyline as el
from eddyline import _core, tables
from eddyline.cli.entry import command_line
from eddyline.reference.data import PACKET_LOG

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def test_the_pages_are_current():
    """In a process of its own: other tests register controllers in this one."""
    line = [sys.executable, "-m", "eddyline.reference", "--check", str(REFERENCE)]
    checked = subprocess.run(line, capture_output=True, text=True, timeout=120, check=False)
    assert checked.returncode == 0, checked.stdout[:5000] + checked.stderr


def test_the_wheel_brings_manual_pages_and_completion():
    share = REFERENCE.parents[1] / "packaging" / "data" / "share"
    pages = {page.stem for page in (share / "man" / "man1").iterdir()}
    assert {"eddyline", "eddyline-run", "eddyline-sweep", "eddyline-sweep-merge", "eddyline-theory-map"} <= pages
    assert "eddyline" in (share / "bash-completion" / "completions" / "eddyline").read_text()
    assert (share / "zsh" / "site-functions" / "_eddyline").read_text().startswith("#compdef eddyline")
    assert (share / "fish" / "vendor_completions.d" / "eddyline.fish").exists()
    project = tomllib.loads((REFERENCE.parents[1] / "pyproject.toml").read_text())
    assert project["tool"]["maturin"]["data"] == "packaging"  # whose folder `data` is installed
    groff = shutil.which("man") and shutil.which("groff")
    if groff:
        line = ["groff", "-man", "-Tutf8", "-ww", str(share / "man" / "man1" / "eddyline-run.1")]
        shown = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
        assert shown.returncode == 0
        assert "warning" not in shown.stderr


def test_a_stale_page_is_found(tmp_path):
    for page in REFERENCE.glob("*.md"):
        (tmp_path / page.name).write_text(page.read_text("utf-8").replace("Congestion window", "Window"), "utf-8")
    line = [sys.executable, "-m", "eddyline.reference", "--check", str(tmp_path)]
    checked = subprocess.run(line, capture_output=True, text=True, timeout=120, check=False)
    assert checked.returncode == 1
    assert "Congestion window" in checked.stdout


@pytest.fixture(scope="module")
def result():
    return el.Scenario(
        {
            "duration": "1 s",
            "link": [
                {
                    "name": "down",
                    "rate": "2 Mbit/s",
                    "delay": "1 ms",
                    "queue": {"kind": "droptail", "limit": "9 packets"},
                },
                {"name": "up", "rate": "2 Mbit/s", "delay": "1 ms"},
            ],
            "flow": [{"name": "f", "controller": {"kind": "reno"}, "data": ["down"], "ack": ["up"], "count": 2}],
            "traffic": [{"name": "t", "path": ["up"], "model": {"kind": "cbr", "rate": "1 Mbit/s"}}],
            "arrivals": [
                {
                    "name": "a",
                    "rate": "20 /s",
                    "size": {"kind": "fixed", "size": "3 kB"},
                    "controller": {"kind": "reno"},
                    "data": ["up"],
                    "ack": ["down"],
                }
            ],
        }
    ).run("sim", series=True, log=True)


def test_every_field_of_a_result_is_in_the_schema(result):
    """By a validator for the little of JSON Schema that results use."""
    schema = json.loads(_core.schema("result"))

    def described(value, of, where):
        if "$ref" in of:
            of = schema["$defs"][of["$ref"].removeprefix("#/$defs/")]
        if "anyOf" in of:
            of = next(each for each in of["anyOf"] if ("$ref" in each) == isinstance(value, dict))
            return described(value, of, where)
        if isinstance(value, dict):
            assert set(value) <= set(of["properties"]), where
            assert set(value) >= set(of["required"]), where
            return all(described(inner, of["properties"][key], f"{where}.{key}") for key, inner in value.items())
        if isinstance(value, list):
            assert of["type"] == "array", where
            return all(described(inner, of["items"], where) for inner in value)
        allowed = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}
        types = of["type"] if isinstance(of["type"], list) else [of["type"]]
        assert any(isinstance(value, allowed[each]) for each in types), (where, value)
        return True

    for each in (result, el.Scenario.load(Path(__file__).parents[2] / "examples" / "upload.toml").run("theory")):
        assert described(each.to_dict(), schema, each.world)


def test_every_quantity_of_series_is_in_the_reference(result):
    page = (REFERENCE / "series.md").read_text("utf-8")
    assert set(result.series["quantity"]) <= set(_core.Run.QUANTITIES)
    assert all(f"| `{name}` |" in page for name in (*result.series.columns, *_core.Run.QUANTITIES))


def test_every_column_of_the_packet_log_is_in_the_reference(result):
    assert list(result.log.columns) == list(PACKET_LOG)


def test_every_column_of_printed_tables_is_in_the_glossary():
    text = (REFERENCE / "glossary.md").read_text("utf-8")
    parts = {kind: columns for kind, _, columns in tables._PARTS}
    assert len(parts) == 6
    for kind, columns in parts.items():
        for name, field, _ in columns:
            assert f"| {kind} | {name} | `{field}` |" in text, (kind, name)


LINK = ["--rate", "10 Gbit/s", "--rtt", "100 us", "--threshold", "40", "--flows", "2"]
MAP = ["--x", "link.b.rate=1 Mbit/s..2 Mbit/s:2", "--y", "link.f.delay=1 ms..2 ms:2"]
DOCUMENTS = {
    "theory equilibrium FILE": [],
    "theory stability FILE": [],
    "theory dynamics FILE": [],
    "theory fairness FILE": [],
    "theory vegas FILE": ["--alpha", "2 packets", "--beta", "4 packets"],
    "theory map FILE": MAP,
    "theory population ARRIVALS": [],
    "theory response reno": ["--loss", "1e-3", "--rtt", "80 ms"],
    "theory sawtooth dctcp": LINK,
    "probe": ["--rate", "192 kbit/s", "--waits", "0.21 s,3.1 s"],
    "gauntlet": ["--controller", "reno", "--only", "line-100k"],
    "check FILE": [],
}


@pytest.mark.parametrize("line", DOCUMENTS, ids=lambda line: " ".join(line.split()[:2]))
def test_every_key_of_a_document_is_in_the_reference(line, tmp_path):
    links = [{"name": name, "rate": "10 Mbit/s", "delay": "10 ms"} for name in ("f", "b")]
    fast = {"controller": {"kind": "fast", "alpha": "20 packets"}, "data": ["f"], "ack": ["b"]}
    expect = [{"of": "flow.x", "what": "goodput_bps", "at_least": "1 Mbit/s"}]
    arrivals = [{"name": "x", "rate": "2 /s", "size": {"kind": "exponential", "mean": "125 kB"}, **fast}]
    files = {
        "FILE": {"duration": "2 s", "link": links, "flow": [{"name": "x", **fast}], "expect": expect},
        "ARRIVALS": {"duration": "2 s", "link": links, "arrivals": arrivals},
    }
    for name, scenario in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(scenario), "utf-8")
    args = [str(tmp_path / f"{word}.json") if word in files else word for word in line.split()]
    ran = CliRunner().invoke(command_line, [*args, *DOCUMENTS[line], "--json"], standalone_mode=False)
    page = (REFERENCE / "documents.md").read_text("utf-8")
    command = " ".join(word for word in line.split()[:2] if word.islower())
    command = command if line.startswith("theory") else command.split()[0]
    section = page.partition(f"## `eddyline {command}`")[2].partition("\n## ")[0]
    described = {part for field in re.findall(r"`([\w.]+)`", section) for part in field.split(".")} | {"notes"}

    def keys(value):
        if isinstance(value, list):
            return {key for each in value for key in keys(each)}
        if isinstance(value, dict):
            # tables by the name of a link, of an arrivals table, of a link model
            return {k for k in value if k not in ("f", "b", "x", "both", "theory")} | keys(list(value.values()))
        return set()

    assert keys(json.loads(ran.stdout)) <= described
