"""The entry point: finds the command, and turns every error into a message and an exit code."""

from __future__ import annotations

import codecs
import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eddyline.cli.closed_pipes import tolerate
from eddyline.cli.lazy import LazyGroup
from eddyline.ctrl_c import INTERRUPTED, AfterImports
from eddyline.errors import ControllerError, EddylineError, ScenarioError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["COMMANDS", "command_line", "main"]

COMMANDS = {
    "run": "run a scenario file in one world, or in all side by side",
    "compare": "all worlds on one scenario, how far they are apart, and why",
    "validate": "run the papers' scenarios in all worlds: do the worlds agree?",
    "theory": "what only theory computes: every equilibrium, stability, flow populations",
    "sweep": "run a grid of scenarios over keys and seeds, on all processors or a cluster",
    "check": "run scenario files and compare the results with their [[expect]] tables",
    "verify": "run a stored result again and compare",
    "reproduce": "reproduce a paper, exhibit by exhibit, with computed verdicts",
    "advise": "size the buffers of an access link, with tc commands",
    "shell": "a shell at one end of an emulated path, for any program",
    "tc": "the nearest tc and netem commands for a scenario's links",
    "measure": "measure a real link in both directions, and write its scenario file",
    "live": "prepare world kernel: build the Linux of its virtual time",
    "probe": "find out whether a buffer counts bytes, packets or cells",
    "gauntlet": "test a controller in some fifty scenarios, with a scorecard for CI",
    "evaluate": "measure controllers side by side: response, fairness, convergence, buffers",
    "init": "write a commented scenario file to start from",
    "new-controller": "write a controller of your own to start from, in Rust or Python",
    "list": "controllers, queues, traffic models, profiles of links, presets, papers",
    "schema": "print the JSON Schema of scenario files",
    "doctor": "what this machine can do, and what is missing",
    "completion": "print the completion script for your shell",
}
"""Names and summaries of the commands, in the order of the help. Each command is the module of its name."""

HELP = """A congestion-control laboratory for two-way paths.

You write one scenario file (links, flows, controllers) and run it in any world: a packet-level simulation, theory,
a QUIC stack, or the TCP of this machine's kernel.

\b
First steps:
  eddyline init two-way.toml              a commented scenario to start from
  eddyline run two-way.toml               simulate it
  eddyline run two-way.toml --set 'link.down.rate=50 Mbit/s'
  eddyline run two-way.toml --out result  keep the result, its series and plots

\b
World theory models FAST and VFAST, and Reno where links have a given loss:
  eddyline init --controller fast two-way.toml --force
  eddyline run two-way.toml --world all   theory and simulation side by side
  eddyline theory response cubic --loss '0.1 %' --rtt '100 ms'
  eddyline list                           controllers, queues, presets, papers
"""


@click.command(
    cls=LazyGroup,
    members=COMMANDS,
    package="eddyline.cli",
    noun="command",
    help=HELP,
    epilog="Details: eddyline COMMAND --help",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=lambda c, _, v: _version(c, v))
def command_line() -> None:
    """See HELP."""


def _version(ctx: click.Context, given: bool) -> None:
    if given and not ctx.resilient_parsing:
        import eddyline._core as _core

        click.echo(f"eddyline {_core.VERSION}")
        ctx.exit()


def main(args: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code. It never raises."""
    # Python has None for streams that the parent process closed (`>&-`)
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115 - open to the end
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    tolerate()
    _escape()
    code = _exit_code(args)
    return code if _flushed() else 1


def _exit_code(args: Sequence[str] | None) -> int:
    try:
        with AfterImports():
            code = command_line.main(args, prog_name="eddyline", standalone_mode=False)
            sys.stdout.flush()
    except click.exceptions.Exit as e:
        return e.exit_code
    except SystemExit as e:  # completion
        return e.code if isinstance(e.code, int) else 1
    except (KeyboardInterrupt, click.Abort):
        _report("interrupted", None, label="")
        return INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as e:
        click.echo(e.format_message(), err=True)
        return 2
    except click.UsageError as e:
        where = e.ctx.command_path if e.ctx else "eddyline"
        _report(e.format_message(), f"{where} --help")
        return 2
    except click.ClickException as e:
        _report(e.format_message(), None)
        return 2
    except ScenarioError as e:
        _report(str(e), _controller_hint(e))
        return e.exit_code
    except EddylineError as e:
        for error in (e, e.__cause__):
            if isinstance(error, ControllerError):
                click.echo(error.traceback, nl=False, err=True)
        _report(str(e), e.hint or _model_hint(e))
        return e.exit_code
    except MemoryError:
        _report("out of memory", "a shorter duration, fewer flows or no series need less")
        return 1
    except OSError as e:
        if e.filename is None and not _flushed():
            return 1
        place = e.filename or ("" if _has_folder() else "the current folder")
        _report(f"{place}{': ' if place else ''}{e.strerror or e}", None)
        return 1
    except BaseException as e:  # last resort: no traceback unless it is requested
        if os.environ.get("EDDYLINE_DEBUG"):
            raise
        _report(
            f"internal error: {type(e).__name__}: {e}",
            "this is a defect of Eddyline; EDDYLINE_DEBUG=1 shows where, for a report",
        )
        return 1
    return code if isinstance(code, int) else 0


def _flushed() -> bool:
    """Whether standard output takes what waits for it; if not, says why and drops it, which Python would try again."""
    if sys.stdout.closed:  # by a controller of the user's
        return True
    try:
        sys.stdout.flush()
    except OSError as e:
        _report(f"standard output: {e.strerror or e}", None)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        sys.stdout.flush()
        return False
    return True


def _has_folder() -> bool:
    """Whether the current folder exists still."""
    try:
        Path.cwd()
    except OSError:
        return False
    return True


def _escape() -> None:
    """Makes output streams write what their encoding lacks as JSON escapes, such as bytes of file names."""

    def escaped(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        import json

        return json.dumps(error.object[error.start : error.end])[1:-1], error.end

    codecs.register_error("eddyline", escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="eddyline")


def _controller_hint(error: ScenarioError) -> str | None:
    """The error's hint in terms of the command line: a misspelt controller of an installed package, or one to load."""
    from eddyline.controllers.installed import declared
    from eddyline.spelling import nearest

    if error.hint is None or not error.unknown_controllers:
        return error.hint
    near = [nearest(kind, [d.name for d in declared()]) for kind in error.unknown_controllers]
    if any(near):
        return f"did you mean {', '.join(filter(None, near))}, of an installed package?"
    return "a controller of your own is loaded with --controllers FILE"


def _model_hint(error: EddylineError) -> str | None:
    from eddyline.cli.modelled import model_hint

    return model_hint([str(error)])


def _report(message: str, hint: str | None, label: str = "error: ") -> None:
    colour = False if os.environ.get("NO_COLOR") else None
    click.secho(label, fg="red", bold=True, nl=False, err=True, color=colour)
    click.echo(message, err=True)
    if hint:
        click.secho("hint: ", fg="cyan", nl=False, err=True, color=colour)
        click.echo(hint, err=True)
