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
    from eddyline.adviser.choice import Outcome

__all__ = ["command"]


EPILOG = """\b
Examples:
  eddyline advise --down "2 Mbit/s" --up "192 kbit/s" --rtt "20 ms..300 ms"
  eddyline advise --down "100 Mbit/s" --up "20 Mbit/s" --rtt "10 ms..50 ms" --line cable --prefer latency
  eddyline advise --down "250 Mbit/s" --up "40 Mbit/s" --rtt "20 ms" --line vdsl --have sqm --wan pppoe-wan
  eddyline advise --down "16 Mbit/s" --up "2 Mbit/s" --rtt "40 ms" --have fifo --unit cells --uploads 1 --json
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
@click.option(
    "--downloads", default="1..4", show_default=True, metavar="N[..N]", help="How many downloads run at a time."
)
@click.option("--uploads", default="1..4", show_default=True, metavar="N[..N]", help="How many uploads.")
@click.option(
    "--prefer",
    type=OneOf(["balance", "latency", "throughput"]),
    default="balance",
    show_default=True,
    help="What decides among queues that suffice: goodput over delay, delay, or goodput.",
)
@click.option(
    "--have",
    type=OneOf(["linux", "sqm", "fifo", "codel", "pie", "fq_codel", "cake"]),
    default="linux",
    show_default=True,
    help="What the router can set up: anything that Linux has, what OpenWrt's SQM runs, or one kind of queue.",
)
@click.option(
    "--line",
    metavar="LINE",
    help="What the line is: fibre, cable, vdsl, adsl, or a keyword of tc-cake(8) such as bridged-ptm. Its framing is "
    "simulated and set. Without it rates are those of IP packets.",
)
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
    """Choose the queue for an access link, size its buffers, and print the commands that set them up.

    A formula gives buffers that protect downloads and uploads from each other. Candidates around it and other queues
    are simulated with one to four flows each way, over the range of round-trip times, in every order of starts and in
    several phases. What counts is the worst case: a queue suffices if each direction keeps 85 % of its rate without the
    other. Of those that suffice, and that no other is better than in every respect, --prefer decides.

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
        print(f"No queue suffices:\n  {choice.why}\nNearest: {best.family}")
    print(f"  down  {_queue(best.queues.down)}\n  up    {_queue(best.queues.up)}\n")
    columns = ["download", "of alone", "uploads", "of alone", "max delay", "fairness", "cases"]
    outcomes = table(f"Simulated, the worst of {choice.cases} cases", "queue", columns)

    def row(name: str, o: Outcome) -> None:
        shares = percent(o.download_share), percent(o.upload_share)
        down, up = bits_per_second(o.download_bps), bits_per_second(o.upload_bps)
        cells = (down, shares[0], up, shares[1], seconds(o.worst_delay_s), f"{o.fairness:.2f}")
        outcomes.add_row(name, *cells, f"{o.cases}" if o.cases >= choice.cases else f"out after {o.cases}")

    for tried in (*choice.by_family, choice.default):
        name = tried.family if tried is not choice.default else f"default: {tried.queues.up['limit']}"
        row(name + (" (advised)" if tried is best and choice.possible else ""), tried.outcome)
    print_table(outcomes)
    for trade in choice.trades:
        print(trade)
    predicted = advice.predicted()
    print(
        f"By formula: download {bits_per_second(predicted['download_bps'])}, "
        f"uploads {bits_per_second(predicted['upload_bps'])}, "
        f"max delay {seconds(predicted['worst_delay_s'])}"
    )
    print(f"{_shaped(advice)}\n")
    print("Linux:")
    for each in advice.tc:
        print(f"  {each}")
    if advice.sqm and advice.sqm_pages:
        print("OpenWrt, Network > SQM QoS:")
        for page, entries in advice.sqm_pages.items():
            print(f"  {page}: {entries}")
        print("or on its command line:\n  uci set sqm.access='queue'")
        for each in advice.sqm:
            print(f"  {each}")
        print("  uci commit sqm && /etc/init.d/sqm restart")


def _shaped(advice: Advice) -> str:
    """What the shaper takes the line for."""
    from eddyline.adviser.line import LINES
    from eddyline.quantities import percent

    line = advice.access.line
    shaped = f"Shaped to {percent(line.share)} of the line, framing "
    if line.name not in LINES:
        return shaped + "not counted: --line fibre, cable, vdsl or adsl does"
    linklayer = "" if line.linklayer == "none" else f", {line.linklayer.upper()}"
    return shaped + f"{line.name}: {line.overhead_B} bytes a packet, at least {line.minimum_B}{linklayer}"


def _queue(queue: Any) -> str:
    rest = ", ".join(f"{key} {value}" for key, value in queue.items() if key != "kind")
    return f"{queue['kind']}, {rest}" if rest else str(queue["kind"])
