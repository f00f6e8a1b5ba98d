"""What had not ended when a run did is counted and said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eddyline.cli import main

if TYPE_CHECKING:
    from pathlib import Path

LINKS = """duration = "30 s"
link = [
    { name = "up", rate = "20 Mbit/s", delay = "10 ms", outages = OUTAGES, queue = { kind = "fq_codel" } },
    { name = "down", rate = "20 Mbit/s", delay = "10 ms", queue = { kind = "fq_codel" } },
]
"""
OUTAGE = '[{ start = "10 s", length = "20 s" }]'
"""From 10 s on nothing is transmitted."""
PROBE = 'probe = [{ name = "web", data = ["up"], ack = ["down"] }]'
ARRIVALS = """[[arrivals]]
name = "files"
rate = "5 /s"
size = { kind = "fixed", size = "30 kB" }
controller = { kind = "newreno" }
data = ["up"]
ack = ["down"]
"""


@pytest.mark.parametrize(
    ("tables", "column", "said"),
    [
        # those that began by 29 s have sent their SYN again
        (
            PROBE,
            "unanswered",
            "probe web: 191 of 301 connections had no answer: times, RPM and grade are of the others",
        ),
        (ARRIVALS, "overdue", "transfers were unfinished and older than the p99: times are of the others"),
    ],
)
def test_they_are_counted_and_said(
    tables: str, column: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.toml"
    of_two = said.replace("191 of 301", "382 of 602")
    for outages, there in ((OUTAGE, True), ("[]", False)):
        file.write_text(LINKS.replace("OUTAGES", outages) + tables)
        for options, sentence in (([], said), (["--seeds", "2"], of_two)):
            assert main(["run", str(file), *options]) == 0
            out, err = capsys.readouterr()
            assert (column in out) is there
            assert (sentence in err) is there
