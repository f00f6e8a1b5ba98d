"""The adviser on links of many kinds: advised, then simulated again in cases that the adviser has not tried.

`cd python/tests && python -m advised_links` prints the table of docs/guides/adviser.md, with `5 8` its rows 5 to 7.
"""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING, NamedTuple

import eddyline as el
from eddyline.adviser.cases import ORDERS, Case, Phase
from eddyline.adviser.trial import run_trials
from eddyline.quantities import percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eddyline.adviser.access import Access
    from eddyline.adviser.candidates import Queues

DRAWN = 30
UNTRIED = 24
"""Cases of each advised link that the adviser has not tried."""


class Link(NamedTuple):
    down: str
    up: str
    rtt: str
    controller: str = "newreno"
    unit: str = "bytes"
    line: str | None = None

    def advise(self, **options: str) -> el.Advice:
        return el.advise(
            self.down, self.up, self.rtt, controller=self.controller, unit=self.unit, line=self.line, **options
        )


DOCUMENTED = [
    Link("2 Mbit/s", "192 kbit/s", "20 ms..300 ms"),
    Link("50 Mbit/s", "10 Mbit/s", "15 ms"),
    Link("50 Mbit/s", "5 Mbit/s", "30 ms", "cubic"),
    Link("16 Mbit/s", "1 Mbit/s", "40 ms", line="adsl"),
    Link("50 Mbit/s", "10 Mbit/s", "30 ms", line="vdsl"),
    Link("500 Mbit/s", "50 Mbit/s", "32 ms", "cubic", line="cable"),
    Link("30 Mbit/s", "10 Mbit/s", "60 ms", "cubic"),
    Link("150 Mbit/s", "15 Mbit/s", "60 ms", "cubic"),
]
"""Those of the guides, and the presets with servers 10 ms away: ADSL2+, VDSL2, DOCSIS 3.1, LTE, Starlink."""


def drawn(number: int = DRAWN) -> list[Link]:
    """1 to 200 Mbit/s down, 1 to 20 times less up, 6 to 100 ms or a range of up to five times."""
    draw = random.Random(12)
    links = []
    for _ in range(number):
        down = 10 ** draw.uniform(6, 8.3)
        up = down / 10 ** draw.uniform(0, 1.3)
        least = 10 ** draw.uniform(-2.2, -1)
        most = least * draw.choice([1, 1, 10 ** draw.uniform(0, 0.7)])
        rtt = f"{1e3 * least:.1f} ms" if most == least else f"{1e3 * least:.1f} ms..{1e3 * most:.1f} ms"
        controller = draw.choice(["newreno", "cubic", "cubic"])
        unit = draw.choice(["bytes", "packets"])
        line = draw.choice([None, None, "cable", "fibre", "vdsl"])
        links.append(Link(f"{down / 1e6:.3g} Mbit/s", f"{up / 1e6:.3g} Mbit/s", rtt, controller, unit, line))
    return links


def untried(access: Access, queues: Queues, number: int = UNTRIED) -> list[tuple[float, Case]]:
    """The smaller share of both directions in random cases, relative to the same flows alone, the worst first."""
    draw = random.Random(5)
    cases = []
    for _ in range(number):
        rtt = draw.uniform(*access.rtt_s), draw.uniform(*access.rtt_s)
        flows = [draw.randint(*several) for several in (access.downloads, access.uploads)]
        phase = Phase(draw.random(), draw.random(), draw.choice([0.0, 0.02, 0.1]))
        cases.append(Case(rtt, flows[0], flows[1], draw.choice(ORDERS), phase))
    runs = [run for case in cases for run in (case, case.alone("download"), case.alone("upload"))]
    measured = iter(run_trials(access, [(queues, run) for run in runs]))
    shares = []
    for case in cases:
        both, download, upload = next(measured), next(measured), next(measured)
        shares.append((min(both.download_bps / download.download_bps, both.upload_bps / upload.upload_bps), case))
    return sorted(shares, key=lambda each: each[0])


def dominated(advice: el.Advice) -> list[str]:
    """Families that the table shows as nowhere worse than the advice and somewhere better."""

    def columns(row: dict[str, float]) -> tuple[float, ...]:
        names = ("download_bps", "download_share", "upload_bps", "upload_share")
        return (*(row[name] for name in names), -row["worst_delay_s"], round(row["fairness"], 2))

    document = advice.to_dict()
    advised = columns(document["simulated"])
    rows = [(f["family"], columns(f["simulated"])) for f in document["families"]]
    rows.append(("default", columns(document["default"])))
    return [name for name, row in rows if row != advised and all(a >= b for a, b in zip(row, advised, strict=True))]


def table(links: list[Link]) -> Iterator[str]:
    """Rows of Markdown, one as soon as it is there."""
    yield "| down, Mbit/s | up, Mbit/s | RTT | flows | line | advice | download | uploads | untried | delay, ms |"
    yield "| ---: | ---: | ---: | --- | --- | --- | ---: | ---: | ---: | ---: |"
    for link in links:
        advice = link.advise()
        assert not dominated(advice), link
        best, outcome = advice.choice.best, advice.choice.best.outcome
        again = percent(untried(advice.access, best.queues)[0][0]) if advice.choice.possible else ""
        cells = [
            link.down.removesuffix(" Mbit/s"),
            f"{advice.access.up_bps / advice.access.line.share / 1e6:.3g}",
            link.rtt.replace(" ms..", ".."),
            link.controller,
            link.line or "",
            best.family if advice.choice.possible else f"none ({best.family})",
            percent(outcome.download_share),
            percent(outcome.upload_share),
            again,
            f"{1e3 * outcome.worst_delay_s:.0f}",
        ]
        yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    every = [*drawn(), *DOCUMENTED]
    first, last = (int(word) for word in sys.argv[1:]) if len(sys.argv) > 1 else (0, len(every))
    for line in table(every[first:last]):
        print(line, flush=True)
