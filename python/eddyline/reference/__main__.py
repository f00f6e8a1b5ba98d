"""`python -m eddyline.reference DIR` writes the pages; with `--check` it compares them and exits 1 if any differs."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path

import click

from eddyline.reference.man import shared_files
from eddyline.reference.pages import pages

SHARE = Path("packaging") / "data" / "share"
"""Beside the folder `docs`: manual pages and completion scripts, which the wheel installs under `share`."""


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--check", is_flag=True, help="Compare with the pages in the folder, print the differences.")
def main(folder: Path, check: bool) -> None:
    """Write the generated reference pages to FOLDER, manual pages and completion scripts to what the wheel installs."""
    stale = False
    share = folder.absolute().parents[1] / SHARE
    shared = {share / name: text for name, text in shared_files().items()} if share.is_dir() else {}
    for page, text in {**{folder / name: text for name, text in pages().items()}, **shared}.items():
        name = page.name
        if check:
            stored = page.read_text("utf-8") if page.exists() else ""
            difference = difflib.unified_diff(stored.splitlines(), text.splitlines(), name, "generated", lineterm="")
            for line in difference:
                click.echo(line)
                stale = True
        else:
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(text, "utf-8")
    if stale:
        click.echo("hint: python -m eddyline.reference docs/reference", err=True)
        sys.exit(1)


main(prog_name="python -m eddyline.reference")
