"""Sphinx's settings for the documentation site; `python website/stage.py` lays out the pages that it reads."""

from pathlib import Path

import tomllib

ROOT = Path(__file__).resolve().parents[1]

project = "Eddyline"
author = "The Eddyline developers"
project_copyright = author
release = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "index"
nitpicky = False

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
pygments_style = "friendly"
pygments_dark_style = "github-dark"
