"""`eddyline schema`."""

from __future__ import annotations

import click

from eddyline.cli.options import controllers
from eddyline.cli.types import OneOf

__all__ = ["command"]


@click.command("schema", short_help="print the JSON Schema of scenario files")
@click.argument("of", type=OneOf(["scenario", "result", "series"]), default="scenario")
@controllers()
def command(of: str) -> None:
    """Print the JSON Schema of scenario files, for editors that complete and check.

    With the schema in a file, the first line `#:schema scenario.schema.json` of a scenario enables it in editors with
    Even Better TOML or taplo.

    `eddyline schema result` prints the schema of results, `eddyline schema series` that of the quantities of series.
    """
    from eddyline import _core
    from eddyline.controllers.installed import declared, import_declared
    from eddyline.errors import InputError

    for name in dict.fromkeys(d.name for d in declared()):
        try:
            import_declared([name])
        except InputError as e:
            click.echo(f"warning: {e}; {e.hint}" if e.hint else f"warning: {e}", err=True)
    click.echo(_core.schema(of))
