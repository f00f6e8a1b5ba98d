#!/bin/sh
# The breaker of things: what is wrong is refused with a sentence, before anything runs; nothing is half-written; no
# traceback. Lines that begin with #> are what the command before them prints, "..." stands for anything.
set -eu

eddyline init good.toml
# Every error of a file at once, with line, key and remedy.
sed -e 's/"20 Mbit\/s"/"20 MB\/s"/' -e 's/"cubic"/"cubik"/' -e 's/warmup  /warm_up /' good.toml > bad.toml
eddyline run bad.toml || echo "exit $?"
#> MB/s
#> cubik
#> did you mean
#> exit 2
eddyline run missing.toml || echo "exit $?"
#> missing.toml
#> exit 2
printf '\377\376 = [' > noise.toml
eddyline run noise.toml || echo "exit $?"
#> noise.toml
#> exit 2

# A window that no memory holds ends with a sentence that names the flow and the link.
eddyline run good.toml --memory 20MB --set 'link.*.queue.limit=unlimited' --set 'flow.*.tcp.initial_window=900000' \
    --out full || echo "exit $?"
#> memory
#> exit 1
test ! -e full

# A result that somebody changed, and one that is not there.
eddyline run good.toml --set 'duration=5 s' --set 'warmup=1 s' --out kept --quiet
sed -i.bak 's/"seed": *1/"seed": 2/' kept/scenario.json
eddyline verify kept || echo "exit $?"
#> different: kept
#> exit 1
eddyline verify nowhere || echo "exit $?"
#> nowhere
#> exit 2

# A folder that holds a file of somebody else is not replaced.
eddyline run good.toml --set 'duration=5 s' --set 'warmup=1 s' --out kept --quiet || echo "exit $?"
#> holds other files: scenario.json.bak
#> exit 2
rm kept/scenario.json.bak

# Interrupted: exit 130, and the folder of before is still whole.
eddyline run good.toml --set 'duration=5 s' --set 'warmup=1 s' --out kept --quiet
timeout --preserve-status -s INT 2 eddyline run good.toml --set 'duration=100000 s' --out kept || echo "exit $?"
#> exit 130
eddyline verify kept
#> same
