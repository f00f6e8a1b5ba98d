"""FAST alone on ordinary paths: what 'performs well in conventional environments' asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.runner import Run

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["sweep"]

_RATES = (0.128e6, 1e6, 10e6, 100e6)
_RTTS = (0.01, 0.05, 0.2)
ALPHA = 20


def sweep(context: Context) -> Exhibit:
    """One flow with alpha 20 over rates and round trips."""
    cases = [(rate, rtt) for rate in _RATES for rtt in _RTTS]
    runs = [
        Run(
            "conventional",
            set=(
                *((f"link.{name}.rate", f"{rate:.0f} bit/s") for name in ("there", "back")),
                *((f"link.{name}.delay", f"{500 * rtt:g} ms") for name in ("there", "back")),
            ),
        )
        for rate, rtt in cases
    ]
    rows: list[Row] = []
    for (rate, rtt), result in zip(cases, context.runner.run_all(runs), strict=True):
        sender, link = result.document["flows"][0], result.document["links"][0]
        rows.append(
            {
                "rate": rate,
                "rtt": rtt,
                "place": f"{rate / 1e6:g} Mbit/s",
                "utilisation": link["data_utilisation"],
                "queueing": sender["queueing_delay_s"],
                "alpha_time": ALPHA * 1500 * 8 / rate,
                "round_trips_queued": sender["queueing_delay_s"] / rtt,
            }
        )
    return context.definition("conventional").exhibit(rows, values={"alpha": ALPHA})
