"""Figures 3, 8, 12 and 14: when each flow sends. Figures 7, 11 and 13: the links."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import eddyline._core as _core
from eddyline.papers.vfast.drawing import COLOURS
from eddyline.reports.figures import BLACK
from eddyline.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["paths", "schedule"]

_NUMBERS = {"I": 1, "II": 2, "III": 3, "IV": 4}


def _document(context: Context, scenario: str) -> dict[str, list[dict[str, object]]]:
    import json

    file = context.folder / "scenarios" / f"scenario-{_NUMBERS[scenario]}.toml"
    document: dict[str, list[dict[str, object]]] = json.loads(Scenario.load(file).canonical)
    return document


def schedule(number: int, scenario: str) -> Callable[[Context], Exhibit]:
    """Figure `number`: flows of a scenario over time."""

    def build(context: Context) -> Exhibit:
        rows: list[Row] = []
        for flow in _document(context, scenario)["flow"]:
            controller = flow["controller"]
            assert isinstance(controller, dict)
            rows.append(
                {
                    "flow": flow["name"],
                    "start_s": _core.values("start", str(flow.get("start") or "0 s"))[0][0],
                    "stop_s": _core.values("stop", str(flow.get("stop") or "100 s"))[0][0],
                    "alpha": float(str(controller["alpha"]).split()[0]),
                    "path": ", ".join(str(x) for x in flow["data"]),  # type: ignore[attr-defined]
                }
            )
        return context.definition(f"fig-{number}").exhibit(
            rows,
            values={"number": number, "scenario": scenario},
            draw={f"fig-{number}": partial(_draw_schedule, rows=rows)},
        )

    return build


def _draw_schedule(figure: Figure, rows: list[Row]) -> None:
    axis = figure.subplots()
    for place, row in enumerate(rows):
        axis.barh(place, row["stop_s"] - row["start_s"], left=row["start_s"], height=0.6, color=COLOURS[row["flow"]])
    axis.set_yticks(range(len(rows)), [row["flow"] for row in rows])
    axis.invert_yaxis()
    axis.set_xlabel("time (s)")
    axis.set_xlim(0, 100)


def paths(number: int, scenario: str) -> Callable[[Context], Exhibit]:
    """Figure `number`: the links of a scenario."""

    def build(context: Context) -> Exhibit:
        rows: list[Row] = []
        for link in _document(context, scenario)["link"]:
            queue = link["queue"]
            assert isinstance(queue, dict)
            rows.append(
                {
                    "link": link["name"],
                    "rate": link["rate"],
                    "delay": link["delay"],
                    "limit": queue["limit"],
                    "loss": float(str(link["loss"])),
                }
            )
        return context.definition(f"fig-{number}").exhibit(
            rows, draw={f"fig-{number}": partial(_draw_links, rows=rows)}
        )

    return build


def _draw_links(figure: Figure, rows: list[Row]) -> None:
    axis = figure.subplots()
    forward = [row for row in rows if "forward" in row["link"]]
    for place, row in enumerate(forward):
        axis.annotate(
            "", (place + 0.9, 0), (place + 0.1, 0), arrowprops={"arrowstyle": "->", "color": BLACK, "linewidth": 1.4}
        )
        loss = f"\nloss {row['loss']:g}" if row["loss"] else ""
        text = f"{row['link']}\n{row['rate']}, {row['delay']}\n{row['limit']}{loss}"
        axis.text(place + 0.5, 0.12, text, ha="center", va="bottom", fontsize=8)
    axis.plot(range(len(forward) + 1), [0] * (len(forward) + 1), "o", color=BLACK, markersize=9)
    axis.set_xlim(-0.2, len(forward) + 0.2)
    axis.set_ylim(-0.3, 1.0)
    axis.set_axis_off()
