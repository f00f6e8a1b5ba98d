"""What was measured, as plain text, Markdown or JSON."""

from __future__ import annotations

import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.goals import Goal
    from bench.measure import Measured

__all__ = ["as_json", "as_text", "machine"]

Table = tuple[str, list[str], list[list[str]]]


def machine() -> str:
    """This machine in a few words."""
    model = "unknown processor"
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text(encoding="utf-8").splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    return f"{model}, {os.cpu_count()} CPUs, {platform.system()}, Python {platform.python_version()}"


def _tables(
    all_measured: Sequence[Measured],
    overshoots: Sequence[dict[str, float]],
    parts: dict[str, dict[str, float]],
    reached: Sequence[Goal],
) -> list[Table]:
    tables: list[Table] = []
    head = ["workload", "data packets, M", "CPU s", "M packets / CPU s", "ns / packet-hop", "peak MB"]
    head += ["instructions / packet", "start-up, M"]
    rows = []
    for m in all_measured:
        i = m.instructions
        rows.append(
            [
                m.workload.name,
                f"{m.packets / 1e6:.2f}",
                f"{m.cpu_s:.2f}",
                f"{m.per_cpu_s / 1e6:.2f}",
                f"{m.ns_per_hop:.0f}",
                f"{m.peak_bytes / 1e6:.0f}",
                f"{i.per_packet:.0f}" if i else "-",
                f"{i.start_up / 1e6:.0f}" if i else "-",
            ]
        )
    tables.append(("Eddyline, whole process", head, rows))

    rows = [
        [
            m.workload.name,
            name,
            f"{p.packets / 1e6:.3f}",
            f"{p.simulated_s:g}" + (" (stopped)" if p.capped else ""),
            f"{p.cpu_s:.2f}",
            f"{p.per_cpu_s / 1e6:.4f}",
            f"{p.ratio:.1f}",
        ]
        for m in all_measured
        for name, p in m.peers.items()
    ]
    if rows:
        head = [
            "workload",
            "peer",
            "data packets, M",
            "simulated s",
            "CPU s",
            "M packets / CPU s",
            "Eddyline is faster by",
        ]
        tables.append(("The same work elsewhere, in the same run", head, rows))
    if overshoots:
        rows = [
            [
                f"{o['dropped']:.0f}",
                f"{o['with_loss']:.0f}",
                f"{o['without']:.0f}",
                f"{o['with_loss'] / o['without']:.2f}",
            ]
            for o in overshoots
        ]
        head = ["packets lost", "instructions / packet sent", "the same without loss", "ratio"]
        tables.append(("Slow start overshoots", head, rows))
    if parts:
        names = list(next(iter(parts.values())))
        rows = [[name, *(f"{of[name]:.0f}" for of in parts.values())] for name in names]
        rows.append(["together", *(f"{sum(of.values()):.0f}" for of in parts.values())])
        tables.append(("Instructions of a data packet", ["part", *parts], rows))
    if reached:
        rows = [
            [
                g.what,
                f"{g.value:.3g}",
                f"at {'least' if g.at_least else 'most'} {g.bound:.3g}",
                "yes" if g.reached else "no",
            ]
            for g in reached
        ]
        tables.append(("Goals", ["what", "measured", "goal", "reached"], rows))
    return tables


def as_text(
    all_measured: Sequence[Measured],
    overshoots: Sequence[dict[str, float]],
    parts: dict[str, dict[str, float]],
    reached: Sequence[Goal],
    skipped: Sequence[str],
    markdown: bool,
) -> str:
    """Tables that people can read, here or on a page."""
    texts = [f"{datetime.now(UTC):%Y-%m-%d}, {machine()}"]
    for title, head, rows in _tables(all_measured, overshoots, parts, reached):
        texts.append(_markdown(title, head, rows) if markdown else _plain(title, head, rows))
    if skipped:
        texts.append("\n".join([f"Skipped: {len(skipped)}", *(f"- {reason}" for reason in skipped)]))
    return "\n\n".join(texts)


def _markdown(title: str, head: list[str], rows: list[list[str]]) -> str:
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join([f"**{title}**", "", *(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))])


def _plain(title: str, head: list[str], rows: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]

    def line(cells: list[str]) -> str:
        first, *others = zip(cells, widths, strict=True)
        return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)])

    return "\n".join([title, line(head), *(line(cells) for cells in rows)])


def as_json(
    all_measured: Sequence[Measured],
    overshoots: Sequence[dict[str, float]],
    parts: dict[str, dict[str, float]],
    reached: Sequence[Goal],
    skipped: Sequence[str],
) -> str:
    """The same for programs."""
    workloads: list[dict[str, Any]] = []
    for m in all_measured:
        i = m.instructions
        workloads.append(
            {
                "name": m.workload.name,
                "data_packets": m.packets,
                "events": m.events,
                "cpu_s": m.cpu_s,
                "simulation_cpu_s": m.simulation_s,
                "data_packets_per_cpu_s": m.per_cpu_s,
                "ns_per_packet_hop": m.ns_per_hop,
                "peak_bytes": m.peak_bytes,
                "instructions_per_packet": i.per_packet if i else None,
                "instructions_start_up": i.start_up if i else None,
                "instructions_counted_by": i.counted_by if i else None,
                "peers": [
                    {
                        "name": name,
                        "data_packets": p.packets,
                        "cpu_s": p.cpu_s,
                        "simulated_s": p.simulated_s,
                        "stopped": p.capped,
                        "data_packets_per_cpu_s": p.per_cpu_s,
                        "ratio": p.ratio,
                    }
                    for name, p in m.peers.items()
                ],
            }
        )
    document = {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "machine": machine(),
        "workloads": workloads,
        "overshoots": list(overshoots),
        "instructions_by_part": parts,
        "goals": [{"what": g.what, "value": g.value, "bound": g.bound, "reached": g.reached} for g in reached],
        "skipped": list(skipped),
    }
    return json.dumps(document, indent=2)
