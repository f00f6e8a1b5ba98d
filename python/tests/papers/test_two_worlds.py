"""World theory beside world sim on every scenario of the papers and the examples."""

from __future__ import annotations

from pathlib import Path

import pytest

import eddyline as el

ROOT = Path(__file__).parents[3]
SCENARIOS = sorted(ROOT.glob("papers/*/scenarios/*.toml"))

TOLERANCE = {
    "film-backward": (
        0.12,
        "theory has the film's mean rate, packets its frames: what a burst leaves takes time",
    ),
    "film-both": (0.035, "as film-backward"),
    "film-forward": (0.05, "as film-backward, on the link that has room"),
}
"""How far a flow's rate may be off, and why more than usual."""

USUAL = 0.025
"""Theory is fed with the senders' own base round-trip times; what is left is whole packets and transmission times."""

PART = {"joining": {"warmup": "35 s", "duration": "70 s"}}
"""Where summaries must cover less than the file says: the time in which all flows are there and have settled."""

LEFT_OUT = {
    "population": "flows that come and go have no equilibrium; Fig. 5 compares them",
}


@pytest.mark.parametrize("file", SCENARIOS, ids=lambda f: f"{f.parts[-3]}-{f.stem}")
def test_rates(file: Path) -> None:
    scenario = el.Scenario.load(file, set=PART.get(file.stem, {}))
    sim = scenario.run("sim", series=False).to_dict()
    if file.stem in LEFT_OUT:
        assert sim["arrivals"]
        assert not sim["flows"]
        return
    theory = scenario.run("theory", base_rtt_s=[f["base_rtt_s"] for f in sim["flows"]]).to_dict()
    allowed, _ = TOLERANCE.get(file.stem, (USUAL, ""))
    for got, want in zip(sim["flows"], theory["flows"], strict=True):
        assert got["packets_per_s"] == pytest.approx(want["packets_per_s"], rel=allowed), got["name"]
