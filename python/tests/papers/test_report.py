"""The report: one self-contained page, its data and its figures; the command line around it."""

from __future__ import annotations

import csv
import html
import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest

from eddyline.cli import main
from eddyline.papers import find
from eddyline.papers.report import write

from .thin import all_builders

if TYPE_CHECKING:
    from pathlib import Path

    from eddyline.papers.reproduction import Reproduction


@pytest.fixture(scope="module")
def written(reproductions: dict[str, Reproduction], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    assert write(reproductions["two-way-fast"], folder) == folder / "report.html"
    return folder


class _Page(HTMLParser):
    """Which resources and places a page names, and whether its elements close."""

    def __init__(self) -> None:
        super().__init__()
        self.sources: list[str] = []
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        self.sources += [v for k in ("src", "srcset", "data", "poster") if (v := said.get(k))]
        self.links += [v for v in [said.get("href")] if v]
        self.ids |= {v for v in [said.get("id")] if v}
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_self_contained(written: Path) -> None:
    text = (written / "report.html").read_text("utf-8")
    page = _Page()
    page.feed(text)
    assert page.open == []
    assert all(s.startswith("data:image/svg+xml;base64,") for s in page.sources)
    assert page.links
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
    outside = re.sub(r"base64,[A-Za-z0-9+/=]+", "", text)
    for word in ("http://", "https://", "@import", "url(", "<script", "<link"):
        assert word not in outside


def _lead(folder: Path) -> str:
    """The first paragraph of a report, as text."""
    (lead,) = re.findall(r"<p class=lead>(.*?)</p>", (folder / "report.html").read_text("utf-8"), re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", lead)).split())


def _sections(text: str) -> dict[str, str]:
    """The part of each exhibit, by id."""
    return dict(re.findall(r'<section id="([^"]+)">(.*?)</section>', text, re.DOTALL))


def test_figures_come_before_tables(written: Path) -> None:
    text = (written / "report.html").read_text("utf-8")
    assert text.index("id=exhibits") < text.index("id=claims")
    drawn = [part for part in _sections(text).values() if "<figure" in part]
    assert drawn
    assert all(part.rindex("<figure") < part.index("<table") for part in drawn)


def test_a_verdict_is_beside_the_figures_that_it_rests_on(
    written: Path, reproductions: dict[str, Reproduction]
) -> None:
    parts = _sections((written / "report.html").read_text("utf-8"))
    for verdict in reproductions["two-way-fast"].verdicts:
        row = parts[verdict.claim.exhibit].split(f'<tr id="claim-{verdict.claim.id}"')[1].split("</tr>")[0]
        assert html.escape(verdict.shown) in row
        assert ("ours &middot;" in row) is verdict.claim.ours


def test_our_own_statements_have_their_own_table(written: Path, reproductions: dict[str, Reproduction]) -> None:
    text = (written / "report.html").read_text("utf-8")
    begin, end = text.index("<h2 id=claims"), text.index("<h2 id=ours")
    for verdict in reproductions["two-way-fast"].verdicts:
        at = text.index(f'<a href="#claim-{verdict.claim.id}"')
        assert begin < at
        assert (at > end) is verdict.claim.ours
    assert "(rows without a value or reference are left out; not decided: clean)" in text  # rtt-switching
    assert text.count("(1 of 2 cases not decided)") == 2  # beside the exhibit and in the table of claims


def test_data_and_figures_are_written_beside_the_page(written: Path, reproductions: dict[str, Reproduction]) -> None:
    document = json.loads((written / "reproduction.json").read_text("utf-8"))
    assert document["selected"] is None
    assert _lead(written).startswith("Every exhibit of the paper, and every claim with a verdict.")
    assert document == json.loads(json.dumps(reproductions["two-way-fast"].to_dict()))
    for exhibit in reproductions["two-way-fast"].exhibits:
        with (written / "data" / f"{exhibit.id}.csv").open(newline="", encoding="utf-8") as file:
            assert len(list(csv.DictReader(file))) == len(exhibit.rows)
        for picture in exhibit.pictures:
            assert (written / "plots" / f"{picture.name}.png").read_bytes().startswith(b"\x89PNG")
            assert "<svg" in (written / "plots" / f"{picture.name}.svg").read_text("utf-8")


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["reproduce", "two-way-fast", "--exhibit", "example-3", "--exhibit", "example-1"]
    out = ["--out", str(tmp_path / "report")]
    assert main([*arguments, *out, "--json"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert [e["id"] for e in document["exhibits"]] == ["example-1", "example-3"]
    assert {c["exhibit"] for c in document["claims"]} == {"example-1", "example-3"}
    whole = len(all_builders(find("two-way-fast")))
    assert document["selected"] == {"exhibits": ["example-1", "example-3"], "of": whole}
    page = _lead(tmp_path / "report")
    assert page.startswith(f"2 of {whole} exhibits (--exhibit example-1 --exhibit example-3), and the claims that they")
    assert main([*arguments, *out]) == 0  # a refuted claim is no failure, and an earlier report may be replaced
    shown = capsys.readouterr().out
    assert "Example 1" in shown
    assert "report.html" in shown
    assert f"{len(document['claims'])} claims: " in shown
    assert "of ours" not in shown
    assert f"2 of {whole} exhibits; " in shown
    assert main(["reproduce", "two-way-fast", "--exhibit", "ack-congestion"]) == 0
    assert "2 statements of ours: 2 confirmed" in capsys.readouterr().out


def test_a_page_without_claims_has_no_link_to_them(tmp_path: Path) -> None:
    assert main(["reproduce", "two-way-fast", "--exhibit", "ack-congestion", "--out", str(tmp_path / "report")]) == 0
    assert "#claims" not in (tmp_path / "report" / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["two-way-fast", "--exhibit", "tabel-1"], "'table-1'"),
        (["two-way-fats"], "did you mean two-way-fast?"),
        (["asymmetric-fast", "--exhibit", "k-f-swep"], "'k-f-sweep'"),
        (["vfast", "--long"], "vfast has no long runs"),
    ],
)
def test_unknown_names(arguments: list[str], word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "report"
    assert main(["reproduce", *arguments, "--out", str(out)]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert word in streams.err
    assert not out.exists()


def test_scenarios_hold_what_they_expect(capsys: pytest.CaptureFixture[str]) -> None:
    folders = [find(name).folder for name in ("two-way-fast", "asymmetric-fast", "bidirectional-tcp")]
    files = [str(f) for folder in folders for f in sorted((folder / "scenarios").glob("*.toml"))]
    assert len(files) > 20
    assert main(["check", *files, "--json", "--no-progress"]) == 0
    outcomes = json.loads(capsys.readouterr().out)
    assert outcomes["failed"] == 0
    assert {e["file"] for e in outcomes["expectations"]} == set(files)
