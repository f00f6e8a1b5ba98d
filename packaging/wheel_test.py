"""Installs a wheel in an empty environment outside the checkout and uses it there as people do.

    python packaging/wheel_test.py target/wheels/eddyline-*.whl

By default pip installs what the wheel needs, as it does for a user. `--dependencies FOLDER` takes the packages of another
environment instead, which costs seconds where that costs a minute; the package itself is the wheel's in both cases.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# the fastest exhibit of each paper
EXHIBITS = {
    "two-way-fast": "example-1",
    "asymmetric-fast": "derivation",
    "bidirectional-tcp": "rule-of-thumb",
    "vfast": "eq-4-step",
    "fast-overview": "vegas-loss",
}

COMMANDS = [
    ["--version"],
    ["list"],
    ["init", "upload.toml", "--preset", "upload"],
    ["run", "upload.toml", "--out", "result"],
    ["verify", "result"],
    *(["reproduce", paper, "--exhibit", exhibit, "--out", f"reports/{paper}"] for paper, exhibit in EXHIBITS.items()),
    ["gauntlet", "--controller", "cubic", "--only", "two-way", "--out", "card"],
    ["advise", "--down", "8 Mbit/s", "--up", "2 Mbit/s", "--rtt", "30 ms", "--downloads", "1", "--uploads", "1"],
]

NOTEBOOK = """\
import importlib.util, json, sys
import matplotlib
matplotlib.use("Agg")
cells = ["".join(c["source"]) for c in json.load(open(sys.argv[1]))["cells"] if c["cell_type"] == "code"]
if any("el.interact" in c for c in cells) and importlib.util.find_spec("ipywidgets") is None:
    print("skipped: ipywidgets is not installed")
else:
    names = {"__name__": "__main__"}
    for cell in cells:
        exec(compile(cell, sys.argv[1], "exec"), names)
"""


def main() -> int:
    """Runs everything; 0 if all of it worked."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--dependencies", type=Path, help="site-packages of an environment that has what the wheel needs")
    parser.add_argument("--extra", default="", help="an extra to install too, as in notebook")
    given = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="wheel-test-") as folder:
        place = Path(folder)
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
        tools = install(place / "env", given, environment)
        work = place / "work"
        work.mkdir()
        where = output([tools / "python", "-c", "import eddyline; print(eddyline.__file__)"], work, environment)
        if not Path(where).is_relative_to(place):
            print(f"error: eddyline comes from {where}, not from the wheel", file=sys.stderr)
            return 1
        notebooks = sorted((ROOT / "examples").glob("*.ipynb"))
        tasks = [[tools / "eddyline", *words] for words in COMMANDS]
        tasks += [[tools / "python", "-c", NOTEBOOK, notebook] for notebook in notebooks]
        for task in tasks:
            shown = f"eddyline {' '.join(map(str, task[1:]))}" if task[0].name == "eddyline" else task[-1].name
            failed += not succeeded(task, shown, work, environment)
        failed += not complete(work)
    print(f"{len(tasks)} tasks, {failed} failed")
    return 1 if failed else 0


def install(folder: Path, given: argparse.Namespace, environment: dict[str, str]) -> Path:
    """An environment with the wheel in it; its folder of programs."""
    venv.create(folder, with_pip=True)
    tools = folder / ("Scripts" if os.name == "nt" else "bin")
    what = f"{given.wheel}[{given.extra}]" if given.extra else str(given.wheel)
    options = ["--no-deps", "--no-index"] if given.dependencies else []
    pip = [str(tools / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *options, what], check=True, env=environment)
    if given.dependencies:
        environment["PYTHONPATH"] = str(given.dependencies.resolve())
    return tools


def output(command: list[object], folder: Path, environment: dict[str, str]) -> str:
    """What a command prints."""
    ran = subprocess.run([*map(str, command)], cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def succeeded(command: list[object], shown: str, folder: Path, environment: dict[str, str]) -> bool:
    """Runs a command, and says how it went."""
    began = time.monotonic()
    ran = subprocess.run([*map(str, command)], cwd=folder, env=environment, capture_output=True, text=True)
    good = ran.returncode == 0
    print(f"{'ok    ' if good else 'FAILED'} {time.monotonic() - began:5.1f} s  {shown}", flush=True)
    if not good:
        print(ran.stdout[-2000:], ran.stderr[-4000:], sep="\n", file=sys.stderr)
    return good


def complete(folder: Path) -> bool:
    """Whether the commands left what they promise."""
    wanted = [folder / "result" / "manifest.json", *(folder / "reports" / paper / "report.html" for paper in EXHIBITS)]
    absent = [str(file.relative_to(folder)) for file in wanted if not file.is_file()]
    if absent:
        print(f"error: not written: {', '.join(absent)}", file=sys.stderr)
        return False
    return bool(json.loads(wanted[0].read_text()))


if __name__ == "__main__":
    sys.exit(main())
