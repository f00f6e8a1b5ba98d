"""`eddyline schema`."""

from __future__ import annotations

import click

from eddyline.cli.options import controllers

__all__ = ["command"]


@click.command("schema", short_help="print the JSON Schema of scenario files")
@controllers()
def command() -> None:
    """Print the JSON Schema of scenario files, for editors that complete and check.

    With the schema in a file, a first line `#:schema scenario.schema.json` in a scenario switches this on in editors
    that know it (Even Better TOML, taplo).
    """
    from eddyline import _core
    from eddyline.controllers.installed import declared, meet
    from eddyline.errors import InputError

    for name in dict.fromkeys(d.name for d in declared()):
        try:
            meet([name])
        except InputError as e:
            click.echo(f"warning: {e}; {e.hint}" if e.hint else f"warning: {e}", err=True)
    click.echo(_core.schema())
