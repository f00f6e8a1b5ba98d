"""`eddyline live build-kernel`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from eddyline.cli.options import path_option

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]


@click.command("build-kernel", short_help="build the user-mode Linux of virtual time")
@path_option("--out", metavar="FILE", help="Where to put it, in place of the cache.")
@click.option("--jobs", type=click.IntRange(min=1), help="Compilers at a time. Default: one a processor.")
def command(out: Path | None, jobs: int | None) -> int:
    """Build the user-mode Linux that runs world kernel in virtual time (--clock virtual).

    The source is Debian's linux-source-6.12, which apt-get fetches (150 MB), or the archive that LINUX_SOURCE names.
    Takes some five minutes of processor time, 2 GB in the cache, and no privileges. A build that was interrupted goes
    on, and the next one compiles only what has changed.
    """
    from eddyline.live import build_kernel
    from eddyline.output import require_writable_file

    if out is not None:
        require_writable_file(out, "program")
    return build_kernel(out, jobs)
