"""One run on several threads: the same result, and a reason where there is one thread."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from eddyline.errors import InputError
from eddyline.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Ran

LINKS = 24


def ring() -> dict[str, Any]:
    """Flows over three links of a ring each, whose acknowledgements come over the three before."""

    def path(first: int) -> list[str]:
        return [f"link {(first + k) % LINKS}" for k in range(3)]

    controller = {"kind": "newreno"}
    return {
        "duration": "1 s",
        "link": [{"name": f"link {i}", "rate": "1 Gbit/s", "delay": "5 ms"} for i in range(LINKS)],
        "flow": [
            {"name": f"flow {i}", "controller": controller, "data": path(i), "ack": path(i - 3)} for i in range(LINKS)
        ],
    }


def test_two_threads_give_the_result_of_one() -> None:
    scenario = Scenario(ring())
    one, two = scenario.run(series=True), scenario.run(series=True, threads=2)
    assert two.execution is not None
    assert two.execution.domains > 2
    assert two.execution.one_because is None

    def document(result: Any) -> dict[str, Any]:
        return {key: value for key, value in json.loads(result.json).items() if key != "cost"}

    assert document(one) == document(two)
    assert one.series.equals(two.series)


def test_a_single_bottleneck_says_why_it_has_one_thread(eddyline: Callable[..., Ran], tmp_path: Path) -> None:
    file = tmp_path / "ring.json"
    file.write_text(json.dumps(ring()))
    divided = eddyline("run", str(file), "--threads", "2", "--json")
    assert divided.code == 0
    assert "one thread" not in divided.err
    logged = eddyline("run", str(file), "--threads", "2", "--log", str(tmp_path / "log.parquet"), "--json")
    assert logged.code == 0
    assert "note: simulated on one thread: packet logs" in logged.err


def test_what_has_one_thread_is_refused(eddyline: Callable[..., Ran], tmp_path: Path) -> None:
    file = tmp_path / "ring.json"
    file.write_text(json.dumps(ring()))
    refused = eddyline("run", str(file), "--world", "theory", "--threads", "2")
    assert refused.code == 2
    assert "--threads is for --world sim" in refused.err
    seeds = eddyline("run", str(file), "--seeds", "2", "--threads", "2")
    assert seeds.code == 2
    assert "--threads is for one run" in seeds.err
    with pytest.raises(InputError, match="threads: of one run"):
        Scenario(ring()).run(seeds=2, threads=2)
    with pytest.raises(InputError, match="world quic has one thread"):
        Scenario(ring()).run("quic", threads=2)
