"""`eddyline compare`."""

from __future__ import annotations

import json
import sys
from functools import cache, partial
from math import isinf
from typing import TYPE_CHECKING, Any

import click

from eddyline.cli.options import clock_of_kernel, controllers, overrides, scenario_file, silent, worlds_beside_sim
from eddyline.cli.outputs import shown
from eddyline.cli.types import Number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from eddyline.deviations.explain import Comparison
    from eddyline.deviations.measure import Deviation, Tolerance
    from eddyline.errors import WorldUnavailable
    from eddyline.progress import Observer
    from eddyline.scenario import Result, Scenario

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  eddyline compare two-way.toml
  eddyline compare two-way.toml --within '1 %' --json
  eddyline compare two-way.toml --set 'flow.*.controller.gamma=0.25'
  eddyline compare two-way.toml --worlds theory,quic
  eddyline compare two-way.toml --clock virtual
"""


@click.command("compare", epilog=EXAMPLES, short_help="all worlds on one scenario, and why they differ")
@scenario_file()
@controllers()
@overrides()
@click.option("--within", metavar="SHARE", default="3 %", show_default=True, help="Differences that count as none.")
@click.option("--packets", type=Number(min=0), default=2.0, show_default=True, help="The same for queues.")
@worlds_beside_sim()
@clock_of_kernel()
@click.option("--strict", is_flag=True, help="Exit 1 if a deviation is not explained.")
@click.option("--json", "as_json", is_flag=True, help="Print as one JSON document.")
@silent()
def command(
    file: Path,
    overrides: list[tuple[str, str]],
    within: str,
    packets: float,
    chosen: tuple[str, ...],
    clock: str,
    strict: bool,
    as_json: bool,
    silent: bool,
) -> int:
    """Run the scenario in FILE in every other world, print how far each is from the simulation, and find out why.

    Where a world deviates, its known differences (ACK policy, pacing, bursts, base RTT, ...) are switched in the
    simulation one after the other; those that take the deviation away explain it, what remains is said, with the
    differences of that world that the simulation has no key for.

    Where the simulation depends on the seed, nine more seeds say what chance does: a value within the range of
    the simulation's, or within the tolerance of that range, is marked "chance" and needs no explanation. Where several
    flows run and nothing is random, they start at random in these.

    With --strict exit 1 if something deviates beyond the tolerance and chance, and is not explained. Of a world that
    --worlds names exit 1 if nothing of this scenario can be compared, 3 if it cannot run here.
    """
    from eddyline.cli.progress import Progress
    from eddyline.deviations.explain import compare_with, with_other_seeds
    from eddyline.deviations.measure import Tolerance
    from eddyline.errors import InputError, NoEquilibrium, WorldUnavailable
    from eddyline.quantities import read
    from eddyline.remarks import remarks
    from eddyline.scenario import Scenario
    from eddyline.worlds import CLOCKS, DEFAULT, WORLDS, RunOptions, require

    tolerance = Tolerance(read("--within", "percent", within), packets)
    if set(chosen) == {DEFAULT}:
        raise click.UsageError(f"--worlds names {DEFAULT} alone, with which the others are compared")
    for name in chosen:
        require(name, clock if WORLDS[name].clocks else CLOCKS[0])
    scenario = Scenario.load(file, set=overrides)
    with Progress(silent=silent) as progress:
        simulate = _simulator(progress)
        (reference,) = simulate([scenario])
        others = cache(partial(with_other_seeds, scenario, reference, simulate))  # once for all worlds
        comparisons, results = [], []
        unavailable, unsuited = [], []  # here, and for this scenario
        for world in WORLDS.values():
            if world.name == DEFAULT or (chosen and world.name not in chosen):
                continue
            options = world.supported(RunOptions(False, clock=clock))
            missing = world.unavailable(options.clock)
            if missing is not None:
                unavailable.append(missing)
                continue
            try:
                result = scenario.run_with(options, world.name)
            except WorldUnavailable as e:
                unavailable.append(e)
                continue
            except (InputError, NoEquilibrium) as e:
                unsuited.append(WorldUnavailable.of(world.name, e))
                continue
            comparisons.append(compare_with(scenario, reference, result, tolerance, simulate, others))
            results.append(result)
    for sentence in remarks(scenario.to_dict(), DEFAULT):
        click.echo(f"note: {sentence}", err=True)
    for comparison, result in zip(comparisons, results, strict=True):
        _notes(comparison, result)
    with shown(lambda: _show(scenario, tolerance, comparisons, [*unavailable, *unsuited], as_json)):
        pass
    if chosen and unavailable:
        return 3
    missed = chosen and (unsuited or not all(each.found for each in comparisons))
    unexplained = strict and not all(each.explained for each in comparisons)
    return 1 if missed or unexplained else 0


def _notes(comparison: Comparison, result: Result) -> None:
    """Why a world has nothing to compare, and which connections it lost."""
    from eddyline.cli.modelled import model_hint
    from eddyline.lost_connections import lost_connections

    texts = lost_connections(result.to_dict()) if comparison.found else result.approximations
    for text in texts:
        click.echo(f"note: world {result.world}: {text}", err=True)
    if hint := model_hint(texts):
        click.echo(f"hint: {hint}", err=True)


def _simulator(observer: Observer) -> Callable[[list[Scenario]], list[Result]]:
    """Runs scenarios in `sim`, side by side."""
    from eddyline.parallel import run_all
    from eddyline.worlds import RunOptions

    def simulate(scenarios: list[Scenario]) -> list[Result]:
        observer.expect(len(scenarios))

        def task(number: int, scenario: Scenario) -> Callable[[Any], Result]:
            def run(cancelled: Any) -> Result:
                def progress(now: float, duration: float, events: int, wall: float) -> None:
                    cancelled(now, duration, events, wall)
                    observer.update(number, now, duration, wall)

                return scenario.run_with(RunOptions(series=False), progress=progress)

            return run

        return run_all([task(i, scenario) for i, scenario in enumerate(scenarios)])

    return simulate


def _show(
    scenario: Scenario,
    tolerance: Tolerance,
    comparisons: Sequence[Comparison],
    unavailable: Sequence[WorldUnavailable],
    as_json: bool,
) -> None:
    if as_json:
        document = {
            "title": scenario.title,
            "scenario_sha256": scenario.sha256,
            "within": tolerance.share,
            "packets": tolerance.packets,
            "worlds": [
                *(_document(each) for each in comparisons),
                *({"world": each.world, "unavailable": str(each)} for each in unavailable),
            ],
        }
        json.dump(document, sys.stdout, indent=2, ensure_ascii=False)
        sys.stdout.write("\n")
        return
    if any(each.found for each in comparisons):
        _table(scenario.title, comparisons)
    ranged = next((each for each in comparisons if each.seeds), None)
    if ranged is not None:
        seeds = ranged.seeds
        # the next seeds, beyond the largest there is 0
        named = f"{seeds[0]} to {seeds[-1]}" if seeds[0] < seeds[-1] else ", ".join(map(str, seeds))
        if ranged.start_jitter_s is not None:
            named += f", whose flows start up to {1e3 * ranged.start_jitter_s:g} ms later, since nothing else is random"
        print(f"chance: within the range of sim's values over {len(seeds)} seeds ({named}), or the tolerance of it\n")
    for each in comparisons:
        print("\n".join(_sentences(each)))
    for missing in unavailable:
        remedy = f" ({missing.hint})" if missing.hint else ""
        print(f"{missing.world}: not compared, {missing}{remedy}")


def _document(comparison: Comparison) -> dict[str, Any]:
    return {
        "world": comparison.world,
        "compared": len(comparison.found),
        "explained": comparison.explained,
        **({"seeds": comparison.seeds} if comparison.seeds else {}),
        **({} if comparison.start_jitter_s is None else {"start_jitter_s": comparison.start_jitter_s}),
        "deviations": [_row(each) for each in comparison.found],
        "steps": [
            {
                "difference": step.difference.name,
                "statement": step.difference.statement,
                "set": step.overrides,
                "deviations": [_row(each) for each in step.left],
            }
            for step in comparison.steps
        ],
        "tried": comparison.tried,
        "untried": [{"difference": each.name, "statement": each.statement} for each in comparison.untried],
    }


def _row(deviation: Deviation) -> dict[str, Any]:
    spread, earlier = deviation.range, deviation.earlier
    return {
        "kind": deviation.kind,
        "name": deviation.name,
        "quantity": deviation.quantity,
        "value": deviation.value,
        "sim": deviation.reference,
        "within": deviation.within,
        **({} if spread is None else {"sim_range": [spread.low, spread.high], "chance": deviation.by_chance}),
        **({} if earlier is None else {"counted_range": [earlier.low, earlier.high]}),
    }


def _table(title: str, comparisons: Sequence[Comparison]) -> None:
    from eddyline.tables import print_table, table

    columns = [column for each in comparisons for column in (each.world, "difference", "explained")]
    made = table(title, "", ["quantity", "sim", *columns])
    rows: dict[tuple[str, str, str], list[str]] = {}
    for place, each in enumerate(comparisons):
        left = {(d.kind, d.name, d.quantity): d for d in each.left}
        for d in each.found:
            key = (d.kind, d.name, d.quantity)
            cells = rows.setdefault(key, [_value(d.quantity, d.reference), *["-"] * len(columns)])
            cells[1 + 3 * place : 4 + 3 * place] = [_value(d.quantity, d.value), _percent(d), _mark(d, left[key])]
    last = ""
    for (_, name, quantity), cells in rows.items():
        made.add_row("" if name == last else name, quantity, *cells)
        last = name
    print_table(made)


def _mark(found: Deviation, left: Deviation) -> str:
    """Whether a deviation is explained; nothing where there is none."""
    if found.excess <= 1.0:
        return "chance" if found.by_chance else ""
    return "yes" if left.excess <= 1.0 else f"{_percent(left)} left"


def _value(quantity: str, value: float) -> str:
    from eddyline.quantities import bits_per_second, count, percent, seconds

    name = quantity.split(".")[0]
    if name.endswith("_bps"):
        return bits_per_second(value)
    if name.endswith("_s"):
        return seconds(value)
    return percent(value) if name.endswith("utilisation") else count(value)


def _percent(deviation: Deviation) -> str:
    share = deviation.relative
    if isinf(share):  # of a reference of zero
        return "> 0" if share > 0 else "< 0"
    return f"{100 * share:+.1f} %"


def _sentences(comparison: Comparison) -> list[str]:
    """What explains a world's deviations, and what is left."""
    world, beyond = comparison.world, [d for d in comparison.found if d.excess > 1.0]
    if not comparison.found:
        return [f"{world}: nothing to compare, it knows none of these quantities"]
    by_chance = sum(d.by_chance for d in comparison.found)
    if not beyond:
        equal = f"within chance, {by_chance} of {len(comparison.found)} quantities beyond the tolerance"
        return [f"{world}: {equal if by_chance else 'equal within the tolerance'}"]
    aside = f" ({by_chance} more by chance)" if by_chance else ""
    lines = [f"{world}: {len(beyond)} of {len(comparison.found)} quantities deviate{aside}, most {_named(beyond)}"]
    for step in comparison.steps:
        open_ = [d for d in step.left if d.excess > 1.0]
        lines.append(f"  {step.difference.name}: {step.difference.statement}")
        lines.append(f"    leaves {f'{len(open_)}, most {_named(open_)}' if open_ else 'none'}")
    if not comparison.explained:
        tried = ", ".join(comparison.tried) or "none applies"
        lines.append(f"  not explained by the known differences ({tried})")
    if comparison.untried:
        lines.append("  known differences that sim has no key for:")
        lines += [f"    {each.name}: {each.statement}" for each in comparison.untried]
    return lines


def _named(deviations: Sequence[Deviation]) -> str:
    most = max(deviations, key=lambda d: (d.excess, abs(d.relative)))  # where nothing is allowed, all exceed it alike
    return f"{most.quantity} of {most.name}: {_percent(most)}"
