"""Sphinx's settings for the documentation site; `python website/stage.py` lays out the pages that it reads."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[1]

project = "Eddyline"
author = "The Eddyline developers"
project_copyright = author
release = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "index"
default_role = "code"  # in docstrings one backtick means code

# Anchors as GitHub makes them, so that links work in both places.
myst_heading_anchors = 6

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = "Eddyline"
html_static_path = [str(ROOT / "website" / "static"), str(ROOT / "target" / "site-figures")]
html_css_files = ["figure.css", "site.css"]
html_js_files = [("figure.js", {"defer": "defer"})]
html_extra_path = [str(ROOT / "target" / "site-extra")]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b62a8", "color-brand-content": "#0b62a8"},
    "dark_css_variables": {"color-brand-primary": "#6cb6f0", "color-brand-content": "#6cb6f0"},
}
html_show_search_summary = False  # they are fetched, which a browser refuses on pages from a disk


def accessible(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: object) -> None:
    """Says the level of the navigation's headings, and lets the keyboard scroll code and tables."""
    tree = context.get("furo_navigation_tree")
    if tree:
        context["furo_navigation_tree"] = tree.replace('role="heading"', 'role="heading" aria-level="2"')
    if context.get("body"):
        context["body"] = (
            context["body"]
            .replace("<pre>", '<pre tabindex="0">')
            .replace('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper')
        )


def setup(app: Sphinx) -> None:
    """Connects what runs before a page is written, after the theme's own."""
    app.connect("html-page-context", accessible, priority=900)
