"""Checks the built site: every link inside it leads somewhere, and nothing that a page needs comes from elsewhere."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {"img": "src", "script": "src", "iframe": "src", "source": "src", "audio": "src", "video": "src"}
"""What a browser fetches by itself; a link element is told apart by its rel."""

WRITTEN_BY_RUSTDOC = "rust"
"""A folder whose pages rustdoc checks itself: `-D warnings` makes an error of a link that leads nowhere."""

FETCHED = {"stylesheet", "icon", "preload", "modulepreload", "prefetch", "manifest"}


class Page(HTMLParser):
    """What a page refers to, and what can be referred to in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes one element."""
        given = {name: value or "" for name, value in attrs}
        self.anchors.update(value for name, value in given.items() if name == "id" or (tag == "a" and name == "name"))
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" and set(given.get("rel", "").split()) & FETCHED:
            self.loads.append(given.get("href", ""))
        elif tag in LOADS and given.get(LOADS[tag]):
            self.loads.append(given[LOADS[tag]])


def faults(site: Path) -> list[str]:
    """Everything that is wrong with the site, a sentence each."""
    own = [file for file in sorted(site.rglob("*.html")) if file.relative_to(site).parts[0] != WRITTEN_BY_RUSTDOC]
    pages = {file: Page(file.read_text("utf-8")) for file in own}
    found = []
    for file, page in pages.items():
        name = file.relative_to(site).as_posix()
        found += [f"{name}: loads {target}" for target in page.loads if urlsplit(target).netloc]
        for target in {*page.links, *page.loads}:
            parts = urlsplit(target)
            if parts.scheme in ("http", "https"):
                if not re.fullmatch(r"[\w.-]+\.[a-z]{2,}(:\d+)?", parts.netloc):
                    found.append(f"{name}: {target} names no host")
            elif parts.scheme not in ("", "mailto", "data"):
                found.append(f"{name}: {target} has an unknown scheme")
            elif not parts.scheme and not parts.netloc:
                fault = missing(file, unquote(parts.path), unquote(parts.fragment), pages)
                found += [f"{name}: {target}: {fault}"] if fault else []
    for sheet in sorted(site.rglob("*.css")):
        for target in re.findall(r"(?:@import\s+|url\()['\"]?([^'\")\s;]+)", sheet.read_text("utf-8")):
            parts = urlsplit(target)
            if parts.netloc or (not parts.scheme and not (sheet.parent / parts.path).exists() and parts.path):
                found.append(f"{sheet.relative_to(site).as_posix()}: loads {target}")
    return found


def missing(file: Path, path: str, anchor: str, pages: dict[Path, Page]) -> str | None:
    """What a link inside the site lacks; None if it leads somewhere."""
    target = (file.parent / path).resolve() if path else file
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return "no such file"
    laboratory = target.parent.name == "laboratory"  # its anchors are scenarios
    if anchor and target in pages and not laboratory and anchor not in pages[target].anchors:
        return "no such anchor"
    return None


if __name__ == "__main__":
    place = Path(sys.argv[1]).resolve()
    wrong = faults(place)
    for fault in wrong:
        print(f"error: {fault}", file=sys.stderr)
    count = len(list(place.rglob("*.html")))
    print(f"{count} pages, {len(wrong)} faults")
    sys.exit(1 if wrong or count == 0 else 0)
