"""What the documents say is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def test_the_readme_shows_the_example():
    assert f"```toml\n{(ROOT / 'examples' / 'upload.toml').read_text()}```" in README


def test_the_readme_shows_what_comes_out(eddyline):
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


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt", "Cargo.lock"])
def test_lock_files_name_no_host_but_the_usual(name):
    text = (ROOT / name).read_text()
    assert "index-url" not in text
    hosts = set(re.findall(r"https?://([^/\"\s]+)", text))
    assert hosts <= {"github.com"}  # the crates.io index, as Cargo writes it


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_every_requirement_is_pinned_with_hashes(name):
    text = (ROOT / name).read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    assert len(lines) > 10
    assert all("==" in line and "--hash=sha256:" in line for line in lines)
