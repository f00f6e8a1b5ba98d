"""Controllers from compiled files: libraries of Rust and of C, WebAssembly modules."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import eddyline as el
from eddyline.cli.new_controller import library
from eddyline.controllers.plugins import plugins
from eddyline.controllers.registry import register_plugin
from eddyline.controllers.sources import load

from .conftest import ROOT
from .wasm import newreno

if TYPE_CHECKING:
    from collections.abc import Iterator

needs_cargo = pytest.mark.skipif(shutil.which("cargo") is None, reason="builds a crate")
needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="compiles C")

TOML = """\
title = "plugin"
duration = "10 s"
seed = 3

[[link]]
name = "down"
rate = "10 Mbit/s"
delay = "20 ms"
queue = { kind = "droptail", limit = "20 packets" }
loss = 0.01

[[link]]
name = "up"
rate = "1 Mbit/s"
delay = "20 ms"

[[flow]]
name = "f"
controller = { kind = "newreno" }
data = ["down"]
ack = ["up"]
"""

C_SOURCE = """\
#include "eddyline_controller.h"
#include <stdlib.h>

_Static_assert(sizeof(EddylinePath) == 48 && offsetof(EddylinePath, paced) == 40, "path");
_Static_assert(sizeof(EddylineAck) == 64 && offsetof(EddylineAck, in_recovery) == 61, "acknowledgement");
_Static_assert(sizeof(EddylineTimeout) == 24 && offsetof(EddylineTimeout, repeated) == 16, "timeout");
_Static_assert(sizeof(EddylineSent) == 24 && sizeof(EddylineMarks) == 32, "sent, marks");
_Static_assert(sizeof(EddylineDecisions) == 64 && offsetof(EddylineDecisions, stamp) == 48, "decisions");

#ifndef VERSION
#define VERSION EDDYLINE_ABI_VERSION
#endif
#ifndef NAME
#define NAME "c-fixed"
#endif

uint32_t eddyline_abi_version(void) { return VERSION; }
const char *eddyline_description(void)
{
    return "{\\"name\\": \\"" NAME "\\", \\"parameters\\": {\\"type\\": \\"object\\", \\"properties\\": {"
           "\\"pause\\": {\\"type\\": \\"string\\", \\"format\\": \\"time\\", \\"default\\": \\"5 ms\\"}}}}";
}
const char *eddyline_fault(void) { return "had enough"; }

void *eddyline_new(const char *parameters, const EddylinePath *path, EddylineDecisions *out)
{
    uint64_t *pause = malloc(sizeof *pause);
    *pause = (uint64_t)(strtod(parameters + 9, 0) * 1e12); /* {"pause":SECONDS} */
    *out = EDDYLINE_DECISIONS(WINDOW);
    out->pacing_interval = *pause;
    return path->initial_window >= 1 ? pause : 0;
}
void eddyline_free(void *state) { free(state); }

int32_t eddyline_on_ack(void *state, const EddylineAck *ack, EddylineDecisions *out)
{
    *out = EDDYLINE_DECISIONS(WINDOW);
    out->pacing_interval = *(uint64_t *)state;
    return EDDYLINE_HANDLED;
}
int32_t eddyline_on_loss(void *state, const EddylineLoss *loss, EddylineDecisions *out) { return LOSS; }
#ifndef NO_TIMEOUT
int32_t eddyline_on_timeout(void *state, const EddylineTimeout *timeout, EddylineDecisions *out)
{
    return EDDYLINE_UNUSED;
}
#endif
"""


@pytest.fixture(autouse=True)
def unloaded() -> Iterator[None]:
    """Whatever a test loads goes again."""
    yield
    for name in plugins():
        el.unregister(name)


@pytest.fixture(scope="module")
def rust(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `new-controller --rust` writes, built; and it panics at a time that a scenario may set."""
    folder = tmp_path_factory.mktemp("rust")
    from click.testing import CliRunner

    from eddyline.cli.new_controller import command

    before = Path.cwd()
    os.chdir(folder)
    try:
        wrote = CliRunner().invoke(command, ["my-aimd", "--rust"])
    finally:
        os.chdir(before)
    assert wrote.exit_code == 0, wrote.output
    crate = folder / "my-aimd"
    source = crate / "src" / "lib.rs"
    text = source.read_text()
    for old, new in (
        ("    increase: f64,\n", "    increase: f64,\n    breaks_at: f64,\n"),
        ("            increase: ", '            breaks_at: params.number("breaks_at"),\n            increase: '),
        ("PARAMETERS: &'static [Parameter] = &[\n", "PARAMETERS: &'static [Parameter] = &[\n        EXTRA,\n"),
        (
            "        self.ssthresh = (loss",
            '        assert!(loss.now.as_secs_f64() < self.breaks_at, "broken");\n        self.ssthresh = (loss',
        ),
    ):
        assert old in text
        text = text.replace(old, new, 1)
    source.write_text(text + '\nconst EXTRA: Parameter = Parameter::time("breaks_at", "1 h");\n')
    # without optimisation across crates: the test is of what it does
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CARGO")}
    environment |= {"CARGO_PROFILE_RELEASE_LTO": "false", "CARGO_TARGET_DIR": str(crate / "target")}
    built = subprocess.run(
        ["cargo", "build", "--release", "--offline"],
        cwd=crate,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    assert "warning" not in built.stderr
    return crate / "target" / "release" / library("my-aimd")


@pytest.fixture
def compiled(tmp_path: Path) -> Any:
    """Compiles the C source with these definitions; returns the library."""

    def compiled(**definitions: object) -> Path:
        (tmp_path / "c.c").write_text(C_SOURCE)
        output = tmp_path / f"lib{len(list(tmp_path.iterdir()))}.so"
        flags = [f"-D{name}={value}" for name, value in {"WINDOW": 8, "LOSS": "EDDYLINE_UNUSED", **definitions}.items()]
        include = ROOT / "crates" / "controller-abi" / "include"
        words = ["cc", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-shared", "-fPIC", f"-I{include}"]
        ran = subprocess.run(
            [*words, *flags, "-o", output, tmp_path / "c.c"], capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stderr
        return output

    return compiled


def scenario(kind: str, **controller: object) -> el.Scenario:
    import tomllib

    table = tomllib.loads(TOML)
    table["flow"][0]["controller"] = {"kind": kind, **controller}
    return el.Scenario(table)


CASES: dict[str, dict[str, Any]] = {
    "sack": {},
    "no sack": {"tcp": {"sack": False}},
    "F-RTO": {"tcp": {"frto": True}},
    "paced": {"tcp": {"pacing": True}},
    "bursts": {"application": {"kind": "bursts", "bytes": "300 kB", "every": "1 s"}},
    "marks": {"ecn": True},
}


def told(kind: str, case: dict[str, Any]) -> dict[str, Any]:
    """Everything in the result but the name, and all packets."""
    import tomllib

    table = tomllib.loads(TOML)
    flow = table["flow"][0]
    flow["tcp"] = case.get("tcp", {})
    if "application" in case:
        flow["application"] = case["application"]
    if "ecn" in case:
        flow["tcp"] = {"ecn": True}
        table["link"][0]["queue"] = {"kind": "codel", "limit": "100 packets", "ecn": True}
    flow["controller"] = {"kind": kind}
    result = el.Scenario(table).run(log=True)
    document = result.to_dict()
    for field in ("cost", "scenario_sha256"):
        document.pop(field)
    assert document["flows"][0].pop("controller") == kind
    assert document["flows"][0]["retransmits"] > 0
    return {**document, "packets": result.run.log(), "series": result.run.series()}


@needs_cargo
@pytest.mark.parametrize("name", CASES)
def test_a_crate_from_new_controller_sends_the_packets_of_its_twin(rust, name):
    load(str(rust))
    assert told("my-aimd", CASES[name]) == told("newreno", CASES[name])


@pytest.mark.parametrize("name", CASES)
def test_a_wasm_module_sends_the_packets_of_its_twin(tmp_path, name):
    (tmp_path / "m.wasm").write_bytes(newreno())
    el.load_controllers(tmp_path / "m.wasm")
    assert told("wasm-newreno", CASES[name]) == told("newreno", CASES[name])


@needs_cargo
def test_a_panic_ends_its_flow_alone(eddyline, rust, tmp_path):
    (tmp_path / "s.toml").write_text(TOML.replace('"newreno"', '"my-aimd"'))
    args = (
        "sweep",
        "s.toml",
        "--controllers",
        rust,
        "--vary",
        "flow.f.controller.breaks_at=1 s,1 h,2 h",
        "--out",
        "grid",
    )
    ran = eddyline(*args, "--workers", 2, "--json")
    assert ran.code == 1, ran.err
    summary = json.loads(ran.out)
    assert (summary["done"], summary["failed"]) == (2, 1)
    why = summary["failures"][0]["why"]
    assert why.startswith("controller 'my-aimd': on_loss panicked: broken (src/lib.rs:")
    ran = eddyline("run", "s.toml", "--controllers", rust, "--set", "flow.f.controller.breaks_at=1 s")
    assert ran.code == 1
    assert ran.err.splitlines()[-1] == f"error: {why}"
    assert "thread" not in ran.err, "the panic's own message"
    assert "goodput" in ran.out


@needs_cargo
def test_parameters_are_checked_and_canonical(rust):
    load(str(rust))
    first, second = (scenario("my-aimd", breaks_at=text) for text in ("60 s", "1 min"))
    assert first.canonical == second.canonical
    assert json.loads(first.canonical)["flow"][0]["controller"] == {
        "kind": "my-aimd",
        "breaks_at": json.loads(scenario("my-aimd", breaks_at="60 s").canonical)["flow"][0]["controller"]["breaks_at"],
        "decrease": 0.5,
        "increase": 1.0,
    }
    for wrong, said in (
        ({"decrease": 1.5}, "1.5"),
        ({"breaks_at": 3}, "bare number"),
        ({"incraese": 1.0}, "did you mean increase"),
    ):
        with pytest.raises(el.ScenarioError, match=said):
            scenario("my-aimd", **wrong)


@needs_cargo
def test_a_gauntlet_test_and_an_experiment_run_with_it(eddyline, rust):
    def card(*args: object) -> list[Any]:
        ran = eddyline("gauntlet", "--only", "two-way", "--seeds", 1, "--json", "--controller", *args)
        return [(t["name"], t["passed"], t.get("value")) for t in json.loads(ran.out)["tests"]]

    assert card("my-aimd", "--controllers", rust) == card("newreno")


@needs_cc
def test_a_library_in_c(compiled):
    """It reads its parameter, and paces."""
    load(str(compiled(WINDOW=40)))
    for pause, packets in (({}, 200), ({"pause": "20 ms"}, 50)):
        lossless = el.Scenario(scenario("c-fixed", **pause).to_dict(), set={"link.down.loss": "0"})
        sent = lossless.run().to_dict()["counters"]["data_packets_delivered"]
        assert sent == pytest.approx(packets * 10, abs=20)  # in 10 s, but the handshake's


@needs_cc
@pytest.mark.parametrize(
    ("definitions", "said"),
    [
        ({"LOSS": "EDDYLINE_FAILED"}, "controller 'c-fixed': on_loss had enough"),
        (
            {"LOSS": "(out->window = 0.5, 0)"},
            "controller 'c-fixed': on_loss returned window = 0.5; a finite number of packets",
        ),
        (
            {"LOSS": "(out->flight_limits[1] = 0, 0)"},
            "controller 'c-fixed': on_loss returned flight_limit = 0; a finite",
        ),
        ({"WINDOW": "EDDYLINE_NAN"}, "controller 'c-fixed': new returned window = NaN; a finite number of packets"),
    ],
)
def test_a_flow_ends_at_what_a_library_does_wrong(compiled, definitions, said):
    load(str(compiled(**definitions)))
    with pytest.raises(el.ControllerError) as raised:
        scenario("c-fixed").run()
    assert str(raised.value).startswith(said)


@needs_cc
def test_files_that_are_refused(eddyline, compiled, tmp_path):
    (tmp_path / "s.toml").write_text(TOML)
    for name in ("text.so", "text.wasm"):
        (tmp_path / name).write_text("no library")
    (tmp_path / "import.wasm").write_bytes(newreno(imports=True))
    (tmp_path / "old.wasm").write_bytes(newreno(version=0))
    (tmp_path / "cut.wasm").write_bytes(newreno()[:100])
    whole = compiled().read_bytes()
    for name, part in (("half.so", 2), ("quarter.so", 4)):
        (tmp_path / name).write_bytes(whole[: len(whole) // part])
    version = "the controller interface, this Eddyline has version 1; build it again"
    for file, said in (
        (compiled(VERSION=7), f"is built for version 7 of {version}"),
        (compiled(NO_TIMEOUT=1), "exports no controller: it has no function eddyline_on_timeout"),
        (compiled(NAME='"reno"'), "there is a controller called"),
        (compiled(NAME='"\\\\"'), "its description is not valid: "),
        (tmp_path / "old.wasm", f"is built for version 0 of {version}"),
        (tmp_path / "text.so", "text.so: cannot be loaded: "),
        (tmp_path / "text.wasm", "text.wasm: cannot be loaded: it is not a WebAssembly module"),
        (tmp_path / "none.so", "none.so: cannot be read: no such file or directory"),
        (tmp_path / "import.wasm", "import.wasm: cannot be loaded: it imports env.clock; a controller has no imports"),
        (tmp_path / "cut.wasm", "cut.wasm: cannot be loaded: "),
        # the system's loader would map what is missing, and the process would end with a signal
        (tmp_path / "half.so", "half.so: cannot be loaded: it is "),
        (tmp_path / "quarter.so", "quarter.so: cannot be loaded: it is "),
    ):
        ran = eddyline("run", "s.toml", "--controllers", file)
        assert (ran.code, ran.out) == (2, ""), ran.err
        assert said in ran.err
        assert len(ran.err.splitlines()) == 1, ran.err


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("loop br 0 end unreachable", "did not return within 10000000 instructions"),
        ("i32.const 1000 memory.grow drop i32.const 0", "asked for more than 16 MiB of memory"),
        ("unreachable", "trapped: "),
        ("i32.const -8 f64.load 0 drop i32.const 0", "trapped: "),
        ("i32.const 1", "failed without saying why"),
    ],
    ids=["endless", "memory", "trap", "bounds", "fails"],
)
def test_what_a_wasm_module_does_wrong_ends_its_flow_alone(eddyline, tmp_path, body, said):
    (tmp_path / "good.wasm").write_bytes(newreno("good"))
    (tmp_path / "bad.wasm").write_bytes(newreno("bad", on_loss=body))
    (tmp_path / "s.toml").write_text(TOML)
    args = (
        "sweep",
        "s.toml",
        "--controllers",
        "good.wasm",
        "--controllers",
        "bad.wasm",
        "--out",
        "grid",
        "--workers",
        1,
    )
    ran = eddyline(*args, "--vary", "flow.f.controller.kind=bad,good", "--json")
    assert ran.code == 1, ran.err
    summary = json.loads(ran.out)
    assert (summary["done"], summary["failed"]) == (1, 1)
    assert summary["failures"][0]["why"].startswith(f"controller 'bad': on_loss {said}")


PAIR = (
    TOML
    + """
[[flow]]
name = "other"
controller = { kind = "reno" }
data = ["down"]
ack = ["up"]
start = "10 ms"
"""
)


def test_failures_of_seeds_keep_their_results(eddyline, tmp_path):
    (tmp_path / "bad.wasm").write_bytes(newreno("bad", on_loss="loop br 0 end unreachable"))
    (tmp_path / "s.toml").write_text(PAIR.replace("[[flow]]", "[[flow]]\nstart_jitter = '50 ms'", 1))
    args = ("s.toml", "--controllers", "bad.wasm", "--set", "flow.f.controller.kind=bad", "--seeds", 2)
    ran = eddyline("run", *args, "--json", "--out", "kept", figures=False)
    assert ran.code == 1, ran.err
    document = json.loads(ran.out)
    assert [len(document[key]) for key in ("runs", "failed")] == [2, 2]
    for run, failed in zip(document["runs"], document["failed"], strict=True):
        bad, other = run["flows"]
        assert bad["failure"] in failed["error"]
        assert other["goodput_bps"] > 0
    assert [line.partition(": controller")[0] for line in ran.err.splitlines() if line.startswith("failed")] == [
        "failed: world sim, seed 3",
        "failed: world sim, seed 4",
    ]
    assert eddyline("verify", "kept", "--controllers", "bad.wasm").code == 0
    assert "2 runs, of which 2 failed: mean" in eddyline("run", *args).out


LATE = """
import eddyline as el

@el.register("late")
class Late:
    def __init__(self, path):
        self.cwnd, self.acks = 4.0, 0

    def on_ack(self, ack):
        self.acks += 1
        if self.acks == 1 and ack.now > 0.13:
            raise ValueError("too late")

    def on_loss(self, loss):
        pass

    def on_timeout(self, timeout):
        pass
"""


def test_seeds_that_failed_in_either_way_are_verified(eddyline, tmp_path):
    """A library's flow fails in each, and a Python controller ends the runs in which it starts late."""
    (tmp_path / "bad.wasm").write_bytes(newreno("bad", on_loss="loop br 0 end unreachable"))
    (tmp_path / "late.py").write_text(LATE)
    pair = PAIR.replace('start = "10 ms"', 'start_jitter = "50 ms"').replace('"reno"', '"late"')
    (tmp_path / "s.toml").write_text(pair)
    files = ("--controllers", "bad.wasm", "--controllers", "late.py")
    ran = eddyline(
        "run", "s.toml", *files, "--set", "flow.f.controller.kind=bad", "--seeds", 6, "--json", "--out", "kept"
    )
    document = json.loads(ran.out)
    seeds = [run["seed"] for run in document["runs"]]
    assert seeds == [4, 5, 6, 7]  # so that one list after the other is not in the order of the run
    assert [failed["seed"] for failed in document["failed"]] == [3, 4, 5, 6, 7, 8]
    assert eddyline("verify", "kept", *files).out.startswith("same: kept")


@pytest.mark.parametrize("world", ["sim", "quic"])
def test_a_failure_stops_its_flow_alone(eddyline, tmp_path, world):
    """The others get what it leaves, the result says why, and the stored run can be verified."""
    (tmp_path / "bad.wasm").write_bytes(newreno("bad", on_loss="loop br 0 end unreachable"))
    (tmp_path / "s.toml").write_text(PAIR)
    args = ("--controllers", "bad.wasm", "--world", world)
    ran = eddyline(
        "run", "s.toml", *args, "--set", "flow.f.controller.kind=bad", "--json", "--out", "kept", figures=False
    )
    assert ran.code == 1, ran.err
    bad, other = json.loads(ran.out)["flows"]
    assert bad["failure"].startswith("on_loss did not return within 10000000 instructions, at ")
    assert ran.err.splitlines()[-1] == f"error: controller 'bad': {bad['failure']}; 'f' sent nothing new after that"
    assert "failure" not in other
    number, unit = bad["failure"].rpartition(" at ")[2].split()
    at_s = float(number) * {"us": 1e-6, "ms": 1e-3, "s": 1.0}[unit]
    # nothing but what was in flight then
    assert bad["delivered_bytes"] < 10e6 / 8 * (at_s + 0.5)
    alone = eddyline("run", "s.toml", "--world", world, "--set", "flow.f.count=0", "--json")
    (expected,) = json.loads(alone.out)["flows"]
    assert other["goodput_bps"] > 0.6 * expected["goodput_bps"]
    assert eddyline("verify", "kept", *args[:2]).code == 0


def test_the_first_failure_of_dynamic_flows_is_in_their_result(tmp_path):
    (tmp_path / "bad.wasm").write_bytes(newreno("bad", on_loss="unreachable"))
    load(str(tmp_path / "bad.wasm"))
    arrivals = {"name": "files", "rate": "5 /s", "size": {"kind": "fixed", "size": "500 kB"}, "data": ["down"]}
    tables = scenario("newreno").to_dict()
    tables["arrivals"] = [arrivals | {"ack": ["up"], "controller": {"kind": "bad"}}]
    with pytest.raises(el.ControllerError, match="'files' sent nothing new") as raised:
        el.Scenario(tables).run()
    document = raised.value.result.to_dict()
    assert document["arrivals"][0]["failure"].startswith("on_loss trapped: ")
    assert "failure" not in document["flows"][0]
    assert document["flows"][0]["goodput_bps"] > 1e6


def test_a_memory_that_is_too_large_from_the_start_is_refused(tmp_path):
    content = newreno().replace(b"\x05\x03\x01\x00\x01", b"\x05\x04\x01\x00\x80\x08")  # 1,024 pages
    assert len(content) == len(newreno()) + 1
    (tmp_path / "m.wasm").write_bytes(content)
    with pytest.raises(el.InputError, match="cannot be loaded"):
        load(str(tmp_path / "m.wasm"))


def test_a_sweep_notices_another_module_by_the_same_name(eddyline, tmp_path):
    (tmp_path / "s.toml").write_text(TOML.replace('"newreno"', '"wasm-newreno"'))
    (tmp_path / "m.wasm").write_bytes(newreno())
    args = ("sweep", "s.toml", "--controllers", "m.wasm", "--vary", "seed=1,2", "--out", "grid", "--workers", 1)
    assert eddyline(*args).code == 0
    (tmp_path / "m.wasm").write_bytes(newreno(on_recovered="local.get 2 call decide i32.const 0"))
    ran = eddyline(*args)
    assert ran.code == 2
    assert "the code of controller wasm-newreno has changed" in ran.err


def test_other_machines_get_a_copy_and_remove_it(tmp_path, monkeypatch):
    from eddyline.controllers import transfer

    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    registered = []
    monkeypatch.setattr(transfer, "register_plugin", lambda file: registered.append(file) or register_plugin(file))
    (tmp_path / "m.wasm").write_bytes(newreno())
    load(str(tmp_path / "m.wasm"))
    (sent,) = transfer.origins([TOML.replace("newreno", "wasm-newreno")])
    assert transfer.origins([TOML]) == ()
    el.unregister("wasm-newreno")
    (tmp_path / "m.wasm").unlink()
    transfer.restore([sent])
    transfer.restore([sent])  # as for each point of a sweep
    assert [file.name for file in registered] == ["m.wasm"]
    assert not list(temporary.iterdir())
    assert scenario("wasm-newreno").run().flows["goodput_bps"].iloc[0] > 1e6


def test_new_controller_in_python_is_newreno(eddyline, tmp_path):
    made = eddyline("new-controller", "my-law", "--python")
    assert made.code == 0, made.err
    assert made.err == "wrote my-law; next: cd my-law && eddyline run scenario.toml --controllers my_law.py\n"
    load(str(tmp_path / "my-law" / "my_law.py"))
    assert told("my-law", CASES["sack"]) == told("newreno", CASES["sack"])
    assert eddyline("run", "scenario.toml", "--controllers", "my_law.py", "--json", cwd=tmp_path / "my-law").code == 0
    el.unregister("my-law")
