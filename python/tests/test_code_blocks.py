"""The code in the documents runs: commands, Python, scenarios. What does not says here why."""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import tomllib

import click
import pytest
from code_blocks import ROOT, Block, blocks, commands, pages
from conftest import TWO_WAY

import eddyline._core as core
from eddyline.cli.entry import command_line
from eddyline.errors import ScenarioError

LONG = "takes minutes; EDDYLINE_SLOW=1 runs it"
ELSEWHERE = {
    r" --world kernel|^eddyline shell": "needs the rights to make network namespaces, and takes real time",
    r"^eddyline measure": "needs a second machine",
    r"^eddyline live": "fetches and compiles a kernel",
    r"dask://|SLURM|merge '?shard-": "needs a cluster",
    r"libmy_cc|my_cc\.wasm": "needs a compiler for the controller that it made; test_command.py builds and runs one",
    r" --with-sim|^eddyline theory map python": LONG,
    r"KEY=RANGE": "a placeholder",
    r" --base card| noq-cubic": LONG,
    r"^eddyline evaluate|^eddyline gauntlet (?!--list|.*--only two-way)|^eddyline reproduce": LONG,
    r"^eddyline advise|^eddyline sweep upload": LONG,
}
"""Commands that this test does not run: a pattern, and why."""


def why_not(line: str) -> str | None:
    return next((why for pattern, why in ELSEWHERE.items() if re.search(pattern, line)), None)


ALL = [(page, line) for page in pages() for line in commands(page)]


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A folder where the commands find what they name: the tree's files, and a scenario of one's own by each name."""
    folder = tmp_path_factory.mktemp("tree")
    for name in ("examples", "web", "python", "benches"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "docs/images/stories").mkdir(parents=True)
    for name in ("two-way.toml", "mine.toml", "late.toml", "a.toml", "scenario.toml"):
        (folder / name).write_text(TWO_WAY)
    shutil.copyfile(ROOT / "examples/upload.toml", folder / "upload.toml")
    steady = next(b for b in blocks(ROOT / "docs/guides/your-own-controller.md", "python") if "# my.py" in b.code)
    (folder / "my.py").write_text(steady.code)
    return folder


def words(line: str) -> list[str]:
    """The command's words; FILE is any scenario, for populations one in which flows arrive; patterns are files."""
    file = "python/eddyline/papers/two_way_fast/scenarios/population.toml" if " population " in line else "two-way.toml"
    given = [file if word == "FILE" else word for word in shlex.split(line)[1:]]
    files = {
        word: sorted(str(f.relative_to(ROOT)) for f in ROOT.glob(word)) for word in given if word.endswith("/*.toml")
    }
    return [each for word in given for each in files.get(word, [word])]


LANGUAGES = {
    "sh": "commands of eddyline here; make, cargo and pip are what CI and CONTRIBUTING's readers run",
    "console": "the commands; README's output is compared by test_documents.py",
    "toml": "here",
    "python": "here",
    "js": "web/tests/engine/package.test.mjs",
    "rust": "documentation tests of eddyline-quic-cc; the guide's are excerpts of examples that have tests",
    "text": "no code",
    "": "no code: what is printed, and formulas",
}
"""Who runs the blocks of a language."""


def test_every_block_is_of_a_language_that_something_runs():
    assert {block.language for page in pages() for block in blocks(page)} <= set(LANGUAGES)


def test_there_are_commands():
    assert len(ALL) > 80
    assert all(any(re.search(pattern, line) for _, line in ALL) for pattern in ELSEWHERE), "a reason for nothing"


@pytest.mark.parametrize("page", sorted({p for p, _ in ALL}), ids=lambda p: str(p.relative_to(ROOT)))
def test_commands_run(page, eddyline, tree):
    swept = None
    for line in [line for p, line in ALL if p == page]:
        why = why_not(line)
        if why is None or (why is LONG and os.environ.get("EDDYLINE_SLOW")):
            given = words(line)
            if given[0] == "init":
                (tree / given[-1]).unlink(missing_ok=True)
            elif given[0] == "new-controller":
                shutil.rmtree(tree / given[1], ignore_errors=True)
            elif given[0] == "sweep" and given[1] != swept:  # the same one grows
                shutil.rmtree(tree / "grid", ignore_errors=True)
                swept = given[1]
            ran = eddyline(*given, cwd=tree, timeout=3600, figures=False)
            assert ran.code == 0, f"{line}\n{ran.err}"


@pytest.mark.parametrize("page", sorted({p for p, _ in ALL}), ids=lambda p: str(p.relative_to(ROOT)))
def test_commands_that_are_not_run_have_options_that_exist(page):
    for line in [line for p, line in ALL if p == page and why_not(line) is not None]:
        known = command_line
        given = re.findall(r"(?<![\w'])[\w-]+", line)[1:]
        while hasattr(known, "get_command"):
            known = known.get_command(click.Context(known), given[0])
            assert known is not None, line
            given = given[1:]
        options = {name for parameter in known.params for name in parameter.opts}
        own = line.partition(" -- ")[0]
        assert set(re.findall(r"(?<=\s)--?[a-z][\w-]*", own)) <= options, line


FRAGMENTS = {
    "docs/guides/papers.md": "a function of a paper, with names of its module",
}
"""Pages whose Python is compiled only, and why."""

PYTHON = [page for page in pages() if blocks(page, "python")]


@pytest.mark.parametrize("page", PYTHON, ids=lambda p: str(p.relative_to(ROOT)))
def test_python_runs(page, tree, monkeypatch):
    monkeypatch.chdir(tree)
    name = str(page.relative_to(ROOT))
    known = prepared(name)
    monkeypatch.setattr("eddyline.interact", without_widgets, raising=False)
    for block in blocks(page, "python"):
        tree_of = ast.parse(block.code, str(block))
        if name not in FRAGMENTS:
            exec(compile(tree_of, str(block), "exec"), known)


def without_widgets(*_: object) -> None:
    """Sliders need ipywidgets, which CI does not install; test_interactive.py has a stand-in for it."""


def prepared(name: str) -> dict[str, object]:
    """What a reader of the page has done before: its commands, and files of one's own."""
    import eddyline as el

    if name == "docs/guides/sweeps.md":
        shutil.rmtree("grid", ignore_errors=True)
        scenario = el.Scenario.load("upload.toml", set={"duration": "30 s", "warmup": "10 s"})
        limits = {"link.home/up.queue.limit": ["9000 B", "15000 B"], "flow.*.delayed_ack": [True, False]}
        el.sweep(scenario, limits, out="grid")
        el.sweep(scenario, {"link.home/up.loss": [0, 0.01]}, seeds=2, out="loss")
    if name == "docs/guides/learning.md":
        shutil.copyfile("upload.toml", "lte.toml")
    return {}


def test_whole_scenarios_are_valid_and_parts_have_keys_that_exist():
    found = [block for page in pages() for block in blocks(page, "toml")]
    assert len(found) > 30
    faults = [fault for block in found for fault in wrong(block)]
    assert faults == []


NO_SCENARIOS = {
    "crates/quic-cc/README.md": "a Cargo manifest",
    "docs/guides/papers.md": "claims of a paper",
    "docs/guides/your-own-controller.md": "a Python package, and controllers that the page's files bring",
}
"""Pages whose TOML is parsed only, and why."""

READ = re.compile(r"drive\.csv|Verizon-LTE-driving\.down")
"""Files of one's own that keys name."""


def wrong(block: Block) -> list[str]:
    """What is wrong with a scenario, with tables that may lack others, or with keys of a link or flow."""
    if str(block.page.relative_to(ROOT)) in NO_SCENARIOS:
        tomllib.loads(block.code)
        return []
    if re.search(r"^\[\[|^duration", block.code, re.MULTILINE):
        errors = refused(block.code, [])
        lacks = re.compile(r"missing|is required|no link|no flow|needs|unknown link|not defined")
        return [f"{block}: {error}" for error in errors if not lacks.search(error)]
    found = []
    for key, value in statements(block.code):
        of_link = refused(TWO_WAY, [(f"link.down.{key}", value)])
        of_flow = refused(TWO_WAY, [(f"flow.download.{key}", value)])
        if of_link and of_flow and not READ.search(value):
            found += [f"{block}: {key}: {error}" for error in [*of_link, *of_flow]]
    return found


def refused(text: str, overrides: list[tuple[str, str]]) -> list[str]:
    try:
        core.load(text, "toml", "block.toml", ROOT, overrides)
    except ScenarioError as e:
        return [str(d["message"]) for d in e.diagnostics]
    return []


def statements(code: str) -> list[tuple[str, str]]:
    """Keys and values one by one: a block may show one key with several values."""
    found, text = [], ""
    for line in code.splitlines():
        text += f"{line}\n"
        try:
            table = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            continue
        if table:
            found.append((next(iter(table)), text.partition("=")[2].strip()))
            text = ""
    assert not text.strip(), text
    return found
