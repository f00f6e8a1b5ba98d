"""The verdict on every claim by the whole reproduction, pinned in `pinned/NAME.toml`.

`make pins` writes them, `make papers` compares. A pin that changes is a changed result, and belongs in the changelog.
"""

from __future__ import annotations

import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eddyline.papers import find, reproduce

from .thin import NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.claims import Verdict

__all__ = ["Pin", "read_pins", "write_pins"]

_FOLDER = Path(__file__).parent / "pinned"
_DIGITS = 3


@dataclass(frozen=True)
class Pin:
    """A verdict, and the number that decided, rounded; None where there is none."""

    verdict: str
    value: float | None = None


def read_pins(paper: str) -> dict[str, Pin]:
    """The pins of a paper, by claim."""
    with (_FOLDER / f"{paper}.toml").open("rb") as file:
        return {name: Pin(**table) for name, table in tomllib.load(file).items()}


def write_pins(paper: str, verdicts: Sequence[Verdict]) -> None:
    """Pins these verdicts."""
    lines = ["# Verdicts of the whole reproduction and the numbers that decided. Written by `make pins`."]
    for v in verdicts:
        value = "" if v.value is None else f", value = {v.value:.{_DIGITS}g}"
        lines.append(f'{v.claim.id} = {{ verdict = "{v.verdict}"{value} }}')
    (_FOLDER / f"{paper}.toml").write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or NAMES:
        made = reproduce(find(name))
        write_pins(name, made.verdicts)
        print(f"{name}: {len(made.verdicts)} verdicts, {made.seconds:.0f} s")
