"""The commands in docs/guides/sweeps.md do what it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import eddyline as el

ROOT = Path(__file__).parents[3]
DOCUMENT = (ROOT / "docs" / "guides" / "sweeps.md").read_text()


def shown(out: Path) -> list[list[str]]:
    """Its whole sweeps, as words, with another folder for the results."""
    texts = re.findall(r"```sh\n(?:time )?(eddyline sweep (?:examples|benches)/.*?)```", DOCUMENT, re.DOTALL)
    return [[str(out) if w == "grid" else w for w in shlex.split(text.replace("\\\n", " "))[1:]] for text in texts]


def test_the_first_example(eddyline, tmp_path):
    ran = eddyline(*shown(tmp_path / "grid")[0], cwd=ROOT)
    assert (ran.code, ran.err) == (0, "")
    flows = el.read_sweep(tmp_path / "grid")
    (index,) = re.findall(r'^flows.pivot_table\("goodput_bps", "(.*?)"', DOCUMENT, re.MULTILINE)
    table = flows.pivot_table("goodput_bps", index, ["flow.*.delayed_ack", "flow"])
    assert table.shape == (3, 4)
    assert table.notna().all(axis=None)


def test_the_grid_of_the_paper_has_192_runs(eddyline, tmp_path):
    ran = eddyline(*shown(tmp_path / "grid")[1], cwd=ROOT)
    assert (ran.code, ran.err) == (0, "")
    points = el.read_sweep(tmp_path / "grid", of="points")
    assert len(points) == 192
    flows = el.read_sweep(tmp_path / "grid")
    assert len(flows) == 96 * 2 + 96 * 11
    # Conservation over the bottleneck: nobody gets more than the link carries.
    keys = [c for c in points.columns if c.startswith(("flow.", "link."))]
    up = flows[flows["flow"] != "download"].groupby(keys)["throughput_bps"].sum()
    assert len(up) == 192
    assert up.max() <= 192e3
    assert up.min() > 0
    assert flows[flows["flow"] == "download"]["throughput_bps"].max() <= 2e6
