"""Outputs through links, on a full disk, and where something is that is no regular file."""

from __future__ import annotations

import resource
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from eddyline.cli.outputs import draw
from eddyline.errors import EddylineError
from eddyline.plots.picture import empty

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

BEGINNINGS = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml"}


@contextmanager
def full_disk(most: int = 500) -> Iterator[None]:
    """Files must not grow beyond this size, which fails as on a full disk."""
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)


@pytest.fixture
def figure() -> Figure:
    made = empty(3, 2)
    made.add_subplot().plot([0, 1], [0, 1])
    return made


@pytest.mark.parametrize("suffix", BEGINNINGS)
@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize("target", ["latest", "latest.png"])
def test_the_given_name_says_the_format_not_that_of_a_links_target(figure, tmp_path, suffix, exists, target):
    if exists:
        (tmp_path / target).touch()
    link = tmp_path / f"fig{suffix}"
    link.symlink_to(target)
    draw(figure, link)
    assert link.is_symlink()
    assert (tmp_path / target).read_bytes().startswith(BEGINNINGS[suffix])
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("suffix", BEGINNINGS)
def test_a_figure_on_a_full_disk_names_the_file(figure, tmp_path, suffix):
    draw(figure, tmp_path / f"before{suffix}")
    place = tmp_path / f"fig{suffix}"
    with full_disk(), pytest.raises(EddylineError) as raised:
        draw(figure, place)
    assert str(raised.value) == f"{place}: cannot be written: file too large"
    assert [p.name for p in tmp_path.iterdir()] == [f"before{suffix}"]
