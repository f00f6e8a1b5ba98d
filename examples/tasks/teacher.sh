#!/bin/sh
# The teacher: why does an upload kill a download? A picture for the lecture, the cure, and a page for the students.
# Lines that begin with #> are what the command before them prints, "..." stands for anything.
set -eu

eddyline init upload.toml --preset upload
eddyline run upload.toml --plot upload.png
#> an upload starts while a download is running (world sim)
#> download   newreno      139.7 kbit/s
#> home/up         100.0 %
test -s upload.png

# The downlink is idle. The acknowledgements wait behind the upload's data: a short buffer cures it, and so does CAKE.
eddyline run upload.toml --set 'link.home/up.queue.limit=9000 B'
#> download   newreno ... Mbit/s
eddyline run upload.toml --set 'link.home/up.queue={ kind = "cake", ack_filter = "aggressive" }' --out cured
#> download   newreno ... Mbit/s

# What theory says of the same file, and what is kept in the folder.
eddyline init fast.toml --controller fast
eddyline theory equilibrium fast.toml
#> equilibrium
eddyline verify cured
#> same
ls cured
#> manifest.json
#> result.json
