"""The recording of the long runs: an hour each, six with ten flows, so that a report need not simulate them.

`recorded/record.json` has a summary of each run, the hash of its scenario, and what the same run has after some
seconds. A recorded run counts as long as the scenario has this hash and the first seconds, simulated again for every
report, give the same numbers. `eddyline reproduce fast-overview --long` simulates and writes what is missing or stale.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from eddyline.papers.runner import Run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from eddyline.papers.context import Context
    from eddyline.papers.runner import RunResult

__all__ = ["SHORT_S", "Long", "Recording", "Summary", "lasting", "summary"]

SHORT_S = 20.0
"""So much of a recorded run is simulated again, unless the run says otherwise: a start that doubles is over by then."""

_COMMAND = "eddyline reproduce fast-overview --long --exhibit record"


@dataclass(frozen=True)
class Long:
    """A run.

    Attributes:
        name: What it is called in the recording.
        run: The run, without its duration.
        seconds: How long the experiment took.
        short_s: How much of it is simulated again.
    """

    name: str
    run: Run
    seconds: float
    short_s: float = SHORT_S


@dataclass(frozen=True)
class Summary:
    """What a run of the record path is judged by: all flows together, the queue as the mean of one NIC's.

    Attributes:
        goodput_bps: Payload delivered.
        queue_packets: Mean queue of a NIC; None where only goodput and refusals were kept.
        retransmits: Packets retransmitted.
        timeouts: Retransmission timeouts.
        refusals: Packets that a full NIC queue refused.
    """

    goodput_bps: float
    queue_packets: float | None
    retransmits: int | None
    timeouts: int | None
    refusals: int


def summary(result: RunResult) -> Summary:
    """The summary of a run."""
    senders = result.document["flows"]
    cards = [link for link in result.document["links"] if link["name"].startswith("card")]
    return Summary(
        goodput_bps=sum(f["goodput_bps"] for f in senders),
        queue_packets=sum(c["queue_packets"]["mean"] for c in cards) / len(cards),
        retransmits=sum(f["retransmits"] for f in senders),
        timeouts=sum(f["timeouts"] for f in senders),
        refusals=sum(f.get("card_refusals") or 0 for f in senders),
    )


def lasting(run: Run, seconds: float) -> Run:
    """The same run with this duration."""
    return Run(run.file, set=(*run.set, ("duration", f"{seconds:g} s")))


class Recording:
    """The recorded runs of a paper's folder.

    Attributes:
        used: Names of the runs that were taken from it.
        made: Names of the runs that were simulated now.
        stale: Names of the runs that it has of another scenario, or with other first seconds than today's.
    """

    def __init__(self, context: Context) -> None:
        self.used: list[str] = []
        self.made: list[str] = []
        self.stale: list[str] = []
        self.file: Path = context.folder / "recorded" / "record.json"
        self._context = context
        self._entries: dict[str, dict[str, Any]] = {}
        if self.file.exists():
            self._entries = json.loads(self.file.read_text("utf-8"))["runs"]

    @property
    def versions(self) -> str:
        """The versions of the program that made the runs that were used."""
        return " and ".join(dict.fromkeys(self._entries[name]["version"] for name in self.used))

    def find(self, runs: Sequence[Long]) -> dict[str, Summary]:
        """The summaries of these runs, by name; without those that are neither recorded nor, by `--long`, simulated."""
        found = self._recorded([long for long in runs if long.name in self._entries])
        if self._context.long:
            missing = [long for long in runs if long.name not in found]
            self.stale = [name for name in self.stale if name not in {long.name for long in missing}]
            for file in dict.fromkeys(long.run.file for long in missing):
                found |= self._make([long for long in missing if long.run.file == file])
        return found

    def _recorded(self, known: list[Long]) -> dict[str, Summary]:
        shorts = self._context.runner.run_all([lasting(long.run, long.short_s) for long in known])
        found: dict[str, Summary] = {}
        for long, short in zip(known, shorts, strict=True):
            entry = self._entries[long.name]
            same_scenario = entry["scenario_sha256"] == self._context.runner.sha256(lasting(long.run, long.seconds))
            if same_scenario and Summary(**entry["short"]) == summary(short):
                found[long.name] = Summary(**entry["summary"])
                self.used.append(long.name)
            else:
                self.stale.append(long.name)
        return found

    def _make(self, batch: list[Long]) -> dict[str, Summary]:
        """Simulates these runs and writes them, so that what is finished outlasts an interruption."""
        found: dict[str, Summary] = {}
        results = self._context.runner.run_all(
            [lasting(long.run, seconds) for long in batch for seconds in (long.seconds, long.short_s)]
        )
        for long, result, short in zip(batch, results[::2], results[1::2], strict=True):
            found[long.name] = summary(result)
            self._entries[long.name] = {
                "scenario_sha256": result.document["scenario_sha256"],
                "version": result.document["version"],
                "simulated_s": long.seconds,
                "short_s": long.short_s,
                "summary": asdict(found[long.name]),
                "short": asdict(summary(short)),
            }
            self.made.append(long.name)
        self._write()
        return found

    def _write(self) -> None:
        document = {"command": _COMMAND, "runs": dict(sorted(self._entries.items()))}
        try:
            self.file.parent.mkdir(exist_ok=True)
            self.file.write_text(json.dumps(document, indent=1) + "\n", "utf-8")
        except OSError:
            # an installation that belongs to others keeps its recording; the report has the runs of today
            return
