"""A host that spends time on each packet: the cost that 1.3 Gbit/s over a 10-gigabit NIC implies, and its effect.

One cost is fitted to the one figure. Whether that cost comes before the packet's time on the wire or passes beside it
is not printed: both readings give 1.3 Gbit/s, and differ for every other packet and NIC.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.runner import Run

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["ORDERS", "card", "cost", "cost_s", "throughput_bps"]

CARD_BPS = 10e9
GIGABIT_BPS = 1e9
HEADER = 40
BEFORE, BESIDE = "before the wire", "beside the wire"
ORDERS = (BEFORE, BESIDE)
"""When the host works on a packet: before its NIC sends it, or while the NIC sends another."""
_CARDS = ((CARD_BPS, (1500, 3000, 4470, 9000)), (GIGABIT_BPS, (1500,)))


_WIRE = {
    "packets of 1,500 B": (0, HEADER),
    "with the Ethernet frame, 38 B": (38, HEADER),
    "with the frame and TCP timestamps, 12 B": (38, HEADER + 12),
}
"""What a gigabit NIC sends for each packet: bytes beside it, and the header in it."""


def card(context: Context) -> Exhibit:
    """The payload that a gigabit NIC carries, by what is on the wire."""
    runs = [
        Run(
            "host",
            set=(
                ("link.host.rate", f"{GIGABIT_BPS:.0f} bit/s"),
                ("link.host.framing.overhead", f"{overhead} B"),
                ("flow.*.header", f"{header} B"),
            ),
        )
        for overhead, header in _WIRE.values()
    ]
    rows: list[Row] = [
        {
            "on_the_wire": name,
            "goodput": result.document["flows"][0]["goodput_bps"],
            "closed_form": GIGABIT_BPS * (1500 - header) / (1500 + overhead),
            "printed": 1e6 * context.values["card"]["application_mbps"],
            "fast": next(1e6 * r["mbps"] for r in context.values["run"] if r["id"] == "FAST, 1 flow, 100"),
        }
        for (name, (overhead, header)), result in zip(_WIRE.items(), context.runner.run_all(runs), strict=True)
    ]
    for row in rows:
        row["share"] = row["fast"] / row["goodput"]
    return context.definition("card").exhibit(rows)


def cost_s(order: str, payload_bps: float, packet: int = 1500) -> float:
    """Time that a host spends on a packet if it carries `payload_bps` in such packets over the 10-gigabit NIC."""
    whole = (packet - HEADER) * 8 / payload_bps
    return whole - packet * 8 / CARD_BPS if order == BEFORE else whole


def _packet_s(order: str, seconds: float, packet: int, card_bps: float) -> float:
    """Time from packet to packet."""
    wire = packet * 8 / card_bps
    return seconds + wire if order == BEFORE else max(seconds, wire)


def throughput_bps(order: str, seconds: float, packet: int, card_bps: float = CARD_BPS) -> float:
    """The payload that a host of that cost carries."""
    return (packet - HEADER) * 8 / _packet_s(order, seconds, packet, card_bps)


def cost(context: Context) -> Exhibit:
    """The cost that explains 1.3 Gbit/s, and what it would mean for larger packets and for a gigabit NIC."""
    fitted = 1e6 * context.values["host"]["mbps"]
    spent = {order: cost_s(order, fitted) for order in ORDERS}
    gigabit = next(r for r in context.values["run"] if r["id"] == "FAST, 1 flow, 100")
    printed = {CARD_BPS: fitted, GIGABIT_BPS: 1e6 * gigabit["mbps"]}
    cases = [(order, card, size) for order in ORDERS for card, sizes in _CARDS for size in sizes]
    overheads = [round(_packet_s(order, spent[order], size, card) * card / 8) - size for order, card, size in cases]
    runs = [
        Run(
            "host",
            set=(
                ("link.host.rate", f"{card:.0f} bit/s"),
                ("link.host.framing.overhead", f"{overhead} B"),
                ("flow.*.packet", f"{size} B"),
            ),
        )
        for (_, card, size), overhead in zip(cases, overheads, strict=True)
    ]
    rows: list[Row] = []
    for (order, card, size), overhead, result in zip(cases, overheads, context.runner.run_all(runs), strict=True):
        goodput = result.document["flows"][0]["goodput_bps"]
        rows.append(
            {
                "order": order,
                "card": card,
                "packet": size,
                "cost": spent[order],
                "overhead": overhead,
                "printed": printed[card] if size == 1500 else None,
                "closed_form": throughput_bps(order, spent[order], size, card),
                "goodput": goodput,
                "wire": card * (size - HEADER) / size,
                "packets_per_s": goodput / 8 / (size - HEADER),
            }
        )
    return context.definition("host-cost").exhibit(
        rows, values={"before_us": 1e6 * spent[BEFORE], "beside_us": 1e6 * spent[BESIDE]}
    )
