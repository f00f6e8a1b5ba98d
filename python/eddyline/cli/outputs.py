"""Files that commands write: refused before anything is run, written aside, put in place."""

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
"""How the names of figures may end."""


@contextmanager
def shown(show: Callable[[], object]) -> Iterator[None]:
    """Files are written within, then the answer is shown; where one cannot be written, it is shown all the same.

    Raises:
        EddylineError: In place of an InputError: that it could be written was made sure of before the work began.
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
    """Makes sure that a file can be written, and that its name says in which format."""
    if path.suffix not in endings:
        raise click.UsageError(f"{option} {path}: the name must end in {' or '.join(endings)}")
    from eddyline.folder import claim_file

    claim_file(path)


def draw(figure: Figure, path: Path) -> None:
    """Writes a figure."""
    from eddyline.folder import replaced_file
    from eddyline.plots import render

    with replaced_file(path) as aside:
        render(figure, aside)


def put_text(path: Path, text: str) -> None:
    """Writes a text file."""
    from eddyline.folder import replaced_file

    with replaced_file(path) as aside:
        aside.write_text(text, "utf-8")
