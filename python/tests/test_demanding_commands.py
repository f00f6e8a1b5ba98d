"""Commands in the documents that need more than time: world `kernel`, a second machine, a cluster, a compiler.

What is not here is stood in for: a path between two namespaces for the path to another machine, tasks one after the
other for an array of them, processes for the machines of a cluster. All but the shortest need EDDYLINE_SLOW=1.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import conftest
import pytest
from code_blocks import ROOT, blocks, pages
from conftest import COMMAND, TWO_WAY
from documented_commands import SLOW, Need, furnished, may_fail, needing, words
from sweeps.test_dask import cluster

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran

slow = pytest.mark.skipif(not SLOW, reason="EDDYLINE_SLOW=1 runs it")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return furnished(tmp_path)


def variables(**more: str) -> dict[str, str]:
    """The command is found by its name, the user-mode Linux as before, and cargo builds where documents say."""
    found = {k: v for k, v in conftest.environment().items() if not k.startswith("CARGO_")}
    found["PATH"] = f"{COMMAND.parent}{os.pathsep}{found['PATH']}"
    if conftest.LINUX is not None:
        found["EDDYLINE_LINUX"] = conftest.LINUX
    return {**found, "CARGO_NET_OFFLINE": "true", **more}


def done(*command: str, cwd: Path, text: str = "", **more: str) -> str:
    """What it printed; it succeeds, or cannot here."""
    ran = subprocess.run(
        command, cwd=cwd, env=variables(**more), input=text, capture_output=True, text=True, timeout=900, check=False
    )
    if ran.returncode == 3 and "EDDYLINE_LIVE" in more:
        pytest.skip(ran.stderr)
    assert ran.returncode == 0, f"{command}\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout


RUNS = [line for line in needing(Need.KERNEL) if " --world kernel" in line]
ANY_FILE = [line for line in RUNS if " FILE " in line]


@pytest.mark.parametrize("line", [line for line in ANY_FILE if "--clock" not in line], ids=str)
def test_any_scenario_runs_in_world_kernel(line: str, program: Path, tree: Path) -> None:
    """With a controller that every kernel has, and every executable: FAST needs BPF."""
    (tree / "two-way.toml").write_text(re.sub(r"controller = .*", 'controller = { kind = "reno" }', TWO_WAY))
    assert "download" in done("eddyline", *words(line), cwd=tree, EDDYLINE_LIVE=str(program))


@slow
@pytest.mark.parametrize("line", [line for line in RUNS if line not in ANY_FILE or "--clock" in line], ids=str)
def test_runs_of_world_kernel_run(line: str, program: Path, tree: Path) -> None:
    assert "(world kernel)" in done("eddyline", *words(line), cwd=tree, EDDYLINE_LIVE=str(program))


SHELLS = [line for line in needing(Need.KERNEL) if line not in RUNS]


@slow
@pytest.mark.parametrize("line", [line for line in SHELLS if "iperf3" in line], ids=str)
@pytest.mark.skipif(shutil.which("iperf3") is None, reason="iperf3 is not installed")
def test_iperf3_crosses_the_path(line: str, program: Path, tree: Path) -> None:
    assert done("eddyline", *words(line), cwd=tree, EDDYLINE_LIVE=str(program)).count("iperf Done.") == 2


@pytest.mark.parametrize("line", [line for line in SHELLS if "measure" not in line and "iperf3" not in line], ids=str)
def test_a_shell_is_at_one_end_of_the_path(line: str, program: Path, tree: Path) -> None:
    """The shell reads commands."""
    more = {"EDDYLINE_LIVE": str(program), "SHELL": "/bin/sh"}
    out = done("eddyline", *words(line), cwd=tree, text='test -n "$EDDYLINE_THERE" && echo there', **more)
    assert "PROGRAM" in line or out == "there\n"


@pytest.fixture
def limited(tree: Path) -> Path:
    """With the link of the guide's table: a measurement fills the queues, so it would be long without their limits."""
    text = TWO_WAY.replace("5 Mbit/s", "2 Mbit/s")
    for packets in (60, 40):
        text = text.replace(
            'delay = "10 ms"\n\n',
            f'delay = "10 ms"\nqueue = {{ kind = "droptail", limit = "{packets} packets" }}\n\n',
            1,
        )
    (tree / "two-way.toml").write_text(text)
    return tree


@slow
@pytest.mark.parametrize("line", [line for line in SHELLS if "measure" in line], ids=str)
def test_a_link_is_measured_from_end_to_end(line: str, program: Path, limited: Path) -> None:
    out = done("eddyline", *words(line), cwd=limited, EDDYLINE_LIVE=str(program))
    assert "[[link]]" in out


@slow
def test_a_link_to_a_second_machine_is_measured(program: Path, limited: Path) -> None:
    """The second machine is the other end; without tests by TCP, which the measurement above has."""
    server, client = needing(Need.SECOND_MACHINE)
    client = client.replace("example.net", "$EDDYLINE_THERE") + " --seconds 0"
    script = f"""
        nsenter --net=$EDDYLINE_THERE_NET {server} & n=0
        until {client} || [ $n = 20 ]; do n=$((n + 1)); sleep 1; done
        kill $!; wait; [ $n != 20 ]
    """
    done("eddyline", "shell", "two-way.toml", "--", "sh", "-c", script, cwd=limited, EDDYLINE_LIVE=str(program))
    assert "[[link]]" in (limited / "home.toml").read_text()


SWEEPS = ROOT / "docs/guides/sweeps.md"
CLUSTER = needing(Need.CLUSTER)


@slow
def test_tasks_of_an_array_make_one_sweep(tree: Path) -> None:
    """Tasks one after the other, each told its number as SLURM tells it."""
    task, merge = (next(b.code for b in blocks(SWEEPS, "sh") if word in b.code) for word in ("SLURM", "merge shard-"))
    for number in range(1, 9):
        done("sh", "-ec", task, cwd=tree, SLURM_ARRAY_TASK_ID=str(number))
    done("sh", "-ec", merge, cwd=tree)
    assert len(list((tree / "grid").glob("parts/*/points.parquet"))) == 1


@slow
@pytest.mark.parametrize("line", [line for line in CLUSTER if "dask" in line], ids=str)
def test_a_sweep_runs_on_a_cluster(line: str, tree: Path) -> None:
    with cluster(tree, 2) as c:
        given = line.replace("dask://HOST:8786", c.engine).replace("--vary ...", "--vary link.home/up.loss=0,0.01")
        done(*shlex.split(given), cwd=tree)
    assert (tree / "grid/parts").is_dir()


OWN = ROOT / "docs/guides/your-own-controller.md"


@slow
@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")
@pytest.mark.parametrize("built", ["libmy_cc", "my_cc.wasm"])
def test_a_controller_of_ones_own_is_built_and_runs(built: str, tree: Path, eddyline: Callable[..., Ran]) -> None:
    steps = next(b.code for b in blocks(OWN, "sh") if built in b.code)
    if "rustup target add" in steps:
        wasm = ("rustc", "--print", "target-libdir", "--target", "wasm32-unknown-unknown")
        if not Path(subprocess.run(wasm, capture_output=True, text=True, check=False).stdout.strip()).is_dir():
            pytest.skip("needs the target wasm32-unknown-unknown")
        steps = steps.replace("rustup target add", ": rustup target add")  # it is there, and the network may not be
        assert eddyline("new-controller", "my-cc", "--rust", cwd=tree).code == 0
        steps = f"cd my-cc\n{steps}"
    script = "\n".join(f"{line} || test $? = 1" if may_fail(line) else line for line in steps.splitlines())
    assert "my-cc" in done("sh", "-ec", script, cwd=tree)


STANDING = [page for page in pages() if any("standing_queues" in block.code for block in blocks(page, "sh"))]


@slow
@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")
@pytest.mark.parametrize("page", STANDING, ids=lambda page: page.stem)
def test_tables_of_queues_are_what_their_command_prints(page: Path) -> None:
    """An example of the crate, built once in the checkout."""
    command = next(block.code for block in blocks(page, "sh") if "standing_queues" in block.code)
    target = {"CARGO_TARGET_DIR": os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))}
    rows = re.findall(r"^\| [\d.]+ \|.*$", done("sh", "-ec", command, cwd=ROOT, **target), re.MULTILINE)
    text = page.read_text("utf-8")
    assert len(rows) == 18
    assert [row for row in rows if row not in text] == []


def test_every_demanding_command_has_a_test() -> None:
    assert len(RUNS) == 16
    assert len(SHELLS) == 4
    assert len(needing(Need.SECOND_MACHINE)) == 2
    scripts = "\n".join(b.code for page in (SWEEPS, OWN) for b in blocks(page, "sh"))
    assert len(CLUSTER) == 3
    assert len(needing(Need.COMPILER)) == 3
    assert scripts.count("libmy_cc") == 2
