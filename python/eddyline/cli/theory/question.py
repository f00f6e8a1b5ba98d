"""What all questions to theory share: a scenario, overrides, JSON or a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from eddyline.cli.options import Key, parse_override, scenario_file

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["asked"]


def asked(name: str, about: str, example: str) -> Callable[[Callable[..., int]], click.Command]:
    """Makes a question of a function of (file, overrides, as_json) and whatever further options it declares."""

    def wrap(function: Callable[..., Any]) -> click.Command:
        for decorate in (
            click.option("--json", "as_json", is_flag=True, help="Print the answer as one JSON document."),
            click.option(
                "--set",
                "overrides",
                type=Key(),
                multiple=True,
                metavar="KEY=VALUE",
                callback=parse_override,
                help="Override a key of the file by its dotted name; may be repeated.",
            ),
            scenario_file(),
        ):
            function = decorate(function)
        epilog = f"\b\nExample:\n  {example}"
        return click.command(name, epilog=epilog, short_help=about)(function)

    return wrap
