"""What the documents say is true."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from eddyline.cli.entry import command_line

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
DOCS = ROOT / "docs"
BUILT = ("target", "reports", "node_modules")
PAGES = sorted(
    page
    for page in ROOT.rglob("*.md")
    if not any(part.startswith(".") or part in BUILT for part in page.relative_to(ROOT).parts)
    or page.is_relative_to(ROOT / "python")
)
LINK = re.compile(r"\]\(<?([^)\s>]+)>?\)")


def links(page: Path) -> list[str]:
    """Targets of the links of a page that are not on the web; code is left out."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.DOTALL)
    return [target for target in LINK.findall(text) if not re.match(r"[a-z]+:", target)]


def anchors(page: Path) -> set[str]:
    """Headings as they are addressed: lower case, dashes for spaces, punctuation left out."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    heads = [head.lower() for head in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
    return {re.sub(r"[^\w\- ]", "", head).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_resolve(page):
    for target in links(page):
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        assert file.exists(), target
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file), target


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_nothing_is_left_to_be_filled_in(page):
    text = page.read_text("utf-8")
    assert re.findall(r"@[A-Z]{3,}@|\bTODO\b|\bTBD\b|\bFIXME\b|\bXXX+\b", text) == []


def test_every_page_is_reached_from_the_index():
    reached, waiting = set(), [DOCS / "README.md"]
    while waiting:
        page = waiting.pop()
        if page not in reached:
            reached.add(page)
            inside = [(page.parent / t.partition("#")[0]).resolve() for t in links(page)]
            waiting += [p for p in inside if p.suffix == ".md" and p.is_relative_to(DOCS)]
    assert sorted(DOCS.rglob("*.md")) == sorted(reached)
    index = {(DOCS / t).resolve() for t in links(DOCS / "README.md")}
    assert {p for p in DOCS.rglob("*.md") if p.parent.name not in ("controllers", "queues")} <= index | {
        DOCS / "README.md"
    }


def test_the_readme_shows_the_example():
    assert f"```toml\n{(ROOT / 'examples' / 'upload.toml').read_text()}```" in README


def test_the_readme_shows_the_actual_output(eddyline):
    shown = re.search(r"\$ eddyline run examples/upload.toml.*?\n(.*?)```", README, re.DOTALL).group(1)
    printed = eddyline("run", ROOT / "examples" / "upload.toml").out
    assert [line.split() for line in shown.splitlines() if line.strip()] == [
        line.split() for line in printed.splitlines() if line.strip()
    ]


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.toml")), ids=lambda p: p.name)
def test_examples_hold(eddyline, path):
    ran = eddyline("check", path)
    assert ran.code == 0, ran.out + ran.err


def test_the_changelog_has_this_version_or_what_will_be_it():
    assert "## [Unreleased]" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize(
    "name",
    ["requirements.txt", "requirements-dev.txt", "requirements-docs.txt", "Cargo.lock", "web/bindgen/Cargo.lock"],
)
def test_lock_files_name_no_other_host(name):
    text = (ROOT / name).read_text()
    assert "index-url" not in text
    hosts = set(re.findall(r"https?://([^/\"\s]+)", text))
    assert hosts <= {"github.com"}  # the crates.io index, as Cargo writes it


def test_the_lock_file_of_the_browser_laboratory_names_no_registry():
    text = (ROOT / "web" / "package-lock.json").read_text()
    assert text.count('"integrity"') > 10
    assert '"resolved"' not in text


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt", "requirements-docs.txt"])
def test_every_requirement_is_pinned_with_hashes(name):
    text = (ROOT / name).read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    assert len(lines) > 10
    assert all("==" in line and "--hash=sha256:" in line for line in lines)


def with_json(command: click.Command, path: str) -> list[str]:
    """The commands below this one, itself included, that have --json."""
    found = [path] if any("--json" in p.opts for p in command.params) else []
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            member = command.get_command(click.Context(command), name)
            assert member is not None
            found += with_json(member, f"{path} {name}")
    return found


def test_the_document_of_every_command_is_described():
    text = (DOCS / "reference" / "documents.md").read_text("utf-8")
    described = set(re.findall(r"^## `(.*)`$", text, re.MULTILINE))
    # a result's are on a page of their own; merged sweeps have the document of sweeps
    described |= {"eddyline run", "eddyline sweep merge"}
    found = set(with_json(command_line, "eddyline"))
    assert {"eddyline run", "eddyline measure", "eddyline theory map"} <= found <= described
