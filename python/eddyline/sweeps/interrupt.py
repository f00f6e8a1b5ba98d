"""Ctrl-C and SIGTERM that do not interrupt storing."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any

from eddyline.ctrl_c import is_usual

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

__all__ = ["Interrupt"]

_USUAL: dict[int, Callable[[object], bool]] = {
    signal.SIGINT: is_usual,
    signal.SIGTERM: lambda handler: handler is signal.SIG_DFL,
}


class Interrupt:
    """Records the first Ctrl-C or SIGTERM; the second raises `KeyboardInterrupt`, in the command after imports.

    Outside the main thread, and where the signal is ignored or has another handler, it changes nothing.
    """

    def __init__(self) -> None:
        self.requested = False
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number, usual in _USUAL.items():
                if usual(signal.getsignal(number)):
                    self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, previous in self._previous.items():
            signal.signal(number, previous)

    def _handle(self, number: int, frame: Any) -> None:
        if self.requested:
            previous = self._previous[number]
            (previous if callable(previous) else signal.default_int_handler)(number, frame)
        self.requested = True
