"""`eddyline theory map`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from eddyline.cli.options import Key, parse_override
from eddyline.cli.theory.question import question, shown_document
from eddyline.cli.types import OneOf

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from eddyline.theory import Axis, TheoryMap

__all__ = ["command"]

_MAX_ROWS = 20
_LINK_MODEL = "ack_clocked"

RANGES = """\b
Ranges:
  LO..HI              41 points, evenly spaced
  LO..HI:POINTS       that many points
  LO..HI:POINTS:log   evenly spaced in the logarithm
  1..10               every integer, where both ends are plain integers
  V1, V2, ...         these values, ascending
  Both ends (all values) have their units, as in '1 Mbit/s..20 Mbit/s:41:log'.

"""


def _axis(_ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, str]:
    """KEY=RANGE, split at the first `=` outside quotes."""
    try:
        ((key, text),) = parse_override(_ctx, param, (value,))
    except click.BadParameter:
        example = f"--{param.name} 'link.down.rate=1 Mbit/s..20 Mbit/s:41:log'"
        raise click.UsageError(f"--{param.name}: {value!r} is not KEY=RANGE, as in {example}") from None
    return key, text


def _axis_option(name: str, which: str) -> Callable[[Any], Any]:
    return click.option(
        f"--{name}",
        name,
        required=True,
        type=Key(),
        metavar="KEY=RANGE",
        callback=_axis,
        help=f"The {which} axis: a key of the file by its dotted name, and its range.",
    )


@question(
    "map",
    "one question over any two keys",
    "eddyline theory map two-way.toml --x 'link.down.rate=1 Mbit/s..20 Mbit/s' "
    "--y 'link.up.rate=1 Mbit/s..20 Mbit/s' --show bottleneck",
    "eddyline theory map two-way.toml --x 'flow.download.controller.gamma=0.05..1:41' "
    "--y 'link.down.delay=1 ms..1 s:41:log' --show stability --plot map.png",
    "eddyline theory map two-way.toml --x 'link.up.rate=1 Mbit/s, 2 Mbit/s, 5 Mbit/s' "
    "--y 'flow.upload.controller.alpha=5 packets..100 packets:20' --show throughput --flow download",
    plot="the map",
    more=RANGES,
)
@_axis_option("x", "first")
@_axis_option("y", "second")
@click.option(
    "--show",
    type=OneOf(["bottleneck", "stability", "throughput"]),
    default="bottleneck",
    show_default=True,
    help="Which links have a queue, the rightmost root with the stability boundary, or goodput.",
)
@click.option("--flow", metavar="NAME", help="Whose throughput: a flow or a table with a count; the sum by default.")
@click.option(
    "--link-model",
    type=OneOf(["integrator", "ack_clocked", "joint"]),
    default=_LINK_MODEL,
    show_default=True,
    help="Of a stability map: queues integrate what arrives (eq. 3), packets follow acknowledgements, or the joint "
    "link model of 2007.",
)
def command(
    file: Path,
    overrides: list[tuple[str, str]],
    as_json: bool,
    plot: Path | None,
    quiet: bool,
    x: tuple[str, str],
    y: tuple[str, str],
    show: str,
    flow: str | None,
    link_model: str,
) -> int:
    """Map a result of theory for FILE over any two of its keys.

    Every cell is what `eddyline theory equilibrium` or `stability` gives with these two values --set; --json has them
    as `settings`. A cell without a value is null and says why. The boundary of a stability map runs through
    points where disturbances begin to grow, each found to 1e-9 of the distance between two cells.
    """
    from eddyline.cli.progress import Progress
    from eddyline.keys import covers
    from eddyline.scenario import Scenario
    from eddyline.theory import theory_map

    if flow is not None and show != "throughput":
        raise click.UsageError(f"--flow is for --show throughput, not {show}")
    if link_model != _LINK_MODEL and show != "stability":
        raise click.UsageError(f"--link-model is for --show stability, not {show}")
    for key, _ in overrides:
        for axis, (varied, _) in (("--x", x), ("--y", y)):
            if covers(varied, key):
                raise click.UsageError(f"--set {key}: {axis} {varied} sets the same anew; leave one of them out")
    scenario = Scenario.load(file, set=overrides)
    with Progress(silent=quiet) as progress:
        progress.expect(1)
        made = theory_map(
            scenario,
            x,
            y,
            show,
            flow=flow,
            link_model=link_model,
            progress=progress.count(),
        )
    return shown_document(made, _show, as_json=as_json, plot=plot, quiet=quiet)


def _show(map_: TheoryMap) -> None:
    from eddyline.tables import print_table

    x, y = map_.x, map_.y
    cells = len(x.values) * len(y.values)
    print(f"{map_.title}: {map_.show} over {x.key} and {y.key}, {len(x.values)} x {len(y.values)} cells\n")
    for made in {"bottleneck": _regions, "stability": _verdicts, "throughput": _rates}[map_.show](map_):
        print_table(made)
    if map_.failed:
        reasons = map_.frame["error"].dropna()
        print(f"{map_.failed} of {cells} cells have no value; the first: {reasons.iloc[0]}")


def _regions(map_: TheoryMap) -> list[Any]:
    from eddyline.quantities import percent
    from eddyline.tables import table

    frame = map_.frame
    made = table("", "links with a queue", ["cells", "share", "several equilibria"])
    for region, cells in frame.dropna(subset=["region"]).groupby("region", sort=False):
        several = int((cells["equilibria"] > 1).sum())
        made.add_row(str(region), str(len(cells)), percent(len(cells) / len(frame)), str(several))
    return [made]


def _verdicts(map_: TheoryMap) -> list[Any]:
    from eddyline.quantities import percent
    from eddyline.tables import table

    frame = map_.frame
    made = table("", f"verdict, {map_.link_model}", ["cells", "share", "rightmost root, min", "max"])
    for name, stable, neutral in (("stable", True, False), ("neutral", False, True), ("unstable", False, False)):
        cells = frame[(frame["stable"] == stable) & (frame["neutral"] == neutral)]
        if name == "neutral" and cells.empty:
            continue
        roots = cells["root_re_per_s"].dropna()
        extremes = (f"{roots.min():.4g} /s", f"{roots.max():.4g} /s") if len(roots) else ("-", "-")
        made.add_row(name, str(len(cells)), percent(len(cells) / len(frame)), *extremes)
    curves = map_.boundary
    count = sum(map(len, curves))
    if not count:
        return [made]
    word = "curve" if len(curves) == 1 else "curves"
    points = table(f"stability boundary: {len(curves)} {word}, {count} points", "curve", [map_.x.key, map_.y.key])
    every = -(-count // _MAX_ROWS)
    numbered = [(n, point) for n, curve in enumerate(curves, 1) for point in curve]
    for n, (at_x, at_y) in numbered[::every]:
        points.add_row(str(n), _quantity(map_.x, at_x), _quantity(map_.y, at_y))
    return [made, points]


def _rates(map_: TheoryMap) -> list[Any]:
    from eddyline.quantities import bits_per_second, count
    from eddyline.tables import table

    frame = map_.frame.dropna(subset=["goodput_bps"])
    made = table("", map_.to_dict()["flow"] or "all flows", ["goodput", "packets/s", map_.x.key, map_.y.key])
    for name, row in (("min", frame["goodput_bps"].idxmin()), ("max", frame["goodput_bps"].idxmax())):
        at = frame.loc[[row]].to_dict("records")[0]
        places = (_quantity(map_.x, at[map_.x.key]), _quantity(map_.y, at[map_.y.key]))
        made.add_row(name, bits_per_second(at["goodput_bps"]), count(at["packets_per_s"]), *places)
    made.add_row("mean", bits_per_second(frame["goodput_bps"].mean()), count(frame["packets_per_s"].mean()), "-", "-")
    return [made]


def _quantity(axis: Axis, value: float) -> str:
    """A value of an axis with its unit."""
    from eddyline.quantities import bits_per_second, seconds

    forms: dict[str, Callable[[float], str]] = {"bit/s": bits_per_second, "s": seconds}
    form = forms.get(axis.unit)
    return form(value) if form else f"{value:.6g} {axis.unit}".strip()
