"""Which cure is first on which link, and why: computed from the rows."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING

from eddyline.papers.bidirectional_tcp.cures.catalogue import AS_IT_COMES, SMALL_PACKETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eddyline.reports.definitions import Definition
    from eddyline.reports.exhibit import Row

__all__ = ["MEASURES", "findings", "overall", "ranked"]

MEASURES = {
    "kept": ("bulk", -1.0),
    "rpm": ("working latency", -1.0),
    "page_s": ("page", 1.0),
    "call_rating": ("call", -1.0),
}
"""The measures that make up a rank, with equal weight: column, name, and sign (-1 where more is better)."""

_EQUAL_WITHIN = 0.02
"""Values that differ by less than this share count as equal: seeds and phases change them as much."""


def ranked(rows: Iterable[Row]) -> list[Row]:
    """The rows link by link, best first, with what each direction keeps, its ranks and their mean.

    What a direction keeps is relative to the maximum that it gets alone on that link under any cure, so that a cure
    which slows a transfer even when it is alone gains nothing by that.
    """
    groups: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["line"], row["uploads"]].append(dict(row))
    result: list[Row] = []
    for part in groups.values():
        for way in ("download", "upload"):
            best = max(r[f"{way}_alone"] for r in part)
            for r in part:
                r[f"{way}_kept"] = r[way] / best
                r[f"{way}_lost"] = 1.0 - r[way] / r[f"{way}_alone"] if r[f"{way}_alone"] > 0 else None
        for r in part:
            r["kept"] = min(r["download_kept"], r["upload_kept"])
        for column, (_, sign) in MEASURES.items():
            for r, place in zip(part, _ranks([r[column] for r in part], sign), strict=True):
                r[f"rank_{column}"] = place
        for r in part:
            r["mean_rank"] = fmean(r[f"rank_{column}"] for column in MEASURES)
        _add_baselines(part)
        part.sort(key=lambda r: (r["mean_rank"], -r["kept"]))
        for place, r in enumerate(part, 1):
            r["rank"] = place
        result += part
    return result


def _add_baselines(part: Sequence[Row]) -> None:
    """Adds the values of doing nothing and of small packet buffers to each row, for claims."""
    nothing = next(r for r in part if r["cure"] == AS_IT_COMES)
    packets = next(r for r in part if r["cure"] == SMALL_PACKETS)
    for r in part:
        r["kept_as_it_comes"], r["rpm_as_it_comes"] = nothing["kept"], nothing["rpm"]
        r["kept_small_packets"] = packets["kept"]


def _ranks(values: Sequence[float | None], sign: float) -> list[float]:
    """The rank of each value: one more than the number of values that are clearly better. None is last."""
    known = [v for v in values if v is not None]

    def better(a: float, b: float) -> bool:
        return sign * (a - b) < 0 and abs(a - b) > _EQUAL_WITHIN * max(abs(a), abs(b))

    return [1.0 + (len(known) if v is None else sum(better(k, v) for k in known)) for v in values]


def overall(rows: Sequence[Row]) -> list[tuple[str, float, int]]:
    """Cures that exist for every link, by mean rank: name, mean rank, number of cases where it is first."""
    places: dict[str, list[int]] = defaultdict(list)
    for row in rows:
        places[row["cure"]].append(row["rank"])
    everywhere = max(len(p) for p in places.values())
    table = [(name, fmean(p), p.count(1)) for name, p in places.items() if len(p) == everywhere]
    return sorted(table, key=lambda entry: entry[1])


def findings(rows: Sequence[Row], definition: Definition) -> list[str]:
    """Sentences about the rows that `ranked` gave: over all links, link by link, and by what cures change."""
    groups: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["line"], row["uploads"]].append(row)
    sentences = [_first(part, definition) for part in groups.values()]
    if len(groups) > 1:
        sentences.insert(0, _over_all(overall(rows), len(groups), definition))
    return [*sentences, _by_kind(rows, definition)]


def _over_all(table: Sequence[tuple[str, float, int]], cases: int, definition: Definition) -> str:
    best = [
        definition.finding("overall_entry", {"cure": name, "mean": mean, "first": first})
        for name, mean, first in table[:5]
    ]
    values = {
        "cases": cases,
        "best": ", ".join(best),
        "nothing": next(place for place, entry in enumerate(table, 1) if entry[0] == AS_IT_COMES),
        "cures": len(table),
        "last": table[-1][0],
        "last_rank": table[-1][1],
    }
    return definition.finding("overall", values)


def _first(part: Sequence[Row], definition: Definition) -> str:
    """The winner on one link, its values and those of doing nothing, and what is different."""
    best, nothing = part[0], next(r for r in part if r["cure"] == AS_IT_COMES)
    values = {
        **{key: best[key] for key in ("line", "uploads", "cure")},
        "plural": "s" if best["uploads"] > 1 else "",
        "best": best,
        "nothing": nothing,
        "rpm": _rpm(best),
        "nothing_rpm": _rpm(nothing),
    }
    if best is nothing:
        return definition.finding("nothing_better", values)
    first = definition.finding("first", {**values, "reason": _reason(best, nothing, definition)})
    others = _better_in_one_measure(part)
    return definition.finding("first_not_in_all", {"first": first, "others": ", ".join(others)}) if others else first


def _rpm(row: Row) -> str:
    return "-" if row["rpm"] is None else f"{row['rpm']:,.0f}"


def _reason(best: Row, nothing: Row, definition: Definition) -> str:
    """What is different in the queues, largest change first."""
    reasons: list[tuple[float, str]] = []

    def add(weight: float, name: str, **values: float | str) -> None:
        reasons.append((weight, definition.finding(name, values)))

    for way, link in (("up", "uplink"), ("down", "downlink")):
        wait, wait_before = best[f"{way}_p99_s"] or 0.0, nothing[f"{way}_p99_s"] or 0.0
        if wait < 0.8 * wait_before:
            change = 1.0 - wait / wait_before
            add(change, "reason_wait", best=1e3 * wait, nothing=1e3 * wait_before, link=link)
    acks, acks_before = best["acks"], nothing["acks"]
    if acks_before > 0 and abs(acks / acks_before - 1.0) > 0.2:
        change = min(abs(acks / acks_before - 1.0), 1.0)
        add(change, _ack_reason(best, nothing), best=acks, nothing=acks_before)
    loss, loss_before = best["up_loss"] + best["down_loss"], nothing["up_loss"] + nothing["down_loss"]
    if loss_before > 0.005 and loss < 0.5 * loss_before:
        add(0.5, "reason_loss", best=loss, nothing=loss_before)
    if not reasons:
        return definition.finding("reason_order", {"up_p99_ms": 1e3 * (best["up_p99_s"] or 0.0)})
    reasons.sort(reverse=True)
    return definition.finding("reasons", {"reasons": "; ".join(text for _, text in reasons)})


def _ack_reason(best: Row, nothing: Row) -> str:
    """Whether more ACKs get through, or fewer serve a faster or slower download."""
    if best["acks"] > nothing["acks"]:
        return "reason_acks_get_through"
    faster = best["download"] > nothing["download"]
    return "reason_fewer_acks_more_download" if faster else "reason_fewer_acks_less_download"


def _better_in_one_measure(part: Sequence[Row]) -> list[str]:
    """The best cure by each measure in which the winner is not among the best."""
    others = []
    for column, (name, _) in MEASURES.items():
        first = [r for r in part if r[f"rank_{column}"] == 1.0]
        if first and part[0] not in first:
            others.append(f"{name}: {first[0]['cure']}")
    return others


def _by_kind(rows: Sequence[Row], definition: Definition) -> str:
    """What cures of queues, of TCP and of both gain on average."""
    by_kind: dict[str, list[float]] = defaultdict(list)
    nothing = {(r["line"], r["uploads"]): r["kept"] for r in rows if r["cure"] == AS_IT_COMES}
    for row in rows:
        by_kind[row["changes"]].append(row["kept"] - nothing[row["line"], row["uploads"]])
    gains = [f"{kind}: {fmean(g):+.0%}" for kind, g in by_kind.items() if kind not in ("nothing", "the medium")]
    return definition.finding("by_kind", {"gains": "; ".join(gains)})
