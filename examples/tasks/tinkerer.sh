#!/bin/sh
# The home-network tinkerer: calls stutter during uploads. From the line's type and the rates of a speed test to what to
# enter in OpenWrt. Lines that begin with #> are what the command before them prints, "..." stands for anything.
set -eu

eddyline advise --isp vdsl2 --down "16 Mbit/s" --up "4 Mbit/s" --have cake --plot before-and-after.png
#> VDSL2: 16 Mbit/s down, 4 Mbit/s up, round trip 30 ms
#>   --rtt is not given, 30 ms is usual
#> Set this in OpenWrt, Network > SQM QoS
#>   Basic Settings: interface pppoe-wan, download 15200 kbit/s, upload 3800 kbit/s
#>   Queue Discipline: cake, queue setup script piece_of_cake.qos
#>   Link Layer Adaptation: Ethernet with overhead, per packet overhead 30
#>   uci set sqm.pppoe_wan.download='15200'
#> Expect grade A+, before: D
#> responsiveness (RPM)
#> Advice: CAKE
test -s before-and-after.png

# What a misspelling says: nothing has run.
eddyline advise --isp vdls2 --down "16 Mbit/s" --up "4 Mbit/s" || echo "exit $?"
#> error: there is no access type 'vdls2'; did you mean vdsl2?
#> exit 2

# The test that people know from flent, on another queue.
eddyline init rrul.toml --preset rrul
eddyline run rrul.toml --set 'duration=20 s' --set 'link.*.rate=10 Mbit/s' --set 'link.*.queue.kind=fq_codel'
#> web ... A+
