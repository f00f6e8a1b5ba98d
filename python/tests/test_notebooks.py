"""Notebooks run from top to bottom.

Their code cells are run here one after another in one namespace and what they show is rendered, as Jupyter would do it;
Jupyter itself is no requirement of the tests.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path

import matplotlib as mpl
import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples").glob("*.ipynb"))


def run(cell: str, namespace: dict[str, object]) -> object:
    tree = ast.parse(cell)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), namespace)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), namespace) if last else None


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 2


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    namespace: dict[str, object] = {"__name__": "__main__"}
    shown = 0
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == [], "notebooks are kept without outputs"
        value = run("".join(cell["source"]), namespace)
        if hasattr(value, "savefig"):
            value.savefig(tmp_path / f"{shown}.png")
        elif value is not None:
            assert getattr(value, "_repr_html_", value.__repr__)()
        shown += value is not None
    assert shown >= 3
