"""HTML pages from the templates of this package, each a single file without references to others."""

from __future__ import annotations

import base64
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from eddyline.reports.exhibit import cell

__all__ = ["PAGE", "data_uri", "render_page"]

PAGE = "report.html"
"""Name of the page in a report's folder."""

_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}


def render_page(template: str, **values: Any) -> str:
    """The page of a template in `templates/`; values are escaped."""
    return _environment().get_template(template).render(values)


def data_uri(image: Path | bytes) -> str:
    """An SVG or PNG file, or the bytes of a PNG, as the address of an image within the page."""
    kind, data = (_TYPES[image.suffix], image.read_bytes()) if isinstance(image, Path) else (_TYPES[".png"], image)
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"cell": cell, "data_uri": data_uri}
    return environment
