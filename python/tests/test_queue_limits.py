"""Every key of a queue that is a limit may be a time or a share of the bandwidth-delay product."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import eddyline as el
from eddyline.cli import main

if TYPE_CHECKING:
    import pytest

NEEDS: dict[str, dict[str, Any]] = {
    "tbf": {"rate": "1 Mbit/s", "burst": "3 kB"},
    "red": {"min_threshold": "10 ms", "max_threshold": "90 ms"},
    "ack_decimation": {"threshold": "100 packets", "drop": {"kind": "every", "keep_one_in": 2}},
}


def test_times_and_products_become_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    """Of the schema, so that a new queue cannot be forgotten where they are resolved."""
    assert main(["schema"]) == 0
    definitions = json.loads(capsys.readouterr().out)["$defs"]
    variants = [v for d in definitions.values() for v in d.get("oneOf", [])]
    limits = [(kind, key) for v in variants if (kind := _kind(v)) for key in _limits(v, definitions)]
    assert {("step", "threshold"), ("red", "min_threshold"), ("per_connection", "each")} < set(limits)
    assert len(limits) > 20
    for kind, key in limits:
        for given, read in (("50 ms", "62500 B"), ("0.5 BDP of 40 ms", "25000 B")):
            queue = NEEDS.get(kind, {}) | {"kind": kind, key: given}
            link = {"name": "l", "rate": "10 Mbit/s", "delay": "10 ms", "queue": queue}
            load = {"name": "t", "path": ["l"], "model": {"kind": "cbr", "rate": "1 Mbit/s"}}
            scenario = el.Scenario({"duration": "1 s", "link": [link], "traffic": [load]})
            assert scenario.to_dict()["link"][0]["queue"][key] == read, (kind, key)


def _kind(variant: dict[str, Any]) -> str | None:
    return variant.get("properties", {}).get("kind", {}).get("const")


def _limits(variant: dict[str, Any], definitions: dict[str, Any]) -> list[str]:
    """The keys, of the variant itself or of what it refers to."""
    rest = definitions[variant["$ref"].rpartition("/")[2]] if "$ref" in variant else {}
    properties = variant.get("properties", {}) | rest.get("properties", {})
    return [key for key, value in properties.items() if value.get("format") == "queue-limit"]
