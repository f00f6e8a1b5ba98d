"""Step responses of the fluid model beside the packet simulator.

    python crates/theory/tests/suite/fluid_cases/compare.py [--plot DIR]

For each scenario in this folder: root mean square of the difference between queues (in packets, all links that ever
queue) and between windows, over the whole run, fluid less simulator, for both link models and their options.
"""

import argparse
import io
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd

import eddyline as el

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
VARIANTS = {
    "integrator": ["model=integrator"],
    "integrator, sampled gain": ["model=integrator", "gain=sampled"],
    "ACK-clocked": ["model=ack_clocked", "sending=window"],
    "ACK-clocked, sampled gain": ["model=ack_clocked", "sending=window", "gain=sampled"],
    "ACK-clocked, paced": ["model=ack_clocked", "sending=paced"],
    "integrator, at sending": ["model=integrator", "law=at_sending"],
    "ACK-clocked, at sending": ["model=ack_clocked", "sending=window", "law=at_sending"],
    "ACK-clocked, paced, at sending": ["model=ack_clocked", "sending=paced", "law=at_sending"],
    "ACK-clocked, paced, at sending, filter": [
        "model=ack_clocked",
        "sending=paced",
        "law=at_sending",
        "filter=fast",
    ],
    "ACK-clocked, paced, filter": ["model=ack_clocked", "sending=paced", "filter=fast"],
    "ACK-clocked, paced, sampled gain": ["model=ack_clocked", "sending=paced", "gain=sampled"],
    "ACK-clocked, paced, sampled gain, filter": ["model=ack_clocked", "sending=paced", "gain=sampled", "filter=fast"],
}


def fluid(file: Path, words: list[str]) -> pd.DataFrame:
    """The fluid model's series."""
    command = ["cargo", "run", "--quiet", "-p", "eddyline-theory", "--example", "fluid_series", "--", str(file), *words]
    out = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return pd.read_csv(io.StringIO(out.stdout))


def wide(series: pd.DataFrame, quantity: str) -> pd.DataFrame:
    """One column an entity, one row a tick."""
    rows = series[series.quantity == quantity]
    frame = rows.assign(tick=(rows.time_s * 1e6).round().astype("int64"), entity=rows.entity.astype(str))
    return frame.pivot(index="tick", columns="entity", values="value")


def rms(a: pd.DataFrame, b: pd.DataFrame) -> float:
    """Root mean square of the difference over ticks and over columns that are not always below two packets."""
    both = a.index.intersection(b.index)
    used = [c for c in a.columns if max(a[c].max(), b[c].max()) > 2]
    return float(np.sqrt(((a.loc[both, used] - b.loc[both, used]) ** 2).to_numpy().mean()))


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", type=Path, help="folder for plots")
    parser.add_argument("files", nargs="*", type=Path, default=sorted(HERE.glob("*.toml")))
    args = parser.parse_args()
    rows = []
    for file in args.files:
        sim = el.Scenario.load(file).run("sim", series=True).series
        queues, windows = wide(sim, "queue_packets"), wide(sim, "cwnd_packets")
        curves = {"simulator": (queues, windows)}
        for name, words in VARIANTS.items():
            series = fluid(file, words)
            curves[name] = (wide(series, "queue_packets"), wide(series, "cwnd_packets"))
            rows.append((file.stem, name, rms(curves[name][0], queues), rms(curves[name][1], windows)))
        if args.plot:
            plot(args.plot / f"{file.stem}.png", curves)
    table = pd.DataFrame(rows, columns=["scenario", "model", "queue", "window"])
    print(table.pivot(index="model", columns="scenario", values="queue").loc[list(VARIANTS)].round(2).to_string())
    print()
    print(table.pivot(index="model", columns="scenario", values="window").loc[list(VARIANTS)].round(2).to_string())


def plot(file: Path, curves: dict[str, tuple[pd.DataFrame, pd.DataFrame]]) -> None:
    """Queues over time."""
    import matplotlib.pyplot as plt

    file.parent.mkdir(parents=True, exist_ok=True)
    figure, axes = plt.subplots(2, 1, figsize=(12, 10), sharex=True)
    for name, frames in curves.items():
        for axis, frame in zip(axes, frames, strict=True):
            for column in frame.columns:
                if frame[column].max() > 2:
                    axis.plot(frame.index / 1e6, frame[column], lw=0.8, label=f"{name}: {column}")
    axes[0].set_ylabel("queue (packets)")
    axes[1].set_ylabel("window (packets)")
    axes[0].legend(fontsize=6)
    figure.savefig(file, dpi=100)
    plt.close(figure)


if __name__ == "__main__":
    main()
