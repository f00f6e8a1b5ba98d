"""`eddyline theory response`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from eddyline.cli.theory.question import output_options, shown_document
from eddyline.cli.types import KindWith, OneOf

if TYPE_CHECKING:
    from pathlib import Path

    from eddyline.theory import Responses

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  eddyline theory response reno --loss '0.1 %' --rtt '100 ms'
  eddyline theory response reno cubic --loss 1e-4..1e-2:7:log --rtt '80 ms' --losses random --with-sim --plot r.png
  eddyline theory response reno cubic highspeed scalable --loss 1e-7..1e-2:51:log --rtt '100 ms' --plot response.png
"""

_MAX_ROWS = 60


@click.command("response", epilog=EXAMPLES, short_help="window and rate of a loss-based sender at a given loss ratio")
@click.argument(
    "kind",
    nargs=-1,
    required=True,
    metavar="KIND...",
    type=KindWith("response_function"),
)
@click.option(
    "--loss",
    required=True,
    metavar="P",
    help="Share of packets lost: 0.001, '0.1 %', a list with commas, or LO..HI:POINTS:log.",
)
@click.option("--rtt", required=True, metavar="TIME", help="Round-trip time, queueing included.")
@click.option("--packet", default="1500 B", show_default=True, metavar="SIZE", help="A data packet on the wire.")
@click.option(
    "--ack-every",
    type=click.IntRange(1, 1_000_000),
    default=1,
    show_default=True,
    metavar="N",
    help="Data packets an acknowledgement; matters to Reno, whose window grows by acknowledgements here.",
)
@click.option(
    "--losses",
    type=OneOf(["periodic", "random"]),
    default="periodic",
    show_default=True,
    help="Every 1/P-th packet, or each with probability P; matters to Reno's response function and all simulations.",
)
@click.option("--with-sim", is_flag=True, help="Simulate each sender at each loss too, from 1e-6 on.")
@output_options("window and throughput over loss")
def command(
    kind: tuple[str, ...],
    loss: str,
    rtt: str,
    packet: str,
    ack_every: int,
    losses: str,
    with_sim: bool,
    as_json: bool,
    plot: Path | None,
    quiet: bool,
) -> int:
    """Compute the mean window and rate of a loss-based sender of each KIND at a loss ratio P.

    Response functions ignore timeouts: they are too large where windows are a few packets, above a loss of about 1 %.

    A simulation of periodic losses is one run of 200 losses. Of random ones there are 10 runs at each P, all with seeds
    of their own, of 500 losses each (fewer below a P of 5e-4, at least 100): the table has their mean and half of its
    95 % interval. Runs last at least 400 round trips, and those of rare losses take long.
    """
    from eddyline.cli.theory.quantities import many, one
    from eddyline.theory import responses

    size = one("--packet", packet, "B", "1500 B")
    if not 1 <= size <= 1e9:
        raise click.UsageError(f"--packet {packet}: allowed are 1 B to 1 GB")
    found = responses(
        kind,
        many("--loss", loss, "", "0.1 %"),
        one("--rtt", rtt, "s", "100 ms"),
        packet_bytes=round(size),
        ack_every=ack_every,
        losses=losses,
        with_sim=with_sim,
    )
    return shown_document(found, _show, as_json=as_json, plot=plot, quiet=quiet)


def _show(document: Responses) -> None:
    from eddyline.quantities import bits_per_second, count, interval, seconds
    from eddyline.tables import print_table, table

    d = document.to_dict()
    title = f"round trip {seconds(d['rtt_s'])}, {d['losses']} losses"
    simulated = "sim_window_packets" in d["responses"][0]
    heads = ["loss", "mean window", *(["simulated"] if simulated else []), "packets/s", "throughput"]
    made = table(title, "sender", heads)
    for row in d["responses"][:_MAX_ROWS]:
        half = row.get("sim_ci95_half_packets")
        window = row.get("sim_window_packets")
        sim = (count(window) if half is None else interval(window, half, count),) if simulated else ()
        numbers = (
            count(row["window_packets"]),
            *sim,
            count(row["packets_per_s"]),
            bits_per_second(row["throughput_bps"]),
        )
        made.add_row(row["kind"], f"{row['loss']:.4g}", *numbers)
    print_table(made)
    if len(d["responses"]) > _MAX_ROWS:
        print(f"and {len(d['responses']) - _MAX_ROWS} more: --json has them all\n")
    ran = [row for row in d["responses"] if row.get("sim_runs")]
    if ran:
        print(f"simulated: {_runs(ran)}\n")


def _runs(rows: list[dict[str, Any]]) -> str:
    """What the simulated windows are the mean of."""
    from eddyline.quantities import seconds

    most, times = max(row["sim_runs"] for row in rows), [row["sim_measured_s"] for row in rows]
    length = " to ".join(dict.fromkeys((seconds(min(times)), seconds(max(times)))))
    if most == 1:
        return f"one run of {length} after slow start"
    return f"means of {most} runs of {length} after slow start, with seeds of their own, ± half of the 95 % interval"
