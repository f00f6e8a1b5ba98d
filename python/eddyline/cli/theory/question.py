"""What all questions to theory share: options, a figure, JSON or a table."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from eddyline.cli.options import controllers, overrides, path_option, scenario_file
from eddyline.cli.outputs import draw, figure_size, require_writable_figure, shown
from eddyline.cli.types import OneOf

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from eddyline.theory import Document

__all__ = ["law", "notes", "output_options", "question", "shown_document"]


def _drawable(_ctx: click.Context, _param: click.Parameter, path: Path | None) -> Path | None:
    """Refuses, before anything is computed, a figure that could not be written."""
    if path is not None:
        require_writable_figure(path)
    return path


def output_options(plot: str) -> Callable[[Any], Any]:
    """Options of every question, with or without a scenario. `plot` says what the figure shows."""

    def wrap(function: Any) -> Any:
        for decorate in (
            figure_size(),
            click.option("--quiet", "-q", is_flag=True, help="No notes, no progress."),
            click.option("--json", "as_json", is_flag=True, help="Print as one JSON document."),
            path_option(
                "--plot",
                metavar="FILE",
                callback=_drawable,
                help=f"Draw {plot} (.png, .svg, .pdf, .pgf).",
            ),
        ):
            function = decorate(function)
        return function

    return wrap


def question(
    name: str, about: str, *examples: str, plot: str, more: str = ""
) -> Callable[[Callable[..., int]], click.Command]:
    """Makes a command of a function of (file, overrides, as_json, plot, quiet) and the options that it declares."""

    def wrap(function: Callable[..., Any]) -> click.Command:
        for decorate in (output_options(plot), overrides(), controllers(), scenario_file()):
            function = decorate(function)
        lines = "\n".join(f"  {example}" for example in examples)
        epilog = f"{more}\b\nExample{'s' if len(examples) > 1 else ''}:\n{lines}"
        return click.command(name, epilog=epilog, short_help=about)(function)

    return wrap


def law() -> Callable[[Any], Any]:
    """The option --law."""
    return click.option(
        "--law",
        type=OneOf(["equation", "algorithm"]),
        default="equation",
        show_default=True,
        help="Senders follow eq. 2, or FAST's algorithm: the window at sending, an average of round-trip times.",
    )


def shown_document(
    document: Document, show: Callable[[Any], None], *, as_json: bool, plot: Path | None, quiet: bool
) -> int:
    """Draws and prints a document of theory with its notes; returns the exit code."""

    def print_it() -> None:
        if as_json:
            sys.stdout.write(document.json + "\n")
        else:
            show(document)
        if not quiet:
            notes(document.notes)

    with shown(print_it):
        if plot is not None:
            draw(document.plot(), plot, quiet=quiet)
    return 0


def notes(texts: list[str]) -> None:
    """Prints notes to standard error."""
    for text in texts:
        click.echo(f"note: {text}", err=True)
