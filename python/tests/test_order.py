"""The order of tables in a file changes nothing (docs/concepts/order.md)."""

from __future__ import annotations

from typing import Any

import pytest

from eddyline.scenario import Scenario

ORDERS = [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1), (1, 0, 3, 2)]


def outcome(queue: dict[str, Any], flows: list[dict[str, Any]], *, reverse: bool = False) -> dict[str, Any]:
    """What each flow and link has, by its name."""
    links = [{"name": n, "rate": "10 Mbit/s", "delay": "10 ms", "queue": queue} for n in ("down", "up")]
    table = {"title": "order", "duration": "6 s", "seed": 3, "link": links[::-1] if reverse else links, "flow": flows}
    document = Scenario(table).run("sim", series=False).to_dict()
    return {row["name"]: row for kind in ("flows", "links") for row in document[kind]}


def flows(**more: str) -> list[dict[str, Any]]:
    ways = (["down"], ["up"])
    return [
        {"name": f"f{i}", "controller": {"kind": "cubic"}, "data": ways[i % 2], "ack": ways[1 - i % 2]}
        | (more or {"start": f"{17 * i} ms"})
        for i in range(4)
    ]


@pytest.mark.parametrize(
    "more", [{}, {"start_jitter": "100 ms"}, {"start": "0 s"}], ids=["distinct", "random", "equal"]
)
@pytest.mark.parametrize("kind", ["droptail", "red", "sfq"])
def test_the_order_of_flows_and_links_changes_nothing(kind: str, more: dict[str, str]) -> None:
    limits = {"droptail": {"limit": "60 packets"}, "sfq": {"limit": "60 packets", "queues": 2}}
    queue = {"kind": kind, **limits.get(kind, {})}
    given = flows(**more)
    first = outcome(queue, given)
    assert first["down"]["drops"] != outcome(queue, [f | {"start": "1 s"} for f in given[:2]])["down"]["drops"]
    for order in ORDERS[1:]:
        assert outcome(queue, [given[i] for i in order]) == first
    assert outcome(queue, given, reverse=True) == first
