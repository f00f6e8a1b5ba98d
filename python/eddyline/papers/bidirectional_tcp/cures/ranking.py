"""Which cure wins where, and why: computed from the rows."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING

from eddyline.papers.bidirectional_tcp.cures.catalogue import AS_IT_COMES, SMALL_PACKETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eddyline.reports.exhibit import Row

__all__ = ["MEASURES", "findings", "overall", "ranked"]

MEASURES = {
    "kept": ("bulk", -1.0),
    "rpm": ("working latency", -1.0),
    "page_s": ("page", 1.0),
    "call_rating": ("call", -1.0),
}
"""What a rank is made of, each as heavy as the next: the column, how people call it, and which way is better
(-1: more)."""

_ALIKE = 0.02
"""Values nearer than this share of the better one count as equal: seeds and phases move them as much."""


def ranked(rows: Iterable[Row]) -> list[Row]:
    """The rows line by line, best first, with what each direction kept, its ranks and the mean of these.

    What a direction keeps is held against the best that it gets alone on that line under any cure: one that halves
    a transfer alone and then leaves it alone has cured nothing.
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
            for r, place in zip(part, _places([r[column] for r in part], sign), strict=True):
                r[f"rank_{column}"] = place
        for r in part:
            r["mean_rank"] = fmean(r[f"rank_{column}"] for column in MEASURES)
        _beside(part)
        part.sort(key=lambda r: (r["mean_rank"], -r["kept"]))
        for place, r in enumerate(part, 1):
            r["rank"] = place
        result += part
    return result


def _beside(part: Sequence[Row]) -> None:
    """Sets figures of doing nothing and of small packet buffers beside each row, for claims."""
    nothing = next(r for r in part if r["cure"] == AS_IT_COMES)
    packets = next(r for r in part if r["cure"] == SMALL_PACKETS)
    for r in part:
        r["kept_as_it_comes"], r["rpm_as_it_comes"] = nothing["kept"], nothing["rpm"]
        r["kept_small_packets"] = packets["kept"]


def _places(values: Sequence[float | None], sign: float) -> list[float]:
    """The place of each value, 1 for the best; a value's place counts those that are clearly better. None is last."""
    known = [v for v in values if v is not None]

    def better(a: float, b: float) -> bool:
        return sign * (a - b) < 0 and abs(a - b) > _ALIKE * max(abs(a), abs(b))

    return [1.0 + (len(known) if v is None else sum(better(k, v) for k in known)) for v in values]


def overall(rows: Sequence[Row]) -> list[tuple[str, float, int]]:
    """Cures that are on offer on every line, by mean rank over all lines: name, mean, lines where it is first."""
    places: dict[str, list[int]] = defaultdict(list)
    for row in rows:
        places[row["cure"]].append(row["rank"])
    everywhere = max(len(p) for p in places.values())
    table = [(name, fmean(p), p.count(1)) for name, p in places.items() if len(p) == everywhere]
    return sorted(table, key=lambda entry: entry[1])


def findings(rows: Sequence[Row]) -> list[str]:
    """Sentences about the rows that `ranked` gave."""
    groups: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["line"], row["uploads"]].append(row)
    said = [_first_of(part) for part in groups.values()]
    table = overall(rows)
    if len(groups) > 1:
        said.insert(0, _over_all(table, len(groups)))
    said.append(_options(rows))
    return said


def _over_all(table: Sequence[tuple[str, float, int]], lines: int) -> str:
    top = ", ".join(f"{name} ({mean:.1f}, first on {first})" for name, mean, first in table[:5])
    nothing = next(place for place, entry in enumerate(table, 1) if entry[0] == AS_IT_COMES)
    return (
        f"Over all {lines} cases (mean rank, times first): {top}. Doing nothing is number {nothing} of {len(table)}; "
        f"last is "
        f"{table[-1][0]} ({table[-1][1]:.1f})."
    )


def _first_of(part: Sequence[Row]) -> str:
    """The winner of one line with its figures beside those of doing nothing, and what changed."""
    best, nothing = part[0], next(r for r in part if r["cure"] == AS_IT_COMES)
    where = f"{best['line']}, {best['uploads']} upload{'s' if best['uploads'] > 1 else ''}"
    if best is nothing:
        return f"{where}: nothing on offer is better than the line as it comes."
    kept = (
        f"download {best['download_kept']:.0%} (as it comes {nothing['download_kept']:.0%}), "
        f"upload {best['upload_kept']:.0%} ({nothing['upload_kept']:.0%})"
    )
    felt = (
        f"{_rpm(best)} round trips a minute ({_rpm(nothing)}), page {best['page_s']:.1f} s ({nothing['page_s']:.1f}), "
        f"call rated {best['call_rating']:.0f} ({nothing['call_rating']:.0f})"
    )
    return f"{where}: {best['cure']}: {kept}; {felt}. {_why(best, nothing)}{_elsewhere(part)}"


def _rpm(row: Row) -> str:
    return "-" if row["rpm"] is None else f"{row['rpm']:,.0f}"


def _why(best: Row, nothing: Row) -> str:
    """What is different in the queues, largest change first."""
    causes: list[tuple[float, str]] = []
    for way, name in (("up", "uplink"), ("down", "downlink")):
        now, before = best[f"{way}_p99_s"] or 0.0, nothing[f"{way}_p99_s"] or 0.0
        if now < 0.8 * before:
            text = f"99 % of packets wait at most {1e3 * now:.0f} ms for the {name} instead of {1e3 * before:.0f}"
            causes.append((1.0 - now / before, text))
    acks, before = best["acks"], nothing["acks"]
    if before > 0 and abs(acks / before - 1.0) > 0.2:
        causes.append((min(abs(acks / before - 1.0), 1.0), _ack_traffic(best, nothing)))
    loss, before = best["up_loss"] + best["down_loss"], nothing["up_loss"] + nothing["down_loss"]
    if before > 0.005 and loss < 0.5 * before:
        causes.append((0.5, f"less loss, {loss:.1%} instead of {before:.1%} of data packets"))
    if not causes:
        p99 = best["up_p99_s"] or 0.0
        return f"The queues are much the same (uplink p99 {1e3 * p99:.0f} ms): who is served first is what differs."
    causes.sort(reverse=True)
    return "Why: " + "; ".join(text for _, text in causes) + "."


def _ack_traffic(best: Row, nothing: Row) -> str:
    """Whether fewer ACKs are made for the same download, or only more or fewer get through."""
    share = f"{best['acks']:.0%} of the uplink instead of {nothing['acks']:.0%}"
    if best["acks"] > nothing["acks"]:
        return f"the download's ACKs get through ({share})"
    return f"fewer ACKs ({share}) for {'more' if best['download'] > nothing['download'] else 'less'} of a download"


def _elsewhere(part: Sequence[Row]) -> str:
    """Who is best at each thing, where that is somebody else."""
    others = []
    for column, (name, _) in MEASURES.items():
        first = [r for r in part if r[f"rank_{column}"] == 1.0]
        if first and part[0] not in first:
            others.append(f"{name}: {first[0]['cure']}")
    return f" Better at one thing: {', '.join(others)}." if others else ""


def _options(rows: Sequence[Row]) -> str:
    """How far TCP's options come by themselves."""
    best: dict[str, list[float]] = defaultdict(list)
    nothing = {(r["line"], r["uploads"]): r["kept"] for r in rows if r["cure"] == AS_IT_COMES}
    for row in rows:
        best[row["changes"]].append(row["kept"] - nothing[row["line"], row["uploads"]])
    parts = [f"{what}: {fmean(gains):+.0%}" for what, gains in best.items() if what not in ("nothing", "the medium")]
    return (
        "What the worse-off direction keeps, against the line as it comes, mean over all cures that change "
        + "; ".join(parts)
        + "."
    )
