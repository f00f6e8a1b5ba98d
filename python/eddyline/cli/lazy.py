"""Groups of commands whose modules are imported when they are called."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LazyGroup"]


class LazyGroup(click.Group):
    """A group of commands, each the `command` of the module of its name, hyphens as underscores.

    Args:
        members: Name and summary of each, in the order of the help.
        package: The package of the modules.
        noun: Word for a member: `"command"`.
    """

    def __init__(self, *, members: Mapping[str, str], package: str, noun: str, **attributes: Any) -> None:
        super().__init__(**attributes)
        self._members, self._package, self._noun = members, package, noun

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Names, in the order of the help."""
        return list(self._members)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        """The command itself."""
        if name not in self._members:
            return None
        command: click.Command = importlib.import_module(f"{self._package}.{name.replace('-', '_')}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As in click, with the nearest name in the error about an unknown command."""
        if args and args[0] not in self._members and not args[0].startswith("-"):
            from eddyline.spelling import nearest

            near = nearest(args[0], self._members)
            hint = f"did you mean {near}?" if near else f"{self._noun}s are {', '.join(self._members)}"
            ctx.fail(f"there is no {self._noun} {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """As in click, but every error knows its command: the parser's own about an option without a value does not."""
        try:
            return super().invoke(ctx)
        except click.UsageError as e:
            name = ctx.invoked_subcommand or ""
            if e.ctx is None and (command := self.get_command(ctx, name)) is not None:
                e.ctx = click.Context(command, info_name=name, parent=ctx)
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Summaries, without importing the commands."""
        with formatter.section(f"{self._noun.capitalize()}s"):
            formatter.write_dl(list(self._members.items()))
