"""User controllers on the command line, and in the processes of sweeps."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import COMMAND, environment, heed

import eddyline as el

from .conftest import RENO

SHY = '''\
"""A controller that breaks on request."""
import random
import time

import eddyline as el


@el.register("shy", source="nobody")
class Shy:
    """Keeps its window until it breaks.

    More about it.
    """

    def __init__(self, path, after: el.Duration = 1e6, odds=0.0, slow: bool = False):
        self.cwnd = path.initial_window
        self.after, self.slow = after, slow
        self.breaks = path.mss > 0 and odds > 0.5

    def on_ack(self, ack):
        if self.slow:
            time.sleep(0.001)
        if ack.now > self.after:
            self.fall()

    def fall(self):
        return 1 / 0

    def on_loss(self, loss):
        if loss.now > 1.0:
            self.fall()

    def on_timeout(self, timeout):
        pass
'''

TOML = """\
duration = "3 s"

[[link]]
name = "down"
rate = "10 Mbit/s"
delay = "10 ms"
loss = 0.0

[[link]]
name = "up"
rate = "10 Mbit/s"
delay = "10 ms"

[[flow]]
name = "f"
controller = { kind = "shy" }
data = ["down"]
ack = ["up"]

[[expect]]
of = "flow.f"
what = "retransmits"
at_most = 0
"""


@pytest.fixture
def shy(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "shy.py").write_text(SHY)
    (tmp_path / "shy.toml").write_text(TOML)
    return tmp_path / "shy.toml", tmp_path / "shy.py"


AFTER = ("--set", "flow.f.controller.after=2 s")


def test_a_file_is_loaded(eddyline, shy):
    scenario, file = shy
    assert eddyline("run", scenario).code == 2
    ran = eddyline("run", scenario, "--controllers", file, "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["flows"][0]["controller"] == "shy"


@pytest.mark.parametrize("what", ["shy.py", "shy", "shy:Shy", "shy.py:Shy", "./shy.py"])
def test_ways_to_name_it(eddyline, shy, what):
    ran = eddyline("run", shy[0].name, "--controllers", what, "--quiet", "--no-progress")
    assert ran.code == 0, ran.err


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("", "--controllers names nothing"),
        ("nobody.py", "nobody.py: cannot be read: no such file or directory"),
        ("nobody", "there is no module 'nobody'"),
        ("./mine", "./mine: neither a module nor a file in Python or compiled\nhint: --controllers takes"),
        ("./broken", "./broken: neither a module nor a file in Python or compiled\nhint: --controllers broken.py"),
        ("..", "..: a folder\nhint: --controllers takes"),
        ("shy:Bold", "shy:Bold: shy has no class 'Bold'\nhint: it has Shy"),
        ("empty.py", "empty.py: registers no controller"),
        ("broken.py", "broken.py: cannot be loaded\nTraceback (most recent call last):\n  File"),
        ("crooked.py", "SyntaxError"),
        ("bad.py", "bad.py: Bad has no on_timeout"),
    ],
)
def test_a_file_that_cannot_be_loaded_is_invalid_input(eddyline, shy, tmp_path, what, told):
    (tmp_path / "empty.py").write_text("x = 1\n")
    (tmp_path / "broken.py").write_text("import math\nmath.sqrt(-1)\n")
    (tmp_path / "crooked.py").write_text("def f(:\n")
    bad = "import eddyline as el\nclass Bad:\n  def on_ack(s, a): pass\n  on_loss = on_ack\nel.register('bad', Bad)\n"
    (tmp_path / "bad.py").write_text(bad)
    ran = eddyline("run", shy[0].name, "--controllers", what)
    assert ran.code == 2
    assert told in ran.err
    assert "eddyline/controllers" not in ran.err, "none of our own frames"


MOVES = """
import os
import shutil
import eddyline as el

@el.register("moves")
class Moves(el.Controller):
    def __init__(self, path: el.PathFacts):
        self.cwnd = 10.0
        os.chdir(os.environ["MOVED"])

    on_ack = on_loss = on_timeout = lambda self, event: None
"""


@pytest.mark.parametrize(
    ("words", "made"),
    [
        (("run", "shy.toml", "--out", "o", "--plot", "p.png", "--log", "l.txt"), {"o", "p.png", "l.txt"}),
        (("run", "shy.toml", "--out", "o", "--csv", "--seeds", "2"), {"o"}),
        (("check", "shy.toml", "--junit", "j.xml", "--markdown", "m.md"), {"j.xml", "m.md"}),
        (("gauntlet", *("--only", "crowded-acks", "--seeds", "1", "--jobs", "1", "--junit", "j.xml")), {"j.xml"}),
        (("gauntlet", *("--only", "crowded-acks", "--seeds", "1", "--out", "g", "--markdown", "m.md")), {"g", "m.md"}),
        (("evaluate", "moves", "--only", "trace", "--quick", "--jobs", "1", "--out", "e"), {"e"}),
    ],
)
def test_outputs_are_where_the_command_was_given(eddyline, shy, tmp_path, monkeypatch, words, made):
    (tmp_path / "moves.py").write_text(MOVES)
    (tmp_path / "away").mkdir()
    monkeypatch.setenv("MOVED", str(tmp_path / "away"))
    shy[0].write_text(TOML.replace("shy", "moves"))
    own = ("--controller", "moves") if words[0] == "gauntlet" else ()
    before = {p.name for p in tmp_path.iterdir()} - {"away"}
    ran = eddyline(*words, *own, "--controllers", "moves.py", "-q")
    assert ran.code in (0, 1), ran.err  # what the controller makes of the tests is no matter
    assert ({p.name for p in tmp_path.iterdir()} - {"away"}) - before - {"__pycache__"} == made
    assert not list((tmp_path / "away").iterdir())


KEEPS = """
import os
import shutil


class Held:
    def __init__(self):
        self.me = self  # only a search for garbage finds it

    def __del__(self):
        os.write(2, b"collected\\n")


held = Held()
"""


@pytest.mark.parametrize("loaded", ["kept.py", "kept", "kept:Shy", "broken.py"])
def test_what_it_loads_is_collected_at_the_exit(installed, shy, tmp_path, loaded):
    (tmp_path / "kept.py").write_text(SHY + KEEPS)
    (tmp_path / "broken.py").write_text("import kept\n1 / 0\n")
    ran = installed("run", shy[0].name, "--controllers", loaded, "--quiet")
    assert ran.code == (2 if loaded == "broken.py" else 0)
    assert ran.err.endswith("collected\n"), "libraries such as nanobind write about every object that is left"


def test_an_error_shows_the_controllers_traceback(eddyline, shy):
    ran = eddyline("run", shy[0].name, "--controllers", "shy.py", *AFTER, "--out", "kept", figures=False)
    assert ran.code == 1
    said = [line for line in ran.err.splitlines() if set(line) - set(" ~^")]
    assert said == [
        "Traceback (most recent call last):",
        f'  File "{shy[1]}", line 24, in on_ack',
        "    self.fall()",
        f'  File "{shy[1]}", line 27, in fall',
        "    return 1 / 0",
        "ZeroDivisionError: division by zero",
        "error: controller 'shy': Shy.on_ack raised ZeroDivisionError: division by zero",
    ]
    assert not ran.out
    assert not (shy[0].parent / "kept").exists()


def test_parameters_are_checked_like_any_others(eddyline, shy):
    ran = eddyline("run", shy[0].name, "--controllers", "shy.py", "--set", "flow.f.controller.after=2")
    assert ran.code == 2
    assert "flow.f.controller.after: 2 is a bare number; a time needs a unit" in ran.err
    ran = eddyline("run", shy[0].name, "--controllers", "shy.py", "--set", "flow.f.controller.afetr=2 s")
    assert ran.code == 2
    assert "unknown key; one of after, kind, odds, slow\n  hint: did you mean after?" in ran.err


def test_other_seeds_are_kept(eddyline, shy):
    """At loss 2e-4 some of the seeds lose a packet after the first second, and break."""
    args = ("--set", "link.down.loss=0.0002", "--seeds", 8, "--controllers", "shy.py", "--json")
    ran = eddyline("run", shy[0].name, *args)
    assert ran.code == 1, ran.err
    document = json.loads(ran.out)
    failed = {f["seed"] for f in document["failed"]}
    assert 0 < len(failed) < 8
    assert {r["seed"] for r in document["runs"]} == set(range(8)) - failed
    assert document["summary"]["n"] == 8 - len(failed)
    assert ran.err.count("Traceback") == len(failed)
    assert all(f"failed: world sim, seed {seed}: controller 'shy': Shy.on_loss raised" in ran.err for seed in failed)


def test_the_result_of_the_other_world_is_kept(eddyline, shy):
    ran = eddyline("run", shy[0].name, "--controllers", "shy.py", *AFTER, "--world", "all", "--json")
    assert ran.code == 1
    worlds = {part["world"]: part for part in json.loads(ran.out)}
    assert worlds["theory"]["flows"][0]["controller"] == "shy"
    assert worlds["sim"]["failed"] == [
        {"seed": 0, "error": "controller 'shy': Shy.on_ack raised ZeroDivisionError: division by zero"}
    ]


def test_the_other_files_expectations_are_kept(eddyline, shy, tmp_path):
    (tmp_path / "late.toml").write_text(TOML.replace('"shy" }', '"shy", after = "2 s" }'))
    words = ("check", "late.toml", "shy.toml", "--controllers", "shy.py")
    ran = eddyline(*words, "--json", "--junit", "out.xml")
    assert ran.code == 1
    document = json.loads(ran.out)
    assert document["held"] == 1
    assert [error["file"] for error in document["errors"]] == ["late.toml"]
    assert "ZeroDivisionError" in document["errors"][0]["why"]
    assert "ZeroDivisionError" in ran.err
    assert "failed: late.toml: controller 'shy'" in ran.err
    assert '<error message="controller &apos;shy&apos;: Shy.on_ack raised' in (
        tmp_path / "out.xml"
    ).read_text().replace("'", "&apos;")
    assert "1 held, 0 failed, 1 file could not be run to the end\n" in eddyline(*words, "--markdown", "out.md").out
    _, _, late, shy_row = (tmp_path / "out.md").read_text().splitlines()
    assert late.startswith(
        "| late.toml |  |  |  |  | controller shy, world sim | **error** | controller 'shy': Shy.on_ack raised Zero"
    )
    assert shy_row.startswith("| shy.toml | flow.f |")


def test_sweeps_load_the_controller_and_keep_the_other_points(eddyline, shy, tmp_path):
    """The worker processes start in another folder, and get the path of the file."""
    args = ("sweep", shy[0].name, "--controllers", "shy.py", "--vary", "flow.f.controller.after=2 s,20 s,30 s")
    ran = eddyline(*args, "--workers", 2, "--out", "grid", "--json")
    assert ran.code == 1, ran.err
    summary = json.loads(ran.out)
    assert (summary["done"], summary["failed"]) == (2, 1)
    assert summary["failures"][0]["set"]["flow.f.controller.after"] == "2 s"
    assert "line 27, in fall" in summary["failures"][0]["why"]
    with pytest.warns(UserWarning, match="1 of 3 points failed"):
        assert el.read_sweep(tmp_path / "grid")["controller"].tolist() == ["shy", "shy"]
    # with the corrected file it is another sweep
    shy[1].write_text(SHY.replace("1 / 0", "1 / 2"))
    ran = eddyline(*args, "--workers", 2, "--out", "grid")
    assert ran.code == 2
    assert "the code of controller shy has changed" in ran.err


def test_sweeps_in_python_find_classes_of_modules(tmp_path, monkeypatch):
    """Registered by a call, under a name that is not in the module."""
    package = tmp_path / "mine"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "parts.py").write_text("START = 8.0\n")
    (package / "laws.py").write_text(
        "from mine.parts import START\n"
        "class Law:\n"
        "    def __init__(self, path): self.cwnd = START\n"
        "    def on_ack(self, ack): pass\n"
        "    on_loss = on_timeout = on_ack\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import mine.laws

    el.register("law", mine.laws.Law)
    (tmp_path / "s.toml").write_text(TOML.replace("shy", "law"))
    swept = el.sweep(
        tmp_path / "s.toml", {"link.down.rate": ["5 Mbit/s", "10 Mbit/s"]}, out=tmp_path / "grid", workers=1
    )
    assert not swept.failures
    assert swept.flows["window_packets.max"].tolist() == [10, 10]  # before the handshake: the initial window
    assert swept.flows["window_packets.min"].tolist() == [8, 8]


def inner(**attributes: object) -> type:
    class Inner:
        def __init__(self, path: el.PathFacts, window: el.Packets = 1.0) -> None:
            self.cwnd = window

        def on_ack(self, ack: object) -> None:
            pass

        on_loss = on_timeout = on_ack

    for name, value in attributes.items():
        setattr(Inner, name, value)
    return Inner


def test_sweeps_send_classes_defined_in_a_function(tmp_path):
    el.register("inner", inner())
    (tmp_path / "s.toml").write_text(TOML.replace("shy", "inner"))
    vary = {"flow.f.controller.window": ["3 packets", "7 packets"]}
    swept = el.sweep(tmp_path / "s.toml", vary, out=tmp_path / "grid", workers=2)
    assert not swept.failures
    assert swept.flows["window_packets.min"].tolist() == [3, 7]


def test_sweeps_take_the_controllers_that_flows_have_and_no_others(tmp_path):
    """Those of flows that the first point leaves out too; a link's name is no controller's."""

    class Steady:
        def __init__(self, path):
            self.cwnd = 4.0

        def on_ack(self, ack):
            pass

        def on_loss(self, loss):
            pass

        def on_timeout(self, timeout):
            pass

    links = [{"name": name, "rate": "1 Mbit/s", "delay": "5 ms"} for name in ("steady", "back")]
    flow = {"name": "x", "controller": {"kind": "reno"}, "data": ["steady"], "ack": ["back"]}
    own = {**flow, "name": "y", "controller": {"kind": "steady"}, "count": 0}
    el.register("steady", Steady)
    try:
        unused = {"duration": "1 s", "link": links, "flow": [flow]}
        el.sweep(unused, {"duration": ["1 s", "2 s"]}, out=tmp_path / "unused", workers=1)
        assert "steady" not in json.loads((tmp_path / "unused" / "sweep.json").read_text()).get("controllers", {})
        used = {**unused, "flow": [flow, own]}
        swept = el.sweep(used, {"flow.y.count": [0, 1]}, out=tmp_path / "used", workers=1)
        assert (swept.done, swept.failures) == (2, [])
        assert "steady" in json.loads((tmp_path / "used" / "sweep.json").read_text())["controllers"]
    finally:
        el.unregister("steady")


def test_sweeps_report_what_cannot_be_pickled(tmp_path):
    import threading

    el.register("inner", inner(lock=threading.Lock()))
    (tmp_path / "s.toml").write_text(TOML.replace("shy", "inner"))
    with pytest.raises(el.InputError, match="cannot be sent to other processes: cannot pickle") as told:
        el.sweep(tmp_path / "s.toml", {"duration": ["1 s", "2 s"]}, out=tmp_path / "grid")
    assert told.value.hint == "put the class into a file and import it"
    assert not (tmp_path / "grid").exists()
    # a sweep that does not name it does not depend on it
    (tmp_path / "s.toml").write_text(TOML.replace("shy", "reno"))
    assert not el.sweep(tmp_path / "s.toml", {"duration": ["1 s", "2 s"]}, out=tmp_path / "grid", workers=1).failures


PROMPT = """\
from __future__ import annotations
import sys
import eddyline as el

GAIN = 1.0

def grown(window: float) -> float:
    return window + GAIN

class Typed:
    def __init__(self, path: el.PathFacts, start: el.Packets = 2.0) -> None:
        self.cwnd = start

    def on_round(self, round: el.Round) -> None:
        self.cwnd = grown(self.cwnd)

    def on_loss(self, loss: el.Loss) -> None:
        self.cwnd = 2.0

    on_timeout = on_loss

el.register("typed", Typed)
swept = el.sweep("s.toml", {"flow.f.controller.start": ["4 packets", "8 packets"]}, out="grid", workers=1)
print(swept.ran, len(swept.failures), *swept.flows["window_packets.min"])
"""


def test_sweeps_send_classes_typed_at_a_prompt(tmp_path):
    """In no file, with annotations that are texts, a global value and a function beside it."""
    (tmp_path / "s.toml").write_text(TOML.replace("shy", "typed"))

    def typed(text: str) -> subprocess.CompletedProcess[str]:
        args = [sys.executable, "-"]
        return subprocess.run(args, input=text, capture_output=True, text=True, cwd=tmp_path, check=False)

    first = typed(PROMPT)
    assert first.stdout.split() == ["2", "0", "4.0", "8.0"], first.stderr
    # another process, perhaps tomorrow: the class is known again
    assert typed(PROMPT).stdout.split() == ["0", "0", "4.0", "8.0"]
    for change in (
        ("GAIN = 1.0", "GAIN = 2.0"),
        ("window + GAIN", "window - GAIN"),
        ("self.cwnd = 2.0", "self.cwnd = 3.0"),
    ):
        changed = typed(PROMPT.replace(*change))
        assert "the code of controller typed has changed" in changed.stderr, change


def test_ctrl_c_is_handled_while_python_runs(shy):
    """A thousandth of a second for every ACK: minutes, unless Ctrl-C ends it."""
    args = [str(COMMAND), "run", str(shy[0]), "--controllers", str(shy[1])]
    args += ["--set", "flow.f.controller.slow=true", "--set", "duration=10 min"]
    pipe = subprocess.PIPE
    p = subprocess.Popen(args, stderr=pipe, stdout=pipe, text=True, env=environment(), preexec_fn=heed)
    time.sleep(2)
    os.kill(p.pid, signal.SIGINT)
    out, err = p.communicate(timeout=20)
    assert (p.returncode, out) == (130, "")
    assert err.strip().splitlines()[-1] == "interrupted"
    assert "Traceback" not in err


def test_the_list_and_the_schema_have_it(eddyline, shy):
    listed = json.loads(eddyline("list", "controllers", "--controllers", shy[1], "--json").out)["controllers"]
    assert listed[-1] == {"name": "shy", "summary": "Keeps its window until it breaks", "source": "nobody"}
    kinds = json.loads(eddyline("schema", "--controllers", shy[1]).out)["$defs"]["ControllerParams"]["oneOf"]
    assert kinds[-1]["properties"]["after"] == {"type": "string", "format": "time", "default": "1000000 s"}


def test_controllers_from_the_environment_variable(shy):
    args = [str(COMMAND), "run", str(shy[0]), "--json"]
    for value in (str(shy[1]), f"{RENO},{shy[1]}"):
        where = {**environment(), "EDDYLINE_CONTROLLERS": value}
        p = subprocess.run(args, capture_output=True, text=True, env=where, check=False)
        assert p.returncode == 0, p.stderr


def test_the_file_whose_controller_counts_is_said_where_two_have_it(eddyline, shy, tmp_path):
    path, first = shy
    second = tmp_path / "other" / first.name
    second.parent.mkdir()
    second.write_text(SHY)
    (tmp_path / "importing.py").write_text("import shy\n")
    said = f"note: controller shy is that of {second}, which replaces that of {first}\n"
    both = ["--controllers", str(first), "--controllers", str(second)]
    for more in ([], ["--json"]):
        assert eddyline("run", path, *both, *more, figures=False).err == said
    assert eddyline("run", path, *both, "--quiet", figures=False).err == ""
    assert "note:" not in eddyline("run", path, *both[:2], *both[:2], figures=False).err
    for listed, given in ((f"{first},{second}", []), (str(first), both[2:])):
        args = [str(COMMAND), "run", str(path), "--json", *given]
        where = {**environment(), "EDDYLINE_CONTROLLERS": listed}
        assert subprocess.run(args, capture_output=True, text=True, env=where, check=False).stderr == said
    args = [str(COMMAND), "run", str(path), "--json", *both[:2], "--controllers", "importing"]
    again = subprocess.run(args, capture_output=True, text=True, env=environment(), cwd=tmp_path, check=False)
    assert (again.returncode, again.stderr) == (0, "")  # the same file


def test_a_stored_result_is_verified_with_it(eddyline, shy):
    assert eddyline("run", shy[0].name, "--controllers", "shy.py", "--out", "kept", figures=False).code == 0
    assert eddyline("verify", "kept").code == 2
    ran = eddyline("verify", "kept", "--controllers", "shy.py")
    assert ran.code == 0, ran.out + ran.err


def test_the_examples_command_works(eddyline):
    upload = Path(RENO).parents[1] / "upload.toml"
    args = ("--controllers", RENO, "--set", "flow.*.controller.kind=my-newreno", "--json")
    ours = json.loads(eddyline("run", upload, *args).out)
    theirs = json.loads(eddyline("run", upload, "--set", "flow.*.controller.kind=newreno", "--json").out)
    assert [f["goodput_bps"] for f in ours["flows"]] == [f["goodput_bps"] for f in theirs["flows"]]


def test_the_document_is_true(eddyline, tmp_path):
    """The class of docs/guides/your-own-controller.md keeps the queueing delay that it says."""
    text = (RENO.parents[2] / "docs" / "guides" / "your-own-controller.md").read_text()
    code = text.partition("```python\n")[2].partition("```")[0]
    (tmp_path / "my.py").write_text(code)
    kind = text.partition("```toml\ncontroller = ")[2].partition("\n")[0]
    (tmp_path / "s.toml").write_text(TOML.replace('{ kind = "shy" }', kind).replace('"3 s"', '"20 s"\nwarmup = "10 s"'))
    ran = eddyline("run", "s.toml", "--controllers", "my.py", "--json")
    assert ran.code == 0, ran.err
    # 10 ms; the handshake's small packets make the least round trip 1.2 ms less than a full one
    assert json.loads(ran.out)["flows"][0]["queueing_delay_s"] == pytest.approx(0.010 - 0.0006, abs=0.0008)


def test_the_hint_for_an_unknown_controller(eddyline, shy):
    ran = eddyline("run", shy[0])
    assert ran.code == 2
    assert ran.err.endswith("hint: a controller of your own is loaded with --controllers FILE\n")


def test_python_says_how_to_open_what_has_a_controller_that_is_not_registered(eddyline, shy, tmp_path):
    out = tmp_path / "r"
    ran = eddyline("run", shy[0], "--controllers", shy[1], "--out", out, figures=False)
    assert ran.code == 0, ran.err
    if "shy" in el.registered():
        el.unregister("shy")
    for load in (
        lambda folder: el.open(folder).scenario.run(),
        lambda folder: el.Result.load(folder).scenario.run(),
        lambda folder: el.Scenario.load(folder / "scenario.json"),
    ):
        with pytest.raises(el.ScenarioError, match="unknown kind") as told:
            load(out)
        ways = "import its module, el.register(NAME, CLASS), or el.load_controllers(FILE)"
        hint = f"a controller of your own is registered first: {ways}"
        assert (told.value.hint, told.value.__notes__) == (hint, [f"hint: {hint}"])
    (tmp_path / "near.toml").write_text(TOML.replace('"shy"', '"cubix"'))
    with pytest.raises(el.ScenarioError, match="cubic") as told:
        el.open(tmp_path / "near.toml")
    assert told.value.hint is None


def test_theory_takes_the_option(eddyline, shy):
    ran = eddyline("theory", "equilibrium", shy[0], "--controllers", shy[1])
    assert "unknown kind" not in ran.err


def test_the_gauntlet_runs_it(eddyline):
    """Word for word the built-in one's scorecard."""
    args = ("gauntlet", "--controllers", RENO, "--only", "two-way", "--seeds", 1, "--json", "--controller")
    ours, theirs = (json.loads(eddyline(*args, kind).out) for kind in ("my-newreno", "newreno"))
    assert ours["passed"] == len(ours["tests"]) == 6
    assert [(t["name"], t["value"]) for t in ours["tests"]] == [(t["name"], t["value"]) for t in theirs["tests"]]


def test_the_gauntlet_continues_after_the_error(eddyline, shy):
    args = ("--controllers", shy[1], "--controller", "shy", "--set", "after=5 s", "--only", "two-way", "--seeds", 1)
    ran = eddyline("gauntlet", *args, "--json")
    assert ran.code == 1
    tests = json.loads(ran.out)["tests"]
    assert len(tests) == 6
    assert all("ZeroDivisionError" in t["error"] for t in tests if not t["passed"])
    assert not any(t["passed"] for t in tests)
    assert "line 27, in fall" in ran.err
    assert ran.err.count("Traceback") <= 2, "each once"
