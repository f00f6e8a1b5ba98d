"""The page on the command line, from the tree of commands."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import click

from eddyline.cli.entry import command_line
from eddyline.reference.markdown import code, page, table

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["command_line_page"]

_INTRODUCTION = """\
Results go to standard output, progress and messages to standard error. An error is one line, followed by a `hint:`
line if there is a remedy. `NO_COLOR` switches colours off; `EDDYLINE_DEBUG=1` shows the traceback of an internal
error.

| exit code | meaning |
| --- | --- |
| 0 | done |
| 1 | it ran and something failed: an expectation, a controller of your own, an internal error |
| 2 | the input is wrong; nothing was run or written |
| 3 | this machine cannot run that world; the message has the reason and the remedy |
| 130 | interrupted |"""


def command_line_page() -> str:
    """`command-line.md`: every command with its arguments, options and examples."""
    return page("Command line", _INTRODUCTION, *_commands(command_line, None, "eddyline", 2))


def _commands(command: click.Command, parent: click.Context | None, name: str, level: int) -> Iterator[str]:
    path = f"{parent.command_path} {name}" if parent else name
    yield f"{'#' * level} `{path}`"
    context = click.Context(command, parent=parent, info_name=name)
    yield from _text(command.help)
    yield f"```\n{path} {' '.join(command.collect_usage_pieces(context))}\n```"
    records = [_option(option, context) for option in command.get_params(context) if isinstance(option, click.Option)]
    options = [(code(names), text) for names, text in records if names != "--help"]
    if options:
        yield table(("option", "meaning"), options)
    if command.epilog and "\b" in command.epilog:
        yield from _text(command.epilog)
    for found in getattr(command, "members", []):
        yield from _commands(found, context, found.name or "", level + 1)
    if isinstance(command, click.Group):
        for member in command.list_commands(context):
            found = command.get_command(context, member)
            if found is not None:
                yield from _commands(found, context, member, level + 1)


def _option(option: click.Option, context: click.Context) -> tuple[str, str]:
    record = option.get_help_record(context)
    names, text = record if record is not None else (", ".join(option.opts), "")
    return names.replace("-h, --help", "--help"), text


def _text(text: str | None) -> Iterator[str]:
    """Paragraphs of a help text. Those that click does not wrap, after a line with a backspace, are code."""
    for paragraph in inspect.cleandoc(text or "").split("\n\n"):
        lines = paragraph.strip("\n").splitlines()
        if lines and lines[0].strip() == "\b":
            yield "```\n" + inspect.cleandoc("\n".join(["", *lines[1:]])) + "\n```"
        elif lines:
            yield " ".join(" ".join(lines).split())
