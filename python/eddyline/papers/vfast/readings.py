"""Which claims depend on how the paper is read: every claim is judged under each reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.claims import judge, read
from eddyline.papers.vfast import fluctuation, scenario_1, scenario_2, scenario_3, scenario_4
from eddyline.papers.vfast.runs import DEFAULT, Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["READINGS", "readings"]

READINGS = (
    DEFAULT,
    Reading("per update", (("smoothing", "update"),)),
    Reading("new SRTT", (("deviation_from", "new"),)),
    Reading("RFC 6298", (("rto", "rfc6298"),)),
    Reading("eq. 6, floor under all", (("rto", "eq6_total"),)),
    Reading("D is FAST's", (("mean_rtt", "average"),)),
    Reading("of FAST's average", (("mean_rtt", "srtt_of_average"),)),
    Reading("psi exchanged", (("psi_down", "0.75"), ("psi_up", "0.5"))),
)
SETTINGS = ((40.0, "SACK"), (40.0, "timer"))
RECOVERIES = ("SACK", "timer")


def _exhibits(context: Context, reading: Reading, seeds: int, rtts: Sequence[float]) -> dict[str, Exhibit]:
    made = (
        fluctuation.fluctuating(context, seeds=1, reading=reading),
        scenario_1.figure_4(context, rtts, reading),
        scenario_1.figure_6(context, rtts, reading),
        scenario_2.figure_9(context, 10, reading),
        scenario_2.figure_10(context, 10, reading),
        scenario_2.table_1(context, 10, reading),
        scenario_3.table_2(context, SETTINGS, reading),
        scenario_3.table_3(context, SETTINGS, reading),
        scenario_3.figure_totals(context, SETTINGS, reading),
        scenario_4.figure_15(context, RECOVERIES, seeds, reading),
        scenario_4.figure_16(context, RECOVERIES, seeds, reading),
    )
    return {e.id: e for e in made}


def readings(
    context: Context, chosen: Sequence[Reading] = READINGS, seeds: int = 3, rtts: Sequence[float] = (40.0, 100.0)
) -> Exhibit:
    """One row for each claim, one column for each reading."""
    claims = read(context.folder / "claims.toml")
    verdicts: dict[str, dict[str, str]] = {}
    for reading in chosen:
        made = _exhibits(context, reading, seeds, rtts)
        verdicts[reading.name] = {c.id: judge(c, made[c.exhibit]).verdict for c in claims if c.exhibit in made}
    rows: list[Row] = []
    first = chosen[0].name
    for claim in claims:
        if claim.id not in verdicts[first]:
            continue
        row: Row = {"claim": claim.id, "says": claim.says}
        row |= {reading.name: verdicts[reading.name][claim.id] for reading in chosen}
        other = [r.name for r in chosen[1:] if row[r.name] != row[first]]
        row["depends"] = ", ".join(other) if other else "none"
        rows.append(row)
    independent = [r["claim"] for r in rows if r["depends"] == "none"]
    return context.definition("readings").exhibit(
        rows, findings=[("independent", {"independent": len(independent), "total": len(rows)})]
    )
