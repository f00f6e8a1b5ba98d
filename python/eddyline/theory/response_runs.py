"""Simulations of a loss-based sender at a given loss ratio, beside the response functions."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from eddyline.errors import InputError, ScenarioError
from eddyline.parallel import run_all
from eddyline.quantities import seconds
from eddyline.scenario import Scenario
from eddyline.summary import spread
from eddyline.worlds import RunOptions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eddyline.progress import RunCallback

__all__ = ["lossy_path", "not_simulated", "simulated", "simulation"]

_MIN_LOSS = 1e-6
_TOLERANCE = 0.01  # of the ratio of periodic losses
_PERIODIC_LOSSES = 200  # in the measured time, by the response function
_RANDOM_LOSSES = (100, 500)  # the same of each run, at least and at most
_PACKETS = 1e6  # of a run with random losses, where that is between the two: the more there are, the longer it takes
_ROUND_TRIPS = 400
_RUNS = 10  # with random losses: one run is several percent off


def simulated(
    rows: Sequence[Mapping[str, Any]], rtt_s: float, *, packet_bytes: int, ack_every: int, losses: str
) -> list[dict[str, Any]]:
    """Mean windows of several senders and losses; see `simulation`. Null, of 0 runs, where there is none.

    With random losses each is the mean of several runs, whose seeds no other has: errors of neighbours are independent.

    Args:
        rows: `kind`, `loss` and `packets_per_s` by the response function.
        rtt_s: As for `simulation`, and what follows.
        packet_bytes: See there.
        ack_every: See there.
        losses: See there.
    """
    options: Any = {"packet_bytes": packet_bytes, "ack_every": ack_every, "losses": losses}
    scenarios = [simulation(row["kind"], row["loss"], row["packets_per_s"], rtt_s, **options) for row in rows]
    runs = _RUNS if losses == "random" else 1
    tasks = [
        partial(_mean_window, scenario.with_seed(place * runs + n))
        for place, scenario in enumerate(scenarios)
        if scenario is not None
        for n in range(runs)
    ]
    results = iter(run_all(tasks))
    found = []
    for place, (row, scenario) in enumerate(zip(rows, scenarios, strict=True)):
        windows = [] if scenario is None else [w for w in islice(results, runs) if w is not None]
        window = spread(windows) if windows else {"mean": None, "ci95": None}
        bounds = window["ci95"]
        measured = _times(row["loss"], row["packets_per_s"], rtt_s, losses)[1]
        found.append(
            {
                "sim_window_packets": window["mean"],
                "sim_ci95_half_packets": (bounds[1] - bounds[0]) / 2 if bounds else None,
                "sim_runs": len(windows),
                "sim_seed": place * runs if bounds else None,
                "sim_measured_s": measured if windows else None,
            }
        )
    return found


def not_simulated(shares: Sequence[float], losses: str) -> list[str]:
    """Notes on the loss ratios that are not simulated."""
    few = dict.fromkeys(f"{loss:.4g}" for loss in shares if loss < _MIN_LOSS)
    between = dict.fromkeys(
        f"{p:.4g}" for p in shares if p >= _MIN_LOSS and losses == "periodic" and not _is_periodic(p)
    )
    notes = []
    if few:
        notes.append(f"not simulated: losses of {', '.join(few)}, which take too many packets")
    if between:
        notes.append(
            f"not simulated: losses of {', '.join(between)}, which that of every n-th packet is for no n, within "
            f"{_TOLERANCE:.0%}; random losses (--losses random) may be any"
        )
    return notes


def _is_periodic(loss: float) -> bool:
    return abs(round(1 / loss) * loss - 1) <= _TOLERANCE


def _mean_window(scenario: Scenario, progress: RunCallback) -> float | None:
    flow = scenario.run_with(RunOptions(series=False), progress=progress).to_dict()["flows"][0]
    window: float | None = flow["window_packets"]["mean"]
    return window


def _times(loss: float, packets_per_s: float, rtt_s: float, losses: str) -> tuple[float, float]:
    """What is left out of a run, and the time that is measured."""
    between = 1 / (loss * packets_per_s)
    least, most = _RANDOM_LOSSES if losses == "random" else (_PERIODIC_LOSSES, _PERIODIC_LOSSES)
    return 20 * max(between, rtt_s), max(min(max(_PACKETS * loss, least), most) * between, _ROUND_TRIPS * rtt_s)


def simulation(
    kind: str, loss: float, packets_per_s: float, rtt_s: float, *, packet_bytes: int, ack_every: int, losses: str
) -> Scenario | None:
    """One sender, alone on a path with a loss ratio and without a bottleneck.

    Slow start, until the first losses, is left out. None below a loss ratio of 1e-6, which needs too many packets, and
    where no periodic loss of every n-th packet has that ratio.

    Raises:
        InputError: World sim has no such path or packet.

    Args:
        kind: The controller.
        loss: Loss ratio.
        packets_per_s: Its rate by the response function, from which the duration follows.
        rtt_s: Round-trip time.
        packet_bytes: A data packet on the wire.
        ack_every: Data packets per acknowledgement.
        losses: `"periodic"` or `"random"`.
    """
    if loss < _MIN_LOSS or (losses == "periodic" and not _is_periodic(loss)):
        return None
    settled, measured = _times(loss, packets_per_s, rtt_s, losses)
    sender = {"controller": {"kind": kind}, "packet": f"{packet_bytes} B", "tcp": {"ack_every": ack_every}}
    times = {"duration": f"{settled + measured:.9f} s", "warmup": f"{settled:.9f} s"}
    try:
        return Scenario(times | lossy_path(loss, rtt_s, losses, sender))
    except ScenarioError as e:
        why = "; ".join(f"{each['key'].rpartition('.')[2]}: {each['message']}" for each in e.diagnostics)
        raise InputError(
            f"{kind} with packets of {packet_bytes} B, a round trip of {seconds(rtt_s)} and a loss of {loss:g} cannot "
            f"be simulated: {why}",
            "the response function alone needs no simulation",
        ) from None


def lossy_path(
    loss: float, rtt_s: float, losses: str, sender: Mapping[str, Any], rate: str = "1 Tbit/s", **there: Any
) -> dict[str, Any]:
    """Links and the one flow of a scenario with a loss ratio.

    Args:
        loss: The loss ratio.
        rtt_s: Round-trip time without queueing.
        losses: `"periodic"` or `"random"`.
        sender: Controller and other keys of the flow.
        rate: Of both links; the default is never a bottleneck.
        there: Other keys of the data link.
    """
    lost: Any = {"kind": "periodic", "every": round(1 / loss)} if losses == "periodic" else loss
    link = {"rate": rate, "delay": f"{rtt_s / 2:.12f} s"}
    return {
        "link": [{"name": "there", "loss": lost, **link, **there}, {"name": "back", **link}],
        "flow": [{"name": "sender", "data": ["there"], "ack": ["back"], **sender}],
    }
