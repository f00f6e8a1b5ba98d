"""`eddyline verify` of folders of several runs, and of damaged ones."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import eddyline as el

LOSS = ('delay = "10 ms"', 'delay = "10 ms"\nloss = 0.01')


@pytest.mark.usefixtures("without_figures")
def test_any_saved_results_of_one_scenario_run_again(eddyline, scenario, tmp_path):
    """Chosen seeds in an order of their own, some worlds, series of some."""
    made = el.Scenario.load(scenario(), set={"flow.*.start_jitter": "100 ms", "duration": "3 s", "warmup": "1 s"})
    third, ninth = made.with_seed(3), made.with_seed(9)
    sets = {
        "world sim, seeds 3, 9": [ninth.run(series=True), third.run(series=True)],
        "worlds sim, quic, seeds 3, 9": [ninth.run(), third.run("quic"), third.run()],
        "worlds quic, sim, seeds 3, 9": [third.run("quic", series=True), ninth.run(series=False)],
        "worlds theory, sim, seed 3": [third.run("theory"), third.run()],
    }
    for number, (which, results) in enumerate(sets.items()):
        folder = tmp_path / str(number)
        el.Results(results).save(folder)
        ran = eddyline("verify", folder)
        assert (ran.code, ran.out) == (0, f"same: {folder} ({made.title}, {which})\n")
        document = json.loads((folder / "result.json").read_text())
        last = document[-1] if isinstance(document, list) else document
        last = last["runs"][-1] if "runs" in last else last
        last["flows"][-1]["goodput_bps"] += 1
        (folder / "result.json").write_text(json.dumps(document))
        ran = eddyline("verify", folder)
        assert (ran.code, ran.out.count("goodput_bps: stored")) == (1, 1)


@pytest.mark.usefixtures("without_figures")
@pytest.mark.parametrize("manifest", [True, False])
def test_changed_series_of_repetitions_are_found(eddyline, scenario, tmp_path, manifest):
    out = tmp_path / "out"
    eddyline("run", scenario(LOSS), "--seeds", 2, "--out", out, figures=False)
    file = out / "series.parquet"
    kept = pq.read_table(file)
    if not manifest:
        (out / "manifest.json").unlink()
    assert eddyline("verify", out).code == 0
    seeds = kept["seed"].to_pylist()
    for changed in (
        kept.slice(0, seeds.index(seeds[-1])),
        kept.drop_columns("seed"),
        kept.set_column(0, "seed", pa.array([[seed] for seed in seeds])),
        kept.set_column(0, "seed", pa.array(map(str, seeds))),
        kept.add_column(0, "seed", kept["seed"]),
        kept.add_column(0, "world", pa.array(["sim"] * len(kept))),
    ):
        pq.write_table(changed, file)
        ran = eddyline("verify", out)
        assert (ran.code, "\n  series.parquet: stored " in ran.out, "internal" in ran.err) == (1, True, False)


@pytest.mark.parametrize(
    "document",
    [
        {"runs": [], "failed": [{"seed": 1}]},
        [{"runs": [], "failed": [{"seed": 1}]}],
        [{"world": "sim"}, {"runs": []}],
        [{"world": "sim", "seed": "1"}],
        [[]],
        ["runs"],
        [{"world": "sim", "unavailable": "why"}],
        [],
    ],
)
def test_what_is_no_result_of_runs_is_refused(eddyline, scenario, tmp_path, document):
    out = tmp_path / "out"
    eddyline("run", scenario(), "--out", out, figures=False)
    (out / "manifest.json").unlink()
    (out / "result.json").write_text(json.dumps(document))
    ran = eddyline("verify", out)
    assert (ran.code, "not a result that can be run again" in ran.err) == (2, True)


def test_a_document_too_deep_is_refused(eddyline, scenario, tmp_path):
    out = tmp_path / "out"
    eddyline("run", scenario(), "--out", out, figures=False)
    for depth in (900, 3000):
        (out / "result.json").write_text("[" * depth + "]" * depth)
        ran = eddyline("verify", out)
        assert (ran.code, "internal" in ran.err) == (1, False)


@pytest.mark.usefixtures("without_figures")
def test_a_scenario_written_otherwise_is_the_same_in_a_folder_of_worlds(eddyline, scenario, tmp_path):
    out = tmp_path / "out"
    el.Results([el.Scenario.load(scenario()).run(world) for world in ("theory", "sim")]).save(out)
    text = (out / "scenario.json").read_text()
    (out / "scenario.json").write_text(json.dumps(json.loads(text)))
    assert eddyline("verify", out).code == 0
    (out / "scenario.json").write_text(text.replace('"seed": 7', '"seed": 8'))
    ran = eddyline("verify", out)
    assert (ran.code, "scenario.json: stored" in ran.out) == (1, True)
