"""Compares the version in every file that has one: `python release/versions.py [VERSION]`."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def versions() -> dict[str, str]:
    """The version by file."""
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]
    found = {"Cargo.toml": cargo["package"]["version"]}
    for name, wanted in cargo["dependencies"].items():
        if isinstance(wanted, dict) and "path" in wanted:
            found[f"Cargo.toml, {name}"] = wanted.get("version", "none")
    for package in tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]:
        if "source" not in package:
            found[f"Cargo.lock, {package['name']}"] = package["version"]
    for name in ("web/package.json", "web/npm/package.json"):
        found[name] = json.loads((ROOT / name).read_text())["version"]
    for name in ("CITATION.cff", "release/conda/recipe.yaml"):
        match = re.search(r"^ *version: *\"?([\d.]+)", (ROOT / name).read_text(), re.MULTILINE)
        found[name] = match[1] if match else "none"
    return found


def main() -> int:
    """Prints what differs; 0 if nothing does."""
    known = versions()
    wanted = sys.argv[1] if len(sys.argv) > 1 else known["Cargo.toml"]
    wrong = {file: version for file, version in known.items() if version != wanted}
    for file, version in wrong.items():
        print(f"error: {file} has version {version}, not {wanted}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
