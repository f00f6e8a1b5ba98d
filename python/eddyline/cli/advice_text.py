"""Advice on queues as text on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.quantities import bits_per_second, count, percent, seconds
from eddyline.tables import print_table, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.adviser import Advice
    from eddyline.adviser.choice import Outcome
    from eddyline.adviser.home import HomeAdvice

__all__ = ["show", "show_home"]

_EXPERIENCE: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("bufferbloat grade", "grade", str),
    ("responsiveness (RPM)", "responsiveness_rpm", count),
    ("request on the idle line", "idle_s", seconds),
    ("request under load, mean", "loaded_s", seconds),
    ("request under load, p99", "loaded_p99_s", seconds),
    ("downloads together", "download_bps", bits_per_second),
    ("uploads together", "upload_bps", bits_per_second),
)


def show(advice: Advice) -> None:
    """Advice on an access link: queues, how they were chosen, commands."""
    _show_choice(advice)
    predicted = advice.predicted()
    print(
        f"By formula: download {bits_per_second(predicted['download_bps'])}, "
        f"uploads {bits_per_second(predicted['upload_bps'])}, "
        f"max delay {seconds(predicted['worst_delay_s'])}"
    )
    print(f"{_shaped(advice)}\n")
    print("Linux:")
    for each in advice.tc:
        print(f"  {each}")
    if advice.sqm and advice.sqm_pages:
        print("OpenWrt, Network > SQM QoS:")
        _show_settings(advice.sqm, advice.sqm_pages)


def show_home(home: HomeAdvice) -> None:
    """Advice for the line of a home: settings first, then what to expect and why."""
    isp = home.isp
    down, up = (bits_per_second(rate) for rate in home.rates_bps)
    print(f"{isp.title}: {down} down, {up} up, round trip {_trips(home)}")
    for name in home.usual:
        figure = isp.figures[name]
        print(f"  --{name} is not given, {figure.value} is usual ({figure.source})")
    columns = ["before", "after"]
    if home.improves:
        print("\nSet this in OpenWrt, Network > SQM QoS (packages sqm-scripts and luci-app-sqm):")
        _show_settings(home.sqm, home.sqm_pages)
        print(f"\nExpect grade {home.after.grade}, before: {home.before.grade}\n")
    else:
        columns = ["as it is", "nearest queue"]
        print("\nLeave the line as it is: with the nearest queue, below, requests under load would take longer.\n")
    load = f"four downloads and four uploads, {home.advice.access.controller}"
    rows = table(f"Simulated: {load}", "", columns)
    before, after = home.before.to_dict(), home.after.to_dict()
    for label, key, text in _EXPERIENCE:
        rows.add_row(label, text(before[key]), text(after[key]))
    print_table(rows)
    if isp.profile:
        share = percent(home.advice.access.line.share)
        print(
            f"The rate varies (profile {isp.profile}), so the shaper gets {share} of its mean; while the rate is below "
            "that, the line's own buffer fills. Scripts that follow the rate, such as cake-autorate, are made for that."
        )
        if home.profile_delay_s > 0:
            print(f"The profile adds {seconds(home.profile_delay_s)} in the mean to {_trips(home)}.")
    else:
        print(_shaped(home.advice))
    print()
    _show_choice(home.advice, advised=home.improves)


def _trips(home: HomeAdvice) -> str:
    low, high = home.advice.access.rtt_s
    return seconds(low) if low == high else f"{seconds(low)} to {seconds(high)}"


def _show_settings(commands: list[str], pages: dict[str, str]) -> None:
    for page, entries in pages.items():
        print(f"  {page}: {entries}")
    print("or on its command line:")
    for each in commands:
        print(f"  {each}")


def _show_choice(advice: Advice, *, advised: bool = True) -> None:
    """The queues, and the table that they were chosen from; they may suffice by it and yet not be `advised`."""
    choice = advice.choice
    best = choice.best
    if choice.possible:
        print(f"{'Advice' if advised else 'Nearest queue'}: {best.family}")
    else:
        print(f"No queue suffices:\n  {choice.why}\nNearest: {best.family}")
    print(f"  down  {_queue(best.queues.down)}\n  up    {_queue(best.queues.up)}\n")
    columns = ["download", "of alone", "uploads", "of alone", "max delay", "RPM", "fairness", "cases"]
    outcomes = table(f"Simulated, the worst of {choice.cases} cases", "queue", columns)

    def row(name: str, o: Outcome) -> None:
        shares = percent(o.download_share), percent(o.upload_share)
        down, up = bits_per_second(o.download_bps), bits_per_second(o.upload_bps)
        cells = (
            down,
            shares[0],
            up,
            shares[1],
            seconds(o.worst_delay_s),
            count(o.responsiveness_rpm),
            f"{o.fairness:.2f}",
        )
        outcomes.add_row(name, *cells, f"{o.cases}" if o.cases >= choice.cases else f"out after {o.cases}")

    for tried in (*choice.by_family, choice.default):
        name = tried.family if tried is not choice.default else f"default: {tried.queues.up['limit']}"
        chosen = " (advised)" if advised and choice.possible else " (nearest)"
        row(name + (chosen if tried is best else ""), tried.outcome)
    print_table(outcomes)
    for trade in choice.trades:
        print(trade)


def _shaped(advice: Advice) -> str:
    """What the shaper takes the line for."""
    from eddyline.adviser.line import LINES

    line = advice.access.line
    shaped = f"Shaped to {percent(line.share)} of the line, framing "
    if line.name not in LINES:
        return shaped + "not counted: --line fibre, cable, vdsl or adsl does"
    linklayer = "" if line.linklayer == "none" else f", {line.linklayer.upper()}"
    return shaped + f"{line.name}: {line.overhead_B} bytes a packet, at least {line.minimum_B}{linklayer}"


def _queue(queue: Any) -> str:
    rest = ", ".join(f"{key} {value}" for key, value in queue.items() if key != "kind")
    return f"{queue['kind']}, {rest}" if rest else str(queue["kind"])
