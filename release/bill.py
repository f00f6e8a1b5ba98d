"""Writes the software bill of materials, in CycloneDX 1.6: `python release/bill.py target/sbom/eddyline.cdx.json`.

What is compiled into the wheel and the WebAssembly module (Rust, from `cargo metadata`), what the wheel needs (Python,
from requirements.txt) and what is in the page (JavaScript, from web/package-lock.json): versions, hashes, licences.
"""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = ("eddyline-python", "eddyline-wasm")
IN_THE_PAGE = ("uplot",)

Component = dict[str, Any]


def component(kind: str, name: str, version: str, hashes: list[tuple[str, str]], licence: str | None) -> Component:
    """One library."""
    found: Component = {"type": "library", "name": name, "version": version, "purl": f"pkg:{kind}/{name}@{version}"}
    found["bom-ref"] = found["purl"]
    if hashes:
        found["hashes"] = [{"alg": algorithm, "content": content} for algorithm, content in hashes]
    if licence:
        found["licenses"] = [{"expression": licence.replace("/", " OR ")}]
    return found


def rust() -> list[Component]:
    """The crates that are compiled in, without those of the build alone."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    told = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)
    packages = {package["id"]: package for package in told["packages"]}
    needs = {
        node["id"]: [d["pkg"] for d in node["deps"] if any(kind["kind"] is None for kind in d["dep_kinds"])]
        for node in told["resolve"]["nodes"]
    }
    waiting = [i for i, package in packages.items() if package["name"] in SHIPPED]
    reached: set[str] = set()
    while waiting:
        one = waiting.pop()
        if one not in reached:
            reached.add(one)
            waiting += needs[one]
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    sums = {(p["name"], p["version"]): p.get("checksum") for p in locked}
    found = []
    for package in sorted((packages[i] for i in reached), key=lambda p: (p["name"], p["version"])):
        if package["source"] is not None:
            name, version = package["name"], package["version"]
            found.append(component("cargo", name, version, [("SHA-256", sums[name, version])], package["license"]))
    return found


def python() -> list[Component]:
    """What pip installs with the wheel; a package has a version for each range of Python."""
    pins = re.findall(r"^([a-z0-9._-]+)==([^ ;\\]+)", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    return [component("pypi", name, version, [], None) for name, version in pins]


def javascript() -> list[Component]:
    """What is bundled into the page."""
    packages = json.loads((ROOT / "web/package-lock.json").read_text())["packages"]
    found = []
    for name in IN_THE_PAGE:
        package = packages[f"node_modules/{name}"]
        algorithm, _, content = package["integrity"].partition("-")
        hashes = [({"sha512": "SHA-512"}[algorithm], base64.b64decode(content).hex())]
        found.append(component("npm", name, package["version"], hashes, package.get("license")))
    return found


def bill() -> dict[str, Any]:
    """The whole document; the same tree gives the same bytes."""
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    subject = component("pypi", "eddyline", version, [], "Apache-2.0 OR MIT") | {"type": "application"}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": subject},
        "components": [*rust(), *python(), *javascript()],
    }


if __name__ == "__main__":
    place = Path(sys.argv[1])
    place.parent.mkdir(parents=True, exist_ok=True)
    made = bill()
    place.write_text(json.dumps(made, indent=2) + "\n")
    print(f"{place}: {len(made['components'])} components")
