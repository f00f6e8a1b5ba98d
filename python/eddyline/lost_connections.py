"""Connections that the stack of world `quic` gave up: what a run measures of them ends there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["lost_connections"]

_LOST = ": the connection was lost"


def lost_connections(result: Mapping[str, Any], flow: str | None = None) -> list[str]:
    """The notes of a result about them: of all flows, or of one, whose name may be that of a table of several."""
    notes = [str(note) for note in result.get("approximations", ()) if _LOST in note]
    return notes if flow is None else [n for n in notes if n.startswith((f"flow {flow}:", f"flow {flow}["))]
