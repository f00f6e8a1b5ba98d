"""The notebooks as pages, with what is saved in them; a test runs them and compares it, so the site need not."""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

ALTERNATIVE = "What the code above draws"
OLD_ATTRIBUTES = re.compile(r' (?:border|style)="[^"]*"')
"""Attributes that pandas writes and the site's style replaces."""

ABOUT = "A notebook, with what it shows when it runs. To change something in it: [{name}]({name}), in Jupyter.\n"


def markdown(notebook: Path) -> str:
    """The text of a notebook's page; links are relative to the notebook."""
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    parts = [part for cell in cells for part in page_parts(cell)]
    heading, _, rest = parts[0].partition("\n")
    return "\n\n".join([heading, ABOUT.format(name=notebook.name), rest.strip(), *parts[1:]]) + "\n"


def page_parts(cell: dict[str, Any]) -> list[str]:
    """A cell's text or code, and what it shows."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    return [f"```python\n{source}\n```", *(output(shown["data"]) for shown in cell["outputs"])]


def output(data: dict[str, Any]) -> str:
    """What a cell shows, the richest form of it."""
    if "image/png" in data:
        image = "".join(data["image/png"]).replace("\n", "")
        return raw(f'<p class="shown"><img src="data:image/png;base64,{image}" alt="{ALTERNATIVE}"></p>')
    if "text/html" in data:
        table = re.sub(r"<style scoped>.*?</style>", "", "".join(data["text/html"]), flags=re.DOTALL)
        return raw(f'<div class="shown">{OLD_ATTRIBUTES.sub("", table)}</div>')
    return raw(f'<pre class="shown">{html.escape("".join(data["text/plain"]))}</pre>')


def raw(text: str) -> str:
    """HTML as it is."""
    return f"```{{raw}} html\n{text}\n```"
