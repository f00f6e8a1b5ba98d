"""`python -m quic FILE [KEY=VALUE...]`: a scenario over two foreign stacks, as a table in Markdown."""

from __future__ import annotations

import sys

from eddyline.scenario import Scenario

from .comparison import rows

file, *overrides = sys.argv[1:]
print("| | goodput, Mbit/s | mean RTT, ms | mean window | mean queue | drops and losses |")
print("| --- | --- | --- | --- | --- | --- |")
for name, r in rows(Scenario.load(file, set=dict(o.split("=", 1) for o in overrides))):
    print(
        f"| {name} | {r.goodput_bps / 1e6:.3f} | {r.rtt_s * 1e3:.2f} | {r.window_packets:.2f} "
        f"| {r.queue_packets:.2f} | {r.drops} |",
        flush=True,
    )
