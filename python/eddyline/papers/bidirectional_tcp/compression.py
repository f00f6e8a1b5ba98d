"""ACK compression is not the cause: the download stays low without it, and is restored in spite of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.bidirectional_tcp.setting import ORDERS, Link, simulate

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["compression"]

_UP = "link.up.queue"
_LITTLE = 0.1
_RESTORED = 0.75
"""Share of the downlink from which on a download counts as restored."""
_PACED = (("flow.download.tcp.pacing", "true"), ("flow.upload.tcp.pacing", "true"))
_STRICTLY = (*_PACED, ("flow.*.tcp.pacing_gain", "{ slow_start = 2, avoidance = 0.5 }"))
TREATMENTS: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "as it is": ("nothing", ()),
    "upload paced": ("pacing", (("flow.upload.tcp.pacing", "true"),)),
    "download paced": ("pacing", (("flow.download.tcp.pacing", "true"),)),
    "both paced": ("pacing", _PACED),
    "both paced at half a window a round trip": ("pacing", _STRICTLY),
    "ACKs first": ("queue", ((_UP, '{ kind = "ack_priority", limit = "75000 B" }'),)),
    "fair queueing (DRR)": ("queue", ((_UP, '{ kind = "drr", limit = "75000 B" }'),)),
    "fair queueing (SFQ by packets)": ("queue", ((_UP, '{ kind = "sfq", limit = "50 packets" }'),)),
    "fair queueing (SFQ by bytes)": ("queue", ((_UP, '{ kind = "sfq", limit = "50 packets", quantum = "1500 B" }'),)),
    "fair queueing (FQ-CoDel)": ("queue", ((_UP, '{ kind = "fq_codel" }'),)),
    "fair queueing (CAKE)": ("queue", ((_UP, '{ kind = "cake" }'),)),
    "uplink 6,000 B": ("buffer", ((f"{_UP}.limit", "6000 B"),)),
    "uplink 9,000 B": ("buffer", ((f"{_UP}.limit", "9000 B"),)),
    "uplink 6,000 B, both paced": ("buffer", ((f"{_UP}.limit", "6000 B"), *_PACED)),
}
"""What is changed at the link or the senders of Fig. 1: the kind of change, and the keys."""


def compression(context: Context) -> Exhibit:
    """The link of Fig. 1 under every treatment."""
    cases = [
        (name, kind, order, window, Link(window=window, order=order, overrides=overrides))
        for name, (kind, overrides) in TREATMENTS.items()
        for window in (65536, 131072)
        for order in ORDERS
    ]
    rows: list[Row] = []
    for (name, kind, order, window, _), o in zip(cases, simulate(context, [c[-1] for c in cases]), strict=True):
        rows.append(
            {
                "treatment": name,
                "kind": kind,
                "order": order,
                "window": window,
                "compression": (compressed := o.value("download", "ack_compression")),
                "compressed": "less than a tenth" if compressed < _LITTLE else "a tenth or more",
                "policy": "fair queueing" if name.startswith("fair") else name,
                "upload_compression": o.value("upload", "ack_compression"),
                "download": o.download,
                "upload": o.upload,
                "down_use": o.utilisation("down"),
                "restored": kind not in ("nothing", "pacing") and o.utilisation("down") >= _RESTORED,
                "rtt_s": o.rtt("download"),
            }
        )
    for row in rows:
        base = next(r for r in rows if r["treatment"] == "as it is" and _same_case(r, row))
        row["download_as_it_is"] = base["download"]
        row["compression_as_it_is"] = base["compression"]
    return context.definition("compression").exhibit(rows)


def _same_case(a: Row, b: Row) -> bool:
    return bool(a["window"] == b["window"] and a["order"] == b["order"])
