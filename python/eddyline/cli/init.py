"""`eddyline init`."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from eddyline.cli.outputs import put_text
from eddyline.cli.templates import SCENARIOS, Template
from eddyline.cli.types import Controller, Preset
from eddyline.utf8 import displayed

__all__ = ["command", "template"]

TEMPLATE = """\
# A two-way path: a download and an upload that share a link each way. Run it:
#   eddyline run {file}
#   eddyline run {file} {next}
#   eddyline run {file} --out result        keep result, series and plots
# Every quantity has a unit: Mbit/s, ms, packets, B. `eddyline schema` has all keys, `eddyline list` all kinds.

title    = "a download against an upload"
duration = "60 s"
warmup   = "20 s"     # summaries start here
seed     = 1          # the same seed gives the same result

{links}
[[flow]]
name       = "download"
controller = {download}
data       = ["{down}"]  # links that its data packets cross, in order
ack        = ["{up}"]  # links that its acknowledgements cross
packet     = "1500 B"  # a full data packet on the wire
header     = "40 B"    # the part of it that is not payload
{tcp}
[[flow]]
name       = "upload"
{note}controller = {upload}
data       = ["{up}"]
ack        = ["{down}"]
{tcp}start      = "5 s"

# Unresponsive traffic on a path: cbr, poisson, on_off, vbr, trace.
# [[traffic]]
# name   = "video call"
# path   = ["{up}"]
# packet = "1200 B"
# model  = {{ kind = "cbr", rate = "500 kbit/s" }}

# Expectations; `eddyline check {file}` compares the result with them.
[[expect]]
of       = "flow.download"
what     = "goodput_bps"
at_least = "1 Mbit/s"
why      = "a download must survive an upload"
"""

LINKS = """\
[[link]]                # one direction of transmission
name  = "down"
rate  = "20 Mbit/s"
delay = "10 ms"         # one-way propagation
queue = { kind = "droptail", limit = "100 packets" }

[[link]]
name  = "up"
rate  = "5 Mbit/s"
delay = "10 ms"
queue = { kind = "droptail", limit = "100 packets" }
loss  = 0.0             # probability per packet
"""

DUPLEX = """\
[[duplex]]              # two links, "access/down" and "access/up": {summary}
name   = "access"
preset = "{preset}"
"""


ACCURATE_ECN = """\
tcp        = { accurate_ecn = true }  # the controller needs a count of the marked packets; droptail never marks
"""

BASE_RTT = """\
# The default "estimated", as in real senders, takes the download's queue for propagation delay: try it.
"""


def _controllers(kind: str) -> dict[str, str]:
    """What the template says about the controllers of its flows."""
    if kind == "fast":  # with the parameters that show what theory is about
        return {
            "next": "--world all         theory beside the simulation",
            "download": '{ kind = "fast", alpha = "20 packets", gamma = 0.5 }  # or { kind = "newreno" }',
            "upload": '{ kind = "fast", alpha = "10 packets", base_rtt = "known" }',
            "note": BASE_RTT,
            "tcp": "",
        }
    from eddyline.kinds import controller

    facts = controller(kind)
    accurate, alpha = facts.ecn == "accurate", facts.alpha is not None
    down, up = (f', alpha = "{packets} packets"' if alpha else "" for packets in (20, 10))
    return {
        "next": "--set 'link.*.queue.kind=dualpi2'    with queues that mark"
        if accurate
        else "--set 'flow.*.controller.kind=bbr'    another controller",
        "download": f'{{ kind = "{kind}"{down} }}  # `eddyline list controllers` has all kinds',
        "upload": f'{{ kind = "{kind}"{up} }}',
        "note": "",
        "tcp": ACCURATE_ECN if accurate else "",
    }


def _filled(scenario: Template, file: str, kind: str | None) -> str:
    from eddyline.kinds import controller

    facts = controller(kind or scenario.kind)
    alpha = ', alpha = "4 packets"' if facts.alpha is not None else ""
    ecn = f"{scenario.next_key}tcp = {{ accurate_ecn = true }}" if facts.ecn == "accurate" else ""
    return scenario.text.format(file=file, controller=f'{{ kind = "{facts.name}"{alpha} }}{ecn}')


@click.command("init", short_help="write a commented scenario file")
@click.argument("file", type=click.Path(path_type=Path), default=Path("scenario.toml"))
@click.option(
    "--preset",
    type=Preset(),
    metavar="PRESET",
    help="A common access link (`eddyline list presets`), or a scenario: upload, rrul.",
)
@click.option(
    "--controller", type=Controller(), metavar="KIND", help="Of all flows. By default cubic, or those of the scenario."
)
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
def command(file: Path, preset: str | None, controller: str | None, force: bool) -> None:
    """Write a commented scenario to FILE (scenario.toml), ready to run."""
    from eddyline.errors import InputError
    from eddyline.output import refused
    from eddyline.streams import is_stream

    if is_stream(file):
        put_text(file, template(file, preset, controller))
        return
    if file.suffix != ".toml":
        raise InputError(f"{file}: the name of a scenario file ends in .toml")
    with refused(file):
        if file.exists() and not force:
            raise InputError(f"{file}: exists", "--force replaces it")
    text = template(file, preset, controller)
    put_text(file, text)
    click.echo(f"wrote {displayed(file)}; next: {_run(_typed(file), controller)}", err=True)


def _typed(file: Path) -> str:
    """The file's name as an argument of a command."""
    shown = displayed(file)
    return shlex.quote(f"./{shown}" if shown.startswith("-") else shown)


def _run(typed: str, kind: str | None) -> str:
    """The command that runs a file with this controller."""
    from eddyline.kinds import controller

    only_in = None if kind is None else controller(kind).only_in
    return f"eddyline run {typed}{'' if only_in is None else f' --world {only_in}'}"


def template(file: Path, preset: str | None, controller: str | None = None) -> str:
    """The scenario's text."""
    from eddyline.kinds import controller as of_kind

    text, typed = _template(file, preset, controller), _typed(file)
    if controller is None or (only_in := of_kind(controller).only_in) is None:
        return text
    text = text.replace(f"eddyline run {typed}", _run(typed, controller))
    return text.replace("[[expect]]\n", f'[[expect]]\nworld    = "{only_in}"\n')


def _template(file: Path, preset: str | None, controller: str | None) -> str:
    typed = _typed(file)
    if preset in SCENARIOS:
        return _filled(SCENARIOS[preset], typed, controller)
    words = {"file": typed, **_controllers(controller or "cubic")}
    if preset is None:
        return TEMPLATE.format(links=LINKS, down="down", up="up", **words)
    from eddyline.kinds import presets
    from eddyline.spelling import unknown

    summaries = {p["name"]: p["summary"] for p in presets()}
    if preset not in summaries:
        raise unknown("preset", preset, {**summaries, **SCENARIOS}, option="--preset")
    links = DUPLEX.format(preset=preset, summary=summaries[preset])
    text = TEMPLATE.format(links=links, down="access/down", up="access/up", **words)
    # the slowest preset has a lower rate than the template expects
    return text.replace('at_least = "1 Mbit/s"', 'at_least = "100 kbit/s"')
