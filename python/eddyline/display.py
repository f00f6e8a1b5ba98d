"""Scenarios, and what worlds do not honour of them, as HTML for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from eddyline.encoding import value_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["approximations_html", "scenario_html"]

_MAX_SHOWN = 20  # rows of a table
_SHOWN = {
    "link": ("name", "rate", "delay", "queue", "loss"),
    "duplex": ("name", "preset", "down", "up"),
    "flow": ("name", "count", "controller", "data", "ack", "start"),
    "arrivals": ("name", "rate", "controller", "data", "ack"),
    "traffic": ("name", "model", "path"),
}


def scenario_html(table: Mapping[str, Any], title: str, seed: int) -> str:
    """Title, links and flows of a canonical scenario as tables."""
    from eddyline.frames import frame

    parts = []
    for name, columns in _SHOWN.items():
        rows = [{key: _brief(row[key]) for key in columns if key in row} for row in table.get(name, [])]
        if rows:
            parts.append(frame(rows[:_MAX_SHOWN]).fillna("").to_html(index=False))
    return f"<b>{escape(title)}</b> ({escape(str(table['duration']))}, seed {seed}){''.join(parts)}"


def approximations_html(results: Iterable[tuple[str, list[str]]]) -> str:
    """What worlds did not honour, each once, below the tables of results: `(world, approximations)` of each."""
    texts = dict.fromkeys(f"world {world}: {text}" for world, approximations in results for text in approximations)
    return f"<ul>{''.join(f'<li>{escape(text)}</li>' for text in texts)}</ul>" if texts else ""


def _brief(value: Any) -> Any:
    """A value of a scenario in a few words: of a table its kind, then its other keys."""
    if isinstance(value, dict):
        simple = {key: v for key, v in value.items() if not isinstance(v, (dict, list))}
        kind = simple.pop("kind", None)
        given = ", ".join(f"{key} {value_text(v)}" for key, v in simple.items())
        return f"{kind} ({given})" if kind and given else str(kind or given)
    return " → ".join(map(str, value)) if isinstance(value, list) else value
