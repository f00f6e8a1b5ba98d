"""A reproduction on the terminal: every exhibit as a table, then the claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from eddyline.papers.claims import count
from eddyline.reports.terminal import report_table, show_exhibit
from eddyline.tables import print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from eddyline.papers.claims import Verdict
    from eddyline.papers.reproduction import Reproduction

__all__ = ["show"]

_STYLE = {"confirmed": "green", "refuted": "red", "partly": "yellow", "undecided": "dim"}


def show(reproduction: Reproduction) -> None:
    """Prints to standard output."""
    paper = reproduction.paper
    print(f"{paper.title}\n{paper.source}\n")
    for exhibit in reproduction.exhibits:
        show_exhibit(exhibit)
    if reproduction.claims:
        print_table(_table("Claims", "the paper says", reproduction.claims))
    if reproduction.ours:
        print_table(_table("Statements of ours", "we say", reproduction.ours))
    counted = [f"{len(reproduction.exhibits)} of {reproduction.whole} exhibits"] if reproduction.left_out else []
    counted.append(_counted("claim", reproduction.claims))
    if reproduction.ours:
        counted.append(_counted("statement", reproduction.ours, " of ours"))
    print(
        "; ".join(counted) + f"; {reproduction.runs} simulations, {reproduction.packets / 1e6:.1f} million packets, "
        f"{reproduction.seconds:.1f} s"
    )


def _counted(what: str, verdicts: Sequence[Verdict], whose: str = "") -> str:
    counts = count(verdicts)
    plural = "" if len(verdicts) == 1 else "s"
    return (
        f"{len(verdicts)} {what}{plural}{whose}: {counts['confirmed']} confirmed, {counts['partly']} only in part, "
        f"{counts['refuted']} refuted" + (f", {counts['undecided']} not decided" if counts["undecided"] else "")
    )


def _table(title: str, says: str, verdicts: Sequence[Verdict]) -> Table:
    table = report_table(title)
    for name in ("verdict", "claim", says, "rule", "by"):
        table.add_column(name, overflow="fold")
    for v in verdicts:
        verdict = Text(v.verdict, style=_STYLE[v.kind])
        table.add_row(verdict, v.claim.id, v.claim.says, v.rule, v.shown)
    return table
