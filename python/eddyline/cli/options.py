"""Arguments and options that several commands share."""

from __future__ import annotations

import json
import os
import re
import shlex
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from click.shell_completion import CompletionItem

    from eddyline.scenario import Scenario

__all__ = [
    "Key",
    "clock_of_kernel",
    "controllers",
    "errors_of",
    "given_controllers",
    "overrides",
    "packet_world",
    "parse_override",
    "path_option",
    "read_by",
    "require_memory",
    "scenario_file",
    "silent",
    "start_jitter_named",
    "timeout",
    "worlds_beside_sim",
]


_GIVEN = "eddyline.controllers"


def scenario_file(**attributes: Any) -> Callable[[Any], Any]:
    """The argument FILE; loading it reports where it cannot be read."""
    return click.argument("file", type=click.Path(path_type=Path), **attributes)


def path_option(*names: str, callback: Any = None, **attributes: Any) -> Callable[[Any], Any]:
    """An option that takes one file or folder; click would take the last of several without a word."""

    def only(ctx: click.Context, param: click.Parameter, given: tuple[Path, ...]) -> Path | None:
        if len(given) > 1:
            places = ", ".join(map(str, given))
            raise click.UsageError(f"{param.opts[0]} is given {len(given)} times ({places}); name one")
        path = given[0] if given else None
        return path if callback is None else callback(ctx, param, path)

    return click.option(*names, type=click.Path(path_type=Path), multiple=True, callback=only, **attributes)


def controllers() -> Callable[[Any], Any]:
    """The option --controllers, processed before all others: they may name its controllers."""
    return click.option(
        "--controllers",
        multiple=True,
        metavar="FILE.py|MODULE[:CLASS]|FILE.so",
        is_eager=True,
        expose_value=False,
        callback=_load_controllers,
        help="Load your own controllers; may be repeated. Also from EDDYLINE_CONTROLLERS, separated by commas.",
    )


def _load_controllers(ctx: click.Context, _param: click.Parameter, given: tuple[str, ...]) -> None:
    ctx.meta[_GIVEN] = given
    requested = given or ("EDDYLINE_CONTROLLERS" in os.environ and not ctx.resilient_parsing)
    if requested:
        from eddyline.controllers.sources import from_environment, load_all

        sentences = load_all((*from_environment(), *given))

        def note() -> None:
            if not ctx.params.get("quiet"):
                for sentence in sentences:
                    click.echo(f"note: {sentence}", err=True)

        ctx.call_on_close(note)  # --quiet is read later


def given_controllers(folder: Path | None = None) -> str:
    """The options --controllers of this command as they are typed, here or in `folder`, with a space in front."""
    given: tuple[str, ...] = click.get_current_context().meta.get(_GIVEN, ())
    seen = given if folder is None else [_seen_from(folder, what) for what in given]
    return "".join(f" --controllers {shlex.quote(what)}" for what in seen)


def _seen_from(folder: Path, what: str) -> str:
    """A controller's file, seen from a folder; a module has the same name everywhere."""
    place, colon, name = what.partition(":")
    if Path(place).is_absolute() or not Path(place).is_file():
        return what
    return f"{os.path.relpath(Path(place).resolve(), folder.resolve())}{colon}{name}"


def read_by(file: Path, scenario: Scenario) -> list[Path]:
    """The files that this command reads: its scenario's, with those that this names, and --controllers."""
    from eddyline.result_folder import files_of

    own = [Path(what.partition(":")[0]) for what in click.get_current_context().meta.get(_GIVEN, ())]
    return [file, *map(scenario.source.file, files_of(scenario.canonical)), *own]


def packet_world() -> Callable[[Any], Any]:
    """The option --world of commands that compare simulations."""
    from eddyline.cli.types import OneOf
    from eddyline.worlds import DEFAULT, with_packet_log

    return click.option(
        "--world", type=OneOf(with_packet_log()), default=DEFAULT, show_default=True, help="The world that simulates."
    )


def worlds_beside_sim() -> Callable[[Any], Any]:
    """The option --worlds of commands that compare worlds, as the parameter `chosen`."""
    from eddyline.cli.types import Worlds

    return click.option(
        "--worlds", "chosen", type=Worlds(), default=(), help="Worlds to compare with sim; all by default."
    )


def clock_of_kernel() -> Callable[[Any], Any]:
    """The option --clock."""
    from eddyline.cli.types import OneOf
    from eddyline.worlds import CLOCKS

    return click.option(
        "--clock",
        type=OneOf(list(CLOCKS)),
        default=CLOCKS[0],
        show_default=True,
        help="World kernel: run in real time, or in a user-mode Linux whose clock jumps.",
    )


def parse_override(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, str]]:
    """KEY=VALUE, split at the first `=` outside quotes."""
    from eddyline.encoding import assignment
    from eddyline.utf8 import required

    pairs = []
    for given in map(required, values):
        pair = assignment(given)
        if pair is None:
            raise click.BadParameter(f"{given!r} is not KEY=VALUE, as in 'link.down.rate=20 Mbit/s'")
        pairs.append(pair)
    return pairs


def overrides(help: str = "Override a key of the file by its dotted name; may be repeated.") -> Callable[[Any], Any]:
    """The option --set, as the parameter `overrides`."""
    return click.option(
        "--set",
        "overrides",
        type=Key(),
        multiple=True,
        metavar="KEY=VALUE",
        callback=parse_override,
        help=help,
    )


def require_memory(world: str) -> None:
    """Refuses --memory for a world that keeps no packets."""
    from eddyline.worlds import WORLDS, text, with_packet_log

    if not WORLDS[world].packet_log:
        raise click.UsageError(f"--memory is for --world {text(with_packet_log())}")


def silent() -> Callable[[Any], Any]:
    """The option --quiet of commands whose only note is a progress bar, as the parameter `silent`."""
    return click.option("--quiet", "-q", "--no-progress", "silent", is_flag=True, help="No progress bar.")


def errors_of(message: str) -> list[str]:
    """The errors of a scenario in a message, each with its hint, which is indented."""
    return re.split(r"\n(?! )", message)


@contextmanager
def start_jitter_named(given: str | None) -> Iterator[None]:
    """Names --start-jitter in errors of the scenario, once for all flows, not the override that it stands for."""
    from eddyline.errors import ScenarioError
    from eddyline.keys import START_JITTER

    try:
        yield
    except ScenarioError as e:
        if given is None:
            raise
        option, told = f"--start-jitter {given}", dict[str, str]()
        for each in errors_of(str(e).replace(f"--set {START_JITTER}={given}", option)):
            told.setdefault(each.partition(".start_jitter: ")[2] if each.startswith(option) else each, each)
        raise ScenarioError("\n".join(told.values()), e.diagnostics, e.unknown_controllers) from None


def timeout(what: str) -> Callable[[Any], Any]:
    """The option --timeout, as the parameter `timeout`: the limit on the wall time of one `what`."""
    from eddyline.cli.types import WallTime

    return click.option(
        "--timeout",
        type=WallTime(),
        metavar="TIME",
        help=f"Stop a {what} that takes longer, as in '30 s', and count it as failed.",
    )


class Key(click.ParamType[str]):
    """KEY=VALUE with completion of the keys of FILE, and of names after a key that ends in `kind`."""

    name = "KEY=VALUE"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        """Keys of the FILE on the command line."""
        from click.shell_completion import CompletionItem

        from eddyline.errors import EddylineError
        from eddyline.scenario import Scenario

        key, equals, value = incomplete.partition("=")
        if equals and key.endswith("kind"):
            import eddyline.kinds as kinds

            names = [k.name for k in (kinds.queues() if "queue" in key else kinds.controllers())]
            return [CompletionItem(f"{key}={name}") for name in names if name.startswith(value)]
        # click leaves the arguments unparsed while the value of an option is incomplete
        file = ctx.params.get("file") or next(iter(ctx.args), None)
        try:
            table = Scenario.load(file).to_dict() if file else {}
        except EddylineError:
            return []
        return [CompletionItem(f"{k}=") for k in _keys(table) if k.startswith(incomplete)]


def _keys(value: dict[str, Any], prefix: str = "") -> Iterator[str]:
    for key, inner in value.items():
        if isinstance(inner, dict):
            yield from _keys(inner, f"{prefix}{_quoted(key)}.")
        elif isinstance(inner, list) and inner and all(isinstance(table, dict) for table in inner):
            for table in inner:
                if "name" in table:
                    yield from _keys(table, f"{prefix}{key}.{_quoted(table['name'])}.")
        elif key != "name":
            yield prefix + _quoted(key)


def _quoted(key: str) -> str:
    bare = key.replace("-", "").replace("_", "").isalnum() and key.isascii()
    return key if bare else json.dumps(key, ensure_ascii=False)
