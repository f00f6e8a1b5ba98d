"""Advice for the line of a home: from its access type to settings of SQM, and what to expect of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from eddyline.adviser.experience import FLOWS, INTERVAL_S, PING, Experience, experiences, profile_delay_s

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from eddyline.adviser import Advice
    from eddyline.adviser.candidates import Queues
    from eddyline.adviser.isp import Isp
    from eddyline.progress import Count

__all__ = ["MEAN_S", "HomeAdvice", "advise_home", "curves"]

_CONTROLLER = "cubic"
MEAN_S = 1.0
"""Goodputs in figures are means over this time."""
_EQUAL_S = 1e-9
"""A smoothed round-trip time moves no closer: it is rounded."""


@dataclass(frozen=True, repr=False)
class HomeAdvice:
    """Advice for the line of a home.

    Attributes:
        isp: Its access type.
        usual: What was not given, so that the access type's usual value stands in: `down`, `up`, `rtt`.
        rates_bps: Rates of the line, down and up.
        advice: The queues, and how they were chosen.
        sqm: The settings as `uci` commands.
        sqm_pages: The same as entries of the web interface, by page.
        profile_delay_s: What the profile of a varying line adds to a small request's round trip in the mean.
        before: The line under load as it is.
        after: The same with these settings.
    """

    isp: Isp
    usual: tuple[str, ...]
    rates_bps: tuple[float, float]
    advice: Advice
    sqm: list[str]
    sqm_pages: dict[str, str]
    profile_delay_s: float
    before: Experience
    after: Experience

    @property
    def improves(self) -> bool:
        """Whether requests under load take no longer with these settings than before."""
        before, after = self.before.loaded_s, self.after.loaded_s
        return before is None or (after is not None and after <= before)

    def __repr__(self) -> str:
        family = self.advice.choice.best.family
        return f"<HomeAdvice: {self.isp.name}, {family}, grade {self.after.grade}, before {self.before.grade}>"

    def _repr_html_(self) -> str:
        """Settings, and before and after, for notebooks."""
        from html import escape

        import pandas as pd

        settings = [f"{page}: {entries}" for page, entries in self.sqm_pages.items()]
        advised = settings if self.improves else ["Leave the line as it is: requests under load would take longer."]
        pages = "".join(f"<li>{escape(each)}</li>" for each in advised)
        rows = pd.DataFrame({"before": self.before.to_dict(), "after": self.after.to_dict()})
        return f"<b>{escape(repr(self)[1:-1])}</b><ul>{pages}</ul>{rows.to_html()}"

    def to_dict(self) -> dict[str, Any]:
        """As `eddyline advise --isp ... --json` prints it; SI units."""
        figures = {name: {"value": f.value, "source": f.source} for name, f in self.isp.figures.items()}
        return self.advice.to_dict() | {
            "isp": {"name": self.isp.name, "title": self.isp.title, "usual": list(self.usual), "figures": figures},
            "measured": {"down_bps": self.rates_bps[0], "up_bps": self.rates_bps[1]},
            "load": {"downloads": FLOWS, "uploads": FLOWS, "controller": self.advice.access.controller},
            "improves": self.improves,
            "profile_delay_s": self.profile_delay_s,
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "sqm": self.sqm,
            "sqm_pages": self.sqm_pages,
        }

    def plot(self) -> Figure:
        """Latency under load and the throughput of both directions over time, before and after."""
        from eddyline.plots.home import before_and_after as drawn

        named = (("before", self.before), ("after", self.after))
        return drawn([(f"{name}, grade {e.grade}", curves(e.series)) for name, e in named], self.isp.title)


def curves(series: pd.DataFrame) -> dict[str, tuple[list[float], list[float]]]:
    """Times and values: what the ping waits, and the throughput of each direction, means over `MEAN_S`.

    The ping waits for its round trip, or longer for the next one where packets are lost.

    Goodput arrives in order: after a loss that is repaired it is more than the line carries.
    """
    import numpy as np

    found = {}
    ping = series[series["entity"] == PING]
    trips, smoothed, rate = (ping[ping["quantity"] == name] for name in ("rtt_s", "srtt_s", "throughput_bps"))
    times = trips["time_s"].to_numpy()
    waits = _waits(times, trips["value"].to_numpy(), smoothed["value"].to_numpy(), rate["value"].to_numpy())
    found["latency"] = (times.tolist(), waits.tolist())
    rates = series[series["quantity"] == "throughput_bps"]
    for name in ("downloads", "uploads"):
        flows = [rates[rates["entity"] == f"{name}[{i}]"] for i in range(FLOWS)]
        # in the order of time and of flows: the sums of other orders have other last digits
        together = sum(flow["value"].to_numpy() for flow in flows)
        ends, which = np.unique(np.ceil(flows[0]["time_s"].to_numpy() / MEAN_S), return_inverse=True)
        total = np.bincount(which, together) * INTERVAL_S / MEAN_S
        found[name] = ((ends * MEAN_S).tolist(), total.tolist())
    return found


def _waits(
    times: NDArray[np.float64], trips: NDArray[np.float64], smoothed: NDArray[np.float64], rate: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The latest round-trip time, or the time since the last interval with a new one where that is longer.

    Args:
        times: Ends of the intervals, from the first round trip on.
        trips: The latest round-trip time.
        smoothed: The smoothed one: a new one that differs moves it.
        rate: Of packets that arrived, in all intervals.
    """
    import numpy as np

    moved = np.diff(smoothed, prepend=0.0) != 0.0
    new = moved | ((np.abs(trips - smoothed) < _EQUAL_S) & (rate[len(rate) - len(trips) :] > 0.0))
    return np.maximum(trips, times - np.maximum.accumulate(np.where(new, times, 0.0)))


def advise_home(
    isp: str,
    down: str | None = None,
    up: str | None = None,
    rtt: str | None = None,
    *,
    downloads: int | str = "1..4",
    uploads: int | str = "1..4",
    unit: str = "bytes",
    controller: str = _CONTROLLER,
    prefer: str = "latency",
    have: str = "sqm",
    line: str | None = None,
    share: float | None = None,
    wan: str | None = None,
    lan: str = "br-lan",
    done: Count | None = None,
) -> HomeAdvice:
    """Advises on the line of a home and simulates it before and after.

    Args:
        isp: The access type: `"docsis"`, `"vdsl2"`, `"adsl"`, `"fttp"`, `"lte"` or `"starlink"`.
        down: Measured rate of downloads, as `"100 Mbit/s"`; the access type's usual one by default.
        up: The same of uploads.
        rtt: Round-trip time without queues or a range of them; the usual one by default.
        downloads: How many downloads the queues are chosen for: a number or a range.
        uploads: How many uploads.
        unit: What the limit of a FIFO counts, as in `advise`.
        controller: Kind of congestion controller of all flows.
        prefer: As in `advise`; latency, the default here, is that of requests under load.
        have: As in `advise`: `"sqm"` or one kind of queue that SQM has.
        line: The line's framing, as in `advise`; the access type's by default.
        share: The share of the measured rates at which the router sends; the access type's by default.
        wan: Interface towards the provider; the usual name in OpenWrt by default, `pppoe-wan` with PPPoE
            and `pppoa-wan` with PPPoA.
        lan: Interface towards the hosts, for the `tc` commands.
        done: Called after each simulation with the share of the work that is finished, as two numbers.

    Raises:
        InputError: One of the arguments is invalid.
    """
    from eddyline.adviser import advise_access
    from eddyline.adviser.access import Access
    from eddyline.adviser.isp import isp as known
    from eddyline.adviser.line import line as framing_of
    from eddyline.errors import InputError

    kind = known(isp)
    if have == "linux":
        raise InputError("have 'linux': the settings are those of SQM", "sqm, or one kind of queue that it has")
    given = {"down": down, "up": up, "rtt": rtt}
    usual = tuple(name for name, value in given.items() if value is None)
    texts = {name: kind.text(name) if value is None else value for name, value in given.items()}
    line = kind.line if line is None else line
    if wan is None:
        # OpenWrt's name of a connection by PPP, whatever the access type usually has
        ppp = next((each for each in ("pppoe", "pppoa") if each in framing_of(line).name), None)
        wan = kind.wan.removeprefix("pppoe-") if ppp is None else f"{ppp}-wan"
    access = Access.of(
        texts["down"],
        texts["up"],
        texts["rtt"],
        downloads=str(downloads),
        uploads=str(uploads),
        controller=controller,
        line_name=line,
        share=kind.share if share is None else share,
    )
    rates = (access.down_bps / access.line.share, access.up_bps / access.line.share)
    # about the percentage of the time that requests behind all candidates take
    asking = 0 if prefer != "latency" else 65 if kind.profile else 30

    def requests_s(several: Sequence[Queues]) -> list[float]:
        loaded = (each.loaded_s for each in experiences(kind, access, several, rates, _part(done, 0, asking)))
        return [inf if each is None else each for each in loaded]

    advice = advise_access(access, unit, prefer, have, wan, lan, _part(done, asking, 95 - asking), requests_s)
    queues = advice.choice.best.queues
    before, after = experiences(kind, access, [None, queues], rates, _part(done, 95, 5))
    settings, pages = advice.sqm, advice.sqm_pages
    if settings is None or pages is None:
        raise InputError(f"SQM has no queue {queues.up['kind']}")
    added_s = profile_delay_s(kind, access, rates)
    return HomeAdvice(kind, usual, rates, advice, settings, pages, added_s, before, after)


def _part(done: Count | None, since: int, percentage: int) -> Count | None:
    """Progress of a part of all work, which begins at `since` percent."""
    if done is None:
        return None
    return lambda finished, total: done(since * total + percentage * finished, 100 * total)
