#!/bin/sh
# The owner of traces: recordings of a link, as CSV and as mahimahi has them, played under several controllers. Lines
# that begin with #> are what the command before them prints, "..." stands for anything.
set -eu

# A drive as a measuring phone writes it: ten seconds good, ten seconds bad.
awk 'BEGIN { print "time_s,rate_bps,delay_s,loss"
             for (t = 0; t < 40; t += 0.5) print t "," (int(t / 10) % 2 ? 4e6 : 20e6) ",0.02,0" }' > drive.csv
# The same as mahimahi: a line for each packet of 1,500 bytes, its millisecond.
awk 'BEGIN { for (ms = 1; ms <= 40000; ms++) { packets += (int(ms / 10000) % 2 ? 4e6 : 20e6) / 12e6
             while (packets >= 1) { print ms; packets-- } } }' > drive.down

cat > drive.toml <<'TOML'
title    = "a drive"
duration = "40 s"
record   = { interval = "500 ms" }

[[link]]
name  = "down"
delay = "20 ms"
queue = { kind = "droptail", limit = "200 ms" }
trace = { kind = "csv", file = "drive.csv" }    # its mean is the link's rate

[[link]]
name  = "up"
rate  = "5 Mbit/s"
delay = "20 ms"

[[flow]]
name       = "download"
controller = { kind = "cubic" }
data       = ["down"]
ack        = ["up"]
TOML

eddyline run drive.toml --plot drive.png
#> download ... cubic ... Mbit/s
eddyline run drive.toml --set 'link.down.trace={ kind = "mahimahi", file = "drive.down" }'
#> download ... cubic ... Mbit/s
eddyline sweep drive.toml --vary 'flow.download.controller.kind=cubic,bbr,copa' --out three --metric rtt_s.p99 \
    --metric goodput_bps --table
#> RTT, p99
#> download
#> goodput

# The recording is kept with the result, so that it can be verified elsewhere.
eddyline run drive.toml --out kept --quiet
rm drive.csv
eddyline verify kept
#> same

# A gap in the file is named with its line.
printf 'time_s,rate_bps\n0,1e6\n2,fast\n' > broken.csv
eddyline run drive.toml --set 'link.down.trace.file=broken.csv' || echo "exit $?"
#> broken.csv ... fast
#> exit 2
