"""A reproduction on the terminal: every exhibit as a table, then the claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from eddyline.papers.claims import count
from eddyline.papers.exhibit import cell
from eddyline.tables import print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.claims import Verdict
    from eddyline.papers.exhibit import Exhibit
    from eddyline.papers.reproduction import Reproduced

__all__ = ["show", "show_exhibit"]

_STYLE = {"confirmed": "green", "refuted": "red", "partly": "yellow", "undecided": "dim"}
_MOST = 24


def show(reproduced: Reproduced) -> None:
    """Prints to standard output."""
    paper = reproduced.paper
    print(f"{paper.title}\n{paper.source}\n")
    for exhibit in reproduced.exhibits:
        show_exhibit(exhibit)
    if reproduced.claims:
        print_table(_table("Claims", "the paper says", reproduced.claims))
    if reproduced.ours:
        print_table(_table("Statements of ours", "we say", reproduced.ours))
    counted = [_counted("claim", reproduced.claims)]
    if reproduced.ours:
        counted.append(_counted("statement", reproduced.ours, " of ours"))
    print(
        "; ".join(counted) + f"; {reproduced.runs} simulations, {reproduced.packets / 1e6:.1f} million packets, "
        f"{reproduced.seconds:.1f} s"
    )


def show_exhibit(exhibit: Exhibit) -> None:
    """Prints an exhibit's table and findings to standard output."""
    print_table(_exhibit(exhibit))
    if len(exhibit.rows) > _MOST:
        print(f"and {len(exhibit.rows) - _MOST} more rows: --json and --out have them all\n")
    for finding in exhibit.findings:
        print(f"{finding}\n")


def _counted(what: str, verdicts: Sequence[Verdict], whose: str = "") -> str:
    counts = count(verdicts)
    many = "" if len(verdicts) == 1 else "s"
    return (
        f"{len(verdicts)} {what}{many}{whose}: {counts['confirmed']} confirmed, {counts['partly']} only in part, "
        f"{counts['refuted']} refuted" + (f", {counts['undecided']} not decided" if counts["undecided"] else "")
    )


def _exhibit(exhibit: Exhibit) -> Table:
    title = Text.assemble(exhibit.title, "  ", (f"{exhibit.id}, {exhibit.place}", "dim"))
    table = Table(title=title, box=SIMPLE_HEAD, title_justify="left", title_style="bold", pad_edge=False)
    for column in exhibit.columns:
        words = any(isinstance(row.get(column.key), str) for row in exhibit.rows)
        head = column.label + (f"\n{column.unit}" if column.unit else "")
        table.add_column(head, justify="left" if words else "right", overflow="fold")
    for row in exhibit.rows[:_MOST]:
        table.add_row(*(cell(row, column) for column in exhibit.columns))
    return table


def _table(title: str, says: str, verdicts: Sequence[Verdict]) -> Table:
    table = Table(title=title, box=SIMPLE_HEAD, title_justify="left", title_style="bold", pad_edge=False)
    for name in ("verdict", "claim", says, "rule", "by"):
        table.add_column(name, overflow="fold")
    for v in verdicts:
        verdict = Text(v.verdict, style=_STYLE[v.kind])
        table.add_row(verdict, v.claim.id, v.claim.says, v.rule, v.shown)
    return table
