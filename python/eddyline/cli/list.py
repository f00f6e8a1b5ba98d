"""`eddyline list`."""

from __future__ import annotations

import json

import click

from eddyline.cli.options import controllers
from eddyline.cli.types import OneOf

__all__ = ["command"]

PARTS = ("controllers", "queues", "traffic", "profiles", "framings", "presets", "papers")


@click.command("list", short_help="what there is to choose from")
@click.argument("part", metavar="[PART]", type=OneOf(PARTS), required=False)
@controllers()
@click.option("--json", "as_json", is_flag=True, help="Print as one JSON document.")
def command(part: str | None, as_json: bool) -> None:
    """List what there is to choose from, each with its source.

    PART is one of controllers, queues, traffic, profiles, framings, presets, papers; all by default.
    """
    from eddyline.controllers.installed import conflicts
    from eddyline.kinds import controllers as kinds
    from eddyline.kinds import listing
    from eddyline.papers import papers, unreadable

    there = listing()
    there["papers"] = [{"name": p.name, "summary": p.title, "source": p.source} for p in papers()]
    chosen = {name: there.get(name, []) for name in PARTS if part in (None, name)}
    for conflict in conflicts() if "controllers" in chosen else ():
        click.echo(f"warning: {conflict}; {conflict.hint}", err=True)
    for wrong in unreadable() if "papers" in chosen else ():
        click.echo(f"warning: {wrong}" + (f"; {wrong.hint}" if wrong.hint else ""), err=True)
    if as_json:
        click.echo(json.dumps(chosen, indent=2, ensure_ascii=False))
        return
    accurate = {kind.name for kind in kinds() if kind.ecn == "accurate"}
    for name, entries in chosen.items():
        click.secho(name, bold=True)
        width = max((len(e["name"]) for e in entries), default=0)
        for entry in entries:
            click.echo(f"  {entry['name']:<{width}}  {entry['summary']}")
            # a library of controllers need not name sources
            below = [f"[{entry['source']}]"] if entry["source"] else []
            if name == "controllers" and entry["name"] in accurate:
                below.append("requires tcp.accurate_ecn")
            if below:
                click.echo(f"  {'':<{width}}  {'; '.join(below)}")
        if not entries:
            click.echo("  none")
        click.echo()
