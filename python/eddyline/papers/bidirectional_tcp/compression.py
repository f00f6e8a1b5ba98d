"""ACK compression is not the cause: without it the download stays low, and where it is cured there is most of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.bidirectional_tcp.setting import ORDERS, Link, ask
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLUE, GREEN, ORANGE, RED, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["compression"]

_UP = "link.up.queue"
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
    "uplink 6,000 B": ("buffer", ((f"{_UP}.limit", "6000 B"),)),
    "uplink 9,000 B": ("buffer", ((f"{_UP}.limit", "9000 B"),)),
    "uplink 6,000 B, both paced": ("buffer", ((f"{_UP}.limit", "6000 B"), *_PACED)),
}
"""What is done to the link or the senders of Fig. 1: its kind, and the keys that it changes."""


def compression(context: Context) -> Exhibit:
    """The link of Fig. 1 under every treatment."""
    cases = [
        (name, kind, order, window, Link(window=window, order=order, more=more))
        for name, (kind, more) in TREATMENTS.items()
        for window in (65536, 131072)
        for order in ORDERS
    ]
    rows: list[Row] = []
    for (name, kind, order, window, _), o in zip(cases, ask(context, [c[-1] for c in cases]), strict=True):
        rows.append(
            {
                "treatment": name,
                "kind": kind,
                "order": order,
                "window": window,
                "compression": o.of("download", "ack_compression"),
                "upload_compression": o.of("upload", "ack_compression"),
                "download": o.download,
                "upload": o.upload,
                "down_use": o.used("down"),
                "rtt_s": o.rtt("download"),
            }
        )
    for row in rows:
        base = next(r for r in rows if r["treatment"] == "as it is" and _alike(r, row))
        row["download_as_it_is"] = base["download"]
        row["compression_as_it_is"] = base["compression"]
    return Exhibit(
        id="compression",
        title="ACK compression is not the cause",
        place="Sections 1 and 2.1",
        reading=(
            "The link of Fig. 1 with 75,000 B both ways. Compressed: the share of the download's acknowledgements "
            "that reach its sender less than half a packet's time after the one before. Pacing takes some of them "
            "away and the download stays where it is; what cures the download makes nearly all of them come in "
            "clusters, each behind one packet of the upload."
        ),
        columns=(
            Column("treatment", "treatment"),
            Column("window", "window", "B"),
            Column("order", "order of starts"),
            Column("compression", "compressed ACKs, download", percent=True, digits=3),
            Column("upload_compression", "upload", percent=True, digits=3),
            Column("download", "download", "kbit/s", scale=1e3),
            Column("upload", "upload", "kbit/s", scale=1e3),
            Column("down_use", "downlink in use", percent=True, digits=3),
            Column("rtt_s", "round trip", "ms", scale=1e-3, digits=3),
        ),
        rows=rows,
        pictures=[
            Picture(
                "compression",
                "Download over its share of compressed ACKs: were compression the cause, it would fall",
                drawn(_paint, 7.0, 3.6, rows),
            )
        ],
    )


def _alike(a: Row, b: Row) -> bool:
    return bool(a["window"] == b["window"] and a["order"] == b["order"])


def _paint(figure: Figure, rows: list[Row]) -> None:
    axis = figure.subplots()
    colours = {"nothing": RED, "pacing": ORANGE, "queue": GREEN, "buffer": BLUE}
    for kind, colour in colours.items():
        for window, marker in ((65536, "o"), (131072, "s")):
            part = [r for r in rows if r["kind"] == kind and r["window"] == window]
            axis.plot(
                [100 * r["compression"] for r in part],
                [r["download"] / 1e3 for r in part],
                marker,
                color=colour,
                markersize=5,
                alpha=0.8,
                label={"nothing": "as it is", "pacing": "paced", "queue": "other queue", "buffer": "small buffer"}[kind]
                + f", {window // 1024} kB",
            )
    axis.set_xlabel("compressed ACKs of the download (%)")
    axis.set_ylabel("download (kbit/s)")
    axis.set_ylim(0, 2050)
    axis.set_xlim(0, 100)
    figure.legend(loc="outside right upper", fontsize="small")
