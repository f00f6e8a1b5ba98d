"""Runs the notebooks in examples/ and saves what they show: `cd python/tests && python -m notebooks`.

Their code cells are run one after another in one namespace, and what they show is rendered as Jupyter does it; Jupyter
itself is not needed. The interactive notebook needs ipywidgets.
"""

from __future__ import annotations

import ast
import base64
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import matplotlib as mpl

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples").glob("*.ipynb"))

_DPI = 80


def run(cell: str, namespace: dict[str, object]) -> object:
    tree = ast.parse(cell)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), namespace)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), namespace) if last else None


def shown(value: object) -> dict[str, Any]:
    """What Jupyter shows of a value, by MIME type."""
    children = getattr(value, "children", None)
    if children is not None:  # a box of widgets: the picture stands for it where no kernel runs
        return {"image/png": base64.b64encode(children[-1].value).decode(), "text/plain": ["sliders, as they begin"]}
    bundle: dict[str, Any] = {}
    if hasattr(value, "savefig"):
        with io.BytesIO() as file:
            value.savefig(file, format="png", dpi=_DPI, metadata={"Software": None})
            bundle["image/png"] = base64.b64encode(file.getvalue()).decode()
        return {**bundle, "text/plain": ["<Figure>"]}
    html = getattr(value, "_repr_html_", None)
    if html is not None:
        bundle["text/html"] = html().splitlines(keepends=True)
    return {**bundle, "text/plain": repr(value).splitlines(keepends=True)}


def executed(path: Path) -> list[list[dict[str, Any]]]:
    """The outputs of each code cell of a notebook."""
    mpl.use("Agg")
    namespace: dict[str, object] = {"__name__": "__main__"}
    outputs = []
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        value = run("".join(cell["source"]), namespace)
        count = len(outputs) + 1
        if value is None:
            outputs.append([])
        else:
            data = shown(value)
            outputs.append([{"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"}])
    return outputs


def save(path: Path) -> None:
    """Runs a notebook and writes its outputs into it."""
    notebook = json.loads(path.read_text("utf-8"))
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        outputs = executed(path)
        os.chdir(before)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for count, (cell, saved) in enumerate(zip(cells, outputs, strict=True), 1):
        cell["outputs"], cell["execution_count"] = saved, count
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    for each in NOTEBOOKS:
        save(each)
        sys.stdout.write(f"{each.name}\n")
