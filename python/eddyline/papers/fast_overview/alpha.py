"""Alpha across the length of the card's queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.fast_overview.length import seconds
from eddyline.papers.fast_overview.record import LOCALS, PAYLOAD_BPS
from eddyline.papers.runner import Run
from eddyline.reports.exhibit import Column, Exhibit, Picture
from eddyline.reports.figures import BLUE, GREEN, RED, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Row

__all__ = ["sweep"]

_ALPHAS = (80, 95, 105, 200)
_STARTS = {"doubles": "0.75 ms", "does not double": "0 s"}
"""FAST's window doubles while less than this is queued."""


def _run(alpha: int, local: str, threshold: str) -> Run:
    length = 2.0 * seconds()
    keys = {"kind": "fast", "alpha": f"{alpha} packets", "gamma": "0.25", "mi_threshold": threshold}
    return Run(
        "one-flow",
        set=(
            *((f"flow.*.controller.{key}", value) for key, value in keys.items()),
            ("flow.*.tcp.local", local),
            ("duration", f"{length:g} s"),
            ("warmup", f"{length / 1.5:g} s"),
        ),
    )


def sweep(context: Context) -> Exhibit:
    """One FAST flow, a queue of 100."""
    cases = [(alpha, local, start) for start in _STARTS for local in LOCALS for alpha in _ALPHAS]
    runs = [_run(alpha, local, _STARTS[start]) for alpha, local, start in cases]
    context.runner.run_all(runs)
    rows: list[Row] = []
    for (alpha, local, start), run in zip(cases, runs, strict=True):
        result = context.runner.run(run).document
        sender, card = result["flows"][0], result["links"][0]
        rows.append(
            {
                "alpha": alpha,
                "side": "above 100" if alpha > 100 else "below 100",
                "local": LOCALS[local],
                "start": start,
                "case": f"{LOCALS[local]}, {start}, alpha {'above' if alpha > 100 else 'below'} 100",
                "utilisation": sender["goodput_bps"] / PAYLOAD_BPS,
                "queue": card["queue_packets"]["mean"],
                "wanted": min(alpha, 100.0),
                "sent_again": sender["retransmits"],
                "refusals": sender.get("card_refusals"),
            }
        )
    return Exhibit(
        id="alpha",
        title="Alpha across the length of the queue",
        place="Results: txqueuelen = 100 packets",
        reading=(
            f"One FAST flow, the last third of {2 * seconds():g} s. FAST wants alpha packets waiting; the card holds "
            "100. Where the sender just stops, the rest waits in the sender and nothing is lost whatever alpha is. "
            "Where the window is cut or the packet lost, alpha must fit, and so must the start: doubling once a round "
            "trip runs over a queue that is shorter than the path, every time that the queue has become empty."
        ),
        columns=(
            Column("alpha", "alpha", "packets"),
            Column("local", "when the card is full"),
            Column("start", "with an empty queue the window"),
            Column("utilisation", "of the card", percent=True),
            Column("queue", "mean queue", "packets"),
            Column("wanted", "alpha, 100 at most", "packets"),
            Column("sent_again", "packets sent again"),
            Column("refusals", "packets refused by the card"),
            Column("case", "case"),
        ),
        rows=rows,
        pictures=[Picture("alpha", "Utilisation over alpha", drawn(_paint, 7.0, 3.6, rows))],
    )


def _paint(figure: Figure, rows: list[Row]) -> None:
    axis = figure.subplots()
    for local, colour in zip(LOCALS.values(), (BLUE, GREEN, RED), strict=True):
        for start, style in zip(_STARTS, ("o-", "x:"), strict=True):
            part = [r for r in rows if r["local"] == local and r["start"] == start]
            axis.plot(
                [r["alpha"] for r in part],
                [100 * r["utilisation"] for r in part],
                style,
                color=colour,
                label=f"{local}, {start}",
            )
    axis.axvline(100, color="0.6", linewidth=1)
    axis.set_xscale("log")
    axis.set_xticks(_ALPHAS, [str(a) for a in _ALPHAS])
    axis.minorticks_off()
    axis.set_xlabel("alpha (packets); the queue holds 100")
    axis.set_ylabel("utilisation (%)")
    figure.legend(loc="outside right upper")
