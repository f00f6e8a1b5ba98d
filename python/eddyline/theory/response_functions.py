"""Response functions: window and rate of a loss-based sender at a given loss ratio."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from eddyline.errors import InputError
from eddyline.kinds import controllers
from eddyline.spelling import unknown
from eddyline.theory.document import Document

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["Response", "Responses", "response", "responses", "sources"]

LOSSES = ("periodic", "random")

_MAX_ACK_EVERY = 1_000_000


def sources() -> dict[str, str]:
    """Controllers with a response function, and its source."""
    return {kind.name: kind.response_function for kind in controllers() if kind.response_function is not None}


@dataclass(frozen=True)
class Response:
    """A sender at a given loss ratio.

    Attributes:
        kind: The controller.
        loss: Share of its packets that is lost.
        window_packets: Mean window.
        packets_per_s: The window over the round-trip time.
        throughput_bps: The same on the wire, in bit/s.
        function_losses: Losses that its response function is for: `"periodic"` where it is the same for random ones.
    """

    kind: str
    loss: float
    window_packets: float
    packets_per_s: float
    throughput_bps: float
    function_losses: str


class Responses(Document):
    """Responses of several senders."""

    @property
    def frame(self) -> pd.DataFrame:
        """A row per kind and loss: window, rate, throughput, and `sim_...` if simulated."""
        import pandas as pd

        return pd.DataFrame(self._parsed["responses"])

    def plot(self) -> Figure:
        """Mean window and throughput over loss."""
        from eddyline.plots.response import curves

        return curves(self._parsed)


def response(
    kind: str, loss: float, rtt_s: float, *, packet_bytes: int = 1500, ack_every: int = 1, losses: str = "periodic"
) -> Response:
    """The mean window and rate of a loss-based sender. It ignores timeouts: too large for windows of a few packets.

    Source: see `sources`.

    Args:
        kind: `"reno"`, `"newreno"`, `"cubic"`, `"highspeed"` or `"scalable"`.
        loss: Share of its packets that is lost, in (0, 1].
        rtt_s: Round-trip time in seconds, queueing included.
        packet_bytes: A data packet on the wire.
        ack_every: Data packets an acknowledgement; matters to Reno.
        losses: `"periodic"` (every 1/loss-th packet) or `"random"` (independent); matters to Reno, whose response
            function alone distinguishes them.

    Raises:
        InputError: There is no such sender, or a number is out of range.
    """
    import eddyline._core as _core
    from eddyline.arguments import number, whole

    if kind not in sources():
        raise unknown("response function", kind, sources())
    if losses not in LOSSES:
        raise InputError(f"losses are {' or '.join(LOSSES)}, not {losses!r}")
    packet_bytes, ack_every = whole("packet_bytes", packet_bytes, 1), whole("ack_every", ack_every, 1)
    if ack_every > _MAX_ACK_EVERY:
        raise InputError(f"ack_every: {ack_every}; at most {_MAX_ACK_EVERY:,}")
    loss = number("loss", loss, "of several: eddyline.theory.responses(kinds, loss, rtt_s)")
    rtt_s = number("rtt_s", rtt_s, "rtt_s=0.05")
    periodic = _core.response(kind, loss, rtt_s, ack_every=ack_every, periodic=True)
    asked = _core.response(kind, loss, rtt_s, ack_every=ack_every, periodic=False) if losses == "random" else periodic
    window, rate = asked
    return Response(kind, loss, window, rate, 8 * packet_bytes * rate, "periodic" if asked == periodic else losses)


def responses(
    kinds: Sequence[str],
    loss: float | Iterable[float],
    rtt_s: float,
    *,
    packet_bytes: int = 1500,
    ack_every: int = 1,
    losses: str = "periodic",
    with_sim: bool = False,
) -> Responses:
    """The same for several senders and losses; see `response`.

    Args:
        kinds: Senders.
        loss: Share of their packets that is lost, or several, as a list or an array.
        rtt_s: As for `response`, and what follows.
        packet_bytes: See there.
        ack_every: See there.
        losses: See there.
        with_sim: Simulate each sender at each loss too, alone on a path without a bottleneck: `sim_window_packets`,
            null below a loss ratio of 1e-6 and, of periodic losses, where no loss of every n-th packet is within 1 % of
            it; `notes` says so. Of periodic losses it is the mean of one run of 200 losses; of random ones
            that of 10 runs (`sim_runs`), with seeds from `sim_seed` on that no other loss has, of 500 losses each
            (fewer below a loss ratio of 5e-4, at least 100), and `sim_ci95_half_packets` is half of its 95 % interval.
            `sim_measured_s` is the length of each run without slow start, at least 400 round trips.

    Raises:
        InputError: As `response`.
    """
    from eddyline.arguments import distinct, names, number, whole

    kinds = names("kinds", kinds)
    distinct("senders", kinds)
    rtt_s = number("rtt_s", rtt_s, "rtt_s=0.05")
    shares = [loss] if isinstance(loss, (float, str)) or not isinstance(loss, Iterable) else list(loss)
    options: Any = {
        "packet_bytes": whole("packet_bytes", packet_bytes, 1),
        "ack_every": whole("ack_every", ack_every, 1),
        "losses": losses,
    }
    rows = [response(kind, p, rtt_s, **options) for kind in kinds for p in shares]
    document: dict[str, Any] = {"rtt_s": rtt_s, **options, "responses": [asdict(row) for row in rows]}
    if with_sim:
        from eddyline.theory.response_runs import not_simulated, simulated

        for row, more in zip(document["responses"], simulated(document["responses"], rtt_s, **options), strict=True):
            row.update(more)
    others = dict.fromkeys(row.kind for row in rows if row.function_losses != losses)
    document["notes"] = [
        f"{', '.join(others)}: the response function is that for periodic losses"
        + ("; simulations are of random ones" if with_sim else "")
    ] * bool(others)
    if with_sim:
        document["notes"] += not_simulated([row.loss for row in rows], losses)
    return Responses(json.dumps(document, indent=2), "response functions")
