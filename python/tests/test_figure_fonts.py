"""Fonts of figures in files: publishers refuse Type 3."""

from __future__ import annotations

import re
import zlib

import pytest

import eddyline as el
from eddyline.plots import render

TITLE = "Übertragung: µ ± λ Ж ∞"


def unicode_maps(document: bytes) -> bytes:
    """What the fonts of a PDF say about the characters that their glyphs are."""
    found = b""
    for stream in re.finditer(rb"stream\r?\n", document):
        try:
            text = zlib.decompressobj().decompress(document[stream.end() :])
        except zlib.error:
            continue  # not a compressed one
        found += text if b"beginbf" in text else b""
    return found.lower()


@pytest.mark.parametrize("write", [render, lambda figure, path: figure.savefig(path)], ids=["render", "savefig"])
def test_fonts_are_truetype_with_all_characters(scenario, tmp_path, write):
    figure = el.Scenario.load(scenario(("two-way", TITLE), ("4 s", "2 s"))).run().plot()
    write(figure, tmp_path / "f.pdf")
    document = (tmp_path / "f.pdf").read_bytes()
    assert b"/Subtype /Type3" not in document
    maps = unicode_maps(document)
    assert [c for c in TITLE if c != " " and b"%04x" % ord(c) not in maps] == []
    write(figure, tmp_path / "f.eps")
    assert b"/FontType 42" in (tmp_path / "f.eps").read_bytes()
