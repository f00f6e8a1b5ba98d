"""Exhibits as tables on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from eddyline.reports.exhibit import cell
from eddyline.tables import print_table

if TYPE_CHECKING:
    from eddyline.reports.exhibit import Exhibit

__all__ = ["report_table", "show_exhibit"]

_MAX_ROWS = 24


def show_exhibit(exhibit: Exhibit) -> None:
    """Prints an exhibit's table and findings to standard output."""
    print_table(_table(exhibit))
    if len(exhibit.rows) > _MAX_ROWS:
        print(f"and {len(exhibit.rows) - _MAX_ROWS} more rows: --json and --out have them all\n")
    for finding in exhibit.findings:
        print(f"{finding}\n")


def report_table(title: str | Text) -> Table:
    """An empty table in the style of all reports."""
    return Table(title=title, box=SIMPLE_HEAD, title_justify="left", title_style="bold", pad_edge=False)


def _table(exhibit: Exhibit) -> Table:
    table = report_table(Text.assemble(exhibit.title, "  ", (f"{exhibit.id}, {exhibit.place}", "dim")))
    for column in exhibit.columns:
        head = column.label + (f"\n{column.unit}" if column.unit else "")
        table.add_column(head, justify="left" if column.key in exhibit.text_columns else "right", overflow="fold")
    for row in exhibit.rows[:_MAX_ROWS]:
        table.add_row(*(cell(row, column) for column in exhibit.columns))
    return table
