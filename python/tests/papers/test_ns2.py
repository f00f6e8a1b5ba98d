"""Our simulation with the module's profile against ns-2 with the module itself, flow by flow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from eddyline.papers import find

if TYPE_CHECKING:
    from collections.abc import Iterator

WITHIN = 0.02
BACKLOG_OPEN = 2.0  # the module's backlog comes to rest anywhere between alpha - 2 and alpha
OPEN_EXAMPLES = (3, 4)


def _allowed(values: dict[str, Any], example: int, wire: int) -> Iterator[tuple[str, float, float]]:
    """Lowest and highest Mbit/s of each flow that such backlogs allow, by eq. 5 and 6."""
    setting = next(s for s in values["setting"] if s["example"] == example)
    forward = {3: (True, False), 4: (True, False, True)}[example]

    def rates(alphas: list[float]) -> list[float]:
        there = sum(a for a, f in zip(alphas, forward, strict=True) if f)
        back = sum(a for a, f in zip(alphas, forward, strict=True) if not f)
        q = max(
            (there * wire + back * 40) * 8 / (setting["forward_mbps"] * 1e6),
            (back * wire + there * 40) * 8 / (setting["backward_mbps"] * 1e6),
        )
        return [a / q for a in alphas]

    alphas = [float(a) for a in setting["alpha"]]
    for place in range(len(alphas)):
        low = rates([a - BACKLOG_OPEN * (i == place) for i, a in enumerate(alphas)])[place]
        high = rates([a - BACKLOG_OPEN * (i != place) for i, a in enumerate(alphas)])[place]
        yield f"flow {place + 1}", low * 8e-3, high * 8e-3


@pytest.mark.parametrize("example", range(1, 6))
def test_examples(example: int, two_way: dict[str, Any]) -> None:
    import tomllib

    with (find("two-way-fast").folder / "values.toml").open("rb") as file:
        values = tomllib.load(file)
    rows = [r for r in two_way[f"example-{example}"].rows if r["what"] == "throughput" and r["reference"] is not None]
    assert rows
    for row in rows:
        if abs(row["module"] / row["reference"] - 1.0) <= WITHIN:
            continue
        assert example in OPEN_EXAMPLES, row
        bounds = {name: (low, high) for name, low, high in _allowed(values, example, row["wire"])}
        low, high = bounds[row["entity"]]
        assert low <= row["module"] <= high or abs(row["module"] / row["reference"] - 1.0) <= 0.05, row


def test_late_starts(two_way: dict[str, Any]) -> None:
    rows = [r for r in two_way["example-4-start"].rows if r["reference"] is not None]
    assert {r["starts"] for r in rows} == {"together", "0.16 s late", "1 s apart"}
    for row in rows:
        assert row["module"] == pytest.approx(row["reference"], rel=WITHIN), row


def test_figures_of_the_letter(asymmetric: dict[str, Any]) -> None:
    rows = [r for e in ("fig-2", "fig-3") for r in asymmetric[e].rows if r["reference"] is not None]
    assert len(rows) == 6
    for row in rows:
        assert row["simulated"] == pytest.approx(row["reference"], rel=WITHIN), row
