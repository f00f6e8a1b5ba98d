"""Figures that run again in the browser, and links that open a scenario in the laboratory."""

from __future__ import annotations

import base64
import html
import json
import os
import re
import zlib
from pathlib import Path

import eddyline._core as core
from eddyline.errors import EddylineError

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"

MARK = re.compile(r"^<!-- rerun (\S+?)(?::((?: \w+)+))? -->\n\n?(!\[.*?\]\([^)]+\))$", re.DOTALL | re.MULTILINE)
"""A comment before a picture: the scenario file that it shows and which charts, or the record of its several runs."""

FENCED = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
BLOCK = re.compile(r"^```toml\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def address(text: str) -> str:
    """What follows the # in the laboratory's address to show a scenario."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    state = json.dumps({"story": "upload", "a": text}, ensure_ascii=False).encode()
    packed = packer.compress(state) + packer.flush()
    return "1." + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def laboratory(place: str) -> str:
    """The laboratory's file, seen from a page of the site."""
    return os.path.relpath("laboratory/index.html", Path(place).parent)


def carried(kind: str, text: str) -> str:
    """Text that a page carries for its scripts."""
    escaped = text.replace("</", "<\\/") if kind == "result" else text
    if "</script" in escaped:
        raise ValueError("a script within a script would end it")
    return f'<script type="text/plain" data-is="{kind}">{escaped}</script>'


def rerun(text: str, page: Path) -> str:
    """The text with its marked pictures as figures, with the scenario and the result of its run on this machine."""

    def figure(match: re.Match[str]) -> str:
        file = (page.parent / match[1]).resolve()
        if file.suffix == ".json":
            return several(file, match[3])
        scenario = file.read_text("utf-8")
        result = core.load(scenario, "toml", file.name, file.parent, []).run(core.SimOptions()).json
        name = html.escape(file.name, quote=True)
        opened = f"LABORATORY#{address(scenario)}"
        return (
            f'```{{raw}} html\n<div class="rerun" data-name="{name}" data-charts="{match[2].strip()}">\n'
            f'<div class="rerun-bar"><a href="{opened}">Open it in the laboratory</a></div>\n```\n\n{match[3]}\n\n'
            f"```{{raw}} html\n{carried('scenario', scenario)}\n{carried('result', result)}\n</div>\n```"
        )

    parts = FENCED.split(text)  # what shows how to mark a picture marks none
    return "".join(part if i % 2 else MARK.sub(figure, part) for i, part in enumerate(parts))


def several(file: Path, picture: str) -> str:
    """A picture of several runs, with what its record says of them; the record itself is loaded when it is wanted."""
    record = json.loads(file.read_text("utf-8"))
    runs = [run for run in record["runs"] if run["world"] != "response"]
    counts = {"simulation": sum(run["world"] == "sim" for run in runs)}
    ms = sum(run["ms"] for run in runs)
    if product := record.get("product"):
        cells = len(product["x"]) * len(product["y"])
        counts["analysis"] = cells
        ms += cells * product["run"]["ms"]
    plural = {"simulation": "simulations", "analysis": "analyses of stability"}
    said = " and ".join(f"{n:,} {plural[what] if n > 1 else what}" for what, n in counts.items() if n)
    name = html.escape(record_name(file), quote=True)
    return (
        f'```{{raw}} html\n<div class="rerun" data-record="{name}" data-runs="{said}" data-ms="{round(ms)}">\n'
        f'<div class="rerun-bar"></div>\n```\n\n{picture}\n\n```{{raw}} html\n</div>\n```'
    )


def record_name(file: Path) -> str:
    """The name of a record: its place among the pictures, without ending."""
    return file.relative_to(IMAGES).with_suffix("").as_posix()


def record_scripts(folder: Path) -> None:
    """Writes the records as scripts, which a page from a disk may load too."""
    for file in sorted(IMAGES.rglob("*.json")):
        script = folder / f"{record_name(file)}.js"
        script.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(json.loads(file.read_text("utf-8")), separators=(",", ":"))
        script.write_text(
            f"(globalThis.eddylineRecords ??= {{}})[{json.dumps(record_name(file))}] = {text};\n", "utf-8"
        )


def with_laboratory(text: str, place: str) -> str:
    """The text with a link to the laboratory after each block that is a whole scenario."""
    there = laboratory(place)

    def block(match: re.Match[str]) -> str:
        try:
            core.load(match[1], "toml", "scenario.toml", None, [])
        except EddylineError:
            return match[0]
        link = f'<p class="open"><a href="{there}#{address(match[1])}">Open this scenario in the laboratory</a></p>'
        return f"{match[0]}\n\n```{{raw}} html\n{link}\n```"

    return BLOCK.sub(block, text).replace("LABORATORY#", f"{there}#")
