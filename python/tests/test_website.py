"""How the documentation site is laid out and checked; what Sphinx makes of it is built by `make docs`."""

from __future__ import annotations

import base64
import json
import re
import sys
import tomllib
import zlib
from pathlib import Path

import pytest

import eddyline._core as core
from eddyline.scenario import Scenario

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "website"))

import check  # noqa: E402
import crate_pages  # noqa: E402
import figures  # noqa: E402
import notebook_pages  # noqa: E402
import paper_pages  # noqa: E402
import record  # noqa: E402
import stage  # noqa: E402
from recorded.record import Record, changes  # noqa: E402

UPLOAD = ROOT / "examples/upload.toml"


@pytest.fixture(scope="module")
def staged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "pages"
    assert stage.stage(folder) > 90
    return folder


def test_every_link_between_pages_leads_to_a_page(staged):
    for page in staged.rglob("*.md"):
        text = stage.CODE.sub("", page.read_text())
        for target in stage.LINK.findall(text):
            path = target.partition("#")[0]
            if path and not re.match(r"[a-z]+:", path):
                assert (page.parent / path).is_file(), f"{page.name}: {target}"


def test_every_page_is_in_the_navigation_once(staged):
    found = []
    for page in staged.rglob("*.md"):
        for block in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(), re.DOTALL):
            names = [line for line in block.splitlines() if line and not line.startswith(":")]
            found += [(page.parent / f"{name}.md").resolve() for name in names]
    assert len(found) == len(set(found))
    assert set(found) | {staged / "index.md"} == set(staged.rglob("*.md"))


def test_every_marked_picture_becomes_a_figure_with_this_machines_result(staged):
    marked = [page for page in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")] if "<!-- rerun" in page.read_text()]
    assert len(marked) >= 7
    for page in marked:
        text = (staged / stage.places()[page]).read_text()
        assert "<!-- rerun" not in text
        assert text.count('class="rerun"') == page.read_text().count("<!-- rerun")
    front = (staged / "index.md").read_text()
    carried = re.search(r'data-is="result">(.*?)</script>', front, re.DOTALL).group(1).replace("<\\/", "</")
    ran = core.load(UPLOAD.read_text(), "toml", "upload.toml", UPLOAD.parent, []).run(core.SimOptions()).json
    assert carried.partition('"cost"')[0] == ran.partition('"cost"')[0]
    assert re.search(r'data-is="scenario">(.*?)</script>', front, re.DOTALL).group(1) == UPLOAD.read_text()


def test_the_laboratorys_address_holds_the_scenario():
    version, _, packed = figures.address(UPLOAD.read_text()).partition(".")
    state = zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), -15)
    assert (version, json.loads(state)) == ("1", {"story": "upload", "a": UPLOAD.read_text()})


def test_whole_scenarios_get_a_link_and_parts_of_one_do_not():
    text = f"```toml\n{UPLOAD.read_text()}```\n\n```toml\n[[probe]]\nname = 1\n```\n"
    assert figures.with_laboratory(text, "guides/x.md").count('href="../laboratory/index.html#1.') == 1


def test_a_link_that_leads_nowhere_stops_it():
    page = ROOT / "docs/README.md"
    with pytest.raises(SystemExit, match=r"docs/README\.md: missing\.md leads nowhere"):
        stage.linked("[x](missing.md)", page, {page: "documentation.md"}, {})


def test_every_claim_has_a_row_with_its_pinned_verdict():
    pages = paper_pages.paper_pages()
    assert len(pages) == 5
    rows = [row for text in pages.values() for row in text.splitlines() if row.startswith("| ")]
    assert len(rows) > 300
    assert not [row for row in rows if "not pinned" in row]
    assert all(len(re.split(r"(?<!\\)\|", row)) == 6 for row in rows)


def test_the_check_finds_what_is_wrong(tmp_path):
    (tmp_path / "good.html").write_text('<h1 id="top">x</h1><a href="#top">x</a><a href="https://example.org/x">x</a>')
    assert check.faults(tmp_path) == []
    (tmp_path / "bad.html").write_text(
        '<a href="none.html">x</a><a href="good.html#none">x</a><a href="https:///x">x</a><a href="jar:x">x</a>'
        '<script src="https://example.org/x.js"></script><link rel="stylesheet" href="//example.org/x.css">'
        '<link rel="canonical" href="https://example.org/x">'
    )
    (tmp_path / "bad.css").write_text("a { background: url('https://example.org/x.png') } b { src: url(data:x) }")
    assert sorted(check.faults(tmp_path)) == [
        "bad.css: loads https://example.org/x.png",
        "bad.html: good.html#none: no such anchor",
        "bad.html: https:///x names no host",
        "bad.html: jar:x has an unknown scheme",
        "bad.html: loads //example.org/x.css",
        "bad.html: loads https://example.org/x.js",
        "bad.html: none.html: no such file",
    ]


def test_every_published_library_has_pages_and_no_other():
    names = [name for name, _ in crate_pages.crates()]
    assert {"eddyline-units", "eddyline-sim", "eddyline-controller"} <= set(names)
    left_out = re.search(r"^PRIVATE_CRATES = (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1].split()
    manifests = [tomllib.loads(file.read_text()) for file in ROOT.glob("crates/*/Cargo.toml")]
    every = {manifest["package"]["name"] for manifest in manifests} | {"eddyline-example-controller"}
    assert set(names) | set(left_out) == every
    assert not set(names) & set(left_out)


def test_the_page_on_rust_leads_to_every_crate(staged):
    text = (staged / "reference/rust.md").read_text()
    for name, description in crate_pages.crates():
        assert (
            f'<a href="../rust/{name.replace("-", "_")}/index.html"><code>{name}</code></a></td><td>{description}'
            in text
        )


def test_pages_of_rustdoc_are_not_checked_twice(tmp_path):
    (tmp_path / "rust").mkdir()
    (tmp_path / "rust/index.html").write_text('<a href="none.html">x</a>')
    (tmp_path / "index.html").write_text('<a href="rust/index.html">x</a><a href="rust/none.html">x</a>')
    assert check.faults(tmp_path) == ["index.html: rust/none.html: no such file"]


def test_every_notebook_is_a_page_with_all_that_is_saved_in_it(staged):
    notebooks = sorted((ROOT / "examples").glob("*.ipynb"))
    assert len(notebooks) >= 3
    for notebook in notebooks:
        text = (staged / "notebooks" / f"{notebook.stem}.md").read_text()
        cells = [c for c in json.loads(notebook.read_text())["cells"] if c["cell_type"] == "code"]
        assert text.count("```python\n") == len(cells)
        shown = [output["data"] for cell in cells for output in cell["outputs"]]
        assert text.count('class="shown"') == len(shown)
        assert text.count("data:image/png;base64,") == sum("image/png" in data for data in shown)
        assert text.startswith("# ")
        assert f"examples/{notebook.name})" in text


def test_what_a_cell_prints_is_no_markup():
    assert "&lt;Figure&gt;" in notebook_pages.output({"text/plain": ["<Figure>"]})


def test_every_figure_runs_again_or_is_listed_with_the_reason():
    _, _, without = (ROOT / "docs/guides/browser.md").read_text().partition("These have no button:")
    listed = {
        (ROOT / "docs/guides" / name).resolve()
        for name in re.findall(r"^\| \[[^]]*\]\(([\w./-]+\.md)\)", without.partition("\n## ")[0], re.MULTILINE)
    }
    assert listed == {ROOT / "docs/concepts/instructions.md"}
    for page in ROOT.glob("docs/**/*.md"):
        text = figures.MARK.sub("", page.read_text())
        pictures = [name for name in re.findall(r"!\[[^]]*\]\(([^)]+)\)", text) if name.endswith((".png", ".svg"))]
        if pictures:
            assert page in listed, f"{page.relative_to(ROOT)}: {pictures}"


def test_every_record_belongs_to_a_picture_that_carries_it():
    marked = set()
    for page in ROOT.glob("docs/**/*.md"):
        for target, _, picture in figures.MARK.findall(page.read_text()):
            if target.endswith(".json"):
                carried = (page.parent / target).resolve()
                drawn = re.search(r"\]\(([^)]+)\)$", picture).group(1)
                assert carried == (page.parent / drawn).resolve().with_suffix(".json")
                marked.add(carried)
    assert marked == set(figures.IMAGES.rglob("*.json"))
    assert {figures.record_name(file) for file in marked} == set(record.FIGURES)


def test_a_record_has_a_scenario_once_and_otherwise_what_changes():
    made = Record("eddyline")
    scenario = Scenario.load(UPLOAD)
    other = Scenario.load(UPLOAD, set={"flow.upload.start": "7 s"})
    assert [made.run(each, 7) for each in (scenario, other, scenario)] == [0, 1, 0]
    (base,) = made.bases
    assert base == json.loads(scenario.canonical)
    assert made.runs[1]["change"] == [["flow.1.start", "7 s"]]
    assert changes({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}) == [["a.1.b", 3]]
    assert changes({"a": [1]}, {"a": [1, 2]}) == [["a", [1, 2]]]
    assert changes(base, base) == []
    assert json.loads(made.json())["runs"] == made.runs


def test_a_picture_of_several_runs_says_what_they_take(staged):
    page = (staged / "controllers/README.md").read_text()
    assert re.search(r'data-record="response" data-runs="28 simulations" data-ms="\d+"', page)
    page = (staged / "theory/maps.md").read_text()
    assert 'data-record="stability-map" data-runs="3,721 analyses of stability"' in page
