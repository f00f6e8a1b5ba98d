"""`eddyline advise`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from eddyline.cli.options import controllers, silent
from eddyline.cli.types import Controller, OneOf

if TYPE_CHECKING:
    from eddyline.adviser import Advice
    from eddyline.adviser.trial import Outcome

__all__ = ["command"]


EPILOG = """\b
Examples:
  eddyline advise --down "2 Mbit/s" --up "192 kbit/s" --rtt "20 ms..300 ms"
  eddyline advise --down "100 Mbit/s" --up "20 Mbit/s" --rtt "30 ms" --uploads 10 --unit packets
  eddyline advise --down "16 Mbit/s" --up "1 Mbit/s" --rtt "40 ms" --unit cells --json
  eddyline advise --down "50 Mbit/s" --up "10 Mbit/s" --rtt "30 ms" --controllers my.py --controller mine
"""


@click.command("advise", short_help="size the buffers of an access link", epilog=EPILOG)
@click.option("--down", required=True, metavar="RATE", help='Rate towards the subscriber, as "2 Mbit/s".')
@click.option("--up", required=True, metavar="RATE", help='Rate away from the subscriber, as "192 kbit/s".')
@click.option(
    "--rtt",
    required=True,
    metavar="TIME[..TIME]",
    help='Round-trip time without queues, as "40 ms" or "20 ms..300 ms".',
)
@click.option("--uploads", default=1, show_default=True, metavar="N", help="Uploads beside the one download.")
@click.option(
    "--unit",
    type=OneOf(["bytes", "packets", "cells"]),
    default="bytes",
    show_default=True,
    help="What the limit of a FIFO counts on this equipment.",
)
@click.option(
    "--controller", type=Controller(), default="newreno", show_default=True, help="Congestion controller of all flows."
)
@controllers()
@click.option("--wan", default="eth0", show_default=True, metavar="DEV", help="Interface towards the provider.")
@click.option("--lan", default="eth1", show_default=True, metavar="DEV", help="Interface towards the hosts.")
@click.option("--json", "as_json", is_flag=True, help="Print the advice as one JSON document.")
@silent()
def command(as_json: bool, silent: bool, **access: Any) -> int:
    """Size both buffers of an access link, choose the queue, and print the commands that set them up.

    A formula gives buffers that protect a download and uploads from each other. Simulations around it, at the shortest
    and the longest round-trip time and with either direction starting first, measure the share that each direction
    keeps of its rate without the other. The simplest queue that keeps 85 % in both directions is advised.

    Exit 0 also where no queue suffices: the advice then says why, and which queue comes nearest.
    """
    from eddyline.adviser import advise
    from eddyline.cli.progress import Progress

    with Progress(silent=silent) as progress:
        progress.expect(1)
        advice = advise(**access, done=progress.count())
    if as_json:
        sys.stdout.write(json.dumps(advice.to_dict(), ensure_ascii=False) + "\n")
    else:
        _show(advice)
    return 0


def _show(advice: Advice) -> None:
    from eddyline.quantities import bits_per_second, percent, seconds
    from eddyline.tables import print_table, table

    choice = advice.choice
    best = choice.best
    if choice.possible:
        print(f"Advice: {best.family}")
    else:
        print(f"No queue suffices: {choice.why}.\nNearest: {best.family}")
    print(f"  down  {_queue(best.queues.down)}\n  up    {_queue(best.queues.up)}\n")
    columns = ["download", "of alone", "uploads", "of alone", "max delay"]
    outcomes = table("Simulated, the worst case over round-trip times and orders of start", "queue", columns)

    def row(name: str, o: Outcome) -> None:
        shares = percent(o.download_share), percent(o.upload_share)
        down, up = bits_per_second(o.download_bps), bits_per_second(o.upload_bps)
        outcomes.add_row(name, down, shares[0], up, shares[1], seconds(o.worst_delay_s))

    for tried in choice.by_family:
        row(tried.family + (" (advised)" if tried is best and choice.possible else ""), tried.outcome)
    row(f"default: {choice.default.queues.up['limit']}", choice.default.outcome)
    print_table(outcomes)
    predicted = advice.predicted()
    print(
        f"By formula: download {bits_per_second(predicted['download_bps'])}, "
        f"uploads {bits_per_second(predicted['upload_bps'])}, "
        f"max delay {seconds(predicted['worst_delay_s'])}\n"
    )
    print("Linux:")
    for each in advice.tc:
        print(f"  {each}")
    if advice.sqm:
        print("OpenWrt SQM:\n  uci set sqm.access='queue'")
        for each in advice.sqm:
            print(f"  {each}")
        print("  uci commit sqm && /etc/init.d/sqm restart")


def _queue(queue: Any) -> str:
    rest = ", ".join(f"{key} {value}" for key, value in queue.items() if key != "kind")
    return f"{queue['kind']}, {rest}" if rest else str(queue["kind"])
