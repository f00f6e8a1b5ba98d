"""The tables on the pages of controllers and queues are what their commands print now (EDDYLINE_SLOW=1, with cargo)."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import defaultdict

import pytest
from code_blocks import ROOT
from documented_commands import SLOW

PAGES = ROOT / "docs" / "controllers"
pytestmark = [
    pytest.mark.skipif(not SLOW, reason="takes minutes: EDDYLINE_SLOW=1 runs it"),
    pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed"),
]


def printed(example: str, *arguments: str) -> str:
    cargo = ("cargo", "run", "--quiet", "--offline", "--release", "-p", "eddyline-sim", "--example", example, "--")
    return subprocess.run([*cargo, *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def shown(table: str) -> dict[str, list[str]]:
    """The numbers of ours in the rows of this table, by kind; those of the reference are in parentheses."""
    numbers: dict[str, list[str]] = defaultdict(list)
    for page in PAGES.glob("*.md"):
        for row in re.findall(rf"^\| `{table}` \|.*\| (.*) \|$", page.read_text("utf-8"), re.M):
            ours = re.sub(r"\(.*?\)|loss 1e-\d|\b(?:250|1,000) packets", "", row)
            numbers[page.stem] += re.findall(r"\d[\d.]*", ours)
    return numbers


@pytest.mark.parametrize("table", ["response", "loss", "ns2", "fairness", "converge", "step"])
def test_pages_show_what_the_family_prints(table: str) -> None:
    lines = [line.split() for line in printed("family", table).splitlines() if line]
    fresh = {kind: numbers for kind, *numbers in lines if (PAGES / f"{kind}.md").exists()}
    pages = shown(table)
    assert pages
    for kind, numbers in pages.items():
        assert numbers == fresh[kind][: len(numbers)], kind


def test_the_page_of_ns2_is_what_its_command_prints() -> None:
    assert printed("ns2_family") == (PAGES / "ns2.md").read_text("utf-8")


@pytest.mark.parametrize("kind", ["adaptive_red", "codel", "dualpi2", "pie", "red", "rem"])
def test_pages_of_queues_show_what_standing_queues_prints(kind: str) -> None:
    rows = [line for line in printed("standing_queues", f'kind = "{kind}"').splitlines() if line.startswith("| ")]
    assert len(rows) == 18 + 2
    page = (ROOT / "docs" / "queues" / f"{kind}.md").read_text("utf-8").splitlines()
    assert [row for row in rows if row not in page] == []
