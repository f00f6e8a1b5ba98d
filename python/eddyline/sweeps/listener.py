"""Who is told of the progress of a sweep."""

from __future__ import annotations

from eddyline.errors import InputError

__all__ = ["SweepListener", "require_listener"]


class SweepListener:
    """Receives the progress of a sweep: a subclass has the methods that it needs."""

    def checking(self, done: int, total: int) -> None:
        """`done` of `total` combinations are checked."""

    def started(self, points: int, stored: int) -> None:
        """The runs start: `stored` of `points` are stored already."""

    def update(self, done: int, failed: int) -> None:
        """`done` points are finished and `failed` have failed, those of earlier calls included."""


def require_listener(listener: object) -> None:
    """Makes sure that it has the methods.

    Raises:
        InputError: It lacks one.
    """
    for name in ("checking", "started", "update"):
        if not callable(getattr(listener, name, None)):
            raise InputError(f"listener: {listener!r} has no method {name!r}", "a subclass of el.SweepListener has all")
