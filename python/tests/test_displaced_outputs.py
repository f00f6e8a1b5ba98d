"""What somebody else writes during a run at the place of an output stays, and every output is written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import eddyline as el
import eddyline.worlds as worlds
from eddyline.cli import main
from eddyline.cli.outputs import write_each
from eddyline.errors import Displaced, EddylineError
from eddyline.output import replaced, replaced_file

MEANWHILE = "something else was written there meanwhile; this output is in"
LOG = "# time_s event packet source link seq bytes\n"

WRITER = """\
import pathlib

import eddyline as el

{written}


@el.register("writer")
class Writer:
    def __init__(self, path: el.PathFacts) -> None:
        self.cwnd = 10.0
        for name, text in written.items():
            place = pathlib.Path(name)
            place.parent.mkdir(exist_ok=True)
            place.write_text(text)

    def on_ack(self, ack: el.Ack) -> None:
        pass

    on_loss = on_timeout = on_ack
"""


def run_that_finds(tmp_path: Path, **written: str) -> tuple[str, ...]:
    """Options of a run during which files are written by a controller."""
    names = {name.replace("__", "/").replace("_", "."): text for name, text in written.items()}
    (tmp_path / "writer.py").write_text(WRITER.format(written=f"written = {names!r}"))
    return ("--controllers", "writer.py", "--set", "flow.*.controller={ kind = 'writer' }")


@pytest.mark.parametrize(("kind", "ours"), [("packet log", LOG), ("figure", "<svg>"), ("JUnit XML", "<testsuites>")])
@pytest.mark.parametrize("earlier", [None, "", "ours"])
def test_a_file_that_is_written_meanwhile_stays(tmp_path, kind, ours, earlier):
    place = tmp_path / "output.txt"
    (tmp_path / "output-2.txt").touch()

    def written_meanwhile(text: str | None) -> None:
        with replaced_file(place, kind) as new:
            new.write_text(ours + "new")
            if text is not None:
                place.write_text(text)

    written_meanwhile(ours if earlier == "ours" else earlier)
    assert place.read_text() == ours + "new"
    with pytest.raises(Displaced) as displaced:
        written_meanwhile("my notes")
    assert str(displaced.value) == f"{place}: {MEANWHILE} {tmp_path / 'output-3.txt'}"
    assert place.read_text() == "my notes"
    assert (tmp_path / "output-3.txt").read_text() == ours + "new"


def test_names_of_places_beside(tmp_path):
    """A dot in the name of a folder begins no suffix; a file has the name given, not that of a link's target."""
    (tmp_path / "notes.txt").touch()
    (tmp_path / "f.svg").symlink_to("notes.txt")

    def write() -> None:
        with replaced(tmp_path / "run-0.5", ("x",)), replaced_file(tmp_path / "f.svg", "figure"):
            (tmp_path / "notes.txt").write_text("mine")
            (tmp_path / "run-0.5").mkdir()
            (tmp_path / "run-0.5" / "mine").touch()

    with pytest.raises(Displaced):
        write()
    assert (tmp_path / "run-0.5-2").is_dir()
    assert (tmp_path / "f-2.svg").is_file()
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_folder_that_is_made_meanwhile_stays(tmp_path):
    def write() -> None:
        with replaced_file(tmp_path / "f.svg", "figure"):
            (tmp_path / "f.svg").mkdir()

    with pytest.raises(Displaced):
        write()
    assert (tmp_path / "f-2.svg").is_file()
    # figures are drawn when the run has ended
    with pytest.raises(Displaced), replaced_file(tmp_path / "f.svg", "figure"):
        pass
    assert (tmp_path / "f-3.svg").is_file()


def test_what_was_found_is_said_whatever_comes_after(capsys):
    def displaced() -> None:
        raise Displaced("f.svg: is in f-2.svg")

    def full() -> None:
        raise OSError(28, "No space left on device", "out")

    def closed() -> None:
        raise BrokenPipeError(32, "Broken pipe")

    def defect() -> None:
        raise KeyError("x")

    with pytest.raises(EddylineError, match=r"^out: No space left on device$"):
        write_each([displaced, full])
    assert capsys.readouterr().err == "error: f.svg: is in f-2.svg\n"
    # standard output has errors without a name, which the command itself reports
    for other, write in ((KeyError, defect), (BrokenPipeError, closed)):
        with pytest.raises(other):
            write_each([displaced, write])
        assert capsys.readouterr().err == "error: f.svg: is in f-2.svg\n"


@pytest.mark.parametrize("target", ["notes", "nothing"])
def test_a_link_that_is_made_meanwhile_stays(tmp_path, target):
    (tmp_path / "notes").write_text("my notes")
    place = tmp_path / "log.txt"

    def linked_meanwhile() -> None:
        with replaced_file(place, "packet log") as new:
            new.write_text(LOG)
            place.symlink_to(target)

    with pytest.raises(Displaced):
        linked_meanwhile()
    assert place.readlink() == Path(target)
    assert (tmp_path / "notes").read_text() == "my notes"
    assert (tmp_path / "log-2.txt").read_text() == LOG


def test_outputs_around_a_displaced_one_are_written(tmp_path):
    outer, log, inner = tmp_path / "out", tmp_path / "log.txt", tmp_path / "in"

    def written_meanwhile() -> None:
        with (
            replaced(outer, ("x",)) as first,
            replaced_file(log, "packet log") as second,
            replaced(inner, ("y",)) as third,
        ):
            (first / "x").write_text("ours")
            second.write_text(LOG)
            (third / "y").write_text("ours")
            for folder in (outer, inner):
                folder.mkdir()
                (folder / "mine").touch()

    with pytest.raises(Displaced) as displaced:
        written_meanwhile()
    assert str(displaced.value).splitlines() == [
        f"{inner}: {MEANWHILE} {inner}-2",
        f"{outer}: {MEANWHILE} {outer}-2",
    ]
    assert log.read_text() == LOG
    assert (tmp_path / "in-2" / "y").exists()
    assert (tmp_path / "out-2" / "x").exists()


def test_a_run_writes_all_outputs_and_its_table(eddyline, scenario, tmp_path):
    scenario()
    written = {"captures__mine": "mine", "log_txt": "my notes", "figure_svg": "mine", "result__mine": "mine"}
    outputs = ("--pcap", "captures", "--log", "log.txt", "--qlog", "traces", "--out", "result", "--plot", "figure.svg")
    words = ("run", "two-way.toml", "--set", "duration=2 s", *outputs, *run_that_finds(tmp_path, **written))
    ran = eddyline(*words, "-q")
    assert ran.code == 1
    assert "goodput" in ran.out
    aside = {"result": "result-2", "figure.svg": "figure-2.svg", "log.txt": "log-2.txt", "captures": "captures-2"}
    result, figure, *of_the_run = (f"{place}: {MEANWHILE} {tmp_path / beside}" for place, beside in aside.items())
    assert ran.err.splitlines() == [f"error: {result}", f"error: {figure}", f"error: {of_the_run[0]}", of_the_run[1]]
    for name, text in (("log.txt", "my notes"), ("figure.svg", "mine"), ("captures/mine", "mine")):
        assert (tmp_path / name).read_text() == text
    assert all((tmp_path / beside).exists() for beside in aside.values())
    assert list((tmp_path / "traces").glob("*.sqlog"))
    assert el.Result.load(tmp_path / "result-2").to_dict()["flows"]


def test_from_python_the_error_has_the_result(scenario, tmp_path):
    def taken(*_: float) -> None:
        (tmp_path / "traces").mkdir(exist_ok=True)
        (tmp_path / "traces" / "mine").touch()

    loaded = el.Scenario.load(scenario(), set={"duration": "2 s"})
    with pytest.raises(Displaced) as displaced:
        loaded.run(qlog=tmp_path / "traces", progress=taken)
    assert displaced.value.result.to_dict()["flows"] == loaded.run().to_dict()["flows"]


def test_a_controller_that_failed_is_said_too(scenario, monkeypatch, capsys):
    """One of a library: others end the run."""
    sim = worlds.WORLDS["sim"]

    class Failed:
        failures = (("mine", "download", "on_ack panicked"),)

        def __init__(self, run: Any) -> None:
            self.run = run

        def __getattr__(self, name: str) -> Any:
            return getattr(self.run, name)

    def run(*given: Any) -> Any:
        displaced = Displaced("log.txt: is in log-2.txt")
        displaced.run = Failed(sim.run(*given))
        raise displaced

    monkeypatch.setitem(worlds.WORLDS, "sim", replace(sim, run=run))
    assert main(["run", str(scenario()), "--set", "duration=2 s", "-q"]) == 1
    out, err = capsys.readouterr()
    assert "goodput" in out
    assert err.startswith("error: log.txt: is in log-2.txt\nerror: controller 'mine': on_ack panicked; 'download' sent")


def test_reports_are_written_one_without_the_other(eddyline, scenario, tmp_path):
    scenario(more='\n[[expect]]\nof = "flow.*"\nwhat = "goodput_bps"\nat_least = "1 bit/s"\n')
    written = run_that_finds(tmp_path, junit_xml="mine")
    ran = eddyline(
        "check", "two-way.toml", "--set", "duration=2 s", "--junit", "junit.xml", "--markdown", "report.md", *written
    )
    assert ran.code == 1
    assert f"error: junit.xml: {MEANWHILE} {tmp_path / 'junit-2.xml'}\n" in ran.err
    assert (tmp_path / "junit.xml").read_text() == "mine"
    assert (tmp_path / "report.md").read_text().startswith("| file |")
