"""Errors, by what the caller can do about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ControllerError",
    "Displaced",
    "EddylineError",
    "InputError",
    "InternalError",
    "NoEquilibrium",
    "NotInstalled",
    "ScenarioError",
    "UntrustedRun",
    "WorldUnavailable",
]


_REGISTERED_FIRST = (
    "a controller of your own is registered first: import its module, el.register(NAME, CLASS), or "
    "el.load_controllers(FILE)"
)


class EddylineError(Exception):
    """Something failed while running; base of all errors here.

    Attributes:
        hint: What to do about it, or None.
        exit_code: What the command line exits with.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint
        if hint is not None:
            self.add_note(f"hint: {hint}")  # tracebacks and notebooks show it

    def __reduce__(self) -> tuple[Any, ...]:
        # constructors take other arguments than the message that an exception keeps
        return (_again, (type(self), self.args, self.__dict__))


def _again(kind: type[EddylineError], args: tuple[Any, ...], state: dict[str, Any]) -> EddylineError:
    """An error in another process, or a copy of one."""
    made = kind.__new__(kind, *args)
    made.__dict__.update(state)
    return made


class InputError(EddylineError, ValueError):
    """The input is wrong; nothing was run and nothing written."""

    exit_code: ClassVar[int] = 2


class ScenarioError(InputError):
    """A scenario is invalid. The message lists every error in it.

    Attributes:
        diagnostics: One dict per error, with what is known of: `file`, `line`, `column` (from 1), `key`,
            `pointer` (in JSON), `message`, `hint`.
        unknown_controllers: Unknown kinds of controllers that it names.
    """

    def __init__(
        self, message: str, diagnostics: Sequence[dict[str, Any]] = (), unknown_controllers: Sequence[str] = ()
    ) -> None:
        # a misspelt name has a hint of its own, which the message contains
        own = unknown_controllers and not any(each.get("hint") for each in diagnostics)
        super().__init__(message, _REGISTERED_FIRST if own else None)
        self.diagnostics = list(diagnostics)
        self.unknown_controllers = list(unknown_controllers)


class WorldUnavailable(EddylineError):  # noqa: N818 - the name of a state
    """This machine, or this version, cannot run that world.

    Attributes:
        world: Its name.
        reason: Why, in a sentence.
    """

    exit_code: ClassVar[int] = 3

    def __init__(self, world: str, reason: str, remedy: str | None = None) -> None:
        super().__init__(f"world {world}: {reason}", remedy)
        self.world = world
        self.reason = reason

    @classmethod
    def of(cls, world: str, error: EddylineError) -> WorldUnavailable:
        """The state of a world among several that refused the scenario: as it is, or of what was raised instead."""
        return error if isinstance(error, WorldUnavailable) else cls(world, str(error), error.hint)


class Displaced(EddylineError):  # noqa: N818 - the name of a state
    """Outputs are complete, but beside their places: something else was written there meanwhile.

    Attributes:
        run: The run that wrote them, in its world's own form, if a run did.
        result: Its `Result`.
    """

    run: Any = None
    result: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        # without the result, as in ControllerError
        return (_again, (type(self), self.args, {"hint": self.hint}))


class LostConnection(EddylineError):  # noqa: N818 - the name of a state
    """A stack gave up connections of a run: what it measures of them ends there.

    Attributes:
        world: Its world.
        because: A sentence each.
    """

    def __init__(self, world: str, because: Sequence[str]) -> None:
        super().__init__(f"world {world}: {'; '.join(because)}")
        self.world, self.because = world, list(because)


class UntrustedRun(EddylineError):  # noqa: N818 - the name of a finding
    """A run in real time that the machine disturbed: its figures are not those of the scenario.

    Attributes:
        world: Its world.
        because: What went wrong, a sentence each.
    """

    def __init__(self, world: str, because: Sequence[str]) -> None:
        message = f"world {world}: this run cannot be trusted: {'; '.join(because)}"
        super().__init__(message, "repeat it on a quieter machine")
        self.world, self.because = world, list(because)


class NoEquilibrium(EddylineError):  # noqa: N818 - the name of a finding
    """Theory proves that the scenario has no equilibrium: some queue grows without bound; the message says which."""


class ControllerError(EddylineError):
    """A user's own controller raised an exception, or set an invalid value.

    Attributes:
        controller: Its name in scenarios.
        place: Class and method.
        traceback: The traceback of its exception, or empty.
        result: The `Result` of the run, if it went on: a controller from a file stops its own flow only.
    """

    def __init__(self, controller: str, place: str, what: str, traceback: str = "") -> None:
        super().__init__(f"controller {controller!r}: {place} {what}")
        self.controller, self.place, self.what, self.traceback = controller, place, what, traceback
        self.result: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        # without the result, which is large, and which the caller has elsewhere
        return (_again, (type(self), self.args, {**self.__dict__, "result": None}))


class NotInstalled(EddylineError, AttributeError):  # noqa: N818 - the name of a state
    """Something needs a library that is not installed. Also an `AttributeError`, so that `hasattr` works."""


class InternalError(EddylineError):
    """A defect of Eddyline itself."""

    def __init__(self, message: str) -> None:
        super().__init__(
            f"internal error: {message}", "this is a defect of Eddyline: please report it with the scenario"
        )
