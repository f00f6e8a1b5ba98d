"""`eddyline check`."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from eddyline.cli.options import (
    controllers,
    errors_of,
    overrides,
    path_option,
    read_by,
    scenario_file,
    silent,
    timeout,
)
from eddyline.cli.outputs import put_text, require_distinct_outputs, shown, write_each
from eddyline.cli.types import MEMORY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from eddyline.errors import EddylineError
    from eddyline.junit import Case
    from eddyline.progress import Observer
    from eddyline.scenario import Result, Scenario

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  eddyline check two-way.toml
  eddyline check two-way.toml --controllers my.py --set 'flow.*.controller.kind=mine'
  eddyline check ci/*.toml --junit report.xml --markdown report.md
"""


_BOUND = re.compile(r"(at least|at most|near|within) (.+?)(?=, (?:at least|at most|near|within) |$)")
"""A word of a bound with its quantity."""


class Failure(NamedTuple):
    """A run that did not come to its end, or cannot be used."""

    world: str
    error: EddylineError

    @property
    def why(self) -> str:
        """The error, with the world; a user's own controller fails in any."""
        from eddyline.errors import ControllerError

        text = str(self.error)
        named = isinstance(self.error, ControllerError) or text.startswith(f"world {self.world}: ")
        return text if named else f"world {self.world}: {text}"


@dataclass
class Checked:
    """A file and the outcomes of its expectations."""

    file: str
    expectations: list[dict[str, Any]] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    seconds: float = 0.0


@click.command("check", epilog=EXAMPLES, short_help="compare results with expectations")
@scenario_file(nargs=-1, required=True)
@controllers()
@overrides("Override a key of every file by its dotted name; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="Print as one JSON document.")
@path_option("--junit", metavar="FILE", help="Write JUnit XML, for CI.")
@path_option("--markdown", metavar="FILE", help="Write a Markdown table.")
@timeout("run")
@click.option("--memory", type=MEMORY, help="Memory for packets in the network. Default: half of what is free.")
@silent()
def command(
    file: tuple[Path, ...],
    overrides: list[tuple[str, str]],
    as_json: bool,
    junit: Path | None,
    markdown: Path | None,
    timeout: float | None,
    memory: int | None,
    silent: bool,
) -> int:
    """Run every FILE in the worlds that its [[expect]] tables name, and print which of them held, with the values.

    A run that does not come to its end, or a world that cannot run here, does not stop the others. A file without such
    tables gives a warning.

    Exit 0 if all held; 1 if one did not, or a run failed; 2 if a world cannot run a file; 3 if it is not here.
    """
    from eddyline.cli.progress import Progress
    from eddyline.output import require_not_inputs, require_writable_file
    from eddyline.utf8 import displayed

    require_distinct_outputs({"--junit": junit, "--markdown": markdown})
    reports = [
        (path, kind, text)
        for path, kind, text in ((junit, "JUnit XML", _junit), (markdown, "Markdown report", _markdown))
        if path is not None
    ]
    for path, kind, _ in reports:
        require_writable_file(path, kind, text=True)
    # all of them first: wrong input runs nothing
    scenarios = [(displayed(f), scenario) for f, scenario in zip(file, _loaded(file, overrides), strict=True)]
    if junit is not None or markdown is not None:
        read = [each for f, (_, scenario) in zip(file, scenarios, strict=True) for each in read_by(f, scenario)]
        require_not_inputs({"--junit": junit, "--markdown": markdown}, read)
    _remark(scenarios)
    with Progress(silent=silent) as progress:
        checked = [_check(name, scenario, timeout, memory, progress) for name, scenario in scenarios]
    with shown(lambda: _show(checked, as_json)):
        write_each(partial(put_text, path, text(checked), kind) for path, kind, text in reports)
    failed = {failure.error.exit_code for c in checked for failure in c.failures}
    failed |= {1 for c in checked for e in c.expectations if not e["held"]}
    return min(failed, default=0)


def _remark(scenarios: Sequence[tuple[str, Scenario]]) -> None:
    """Notes what the scenarios of files say, though it is rarely intended, in the worlds that they run in."""
    from eddyline.remarks import remarks

    for name, scenario in scenarios:
        found = [sentence for world in scenario.expected_worlds for sentence in remarks(scenario.to_dict(), world)]
        for sentence in dict.fromkeys(found):
            click.echo(f"note: {name}: {sentence}", err=True)


def _loaded(files: Sequence[Path], overrides: list[tuple[str, str]]) -> list[Scenario]:
    """The scenarios of all files.

    Raises:
        ScenarioError: Some are invalid; the message lists the errors of all, those of overrides once, with the files
            that have them where others have not.
    """
    from eddyline.errors import ScenarioError
    from eddyline.scenario import Scenario
    from eddyline.utf8 import displayed

    found, errors = [], []
    told: dict[str, list[str]] = {}
    for file in files:
        try:
            found.append(Scenario.load(file, set=overrides))
        except ScenarioError as e:
            errors.append(e)
            for each in errors_of(str(e)):
                told.setdefault(each, []).append(displayed(file))
    if errors:
        # only those of overrides name no file
        texts = [
            f"{', '.join(names)}: {text}" if text.startswith("--") and len(names) < len(files) else text
            for text, names in told.items()
        ]
        raise ScenarioError(
            "\n".join(texts),
            [each for e in errors for each in e.diagnostics],
            list(dict.fromkeys(kind for e in errors for kind in e.unknown_controllers)),
        )
    return found


def _check(name: str, scenario: Scenario, timeout_s: float | None, memory: int | None, observer: Observer) -> Checked:
    from time import monotonic

    from eddyline.errors import EddylineError, InternalError, LostConnection
    from eddyline.lost_connections import lost_connections
    from eddyline.parallel import ended_after, run_interruptible
    from eddyline.progress import limited
    from eddyline.trusted_runs import trusted_run
    from eddyline.worlds import WORLDS, RunOptions

    def run(world: str, checkpoint: Callable[..., object]) -> Result:
        def progress(now: float, duration: float, events: int, wall: float) -> None:
            checkpoint(now, duration, events, wall)
            observer.update(0, now, duration, wall)

        options = WORLDS[world].supported(RunOptions(series=False, memory=memory))
        with ended_after(timeout_s):
            return trusted_run(scenario, world, options, limited(timeout_s, progress))

    checked, started = Checked(name), monotonic()
    for world in scenario.expected_worlds:
        observer.expect(1)
        try:
            result = run_interruptible(partial(run, world))
        except InternalError:
            raise
        except EddylineError as e:  # the results of the others are not lost
            checked.failures.append(Failure(world, e))
            continue
        if lost := lost_connections(result.to_dict()):
            checked.failures.append(Failure(world, LostConnection(world, lost)))
        checked.expectations += [_outcome(scenario, result, each) for each in scenario.check(result)]
    checked.expectations.sort(key=lambda e: e["line"] or 0)
    checked.seconds = monotonic() - started
    return checked


def _outcome(scenario: Scenario, result: Result, outcome: dict[str, Any]) -> dict[str, Any]:
    from eddyline.cli.unknown_values import reason

    unknown = None if outcome["value"] is not None else reason(scenario, result, outcome)
    return {"world": result.world, **outcome, "unknown": unknown}


def _value(outcome: dict[str, Any]) -> str:
    """The value in a unit that suits its name, with the digits that its bound takes."""
    from eddyline.quantities import telling

    if outcome["value"] is None:
        return "unknown"
    return telling(outcome["value"], _form(outcome["what"].split(".")[0]), _limit(outcome["bound"]))


def _form(name: str) -> Callable[[float | None], str]:
    from eddyline.quantities import bits_per_second, count, percent, seconds

    if name.endswith("_bps"):
        return bits_per_second
    if name.endswith("_s") and not name.endswith("per_s"):
        return seconds
    return percent if name.endswith("utilisation") else count


def _limit(bound: str) -> Callable[[float], bool]:
    """Whether a bound holds of a value."""
    limits = {word: _amount(text) for word, text in _BOUND.findall(bound)}

    def holds(value: float) -> bool:
        near = limits.get("near", value)
        return (
            limits.get("at least", value) <= value <= limits.get("at most", value)
            # as the check itself has it
            and abs(value - near) <= limits.get("within", 0.0) * abs(near) * (1 + 1e-12)
        )

    return holds


def _amount(text: str) -> float:
    """A quantity of a bound, whose kind its unit says."""
    from eddyline.quantities import measured

    found = measured(text)
    return float(text.removesuffix("/min")) if found is None else found[1]


def _explained(outcome: dict[str, Any]) -> str:
    """The value, or why there is none."""
    value = _value(outcome)
    return f"{value} ({outcome['unknown']})" if outcome["unknown"] else value


def _show(checked: Sequence[Checked], as_json: bool) -> None:
    outcomes = [e for c in checked for e in c.expectations]
    failed = sum(not e["held"] for e in outcomes)
    if as_json:
        errors = [{"file": c.file, "why": e.why} for c in checked for e in c.failures]
        document = {"held": len(outcomes) - failed, "failed": failed, "expectations": outcomes, "errors": errors}
        json.dump(document, sys.stdout, indent=2, ensure_ascii=False)
        sys.stdout.write("\n")
    else:
        _tables(checked)
        print(f"{len(outcomes) - failed} held, {failed} failed{_not_run(checked)}")
    for c in checked:
        if not c.expectations and not c.failures:
            click.echo(f"warning: {c.file}: no [[expect]] tables, nothing was checked", err=True)
        for failure in c.failures:
            hint = f"\n  hint: {failure.error.hint}" if failure.error.hint else ""
            click.echo(_traceback(failure.error), nl=False, err=True)
            click.echo(f"failed: {c.file}: {failure.why}{hint}", err=True)


def _not_run(checked: Sequence[Checked]) -> str:
    files = sum(bool(c.failures) for c in checked)
    return f", {files} file{'s' * (files > 1)} could not be run to the end" if files else ""


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
            for line in _unknown(c.expectations):
                print(line)
            print()


def _unknown(outcomes: Sequence[dict[str, Any]]) -> list[str]:
    """A line on each reason for values that are unknown."""
    named: dict[tuple[str, str, str], dict[str, None]] = {}
    for e in outcomes:
        if e["unknown"]:
            named.setdefault((e["what"], e["world"], e["unknown"]), {})[e["of"]] = None
    return [f"unknown: {what} of {', '.join(of)} in world {world}: {why}" for (what, world, why), of in named.items()]


def _junit(checked: Sequence[Checked]) -> str:
    from eddyline.junit import Suite, document

    return document([Suite(c.file, [*_errors(c), *_cases(c)], c.seconds) for c in checked])


def _errors(checked: Checked) -> Iterator[Case]:
    from eddyline.errors import ControllerError
    from eddyline.junit import Case

    for world, error in checked.failures:
        what = f"controller {error.controller}, " if isinstance(error, ControllerError) else ""
        yield Case(checked.file, f"{what}world {world}", str(error), _traceback(error) or str(error), error=True)


def _traceback(error: EddylineError) -> str:
    from eddyline.errors import ControllerError

    return error.traceback if isinstance(error, ControllerError) else ""


def _cases(checked: Checked) -> Iterator[Case]:
    from eddyline.junit import Case

    for e in checked.expectations:
        message = f"{_explained(e)}, expected {e['bound']}"
        case = Case(f"{checked.file}.{e['world']}", f"{e['of']}.{e['what']} {e['bound']}")
        yield case if e["held"] else replace(case, message=message, text=e["why"] or message)


def _markdown(checked: Sequence[Checked]) -> str:
    lines = [
        "| file | of | what | value | bound | world | held | why |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for c in checked:
        rows = []
        for e in c.expectations:
            held = "yes" if e["held"] else "**no**"
            rows.append((e["of"], e["what"], _explained(e), e["bound"], e["world"], held, e["why"] or ""))
        rows += [("", "", "", "", case.name, "**error**", case.message or "") for case in _errors(c)]
        lines += [f"| {' | '.join(map(_cell, (c.file, *row)))} |" for row in rows]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
