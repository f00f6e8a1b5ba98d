"""Why the value of an expectation is unknown."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from eddyline.quantities import read, seconds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eddyline.scenario import Result, Scenario

    Row = Mapping[str, Any]

__all__ = ["reason"]

_LISTS = {
    "flow": ("flows", "groups"),
    "link": ("links",),
    "traffic": ("traffic",),
    "arrivals": ("arrivals",),
    "probe": ("probes",),
}
_MODELLED = {"flow": "goodput_bps", "link": "utilisation"}
"""What theory knows of each that it has a model of."""
_MAX_LINKS = 1000  # that bottleneck_share is sampled of
_COUNTED = {
    "card_refusals": "it is counted only where tcp.local reports a full NIC queue to the sender",
    "delivered_ce": "it is counted only where tcp.accurate_ecn is on",
}
"""When world sim counts what it does not count of every flow."""


def reason(scenario: Scenario, result: Result, outcome: Row) -> str:
    """Why a result has no value for an expectation.

    Args:
        scenario: Of the expectation.
        result: A result of it.
        outcome: The expectation's outcome, without a value.
    """
    kind, _, written = outcome["of"].partition(".")
    name = _name(written)
    document = result.to_dict()
    rows = [row for part in _LISTS[kind] for row in document.get(part, []) if row["name"] == name]
    if not rows:
        return f"the result of world {result.world} has no {kind} {name}"
    if result.world == "theory":
        return _of_theory(document["approximations"], name, rows[0].get(_MODELLED.get(kind, "")) is not None)
    tables = {table["name"]: table for table in scenario.to_dict().get(kind, [])}
    # the flows of a table with `count` are NAME[0], NAME[1], ...
    table = tables.get(name) or tables.get(re.sub(r"\[\d+\]$", "", name)) or {}
    found = _of_run(kind, outcome["what"], rows[0], table, scenario.duration_s)
    if found is not None:
        return found
    if result.world == "kernel":
        return "world kernel does not measure it"
    if outcome["what"] in _COUNTED:
        return _COUNTED[outcome["what"]] if result.world == "sim" else f"world {result.world} does not count it"
    if kind == "link" and outcome["what"].startswith("bottleneck") and len(document["links"]) > _MAX_LINKS:
        return f"it is not sampled with more than {_MAX_LINKS} links"
    return "there was no sample of it from the warm-up on"


def _name(written: str) -> str:
    """A name as in a dotted key."""
    if not written.startswith('"'):
        return written
    try:
        return str(json.loads(written))
    except ValueError:  # Rust escapes more
        return written.strip('"')


def _of_theory(notes: list[str], name: str, modelled: bool) -> str:
    if modelled:
        return "world theory does not know it"
    whole = re.compile(rf"(?<![\w\[]){re.escape(name)}(?![\w\[])")
    # links read null beside flows without a model, whose names the note has
    found = [n for n in notes if whole.search(n)] or [n for n in notes if n.startswith("theory has no model")]
    return found[0] if found else "world theory does not know it"


def _of_run(kind: str, what: str, row: Row, table: Row, duration_s: float) -> str | None:
    """What the run of packets shows; None where it shows nothing."""
    if "start" in table and read("start", "time", table["start"]) >= duration_s:
        return f"it starts at {table['start']}, not before the end of the run, {seconds(duration_s)}"
    if what == "completed_at_s":
        return "it had not completed at the end of the run" if "size" in table else "it has no size, so it does not end"
    if kind == "flow":
        return _of_flow(what, row)
    if kind == "arrivals" and row.get("completed") == 0:
        return "none of its flows had completed at the end of the run"
    if kind == "probe" and what == "loaded_rpm":
        return "no flow with samples of the round-trip time shares a link with it"
    if kind == "probe" and row.get("completed") == 0:
        return "none of its connections had completed at the end of the run"
    if kind == "traffic" and row.get("packets_delivered") == 0:
        return "none of its packets arrived"
    return None


def _of_flow(what: str, row: Row) -> str | None:
    if row.get("packets_per_s") or what in _COUNTED:
        return "its controller has no estimate of it" if what == "base_rtt_s" else None
    completed_s = row.get("completed_at_s")
    if completed_s is not None:
        return f"it completed at {seconds(completed_s)}: nothing is left from the warm-up on"
    return "none of its packets arrived from the warm-up on"
