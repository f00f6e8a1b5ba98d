"""Records figures of several runs: `python website/record.py [NAME...]` writes docs/images/NAME.json, all by default.

They are to be recorded anew where their pictures are drawn anew. The tests of the site run each in part.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from recorded import theory

if TYPE_CHECKING:
    from collections.abc import Callable

    from recorded.record import Record

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"

FIGURES: dict[str, Callable[[], Record]] = {
    "response": theory.response,
    "sawtooth": theory.saw_tooth,
    "stability-map": theory.stability,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or FIGURES:
        file = IMAGES / f"{name}.json"
        file.write_text(FIGURES[name]().json(), "utf-8")
        print(f"{file.name}: {round(file.stat().st_size / 1000)} kB")
