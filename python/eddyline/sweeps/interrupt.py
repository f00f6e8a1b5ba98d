"""Ctrl-C that waits until what is being stored is stored."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

__all__ = ["Interrupt"]


class Interrupt:
    """Notes the first Ctrl-C instead of raising `KeyboardInterrupt`; the second raises it.

    Outside the main thread, and where Ctrl-C is ignored or someone else's, everything stays as it is.
    """

    def __init__(self) -> None:
        self.heard = False
        self._before: Any = None

    def __enter__(self) -> Self:
        ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if ours and threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _hear(self, number: int, frame: Any) -> None:
        if self.heard:
            signal.default_int_handler(number, frame)
        self.heard = True
