"""Lays out the pages of the documentation site in one folder, for Sphinx.

The pages stay where they are read in the repository; here links between them, and to files that are no pages, become
links of the site. Marked pictures become figures that run again in the browser, and
each paper's page gets its verdicts.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import crate_pages
import notebook_pages
from figures import laboratory, record_scripts, rerun, with_laboratory
from paper_pages import paper_pages

ROOT = Path(__file__).resolve().parents[1]
SOURCE = "https://github.com/eddyline/eddyline/blob/main/"

CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(<?([^)\s>]+)>?\)")
PICTURES = (".png", ".svg")

PAGES = {
    "README.md": "index.md",
    "docs/README.md": "documentation.md",
    "examples/tasks/README.md": "tasks.md",
    "crates/cc/DEVIATIONS.md": "controllers/deviations.md",
    "crates/quic-cc/README.md": "quic/crate.md",
    "web/npm/README.md": "npm.md",
    "website/python.md": "reference/python.md",
    "website/rust.md": "reference/rust.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}
"""Where a page of the repository is in the site; pages below `docs` keep their place, without `docs`."""


INVITED = {"index.md": "<!-- rerun", "guides/browser.md": "## "}
"""Pages that invite to the laboratory, and what the invitation stands before."""

LIVE = """```{raw} html
<div class="live" data-laboratory="LABORATORY" data-story="upload">
```

![The laboratory: a download and an upload on their way through the queues of a line, and their throughput as the upload
starts](docs/images/laboratory.png)

INVITATION```{raw} html
</div>
```

"""
"""The front page has the laboratory itself; without JavaScript its picture and the invitation."""

INVITATION = """```{raw} html
<p class="invitation"><a href="LABORATORY">Open the laboratory</a> Sliders, queues and packets on their way, in this
browser, without installing anything.</p>
```

"""


def places() -> dict[Path, str]:
    """The place in the site of every page, by file."""
    found = {ROOT / name: place for name, place in PAGES.items()}
    docs = ROOT / "docs"
    for page in sorted(docs.rglob("*.md")):
        found.setdefault(page, page.relative_to(docs).as_posix())
    found |= {file: f"notebooks/{file.stem}.md" for file in sorted((ROOT / "examples").glob("*.ipynb"))}
    for page in sorted((ROOT / "python/eddyline/papers").glob("*/*.md")):
        name = page.parent.name.replace("_", "-")
        found[page] = f"papers/{name}.md" if page.name == "README.md" else f"papers/{name}-errata.md"
    return found


def linked(text: str, page: Path, known: dict[Path, str], pictures: dict[Path, str]) -> str:
    """The text with its links as they are in the site.

    Raises:
        SystemExit: A link leads nowhere.
    """
    here = Path(known[page]).parent

    def link(match: re.Match[str]) -> str:
        target = match[1]
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return match[0]
        path, hash_, anchor = target.partition("#")
        file = (page.parent / path).resolve()
        if not file.exists():
            sys.exit(f"error: {page.relative_to(ROOT)}: {target} leads nowhere")
        if file in known and file != page:
            return f"]({os.path.relpath(known[file], here)}{hash_}{anchor})"
        inside = file.relative_to(ROOT).as_posix()
        if file.suffix in PICTURES:
            pictures[file] = inside.removeprefix("docs/")
            return f"]({os.path.relpath(pictures[file], here)})"
        return f"]({SOURCE}{inside})"

    parts = CODE.split(text)
    return "".join(part if i % 2 else LINK.sub(link, part) for i, part in enumerate(parts))


def sections(index: str) -> list[tuple[str, list[str]]]:
    """The tables of an index: the heading or the line before a table, and the pages that its first column links to."""
    found: list[tuple[str, list[str]]] = []
    caption = ""
    for line in index.splitlines():
        if line.startswith("## "):
            caption = line[3:]
        elif re.fullmatch(r"[A-Z]\w+:", line):
            caption = line[:-1]
        elif match := re.match(r"\| \[[^]]+\]\(([^)#]+\.md)\) \|", line):
            if not found or found[-1][0] != caption:
                found.append((caption, []))
            found[-1][1].append(match[1])
    return found


def contents(captioned: list[tuple[str, list[str]]], depth: int = 1) -> str:
    """Tables of contents for the navigation, not shown in the text."""
    blocks = []
    for caption, pages in captioned:
        lines = [f"```{{toctree}}\n:hidden:\n:maxdepth: {depth}"]
        lines += [f":caption: {caption}"] if caption else []
        blocks.append("\n".join([*lines, "", *(p.removesuffix(".md") for p in pages), "```"]))
    return "\n\n" + "\n\n".join(blocks) + "\n"


def navigation(known: dict[Path, str], papers: list[str]) -> dict[str, str]:
    """Tables of contents by page: the index of docs says what is in which section."""
    groups = sections((ROOT / "docs/README.md").read_text("utf-8"))
    top = dict(groups)
    notebooks = [place for place in known.values() if place.startswith("notebooks/")]
    top["Reference"][4:4] = ["reference/python.md", "reference/rust.md"]
    used = {*notebooks, *(page for pages in top.values() for page in pages)}
    start = ["documentation.md", "tasks.md"]
    about = ["contributing.md", "changelog.md"]
    front = [("", start), ("Tutorials", top.pop("Tutorials")), ("Notebooks", notebooks)]
    front += [*((c, p) for c, p in top.items() if c != "Reference"), ("Papers", papers)]
    front += [("Reference", top["Reference"]), ("About", about)]
    inside: dict[str, str] = {"index.md": contents(front)}
    used |= {*start, *about, *papers, "index.md"}
    rest = sorted(place for place in known.values() if place not in used)
    for folder in ("controllers", "queues", "quic", "papers"):
        pages = [place for place in rest if place.startswith(f"{folder}/")]
        if folder == "papers":
            for paper in papers:
                own = [p for p in pages if p.startswith(paper.removesuffix(".md"))]
                inside[paper] = contents([("", [Path(p).name for p in own])])
        else:
            inside[f"{folder}/README.md"] = contents([("", [Path(p).name for p in pages])])
        rest = [place for place in rest if place not in pages]
    inside["guides/browser.md"] = contents([("", [os.path.relpath("npm.md", "guides")])])
    rest.remove("npm.md")
    if rest:
        sys.exit(f"error: pages in no section of docs/README.md: {', '.join(rest)}")
    return inside


def stage(folder: Path) -> int:
    """Writes the pages to `folder`, which is emptied first; their number."""
    shutil.rmtree(folder, ignore_errors=True)
    known = places()
    pictures: dict[Path, str] = {}
    extra = paper_pages()
    papers = list(extra)
    navigated = navigation(known, papers)
    for page, place in known.items():
        text = notebook_pages.markdown(page) if page.suffix == ".ipynb" else page.read_text("utf-8")
        if place in INVITED:
            before, mark, after = text.partition(INVITED[place])
            invitation = LIVE.replace("INVITATION", INVITATION) if place == "index.md" else INVITATION
            text = before + invitation.replace("LABORATORY", laboratory(place)) + mark + after
        text = with_laboratory(rerun(text, page), place)
        text = crate_pages.with_table(linked(text, page, known, pictures), place)
        text += extra.get(place, "")
        text += navigated.get(place, "")
        out = folder / place
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, "utf-8")
    for picture, place in pictures.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(picture, folder / place)
    return len(known)


def carry(dist: Path, crates: Path, figures: Path, extra: Path) -> None:
    """What other builds gave: figures' scripts, the laboratory itself as a page, and the pages of the crates."""
    for made in (figures, extra):
        shutil.rmtree(made, ignore_errors=True)
    figures.mkdir(parents=True)
    for name in ("figure.js", "figure.css", "engine.js"):
        shutil.copyfile(dist / name, figures / name)
    record_scripts(figures / "records")
    (extra / "laboratory").mkdir(parents=True)
    shutil.copyfile(dist / "index.html", extra / "laboratory" / "index.html")
    shutil.copytree(crates, extra / crate_pages.FOLDER, ignore=shutil.ignore_patterns(".*"))


if __name__ == "__main__":
    target = ROOT / "target"
    carry(ROOT / "web" / "dist", target / "doc", target / "site-figures", target / "site-extra")
    print(f"{stage(target / 'site-pages')} pages")
