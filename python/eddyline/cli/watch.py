"""A table of flows and links that changes during a run, where standard error is a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from eddyline.quantities import bits_per_second, count, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.table import Table

    from eddyline.watching import Watcher

__all__ = ["drawn", "watching"]

_MAX_ROWS = 30


@contextmanager
def watching(duration_s: float) -> Iterator[Watcher]:
    """What to call with each line during a run; it does nothing where there is no terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as live:
        yield lambda line: live.update(drawn(line, duration_s), refresh=True)


def drawn(line: Mapping[str, Any], duration_s: float) -> Table:
    """The table of one moment."""
    from eddyline.tables import table

    title = f"{line['time_s']:.1f} of {duration_s:g} s"
    made = table(title, "", ["goodput", "window", "RTT", "resent", "queue"])
    for flow in line["flows"][:_MAX_ROWS]:
        goodput, rtt = bits_per_second(flow["goodput_bps"]), seconds(flow["srtt_s"])
        made.add_row(flow["name"], goodput, count(flow["cwnd_packets"]), rtt, count(flow["retransmits"]), "")
    made.add_section()
    for link in line["links"][:_MAX_ROWS]:
        made.add_row(link["name"], "", "", "", "", f"{link['packets']} packets")
    return made
