"""Results as tables on the terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleDimensions
from rich.table import Table

from eddyline.latency import grade
from eddyline.quantities import bits_per_second, count, interval, percent, seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eddyline.runs import WorldRuns
    from eddyline.scenario import Result

__all__ = ["print_table", "show", "table"]

_MAX_ROWS = 20
_PIPED_WIDTH = 200
_ANY_WIDTH = 10_000
_MIN_NAME = 12  # characters of a line of a name
_BETWEEN = 3  # characters between columns

_Column = tuple[str, str, "Callable[[Any], str]"]

_FLOW: list[_Column] = [
    ("goodput", "goodput_bps", bits_per_second),
    ("packets/s", "packets_per_s", count),
    ("RTT mean", "rtt_s.mean", seconds),
    ("RTT p99", "rtt_s.p99", seconds),
    ("RPM", "responsiveness_rpm", count),
    ("queueing", "queueing_delay_s", seconds),
    ("forward", "forward_queueing_delay_s", seconds),
    ("reverse", "reverse_queueing_delay_s", seconds),
    ("window", "window_packets.mean", count),
    ("resent", "retransmits", count),
    ("timeouts", "timeouts", count),
]
_LINK: list[_Column] = [
    ("utilisation", "utilisation", percent),
    ("data", "data_utilisation", percent),
    ("ACKs", "ack_utilisation", percent),
    ("queue mean", "queue_packets.mean", count),
    ("queue max", "queue_packets.max", count),
    ("wait mean", "queueing_delay_s.mean", seconds),
    ("wait p99", "queueing_delay_s.p99", seconds),
    ("drops", "drops", count),
    ("lost", "lost", count),
    ("corrupted", "corrupted", count),
    ("bottleneck", "bottleneck_share", percent),
]
_OPTIONAL = ("corrupted", "unanswered", "overdue")  # neither column nor rows where nothing is counted
_GROUP: list[_Column] = [
    ("flows", "count", count),
    ("goodput", "goodput_bps.sum", bits_per_second),
    ("each mean", "goodput_bps.mean", bits_per_second),
    ("each min", "goodput_bps.min", bits_per_second),
    ("each max", "goodput_bps.max", bits_per_second),
    ("Jain", "jain_index", count),
    ("RTT mean", "rtt_s.mean", seconds),
    ("completed", "completed", count),
]
_ARRIVALS: list[_Column] = [
    ("arrived", "arrived", count),
    ("completed", "completed", count),
    ("overdue", "overdue", count),
    ("present", "mean_present", count),
    ("time mean", "completion_s.mean", seconds),
    ("time p50", "completion_s.p50", seconds),
    ("time p99", "completion_s.p99", seconds),
    ("resent", "retransmits", count),
    ("timeouts", "timeouts", count),
]
_TRAFFIC: list[_Column] = [
    ("arriving", "throughput_bps", bits_per_second),
    ("sent", "packets_sent", count),
    ("dropped", "packets_dropped", count),
    ("loss", "loss_ratio", percent),
    ("delay mean", "one_way_delay_s.mean", seconds),
    ("delay p50", "one_way_delay_s.p50", seconds),
    ("delay p99", "one_way_delay_s.p99", seconds),
    ("jitter", "jitter_s", seconds),
]
_PROBE: list[_Column] = [
    ("connections", "completed", count),
    ("unanswered", "unanswered", count),
    ("resent", "retransmits", count),
    ("idle", "idle_s", seconds),
    ("TCP mean", "tcp_s.mean", seconds),
    ("TLS mean", "tls_s.mean", seconds),
    ("HTTP mean", "http_s.mean", seconds),
    ("HTTP p99", "http_s.p99", seconds),
    ("RPM", "responsiveness_rpm", count),
    ("new", "foreign_rpm", count),
    ("loaded", "loaded_rpm", count),
    ("grade", "grade", str),
]
_PARTS = (
    ("flow", "flows", _FLOW),
    ("link", "links", _LINK),
    ("group", "groups", _GROUP),
    ("arrivals", "arrivals", _ARRIVALS),
    ("traffic", "traffic", _TRAFFIC),
    ("probe", "probes", _PROBE),
)


def quantity_headed(part: str, head: str) -> str | None:
    """The quantity that tables of `flows`, `links`, ... have below a heading, by its name in documents."""
    columns = next((columns for _, each, columns in _PARTS if each == part), [])
    return next((name for heading, name, _ in columns if heading == head), None)


def show(replies: Sequence[WorldRuns]) -> None:
    """Prints results: one run in wide tables where these fit, anything else with a row per quantity."""
    given = [reply for reply in replies if reply.results]
    if not given:
        return
    tables = _wide(_document(given[0].results[0])) if len(given) == 1 and len(given[0].results) == 1 else None
    if tables is None or not all(_fits(each) for each, _ in tables):
        tables = _side_by_side(given)
    for each, note in tables:
        print_table(each)
        if note:
            print(note)


def _console() -> Console:
    """Standard output without markup; where it is not a terminal, wide enough for whole lines."""
    piped = not sys.stdout.isatty()
    return Console(width=_PIPED_WIDTH if piped else None, highlight=False, soft_wrap=piped, markup=False, emoji=False)


def print_table(table: Table) -> None:
    """Prints to standard output. Its lines are longer than those of a terminal that is too narrow for its numbers."""
    console = _console()
    # both: with a width alone rich takes a dumb terminal for one of 80 columns
    console.size = ConsoleDimensions(max(console.width, _least_width(table, console)), console.height)
    console.print(table)


def _least_width(table: Table, console: Console) -> int:
    """The width at which no number is cut; names may be broken into lines."""
    options, width = console.options.update(max_width=_ANY_WIDTH), 0
    for column in table.columns:
        longest = max(console.measure(cell, options=options).maximum for cell in (column.header, *column.cells))
        width += (longest if column.no_wrap else min(longest, _MIN_NAME)) + _BETWEEN
    return width


def _fits(table: Table) -> bool:
    console = _console()
    width = console.measure(table, options=console.options.update(max_width=_ANY_WIDTH)).maximum
    return not sys.stdout.isatty() or width <= console.width


def table(title: str, first: str, names: Sequence[str]) -> Table:
    """An empty table: names of rows on the left, numbers on the right."""
    made = Table(title=title or None, box=SIMPLE_HEAD, title_justify="left", title_style="bold", pad_edge=False)
    made.add_column(first, overflow="fold")
    for name in names:
        made.add_column(name, justify="left" if name in ("controller", "quantity") else "right", no_wrap=True)
    return made


def _wide(document: dict[str, Any]) -> list[tuple[Table, str]]:
    """One row per flow or link; each table with a note below it."""
    tables = []
    title = f"{document['title']} (world {document['world']})"
    for kind, part, columns in _PARTS:
        rows = document.get(part, [])
        if not rows:
            continue
        hidden = [key for key in _OPTIONAL if not any(_counted(row, key) for row in rows)]
        columns = [column for column in columns if column[1] not in hidden]
        with_controller = kind == "flow"
        made = table(title, kind, [*(["controller"] if with_controller else []), *(name for name, _, _ in columns)])
        title = ""
        for row in rows[:_MAX_ROWS]:
            cells = [_cell(row, key, form) for _, key, form in columns]
            made.add_row(row["name"], *([row["controller"]] if with_controller else []), *cells)
        tables.append((made, _more(len(rows), part)))
    return tables


def _more(rows: int, part: str) -> str:
    return f"and {rows - _MAX_ROWS} more {part}: --json has them all\n" if rows > _MAX_ROWS else ""


def _side_by_side(replies: Sequence[WorldRuns]) -> list[tuple[Table, str]]:
    """One row per flow or link and quantity, one column per world."""
    from eddyline.summary import summarise

    most = max(len(a.results) for a in replies)
    documents = [summarise([_document(r) for r in a.results]) if most > 1 else _document(a.results[0]) for a in replies]
    failed = max(sum(f.error.result is not None for f in a.failures) for a in replies)
    among = f", of which {failed} failed" if failed else ""
    runs = f", {most} runs{among}: mean ± half of the 95 % interval" if most > 1 else ""
    title, tables = f"{documents[0]['title']}{runs}", []
    for kind, part, columns in _PARTS:
        rows = list(zip(*(d.get(part, []) for d in documents), strict=True))
        if not rows:
            continue
        made = table(title, kind, ["quantity", *(a.world for a in replies)])
        title = ""
        for row in rows[:_MAX_ROWS]:
            name = row[0]["name"]
            for label, key, form in columns:
                if key in _OPTIONAL and not any(_counted(each, key) for each in row):
                    continue
                cells = [_cell(each, key, form, most) for each in row]
                if any(cell != "-" for cell in cells):
                    made.add_row(name, label, *cells)
                    name = ""
            made.add_section()
        tables.append((made, _more(len(rows), part)))
    return tables


def _counted(row: dict[str, Any], key: str) -> bool:
    """Whether a count of a row, or its mean, is above zero."""
    value = row.get(key)
    return bool(value["mean"] if isinstance(value, dict) else value)


def _cell(row: dict[str, Any], key: str, form: Callable[[Any], str], most: int = 1) -> str:
    """A value of one run, or the mean of several, with their number where it is not that of the heading, `most`."""
    value: Any = row
    for step in key.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    if value is None:
        return "-"
    if isinstance(value, dict) and "ci95" in value:
        mean, bounds, n = value["mean"], value["ci95"], value["n"]
        text = form(mean) if bounds is None else interval(mean, (bounds[1] - bounds[0]) / 2, form)
        return f"{text} ({n} run{'s' if n > 1 else ''})" if n < most else text
    return form(value)


def _document(result: Result) -> dict[str, Any]:
    """The document with the drops of a link as one number, and a grade for the latency that probes see."""
    document = result.to_dict()
    for probe in document.get("probes", ()):
        probe["grade"] = grade(probe["idle_s"], probe["http_s"]["mean"])
    for link in document["links"]:
        drops = link["drops"]
        link["drops"] = sum(v or 0 for v in drops.values()) if any(drops.values()) else drops.get("data")
    return document
