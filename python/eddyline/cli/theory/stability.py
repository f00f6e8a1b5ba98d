"""`eddyline theory stability`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from eddyline.cli.theory.question import law, question, shown_document
from eddyline.cli.types import OneOf

if TYPE_CHECKING:
    from pathlib import Path

    from eddyline.theory import Stability

__all__ = ["command"]


@question(
    "stability",
    "whether small disturbances die out",
    "eddyline theory stability two-way.toml --link-model ack_clocked",
    "eddyline theory stability two-way.toml --plot stability.png",
    plot="rightmost roots and Nyquist curves",
)
@click.option(
    "--link-model",
    type=OneOf(["integrator", "ack_clocked", "joint", "all"]),
    default="all",
    show_default=True,
    help="Queues integrate what arrives (eq. 3), packets follow acknowledgements, or the joint link model of 2007.",
)
@law()
def command(
    file: Path,
    overrides: list[tuple[str, str]],
    as_json: bool,
    plot: Path | None,
    quiet: bool,
    link_model: str,
    law: str,
) -> int:
    """Analyse the first equilibrium of FILE: rightmost characteristic roots with exact delays, gain and delay margins.

    With --json and all link models a list of documents is printed.
    """
    from eddyline.scenario import Scenario
    from eddyline.theory import stability

    judged = stability(Scenario.load(file, set=overrides), link_model, law)
    return shown_document(judged, _show, as_json=as_json, plot=plot, quiet=quiet)


def _show(document: Stability) -> None:
    from eddyline.quantities import count, seconds
    from eddyline.tables import print_table, table
    from eddyline.theory.local_stability import verdict

    head = ["verdict", "rightmost root", "oscillates at", "gain margin", "delay margin"]
    verdicts = table(document.title, "link model", head)
    for d in document.documents:
        first = d["roots"][0] if d["roots"] else (None, None)
        verdicts.add_row(
            d["link_model"],
            verdict(d),
            "-" if first[0] is None else f"{first[0]:.4g} /s",
            f"{first[1] / 6.283185307179586:.4g} Hz" if first[1] and not d["neutral"] else "-",
            count(d["gain_margin"]),
            seconds(d["delay_margin_s"]),
        )
    print_table(verdicts)
