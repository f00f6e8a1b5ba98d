"""`eddyline check`."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eddyline.cli.options import controllers, scenario_file, silent
from eddyline.cli.outputs import put_text, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.answers import Listener
    from eddyline.errors import ControllerError
    from eddyline.scenario import Scenario

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  eddyline check two-way.toml
  eddyline check ci/*.toml --junit report.xml --markdown report.md
"""


@dataclass
class Checked:
    """A file with what became of its expectations."""

    file: str
    expectations: list[dict[str, Any]] = field(default_factory=list)
    failures: list[ControllerError] = field(default_factory=list)
    seconds: float = 0.0


@click.command("check", epilog=EXAMPLES, short_help="hold expectations against results")
@scenario_file(nargs=-1, required=True)
@controllers()
@click.option("--json", "as_json", is_flag=True, help="Print as one JSON document.")
@click.option("--junit", type=click.Path(path_type=Path), metavar="FILE", help="Write JUnit XML, for CI.")
@click.option("--markdown", type=click.Path(path_type=Path), metavar="FILE", help="Write a Markdown table.")
@silent()
def command(file: tuple[Path, ...], as_json: bool, junit: Path | None, markdown: Path | None, silent: bool) -> int:
    """Run every FILE in the worlds that its [[expect]] tables ask, and say what held and by how much.

    Exit 0 if all held, 1 if one failed; a file that expects nothing is named in a warning.
    """
    from eddyline.cli.progress import Progress
    from eddyline.folder import claim_file
    from eddyline.scenario import Scenario, need_world

    for path in (junit, markdown):
        if path is not None:
            claim_file(path)
    scenarios = [(str(f), Scenario.load(f)) for f in file]  # all of them first: wrong input runs nothing
    for _, scenario in scenarios:
        for world in scenario.expected_worlds:
            need_world(world)
    with Progress(silent=silent) as progress:
        checked = [_check(name, scenario, progress) for name, scenario in scenarios]
    with shown(lambda: _show(checked, as_json)):
        for path, text in ((junit, _junit), (markdown, _markdown)):
            if path is not None:
                put_text(path, text(checked))
    held = all(e["held"] for c in checked for e in c.expectations)
    return 1 if not held or any(c.failures for c in checked) else 0


def _check(name: str, scenario: Scenario, listener: Listener) -> Checked:
    from time import monotonic

    from eddyline.errors import ControllerError

    checked, started = Checked(name), monotonic()
    for world in scenario.expected_worlds:
        listener.expect(1)
        try:
            result = scenario.run(
                world,
                series=False,
                progress=lambda now, duration, _events, wall: listener.hear(0, now, duration, wall),
            )
        except ControllerError as e:  # the other files' results are not lost
            checked.failures.append(e)
            continue
        checked.expectations += [{"world": world, **outcome} for outcome in scenario.check(result)]
    checked.expectations.sort(key=lambda e: e["line"] or 0)
    checked.seconds = monotonic() - started
    return checked


def _value(outcome: dict[str, Any]) -> str:
    """The value in a unit that suits its name."""
    from eddyline.quantities import bits_per_second, count, percent, seconds

    value, name = outcome["value"], outcome["what"].split(".")[0]
    if value is None:
        return "unknown"
    if name.endswith("_bps"):
        return bits_per_second(value)
    if name.endswith("_s") and not name.endswith("per_s"):
        return seconds(value)
    return percent(value) if name.endswith("utilisation") else count(value)


def _show(checked: Sequence[Checked], as_json: bool) -> None:
    outcomes = [e for c in checked for e in c.expectations]
    failed = sum(not e["held"] for e in outcomes)
    if as_json:
        document = {"held": len(outcomes) - failed, "failed": failed, "expectations": outcomes}
        json.dump(document, sys.stdout, indent=2, ensure_ascii=False)
        sys.stdout.write("\n")
    else:
        _tables(checked)
        print(f"{len(outcomes) - failed} held, {failed} failed")
    for c in checked:
        if not c.expectations and not c.failures:
            click.echo(f"warning: {c.file}: no [[expect]] tables, nothing was checked", err=True)
        for error in c.failures:
            click.echo(error.traceback, nl=False, err=True)
            click.echo(f"failed: {c.file}: {error}", err=True)


def _tables(checked: Sequence[Checked]) -> None:
    from rich.table import Table
    from rich.text import Text

    from eddyline.tables import print_table

    for c in checked:
        table = Table(title=c.file, title_justify="left", box=None, pad_edge=False, title_style="bold")
        for name in ("", "of", "what", "value", "bound", "world", "why"):
            table.add_column(name, overflow="fold")
        for e in c.expectations:
            mark = Text("held") if e["held"] else Text("FAILED", style="bold red")
            table.add_row(mark, e["of"], e["what"], _value(e), e["bound"], e["world"], e["why"] or "")
        if c.expectations:
            print_table(table)
            print()


def _junit(checked: Sequence[Checked]) -> str:
    from xml.etree import ElementTree as Xml

    root = Xml.Element("testsuites")
    for c in checked:
        failed = sum(not e["held"] for e in c.expectations)
        tests = len(c.expectations) + len(c.failures)
        errors = str(len(c.failures))
        attributes = {"name": c.file, "tests": str(tests), "failures": str(failed), "errors": errors}
        suite = Xml.SubElement(root, "testsuite", attributes, time=f"{c.seconds:.3f}")
        for error in c.failures:
            case = Xml.SubElement(suite, "testcase", classname=c.file, name=f"controller {error.controller}")
            Xml.SubElement(case, "error", message=str(error)).text = error.traceback or str(error)
        for e in c.expectations:
            name = f"{e['of']}.{e['what']} {e['bound']}"
            case = Xml.SubElement(suite, "testcase", classname=f"{c.file}.{e['world']}", name=name)
            if not e["held"]:
                message = f"{_value(e)}, expected {e['bound']}"
                Xml.SubElement(case, "failure", message=message).text = e["why"] or message
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _markdown(checked: Sequence[Checked]) -> str:
    lines = [
        "| file | of | what | value | bound | world | held | why |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for c in checked:
        for e in c.expectations:
            held = "yes" if e["held"] else "**no**"
            cells = (c.file, e["of"], e["what"], _value(e), e["bound"], e["world"], held, e["why"] or "")
            lines.append("| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"
