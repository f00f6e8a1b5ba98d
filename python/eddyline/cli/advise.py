"""`eddyline advise`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from eddyline.cli.options import controllers, path_option, silent
from eddyline.cli.outputs import draw, figure_size, require_writable_figure
from eddyline.cli.types import Controller, OneOf, Share
from eddyline.cli.unfinished import FEW
from eddyline.quantities import percent

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]


EPILOG = """\b
Examples:
  eddyline advise --isp docsis --down "250 Mbit/s" --up "20 Mbit/s" --plot before-and-after.png
  eddyline advise --isp vdsl2
  eddyline advise --down "2 Mbit/s" --up "192 kbit/s" --rtt "20 ms..300 ms"
  eddyline advise --down "100 Mbit/s" --up "20 Mbit/s" --rtt "10 ms..50 ms" --line cable --prefer latency
  eddyline advise --down "250 Mbit/s" --up "40 Mbit/s" --rtt "20 ms" --line vdsl --have sqm --wan pppoe-wan
  eddyline advise --down "16 Mbit/s" --up "2 Mbit/s" --rtt "40 ms" --have fifo --unit cells --uploads 1 --json
  eddyline advise --down "50 Mbit/s" --up "10 Mbit/s" --rtt "30 ms" --controllers my.py --controller mine
"""


@click.command("advise", short_help="size the buffers of an access link", epilog=EPILOG)
@click.option(
    "--isp",
    metavar="TYPE",
    help="What a home has: docsis, vdsl2, adsl, fttp, lte or starlink. Its usual values stand in for --down, --up, "
    "--rtt and --line; the advice is settings of OpenWrt's SQM, with the line simulated before and after.",
)
@click.option("--down", metavar="RATE", help='Rate towards the subscriber, as "2 Mbit/s"; measured.')
@click.option("--up", metavar="RATE", help='Rate away from the subscriber, as "192 kbit/s"; measured.')
@click.option(
    "--rtt",
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
    help="What decides among queues that suffice or come nearest: goodput over delay (default), delay (with --isp: of "
    "requests under load, the default there), or goodput.",
)
@click.option(
    "--have",
    type=OneOf(["linux", "sqm", "fifo", "codel", "pie", "fq_codel", "cake"]),
    help="What the router can set up: anything that Linux has (default), what OpenWrt's SQM runs (default with --isp), "
    "or one kind of queue.",
)
@click.option(
    "--line",
    metavar="LINE",
    help="What the line is: fibre, cable, vdsl, adsl, or a keyword of tc-cake(8) such as bridged-ptm. Its framing is "
    "simulated and set. Without it rates are those of IP packets.",
)
@click.option(
    "--share",
    type=Share(),
    help="The share of the line's rate at which the router sends, as in 0.9 or 90%. Default: 0.95 where the line is "
    "known, with --isp what suits the access type.",
)
@click.option(
    "--unit",
    type=OneOf(["bytes", "packets", "cells"]),
    default="bytes",
    show_default=True,
    help="What the limit of a FIFO counts on this equipment.",
)
@click.option(
    "--controller",
    type=Controller(),
    help="Congestion controller of all flows. Default: newreno, with --isp cubic.",
)
@controllers()
@click.option(
    "--wan", metavar="DEV", help="Interface towards the provider. Default: eth0, with --isp its usual name in OpenWrt."
)
@click.option("--lan", metavar="DEV", help="Interface towards the hosts. Default: eth1, with --isp br-lan.")
@path_option(
    "--plot",
    metavar="FILE",
    help="With --isp: draw latency and throughput under load before and after (.png, .svg, .pdf, .pgf).",
)
@figure_size()
@click.option("--json", "as_json", is_flag=True, help="Print the advice as one JSON document.")
@silent()
def command(isp: str | None, plot: Path | None, as_json: bool, silent: bool, **access: Any) -> int:
    """Choose the queue for an access link, size its buffers, and print the commands that set them up.

    A formula gives buffers that protect downloads and uploads from each other. Candidates around it and other queues
    are simulated with one to four flows each way, over the range of round-trip times, in every order of starts and in
    several phases. What counts is the worst case: a queue suffices if each direction keeps 85 % of its rate without the
    other. Of those that suffice, and that no other is better than in every respect, --prefer decides.

    Exit 0 also where no queue suffices: the advice then says why, and which queue comes nearest. --prefer decides among
    those whose worst share is within 5 percentage points of the largest one.

    With --isp the line of a home is simulated under four downloads and four uploads, with its own buffers and with the
    advised ones: the bufferbloat grade and the round trips a minute are from these runs. The grade is by the mean
    time of a request, without the TCP and TLS handshakes before it.
    """
    from eddyline.adviser import advise
    from eddyline.adviser.home import HomeAdvice, advise_home
    from eddyline.cli.advice_text import show, show_home
    from eddyline.cli.progress import Progress

    given = {key: value for key, value in access.items() if value is not None}
    if isp is None:
        missing = [f"--{name}" for name in ("down", "up", "rtt") if name not in given]
        if missing:
            from eddyline.adviser.isp import isps

            raise click.UsageError(f"{', '.join(missing)} missing, or --isp with one of {', '.join(isps())}")
        if plot is not None:
            raise click.UsageError("--plot draws a home's line before and after: it needs --isp")
    elif plot is not None:
        require_writable_figure(plot)
    if isp is not None:
        from eddyline.adviser.isp import isp as known

        for remark in known(isp).remarks(given.get("down"), given.get("up"), given.get("line")):
            click.echo(f"note: {remark}", err=True)
    with Progress(silent=silent) as progress:
        progress.expect(1)
        done = progress.count()
        advice = advise(**given, done=done) if isp is None else advise_home(isp, **given, done=done)
    if as_json:
        sys.stdout.write(json.dumps(advice.to_dict(), ensure_ascii=False) + "\n")
    elif isinstance(advice, HomeAdvice):
        show_home(advice)
    else:
        show(advice)
    if isinstance(advice, HomeAdvice):
        for when, share in (("before", advice.before.unanswered), ("after", advice.after.unanswered)):
            if share > FEW:
                said = f"{when}: {percent(share)} of the probe's connections had no answer"
                click.echo(f"note: {said}: times, RPM and grade are of the others", err=True)
    if plot is not None and isinstance(advice, HomeAdvice):
        draw(advice.plot(), plot)
    return 0
