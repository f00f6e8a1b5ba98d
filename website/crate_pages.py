"""The pages that rustdoc makes of the public crates, and the table that leads to them."""

from __future__ import annotations

import html
import os
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = "rust"
"""Where the pages are in the site."""

MARK = "<!-- crates -->"
EXECUTABLES = ("eddyline-live",)
"""Published, and of no use to other crates."""


def crates() -> list[tuple[str, str]]:
    """Name and description of every crate that is published as a library, from the bottom up."""
    members = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["members"]
    packages = [tomllib.loads((ROOT / member / "Cargo.toml").read_text())["package"] for member in members]
    public = [p for p in packages if p.get("publish", True) and p["name"] not in EXECUTABLES]
    return [(p["name"], p["description"]) for p in public]


def with_table(text: str, place: str) -> str:
    """The text with the table of crates, where it has the mark for it."""
    if MARK not in text:
        return text
    there = os.path.relpath(FOLDER, Path(place).parent)
    rows = [
        f'<tr><td><a href="{there}/{re.sub("-", "_", name)}/index.html"><code>{name}</code></a></td>'
        f"<td>{html.escape(said, quote=False)}</td></tr>"
        for name, said in crates()
    ]
    table = "\n".join(["<table>", "<thead><tr><th>crate</th><th>what it is</th></tr></thead>", *rows, "</table>"])
    return text.replace(MARK, f"```{{raw}} html\n{table}\n```")
