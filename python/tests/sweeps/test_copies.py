"""Copies of the files that a scenario names, in the folder of a sweep."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from eddyline.errors import InputError
from eddyline.folder_manifest import digest_of
from eddyline.sweeps import copies


def test_a_file_that_changes_while_it_is_copied_leaves_no_copy_and_what_else_is_there(tmp_path):
    (tmp_path / "film.dat").write_text("1\n")
    files = tmp_path / "grid" / "files"
    files.mkdir(parents=True)
    (files / "mine.txt").write_text("mine")

    class Plan:
        source = SimpleNamespace(file=lambda name: tmp_path / name)

        def digests(self, names):
            return dict.fromkeys(names, "another")

    digest = digest_of(tmp_path / "film.dat")
    with pytest.raises(InputError, match=r"film\.dat: has changed while the sweep started"):
        copies.store(tmp_path / "grid", Plan(), {"film.dat": digest})
    assert [each.name for each in files.iterdir()] == ["mine.txt"]
