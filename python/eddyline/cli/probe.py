"""`eddyline probe`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eddyline.cli.options import controllers
from eddyline.cli.types import OneOf
from eddyline.framing import FRAMINGS

if TYPE_CHECKING:
    from eddyline.probing import Finding

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  eddyline probe two-way.toml --link up
  eddyline probe two-way.toml --link up --short "64 B" --json
  eddyline probe --rate "192 kbit/s" --waits "3.1 s,3.1 s"     two measured waiting times
  eddyline probe --rate "1 Mbit/s" --waits "81 ms,890 ms" --framing pppoe-llcsnap     on an ADSL line
"""


@click.command("probe", epilog=EXAMPLES, short_help="what a buffer counts")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@controllers()
@click.option("--link", metavar="NAME", help="The link of FILE to load.")
@click.option("--short", default="100 B", show_default=True, metavar="SIZE", help="Short packets, on the wire.")
@click.option("--long", "long_", default="1500 B", show_default=True, metavar="SIZE", help="Long packets, on the wire.")
@click.option("--rate", metavar="RATE", help="Without FILE: the rate of the link that you measured.")
@click.option(
    "--waits", metavar="SHORT,LONG", help="Without FILE: waiting times of short and long packets in the full buffer."
)
@click.option(
    "--framing",
    type=OneOf(FRAMINGS),
    help="Without FILE: the line's framing, as in scenario files; --rate then counts its bytes too, as a modem does.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the finding as one JSON document.")
def command(
    file: Path | None,
    link: str | None,
    short: str,
    long_: str,
    rate: str | None,
    waits: str | None,
    framing: str | None,
    as_json: bool,
) -> int:
    """Find out whether a link's buffer is limited in bytes, packets or cells, and its limit.

    The link of FILE is loaded slightly beyond its rate, once with short packets, once with long ones, and their waiting
    times in the full buffer are compared: equal in a buffer of bytes, in proportion to their size in one of packets.

    With --rate and --waits in place of FILE, two measured waiting times are compared, without transmission and
    propagation. Packets on DSL lines need --framing: they take more on the line than their size, short ones most.
    """
    from eddyline.probing import probe
    from eddyline.scenario import Scenario

    if (file is None) == (rate is None):
        raise click.UsageError("either FILE with --link, or --rate with --waits")
    if file is not None:
        if waits is not None:
            raise click.UsageError("--waits is for --rate, without FILE")
        if framing is not None:
            raise click.UsageError("--framing is for --rate, without FILE; a link of FILE has its own key framing")
        scenario = Scenario.load(file)
        if link is None:
            raise click.UsageError(f"--link is missing; links of {file} are {', '.join(scenario.links)}")
        finding = probe(scenario, link, short=short, long=long_)
    else:
        if waits is None or link is not None:
            raise click.UsageError("--rate needs --waits SHORT,LONG" if waits is None else "--link is for FILE")
        finding = _measured(rate or "", waits, (short, long_), framing)
    if as_json:
        sys.stdout.write(json.dumps(finding.to_dict(), ensure_ascii=False) + "\n")
    else:
        _show(finding)
    return 0


def _measured(rate: str, waits: str, sizes: tuple[str, str], framing: str | None) -> Finding:
    from eddyline.errors import InputError
    from eddyline.probing import measured
    from eddyline.quantities import read

    parts = [part.strip() for part in waits.split(",")]
    if len(parts) != 2:
        raise InputError(
            f"--waits {waits!r} is not two times", 'as in --waits "0.2 s,3.1 s": short packets, long packets'
        )
    times = read("--waits", "time", parts[0]), read("--waits", "time", parts[1])
    bytes_ = read("--short", "bytes", sizes[0]), read("--long", "bytes", sizes[1])
    bps = read("--rate", "rate", rate)
    if bps <= 0:
        raise InputError(f"--rate {rate!r} must be above 0 bit/s")
    return measured(bps, bytes_, times, framing)


def _show(finding: Finding) -> None:
    from eddyline.quantities import percent, seconds
    from eddyline.tables import print_table, table

    if finding.unit is None or finding.limit is None:
        print(f"Unit unknown: {finding.why}.\n")
    else:
        print(f"The buffer counts {finding.unit}, about {finding.limit:,.0f}: {finding.why}.\n")
    loads = table("The full buffer", "packets of", ["wait", "packets waiting"])
    for load in (finding.short, finding.long):
        loads.add_row(f"{load.packet_bytes:g} B", seconds(load.wait_s), f"{load.packets:.4g}")
    print_table(loads)
    mismatch = table("Its limit by short and by long packets, if it counts", "", ["difference"])
    for unit, off in finding.off.items():
        mismatch.add_row(unit, percent(off))
    print_table(mismatch)
