"""The command `eddyline`: one module per command, imported when it is called.

Results go to standard output, everything else to standard error. Exit codes: 0 done; 1 it ran and something failed;
2 the input is wrong, nothing was run or written; 3 this machine cannot run that world; 130 interrupted.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # without `typing`: Ctrl-C is not handled before `main`

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Hook = Callable[[sys.UnraisableHookArgs], object]

__all__ = ["main"]


def main(args: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit code."""
    usual = sys.unraisablehook
    sys.unraisablehook = _hearing(usual)
    try:
        return _main(args)
    finally:
        sys.unraisablehook = usual


def _main(args: Sequence[str] | None) -> int:
    try:
        from eddyline.ctrl_c import AfterImports

        with AfterImports():
            import gc

            from eddyline.teardown import leave_at_exit

            leave_at_exit()
            gc.set_threshold(50_000)  # loading modules leaves no garbage: looking for it takes 4 % of a short run
            from eddyline.cli import entry
        return entry.main(args)
    except KeyboardInterrupt:  # outside the command, which reports it
        sys.stderr.write("interrupted\n")
        return 130


def _hearing(usual: Hook) -> Hook:
    """A hook that raises a Ctrl-C again that Python dropped: in a finalizer, or as an import freed its lock."""

    def hook(ignored: sys.UnraisableHookArgs) -> None:
        if ignored.exc_type is KeyboardInterrupt:
            import _thread

            _thread.start_new_thread(_interrupt_later, ())  # raised here, it would be dropped once more
        else:
            usual(ignored)

    return hook


def _interrupt_later() -> None:
    import _thread
    import time

    time.sleep(0.01)
    _thread.interrupt_main()
