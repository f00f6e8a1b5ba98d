"""Captures of the two hosts' interfaces in pcapng format, written beside their place and put there at the end."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING

import eddyline.output as output
from eddyline.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import eddyline._core as _core

__all__ = ["FILES", "require_lengths", "require_writable", "staged"]

_HEADERS_B, _LONGEST_B = 40, 65_535
"""Of IPv4 and TCP, and the most that IPv4's total length can say (RFC 791, 3.1)."""
FILES = ("host-1.pcapng", "host-2.pcapng")
"""A capture for each host; data of the first link comes from the first."""


def require_lengths(scenario: _core.Scenario) -> None:
    """Makes sure that the headers in captures of `sim` can say how long the flows' packets are.

    Raises:
        InputError: They cannot.
    """
    from eddyline.quantities import read

    for flow in json.loads(scenario.canonical).get("flow", ()):
        if not flow.get("count", 1):
            continue
        size, header = (read(key, "bytes", flow[key]) for key in ("packet", "header"))
        length = round(size - header) + _HEADERS_B
        if length > _LONGEST_B:
            raise InputError(
                f"pcap: flow.{flow['name']}.packet: a capture cannot have packets of {length:,} B with their headers",
                f"IPv4 packets have {_LONGEST_B:,} B at most (RFC 791); --log has packets of any size",
            )


def require_writable(path: Path) -> None:
    """Makes sure that captures can be written to a folder.

    Raises:
        InputError: They cannot.
    """
    with output.refused(path):
        output.require_folder(path, "name a folder, which gets a file per host")
        foreign = sorted(file.name for file in path.iterdir() if file.name not in FILES) if path.is_dir() else []
        if foreign:
            raise InputError(f"{path}: holds more than captures: {foreign[0]}", "choose a new or empty folder")
    output.require_writable(path, FILES)


@contextmanager
def staged(path: Path | None) -> Iterator[Path | None]:
    """A folder to write to, which replaces `path` at the end, and is removed where anything fails.

    Raises:
        InputError: Nothing can be written there.
    """
    if path is None:
        yield None
        return
    require_writable(path)
    with output.replaced(path, FILES) as folder, output.named(folder, path):
        yield folder
