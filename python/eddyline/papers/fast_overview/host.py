"""A host that is busy with each packet: what 1.3 Gbit/s over a 10-gigabit card says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.exhibit import Column, Exhibit
from eddyline.papers.lab import Run

if TYPE_CHECKING:
    from eddyline.papers.desk import Desk
    from eddyline.papers.exhibit import Row

__all__ = ["cost", "cost_s", "throughput_bps"]

CARD_BPS = 10e9
HEADER = 40


def cost_s(payload_bps: float, packet: int = 1500) -> float:
    """Time that a host spends on a packet, besides the wire, if it carries `payload_bps` in such packets."""
    return (packet - HEADER) * 8 / payload_bps - packet * 8 / CARD_BPS


def throughput_bps(seconds: float, packet: int) -> float:
    """The payload that a host of that cost carries."""
    return (packet - HEADER) * 8 / (seconds + packet * 8 / CARD_BPS)


def cost(desk: Desk) -> Exhibit:
    """The cost that explains 1.3 Gbit/s, and what it would mean for larger packets."""
    printed = 1e6 * desk.values["host"]["mbps"]
    spent = cost_s(printed)
    overhead = round(spent * CARD_BPS / 8)
    sizes = (1500, 3000, 4470, 9000)
    runs = [
        Run("host", set=(("link.host.framing.overhead", f"{overhead} B"), ("flow.*.packet", f"{size} B")))
        for size in sizes
    ]
    answers = desk.lab.ask(runs)
    rows: list[Row] = []
    for size, answer in zip(sizes, answers, strict=True):
        goodput = answer.result["flows"][0]["goodput_bps"]
        rows.append(
            {
                "packet": size,
                "cost": spent,
                "overhead": overhead,
                "printed": printed if size == 1500 else None,
                "closed_form": throughput_bps(spent, size),
                "goodput": goodput,
                "wire": CARD_BPS * (size - HEADER) / size,
                "packets_per_s": goodput / 8 / (size - HEADER),
            }
        )
    return Exhibit(
        id="host-cost",
        title="A host's cost per packet",
        place="Results, last paragraph: 1.3 Gbit/s",
        reading=(
            f"If the host spends {1e6 * spent:.2f} us on every packet besides its time on the wire, whatever its "
            f"size, a card "
            "of 10 Gbit/s carries 1.3. In the simulator that is framing of so many bytes a packet. The larger "
            "packets are "
            "a prediction."
        ),
        columns=(
            Column("packet", "packet", "B"),
            Column("cost", "cost per packet", "us", scale=1e-6),
            Column("overhead", "as framing", "B"),
            Column("printed", "printed", "Gbit/s", scale=1e9),
            Column("closed_form", "payload / (cost + wire)", "Gbit/s", scale=1e9),
            Column("goodput", "our sim", "Gbit/s", scale=1e9),
            Column("wire", "the card without the host", "Gbit/s", scale=1e9),
            Column("packets_per_s", "packets a second"),
        ),
        rows=rows,
    )
