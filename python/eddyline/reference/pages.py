"""All generated pages by file name."""

from __future__ import annotations

import json

import eddyline._core as _core
from eddyline.reference.command_line import command_line_page
from eddyline.reference.data import packet_log_page, result_page, series_page
from eddyline.reference.scenario import kinds_page, scenario_page
from eddyline.reference.schema import Schema

__all__ = ["pages"]


def pages() -> dict[str, str]:
    """The text of every generated page, by file name."""
    scenario = Schema(json.loads(_core.schema()))
    register = json.loads(_core.register())
    return {
        "scenario.md": scenario_page(scenario),
        "controllers.md": kinds_page(scenario, register["controllers"], "controllers"),
        "queues.md": kinds_page(scenario, register["queues"], "queues"),
        "result.md": result_page(Schema(json.loads(_core.schema("result")))),
        "series.md": series_page(Schema(json.loads(_core.schema("series")))),
        "packet-log.md": packet_log_page(),
        "command-line.md": command_line_page(),
    }
