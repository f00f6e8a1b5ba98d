#!/bin/sh
# The cluster user: a grid in shares, one per job of an array, joined afterwards; a lost job is made good. Lines that
# begin with #> are what the command before them prints, "..." stands for anything.
set -eu

eddyline init a.toml
grid="--set duration=10s --set warmup=2s --vary link.up.loss=0.001,0.01 --vary seed=1..6"

# In the job array: --shard $SLURM_ARRAY_TASK_ID/3. The second job never starts.
for job in 1 3; do
    eddyline sweep a.toml $grid --out "shard-$job" --shard "$job/3"
done
#> 4 of 4 points done: shard-1
#> 4 of 4 points done: shard-3
eddyline sweep merge shard-1 shard-3 --out joined || echo "exit $?"
#> 8 of 12 points done: joined
#> exit 1
eddyline sweep a.toml $grid --out joined
#> 12 of 12 points done, 8 of them earlier: joined

# The same in one go has the same rows; a killed sweep goes on where it stopped.
eddyline sweep a.toml $grid --out whole --workers 1 --quiet & sweep=$!
sleep 1; kill -9 $sweep || true; wait $sweep || true
eddyline sweep a.toml $grid --out whole --json | grep '"done"'
#> "done": 12
python - <<'PYTHON'
import eddyline as el

joined, whole = el.read_sweep("joined"), el.read_sweep("whole")
print("equal" if joined.equals(whole) else "different")
print(len(joined), "rows")
PYTHON
#> equal
#> 24 rows
