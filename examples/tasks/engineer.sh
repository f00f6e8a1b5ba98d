#!/bin/sh
# The transport engineer: a controller of one's own, tested before it ships, and kept as a regression test in CI. Lines
# that begin with #> are what the command before them prints, "..." stands for anything.
set -eu

cat > mine.py <<'PYTHON'
import eddyline as el


@el.register("mine", source="AIMD that gives up a quarter")
class Mine(el.Controller):
    """One packet more a round trip, a quarter less after a loss."""

    def __init__(self, path: el.PathFacts) -> None:
        self.cwnd = max(path.initial_window, 1.0)
        self.slow_start = True

    def on_ack(self, ack: el.Ack) -> None:
        if not ack.in_recovery and ack.cwnd_limited:
            self.cwnd += min(ack.acked, 1.0) if self.slow_start else 1.0 / self.cwnd

    def on_loss(self, loss: el.Loss) -> None:
        self.slow_start = False
        self.cwnd = max(0.75 * loss.flight_size, 2.0)

    def on_timeout(self, timeout: el.Timeout) -> None:
        self.slow_start = False
        self.cwnd = 1.0
PYTHON

# Against CUBIC, in some of the gauntlet's 49 tests. Exit 1: it fails one, and the scorecard says why.
eddyline gauntlet --controllers mine.py --controller mine --against cubic --only line-10m,loss-1,deep-buffer --seeds 1 \
    --out card || echo "exit $?"
#> line-10m ... at least 85.0 %
#> deep-buffer ... at most 200 ms ... RPM ... FAILED
#> mine: 2 of 3 passed
#> exit 1

# On the branch: what failed before does not count, what got worse does.
eddyline gauntlet --controllers mine.py --controller mine --only line-10m,loss-1,deep-buffer --seeds 1 \
    --base card --accept-known --junit report.xml
#> deep-buffer ... equal
grep -c '<testcase' report.xml
#> 3

# A requirement of one's own: beside an upload under the same controller the download keeps 10 Mbit/s.
eddyline init two-way.toml
sed -i.bak 's/at_least = "1 Mbit\/s"/at_least = "10 Mbit\/s"/' two-way.toml
eddyline check two-way.toml --controllers mine.py --set 'flow.*.controller.kind=mine' --junit check.xml
#> held ... flow.download ... at least 10 Mbit/s
#> 1 held, 0 failed
