"""Scorecards as Markdown, as JUnit XML and as the terminal's table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.gauntlet.measures import MEASURES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from eddyline.gauntlet.comparison import Change
    from eddyline.gauntlet.scorecard import Card, Verdict

__all__ = ["changed", "junit", "markdown", "summary", "terminal"]


def summary(card: Card) -> str:
    """One line on a card."""
    return f"{card.name}: {card.passed} of {len(card.verdicts)} passed (set {card.suite_version}, {card.seeds} seeds)"


def changed(change: Change, verdict: Verdict) -> str:
    """What an earlier card had, and whether the difference is beyond chance."""
    if change.kind == "new":
        return "new"
    measure = MEASURES[verdict.measure]
    before = "error" if change.before is None else measure.text(change.before)
    return f"{before}, {change.kind}"


def markdown(card: Card) -> str:
    """A table, the failures first in words."""
    lines = [f"## Gauntlet: {summary(card)}", ""]
    failed = (v for v in card.verdicts if not v.passed)
    lines += [f"- **{v.name}**: {v.error or v.why} ({v.text}, {v.bound.text})" for v in failed]
    lines += ["", *_table(card), ""]
    return "\n".join(lines)


def _table(card: Card) -> list[str]:
    cards = [card, *card.against]
    names = ["test", "what", "bound", *(c.name for c in cards), *([] if card.changes is None else ["base"])]
    lines = ["| " + " | ".join(names) + " |", "| " + " | ".join("---" for _ in names) + " |"]
    for place, v in enumerate(card.verdicts):
        marks = [_mark(c.verdicts[place]) for c in cards]
        base = [] if card.changes is None else [changed(card.changes[place], v)]
        cells = [v.name, v.tests, v.bound.text, *marks, *base]
        lines.append("| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |")
    totals = [f"{c.passed}/{len(c.verdicts)}" for c in cards]
    lines.append("| " + " | ".join(["passed", "", "", *totals, *([] if card.changes is None else [""])]) + " |")
    return lines


def _mark(verdict: Verdict) -> str:
    return verdict.text if verdict.passed else f"**{verdict.text}**"


def junit(card: Card, *, accept_known: bool = False) -> str:
    """A test case each; a failure says in words what the controller does."""
    from xml.etree import ElementTree as Xml

    failures = [_failure(card, place, accept_known) for place in range(len(card.verdicts))]
    count = sum(f is not None for f in failures)
    root = Xml.Element("testsuites")
    attributes = {"name": f"gauntlet {card.name}", "tests": str(len(failures)), "failures": str(count), "errors": "0"}
    suite = Xml.SubElement(root, "testsuite", attributes)
    for v, failure in zip(card.verdicts, failures, strict=True):
        case = Xml.SubElement(suite, "testcase", classname=f"gauntlet.{v.group}", name=v.name)
        if failure is not None:
            message = f"{v.text}, {v.bound.text}"
            Xml.SubElement(case, "failure", message=message).text = f"{v.tests}\n{failure}"
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _failure(card: Card, place: int, accept_known: bool) -> str | None:
    verdict = card.verdicts[place]
    change = None if card.changes is None else card.changes[place]
    if change is not None and change.bad:
        what = "worse than the base" if change.kind == "worse" else "passed in the base"
        return f"{what} ({changed(change, verdict)}): {verdict.error or verdict.why}"
    known = accept_known and change is not None and change.kind != "new"
    return None if verdict.passed or known else verdict.error or verdict.why


def terminal(card: Card) -> tuple[Table, Sequence[str]]:
    """A table and the sentences below it."""
    from rich.text import Text

    from eddyline.tables import table

    cards = [card, *card.against]
    names = ["bound", *(c.controller for c in cards), *([] if card.changes is None else ["base"])]
    made = table("", "test", names)
    group = ""
    for place, v in enumerate(card.verdicts):
        if v.group != group:
            made.add_section()
            group = v.group
        cells = [Text(v.bound.text)]
        for c in cards:
            one = c.verdicts[place]
            cells.append(Text(one.text) if one.passed else Text(f"{one.text} FAILED", style="bold red"))
        if card.changes is not None:
            change = card.changes[place]
            cells.append(Text(changed(change, v), style="bold red" if change.bad else ""))
        made.add_row(v.name, *cells)
    sentences = [f"{v.name}: {v.error or v.why}" for v in card.verdicts if not v.passed]
    return made, [*sentences, *([""] if sentences else []), *(summary(c) for c in cards)]
