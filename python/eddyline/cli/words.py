"""Arguments that are one word of several, or several with commas: checked, completed, with the nearest one named."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["Controller", "Controllers", "Names", "Preset", "Queue", "Word"]


class Word(click.Choice[str]):
    """One of a few words, all of them in the help."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """As click says it, with the nearest word."""
        from eddyline.words import nearest

        near = nearest(str(value), self.choices)
        return super().get_invalid_choice_message(value, ctx) + (f" Did you mean {near}?" if near else "")


def _registered(what: str) -> list[tuple[str, str]]:
    from eddyline.controllers.names import register

    return [(k["name"], k["summary"]) for k in register()[what]]


def _completed(known: list[tuple[str, str]], begun: str, before: str = "") -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(before + name, help=what) for name, what in known if name.startswith(begun)]


class Controller(click.ParamType[str]):
    """A controller that scenarios may name."""

    name = "KIND"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002
        """Refuses what is none."""
        from eddyline.controllers.names import need

        need(value, option=param.opts[0] if param is not None else None)
        return value

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Names with what they are."""
        return _completed(_registered("controllers"), incomplete)


class Preset(click.ParamType[str]):
    """A preset of links."""

    name = "PRESET"

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Names with what they are."""
        return _completed(_registered("presets"), incomplete)


class Queue(click.ParamType[str]):
    """A queue discipline's kind."""

    name = "KIND"

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Names with what they are."""
        return _completed(_registered("queues"), incomplete)


class Names(click.ParamType[tuple[str, ...]], ABC):
    """Names with commas between them."""

    name = "NAME,..."

    @abstractmethod
    def known(self) -> list[tuple[str, str]]:
        """Names with what they are."""

    def convert(
        self, value: str | tuple[str, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Splits."""
        names = value if isinstance(value, tuple) else tuple(n.strip() for n in value.split(",") if n.strip())
        if not names and isinstance(value, str):
            self.fail(f"{value!r} names nothing", param, ctx)
        return names

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Those that go on where the last comma is."""
        head, comma, last = incomplete.rpartition(",")
        return _completed(self.known(), last, head + comma)


class Controllers(Names):
    """Controllers that scenarios may name."""

    name = "KIND,..."

    def known(self) -> list[tuple[str, str]]:
        """Names with what they are."""
        return _registered("controllers")

    def convert(
        self, value: str | tuple[str, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Splits, and refuses what is none."""
        from eddyline.controllers.names import need

        names = super().convert(value, param, ctx)
        for name in names:
            need(name, option=param.opts[0] if param is not None else None)
        return names
