"""Scorecards as Markdown, as JUnit XML and as a table on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.gauntlet.measures import MEASURES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from eddyline.gauntlet.scorecard import Card, Change, Verdict

__all__ = ["changed", "junit", "markdown", "summary", "terminal"]


def summary(card: Card) -> str:
    """One line about a scorecard."""
    bad = [change.name for change in card.changes or () if change.bad]
    worse = f"; worse than the base: {', '.join(bad)}" if bad else ""
    passed = f"{card.passed} of {len(card.verdicts)} passed"
    seeds = f"{card.seeds} seed{'' if card.seeds == 1 else 's'}"
    return f"{card.name}: {passed} (set {card.suite_version}, {seeds}){worse}"


def changed(change: Change, verdict: Verdict) -> str:
    """The value of an earlier scorecard, and whether the difference is significant."""
    if change.kind == "new":
        return "new"
    measure = MEASURES[verdict.measure]
    earlier = "error" if change.before is None else measure.text(change.before)
    kind = change.kind
    if kind == "same":
        kind = "equal" if change.before == change.now else "within noise"
        if _undecided(change, verdict):
            kind = f"passed, {kind}"
    elif change.before is not None and change.now is not None and measure.text(change.now) == earlier:
        digits = next((d for d in range(4, 17) if f"{change.before:.{d}g}" != f"{change.now:.{d}g}"), 17)
        kind = f"{kind} ({change.before:.{digits}g}, now {change.now:.{digits}g})"
    return f"{earlier}, {kind}"


def _undecided(change: Change, verdict: Verdict) -> bool:
    """Whether a test fails that passed in the base, and the seeds do not suffice to tell the two apart."""
    return change.kind == "same" and not verdict.passed and change.passed_before is True


def markdown(card: Card) -> str:
    """The failures in words, then a table."""
    lines = [f"## Gauntlet: {summary(card)}", ""]
    failed = (v for v in card.verdicts if not v.passed)
    lines += [f"- **{v.name}**: {v.cause} ({v.text}, {v.bound.text})" for v in failed]
    lines += ["", *_table(card), ""]
    return "\n".join(lines)


def _table(card: Card) -> list[str]:
    cards = [card, *card.against]
    names = ["group", "test", "what", "bound", *(c.name for c in cards), *([] if card.changes is None else ["base"])]
    lines = ["| " + " | ".join(names) + " |", "| " + " | ".join("---" for _ in names) + " |"]
    for place, v in enumerate(card.verdicts):
        marks = [_mark(c.verdicts[place]) for c in cards]
        base = [] if card.changes is None else [changed(card.changes[place], v)]
        cells = [v.group, v.name, v.tests, v.bound.text, *marks, *base]
        lines.append("| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |")
    totals = [f"{c.passed}/{len(c.verdicts)}" for c in cards]
    lines.append("| " + " | ".join(["", "passed", "", "", *totals, *([] if card.changes is None else [""])]) + " |")
    return lines


def _mark(verdict: Verdict) -> str:
    return verdict.described if verdict.passed else f"**{verdict.described}**"


def junit(card: Card, *, accept_known: bool = False) -> str:
    """A test case for each test; a failure says in words what the controller does. Accepted ones are skipped."""
    from eddyline.junit import Case, Suite, document

    cases = []
    for place, v in enumerate(card.verdicts):
        why = failure(card, place, accept_known)
        accepted = why is None and not v.passed
        message = None if why is None and v.passed else f"{v.text}, {v.bound.text}{f': {v.lost}' if v.lost else ''}"
        if card.changes is not None and (accepted or (message is not None and v.passed)):
            message = f"{v.text}, base {changed(card.changes[place], v)}{f': {v.lost}' if v.lost else ''}"
        text = f"{v.tests}\n{v.cause if accepted else why}"
        cases.append(Case(f"gauntlet.{v.group}", v.name, message, text, skipped=accepted, seconds=v.seconds))
    known = [v.seconds for v in card.verdicts if v.seconds is not None]
    return document([Suite(f"gauntlet {card.name}", cases, sum(known) if known else None)])


def failure(card: Card, place: int, accept_known: bool) -> str | None:
    """Why a test counts as failed; None where it does not.

    Args:
        card: With or without a base.
        place: Of the test.
        accept_known: Tests that failed in the base too do not count, whether they are worse or not.
    """
    verdict = card.verdicts[place]
    change = None if card.changes is None else card.changes[place]
    if accept_known and change is not None and not verdict.passed and change.kind in ("same", "better", "worse"):
        return None
    if change is not None and change.bad:
        broken = "passed in the base" if change.passed_before else "had a value in the base"
        what = "worse than the base" if change.kind == "worse" else broken
        kept = f"within its bound, {verdict.bound.text}"  # what the test finds in those that fail is not true of it
        return f"{what} ({changed(change, verdict)}): {kept if verdict.passed else verdict.cause}"
    return None if verdict.passed else verdict.cause


def terminal(card: Card, *, accept_known: bool = False) -> tuple[Table, Sequence[str]]:
    """A table and the sentences below it."""
    from rich.text import Text

    from eddyline.gauntlet.suite import suite
    from eddyline.tables import table

    others = {test.name: test.others for test in suite().tests}
    cards = [card, *card.against]
    names = ["bound", *(c.controller for c in cards), *([] if card.changes is None else ["base"])]
    made = table("", "test", names)
    group = ""
    for place, v in enumerate(card.verdicts):
        if v.group != group:
            made.add_section()
            group = v.group
            made.add_row(Text(group, style="bold"))
        cells = [Text(f"{whose}: {v.bound.text}" if (whose := others.get(v.name)) else v.bound.text)]
        for c in cards:
            one = c.verdicts[place]
            cells.append(Text(one.described) if one.passed else Text(f"{one.described} FAILED", style="bold red"))
        if card.changes is not None:
            change = card.changes[place]
            cells.append(Text(changed(change, v), style="bold red" if change.bad else ""))
        made.add_row(v.name, *cells)
    sentences = [f"{v.name}: {v.cause}" for v in card.verdicts if not v.passed]
    return made, [
        *sentences,
        *([""] if sentences else []),
        *(summary(c) for c in cards),
        *_accepted(card, accept_known),
    ]


def _accepted(card: Card, accept_known: bool) -> list[str]:
    """Which tests fail and do not count, and why."""
    pairs = zip(card.verdicts, card.changes or (), strict=False)
    failed = [
        (v, change)
        for place, (v, change) in enumerate(pairs)
        if not v.passed and not failure(card, place, accept_known)
    ]
    unclear = [v.name for v, change in failed if _undecided(change, v)]
    known = [v.name for v, _ in failed if v.name not in unclear]
    said = [f"not counted, failed in the base too: {', '.join(known)}"] if known else []
    if unclear:
        more = (
            f"{card.seeds} seeds do not tell whether it is chance; --seeds {max(10, 2 * card.seeds)} in both runs may"
        )
        said.append(f"not counted, passed in the base, within noise: {', '.join(unclear)} ({more})")
    return said
