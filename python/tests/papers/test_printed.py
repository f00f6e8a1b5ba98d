"""Printed numbers keep their digits."""

from __future__ import annotations

import pickle
import tomllib

import pytest

from eddyline.papers import find
from eddyline.papers.context import Context
from eddyline.papers.printed import PrintedNumber
from eddyline.papers.two_way_fast.backlogs import rounding


@pytest.mark.parametrize(
    ("text", "share"),
    [("0.20", 0.025), ("0.2", 0.25), ("0.198", 0.5 / 198), ("8.3", 0.05 / 8.3), ("20", 0.025), ("0.0", 0)],
)
def test_rounding_is_half_a_unit_of_the_last_printed_digit(text: str, share: float) -> None:
    number = tomllib.loads(f"x = {text}", parse_float=PrintedNumber)["x"]
    assert rounding(number) == pytest.approx(share)
    assert rounding(pickle.loads(pickle.dumps(number))) == pytest.approx(share)
    assert number == float(text)


def test_percentages_of_table_2_have_two_digits() -> None:
    printed = Context(find("two-way-fast").folder).values["printed"]
    shares = {p["entity"]: p["simulation"] for p in printed if p["what"] == "utilisation" and p["example"] == 2}
    assert {entity: number.half_a_digit for entity, number in shares.items()} == pytest.approx(
        {"forward": 0.005, "backward": 0.005}
    )
