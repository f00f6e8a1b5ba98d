"""The page of instruction counts by version, `docs/concepts/instructions.md`, with its figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.functions import BETWEEN
from bench.history import TOLERANCE

if TYPE_CHECKING:
    from pathlib import Path

    from bench.history import Record

__all__ = ["draw", "page"]

_INTRODUCTION = f"""# Instructions by version

What a data packet with its acknowledgement costs in user-mode instructions, counted by callgrind as the difference of
two runs. Counts do not depend on the load of the machine, but on the compiler. These runs are short and begin soon
after the start, so the figures are not those of [performance](performance.md): W1 is near its steady state, W2-newreno
is in its first slow start and W4-newreno repairs the losses of one.

    .venv/bin/python benches/instructions.py            # counts, and compares with the last record
    .venv/bin/python benches/instructions.py --record   # adds the commit that is checked out

The check fails, with the functions that grew, if a workload takes {TOLERANCE:.0%} more than at the last record; CI runs
it where valgrind is installed. With another compiler than the last record's it compares nothing.

![Instructions a data packet by version](../images/instructions.png)
"""


def page(records: list[Record]) -> str:
    """The page."""
    names = list(BETWEEN)
    lines = [_INTRODUCTION]
    lines += [
        f"| commit | date | rustc | {' | '.join(names)} | change |",
        f"| --- | --- | --- |{' ---: |' * len(names)} --- |",
    ]
    for record in reversed(records):
        counts = [f"{record.workloads[name]['together']:.0f}" if name in record.workloads else "-" for name in names]
        subject = record.subject.replace("|", "\\|")
        lines.append(f"| {record.commit} | {record.date} | {record.rustc} | {' | '.join(counts)} | {subject} |")
    if records:
        lines.append("\nBy function at the last record; what is inlined counts where it is.\n")
        lines += [f"| function | {' | '.join(names)} |", f"| --- |{' ---: |' * len(names)}"]
        last = records[-1].workloads
        functions = {f: max(w.get(f, 0.0) for w in last.values()) for w in last.values() for f in w if f != "together"}
        for function in sorted(functions, key=lambda f: (-functions[f], f)):
            if functions[function] < 5.0:
                break
            row = [f"{last[n][function]:.0f}" if function in last.get(n, {}) else "" for n in names]
            lines.append(f"| `{function}` | {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def draw(records: list[Record], file: Path) -> None:
    """The figure: a line for each workload."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.2), layout="constrained")
    axes = figure.subplots()
    commits = [record.commit for record in records]
    for name in BETWEEN:
        axes.plot(commits, [r.workloads.get(name, {}).get("together") for r in records], marker="o", label=name)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("instructions a data packet")
    axes.tick_params(axis="x", rotation=45)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(frameon=False, ncols=2)
    figure.savefig(file, dpi=150)
