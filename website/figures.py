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

MARK = re.compile(r"^<!-- rerun (\S+):((?: \w+)+) -->\n\n?(!\[.*?\]\([^)]+\))$", re.DOTALL | re.MULTILINE)
"""A comment before a picture: the scenario file that the picture shows, and which charts."""

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
        scenario = file.read_text("utf-8")
        result = core.load(scenario, "toml", file.name, file.parent, []).run(core.SimOptions()).json
        name = html.escape(file.name, quote=True)
        opened = f"LABORATORY#{address(scenario)}"
        return (
            f'```{{raw}} html\n<div class="rerun" data-name="{name}" data-charts="{match[2].strip()}">\n'
            f'<div class="rerun-bar"><a href="{opened}">Open it in the laboratory</a></div>\n```\n\n{match[3]}\n\n'
            f"```{{raw}} html\n{carried('scenario', scenario)}\n{carried('result', result)}\n</div>\n```"
        )

    return MARK.sub(figure, text)


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
