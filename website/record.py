"""Records figures of several runs: `python website/record.py [NAME...]` writes docs/images/NAME.json, all by default.

They are to be recorded anew where their pictures are drawn anew. The tests of the site run each in part.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from recorded import papers, theory
from recorded.home import home
from recorded.sheets import sheet

from eddyline.kinds import controllers

if TYPE_CHECKING:
    from collections.abc import Callable

    from recorded.record import Record

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"

SHEETS = sorted(kind.name for kind in controllers() if kind.only_in is None and kind.name != "newreno")
"""NewReno's is the same as Reno's."""

FIGURES: dict[str, Callable[[], Record]] = {
    "response": theory.response,
    "sawtooth": theory.saw_tooth,
    "stability-map": theory.stability,
    "home": home,
    "buffer-estimate": papers.buffer_estimate,
    "buffer-packets": papers.buffer_packets,
    "upload-kills-download": papers.cures,
    **{f"controllers/{kind}": partial(sheet, kind) for kind in SHEETS},
    "controllers/dctcp-red": partial(sheet, "dctcp", "red"),
    "controllers/prague-dualpi2": partial(sheet, "prague", "dualpi2"),
}

if __name__ == "__main__":
    for name in sys.argv[1:] or FIGURES:
        file = IMAGES / f"{name}.json"
        file.write_text(FIGURES[name]().json(), "utf-8")
        print(f"{file.name}: {round(file.stat().st_size / 1000)} kB")
