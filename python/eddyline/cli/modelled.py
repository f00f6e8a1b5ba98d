"""What to do where theory has no model of a controller."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import eddyline._core as _core

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["model_hint"]

_WITHOUT = re.compile(r"theory has no model of ([^\s:,]+)")


def model_hint(texts: Iterable[str]) -> str | None:
    """The kinds that have a model and the questions that others have an answer to; None where no text misses one."""
    kinds = [found[1] for text in texts if (found := _WITHOUT.match(text))]
    if not kinds:
        return None
    register = json.loads(_core.register())["controllers"]
    modelled = [entry["name"] for entry in register if entry.get("alpha")]
    said = (
        f"it models {' and '.join(modelled)}, and Reno's window at the loss given on its path: "
        f'--set \'flow.*.controller={{kind="{modelled[0]}",alpha="20 packets"}}\'; '
        "for arrivals the key is arrivals.*.controller"
    )
    closed = {entry["name"] for entry in register if entry.get("response_function")}
    answered = [kind for kind in dict.fromkeys(kinds) if kind in closed]
    if answered:
        said += (
            f"; the window at a loss ratio: eddyline theory response {' '.join(answered)} --loss 0.001 --rtt '100 ms'"
        )
    return said
