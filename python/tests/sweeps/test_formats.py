"""Folders of earlier formats are read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import eddyline as el
from eddyline.sweeps.part_files import Damaged

from .conftest import WATCHED

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def of_format_1(lossy, tmp_path) -> Path:
    """A folder as it was written before sweeps kept the results of probes and traffic."""
    folder = tmp_path / "old"
    el.sweep(lossy(more=WATCHED), {"seed": "1..4"}, out=folder)
    document = json.loads((folder / "sweep.json").read_text())
    (folder / "sweep.json").write_text(json.dumps({**document, "format": 1}))
    (part,) = (folder / "parts").iterdir()
    for kind in ("probes", "traffic"):
        (part / f"{kind}.parquet").unlink()
    without_digests(part, {})
    return folder


@pytest.fixture
def of_format_2(lossy, tmp_path) -> Path:
    """A folder as it was written before parts had digests."""
    folder = tmp_path / "earlier"
    el.sweep(lossy(), {"seed": "1..4"}, out=folder)
    (part,) = (folder / "parts").iterdir()
    sweep = pq.read_schema(part / "points.parquet").metadata[b"eddyline.sweep"]
    without_digests(part, {b"eddyline.rows": b'{"flows": 4, "links": 8}', b"eddyline.sweep": sweep})
    return folder


def without_digests(part: Path, metadata: dict[bytes, bytes]) -> None:
    points = part / "points.parquet"
    pq.write_table(pq.read_table(points).replace_schema_metadata(metadata), points)
    (part / "points.sha256").unlink()


def test_a_column_has_the_type_of_the_schema_without_values_too(lossy, scenario, tmp_path):
    el.sweep(lossy(more=WATCHED), {"seed": [1]}, out=tmp_path / "sim")
    el.sweep(scenario(), {"seed": [1]}, out=tmp_path / "theory", world="theory")
    for kind in ("flows", "links"):
        theory, sim = (
            pq.read_schema(next((tmp_path / world / "parts").iterdir()) / f"{kind}.parquet")
            for world in ("theory", "sim")
        )
        assert not [field for field in theory if pa.types.is_null(field.type)]
        assert {field.name: field.type for field in theory} == {field.name: field.type for field in sim}


def test_a_folder_of_format_1_has_what_it_had(of_format_1):
    assert len(el.read_sweep(of_format_1)) == 4
    assert len(el.read_sweep(of_format_1, of="links")) == 8
    assert el.read_sweep(of_format_1, of="groups").empty
    swept = el.open(of_format_1)
    assert swept.statistics("goodput_bps")["n"].tolist() == [4]
    with pytest.raises(el.InputError, match="no groups") as e:
        swept.statistics(of="groups")
    assert e.value.hint == "they have flows, links: --of"
    assert [path.stem for path in swept.write_csv()] == ["flows", "links", "points"]


@pytest.mark.parametrize("of", ["probes", "traffic"])
def test_what_a_folder_of_format_1_lacks_is_no_empty_table(of_format_1, of):
    with pytest.raises(el.InputError, match=f"of an earlier version, which has no {of}"):
        el.read_sweep(of_format_1, of=of)


def test_no_sweep_is_of_two_formats(lossy, of_format_1, tmp_path):
    for last in (4, 6):
        with pytest.raises(el.InputError, match="format 1, now 2"):
            el.sweep(lossy(more=WATCHED), {"seed": f"1..{last}"}, out=of_format_1)
    el.sweep(lossy(more=WATCHED), {"seed": "1..4"}, out=tmp_path / "new")
    with pytest.raises(el.InputError, match="format 1, now 2"):
        el.merge([of_format_1, tmp_path / "new"], tmp_path / "both")
    assert len(el.merge([of_format_1], tmp_path / "joined").flows) == 4


def test_a_part_without_digests_is_read_and_grows(lossy, of_format_2, tmp_path):
    el.sweep(lossy(), {"seed": "1..6"}, out=tmp_path / "new")
    before = el.read_sweep(tmp_path / "new")
    assert el.read_sweep(of_format_2).equals(before[:4])
    grown = el.sweep(lossy(), {"seed": "1..6"}, out=of_format_2)
    assert (grown.ran, grown.flows.equals(before)) == (2, True)
    (part,), (other,) = ((each / "parts").iterdir() for each in (of_format_2, tmp_path / "new"))
    assert (part / "points.sha256").read_bytes() == (other / "points.sha256").read_bytes()


def test_damage_of_a_part_without_digests_is_no_internal_error(of_format_2):
    (part,) = (of_format_2 / "parts").iterdir()
    damaged = 0
    for name in ("points", "flows"):
        path = part / f"{name}.parquet"
        whole = path.read_bytes()
        for place in range(4, len(whole), 31):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            try:
                el.read_sweep(of_format_2)
            except Damaged:
                damaged += 1
        path.write_bytes(whole)
    assert damaged > 10
