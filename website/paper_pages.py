"""What the site adds to each paper's page: its claims with the verdicts of the whole reproduction, its scenarios."""

from __future__ import annotations

import html
import tomllib
from pathlib import Path

from figures import address, laboratory

import eddyline._core as core
from eddyline.errors import EddylineError
from eddyline.papers import papers

ROOT = Path(__file__).resolve().parents[1]
PINNED = ROOT / "python/tests/papers/pinned"


def paper_pages() -> dict[str, str]:
    """What follows the README of each paper, by page."""
    found = {}
    for paper in papers():
        place = f"papers/{paper.name}.md"
        with (PINNED / f"{paper.name}.toml").open("rb") as file:
            pins = tomllib.load(file)
        with (paper.folder / "claims.toml").open("rb") as file:
            claims = tomllib.load(file)["claim"]
        found[place] = verdicts(claims, pins) + scenarios(paper.folder / "scenarios", place)
    return found


def cell(text: str) -> str:
    """Text for a cell of a table."""
    return html.escape(" ".join(text.split()), quote=False).replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")


def verdicts(claims: list[dict[str, str]], pins: dict[str, dict[str, object]]) -> str:
    """Every claim with its verdict."""
    counted = {
        name: sum(str(pin["verdict"]).startswith(name) for pin in pins.values()) for name in ("confirmed", "refuted")
    }
    rest = len(pins) - sum(counted.values())
    lines = [
        "\n\n## Claims and verdicts\n",
        f"By the whole reproduction: {counted['confirmed']} claims confirmed, {counted['refuted']} refuted, "
        f"{rest} otherwise. The number decided. `eddyline reproduce` writes the report with all exhibits.\n",
        "| where | claim | verdict | number |",
        "| --- | --- | --- | --- |",
    ]
    for claim in claims:
        pin = pins.get(claim["id"], {})
        verdict, value = cell(str(pin.get("verdict", "not pinned"))), pin.get("value")
        number = "" if value is None else f"{value:g}" if isinstance(value, int | float) else str(value)
        lines.append(f"| {cell(claim['where'])} | {cell(claim['says'])} | {verdict} | {number} |")
    return "\n".join(lines) + "\n"


def scenarios(folder: Path, place: str) -> str:
    """Links that open the paper's scenarios in the laboratory; those that it cannot run are left out."""
    links = []
    for file in sorted(folder.rglob("*.toml")):
        text = file.read_text("utf-8")
        try:
            title = core.load(text, "toml", file.name, None, []).title
        except EddylineError:
            continue  # it reads other files
        shown = html.escape(title or file.stem)
        links.append(f'<li><a href="{laboratory(place)}#{address(text)}">{html.escape(file.stem)}</a>: {shown}</li>')
    if not links:
        return ""
    listed = "\n".join(links)
    return f"\n## Its scenarios in the laboratory\n\n```{{raw}} html\n<ul>\n{listed}\n</ul>\n```\n"
