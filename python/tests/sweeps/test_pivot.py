"""Tables of a sweep some of whose points failed or were not run."""

from __future__ import annotations

import math

import pandas as pd

from eddyline.sweeps.pivot import pivot

COLUMNS = {"rate": ["1 Mbit/s", "2 Mbit/s", "3 Mbit/s"], "delay": ["10 ms", "20 ms", "30 ms"]}


def statistics(*rows):
    made = [
        {"rate": rate, "delay": delay, "flow": flow, "metric": "goodput_bps", "mean": mean, "n": n}
        for rate, delay, flow, mean, n in rows
    ]
    return pd.DataFrame(made).assign(ci95_low=lambda f: f["mean"] - 1e5, ci95_high=lambda f: f["mean"] + 1e5)


def test_failed_cells_columns_and_rows_say_so():
    made = statistics(
        ("1 Mbit/s", "10 ms", "a", 1e6, 2),
        ("1 Mbit/s", "10 ms", "b", 2e6, 2),
        ("2 Mbit/s", "10 ms", "a", 3e6, 1),
    )
    failed = [
        *({"rate": "1 Mbit/s", "delay": "30 ms", "seed": seed} for seed in (1, 2)),
        {"rate": "2 Mbit/s", "delay": "10 ms", "seed": 2},
        {"rate": "3 Mbit/s", "delay": "10 ms", "seed": 1},
    ]
    table = pivot(made, COLUMNS, failed, 2)
    assert table.values == ["10 ms", "30 ms"]  # nothing was run at 20 ms
    texts = dict(zip((key for key, _ in table.rows), table.texts(), strict=True))
    assert texts == {
        ("a", "1 Mbit/s"): ["1.00 ± 0.10 Mbit/s", "failed"],
        ("b", "1 Mbit/s"): ["2.00 ± 0.10 Mbit/s", "failed"],
        ("a", "2 Mbit/s"): ["3 Mbit/s (n = 1)", "-"],
        ("a", "3 Mbit/s"): ["failed", "-"],
        ("b", "3 Mbit/s"): ["failed", "-"],
    }
    numbers = [cell for cells in table.numbers() for cell in cells]
    assert [n for n in numbers if not math.isnan(n)] == [1e6, 3e6, 2e6]
    assert table.repeated
    # where some runs of every cell have failed, or have no value, the number of those that have one
    fewer = pivot(made[made["n"] == 1], COLUMNS, failed, 2)
    assert ["3 Mbit/s (n = 1)", "-"] in fewer.texts()


def test_rows_of_a_flow_stand_together():
    made = statistics(*((rate, "10 ms", flow, 1e6, 2) for rate in COLUMNS["rate"] for flow in ("b", "a")))
    keys = [key for key, _ in pivot(made, COLUMNS, [], 2).rows]
    assert keys == [(flow, rate) for flow in ("b", "a") for rate in COLUMNS["rate"]]


def test_a_flow_that_a_point_does_not_have_has_not_failed_there():
    """Although another seed of that point has."""
    made = statistics(
        ("1 Mbit/s", "10 ms", "a", 1e6, 1), ("1 Mbit/s", "20 ms", "a", 1e6, 2), ("1 Mbit/s", "20 ms", "b", 2e6, 2)
    )
    table = pivot(made, COLUMNS, [{"rate": "1 Mbit/s", "delay": "10 ms", "seed": 2}], 2)
    assert table.texts() == [["1 Mbit/s (n = 1)", "1.00 ± 0.10 Mbit/s"], ["-", "2.00 ± 0.10 Mbit/s"]]


def test_where_only_seeds_vary_the_metric_is_the_column():
    made = statistics(("", "", "a", 1e6, 1)).drop(columns=["rate", "delay"])
    table = pivot(made, {}, [{"seed": 1}], 1)
    assert (table.last, table.values, table.texts()) == ("metric", ["goodput_bps"], [["1 Mbit/s"]])
