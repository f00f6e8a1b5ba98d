"""The commands in the documents: what each needs, its words, and a folder that has what they name."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import tomllib
from enum import Enum
from typing import TYPE_CHECKING

from code_blocks import ROOT, blocks, commands, pages
from conftest import TWO_WAY

if TYPE_CHECKING:
    from pathlib import Path

SLOW = bool(os.environ.get("EDDYLINE_SLOW"))
"""What takes more than some seconds is run too."""


class Need(Enum):
    """What a command needs that not every test run has."""

    NOTHING = "runs always"
    MINUTES = "takes up to some minutes: EDDYLINE_SLOW=1 runs it"
    KERNEL = "needs privileges for network namespaces, and takes real time"
    SECOND_MACHINE = "needs a second machine: the other end of an emulated path"
    KERNEL_SOURCE = "fetches and compiles a kernel: not run"
    CLUSTER = "needs a cluster: processes of this machine"
    COMPILER = "needs a compiler for the controller that it made"


_NEEDS = {
    r" --world kernel|^eddyline shell": Need.KERNEL,
    r"^eddyline measure": Need.SECOND_MACHINE,
    r"^eddyline live": Need.KERNEL_SOURCE,
    r"dask://|SLURM|merge 'shard-": Need.CLUSTER,
    r"libmy_cc|my_cc\.wasm": Need.COMPILER,
    r" --with-sim|^eddyline theory map python| --base card| noq-cubic": Need.MINUTES,
    r"^eddyline evaluate|^eddyline gauntlet (?!--list|.*--only two-way)|^eddyline reproduce": Need.MINUTES,
    r"^eddyline advise|^eddyline sweep upload": Need.MINUTES,
}


def need_of(line: str) -> Need:
    return next((need for pattern, need in _NEEDS.items() if re.search(pattern, line)), Need.NOTHING)


COMMANDS = [(page, line) for page in pages() for line in commands(page)]


def needing(need: Need) -> list[str]:
    """The commands that need this."""
    return [line for _, line in COMMANDS if need_of(line) is need]


def words(line: str) -> list[str]:
    """The command's words, with what a reader fills in.

    FILE is any scenario, for populations one in which flows arrive; KEY=RANGE is any; patterns are files; PROGRAM is
    one that succeeds at the end of a path only.
    """
    file = "python/eddyline/papers/two_way_fast/scenarios/population.toml" if " population " in line else "two-way.toml"
    ranges = iter(["link.down.rate=5 Mbit/s,10 Mbit/s", "link.up.rate=1 Mbit/s..4 Mbit/s:3"])
    found: list[str] = []
    for word in shlex.split(line.replace("PROGRAM ...", "sh -c 'test -n \"$EDDYLINE_THERE\"'"))[1:]:
        if word == "FILE":
            found.append(file)
        elif word == "KEY=RANGE":
            found.append(next(ranges))
        elif word.endswith("/*.toml"):
            found += sorted(str(f.relative_to(ROOT)) for f in ROOT.glob(word)) or [word]
        else:
            found.append(word)
    return found


def may_fail(line: str) -> bool:
    """The command's answer may be that something failed, exit code 1: few controllers pass all of the gauntlet."""
    return bool(re.search(r"^eddyline gauntlet (?!--list|.*--accept-known)", line))


def furnished(folder: Path) -> Path:
    """The folder, in which commands find what they name: the tree's files, and a scenario of one's own by each name."""
    for name in ("examples", "web", "python", "benches"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "docs/images/stories").mkdir(parents=True)
    for name in ("two-way.toml", "mine.toml", "late.toml", "a.toml", "scenario.toml"):
        (folder / name).write_text(TWO_WAY)
    (folder / "ring.json").write_text(json.dumps(tomllib.loads(TWO_WAY)))
    shutil.copyfile(ROOT / "examples/upload.toml", folder / "upload.toml")
    steady = next(b for b in blocks(ROOT / "docs/guides/your-own-controller.md", "python") if "# my.py" in b.code)
    (folder / "my.py").write_text(steady.code)
    policy = next(b for b in blocks(ROOT / "docs/guides/learning.md", "python") if "# policy.py" in b.code)
    (folder / "policy.py").write_text(policy.code)
    (folder / "policy.zip").write_bytes(b"")  # no run loads it
    return folder
