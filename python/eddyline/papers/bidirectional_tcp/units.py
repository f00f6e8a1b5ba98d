"""What a buffer counts (bytes, ATM cells, packets), and which sizes in bytes serve both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.bidirectional_tcp.setting import DOWN_BPS, PAYLOAD, UP_BPS, Link, simulate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["sizes", "units"]

_PACKET = 1500
_CELLS = 32
"""Cells of a packet of 1,500 B (AAL5)."""
_CELL_B = 53
_UNITS = {"bytes": _PACKET, "cells": _CELLS, "cells, on ATM": _CELLS, "packets": 1}
"""What a packet takes of a buffer, by what it counts."""
_NAMES = {"bytes": "B", "cells": "cells", "cells, on ATM": "cells", "packets": "packets"}
_ATM = tuple((f"link.{way}.framing", '{ linklayer = "atm", overhead = "8 B" }') for way in ("down", "up"))
_DOWN_PACKETS = 50
_UPLINKS = (3, 4, 5, 6, 8, 10, 12, 15, 20, 24, 26, 27, 28, 30, 40, 50)
_WINDOWS = (65536, 131072)
_TPS_MS = (20.0, 100.0)
_SATISFACTORY = 2 / 3


def _carried(unit: str) -> float:
    """Share of a link's rate that is payload of full packets."""
    return PAYLOAD * _PACKET / (_CELLS * _CELL_B) if unit.endswith("ATM") else PAYLOAD


def units(context: Context) -> Exhibit:
    """The uplink's buffer in bytes, cells and packets, from 3 to 50 full packets' worth; 50 for the downlink."""
    cases = [(tp, unit, window, size) for tp in _TPS_MS for unit in _UNITS for window in _WINDOWS for size in _UPLINKS]
    links = [
        Link(
            f"{_DOWN_PACKETS * _UNITS[unit]} {_NAMES[unit]}",
            f"{size * _UNITS[unit]} {_NAMES[unit]}",
            window=window,
            tp_ms=tp,
            overrides=_ATM if unit.endswith("ATM") else (),
        )
        for tp, unit, window, size in cases
    ]
    rows: list[Row] = []
    for (tp, unit, window, size), link, o in zip(cases, links, simulate(context, links), strict=True):
        kept_down = o.download / (DOWN_BPS * _carried(unit))
        kept_up = o.upload / (UP_BPS * _carried(unit))
        rows.append(
            {
                "tp_s": 1e-3 * tp,
                "setting": f"{window // 1024} kB, tp = {tp:g} ms",
                "unit": unit,
                "window": window,
                "size": size,
                "up": link.up,
                "download": o.download,
                "upload": o.upload,
                "ratio": o.ratio,
                "kept_down": kept_down,
                "kept_up": kept_up,
                "kept": min(kept_down, kept_up),
            }
        )
    for row in rows:
        same = [r for r in rows if r["setting"] == row["setting"]]
        alike = {r["unit"]: r for r in same if r["size"] == row["size"]}
        row["in_bytes"] = alike["bytes"]["kept"]
        row["download_in_packets"] = alike["packets"]["download"]
        row["least"] = row["size"] == _least(same, row["unit"])
        row["least_in_packets"] = _least(same, "packets")
    return context.definition("units").exhibit(rows)


def _least(rows: Sequence[Row], unit: str) -> int | None:
    """The smallest size from which on the upload keeps two thirds; None if it never does."""
    least: int | None = None
    for row in sorted((r for r in rows if r["unit"] == unit), key=lambda r: -int(r["size"])):
        if row["kept_up"] < _SATISFACTORY:
            break
        least = row["size"]
    return least


_SIZES = (4500, 6000, 9000, 15000, 22500, 37500, 75000)


def sizes(context: Context) -> Exhibit:
    """Every pair of seven sizes in bytes for uplink and downlink."""
    cases = [(tp, window, down, up) for tp in _TPS_MS for window in _WINDOWS for down in _SIZES for up in _SIZES]
    links = [Link(f"{down} B", f"{up} B", window=window, tp_ms=tp) for tp, window, down, up in cases]
    rows: list[Row] = []
    for (tp, window, down, up), o in zip(cases, simulate(context, links), strict=True):
        kept = o.download / (DOWN_BPS * PAYLOAD), o.upload / (UP_BPS * PAYLOAD)
        rows.append(
            {
                "tp_s": 1e-3 * tp,
                "window": window,
                "down": down,
                "up": up,
                "relation": "larger" if down > up else "equal" if down == up else "smaller",
                "kept_down": kept[0],
                "kept_up": kept[1],
                "kept": min(kept),
            }
        )
    for row in rows:
        of_setting = [r for r in rows if (r["tp_s"], r["window"]) == (row["tp_s"], row["window"])]
        best = max(of_setting, key=lambda r: float(r["kept"]))
        row["best"] = row is best
    return context.definition("sizes").exhibit(rows)
