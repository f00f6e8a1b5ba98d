"""The tutorials, as one would follow them: files written, commands run in one folder, what they print compared.

`cd python/tests && python -m tutorials` runs them and saves what they print. A line "..." on a page stands for any
lines; what a command that has one prints is edited by hand.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from conftest import environment
from fork_server import COMMAND, ForkServer

TUTORIALS = sorted((Path(__file__).parents[2] / "docs/tutorials").glob("*.md"))

FILE = re.compile(r"`([\w.-]+)`:\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
"""A block after a line that ends with the name of a file has its text."""

STEP = re.compile(r"`[\w.-]+`:\n\n```\w+\n.*?^```$|^```console\n(?P<session>.*?)^```$", re.DOTALL | re.MULTILINE)
STATUS = '; echo "exit $?"'
ANYTHING = "..."


@dataclass(frozen=True)
class Command:
    """What is typed, and what the page says that it prints."""

    typed: str
    printed: list[str]


def session(text: str) -> list[Command]:
    """The commands of a terminal session; a backslash goes on in the next line."""
    found: list[Command] = []
    typing = False
    for line in text.splitlines():
        if typing:
            found[-1] = Command(f"{found[-1].typed}\n{line}", [])
        elif line.startswith("$ "):
            found.append(Command(line[2:], []))
        else:
            found[-1].printed.append(line)
        typing = line.endswith("\\") if typing or line.startswith("$ ") else False
    return found


def run(command: str, folder: Path, forks: ForkServer) -> list[str]:
    """What a command prints; errors first. It must succeed, unless it shows its exit status."""
    shown = command.endswith(STATUS)
    line = command.removesuffix(STATUS).replace("\\\n", " ")
    env = environment() | {"COLUMNS": "150", "PATH": f"{COMMAND.parent}:/usr/bin:/bin"}
    if line.startswith("eddyline ") and not re.search(r"[|<>;&]", line):
        code, out, err = forks.run(shlex.split(line)[1:], folder, env, 120)
    else:
        ran = subprocess.run(["sh", "-c", line], cwd=folder, env=env, capture_output=True, text=True, timeout=120)
        code, out, err = ran.returncode, ran.stdout, ran.stderr
    assert code == 0 or shown, f"{command}\n{err}"
    assert "Traceback" not in err, err
    lines = [line.rstrip() for line in (err + out).strip("\n").splitlines()]
    return [*lines, f"exit {code}"] if shown else lines


def differs(said: list[str], printed: list[str]) -> str | None:
    """The first line that is not printed as the page says, or printed and not said; spaces may differ in number."""
    left = [" ".join(line.split()) for line in printed if line.strip()]
    gap = False
    for line in (" ".join(line.split()) for line in said if line.strip()):
        if line == ANYTHING:
            gap = True
            continue
        if gap and line in left:
            left = left[left.index(line) :]
        if not left or left[0] != line:
            return f"said {line!r}, printed {left[:1]}"
        left, gap = left[1:], False
    return None if gap or not left else f"printed {left[0]!r}, not said"


def follow(page: Path, folder: Path, forks: ForkServer) -> list[tuple[Command, list[str]]]:
    """Every command of a page with what it prints."""
    found = []
    for match in STEP.finditer(page.read_text("utf-8")):
        if match["session"] is None:
            name, text = FILE.fullmatch(match[0]).groups()
            (folder / name).write_text(text, "utf-8")
        else:
            found += [(command, run(command.typed, folder, forks)) for command in session(match["session"])]
    return found


def save(page: Path, forks: ForkServer) -> None:
    """Writes what the commands print into the page."""
    with tempfile.TemporaryDirectory() as folder:
        printed = iter(follow(page, Path(folder), forks))

    def filled(match: re.Match[str]) -> str:
        if match["session"] is None:
            return match[0]
        lines = []
        for _ in session(match["session"]):
            command, fresh = next(printed)
            kept = command.printed if ANYTHING in command.printed else fresh
            lines += [f"$ {command.typed}", *kept]
        return "\n".join(["```console", *lines, "```"])

    page.write_text(STEP.sub(filled, page.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    server = ForkServer(environment())
    for each in TUTORIALS:
        if not sys.argv[1:] or each.stem in sys.argv[1:]:
            try:
                save(each, server)
                sys.stdout.write(f"{each.name}\n")
            except AssertionError as error:
                sys.stderr.write(f"{each.name}: {error}\n")
    server.close()
