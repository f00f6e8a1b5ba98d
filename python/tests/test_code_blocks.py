"""The code in the documents runs: commands, Python, scenarios."""

from __future__ import annotations

import ast
import re
import shutil
import tomllib
from typing import TYPE_CHECKING

import click
import pytest
from code_blocks import ROOT, Block, blocks, pages
from conftest import TWO_WAY
from documented_commands import COMMANDS, SLOW, Need, furnished, may_fail, need_of, words

import eddyline
import eddyline._core as core
from eddyline.cli.entry import command_line
from eddyline.errors import ScenarioError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return furnished(tmp_path_factory.mktemp("tree"))


LANGUAGES = {
    "sh": "commands of eddyline here and in test_demanding_commands.py; CI and contributors run make, cargo, pip",
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
    assert len(COMMANDS) > 80
    assert {need_of(line) for _, line in COMMANDS} == set(Need), "a need of nothing"


@pytest.mark.parametrize("page", sorted({p for p, _ in COMMANDS}), ids=lambda p: str(p.relative_to(ROOT)))
def test_commands_run(page, eddyline, tree):
    """Those that need something else than time are in test_demanding_commands.py."""
    swept = None
    for line in [line for p, line in COMMANDS if p == page]:
        if need_of(line) is Need.NOTHING or (need_of(line) is Need.MINUTES and SLOW):
            given = words(line)
            if given[0] == "init":
                (tree / given[-1]).unlink(missing_ok=True)
            elif given[0] == "new-controller":
                shutil.rmtree(tree / given[1], ignore_errors=True)
            elif given[0] == "sweep" and given[1] != swept:  # the same one grows
                shutil.rmtree(tree / "grid", ignore_errors=True)
                swept = given[1]
            pictures = re.findall(r"docs/images/\S+\.png", line)
            ran = eddyline(*given, cwd=tree, timeout=3600, figures=bool(pictures))
            assert ran.code == 0 or (ran.code == 1 and may_fail(line) and ran.out), f"{line}\n{ran.err}"
            for name in pictures:
                different = picture_difference(ROOT / name, tree / name)
                assert different < SAME_PICTURE, f"{line}\nthe picture is not what it draws: {different}"


SAME_PICTURE = 3.0
"""Root mean square of the pixels' differences, of 255. Edges may be smoothed differently elsewhere; panels that were of
an older version gave 6.6 to 35."""


def picture_difference(expected: Path, drawn: Path) -> float:
    import numpy as np
    from matplotlib.testing.compare import calculate_rms
    from PIL import Image

    pixels = [np.asarray(Image.open(file).convert("RGB")) for file in (expected, drawn)]
    return float(calculate_rms(*pixels))


@pytest.mark.parametrize("page", sorted({p for p, _ in COMMANDS}), ids=lambda p: str(p.relative_to(ROOT)))
def test_commands_that_are_not_run_here_have_options_that_exist(page):
    for line in [line for p, line in COMMANDS if p == page and need_of(line) is not Need.NOTHING]:
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


def test_functions_in_sentences_and_indented_lines_exist():
    """What is no fenced block is not run, but a reader types it all the same."""
    called = re.compile(r"(?<![\w./-])(?:el|eddyline)\.([A-Za-z]\w*)[\w.]*\(")
    found = {(page.name, name) for page in pages() for name in called.findall(page.read_text("utf-8"))}
    assert ("README.md", "Scenario") in found
    assert [each for each in sorted(found) if not hasattr(eddyline, each[1])] == []
