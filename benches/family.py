"""What every controller costs: instructions in user mode for a data packet with its acknowledgement.

python benches/family.py [KIND...]

One flow on 1 Gbit/s and 20 ms with a queue of 400 packets, losses included; FAST and VFAST undisturbed, on an unlimited
queue.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.child import count_instructions, counter

PYTHON = Path(sys.executable)
EDDYLINE = PYTHON.with_name("eddyline")
FEW, MANY = "5 s", "15 s"


def scenario(kind: str) -> str:
    """One flow of this kind."""
    delay_based = kind in ("fast", "vfast")
    limit = "unlimited" if delay_based else "400 packets"
    needs = ', alpha = "100 packets"' if delay_based else ""
    links = "".join(
        f'[[link]]\nname = "{name}"\nrate = "1 Gbit/s"\ndelay = "10 ms"\n'
        f'queue = {{ kind = "droptail", limit = "{limit}" }}\n'
        for name in ("there", "back")
    )
    return (
        f'duration = "{MANY}"\n{links}[[flow]]\nname = "flow"\ndata = ["there"]\nack = ["back"]\n'
        f'controller = {{ kind = "{kind}"{needs} }}\n'
    )


def per_packet(kind: str, folder: Path) -> float:
    """Instructions of one more data packet delivered: the difference of two runs."""
    file = folder / f"{kind}.toml"
    file.write_text(scenario(kind), "utf-8")
    counts = []
    for duration in (FEW, MANY):
        command = [PYTHON, EDDYLINE, "run", file, "--json", "--quiet", "--set", f"duration={duration}"]
        count, output = count_instructions(command)
        counts.append((count, json.loads(output)["counters"]["data_packets_delivered"]))
    (a, few), (b, many) = counts
    return float(b - a) / (many - few)


def main(kinds: list[str]) -> None:
    """Prints a line a kind, the dearest first."""
    if not kinds:
        listed = subprocess.run([EDDYLINE, "list", "controllers", "--json"], check=True, capture_output=True, text=True)
        kinds = [kind["name"] for kind in json.loads(listed.stdout)["controllers"]]
    print(f"instructions a data packet, counted by {counter()}")
    with tempfile.TemporaryDirectory() as folder:
        costs = {kind: per_packet(kind, Path(folder)) for kind in kinds}
    for kind, cost in sorted(costs.items(), key=lambda pair: -pair[1]):
        print(f"{kind:12} {cost:6.0f}")


if __name__ == "__main__":
    main(sys.argv[1:])
