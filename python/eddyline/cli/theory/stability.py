"""`eddyline theory stability`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from eddyline.cli.theory.question import asked

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["command"]


@asked(
    "stability", "whether small disturbances die out", "eddyline theory stability two-way.toml --link-model ack_clocked"
)
@click.option(
    "--link-model",
    type=click.Choice(["integrator", "ack_clocked", "both"]),
    default="both",
    show_default=True,
    help="Queues integrate what arrives (eq. 3), or packets follow acknowledgements.",
)
def command(file: Path, overrides: list[tuple[str, str]], as_json: bool, link_model: str) -> int:
    """Judge the first equilibrium of FILE: rightmost characteristic roots with exact delays, gain and delay margins.

    With --json and both link models a list of two documents is printed.
    """
    from eddyline.scenario import LINK_MODELS, Scenario

    scenario = Scenario.load(file, set=overrides)
    models = LINK_MODELS if link_model == "both" else (link_model,)
    answers = [scenario.theory("stability", link_model=m) for m in models]
    if as_json:
        texts = [text for text, _ in answers]
        sys.stdout.write((texts[0] if len(texts) == 1 else "[" + ",\n".join(texts) + "]") + "\n")
    else:
        _show(scenario.title, [document for _, document in answers])
    return 0


def _show(title: str, documents: list[dict[str, Any]]) -> None:
    from eddyline.cli.numbers import count, seconds
    from eddyline.cli.tables import print_table, table

    head = ["verdict", "rightmost root", "oscillates at", "gain margin", "delay margin"]
    verdicts = table(title, "link model", head)
    for d in documents:
        first = d["roots"][0] if d["roots"] else (None, None)
        verdicts.add_row(
            d["link_model"],
            "stable" if d["stable"] else "unstable",
            "-" if first[0] is None else f"{first[0]:.4g} /s",
            f"{first[1] / 6.283185307179586:.4g} Hz" if first[1] else "-",
            count(d["gain_margin"]),
            seconds(d["delay_margin_s"]),
        )
    print_table(verdicts)
    for d in documents:
        for note in d["notes"]:
            click.echo(f"note: {d['link_model']}: {note}", err=True)
