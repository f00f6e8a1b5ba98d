"""`exhibits.toml`: what it says becomes exhibits, and what is wrong in it is named."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import pytest

from eddyline.errors import InputError
from eddyline.papers import papers
from eddyline.reports.definitions import read

if TYPE_CHECKING:
    from pathlib import Path

    from eddyline.reports.definitions import Definition
    from eddyline.reports.exhibit import Row

DESCRIBED = [paper for paper in papers() if (paper.folder / "exhibits.toml").is_file()]

GOOD = """
[columns]
rate = { label = "rate", unit = "Mbit/s" }

[[exhibit]]
id = "one"
title = "Exhibit of {count} rows"
place = "Section 1"
reading = \"\"\"
Two lines,
one text.\"\"\"
columns = [
    { key = "name", label = "name" },
    "rate",
    { key = "rare", label = "rare", optional = true },
    { key = "share", label = "share", percent = true, digits = 3 },
    { key = "own", label = "own", unit = "ms", scale = 1 },
]
notes = ["A brace {{ and {count:.1f}."]

[exhibit.findings]
most = "{name} has the most: {rate:.0f}."

[[exhibit.figure]]
caption = "{count} rows"
size = [4, 3]
"""

ROWS = [
    {"name": "a", "rate": 1e6, "share": 0.5, "own": 3.0},
    {"name": "b", "rate": 2e6, "share": 0.25, "own": 4.0},
]


def _read(folder: Path, text: str) -> dict[str, Definition]:
    file = folder / "exhibits.toml"
    file.write_text(text, "utf-8")
    return read(file)


@pytest.mark.parametrize("paper", DESCRIBED, ids=lambda p: p.name)
def test_every_exhibit_of_a_paper_is_described(paper: object) -> None:
    folder: Path = paper.folder  # type: ignore[attr-defined]
    exhibits = importlib.import_module(f"eddyline.papers.{folder.name}").EXHIBITS
    definitions = read(folder / "exhibits.toml")
    assert sorted(definitions) == sorted(exhibits)
    # in the order of the report; a table for several exhibits is where the first of them is
    first = dict.fromkeys(d.table.ids[0] if d.table.ids else d.id for d in definitions.values())
    assert list(first) == [name for name in exhibits if name in first]


def test_an_exhibit_from_its_description(tmp_path: Path) -> None:
    found = _read(tmp_path, GOOD)["one"].exhibit(
        ROWS,
        values={"count": 2},
        findings=[("most", {"name": "b", "rate": 2.0}), "A sentence."],
        series={"more": ROWS},
        draw={"one": lambda figure: figure.suptitle("drawn")},
    )
    assert (found.id, found.title, found.place) == ("one", "Exhibit of 2 rows", "Section 1")
    assert found.reading == "Two lines, one text."
    assert list(found.notes) == ["A brace { and 2.0."]
    assert list(found.findings) == ["b has the most: 2.", "A sentence."]
    assert [(c.key, c.unit, c.scale, c.percent) for c in found.columns] == [
        ("name", "", 1.0, False),
        ("rate", "Mbit/s", 1e6, False),
        ("share", "", 1.0, True),
        ("own", "ms", 1.0, False),
    ]
    assert found.series == {"more": ROWS}
    (picture,) = found.pictures
    assert (picture.name, picture.caption) == ("one", "2 rows")
    assert picture.draw().get_suptitle() == "drawn"


def test_an_optional_column_is_there_where_a_row_has_a_value(tmp_path: Path) -> None:
    definition = _read(tmp_path, GOOD)["one"]
    rows = [*ROWS, {"name": "c", "rare": 1}]
    found = definition.exhibit(rows, values={"count": 3}, draw={"one": lambda _: None})
    assert [c.key for c in found.columns] == ["name", "rate", "rare", "share", "own"]


def test_one_description_of_several_exhibits(tmp_path: Path) -> None:
    text = GOOD.replace('id = "one"', 'ids = ["first", "second"]')
    found = _read(tmp_path, text)
    assert list(found) == ["first", "second"]
    made = found["second"].exhibit(ROWS, values={"count": 2}, draw={"second": lambda _: None})
    assert (made.id, made.pictures[0].name) == ("second", "second")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[[exhibit]]", "[[exhibits]]", "key 'exhibits' is not known"),
        ('place = "Section 1"', "", "key 'place' is missing"),
        ('place = "Section 1"', 'plaec = "Section 1"', "there is no key 'plaec'"),
        ('place = "Section 1"', "place = 1", "place: this is 1; it must be a text"),
        ("digits = 3", "digits = true", "digits: this is True; it must be a whole number"),
        ('label = "own"', 'labels = "own"', "there is no key 'labels'"),
        ('    "rate",', '    "rates",', "[columns] has no 'rates'"),
        ('id = "one"', "", "it must have either id or ids"),
        ('id = "one"', 'id = "one"\nids = ["one"]', "it must have either id or ids"),
        ('id = "one"', 'ids = ["one", "one"]', "there are 2 exhibits 'one'"),
        ("size = [4, 3]", 'size = [4, 3]\nkind = "pie"', "there is no kind of figure 'pie'"),
        ("size = [4, 3]", "size = [4]", "size must be width and height"),
        ("size = [4, 3]", 'size = [4, 3]\ny = { colour = "red" }', "there is no key 'colour'"),
        ("size = [4, 3]", 'size = [4, 3]\ngroups = "name"', "groups: this is 'name'; it must be a table"),
        ("size = [4, 3]", "size = [4, 3", "Unclosed array"),
    ],
)
def test_errors_are_named(old: str, new: str, says: str, tmp_path: Path) -> None:
    assert old in GOOD
    with pytest.raises(InputError) as caught:
        _read(tmp_path, GOOD.replace(old, new))
    assert says in str(caught.value)
    assert str(tmp_path / "exhibits.toml") in str(caught.value)


def test_what_the_code_lacks_is_named(tmp_path: Path) -> None:
    definition = _read(tmp_path, GOOD)["one"]
    with pytest.raises(InputError, match="needs a value for 'count'"):
        definition.exhibit(ROWS, draw={"one": lambda _: None})
    with pytest.raises(InputError, match="cannot be filled"):
        definition.exhibit(ROWS, values={"count": "two"}, draw={"one": lambda _: None})
    with pytest.raises(InputError, match="figure 'one' has no kind and nothing draws it"):
        definition.exhibit(ROWS, values={"count": 2})
    with pytest.raises(InputError, match="there is no finding 'least'"):
        definition.exhibit(ROWS, values={"count": 2}, findings=[("least", {})], draw={"one": lambda _: None})


def test_a_figure_for_each_value_of_a_column(tmp_path: Path) -> None:
    text = GOOD.replace("size = [4, 3]", 'size = [4, 3]\neach = "name"\nname = "one-{name}"')
    rows: list[Row] = [{"name": "A B", "rate": 1e6}, {"name": "it's", "rate": 2e6}]
    drawn: list[str] = []
    definition = _read(tmp_path, text)["one"]
    draw: dict[str, Any] = {name: lambda _, name=name: drawn.append(name) for name in ("A B", "it's")}
    made = definition.exhibit(rows, values={"count": 2}, draw=draw)
    assert [p.name for p in made.pictures] == ["one-a-b", "one-its"]
    made.pictures[1].draw()
    assert drawn == ["it's"]
    with pytest.raises(InputError, match="figure 'one-its' has no kind and nothing draws it"):
        definition.exhibit(rows, values={"count": 2}, draw={"A B": draw["A B"]})
