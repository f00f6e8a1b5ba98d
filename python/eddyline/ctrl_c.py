"""Ctrl-C during imports: a library that is imported in part fails in ways of its own, or crashes the interpreter."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # built in: the import of `signal` itself could be interrupted
import _thread
import os
import time

TYPE_CHECKING = False  # without `typing`, for the same reason

if TYPE_CHECKING:
    from types import FrameType, TracebackType
    from typing import Self

__all__ = ["INTERRUPTED", "AfterImports", "end_command", "is_usual"]

INTERRUPTED = 130
"""Exit code of a command that Ctrl-C ended."""

_IMPORTING = "<frozen importlib._bootstrap>"
_PAUSE_S = 0.01


class AfterImports:
    """Ctrl-C raises `KeyboardInterrupt` once no import is going on, or instead of the error by which one ends.

    A second Ctrl-C during an import ends the process. Outside the main thread, and where the signal is ignored or has
    another handler, nothing changes.
    """

    def __init__(self) -> None:
        self._waits = self._is_reminder = self._is_installed = False

    def __enter__(self) -> Self:
        if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
            try:
                _signal.signal(_signal.SIGINT, self.handle)
            except ValueError:  # not the main thread
                return self
            self._is_installed = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        waits, self._waits = self._waits, False  # first: no reminder comes after the handler is gone
        if self._is_installed:
            _signal.signal(_signal.SIGINT, _signal.default_int_handler)
        if waits:
            raise KeyboardInterrupt from None

    def handle(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - the signature of handlers
        """The handler."""
        is_reminder, self._is_reminder = self._is_reminder, False
        if not _is_importing(frame):
            self._waits = False
            raise KeyboardInterrupt
        if self._waits and not is_reminder:
            _end()
        self._waits = True
        _thread.start_new_thread(self._remind, ())

    def _remind(self) -> None:
        time.sleep(_PAUSE_S)
        if self._waits:
            self._is_reminder = True
            _thread.interrupt_main()


def end_command() -> None:
    """Ends the process at once if it runs a command; in other programs nothing happens."""
    if isinstance(getattr(_signal.getsignal(_signal.SIGINT), "__self__", None), AfterImports):
        _end()


def _end() -> None:
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)


def is_usual(handler: object) -> bool:
    """Whether a handler of SIGINT is Python's own, or the one of `AfterImports`."""
    return handler is _signal.default_int_handler or isinstance(getattr(handler, "__self__", None), AfterImports)


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code.co_filename != _IMPORTING:
        frame = frame.f_back
    return frame is not None
