"""A reproduction as a folder: one self-contained page, the data as CSV and JSON, the figures as PNG and SVG."""

from __future__ import annotations

import base64
import csv
import json
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline.papers.claims import KINDS, count
from eddyline.papers.exhibit import cell
from eddyline.plots import render

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eddyline.papers.claims import Verdict
    from eddyline.papers.exhibit import Exhibit
    from eddyline.papers.reproduction import Reproduced

__all__ = ["PAGE", "exhibit_section", "page", "picture", "write", "write_exhibits"]

PAGE = "report.html"
_BADGE = dict(zip(KINDS, ("confirmed", "only in part", "refuted", "not decided"), strict=True))


def write(reproduced: Reproduced, folder: Path) -> Path:
    """Writes everything into an existing folder; returns the page."""
    write_exhibits(reproduced.exhibits, folder)
    document = json.dumps(reproduced.to_dict(), indent=2, ensure_ascii=False)
    (folder / "reproduction.json").write_text(document + "\n", "utf-8")
    file = folder / PAGE
    file.write_text(_page(reproduced, folder), "utf-8")
    return file


def write_exhibits(exhibits: Sequence[Exhibit], folder: Path) -> None:
    """Writes data and figures of exhibits into `data` and `plots` of a folder."""
    plots, data = folder / "plots", folder / "data"
    plots.mkdir()
    data.mkdir()
    for exhibit in exhibits:
        _csv(data / f"{exhibit.id}.csv", exhibit.rows)
        for name, rows in exhibit.series.items():
            _csv(data / f"{name}.csv", rows)
        for each in exhibit.pictures:
            figure = each.draw()
            render(figure, plots / f"{each.name}.png")
            render(figure, plots / f"{each.name}.svg")


def _csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def page(title: str, source: str, parts: Sequence[str]) -> str:
    """A page in the manner of all reports: title, a line below it, and parts as HTML."""
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>",
            f"<style>{(Path(__file__).parent / 'report.css').read_text('utf-8')}</style></head><body><main>",
            f"<header><h1>{escape(title)}</h1><p class=source>{escape(source)}</p></header>",
            *parts,
            "</main></body></html>\n",
        ]
    )


def _page(reproduced: Reproduced, folder: Path) -> str:
    links = [f'<li><a href="#{e.id}">{escape(e.title)}</a></li>' for e in reproduced.exhibits]
    parts = [
        _lead(reproduced),
        _judged("claims", "Claims", "the paper says", reproduced.claims),
        _judged("ours", "Statements of ours", "we say", reproduced.ours),
        "<h2 id=exhibits>Exhibits</h2>",
        "<nav><ul>",
        *links,
        "</ul></nav>",
        *(exhibit_section(e, folder, reproduced.verdicts) for e in reproduced.exhibits),
    ]
    return page(f"{reproduced.paper.title}: reproduced", reproduced.paper.source, parts)


def _lead(reproduced: Reproduced) -> str:
    ours = ""
    if reproduced.ours:
        ours = f"<p>What we say beside the paper is judged likewise and counted apart: {_badges(reproduced.ours)}</p>"
    return (
        "<p class=lead>Every exhibit of the paper, and every claim with a verdict. "
        f"{_badges(reproduced.claims)}</p>{ours}<p>Each verdict is "
        "computed from the data of an exhibit by the rule that stands beside it; nobody typed one. "
        f"{escape(reproduced.paper.worlds)} {reproduced.runs} simulations, {reproduced.packets / 1e6:.1f} million "
        "packets.</p>"
    )


def _badges(verdicts: Sequence[Verdict]) -> str:
    return " ".join(
        f'<span class="badge {kind}">{n} {_BADGE[kind]}</span>'
        for kind, n in count(verdicts).items()
        if n or kind != "undecided"
    )


def _judged(name: str, title: str, says: str, verdicts: Sequence[Verdict]) -> str:
    rows = "".join(_claim(v) for v in verdicts)
    if not rows:
        return ""
    return (
        f"<h2 id={name}>{title}</h2><div class=wide><table class=claims><thead><tr><th>verdict</th><th>{says}</th>"
        f"<th>how it was decided</th><th>exhibit</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _claim(v: Verdict) -> str:
    verdict = "" if v.kind != "partly" else f"<div class=where>{escape(v.verdict)}</div>"
    return (
        f'<tr id="claim-{escape(v.claim.id)}"><td><span class="badge {v.kind}">{_BADGE[v.kind]}</span>{verdict}</td>'
        f"<td>{escape(v.claim.says)}<div class=place>{escape(v.claim.where)}</div></td>"
        f"<td>{escape(v.rule)}: {escape(v.shown)}{_groups(v)}<div class=place>{escape(v.claim.why)}{_left_out(v)}</div>"
        "</td>"
        f'<td><a href="#{v.claim.exhibit}">{v.claim.exhibit}</a></td></tr>'
    )


def _left_out(v: Verdict) -> str:
    if not v.left_out:
        return ""
    where = f"; not decided: {', '.join(v.undecided)}" if v.undecided else ""
    return escape(f" ({v.left_out} of {v.rows + v.left_out} rows left out for want of values{where})")


def _groups(v: Verdict) -> str:
    """Where the rule holds and where not, for a claim that holds in part."""
    if v.kind != "partly":
        return ""
    parts = zip(v.groups, v.spoken, strict=True)
    lines = (f"<li>{escape(name)}: {'holds' if o.holds else 'fails'}, {escape(said)}</li>" for (name, o), said in parts)
    return f"<details><summary>where</summary><ul class=place>{''.join(lines)}</ul></details>"


def exhibit_section(exhibit: Exhibit, folder: Path, verdicts: Sequence[Verdict] = ()) -> str:
    """One exhibit: words, verdicts, the figures that `write_exhibits` drew, table."""
    mine = [v for v in verdicts if v.claim.exhibit == exhibit.id]
    badges = " ".join(
        f'<a class="badge {v.kind}" href="#claim-{escape(v.claim.id)}">{escape(v.claim.id)}</a>' for v in mine
    )
    notes = "".join(f"<p class=note>{escape(note)}</p>" for note in exhibit.notes)
    return (
        f'<section id="{exhibit.id}"><h3>{escape(exhibit.title)}</h3>'
        f"<p class=place>{escape(exhibit.place)} &middot; <code>{exhibit.id}</code> {badges}</p>"
        f"<p>{escape(exhibit.reading)}</p>"
        + (f"<ul>{''.join(f'<li>{escape(f)}</li>' for f in exhibit.findings)}</ul>" if exhibit.findings else "")
        + "".join(picture(folder / "plots" / f"{p.name}.svg", p.caption) for p in exhibit.pictures)
        + _table(exhibit)
        + f"{notes}</section>"
    )


def picture(file: Path, caption: str) -> str:
    """A figure from its file (SVG or PNG), within the page."""
    kind = "svg+xml" if file.suffix == ".svg" else "png"
    image = base64.b64encode(file.read_bytes()).decode("ascii")
    words = escape(caption)
    return (
        f'<figure><img alt="{words}" src="data:image/{kind};base64,{image}"><figcaption>{words}</figcaption></figure>'
    )


def _table(exhibit: Exhibit) -> str:
    words = {c.key for c in exhibit.columns if any(isinstance(row.get(c.key), str) for row in exhibit.rows)}
    heads = "".join(
        f"<th{_side(c.key in words)}>{escape(c.label)}<div class=unit>{escape(c.unit)}</div></th>"
        for c in exhibit.columns
    )
    rows = "".join(
        "<tr>" + "".join(f"<td{_side(c.key in words)}>{escape(cell(row, c))}</td>" for c in exhibit.columns) + "</tr>"
        for row in exhibit.rows
    )
    table = f"<div class=wide><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    return (
        table if len(exhibit.rows) <= 40 else f"<details><summary>{len(exhibit.rows)} rows</summary>{table}</details>"
    )


def _side(words: bool) -> str:
    return "" if words else " class=number"
