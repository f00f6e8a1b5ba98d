"""Types of arguments: one name of several, or several with commas, checked, completed, with the nearest in errors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import isfinite, nan
from typing import TYPE_CHECKING, Any, TypeAlias

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = [
    "MEMORY",
    "Controller",
    "Controllers",
    "KindWith",
    "Names",
    "Number",
    "OneOf",
    "Packets",
    "Preset",
    "Queue",
    "Seeds",
    "Shard",
    "Share",
    "WallTime",
    "World",
    "Worlds",
]

Known: TypeAlias = list[tuple[str, str]]
"""Names with their summaries."""


class OneOf(click.Choice[str]):
    """One of a few names, all of which the help lists."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """As in click, with the nearest name."""
        from eddyline.spelling import nearest

        near = nearest(str(value), self.choices)
        return super().get_invalid_choice_message(value, ctx) + (f" Did you mean {near}?" if near else "")


class World(OneOf):
    """A world; one that this machine cannot run is refused with the reason when it is to run.

    Args:
        more: Names beside those of worlds.
    """

    def __init__(self, *more: str) -> None:
        import eddyline.worlds as worlds

        super().__init__([*worlds.NAMES, *more])


def _completed(known: Known, incomplete: str, prefix: str = "") -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(prefix + name, help=about) for name, about in known if name.startswith(incomplete)]


def _controllers() -> Known:
    from eddyline.kinds import controllers

    return [(kind.name, kind.summary) for kind in controllers()]


class Controller(click.ParamType[str]):
    """A controller that scenarios may name."""

    name = "KIND"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002
        """Rejects unknown names."""
        from eddyline.kinds import require_controller

        require_controller(value, option=param.opts[0] if param is not None else None)
        return value

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Names with summaries."""
        return _completed(_controllers(), incomplete)


class KindWith(click.ParamType[str]):
    """A controller that states a fact of this name, as an attribute of `kinds.ControllerKind`."""

    name = "KIND"

    def __init__(self, fact: str) -> None:
        self._fact = fact

    def _kinds(self) -> Known:
        from eddyline.kinds import controllers

        return [(kind.name, kind.summary) for kind in controllers() if getattr(kind, self._fact) is not None]

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Rejects other names."""
        from eddyline.spelling import nearest

        names = [name for name, _ in self._kinds()]
        if value not in names:
            near = nearest(value, names)
            hint = f" Did you mean {near}?" if near else ""
            self.fail(f"{value!r} is not one of {', '.join(map(repr, names))}.{hint}", param, ctx)
        return value

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Names with summaries."""
        return _completed(self._kinds(), incomplete)


class Preset(click.ParamType[str]):
    """A preset of links."""

    name = "PRESET"

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Names with summaries."""
        from eddyline.cli.templates import SCENARIOS
        from eddyline.kinds import presets

        known = [(p["name"], p["summary"]) for p in presets()]
        return _completed([*known, *((name, each.summary) for name, each in SCENARIOS.items())], incomplete)


class Queue(click.ParamType[str]):
    """A queue discipline."""

    name = "KIND"

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Names with summaries."""
        from eddyline.kinds import queues

        return _completed([(kind.name, kind.summary) for kind in queues()], incomplete)


class Workers(click.IntRange):
    """A number of processes of this machine; a cluster is another option's."""

    def __init__(self) -> None:
        super().__init__(min=1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """As an integer."""
        if str(value).startswith("dask://"):
            self.fail(f"{value!r} is a cluster; --engine {value} runs on it.", param, ctx)
        return int(super().convert(value, param, ctx))


class Seeds(click.ParamType[tuple[int | None, int]]):
    """How many seeds, from the scenario's on, or which: `10`, or `5..14`.

    Args:
        most: The largest number.
    """

    name = "N"

    def __init__(self, most: int) -> None:
        self._most = most

    def convert(
        self, value: str | int | tuple[int | None, int], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int | None, int]:
        """The first seed, where it is given, and their number."""
        from eddyline.scenario import SEEDS

        if isinstance(value, tuple):
            return value
        low, dots, high = str(value).partition("..")
        if not low.isdecimal() or (dots and not high.isdecimal()):
            self.fail(f"{value!r} is not a number of seeds, as in 10, or a range of them, as in 5..14.", param, ctx)
        first, number = (int(low), int(high) - int(low) + 1) if dots else (None, int(low))
        if dots and int(high) >= SEEDS:
            self.fail(f"{value}: seeds are at most 2^63 - 1.", param, ctx)
        if dots and number < 1:
            self.fail(f"{value}: the upper end must not be below the lower.", param, ctx)
        if not 1 <= number <= self._most:
            self.fail(f"{value}: {number:,} seeds; 1 to {self._most:,} are possible.", param, ctx)
        return first, number


class Shard(click.ParamType[tuple[int, int]]):
    """`I/N`: the I-th of N shares."""

    name = "I/N"

    def convert(
        self, value: str | tuple[int, int], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Two integers."""
        if not isinstance(value, str):
            return value
        index, _, shards = value.partition("/")
        if not (index.isdecimal() and shards.isdecimal() and 1 <= int(index) <= int(shards)):
            self.fail(f"{value!r} is not I/N, as in 1/8 to 8/8.", param, ctx)
        return int(index), int(shards)


class Number(click.FloatRange):
    """A finite number within a range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number."""
        try:
            number = float(value)
        except ValueError:
            number = nan
        if not isfinite(number):
            allowed = f"at least {self.min:g}" if self.max is None else f"from {self.min or 0:g} to {self.max:g}"
            self.fail(f"{value!r} is not a number; allowed are numbers {allowed}, as in 3.5.", param, ctx)
        return float(super().convert(number, param, ctx))


class Packets(click.ParamType[int]):
    """A whole number of packets, alone or with the unit that scenarios require.

    Args:
        most: The largest number.
    """

    name = "N"

    def __init__(self, most: int) -> None:
        self._most = most

    def convert(self, value: str | int, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """As an integer."""
        if not isinstance(value, str):
            return value
        import eddyline._core as _core
        from eddyline.errors import InputError

        try:
            number = _core.quantity("packets", f"{value.strip().removesuffix('packets')} packets")
        except InputError:
            number = -1.0
        if not (number.is_integer() and 0 <= number <= self._most):
            allowed = f"0 to {self._most:,} packets, as in 40 or '40 packets'"
            self.fail(f"{value!r} is not a whole number of packets; allowed are {allowed}.", param, ctx)
        return int(number)


class Share(click.ParamType[float]):
    """A share above 0 and at most 1, as a number or in percent."""

    name = "SHARE"

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """As a number."""
        text = str(value).strip()
        try:
            share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            share = 0.0
        if not 0 < share <= 1:
            self.fail(f"{value!r} is not a share above 0 and at most 1, as in 0.95 or 95%.", param, ctx)
        return share


class WallTime(click.ParamType[float]):
    """A time on the clock, in seconds or with its unit."""

    name = "TIME"

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Seconds."""
        if not isinstance(value, str):
            return value
        import eddyline._core as _core
        from eddyline.errors import InputError

        try:
            seconds = float(value) if value.replace(".", "", 1).isdecimal() else _core.quantity("time", value)
        except InputError as e:
            self.fail(f"{e}", param, ctx)
        if not 0 < seconds < 1e9:
            self.fail(f"{value}: allowed are times above 0, as in '30 s' or '5 min'.", param, ctx)
        return seconds


class Names(click.ParamType[tuple[str, ...]], ABC):
    """Names separated by commas."""

    name = "NAME,..."

    @abstractmethod
    def known(self) -> Known:
        """Names with summaries."""

    def convert(
        self, value: str | tuple[str, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Splits."""
        names = value if isinstance(value, tuple) else tuple(n.strip() for n in value.split(",") if n.strip())
        if not names and isinstance(value, str):
            self.fail(f"{value!r} names nothing", param, ctx)
        return names

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Completions of the name after the last comma."""
        head, comma, last = incomplete.rpartition(",")
        return _completed(self.known(), last, head + comma)


class Controllers(Names):
    """Controllers that scenarios may name."""

    name = "KIND,..."

    def known(self) -> Known:
        """Names with summaries."""
        return _controllers()

    def convert(
        self, value: str | tuple[str, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Splits, and rejects unknown names."""
        from eddyline.kinds import require_controller

        names = super().convert(value, param, ctx)
        for name in names:
            require_controller(name, option=param.opts[0] if param is not None else None)
        return names


class Worlds(Names):
    """Names of worlds."""

    def known(self) -> Known:
        """Names with what computes them."""
        from eddyline.worlds import WORLDS

        return [(world.name, world.summary) for world in WORLDS.values()]

    def convert(
        self, value: str | tuple[str, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Splits, and rejects unknown names."""
        from eddyline.spelling import unknown
        from eddyline.worlds import WORLDS

        names = super().convert(value, param, ctx)
        for name in names:
            if name not in WORLDS:
                raise unknown("world", name, WORLDS)
        return names


class _Memory(click.ParamType[int]):
    """An amount of memory."""

    name = "SIZE"

    def convert(self, value: str | int, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """In bytes."""
        from eddyline.memory import parse

        try:
            return value if isinstance(value, int) else parse(value)
        except ValueError as e:
            self.fail(str(e), param, ctx)


MEMORY = _Memory()
"""The type of `--memory`."""
