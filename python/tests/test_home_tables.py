"""The tables of docs/guides/home.md are what the adviser gives now (EDDYLINE_SLOW=1)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from code_blocks import ROOT
from documented_commands import SLOW

from eddyline.adviser.home import HomeAdvice, advise_home

if TYPE_CHECKING:
    from eddyline.adviser.experience import Experience

TEXT = (ROOT / "docs" / "guides" / "home.md").read_text("utf-8")
pytestmark = pytest.mark.skipif(not SLOW, reason="takes minutes: EDDYLINE_SLOW=1 runs it")


def mbps(rate: float) -> str:
    return f"{rate / 1e6:.1f}"


def rates(rate: float) -> str:
    """One digit after the point, two below 1 Mbit/s."""
    return f"{rate / 1e6:.1f}" if rate >= 1e6 else f"{rate / 1e6:.2f}"


def type_row(home: HomeAdvice) -> str:
    """A row of "What it gives"."""
    before, after = home.before, home.after
    assert before.loaded_s
    assert after.loaded_s
    cells = (
        f"`{home.isp.name}`",
        " / ".join(f"{rate / 1e6:.0f}" for rate in home.rates_bps),
        f"{before.grade} → {after.grade}",
        f"{1e3 * before.loaded_s:.0f} → {1e3 * after.loaded_s:.0f} ms",
        f"{before.responsiveness_rpm:,.0f} → {after.responsiveness_rpm:,.0f}",
        f"{mbps(before.download_bps)} → {mbps(after.download_bps)}",
        f"{rates(before.upload_bps)} → {rates(after.upload_bps)}",
    )
    return f"| {' | '.join(cells)} |"


def share_row(name: str, found: Experience) -> str:
    """A row of the table over `--share`."""
    assert found.loaded_s
    request, rpm = f"{1e3 * found.loaded_s:.0f} ms", f"{found.responsiveness_rpm:.0f}"
    cells = (name, str(found.grade), request, rpm, mbps(found.download_bps), mbps(found.upload_bps))
    return f"| {' | '.join(cells)} |"


NEAREST = ("docsis", "fttp", "adsl")
"""For which no queue suffices."""


@pytest.mark.parametrize("name", ["docsis", "vdsl2", "adsl", "fttp", "lte", "starlink"])
def test_what_it_gives(name: str) -> None:
    home = advise_home(name)
    assert re.findall(rf"^\| `{name}` \| [\d.]+ / [\d.]+ \| [A-F]\+? → .*$", TEXT, re.M) == [type_row(home)]
    choice = home.advice.choice
    assert choice.best.family == "CAKE"
    assert choice.possible is (name not in NEAREST)
    if not choice.possible:
        found = re.search(r"`docsis`, `fttp` and `adsl` as .* \((.*), (.*) and (.*) % of the uploads\)", TEXT)
        assert found is not None
        assert f"{100 * choice.best.outcome.upload_share:.1f}" == found[1 + NEAREST.index(name)]


@pytest.mark.parametrize("share", [0.9, 0.7, 0.5])
def test_shares_of_a_rate_that_varies(share: float) -> None:
    home = advise_home("lte", "30 Mbit/s", "10 Mbit/s", have="cake", share=share)
    usual = " (usual)" if share == home.isp.share else ""
    for row in (share_row("before", home.before), share_row(f"`{share}`{usual}", home.after)):
        assert row in TEXT.splitlines()
