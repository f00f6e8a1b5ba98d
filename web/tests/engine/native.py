"""Runs scenarios in this process and prints what WebAssembly has to say too: a JSON document."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import eddyline
import eddyline._core as core
from eddyline.errors import InputError, ScenarioError

FILE = re.compile(r'\bfile\s*=\s*"([^"]+)"')


def one(file: str, seconds: float) -> dict[str, object]:
    """The run of one scenario, shortened to so many seconds."""
    path = Path(file)
    text = path.read_text()
    overrides: list[tuple[str, str]] = []
    given = {name: (path.parent / name).read_text() for name in FILE.findall(text) if (path.parent / name).is_file()}
    about: dict[str, object] = {"files": given, "errors": None, "refused": None}
    try:
        scenario = core.load(text, "toml", file, path.parent, overrides)
        if scenario.duration_s > seconds:
            overrides = [("duration", f"{seconds:g} s"), ("warmup", f"{seconds / 4:g} s")]
            scenario = core.load(text, "toml", file, path.parent, overrides)
    except ScenarioError as e:
        return about | {"overrides": overrides, "errors": e.diagnostics}
    about |= {"overrides": overrides, "sha256": scenario.sha256, "canonical": scenario.canonical}
    try:
        return about | {"json": scenario.run(core.SimOptions()).json}
    except InputError as e:
        return about | {"refused": str(e)}


def mistakes(text: str) -> list[dict[str, object]]:
    """The errors of an invalid text."""
    try:
        core.load(text, "toml", "mistake.toml", None, [])
    except ScenarioError as e:
        return e.diagnostics
    raise AssertionError(f"valid: {text}")


def main() -> None:
    """Reads the list of files from standard input."""
    asked = json.load(sys.stdin)
    errors = {text: mistakes(text) for text in asked["mistakes"]}
    runs = {file: one(file, asked["seconds"]) for file in asked["files"]}
    json.dump({"version": eddyline.__version__, "runs": runs, "mistakes": errors}, sys.stdout)


main()
