"""`eddyline run` with files of recordings: copied beside results, found again, refused with the reason."""

from __future__ import annotations

import json
import pickle
import shutil

import pytest

import eddyline as el


def test_a_trace_goes_into_the_folder(eddyline, scenario, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "case").mkdir()
    (tmp_path / "data" / "film.dat").write_text("".join(f"{i * 40} {1000 + i % 7}\n" for i in range(200)))
    more = '\n[[traffic]]\nname = "film"\npath = ["up"]\nmodel = { kind = "trace", file = "../data/film.dat" }\n'
    path = scenario(more=more, name="case/film.toml")
    ran = eddyline("run", path, "--out", tmp_path / "out", "--json", figures=False)
    assert ran.code == 0, ran.err
    (tmp_path / "data" / "film.dat").unlink()
    assert eddyline("verify", tmp_path / "out").code == 0


def test_a_recording_of_a_link_goes_into_the_folder(eddyline, scenario, tmp_path):
    (tmp_path / "drive.csv").write_text("time_s,down_rate_bps,up_rate_bps\n0,8e6,1e6\n0.5,2e6,3e6\n1,5e6,0\n")
    (tmp_path / "drive.up").write_text("1\n2\n4\n")
    trace = 'trace = {{ kind = "{}", file = "drive.{}"{} }}\n'
    down, up = trace.format("csv", "csv", ', direction = "down"'), trace.format("mahimahi", "up", "")
    path = scenario(
        ('rate  = "10 Mbit/s"\n', 'rate  = "10 Mbit/s"\n' + down), ('name  = "up"\n', 'name  = "up"\n' + up)
    )
    ran = eddyline("run", path, "--out", tmp_path / "out", "--json", figures=False)
    assert ran.code == 0, ran.err
    # the mean rate is 5 Mbit/s: a second and a half of 8, 2 and 5, again and again; from 1 s to 4 s, by hand
    link = json.loads(ran.out)["links"][0]
    carried = sum(f["throughput_bps"] for f in json.loads(ran.out)["flows"] if f["name"] == "download")
    assert link["data_utilisation"] * (2 * 5 + 2 * 8 + 2 * 2) / 6 * 1e6 == pytest.approx(carried, rel=0.01)
    for name in ("drive.csv", "drive.up"):
        (tmp_path / name).unlink()
    assert eddyline("verify", tmp_path / "out").code == 0


_FRAMES = "".join(f"{i * 40} {1000 + i % 7}\n" for i in range(200))
_FILM = '\n[[traffic]]\nname = "{name}"\npath = ["up"]\nmodel = {{ kind = "trace", file = "{file}" }}\n'


def test_a_trace_named_by_an_absolute_path_goes_into_the_folder(eddyline, scenario, tmp_path):
    """Beside one of a relative path that has the name of the folder of its copy."""
    for folder in ("absolute", "data"):
        (tmp_path / folder / "1").mkdir(parents=True)
        (tmp_path / folder / "1" / "film.dat").write_text(_FRAMES)
    whole = tmp_path / "data" / "1" / "film.dat"
    more = _FILM.format(name="a", file="absolute/1/film.dat") + _FILM.format(name="b", file=whole)
    path, out = scenario(more=more), tmp_path / "out"
    assert eddyline("run", path, "--out", out, "--quiet", figures=False).code == 0
    whole.unlink()
    elsewhere = tmp_path / "elsewhere"
    out.rename(elsewhere)
    assert eddyline("verify", elsewhere).code == 0
    # what is stored of what was stored has all of it, too
    again = eddyline("run", elsewhere / "scenario.json", "--out", out, "--quiet", figures=False)
    assert again.code == 0, again.err
    shutil.rmtree(elsewhere)
    assert eddyline("verify", out).code == 0


def test_a_stored_scenario_runs_with_the_stored_trace(eddyline, scenario, tmp_path):
    (tmp_path / "film.dat").write_text(_FRAMES)
    path, out = scenario(more=_FILM.format(name="film", file="film.dat")), tmp_path / "out"
    assert eddyline("run", path, "--out", out, "--quiet", figures=False).code == 0
    (tmp_path / "film.dat").unlink()
    ran = eddyline("run", out / "scenario.json", "--json", figures=False)
    assert ran.code == 0, ran.err
    kept = json.loads((out / "result.json").read_text())
    assert json.loads(ran.out)["traffic"] == kept["traffic"]


def test_files_in_another_encoding_say_so_and_a_byte_order_mark_is_none(eddyline, scenario, tmp_path):
    (tmp_path / "koeln.csv").write_bytes(b"time_s,rate_bps\n# K\xf6ln\n0,1e6\n1,2e6\n")
    ran = eddyline("run", scenario(), "--set", 'link.down.trace={ kind = "csv", file = "koeln.csv" }')
    assert ran.code == 2
    assert "koeln.csv: line 2 is not UTF-8\n" in ran.err
    assert "hint: save it as UTF-8" in ran.err
    assert "relative" not in ran.err
    (tmp_path / "sizes.txt").write_bytes(b"\xef\xbb\xbf30000\r\n20000\r\n")
    more = """
[[arrivals]]
name = "web"
rate = "5 /s"
size = { kind = "trace", file = "sizes.txt" }
controller = { kind = "cubic" }
data = ["down"]
ack = ["up"]
"""
    ran = eddyline("run", scenario(more=more), "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["arrivals"][0]["completed"] > 0


def _of_film(scenario, tmp_path):
    """A scenario with a film, that film, and what changes it."""
    film = tmp_path / "film.dat"
    film.write_text(_FRAMES)
    path = scenario(more=_FILM.format(name="film", file="film.dat"))
    return el.Scenario.load(path), film, lambda *_: film.write_text(_FRAMES.replace(" 10", " 90"))


def test_what_was_read_is_stored_though_it_changes_during_the_run(eddyline, scenario, tmp_path):
    given, film, change = _of_film(scenario, tmp_path)
    result = given.run(progress=change)
    assert film.read_text() != _FRAMES
    result.save(tmp_path / "out")
    assert (tmp_path / "out" / "files" / "film.dat").read_text() == _FRAMES
    assert eddyline("verify", tmp_path / "out").code == 0
    film.unlink()
    el.Results([given.run(), given.with_seed(8).run()]).save(tmp_path / "both")
    assert (tmp_path / "both" / "files" / "film.dat").read_text() == _FRAMES


def test_all_seeds_have_what_was_read(scenario, tmp_path):
    given, _, change = _of_film(scenario, tmp_path)
    given = given.with_overrides({"flow.*.start_jitter": "100 ms"})
    before = given.run(seeds=2).traffic
    change()
    assert given.run(seeds=2).traffic.equals(before)
    assert pickle.loads(pickle.dumps(given)).run(seeds=2).traffic.equals(before)


def test_a_large_file_that_has_changed_is_an_error(scenario, tmp_path, monkeypatch):
    monkeypatch.setattr("eddyline.source._MAX_KEPT", 0)
    given, film, change = _of_film(scenario, tmp_path)
    given.run(series=False).save(tmp_path / "out")
    assert (tmp_path / "out" / "files" / "film.dat").read_text() == _FRAMES
    result = given.run(series=False, progress=change)
    said = "film.dat: has changed since the scenario was loaded"
    with pytest.raises(el.InputError, match=said):
        result.save(tmp_path / "late")
    assert not (tmp_path / "late").exists()
    film.unlink()
    for refused in (lambda: given.with_seed(8), lambda: el.sweep(given, {"seed": [1]}, out=tmp_path / "grid")):
        with pytest.raises(el.InputError, match=said):
            refused()


def test_what_waits_behind_a_recording_follows_its_rates(tmp_path):
    """30 Mbit/s of traffic over 100: `rate` beside the recording, 10 Mbit/s, is not what is transmitted."""
    (tmp_path / "fast.csv").write_text("time_s,rate_bps\n0,100e6\n1,100e6\n")
    text = (
        'duration = "2 h"\n'
        'link = [{ name = "l", rate = "10 Mbit/s", delay = "5 ms"TRACE }]\n'
        '[[traffic]]\nname = "t"\npath = ["l"]\npacket = "100 B"\nmodel = { kind = "cbr", rate = "30 Mbit/s" }\n'
    )
    (tmp_path / "x.toml").write_text(text.replace("TRACE", ', trace = { kind = "csv", file = "fast.csv" }'))
    (tmp_path / "delays.csv").write_text("time_s,delay_s\n0,0.01\n1,0.02\n")
    slow = ("", ', trace = { kind = "csv", file = "delays.csv" }')
    el.Scenario.load(tmp_path / "x.toml")
    link = el.Scenario.load(tmp_path / "x.toml", set={"duration": "10 s"}).run().links.iloc[0]
    assert link["utilisation"] == pytest.approx(0.3, rel=1e-3)
    for trace in slow:
        (tmp_path / "slow.toml").write_text(text.replace("TRACE", trace))
        with pytest.raises(el.ScenarioError, match=r"leaves 1\.8e8 packets waiting"):
            el.Scenario.load(tmp_path / "slow.toml")
