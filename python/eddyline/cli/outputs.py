"""Files that commands write: checked before anything runs, written beside their place, then put there."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from eddyline.errors import EddylineError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

__all__ = ["FIGURES", "claim_named", "draw", "put_text", "shown"]

FIGURES = (".png", ".svg", ".pdf")
"""Suffixes of figures."""


@contextmanager
def shown(show: Callable[[], object]) -> Iterator[None]:
    """Files are written inside the block, then the result is shown, also where a file could not be written.

    Raises:
        EddylineError: In place of an InputError: the file was checked before the runs, so the input is not wrong.
    """
    try:
        yield
    except InputError as e:
        show()
        raise EddylineError(str(e), e.hint) from None
    except OSError:
        show()
        raise
    show()


def claim_named(option: str, path: Path, endings: Sequence[str]) -> None:
    """Makes sure that a file can be written, and that its suffix is one of `endings`."""
    if path.suffix not in endings:
        raise click.UsageError(f"{option} {path}: the name must end in {' or '.join(endings)}")
    from eddyline.output import claim_file

    claim_file(path)


def draw(figure: Figure, path: Path) -> None:
    """Writes a figure."""
    from eddyline.output import replaced_file
    from eddyline.plots import render

    with replaced_file(path) as staged:
        render(figure, staged)


def put_text(path: Path, text: str) -> None:
    """Writes a text file."""
    from eddyline.output import replaced_file

    with replaced_file(path) as staged:
        staged.write_text(text, "utf-8")
