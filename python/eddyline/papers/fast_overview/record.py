"""The record path: Linux TCP and FAST behind gigabit NICs, for each reaction to a full NIC queue."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eddyline.papers.fast_overview.recording import SHORT_S, Long, Recording, Summary, lasting, summary
from eddyline.papers.runner import NS2_PROFILE, Run

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = [
    "CONTROLLERS",
    "GAMMAS",
    "LOCALS",
    "PAYLOAD_BPS",
    "Case",
    "cases",
    "chosen",
    "controllers",
    "long_notice",
    "table",
]

LOCALS = {"cwr": "window reduced", "backpressure": "sender stops", "drop": "packet lost"}
"""What happens when the NIC queue is full, by `tcp.local`."""

GAMMAS = {"": "0.5", "_quarter": "0.25"}
"""FAST's gamma, by the ending of its columns: 1/2 is what FAST's authors recommend, and what verdicts rest on."""

PAYLOAD_BPS = 1e9 * 1460 / 1500
"""The largest goodput that a NIC can carry."""

_FILES = {1: "one-flow", 2: "two-flows", 10: "ten-flows"}
_HOUR_S = 3600.0
_MINUTES_S = 150.0
"""Length of the runs of exhibit `controllers`."""
_CLIMB_S = 90.0
"""A start that does not double fills the path after 70 s with gamma 1/2; a queue is overrun then, if ever."""


@dataclass(frozen=True)
class Controller:
    """A controller as a run sets it; the gamma of `fast` is that of the run."""

    keys: tuple[tuple[str, str], ...]

    @property
    def gammas(self) -> dict[str, str]:
        """The gammas with which it is run, as `GAMMAS`; a single empty one if it has none."""
        return GAMMAS if ("kind", "fast") in self.keys else {"": ""}


CONTROLLERS = {
    "Linux TCP": Controller((("kind", "reno"),)),
    "FAST": Controller((("kind", "fast"), ("alpha", "80 packets"))),
    "FAST, no doubling": Controller((("kind", "fast"), ("alpha", "80 packets"), ("mi_threshold", "0 s"))),
    "FAST, no doubling, slow updates": Controller(
        (("kind", "fast"), ("alpha", "80 packets"), ("mi_threshold", "0 s"), ("update_period", "360 ms"))
    ),
    "FAST, ns-2 module": Controller((("kind", "fast"), ("alpha", "200 packets"), ("profile", NS2_PROFILE))),
    "CUBIC": Controller((("kind", "cubic"),)),
    "BBR": Controller((("kind", "bbr"),)),
}
"""Those that are run. FAST's alpha finds room in a queue of 100. Its window doubles while less than 0.75 ms is queued,
or never (see exhibit `alpha`). It is updated once a round trip, or every other one (see exhibit `gamma`)."""

_STARTS = {"Linux TCP": ("Linux TCP",), "FAST": ("FAST", "FAST, no doubling", "FAST, no doubling, slow updates")}


def chosen(controller: str, gamma: str, queue: int, local: str, *, flows: int = 1) -> Run:
    """One of the runs, of the file's duration; `gamma` is empty where the controller has none."""
    keys = [(f"flow.*.controller.{key}", value) for key, value in CONTROLLERS[controller].keys]
    if gamma:
        keys.append(("flow.*.controller.gamma", gamma))
    cards = [(f'link."card {n}".queue.limit', f"{queue} packets") for n in range(1, flows + 1)]
    return Run(_FILES[flows], set=(*keys, *cards, ("flow.*.tcp.local", local)))


def _columns(found: Summary | None, flows: int, ending: str) -> Row:
    """What a table shows of a summary, by column."""
    row: dict[str, Any] = {
        "goodput": found and found.goodput_bps,
        "utilisation": found and found.goodput_bps / (flows * PAYLOAD_BPS),
        "queue": found and found.queue_packets,
        "sent_again": found and found.retransmits,
        "timeouts": found and found.timeouts,
        "refusals": found and found.refusals,
    }
    return {f"{key}{ending}": value for key, value in row.items()}


@dataclass(frozen=True)
class Case:
    """An experiment as one controller does it with one gamma and one reaction."""

    experiment: str
    controller: str
    gamma: str
    local: str
    long: Long

    def key(self, **changes: str) -> tuple[str, ...]:
        """Its key, with changes."""
        key = {"experiment": self.experiment, "controller": self.controller, "gamma": self.gamma, "local": self.local}
        return tuple((key | changes).values())


@dataclass(frozen=True)
class Found:
    """The summary of a case, and the name of the run that it is of."""

    run: str
    summary: Summary


def cases(context: Context) -> list[Case]:
    """Every experiment with every controller, gamma and reaction that stand for it."""
    listed = []
    for said in context.values["run"]:
        for controller in _STARTS[said["controller"]]:
            for gamma in CONTROLLERS[controller].gammas.values():
                for local in LOCALS:
                    run = chosen(controller, gamma, said["txqueuelen"], local, flows=said["flows"])
                    words = [controller, *([f"gamma {gamma}"] if gamma else []), LOCALS[local]]
                    climbs = ("mi_threshold", "0 s") in CONTROLLERS[controller].keys and said["flows"] < 10
                    short = _CLIMB_S if climbs else SHORT_S
                    long = Long(f"{said['id']}: {', '.join(words)}", run, _HOUR_S * said["hours"], short)
                    listed.append(Case(said["id"], controller, gamma, local, long))
    return listed


def _leading(case: Case) -> tuple[str, ...]:
    """The key of the same with the first reaction."""
    return case.key(local=next(iter(LOCALS)))


def _found(recording: Recording, listed: list[Case]) -> dict[tuple[str, ...], Found]:
    """What there is of each case, by its key.

    Where no NIC queue was ever full, the reaction does not matter, and one run is that of all three. Six hours of ten
    flows are simulated with the first reaction only. Hours come first: they take less time.
    """
    found: dict[tuple[str, ...], Found] = {}
    for seconds in sorted({c.long.seconds for c in listed}):
        part = [c for c in listed if c.long.seconds == seconds]
        first = [c for c in part if c.key() == _leading(c)]
        found |= _taken(recording, first)
        others = [c for c in part if c not in first and _leading(c) in found]
        full = [c for c in others if found[_leading(c)].summary.refusals]
        if seconds <= _HOUR_S:
            found |= _taken(recording, full)
        found |= {c.key(): found[_leading(c)] for c in others if c not in full}
    return found


def _taken(recording: Recording, part: list[Case]) -> dict[tuple[str, ...], Found]:
    by_name = recording.find([c.long for c in part])
    return {c.key(): Found(c.long.name, by_name[c.long.name]) for c in part if c.long.name in by_name}


def table(context: Context) -> Exhibit:
    """The six experiments, each with both gammas and the three reactions to a full NIC queue."""
    recording, listed = Recording(context), cases(context)
    found = _found(recording, listed)
    experiments = {said["id"]: said for said in context.values["run"]}
    rows: list[Row] = []
    for case in listed:
        if case.gamma not in ("", GAMMAS[""]):
            continue
        said = experiments[case.experiment]
        printed = said.get("mbps")
        row: Row = {
            "experiment": case.experiment,
            "controller": case.controller,
            "flows": said["flows"],
            "txqueuelen": said["txqueuelen"],
            "local": LOCALS[case.local],
            "printed": None if printed is None else 1e6 * printed,
            "printed_utilisation": said["utilisation"],
            "seconds": case.long.seconds,
            "case": f"{case.controller}, {LOCALS[case.local]}",
        }
        runs = []
        for ending, gamma in GAMMAS.items():
            own = found.get(case.key(gamma=gamma if case.gamma else "")) if case.gamma or not ending else None
            row |= _columns(own.summary if own else None, said["flows"], ending)
            runs += [own.run] if own else []
        rows.append(row | {"recorded": any(run in recording.used for run in runs)})
    for row in rows:
        linux = next(r for r in rows if r["experiment"] == "Linux, 1 flow, 100" and r["local"] == row["local"])
        for ending in GAMMAS:
            both = row[f"goodput{ending}"] is not None and linux["goodput"] is not None
            compared = both and row["experiment"] == "FAST, 1 flow, 100"
            row[f"times_linux{ending}"] = row[f"goodput{ending}"] / linux["goodput"] if compared else None
    return context.definition("record").exhibit(
        rows,
        findings=[*_source(recording), *_nearest(rows)],
        curves={"bars": _bars(rows)},
    )


def _bars(rows: list[Row]) -> list[Row]:
    """A row for each bar of the figure: FAST without doubling, each gamma a place of its own."""
    bars: list[Row] = []
    for row in rows:
        if row["utilisation"] is not None and row["controller"] == "Linux TCP":
            bars.append(row | {"place": row["experiment"].replace(", ", "\n")})
        elif row["controller"] == "FAST, no doubling":
            for ending, text in zip(GAMMAS, ("gamma 1/2", "gamma 1/4"), strict=True):
                if row[f"utilisation{ending}"] is not None:
                    share = {"utilisation": row[f"utilisation{ending}"]}
                    bars.append(row | share | {"place": f"{row['experiment']}, {text}".replace(", ", "\n")})
    return bars


def _source(recording: Recording) -> list[tuple[str, Row]]:
    findings: list[tuple[str, Row]] = []
    if recording.made:
        findings.append(("made", {"runs": len(recording.made)}))
    if recording.used:
        findings.append(("recorded", {"runs": len(recording.used), "versions": recording.versions}))
    if recording.stale:
        findings.append(("stale", {"runs": "; ".join(recording.stale)}))
    return findings


def _nearest(rows: list[Row]) -> list[tuple[str, Row]]:
    """For each experiment the case with the recommended gamma that is nearest to what is printed; claims judge it."""
    findings: list[tuple[str, Row]] = []
    missing = []
    for name in dict.fromkeys(r["experiment"] for r in rows):
        part = [r for r in rows if r["experiment"] == name and r["utilisation"] is not None]
        if not part:
            missing.append(name)
            continue
        nearest = min(part, key=lambda r: abs(r["utilisation"] - r["printed_utilisation"]))
        findings.append(("nearest", nearest | {"printed": nearest["printed_utilisation"]}))
    if missing:
        findings.append(("missing", {"experiments": "; ".join(missing)}))
    return findings


def controllers(context: Context) -> Exhibit:
    """One flow of each controller, both queues, all three reactions."""
    places = [(c, queue, local) for c in CONTROLLERS for queue in (100, 10_000) for local in LOCALS]
    runs = {
        (*case, ending): lasting(chosen(case[0], gamma, *case[1:]), _MINUTES_S)
        for case in places
        for ending, gamma in CONTROLLERS[case[0]].gammas.items()
    }
    results = dict(zip(runs, context.runner.run_all(list(runs.values())), strict=True))
    rows: list[Row] = []
    for controller, queue, local in places:
        row: Row = {
            "controller": controller,
            "txqueuelen": queue,
            "local": LOCALS[local],
            "case": f"{queue:,} packets, {LOCALS[local]}",
        }
        for ending in GAMMAS:
            result = results.get((controller, queue, local, ending))
            row |= _columns(None if result is None else summary(result), 1, ending)
        rows.append(row)
    return context.definition("controllers").exhibit(rows, values={"seconds": _MINUTES_S})


def long_notice(context: Context) -> str:
    """What `--long` simulates, and the time it takes by the speed of a short run on this machine."""
    listed, recording = cases(context), Recording(context)
    found = _found(recording, listed)
    absent = [c for c in listed if c.key() not in found]
    first = [c for c in absent if c.key() == _leading(c)]
    others = [c for c in absent if c not in first and c.long.seconds <= _HOUR_S]
    # which of the other reactions have to be run is known once the first has been
    least = first + [c for c in others if _leading(c) in found]
    most = first + others
    recorded = f"--long: {len(recording.used)} runs are recorded and current"
    if not most:
        return f"{recorded}, none is missing; without {recording.file} all are simulated"
    started = time.process_time()
    counters = context.runner.run(lasting(chosen("FAST", "0.5", 100, "cwr"), 60.0)).document["counters"]
    speed = counters["packets_delivered"] / (time.process_time() - started)
    flows = {file: number for number, file in _FILES.items()}

    def hours(part: list[Case]) -> float:
        # data packets at the NICs' rate, and an acknowledgement for every second one
        packets = sum(1.5 * 1e9 / 12_000 * flows[c.long.run.file] * c.long.seconds for c in part)
        return float(packets / speed / 3600.0)

    runs, taking = str(len(least)), f"{hours(least):.1f}"
    if most != least:
        runs, taking = f"{runs} to {len(most)}", f"{taking} to {hours(most):.1f}"
    return (
        f"{recorded}, simulated now: {runs}, an hour each and six hours with ten flows: {taking} hours of processor "
        f"time at the speed of this machine, {speed / 1e6:.0f} million packets a second"
    )
