"""Saw-teeth of DCTCP and Reno at a queue that marks above a threshold."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from eddyline.errors import InputError
from eddyline.kinds import controllers
from eddyline.theory.document import Document

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["SawTeeth", "SawTooth", "saw_teeth", "saw_tooth"]


@dataclass(frozen=True)
class SawTooth:
    """Synchronised flows at a threshold K on a path of C RTT packets. Queues and windows are in packets.

    Attributes:
        kind: The controller.
        flows: Number of flows, N.
        window_packets: W*, a flow's window at which the queue reaches K.
        marked_share: alpha, the share of packets marked; 1 for Reno, which halves whatever the share.
        amplitude_packets: Amplitude of the queue, from the shortest to the longest.
        queue_max_packets: Longest queue, K + N.
        queue_min_packets: Shortest.
        utilisation: Utilisation of the link.
        period_round_trips: Round trips from one window reduction to the next.
        period_s: The same in seconds.
    """

    kind: str
    flows: int
    window_packets: float
    marked_share: float
    amplitude_packets: float
    queue_max_packets: float
    queue_min_packets: float
    utilisation: float
    period_round_trips: float
    period_s: float


class SawTeeth(Document):
    """Saw-teeth of several senders."""

    @property
    def frame(self) -> pd.DataFrame:
        """A row per kind with the fields of `SawTooth`, and `sim_...` if simulated."""
        import pandas as pd

        rows = ({k: v for k, v in row.items() if k != "sim_series"} for row in self._parsed["sawteeth"])
        return pd.DataFrame(rows)

    def plot(self) -> Figure:
        """The queue over time."""
        from eddyline.plots.saw_teeth import queues

        return queues(self._parsed)


def saw_tooth(
    kind: str, rate_bps: float, rtt_s: float, threshold_packets: float, *, flows: int = 1, packet_bytes: int = 1500
) -> SawTooth:
    """Window, share of marks and queue of synchronised flows at a marking threshold.

    Source: Alizadeh and others, "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3.3; Reno is the same with its window
        halved.

    Args:
        kind: `"dctcp"`, `"reno"` or `"newreno"`.
        rate_bps: Rate of the bottleneck, C.
        rtt_s: Round-trip time without queueing.
        threshold_packets: Arriving packets are marked while more than K wait.
        flows: Number of flows, N.
        packet_bytes: A data packet on the wire.

    Raises:
        InputError: There is no such sender, or a number is out of range.
    """
    import eddyline._core as _core
    from eddyline.arguments import number, whole

    known = [each.name for each in controllers() if each.sawtooth is not None]
    if kind not in known:
        raise InputError(f"there is no saw-tooth of {kind!r}", f"there are those of {', '.join(known)}")
    flows, packet_bytes = whole("flows", flows, 1), whole("packet_bytes", packet_bytes, 1)
    rate_bps, rtt_s = number("rate_bps", rate_bps, "rate_bps=1e9"), number("rtt_s", rtt_s, "rtt_s=0.05")
    threshold_packets = number("threshold_packets", threshold_packets, "threshold_packets=20")
    if not rate_bps > 0:
        raise InputError(f"the rate is {rate_bps:g} bit/s; it must be above 0")
    packets_per_s = rate_bps / (8 * packet_bytes)
    window, share, _, longest, shortest, used, round_trips, packets = _core.saw_tooth(
        kind, flows, packets_per_s * rtt_s, threshold_packets
    )
    period_s = packets / packets_per_s
    return SawTooth(kind, flows, window, share, longest - shortest, longest, shortest, used, round_trips, period_s)


def saw_teeth(
    kinds: Sequence[str],
    rate_bps: float,
    rtt_s: float,
    threshold_packets: int,
    *,
    flows: int = 1,
    packet_bytes: int = 1500,
    with_sim: bool = False,
) -> SawTeeth:
    """The same for several senders; see `saw_tooth`.

    Beside them is `least_threshold_packets`, 0.17 C RTT: the smallest threshold at which DCTCP uses the whole link with
    any number of flows. A given number of them may need less.

    Args:
        kinds: Senders.
        rate_bps: As for `saw_tooth`, and what follows.
        rtt_s: See there.
        threshold_packets: See there.
        flows: See there.
        packet_bytes: See there.
        with_sim: Simulate them too: `sim_queue_max_packets`, `sim_queue_min_packets`, `sim_amplitude_packets` (of a
            queue that is empty for a twentieth of the time its maximum; else the difference of the 5th and the 95th
            percentile, over 0.9, at most that of the other two), `sim_utilisation`, `sim_series` of some periods. The
            threshold is 1 packet at least then, as in scenarios.

    Raises:
        InputError: As `saw_tooth`.
    """
    import eddyline._core as _core
    from eddyline.arguments import distinct, names, number, whole

    kinds = names("kinds", kinds)
    distinct("senders", kinds)
    path: Any = {
        "rate_bps": number("rate_bps", rate_bps, "rate_bps=1e9"),
        "rtt_s": number("rtt_s", rtt_s, "rtt_s=0.05"),
        "threshold_packets": whole("threshold_packets", threshold_packets, 0),
        "packet_bytes": whole("packet_bytes", packet_bytes, 1),
    }
    if with_sim and path["threshold_packets"] == 0:
        raise InputError("threshold_packets is 0, which no queue of a scenario has", "with_sim takes 1 and more")
    teeth = [saw_tooth(kind, **path, flows=flows) for kind in kinds]
    minimum = _core.min_threshold(path["rate_bps"] * path["rtt_s"] / (8 * path["packet_bytes"]))
    document: dict[str, Any] = {**path, "least_threshold_packets": minimum, "sawteeth": [asdict(row) for row in teeth]}
    document["notes"] = [note for tooth in teeth for note in _notes(tooth)]
    if with_sim:
        from eddyline.theory.saw_tooth_runs import simulated

        for row in document["sawteeth"]:
            row.update(simulated(row["kind"], row["flows"], row["period_s"], **path))
    return SawTeeth(json.dumps(document, indent=2), "saw-teeth")


_GAIN = 1 / 16
"""DCTCP's, by default here and in RFC 8257, section 4.2."""

_LEAST_WINDOW = 2.0
"""Packets that senders keep in flight after a reduction: ssthresh is two segments at least (RFC 5681, equation 4)."""


def _notes(tooth: SawTooth) -> list[str]:
    """What the closed form does not have, where it matters."""
    found = []
    # section 3.4: (1 - g) to the power of the period in round trips, sqrt(W* / 2), is to be above one half
    bound = 1.386 / math.sqrt(2 * tooth.window_packets)
    if tooth.marked_share < 1 and bound < _GAIN:
        found.append(
            f"{tooth.kind}: its gain of 1/16 is above its bound, {bound:.2g} (SIGCOMM 2010, section 3.4): alpha "
            "has decayed by the next mark, and the queue may oscillate by several times the closed form's amplitude"
        )
    if (tooth.window_packets + 1) * (1 - tooth.marked_share / 2) < _LEAST_WINDOW:
        found.append(
            f"{tooth.kind}: the closed form's windows go below {_LEAST_WINDOW:g} packets, and senders' do not: "
            "queues are longer, and oscillate less"
        )
    return found
