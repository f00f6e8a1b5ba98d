"""`eddyline tc`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from eddyline.cli.options import controllers, overrides, scenario_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from eddyline.adviser.tc import LinkCommands

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  eddyline tc two-way.toml
  eddyline tc two-way.toml --device down=eth0,eth1 --device up=eth1,eth0
"""

_OWN_DEVICES = (
    "# set $LEAVE and $ARRIVE anew for each link (--device does it here): on the same devices the last link replaces "
    "the others"
)
_TEST_BED = (
    "# turn offload off on the senders and on the way here (ethtool -K DEVICE tso off gso off gro off): the kernel "
    "hands on up to 64 kB as one packet, and limits in packets, and losses, count it once",
    "# send from other machines than this one: TCP holds back what waits in a queue of its own machine",
)


@click.command("tc", epilog=EXAMPLES, short_help="the nearest tc and netem commands")
@scenario_file()
@controllers()
@overrides()
@click.option(
    "--device",
    "devices",
    multiple=True,
    metavar="LINK=LEAVE,ARRIVE",
    help="Interfaces of a link: the one that its packets leave by, and the one that they arrive by.",
)
def command(file: Path, overrides: list[tuple[str, str]], devices: tuple[str, ...]) -> int:
    """Print commands that set up the links of FILE on the interfaces of a Linux machine, as nearly as tc can.

    Nothing is executed. What tc cannot express is said in comments.
    """
    from eddyline.adviser.tc import commands
    from eddyline.scenario import Scenario

    scenario = Scenario.load(file, set=overrides)
    named = _devices(devices, scenario.links)
    default = dict.fromkeys(scenario.links, ("$LEAVE", "$ARRIVE"))
    links = commands(scenario, default | named)
    _require_apart(links, named)
    lines = [line for each in links for line in _lines(each)]
    unnamed = [link for link in scenario.links if link not in named]
    if len(unnamed) > 1:
        lines.insert(0, _OWN_DEVICES)
    lines += _TEST_BED
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def _devices(given: tuple[str, ...], links: list[str]) -> dict[str, tuple[str, str]]:
    from eddyline.arguments import interface

    named: dict[str, tuple[str, str]] = {}
    for text in given:
        link, equals, pair = text.partition("=")
        leave, comma, arrive = pair.partition(",")
        if not (equals and comma and leave and arrive):
            raise click.UsageError(f"--device {text}: LINK=LEAVE,ARRIVE is wanted")
        if link not in links:
            from eddyline.spelling import unknown

            raise unknown("link", link, links)
        if link in named:
            raise click.UsageError(f"--device {link} is given twice")
        named[link] = (interface("--device", leave), interface("--device", arrive))
    return named


def _require_apart(links: Sequence[LinkCommands], named: Mapping[str, tuple[str, str]]) -> None:
    """Refuses a queue or a path on a device that has another link's, which it would replace."""
    taken: dict[tuple[str, str], str] = {}
    for link in links:
        if link.link not in named:
            continue
        leave, arrive = named[link.link]
        # what arrives by a device that another link's packets leave by is apart from them
        for where in (("leave", leave), *([("arrive", arrive)] if link.path else [])):
            other = taken.setdefault(where, link.link)
            if other != link.link:
                way, device = where
                raise click.UsageError(
                    f"--device {link.link}={leave},{arrive}: packets of link {other} {way} by {device} too, and the "
                    "commands of one link would replace the other's"
                )


def _lines(link: LinkCommands) -> list[str]:
    lines = [f"# link {link.link}: queue and rate, where packets leave"]
    lines += link.queue
    if link.path:
        lines += [f"# link {link.link}: delay, loss and jitter, where they arrive", *link.path]
    return lines + [f"# not the same: {note}" for note in link.notes]
