"""Papers whose files are invalid: the messages, and that the other papers still work."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import eddyline.papers
from eddyline.cli import main
from eddyline.papers import find

from .thin import NAMES

if TYPE_CHECKING:
    from pathlib import Path

GOOD = 'title = "T"\nsource = "S"\n'


@pytest.fixture
def papers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose papers are found beside those of the package."""
    place = tmp_path / "papers"
    place.mkdir()
    monkeypatch.setattr(eddyline.papers, "__path__", [*eddyline.papers.__path__, str(place)])
    return place


def _add(papers: Path, name: str, text: str) -> Path:
    file = papers / name.replace("-", "_") / "paper.toml"
    file.parent.mkdir()
    file.write_text(text, "utf-8")
    return file


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('title = "T"\n', "key 'source' is missing; it must be a text"),
        ('title = 3\nsource = "S"\n', "key 'title' is 3; it must be a text"),
        ('title = "T"\nsorce = "S"\n', "there is no key 'sorce'"),
        ("title = \n", "line 1"),
    ],
)
def test_an_invalid_paper_is_named_and_the_others_shown(
    papers: Path, text: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = _add(papers, "broken", text)
    assert main(["reproduce", "broken"]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert f"{file}: " in streams.err
    assert says in streams.err
    assert main(["list", "papers", "--json"]) == 0
    streams = capsys.readouterr()
    assert [p["name"] for p in json.loads(streams.out)["papers"]] == sorted(NAMES)
    assert says in streams.err
    main(["doctor", "--json"])
    findings = {f["what"]: f for f in json.loads(capsys.readouterr().out)}
    assert findings["papers"]["detail"] == ", ".join(sorted(NAMES))
    assert not findings["paper"]["ok"]
    assert says in findings["paper"]["detail"]
    assert main(["reproduce", "two-way-fast", "--exhibit", "film-load"]) == 0


def test_the_nearest_key_is_named(papers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _add(papers, "broken", 'title = "T"\nsorce = "S"\n')
    for command in (["reproduce", "broken"], ["list", "papers"]):
        main(command)
        assert "did you mean source?" in capsys.readouterr().err


def test_a_paper_without_exhibits(papers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = _add(papers, "no-module", GOOD)
    out = tmp_path / "report"
    assert main(["reproduce", "no-module", "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert str(file.parent) in said
    assert "the package eddyline.papers.no_module defines no EXHIBITS" in said
    assert not out.exists()


def test_a_missing_dependency_is_not_an_error_of_the_paper(papers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(name: str) -> None:
        raise ModuleNotFoundError(f"No module named 'numpy', from {name}", name="numpy")

    _add(papers, "lacking", GOOD)
    monkeypatch.setattr("importlib.import_module", lacking)
    with pytest.raises(ModuleNotFoundError, match="numpy"):
        eddyline.papers.reproduce(find("lacking"))
