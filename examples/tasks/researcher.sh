#!/bin/sh
# The researcher: reproduce a table of a paper, then change one thing and get statistics, a figure and a LaTeX table for
# a paper of one's own. Lines that begin with #> are what the command before them prints, "..." stands for anything.
set -eu

eddyline reproduce two-way-fast --exhibit table-1
#> Table 1: settings of the examples
#> confirmed ... balance-sum

# A scenario of one's own: random losses on the uplink, so that seeds differ.
eddyline init mine.toml
#> wrote mine.toml; next: eddyline run mine.toml
eddyline run mine.toml --set link.up.loss=0.01 --set 'duration=20 s' --set 'warmup=5 s' --seeds 5
#> a download against an upload, 5 runs: mean ± half of the 95 % interval
#> upload ... goodput ... ± ... Mbit/s

# A grid with seeds: means with 95 % intervals, as a table, a figure of a column's width, and CSV.
eddyline sweep mine.toml --set 'duration=20 s' --set 'warmup=5 s' --vary link.up.loss=0.001,0.01 \
    --vary 'flow.upload.controller.kind=cubic,reno' --seeds 3 --out grid \
    --metric goodput_bps --table --plot loss.pdf --width 3.5 --font-size 8 --csv
#> 12 of 12 points done: grid
#> goodput, mean ± half of the 95 % interval
#> upload ... 0.01 ... ± ...

# More seeds later: only what is missing runs.
eddyline sweep mine.toml --set 'duration=20 s' --set 'warmup=5 s' --vary link.up.loss=0.001,0.01 \
    --vary 'flow.upload.controller.kind=cubic,reno' --seeds 4 --out grid
#> 16 of 16 points done, 12 of them earlier: grid

python -c 'import eddyline as el; print(el.open("grid").table("goodput_bps", text=True).to_latex(escape=True))'
#> \begin{tabular}
#> upload ... ± ... Mbit/s ...
#> \end{tabular}
