"""`eddyline theory sawtooth`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from eddyline.cli.theory.question import output_options, shown_document
from eddyline.cli.types import KindWith, Packets

if TYPE_CHECKING:
    from pathlib import Path

    from eddyline.theory import SawTeeth

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  eddyline theory sawtooth dctcp --rate '10 Gbit/s' --rtt '100 us' --threshold 40
  eddyline theory sawtooth dctcp reno --rate '10 Gbit/s' --rtt '100 us' --threshold 40 --flows 2 --with-sim --plot k.png
"""


@click.command("sawtooth", epilog=EXAMPLES, short_help="queue oscillation at a marking threshold")
@click.argument("kind", nargs=-1, required=True, metavar="KIND...", type=KindWith("sawtooth"))
@click.option("--rate", required=True, metavar="RATE", help="Rate of the bottleneck.")
@click.option("--rtt", required=True, metavar="TIME", help="Round-trip time without queueing.")
@click.option(
    "--threshold",
    required=True,
    type=Packets(10_000_000),
    metavar="K",
    help="Arriving packets are marked while more than K packets wait, as in 40 or '40 packets'; at most 10,000,000.",
)
@click.option(
    "--flows",
    type=click.IntRange(1, 10_000),
    default=1,
    show_default=True,
    metavar="N",
    help="Flows that share the link.",
)
@click.option("--packet", default="1500 B", show_default=True, metavar="SIZE", help="A data packet on the wire.")
@click.option("--with-sim", is_flag=True, help="Simulate them too.")
@output_options("the queue over time")
def command(
    kind: tuple[str, ...],
    rate: str,
    rtt: str,
    threshold: int,
    flows: int,
    packet: str,
    with_sim: bool,
    as_json: bool,
    plot: Path | None,
    quiet: bool,
) -> int:
    """Compute the oscillation of the queue of flows of each KIND at a marking threshold, and the utilisation.

    The closed forms assume synchronised flows: from about ten flows on they are not, and the amplitude is smaller. The
    amplitude of a queue that empties is its maximum.
    Below the table is the smallest threshold at which DCTCP uses the whole link with any number of flows, 0.17 of the
    packets that the path holds; a given number of flows may need less.
    """
    from eddyline.cli.theory.quantities import one
    from eddyline.theory import saw_teeth

    if with_sim and threshold == 0:
        raise click.UsageError("--threshold 0: with --with-sim it is 1 packet at least, as in scenarios")
    size = one("--packet", packet, "B", "1500 B")
    if not 100 <= size <= 1e6:
        raise click.UsageError(f"--packet {packet}: allowed are 100 B to 1 MB")
    bps = one("--rate", rate, "bit/s", "10 Gbit/s")
    if not 1 <= bps <= 1e13:
        raise click.UsageError(f"--rate {rate}: allowed are 1 bit/s to 10 Tbit/s")
    found = saw_teeth(
        kind,
        bps,
        one("--rtt", rtt, "s", "100 us"),
        threshold,
        flows=flows,
        packet_bytes=round(size),
        with_sim=with_sim,
    )
    return shown_document(found, _show, as_json=as_json, plot=plot, quiet=quiet)


def _show(document: SawTeeth) -> None:
    from eddyline.quantities import count, percent, seconds
    from eddyline.tables import print_table, table

    d = document.to_dict()
    rows = d["sawteeth"]
    simulated = "sim_utilisation" in rows[0]
    heads = ["W*", "reduction", "queue", "amplitude", "period", "utilisation"]
    if simulated:
        heads += ["simulated: queue", "amplitude", "utilisation"]
    made = table(f"marks above {d['threshold_packets']:g} packets, flows: {rows[0]['flows']}", "sender", heads)
    for row in rows:
        numbers = [
            count(row["window_packets"]),
            percent(row["marked_share"] / 2),
            f"{count(row['queue_min_packets'])} to {count(row['queue_max_packets'])}",
            count(row["amplitude_packets"]),
            seconds(row["period_s"]),
            percent(row["utilisation"]),
        ]
        if simulated:
            numbers += [
                f"{count(row['sim_queue_min_packets'])} to {count(row['sim_queue_max_packets'])}",
                count(row["sim_amplitude_packets"]),
                percent(row["sim_utilisation"]),
            ]
        made.add_row(row["kind"], *numbers)
    print_table(made)
    if any(row["kind"] == "dctcp" for row in rows):
        least = count(d["least_threshold_packets"])
        print(f"smallest threshold at which DCTCP uses the whole link with any number of flows: {least} packets\n")
