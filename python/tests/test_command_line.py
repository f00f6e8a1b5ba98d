"""Help, errors, streams and exit codes of the command."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner
from conftest import COMMAND, environment
from documented_commands import COMMANDS as DOCUMENTED
from documented_commands import Need, need_of

from eddyline import _core
from eddyline.cli.entry import COMMANDS, command_line
from eddyline.cli.theory import QUESTIONS


def test_help_teaches(installed):
    ran = installed("--help")
    assert ran.code == 0
    assert ran.err == ""
    for name in COMMANDS:
        assert f"  {name} " in ran.out
    assert "eddyline run two-way.toml --world all" in ran.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(installed, name):
    ran = installed(name, "--help")
    assert ran.code == 0
    assert ran.out.startswith(f"Usage: eddyline {name}")
    assert "\\b" not in ran.out
    assert ran.err == ""


def test_version(eddyline):
    assert eddyline("--version").out == f"eddyline {_core.VERSION}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rnu"], "did you mean run?"),
        (["run"], "FILE"),
        (["run", "x.toml", "--worlds", "sim"], "--worlds"),
        (["run", "x.toml", "--world", "moon"], "moon"),
        (
            ["run", "x.toml", "--world", "simm"],
            "'--world': 'simm' is not one of 'theory', 'sim',",
        ),
        (["run", "x.toml", "--world", "simm"], "Did you mean sim?"),
        (["sweep", "x.toml", "--vary", "seed=1", "--out", "g", "--world", "theroy"], "Did you mean theory?"),
        (["init", "--preset", "adls2+"], "--preset adls2+: there is no such preset\nhint: did you mean adsl2+?"),
        (["theory", "equilibrum"], "there is no question 'equilibrum'; did you mean equilibrium?"),
        (["theory", "stability", "x.toml", "--link-model", "integratr"], "Did you mean integrator?"),
        (["theory", "stability", "x.toml", "--law", "equatoin"], "Did you mean equation?"),
        (["theory", "dynamics", "x.toml", "--link-model", "ack-clocked"], "Did you mean ack_clocked?"),
        (["theory", "map", "x.toml", "--x", "a=1", "--y", "b=1", "--show", "botleneck"], "Did you mean bottleneck?"),
        (["theory", "response", "cubik", "--loss", "1 %", "--rtt", "1 s"], "Did you mean cubic?"),
        (["theory", "fairness", "x.toml", "--exponnt", "2"], "--exponent"),
        (["list", "presetss"], "Did you mean presets?"),
        (["completion", "bsh"], "Did you mean bash?"),
        (
            ["advise", "--down", "1 Mbit/s", "--up", "1 Mbit/s", "--rtt", "1 s", "--controller", "cubik"],
            "--controller cubik: there is no such controller\nhint: did you mean cubic?",
        ),
        (["advise", "--down", "1MB/s", "--up", "1 Mbit/s", "--rtt", "1 s"], 'down "1MB/s": unknown unit'),
        (
            ["gauntlet", "--controller", "foo"],
            "--controller foo: there is no such controller\nhint: controllers are",
        ),
        (
            ["gauntlet", "--controller", "reno", "--against", "cubic,vgas"],
            "--against vgas: there is no such controller",
        ),
        (["gauntlet", "--controller", "cubic", "--set", "bet=3"], "error: --set bet=3: unknown key; one of beta,"),
        (
            ["gauntlet", "--controller", "cubic", "--set", "controller.beta=0.7"],
            "profile, slow_start\n  hint: did you mean beta?",
        ),
        (
            ["gauntlet", "--controller", "cubic", "--set", "tcp.pacing=true"],
            "profile, slow_start\n  hint: --set takes parameters of the controller only",
        ),
        (
            ["gauntlet", "--controller", "cubic", "--why", "two-way"],
            "--why two-way: this is a group of tests, one of them is needed\nhint: they are ",
        ),
        (["gauntlet", "--controller", "cubic", "--set", "kind=reno"], "kind is the controller"),
        (["run", "x.toml", "--seeds", "0"], "0"),
        (["run", "x.toml", "--set", "duration"], "KEY=VALUE"),
        (["run", "x.toml", "--log-of", "a"], "--log FILE"),
        (["run", "x.toml", "--plot", "a.bmp"], ".png"),
        (["run", "x.toml"], "x.toml"),
        (["run", "."], "."),
        (["check", "x.toml"], "x.toml"),
        (["verify", "nowhere"], "nowhere"),
        (["init", "a.json"], ".toml"),
        (["init", f"{'a' * 300}.toml"], "file name too long"),
        (["init", "--preset", "carrier-pigeon"], "adsl2+"),
        (["reproduce", "no-such-paper"], "no-such-paper"),
    ],
)
def test_wrong_usage_is_exit_2_with_a_message_and_nothing_else(eddyline, tmp_path, words, said):
    ran = eddyline(*words)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("error: ")
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert list(tmp_path.iterdir()) == []


def test_without_a_command_help_goes_to_standard_error(installed):
    ran = installed()
    assert (ran.code, ran.out) == (2, "")
    assert "Commands:" in ran.err


def test_a_world_that_is_not_here_is_exit_3_with_reason_and_remedy(eddyline, scenario):
    ran = eddyline("run", scenario(), "--world", "kernel", "--json")
    assert (ran.code, ran.out) == (3, "")
    assert "error: world kernel: " in ran.err
    assert "\nhint: " in ran.err


def test_every_mistake_is_named_with_its_line(eddyline, scenario, tmp_path):
    path = scenario(
        ('alpha = "20', 'alhpa = "20'), ('rate  = "5 Mbit/s"', "rate  = 5"), ('data       = ["up"]', 'data = ["pu"]')
    )
    lines = path.read_text().splitlines()
    ran = eddyline("run", path, "--out", tmp_path / "out", "--plot", tmp_path / "p.png", "--json")
    assert (ran.code, ran.out) == (2, "")
    for word in ("alhpa", "rate  = 5", '"pu"'):
        number = next(n for n, line in enumerate(lines, 1) if word in line)
        assert f"two-way.toml:{number}:" in ran.err
    assert "alpha" in ran.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["two-way.toml"]


@pytest.mark.parametrize("content", [b"", bytes(range(256)) * 4, b"= 3", b"[[flow]]\nname = 1"])
def test_files_that_are_no_scenarios(eddyline, tmp_path, content):
    path = tmp_path / "case.toml"
    path.write_bytes(content)
    ran = eddyline("run", path, "--json")
    assert (ran.code, ran.out) == (2, "")
    assert "case.toml" in ran.err
    assert "panicked" not in ran.err


def test_a_folder_that_is_gone_is_named(scenario, tmp_path):
    name = scenario().name
    text = f"mkdir gone && cd gone && rmdir ../gone && {shlex.quote(str(COMMAND))} run ../{name}"
    p = subprocess.run(["sh", "-c", text], capture_output=True, text=True, env=environment(), cwd=tmp_path, timeout=60)
    assert (p.returncode, p.stderr) == (1, "error: the current folder: No such file or directory\n")


def test_names_are_shown_as_they_are(eddyline, scenario):
    odd = "x[/b] :smile: [red]"
    more = f"""[[expect]]\nof = 'link."{odd}"'\nwhat = "lost"\nat_most = 0\nwhy = "a | b\\n[/c]"\n"""
    path = scenario(('"down"', f'"{odd}"'), more=more)
    assert odd in eddyline("run", path).out
    ran = eddyline("check", path, "--markdown", path.with_suffix(".md"))
    assert ran.code == 0
    assert odd in ran.out
    rows = path.with_suffix(".md").read_text().splitlines()
    assert len(rows) == 3
    assert r"| yes | a \| b [/c] |" in rows[2]


def test_streams_that_know_few_letters(installed, scenario):
    """As JSON writes what they do not know, so that the document stays one."""
    title = "größe 中 😀"
    path = scenario(('"two-way"', f'"{title}"'), name="größe 中.toml")
    ran = installed("run", path, "--json", PYTHONIOENCODING="ascii:strict")
    assert (ran.code, ran.err) == (0, "")
    assert json.loads(ran.out)["title"] == title
    assert installed("check", path, PYTHONIOENCODING="ascii:strict").code == 0
    assert installed("run", path, PYTHONIOENCODING="ascii:strict").out.startswith("gr\\u00f6\\u00dfe \\u4e2d ")


def test_the_package_is_the_command():
    p = subprocess.run([sys.executable, "-m", "eddyline", "--version"], capture_output=True, text=True, check=False)
    assert (p.returncode, p.stdout) == (0, f"eddyline {_core.VERSION}\n")


def test_what_init_says_can_be_typed(eddyline, tmp_path):
    for name, typed in (("a b.toml", "'a b.toml'"), ("-y.toml", "./-y.toml")):
        ran = eddyline("init", "--", name)
        assert ran.err == f"wrote {name}; next: eddyline run {typed}\n"
        assert f"#   eddyline run {typed}\n" in (tmp_path / name).read_text()


def test_a_narrow_terminal_shows_every_name_and_number(scenario):
    import pty

    path, (ours, theirs) = scenario(), pty.openpty()
    p = subprocess.Popen(
        [COMMAND, "run", path, "-q"], stdout=theirs, env={**environment(), "COLUMNS": "80", "TERM": "xterm"}
    )
    os.close(theirs)
    said = b""
    try:
        while part := os.read(ours, 65536):
            said += part
    except OSError:  # the other end is closed
        pass
    assert p.wait(60) == 0
    text = said.decode()
    for word in ("download", "upload", "down", "up", "goodput", "bottleneck"):
        assert word in text
    assert "…" not in text


def test_arrivals_have_a_table(eddyline, scenario, tmp_path):
    (tmp_path / "sizes.txt").write_text("1000\n20000\n")
    arrivals = """
[[arrivals]]
name = "files"
rate = "20 /s"
size = { kind = "trace", file = "sizes.txt" }
controller = { kind = "newreno" }
data = ["down"]
ack = ["up"]
"""
    path = scenario(more=arrivals)
    ran = eddyline("run", path, "--out", tmp_path / "out", figures=False)
    assert "files" in ran.out
    assert "completed" in ran.out
    assert eddyline("verify", tmp_path / "out").code == 0, "the file of sizes is kept with the result"


def test_json_needs_no_heavy_library(scenario):
    """Start-up is what a small run consists of."""
    code = (
        "import sys\n"
        "from eddyline.cli import main\n"
        f"code = main(['run', {str(scenario())!r}, '--json'])\n"
        "heavy = {'pandas', 'pyarrow', 'numpy', 'matplotlib', 'rich', 'xml', 'concurrent.futures'} & set(sys.modules)\n"
        "print(code, sorted(heavy), file=sys.stderr)\n"
    )
    p = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), timeout=60)
    assert p.stderr == "0 []\n"
    assert json.loads(p.stdout)["world"] == "sim"


def test_importing_the_package_loads_nothing():
    code = "import sys, eddyline; print(sorted(m for m in sys.modules if 'eddyline' in m or m in ('numpy', 'pandas')))"
    p = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert p.stdout == "['eddyline']\n"


def test_schema_is_json_schema(eddyline):
    schema = json.loads(eddyline("schema").out)
    assert "duration" in schema["properties"]


@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
@pytest.mark.parametrize(
    "words",
    [
        ("run", "t.toml", "--plot", "p.svg", "--width"),
        ("run", "t.toml", "--plot", "p.svg", "--font-size"),
        ("compare", "t.toml", "--packets"),
        ("theory", "fairness", "t.toml", "--exponent"),
        ("measure", "10.0.0.1", "--seconds"),
        ("advise", "--isp", "lte", "--share"),
    ],
)
def test_numbers_are_finite(eddyline, words, number):
    ran = eddyline(*words, number)
    assert (ran.code, ran.out) == (2, "")
    assert words[-1] in ran.err


def test_list_names_everything_with_its_source(eddyline):
    ran = eddyline("list")
    for name in ("fast", "reno", "newreno", "droptail", "cbr", "adsl2+"):
        assert f"  {name} " in ran.out
    register = json.loads(eddyline("list", "--json").out)
    assert list(register) == ["controllers", "queues", "traffic", "profiles", "framings", "presets", "papers"]
    for entries in register.values():
        assert all(e["name"] and e["summary"] and e["source"] for e in entries)
    assert "droptail" not in eddyline("list", "controllers").out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(eddyline, shell):
    ran = eddyline("completion", shell)
    assert ran.code == 0
    assert "_EDDYLINE_COMPLETE" in ran.out


def complete(line: str) -> list[str]:
    words = line.split(" ")
    env = {
        **environment(),
        "_EDDYLINE_COMPLETE": "bash_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    p = subprocess.run([COMMAND], capture_output=True, text=True, env=env, timeout=60)
    return [each.partition(",")[2] for each in p.stdout.splitlines()]


def test_completion_knows_commands_presets_keys_and_kinds(scenario):
    path = scenario()
    assert "reproduce" in complete("eddyline re")
    assert "adsl2+" in complete("eddyline init --preset ad")
    keys = complete(f"eddyline run {path} --set link.")
    assert "link.down.rate=" in keys
    assert "link.up.queue.limit=" in keys
    assert complete(f"eddyline run {path} --set flow.upload.controller.kind=newr") == [
        "flow.upload.controller.kind=newreno"
    ]


def test_no_colour_where_there_is_no_terminal(eddyline, scenario):
    ran = eddyline("run", scenario())
    assert "\x1b" not in ran.out + ran.err + eddyline("run", "x.toml").err


@pytest.mark.parametrize("preset", ["rrul", "upload"])
@pytest.mark.parametrize("kind", [None, "bbr", "fast", "prague"])
def test_scenarios_of_init_have_the_controller_that_is_asked_for(eddyline, tmp_path, preset, kind):
    given = () if kind is None else ("--controller", kind)
    assert eddyline("init", "a.toml", "--preset", preset, *given).code == 0
    from eddyline.scenario import Scenario

    flows = Scenario.load(tmp_path / "a.toml").to_dict()["flow"]
    assert {flow["controller"]["kind"] for flow in flows} == {kind or {"rrul": "cubic", "upload": "newreno"}[preset]}
    assert all(flow["tcp"].get("accurate_ecn", False) == (kind == "prague") for flow in flows)


def test_what_init_writes_runs_and_holds(eddyline, tmp_path):
    assert eddyline("init").code == 0
    assert eddyline("init").code == 2
    assert eddyline("init", "--force").code == 0
    assert eddyline("check", tmp_path / "scenario.toml").code == 0
    flows = json.loads(eddyline("run", "scenario.toml", "--json").out)["flows"]
    assert [flow["controller"] for flow in flows] == ["cubic", "cubic"]
    for kind in ("fast", "vfast", "bbr"):
        assert eddyline("init", f"{kind}.toml", "--controller", kind).code == 0
        assert eddyline("check", tmp_path / f"{kind}.toml").code == 0
    assert eddyline("init", "prague.toml", "--controller", "prague").code == 0
    ran = eddyline("run", "prague.toml", "--set", "link.*.queue.kind=dualpi2", "--set", "duration=21 s", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert all(flow["delivered_ce"] > 0 for flow in json.loads(ran.out)["flows"])
    assert eddyline("init", "x.toml", "--controller", "cubik").code == 2


def test_init_knows_every_preset(eddyline, tmp_path):
    for preset in json.loads(eddyline("list", "presets", "--json").out)["presets"]:
        path = tmp_path / f"{preset['name']}.toml"
        assert eddyline("init", path, "--preset", preset["name"]).code == 0
        ran = eddyline("run", path, "--set", "duration=6 s", "--set", "warmup=1 s", "--json")
        assert ran.code == 0, ran.err
        assert [link["name"] for link in json.loads(ran.out)["links"]] == ["access/down", "access/up"]


def test_progress_is_a_line_a_minute_where_there_is_no_terminal(monkeypatch, capsys):
    from eddyline.cli import progress

    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    shown = progress.Progress()
    shown.expect(4)
    count = shown.count()
    for done in range(1, 101):
        now[0] = 2.0 * done
        count(done, 100)
    lines = [line.split(" ", 1)[1] for line in capsys.readouterr().err.splitlines()]
    assert lines == ["8 %, 0:12:20 left", "15 %, 0:11:20 left", "22 %, 0:10:20 left"]
    silent = progress.Progress(silent=True)
    silent.expect(1)
    now[0] = 1000.0
    silent.count()(1, 2)
    assert capsys.readouterr().err == ""


def test_an_internal_error_is_a_message(tmp_path, monkeypatch, capfd):
    """Whatever is raised inside, nobody sees a traceback."""
    from eddyline.cli import run
    from eddyline.cli.entry import main

    def broken(**_):
        raise RuntimeError("a wheel came off")

    monkeypatch.setattr(run.command, "callback", broken)
    monkeypatch.delenv("EDDYLINE_DEBUG", raising=False)
    assert main(["run", str(tmp_path)]) == 1
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: internal error: RuntimeError: a wheel came off\nhint: ")


# those that need a cluster, another file or minutes
ELSEWHERE = (
    "dask:",
    "kernel",
    "eddyline shell",
    "eddyline measure",
    "home.toml",
    "--controllers",
    "sweep merge",
    "init --controller",
    "ci/",
    "files.toml",
    "gauntlet",
    "reproduce",
    "advise",
    "--seeds",
    "map",
    "evaluate all",
)


def examples() -> list[str]:
    """What the help says can be typed."""
    found = []
    for words in [[name] for name in COMMANDS] + [["theory", name] for name in QUESTIONS]:
        text = CliRunner().invoke(command_line, [*words, "--help"], terminal_width=300, max_content_width=300).output
        lines = re.sub(r" *\\\n +", " ", text).splitlines()
        found += [re.split(r"  +", line.strip(), maxsplit=1)[0] for line in lines if line.startswith("    eddyline ")]
    return found


def test_what_help_says_can_be_typed(eddyline, tmp_path):
    assert eddyline("init", "--controller", "fast", "two-way.toml").code == 0  # theory is about FAST
    documented = {line for _, line in DOCUMENTED if need_of(line) is Need.NOTHING}  # test_code_blocks.py runs those
    said = [line for line in examples() if line not in documented and not any(word in line for word in ELSEWHERE)]
    assert len(said) > 15
    for line in said:
        given = shlex.split(line)[1:]
        if given[0] == "compare" or (given[0] == "run" and "--out" not in given):
            given += ["--set", "duration=21 s"]
        if "--with-sim" in given:  # rare losses take long to simulate
            given = [word.replace("1e-4..1e-2:7", "1e-3..1e-2:4") for word in given]
        if given[0] == "evaluate":
            given += ["--seeds", "1"]
        ran = eddyline(*given, figures=False)
        assert ran.code == 0, f"{line}\n{ran.err}"
        for left in set(tmp_path.iterdir()) - {tmp_path / "two-way.toml"}:
            shutil.rmtree(left) if left.is_dir() else left.unlink()


JITTER = "flow.*.start_jitter=1 ms"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("gauntlet", "--list", "--out", "card"), "--list runs nothing"),
        (("gauntlet", "--list", "--controller", "cubic"), "--list runs nothing"),
        (("gauntlet", "--list", "--set", "gain=3"), "--list runs nothing"),
        (("gauntlet", "--list", "--accept-known"), "--list runs nothing"),
        (("measure", "192.0.2.1", "--once"), "--once is for --server"),
        (("measure", "127.0.0.1", "--server", "--json"), "--out and --json are for measuring"),
        (("gauntlet", "--controller", "cubic", "--against", "reno,reno"), "against: reno is given twice"),
        (("theory", "response", "cubic", "cubic", "--loss", "1 %", "--rtt", "1 s"), "senders: cubic is given twice"),
        (
            ("sweep", "{file}", "--vary", "link.up.rate=1 Mbit/s,1000 kbit/s", "--out", "o"),
            "--vary link.up.rate: 1 Mbit/s and 1000 kbit/s are the same value",
        ),
        (("run", "{file}", "--seed", "4", "--set", "seed=100"), "both say which seed is the first"),
        (
            ("run", "{file}", "--start-jitter", "9 ms", "--set", "flow.upload.start_jitter=1 ms"),
            "--set flow.upload.start_jitter and --start-jitter: both say",
        ),
        (
            ("sweep", "{file}", "--vary", "seed=1,2", "--out", "o", "--start-jitter", "9 ms", "--set", JITTER),
            "--set flow.*.start_jitter and --start-jitter: both say",
        ),
        (
            ("sweep", "{file}", "--vary", JITTER, "--out", "o", "--start-jitter", "9 ms"),
            "--vary flow.*.start_jitter and --start-jitter: both say",
        ),
        (("run", "{file}", "--world", "theory", "--dynamics", "integrator"), "it needs --plot FILE or --out DIR"),
        (("run", "{file}", "--world", "theory", "--memory", "1 GB"), "--memory is for --world sim and quic"),
        (("run", "{file}", "--world", "kernel", "--memory", "1 GB"), "--memory is for --world sim and quic"),
        (
            ("sweep", "{file}", "--vary", "seed=1,2", "--out", "o", "--world", "theory", "--memory", "1 GB"),
            "--memory is for --world sim and quic",
        ),
        (("run", "{file}", "--log", "l.txt", "--seeds", "2"), "one run of world sim or quic"),
        (("sweep", "{file}", "--vary", "seed=1,2", "--out", "o", "--of", "links"), "--of is for --table and --plot"),
        (("sweep", "{file}", "--vary", "seed=1,2", "--out", "o", "--metric", "goodput_bps"), "--metric is for --table"),
    ],
)
def test_options_without_an_effect_are_refused(eddyline, scenario, tmp_path, words, said):
    ran = eddyline(*(word.format(file=scenario()) for word in words))
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize("words", [("run",), ("sweep", "--vary", "seed=1,2", "--out", "o")])
@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--start-jitter", "10 parsecs"), "--start-jitter 10 parsecs: flow.download.start_jitter: "),
        (("--seeds", f"{2**63 - 3}..{2**63 + 1}"), f"{2**63 - 3}..{2**63 + 1}: seeds are at most 2^63 - 1"),
    ],
)
def test_errors_name_options_as_they_are_typed(eddyline, scenario, words, option, said):
    command, *more = words
    ran = eddyline(command, scenario(), *more, *option)
    assert ran.code == 2
    assert ran.err.count(said) == 1
    assert ran.err.count(option[0]) == 1  # not for each flow
    assert "--set" not in ran.err


def test_csv_has_all_tables(eddyline, tmp_path):
    assert eddyline("init", "rrul.toml", "--preset", "rrul").code == 0
    given = ("--set", "duration=12 s", "--set", "warmup=6 s", "--quiet")
    assert eddyline("run", "rrul.toml", *given, "--out", "kept", "--csv").code == 0
    printed = eddyline("run", "rrul.toml", *given, "--csv").out.splitlines()
    kinds = {line.split(",")[2] for line in printed[1:]}
    assert {f"{kind}s" for kind in kinds} == {file.stem for file in (tmp_path / "kept").glob("*s.csv")} - {"series"}
    assert "probe" in kinds
