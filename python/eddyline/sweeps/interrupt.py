"""Ctrl-C that does not interrupt storing."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

__all__ = ["Interrupt"]


class Interrupt:
    """Records the first Ctrl-C; the second raises `KeyboardInterrupt`.

    Outside the main thread, and where Ctrl-C is ignored or has another handler, it changes nothing.
    """

    def __init__(self) -> None:
        self.requested = False
        self._previous: Any = None

    def __enter__(self) -> Self:
        ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if ours and threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)

    def _handle(self, number: int, frame: Any) -> None:
        if self.requested:
            signal.default_int_handler(number, frame)
        self.requested = True
