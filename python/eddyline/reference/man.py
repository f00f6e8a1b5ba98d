"""Manual pages and completion scripts, from the tree of commands; the wheel installs them."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import click
from click.shell_completion import get_completion_class

from eddyline.cli.entry import command_line

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["shared_files"]

_COMPLETIONS = {
    "bash": "bash-completion/completions/eddyline",
    "zsh": "zsh/site-functions/_eddyline",
    "fish": "fish/vendor_completions.d/eddyline.fish",
}


def shared_files() -> dict[str, str]:
    """Files by their path under `share/`."""
    files = {f"man/man1/{name}.1": text for name, text in _pages(command_line, None, "eddyline")}
    for shell, path in _COMPLETIONS.items():
        kind = get_completion_class(shell)
        assert kind is not None
        made = kind(command_line, {}, "eddyline", "_EDDYLINE_COMPLETE")
        files[path] = made.source_template % made.source_vars()
    return files


def _pages(command: click.Command, parent: click.Context | None, name: str) -> Iterator[tuple[str, str]]:
    context = click.Context(command, parent=parent, info_name=name)
    path = f"{parent.command_path} {name}" if parent else name
    members = list(getattr(command, "members", []))
    if isinstance(command, click.Group):
        found = ((member, command.get_command(context, member)) for member in command.list_commands(context))
        members = [(member, each) for member, each in found if each is not None]
    else:
        members = [(each.name or "", each) for each in members]
    yield path.replace(" ", "-"), _page(command, context, path, [each for each, _ in members])
    for member, each in members:
        yield from _pages(each, context, member)


def _page(command: click.Command, context: click.Context, path: str, members: list[str]) -> str:
    name = path.replace(" ", "-")
    lines = [f'.TH "{name.upper()}" "1" "" "" "Eddyline"', ".SH NAME"]
    lines.append(f"{name} \\- {_escaped(command.get_short_help_str(200))}")
    lines += [".SH SYNOPSIS", f".B {path}", _escaped(" ".join(command.collect_usage_pieces(context)))]
    lines += [".SH DESCRIPTION", *_text(command.help)]
    records = [p.get_help_record(context) for p in command.get_params(context) if isinstance(p, click.Option)]
    if any(records):
        lines.append(".SH OPTIONS")
        for record in filter(None, records):
            lines += [".TP", f".B {_escaped(record[0])}", _escaped(record[1])]
    if command.epilog:
        lines += [".SH EXAMPLES", *_text(command.epilog)]
    if members:
        lines += [".SH SEE ALSO", *(f".BR {name}-{each} (1)" for each in members)]
    return "\n".join(lines) + "\n"


def _text(text: str | None) -> Iterator[str]:
    """Paragraphs; those that click does not wrap, after a line with a backspace, keep their lines."""
    for paragraph in inspect.cleandoc(text or "").split("\n\n"):
        lines = paragraph.strip("\n").splitlines()
        if lines and lines[0].strip() == "\b":
            yield from (".PP", ".nf", *map(_escaped, lines[1:]), ".fi")
        elif lines:
            yield from (".PP", _escaped(" ".join(" ".join(lines).split())))


def _escaped(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
