"""The adviser: sizes both buffers of an access link and chooses the queue, by formula, then by simulation.

el.advise(down="2 Mbit/s", up="192 kbit/s", rtt="20 ms..300 ms")
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eddyline.adviser.access import Access
    from eddyline.adviser.choice import Choice
    from eddyline.progress import Count

__all__ = ["Advice", "advise"]


@dataclass(frozen=True)
class Advice:
    """Advice on the queues of an access link.

    Attributes:
        access: The access link.
        unit: What FIFO limits count: bytes, packets or cells.
        choice: The candidates, and the advised one.
        tc: Linux `tc` commands that set up the queues.
        sqm: The same as `uci` commands for OpenWrt's SQM, or None where it has no such queue.
    """

    access: Access
    unit: str
    choice: Choice
    tc: list[str]
    sqm: list[str] | None

    def predicted(self) -> dict[str, Any]:
        """Prediction of the formulas for the advised queues: goodputs in bit/s, the delay of a full buffer in s."""
        from eddyline.adviser.prediction import predict

        return predict(self.access, self.choice.best.queues)

    def to_dict(self) -> dict[str, Any]:
        """As `eddyline advise --json` prints it; SI units."""
        choice = self.choice
        return {
            "possible": choice.possible,
            "why": choice.why,
            "unit": self.unit,
            "down": _named(choice.best.queues.down),
            "up": _named(choice.best.queues.up),
            "predicted": self.predicted(),
            "simulated": choice.best.outcome.to_dict(),
            "default": choice.default.outcome.to_dict(),
            "tc": self.tc,
            "sqm": self.sqm,
            "families": [
                {
                    "family": t.family,
                    "down": _named(t.queues.down),
                    "up": _named(t.queues.up),
                    "simulated": t.outcome.to_dict(),
                }
                for t in choice.by_family
            ],
        }


def advise(
    down: str,
    up: str,
    rtt: str,
    *,
    uploads: int = 1,
    unit: str = "bytes",
    controller: str = "newreno",
    wan: str = "eth0",
    lan: str = "eth1",
    done: Count | None = None,
) -> Advice:
    """Sizes both buffers of an access link so that uploads and a download do not starve each other.

    Args:
        down: Rate towards the subscriber, as `"2 Mbit/s"`.
        up: Rate away from the subscriber.
        rtt: Round-trip time without queues or a range of them, as `"20 ms..300 ms"`.
        uploads: How many uploads run beside the download.
        unit: What the limit of a FIFO counts: `"bytes"`, `"packets"` or `"cells"`.
        controller: Kind of congestion controller of all flows.
        wan: Interface towards the provider, for the `tc` commands.
        lan: Interface towards the hosts, for the `tc` commands.
        done: Called after each simulation.

    Raises:
        InputError: One of the arguments is invalid.
    """
    from eddyline.adviser.access import Access
    from eddyline.adviser.choice import UNITS, choose
    from eddyline.adviser.shaping import sqm_settings, tc_lines
    from eddyline.errors import InputError
    from eddyline.spelling import unknown

    if unit not in UNITS:
        raise unknown("unit", unit, UNITS)
    for name, device in (("wan", wan), ("lan", lan)):
        # names that the kernel accepts, so that a command cannot contain anything else
        if not 0 < len(device) <= 15 or not all(c.isascii() and (c.isalnum() or c in "._-@") for c in device):
            raise InputError(f"{name} {device!r} is not the name of an interface", "as in eth0 or pppoe-wan")
    access = Access.of(down, up, rtt, uploads, controller)
    choice = choose(access, unit, done)
    queues = choice.best.queues
    return Advice(access, unit, choice, tc_lines(access, queues, wan, lan), sqm_settings(access, queues, wan))


def _named(queue: Any) -> dict[str, Any]:
    parameters = {key: value for key, value in queue.items() if key not in ("kind", "limit")}
    return {"queue": queue["kind"], "limit": queue.get("limit", "unlimited"), **parameters}
