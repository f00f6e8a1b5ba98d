"""Standard output that is closed, full or not there: no failure is hidden, and none is made of it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from conftest import COMMAND, environment


def test_a_closed_pipe_is_no_error(scenario):
    path = scenario()
    text = f"{COMMAND} run {path} --json | true; {COMMAND} run {path} | true"
    p = subprocess.run(["sh", "-c", text], capture_output=True, text=True, env=environment(), timeout=60)
    assert p.stderr == ""


def into_a_closed_pipe(words, *, errors_too=False):
    reader, writer = os.pipe()
    os.close(reader)
    stderr = writer if errors_too else subprocess.PIPE
    command = [str(COMMAND), *words.split()]
    try:
        return subprocess.run(command, stdout=writer, stderr=stderr, text=True, env=environment(), timeout=60)
    finally:
        os.close(writer)


@pytest.mark.parametrize(
    "words", ["list", "list --json", "schema", "doctor", "--help", "run {path}", "run {path} --json"]
)
def test_a_pipe_that_is_closed_from_the_start_is_no_failure(scenario, words):
    p = into_a_closed_pipe(words.format(path=scenario()))
    assert (p.returncode, p.stderr) == (0, "")


HOLDS = """
[[expect]]
of = "link.down"
what = "lost"
at_most = 0
"""

FAILS = """
[[expect]]
of = "link.down"
what = "lost"
at_least = 1
why = "nothing is lost"
"""

BROKEN = """\
import eddyline as el

@el.register("broken")
class Broken(el.Controller):
    def __init__(self, path):
        self.cwnd = 1.0

    def on_ack(self, ack):
        raise ValueError("no more")

    on_loss = on_timeout = on_ack
"""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("check {path}", ""),
        ("check {path} --json", ""),
        ("gauntlet --controller vegas --only jitter --quiet", ""),
        ("run {path} --controllers {broken} --set flow.upload.controller.kind=broken", "ValueError: no more"),
        ("run {path} --json --controllers {broken} --set flow.upload.controller.kind=broken", "ValueError: no more"),
        ("verify {path}", "not a result"),
    ],
)
def test_a_closed_pipe_hides_no_failure(scenario, tmp_path, words, said):
    path, broken = scenario(more=FAILS), tmp_path / "broken.py"
    broken.write_text(BROKEN)
    words = words.format(path=path, broken=broken)
    expected = subprocess.run([str(COMMAND), *words.split()], capture_output=True, text=True, env=environment())
    assert expected.returncode != 0
    p = into_a_closed_pipe(words)
    assert (p.returncode, p.stderr) == (expected.returncode, expected.stderr)
    assert said in p.stderr
    assert into_a_closed_pipe(words, errors_too=True).returncode == expected.returncode


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    "words",
    [
        "list",
        "--help",
        "--version",
        "check {path}",
        "run {path} --json",
        "sweep {path} --vary seed=1 --out {path}.d -q --table",
    ],
)
@pytest.mark.parametrize("unbuffered", [False, True])
def test_a_full_disk_is_one_error(scenario, words, unbuffered):
    given = {key: value for key, value in environment().items() if key != "PYTHONUNBUFFERED"}
    given |= {"PYTHONUNBUFFERED": "1"} if unbuffered else {}
    command = [str(COMMAND), *words.format(path=scenario(more=HOLDS)).split()]
    with Path("/dev/full").open("w") as full:
        p = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=given, timeout=60)
    assert p.returncode == 1
    assert re.fullmatch(r"error: (standard output: )?No space left on device\n", p.stderr)


def test_a_controller_that_closes_standard_output_leaves_no_traceback(installed, scenario, tmp_path):
    closer = tmp_path / "closer.py"
    closer.write_text("import sys\n" + BROKEN.replace('raise ValueError("no more")', "sys.stdout.close()"))
    ran = installed("run", scenario(), "--controllers", closer, "--set", "flow.upload.controller.kind=broken")
    assert (ran.code, "Traceback" in ran.err) == (1, False), ran.err


def test_closed_streams_are_no_error(scenario):
    for redirection in (">&-", "2>&-", ">&- 2>&-"):
        text = f"{COMMAND} run {scenario()} {redirection}"
        p = subprocess.run(["sh", "-c", text], capture_output=True, text=True, env=environment(), timeout=60)
        assert (p.returncode, p.stderr) == (0, ""), redirection
