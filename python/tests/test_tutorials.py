"""The tutorials can be followed: every command runs in an empty folder, and prints what the page says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from code_blocks import blocks
from tutorials import FILE, TUTORIALS, Command, differs, follow, session

if TYPE_CHECKING:
    from pathlib import Path


def test_there_is_a_tutorial_for_each_kind_of_user():
    names = {page.stem for page in TUTORIALS}
    assert names == {"researcher", "engineer", "home", "teacher", "learner", "cluster", "traces", "breaker"}
    for page in TUTORIALS:
        assert 60 <= len(page.read_text("utf-8").splitlines()) <= 150, page.name


def test_every_block_is_typed_or_written_to_a_file():
    for page in TUTORIALS:
        text = page.read_text("utf-8")
        files = len(FILE.findall(text))
        assert len(blocks(page)) == files + len(blocks(page, "console")), page.name


def test_what_is_typed_is_told_from_what_is_printed():
    text = '$ a \\\n    b\nc\n$ d\n$ e; echo "exit $?"\nexit 2\n'
    assert session(text) == [Command("a \\\n    b", ["c"]), Command("d", []), Command('e; echo "exit $?"', ["exit 2"])]


def test_a_difference_is_found():
    assert differs(["a  b", "...", "d"], ["a b", "c", "d"]) is None
    assert differs([], []) is None
    assert "said 'c'" in differs(["a", "c"], ["a", "b"])
    assert "'b', not said" in differs(["a"], ["a", "b"])
    assert "said 'e'" in differs(["...", "e"], ["a", "b"])


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_prints_what_it_says(page: Path, tmp_path: Path, forks):
    for command, printed in follow(page, tmp_path, forks):
        fault = differs(command.printed, printed)
        assert fault is None, f"{command.typed}\n{fault}\n`python -m tutorials` saves what is printed"
