"""`eddyline measure`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from eddyline.cli.options import path_option
from eddyline.cli.types import Number

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  eddyline measure --server 0.0.0.0         on a machine outside
  eddyline measure example.net --out home.toml
  eddyline run home.toml --world all
"""


@click.command("measure", epilog=EXAMPLES, short_help="measure a real link")
@click.argument("host")
@click.option("--server", is_flag=True, help="Serve clients, at this machine's address HOST.")
@click.option(
    "--port", type=click.IntRange(1, 65535), default=5710, show_default=True, help="The server's, TCP and UDP."
)
@click.option("--once", is_flag=True, help="With --server: end after one client.")
@click.option("--seconds", type=Number(0, 60), default=20, show_default=True, help="Of each test with TCP; 0: none.")
@path_option("--out", metavar="FILE", help="Write the link as a scenario file (.toml).")
@click.option("--json", "as_json", is_flag=True, help="Print the measurement as one JSON document.")
def command(host: str, server: bool, port: int, once: bool, seconds: float, out: Path | None, as_json: bool) -> int:
    """Measure both directions of the link between this machine and HOST, where eddyline measure --server runs.

    Rates and buffers are found by overload with datagrams: a buffer's size, what it counts, and whether a second flow
    that sends little waits as long as the first, as in a FIFO, or not, as with fq_codel. TCP is tested in each
    direction alone, in both together, and where one direction joins the other. The scenario file reproduces the link
    in every world.
    """
    if once and not server:
        raise click.UsageError("--once is for --server")
    if server and (out is not None or as_json):
        raise click.UsageError("--out and --json are for measuring, not for --server")
    if server:
        from eddyline.measurement.server import serve

        try:
            serve(host, port, 1 if once else None)
        except OSError as e:
            from eddyline.errors import EddylineError

            raise EddylineError(
                f"{host}:{port}: {e.strerror or e}", "HOST is an address of this machine, or 0.0.0.0"
            ) from e
        return 0
    from eddyline.measurement.client import measure

    if out is not None:
        from eddyline.cli.outputs import require_writable_named

        require_writable_named("--out", out, (".toml",), "measured link")
    found = measure(host, port, seconds, lambda line: click.echo(line, err=True))
    from eddyline.cli.outputs import put_text, shown

    written = False

    def show() -> None:
        if as_json:
            sys.stdout.write(json.dumps(found.to_dict()) + "\n")
        elif not written:
            sys.stdout.write(found.scenario())

    with shown(show):
        if out is not None:
            put_text(out, found.scenario(), "measured link")
            written = True
    return 0
