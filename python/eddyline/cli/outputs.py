"""Files that commands write: checked before anything runs, written beside their place, then put there."""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import contextmanager
from functools import wraps
from itertools import combinations, permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eddyline.cli.types import Number
from eddyline.errors import EddylineError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from matplotlib.figure import Figure

__all__ = [
    "FIGURES",
    "after_runs",
    "draw",
    "figure_size",
    "printed",
    "put_text",
    "require_distinct_outputs",
    "require_writable_figure",
    "require_writable_named",
    "shown",
    "write_each",
]

FIGURES = (".png", ".svg", ".pdf", ".pgf")
"""Suffixes of figures."""


@contextmanager
def after_runs() -> Iterator[None]:
    """What is refused inside the block was checked before the runs as far as it could be: the input is not wrong.

    Raises:
        EddylineError: In place of an InputError, whose exit code says that nothing was run.
    """
    try:
        yield
    except InputError as e:
        raise EddylineError(str(e), e.hint) from None


@contextmanager
def shown(show: Callable[[], object]) -> Iterator[None]:
    """Files are written inside the block, then the result is shown, also where a file could not be written.

    Raises:
        EddylineError: As in `after_runs`.
    """
    try:
        with after_runs():
            yield
    except Exception:
        printed(show)
        raise
    printed(show)


def write_each(writers: Iterable[Callable[[], object]], errors: Iterable[EddylineError] = ()) -> None:
    """Writes all outputs, also where one before could not be written.

    Args:
        writers: What writes them.
        errors: What is to be raised after that, with their errors.

    Raises:
        EddylineError: The last error; those before it are printed.
    """
    found: list[EddylineError] = []
    try:
        for write in writers:
            try:
                write()
            except EddylineError as e:
                found.append(e)
            except OSError as e:
                if e.filename is None:  # of standard output or a pipe, which who calls commands tells apart
                    raise
                found.append(EddylineError(f"{e.filename}: {e.strerror or e}"))
    except BaseException:
        _print_errors(found)
        raise
    found += errors
    _print_errors(found[:-1])
    if found:
        raise found[-1]


def _print_errors(errors: Iterable[EddylineError]) -> None:
    for error in errors:
        click.echo(f"error: {error}" + (f"\nhint: {error.hint}" if error.hint else ""), err=True)


def printed(show: Callable[[], object]) -> None:
    """Shows what the command has done, before anything that follows."""
    show()
    sys.stdout.flush()


def require_writable_named(option: str, path: Path, endings: Sequence[str], kind: str) -> None:
    """Makes sure that a file can be written, and that its suffix is one of `endings`.

    `kind` is as in `require_writable_file`.
    """
    if path.suffix not in endings:
        raise click.UsageError(f"{option} {path}: the name must end in {' or '.join(endings)}")
    from eddyline.output import require_writable_file

    require_writable_file(path, kind)


def require_distinct_outputs(places: Mapping[str, Path | None]) -> None:
    """Refuses outputs at the same place, and those inside the folder of another, which is replaced as a whole.

    Args:
        places: Files and folders by their options.
    """
    given = [(option, path, Path(os.path.realpath(path))) for option, path in places.items() if path is not None]
    for (one, _, outer), (other, path, inner) in combinations(given, 2):
        if inner == outer:
            raise click.UsageError(f"{one} and {other}: both would write {path}; name two places")
    for (folder, _, outer), (option, path, inner) in permutations(given, 2):
        if outer in inner.parents:
            raise click.UsageError(
                f"{option} {path}: is inside the folder of {folder}, which holds nothing else; name a place outside it"
            )


def require_writable_figure(path: Path) -> None:
    """Makes sure that `--plot FILE` can be written."""
    require_writable_named("--plot", path, FIGURES, "figure")
    import eddyline.plots  # noqa: F401 - refuses what keeps matplotlib from drawing

    if path.suffix == ".pgf":
        from eddyline.plots.style import tex

        if tex() is None:
            raise InputError(
                f"--plot {path}: .pgf needs TeX (xelatex, lualatex or pdflatex), and none is found",
                f"LaTeX takes {path.with_suffix('.pdf').name} too, which needs none",
            )


_SIZE = "eddyline.figure_size"


def figure_size() -> Callable[[Any], Any]:
    """The options --width and --font-size of commands with --plot; `draw` follows them."""

    def keep(ctx: click.Context, param: click.Parameter, value: float | None) -> None:
        ctx.meta.setdefault(_SIZE, {})[param.name] = value

    def wrap(command: Any) -> Any:
        @wraps(command)
        def function(*args: Any, **kwargs: Any) -> Any:
            ctx = click.get_current_context()
            if ctx.params.get("plot") is None and any(value is not None for value in ctx.meta[_SIZE].values()):
                raise click.UsageError("--width and --font-size are of the figure of --plot FILE")
            return command(*args, **kwargs)

        for name, least, most, unit, text in (
            ("--font-size", 1, 100, "PT", "Size of the figure's text; 9 by default."),
            ("--width", 1, 50, "INCHES", "Width of the figure, as in 3.5."),
        ):
            kind = Number(least, most)
            function = click.option(name, type=kind, metavar=unit, help=text, expose_value=False, callback=keep)(
                function
            )
        return function

    return wrap


def draw(figure: Figure, path: Path, *, quiet: bool = False) -> None:
    """Writes a figure, with the width and the font size that the command line gives; notes what it lacks."""
    from eddyline.output import replaced_file
    from eddyline.plots import render
    from eddyline.plots.fitting import full_size, resized

    context = click.get_current_context(silent=True)
    size = context.meta.get(_SIZE, {}) if context else {}
    width, font_size = size.get("width"), size.get("font_size")
    with replaced_file(path, "figure") as staged, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the text's measures
        complete = render(resized(figure, width, font_size), staged)
    if quiet:
        return
    if width is not None and font_size is not None and font_size > full_size(width):
        cut = f"text of {font_size:g} pt may be cut off at a width of {width:g} in"
        click.echo(f"note: {path}: {cut}; {full_size(width):.3g} pt or less has room", err=True)
    if not complete:
        click.echo(f"note: {path}: the font lacks some characters of names or title, boxes stand for them", err=True)


def put_text(path: Path, text: str, kind: str | None = None) -> None:
    """Writes a text file, or into a stream (`/dev/stdout`, a pipe). `kind` is as in `replaced_file`."""
    from eddyline.output import replaced_file
    from eddyline.streams import is_stream, write

    if is_stream(path):
        write(path, text)
        return
    with replaced_file(path, kind) as staged:
        staged.write_text(text, "utf-8")
