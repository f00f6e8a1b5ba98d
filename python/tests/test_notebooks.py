"""Notebooks run from top to bottom and show what is saved in them, pictures included."""

from __future__ import annotations

import base64
import importlib.util
import json

import pytest
from notebooks import NOTEBOOKS, executed

WIDGETS = importlib.util.find_spec("ipywidgets") is not None


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_every_notebook_has_its_pictures(path):
    cells = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    images = [out["data"]["image/png"] for cell in cells for out in cell["outputs"] if "image/png" in out["data"]]
    assert images
    for image in images:
        assert base64.b64decode(image).startswith(b"\x89PNG")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook(path, tmp_path, monkeypatch):
    if "el.interact" in path.read_text("utf-8") and not WIDGETS:
        pytest.skip("ipywidgets is not installed")
    monkeypatch.chdir(tmp_path)
    saved = [cell["outputs"] for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    fresh = executed(path)
    assert [[sorted(out["data"]) for out in outputs] for outputs in fresh] == [
        [sorted(out["data"]) for out in outputs] for outputs in saved
    ]
    for new, old in zip(fresh, saved, strict=True):
        for a, b in zip(new, old, strict=True):
            assert a["data"].get("text/html") == b["data"].get("text/html"), "python -m notebooks saves what they show"
            if "text/html" not in a["data"]:
                assert a["data"]["text/plain"] == b["data"]["text/plain"]
