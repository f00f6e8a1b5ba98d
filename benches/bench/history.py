"""What a packet has cost in each version: the records in `benches/instructions.json`, and what has grown."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["TOLERANCE", "Record", "compiler", "load", "worse", "write"]

TOLERANCE = 0.03
"""A workload may take this share more than the last record says."""
_LEAST = 1.0
"""Functions below so many instructions a packet are not recorded."""


@dataclass(frozen=True)
class Record:
    """One version."""

    commit: str
    date: str
    subject: str
    rustc: str
    workloads: dict[str, dict[str, float]]
    """Of each workload, instructions a data packet by function; `together` is the sum, with those that are left out."""

    @staticmethod
    def of(root: Path, counted: dict[str, dict[str, float]]) -> Record:
        """What was counted at the commit that is checked out in `root`."""
        command = ["git", "log", "-1", "--format=%h%n%cs%n%s"]
        said = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
        commit, date, subject = said.splitlines()
        return Record(commit, date, subject, compiler(), {name: _kept(parts) for name, parts in counted.items()})


def compiler() -> str:
    """The version of the compiler, on which counts depend."""
    said = subprocess.run(["rustc", "--version"], check=True, capture_output=True, text=True).stdout
    found = re.search(r"\d+\.\d+\.\d+", said)
    return found[0] if found else said.strip()


def _kept(parts: dict[str, float]) -> dict[str, float]:
    kept = {name: round(count, 1) for name, count in parts.items() if count >= _LEAST}
    return {"together": round(sum(parts.values()), 1), **kept}


def load(file: Path) -> list[Record]:
    """All records, oldest first."""
    if not file.exists():
        return []
    return [Record(**record) for record in json.loads(file.read_text(encoding="utf-8"))]


def write(file: Path, records: list[Record]) -> None:
    """Writes all records; one of the same commit takes the place of the one before."""
    last = {record.commit: record for record in records}
    aside = file.with_suffix(".new")
    aside.write_text(json.dumps([asdict(r) for r in last.values()], indent=1) + "\n", encoding="utf-8")
    aside.replace(file)


def worse(before: Record, counted: dict[str, dict[str, float]]) -> list[str]:
    """A sentence for each workload that takes more than it may, with the functions that grew most."""
    found = []
    for name, parts in counted.items():
        recorded = before.workloads.get(name)
        now = sum(parts.values())
        if recorded is None or now <= recorded["together"] * (1 + TOLERANCE):
            continue
        growth = {function: count - recorded.get(function, 0.0) for function, count in parts.items()}
        most = sorted(growth.items(), key=lambda item: -item[1])[:3]
        grown = ", ".join(f"{function} by {by:.0f}" for function, by in most if by >= _LEAST)
        found.append(
            f"{name}: {now:.0f} instructions a data packet, {now / recorded['together'] - 1:.1%} more than at"
            f" {before.commit} ({recorded['together']:.0f}); what grew: {grown}"
        )
    return found
