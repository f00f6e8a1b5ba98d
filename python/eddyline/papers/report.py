"""A reproduction as a folder: one self-contained page, the data as CSV and JSON, the figures as PNG and SVG."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from eddyline.folder_manifest import MANIFEST
from eddyline.papers.claims import KINDS, count
from eddyline.reports.files import write_exhibits
from eddyline.reports.page import PAGE, render_page

if TYPE_CHECKING:
    from pathlib import Path

    from eddyline.papers.reproduction import Reproduction

__all__ = ["FILES", "write"]

DOCUMENT = "reproduction.json"

FILES = (PAGE, DOCUMENT, "plots", "data", MANIFEST)
"""What a reproduction writes into its folder."""

_LABELS = dict(zip(KINDS, ("confirmed", "only in part", "refuted", "not decided"), strict=True))


def write(reproduction: Reproduction, folder: Path) -> Path:
    """Writes everything into an existing folder; returns the page."""
    write_exhibits(reproduction.exhibits, folder)
    document = json.dumps(reproduction.to_dict(), indent=2, ensure_ascii=False)
    (folder / DOCUMENT).write_text(document + "\n", "utf-8")
    file = folder / PAGE
    values = {"reproduction": reproduction, "plots": folder / "plots", "labels": _LABELS, "count": count}
    file.write_text(render_page("reproduction.html", **values), "utf-8")
    return file
