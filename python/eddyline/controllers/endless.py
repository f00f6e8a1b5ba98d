"""Runs with controllers of the user's own, whose code may never return: Ctrl-C is heard all the same."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.progress import RunCallback

__all__ = ["interruptible"]

_Value = TypeVar("_Value")


def interruptible(run: Callable[[RunCallback | None], _Value], progress: RunCallback | None) -> _Value:
    """Calls `run` with its progress callback; in another thread where a controller of the user's is registered."""
    if not _own_controllers() or threading.current_thread() is not threading.main_thread():
        return run(progress)
    from eddyline.parallel import run_interruptible

    def task(checkpoint: RunCallback) -> _Value:
        def checked(now_s: float, duration_s: float, events: int, wall_s: float) -> None:
            checkpoint(now_s, duration_s, events, wall_s)
            if progress is not None:
                progress(now_s, duration_s, events, wall_s)

        return run(checked)

    return run_interruptible(task)


def _own_controllers() -> bool:
    """Whether any is registered."""
    if "eddyline.controllers.registry" not in sys.modules:
        return False
    # imported, not taken from there: another thread may be about to, and is waited for
    from eddyline.controllers import registry

    return bool(registry.names())
