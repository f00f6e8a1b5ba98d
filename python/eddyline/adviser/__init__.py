"""The adviser: sizes both buffers of an access link and chooses the queue, by formula, then by simulation.

el.advise(down="2 Mbit/s", up="192 kbit/s", rtt="20 ms..300 ms")
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eddyline.adviser.access import Access
    from eddyline.adviser.search import Choice, Requests
    from eddyline.progress import Count

__all__ = ["Advice", "advise"]


@dataclass(frozen=True, repr=False)
class Advice:
    """Advice on the queues of an access link.

    Attributes:
        access: The access link, at the rates to which it is shaped.
        unit: What FIFO limits count: bytes, packets or cells.
        prefer: What the user prefers: balance, latency or throughput.
        have: What the user's router can set up.
        choice: The candidates, and the advised one.
        tc: Linux `tc` commands that set up the queues.
        sqm: The same as `uci` commands for OpenWrt's SQM, or None where it has no such queue.
        sqm_pages: The same as entries of its web interface, by page.
    """

    access: Access
    unit: str
    prefer: str
    have: str
    choice: Choice
    tc: list[str]
    sqm: list[str] | None
    sqm_pages: dict[str, str] | None

    def _repr_html_(self) -> str:
        """The advised queues and what to expect of them, for notebooks."""
        from html import escape

        import pandas as pd

        document = self.to_dict()
        queues = {way: " ".join(map(str, document[way].values())) for way in ("down", "up")}
        expected = {name: document[name] for name in ("simulated", "default")}
        rows = pd.DataFrame({name: pd.Series(_numbers(values)) for name, values in expected.items()})
        head = escape(f"{self.access.down_bps / 1e6:g}/{self.access.up_bps / 1e6:g} Mbit/s: ")
        tc = escape("\n".join(self.tc))
        lines = "".join(f"<li>{way}: {escape(text)}</li>" for way, text in queues.items())
        return f"<b>{head}{escape(str(document['family']))}</b><ul>{lines}</ul>{rows.to_html()}<pre>{tc}</pre>"

    def __repr__(self) -> str:
        queues = self.choice.best.queues
        return f"<Advice: {self.choice.best.family}, down {queues.down['kind']}, up {queues.up['kind']}>"

    def predicted(self) -> dict[str, Any]:
        """Prediction of the formulas for the advised queues: goodputs in bit/s, the delay of a full buffer in s."""
        from eddyline.adviser.prediction import predict

        return predict(self.access, self.choice.best.queues)

    def to_dict(self) -> dict[str, Any]:
        """As `eddyline advise --json` prints it; SI units."""
        choice, access = self.choice, self.access
        return {
            "possible": choice.possible,
            "why": choice.why,
            "unit": self.unit,
            "prefer": self.prefer,
            "have": self.have,
            "line": access.line.name,
            "shaped": {
                "share": access.line.share,
                "down_bps": access.down_bps,
                "up_bps": access.up_bps,
                "framing": access.line.framing(),
            },
            "family": choice.best.family,
            "down": _named(choice.best.queues.down),
            "up": _named(choice.best.queues.up),
            "predicted": self.predicted(),
            "simulated": choice.best.outcome.to_dict(),
            "default": choice.default.outcome.to_dict(),
            "trades": choice.trades,
            "cases": choice.cases,
            "tc": self.tc,
            "sqm": self.sqm,
            "sqm_pages": self.sqm_pages,
            "families": [
                {
                    "family": t.family,
                    "down": _named(t.queues.down),
                    "up": _named(t.queues.up),
                    "simulated": t.outcome.to_dict(),
                }
                for t in choice.by_family
            ],
        }


def advise(
    down: str,
    up: str,
    rtt: str,
    *,
    downloads: int | str = "1..4",
    uploads: int | str = "1..4",
    unit: str = "bytes",
    controller: str = "newreno",
    prefer: str = "balance",
    have: str = "linux",
    line: str | None = None,
    share: float | None = None,
    wan: str = "eth0",
    lan: str = "eth1",
    done: Count | None = None,
) -> Advice:
    """Chooses the queues of an access link so that uploads and downloads do not starve each other.

    Args:
        down: Rate of the line towards the subscriber, as `"2 Mbit/s"`.
        up: Rate away from the subscriber.
        rtt: Round-trip time without queues or a range of them, as `"20 ms..300 ms"`.
        downloads: How many downloads run at a time: a number or a range, as `"1..4"`.
        uploads: How many uploads.
        unit: What the limit of a FIFO counts: `"bytes"`, `"packets"` or `"cells"`.
        controller: Kind of congestion controller of all flows.
        prefer: `"balance"`, `"latency"` or `"throughput"`: what decides among queues that suffice, or among those that
            come nearest.
        have: What the router can set up: `"linux"` (any queue), `"sqm"` (OpenWrt's), `"fifo"`, `"codel"`, `"pie"`,
            `"fq_codel"` or `"cake"`.
        line: `"fibre"`, `"cable"`, `"vdsl"`, `"adsl"` or a keyword of tc-cake(8), as `"bridged-ptm"`: framing that is
            simulated and set. Without it rates are those of IP packets, and more of the line is left unused.
        share: The share of the line's rate at which the router sends; by default 95 % where the line is known, 90 %
            where it is not.
        wan: Interface towards the provider, for the `tc` commands.
        lan: Interface towards the hosts, for the `tc` commands.
        done: Called after each simulation.

    Raises:
        InputError: One of the arguments is invalid.
    """
    from eddyline.adviser.access import Access
    from eddyline.errors import InputError

    for name, text, example in (("down", down, "50 Mbit/s"), ("up", up, "10 Mbit/s"), ("rtt", rtt, "20 ms")):
        if not isinstance(text, str):
            raise InputError(f"{name}: text with a unit is expected, not {text!r}", f'"{example}"')
    access = Access.of(
        down,
        up,
        rtt,
        downloads=str(downloads),
        uploads=str(uploads),
        controller=controller,
        line_name=line,
        share=share,
    )
    return advise_access(access, unit, prefer, have, wan, lan, done)


def advise_access(
    access: Access,
    unit: str,
    prefer: str,
    have: str,
    wan: str,
    lan: str,
    done: Count | None = None,
    requests_s: Requests | None = None,
) -> Advice:
    """As `advise`, for an access link that is already read; `requests_s` as in `search`."""
    from eddyline.adviser.candidates import HAVE, UNITS
    from eddyline.adviser.choice import PREFERENCES
    from eddyline.adviser.search import search
    from eddyline.adviser.shaping import tc_lines
    from eddyline.adviser.sqm import sqm_pages, sqm_settings
    from eddyline.arguments import interface
    from eddyline.errors import InputError
    from eddyline.spelling import unknown

    for what, given, known in (("unit", unit, UNITS), ("preference", prefer, PREFERENCES), ("equipment", have, HAVE)):
        if given not in known:
            raise unknown(what, given, known)
    interface("wan", wan)
    interface("lan", lan)
    if wan == lan:
        raise InputError(
            f"wan and lan are both {wan}",
            "name the other one too: --wan DEV is the interface towards the provider, --lan DEV that towards the hosts",
        )
    choice = search(access, unit, prefer, have, done, requests_s)
    queues = choice.best.queues
    settings, pages = sqm_settings(access, queues, wan), sqm_pages(access, queues, wan)
    return Advice(access, unit, prefer, have, choice, tc_lines(access, queues, wan, lan), settings, pages)


def _numbers(values: Any) -> dict[str, float]:
    """The numbers of an outcome by name."""
    return {key: v for key, v in values.items() if isinstance(v, (int, float))} if isinstance(values, dict) else {}


def _named(queue: Any) -> dict[str, Any]:
    parameters = {key: value for key, value in queue.items() if key not in ("kind", "limit")}
    return {"queue": queue["kind"], "limit": queue.get("limit", "unlimited"), **parameters}
