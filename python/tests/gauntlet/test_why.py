"""`gauntlet --why TEST`: the test again, with a sentence, plots and its scenario."""

from __future__ import annotations

import json
import shlex
import shutil
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as Xml

import numpy as np
import pytest

import eddyline as el
from eddyline.capacity import bottlenecks, capacities
from eddyline.cli.entry import main
from eddyline.gauntlet import drawing, explanation, suite

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran

ROOT = Path(__file__).parents[3]


def test_it_says_why_and_writes_what_is_needed(eddyline: Callable[..., Ran], tmp_path: Path) -> None:
    words = ("gauntlet", "--controller", "reno", "--against", "fast", "--why", "deep-buffer", "--seeds", 1)
    ran = eddyline(*words)
    assert (ran.code, ran.err) == (1, "")
    said = "reno fails: fills whatever buffer there is, and everybody on the link waits for it; 99th percentile of the"
    assert said in ran.out
    assert "at most 200 ms is required. fast passes with" in ran.out
    folder = tmp_path / "why-deep-buffer"
    names = sorted(p.name for p in folder.iterdir())
    assert names == ["manifest.json", "scenario.json", "why.html", "why.json", "why.png", "why.svg"]
    document = json.loads((folder / "why.json").read_text())
    assert document["sentence"] in ran.out
    page = (folder / "why.html").read_text()
    assert "data:image/png;base64," in page
    assert "fills whatever buffer" in page
    svg = (folder / "why.svg").read_text()
    assert "<!-- capacity -->" in svg
    assert "<!-- bound, at most 200 ms -->" in svg
    assert "<!-- reno -->" in svg
    assert "<!-- fast -->" in svg
    # the scenario is the one that was run
    again = json.loads(eddyline("run", folder / "scenario.json", "--json").out)
    assert again["flows"][0]["controller"] == "reno"
    assert again["flows"][0]["goodput_bps"] == document["controllers"][0]["goodput_bps"]
    assert again["flows"][0]["rtt_s"]["p99"] == document["controllers"][0]["value"]
    assert f"again: eddyline run {Path('why-deep-buffer', 'scenario.json')} --out result\n" in ran.out
    passed = eddyline(*words, "--controller", "fast", "--out", "w", "--json")
    assert (passed.code, json.loads(passed.out)["passed"]) == (0, True)


def test_the_command_to_run_it_again_loads_its_controllers(
    eddyline: Callable[..., Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = "my own.py"
    shutil.copy(ROOT / "examples" / "controllers" / "reno.py", tmp_path / file)
    words = ("--controllers", file, "--controller", "my-newreno", "--why", "line-1m", "--seeds", 1, "--out", "the why")
    ran = eddyline("gauntlet", *words)
    (line,) = [line for line in ran.out.splitlines() if "again: " in line]
    again = shlex.split(line.partition("again: ")[2])
    assert again[:2] == ["eddyline", "run"]
    assert eddyline(*again[1:], figures=False).code == 0
    # on the page as it is typed in its folder
    (line,) = [line for line in (tmp_path / "the why" / "why.html").read_text().splitlines() if "eddyline run" in line]
    again = shlex.split(unescape(line.partition("eddyline ")[2].partition("<")[0]))
    assert again[:4] == ["run", "scenario.json", "--controllers", str(Path("..", "my own.py"))]
    monkeypatch.chdir(tmp_path / "the why")
    assert main([*again, "--quiet"]) == 0


def test_the_command_to_run_it_again_names_its_world(eddyline: Callable[..., Ran], tmp_path: Path) -> None:
    words = ("gauntlet", "--world", "quic", "--controller", "noq-cubic", "--why", "deep-buffer", "--seeds", 1)
    ran = eddyline(*words, "--out", tmp_path / "why")
    (line,) = [line for line in ran.out.splitlines() if "again: " in line]
    again = shlex.split(line.partition("again: ")[2])
    document = json.loads((tmp_path / "why" / "why.json").read_text())
    assert document["world"] == "quic"
    repeated = json.loads(eddyline(*again[1:-2], "--json").out)
    assert repeated["flows"][0]["rtt_s"]["p99"] == document["controllers"][0]["value"]
    page = (tmp_path / "why" / "why.html").read_text()
    assert "eddyline run scenario.json --world quic --out result" in page


def test_the_traceback_of_a_controller_that_raises_is_printed(eddyline: Callable[..., Ran], tmp_path: Path) -> None:
    text = (ROOT / "examples" / "controllers" / "reno.py").read_text()
    file = tmp_path / "mine.py"
    file.write_text(text.replace("self.cwnd += min(ack.acked, 1.0)", "self.cwnd += None"))
    words = ("--controllers", file, "--controller", "my-newreno", "--why", "line-1m", "--seeds", 1)
    ran = eddyline("gauntlet", *words, figures=False)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.count(f'File "{file}", line ') == 1
    assert "self.cwnd += None\n" in ran.err
    assert "error: my-newreno, line-1m: controller 'my-newreno': " in ran.err


def test_a_run_that_ends_with_an_error_is_no_known_failure(eddyline: Callable[..., Ran], tmp_path: Path) -> None:
    """Its test failed in the base too, but there it ran to the end."""
    text = (ROOT / "examples" / "controllers" / "reno.py").read_text()
    (tmp_path / "mine.py").write_text(text.replace("self.cwnd += min(ack.acked, 1.0)", "self.cwnd += None"))
    only = ("--only", "deep-buffer", "--seeds", 2)
    assert eddyline("gauntlet", "--controller", "reno", *only, "--out", "base").code == 1
    crashes = ("gauntlet", "--controllers", "mine.py", "--controller", "my-newreno", *only, "--accept-known")
    ran = eddyline(*crashes, "--base", "base", "--out", "card", "--junit", "junit.xml", figures=False)
    assert ran.code == 1
    assert "not counted" not in ran.out
    assert ", broken" in ran.out
    (failure,) = Xml.parse(tmp_path / "junit.xml").getroot().iter("failure")
    assert "had a value in the base" in (failure.text or "")
    # the same error as in the base is known, and its end is better
    assert eddyline(*crashes, "--base", "card", figures=False).code == 0
    better = eddyline("gauntlet", "--controller", "reno", *only, "--accept-known", "--base", "card")
    assert (better.code, "error, better" in better.out) == (0, True)


def test_a_base_is_read_from_its_folder_and_refused_before_the_runs(
    eddyline: Callable[..., Ran], tmp_path: Path
) -> None:
    only = ("--only", "line-1m", "--seeds", 1)
    assert eddyline("gauntlet", "--controller", "reno", *only, "--out", "base", figures=False).code == 0
    counted: list[int] = []

    def run(base: object, world: str = "sim") -> el.gauntlet.Card:
        def done(*_: object) -> None:
            counted.append(1)

        return el.gauntlet.run("reno", only=["line-1m"], seeds=1, base=base, world=world, done=done)  # type: ignore[arg-type]

    for wrong, world in (({}, "sim"), (tmp_path / "none", "sim"), (tmp_path / "base", "quic")):
        with pytest.raises(el.InputError):
            run(wrong, world)
    assert counted == []
    card = run(tmp_path / "base")
    for other in (replace(card, world="quic"), replace(card, suite_version=0)):
        with pytest.raises(el.InputError, match="the base "):
            el.gauntlet.compare(card, other)
    (change,) = card.changes or ()
    assert change.kind == "same"
    assert run(str(tmp_path / "base")).changes == (change,)


@pytest.mark.parametrize("words", [("--why", "deep-bufer"), ("--why", "loss-1", "--only", "loss"), ("--why", "speeds")])
def test_what_is_wrong(eddyline: Callable[..., Ran], tmp_path: Path, words: tuple[str, ...]) -> None:
    ran = eddyline("gauntlet", "--controller", "reno", *words)
    assert (ran.code, ran.out) == (2, "")
    assert list(tmp_path.iterdir()) == []


def test_a_lost_connection_is_named() -> None:
    found = el.gauntlet.explain("newreno", "long-fat", world="quic", against=["cubic"], seeds=1)
    assert found.sentence.startswith("newreno fails: a connection was lost (flow tested: the connection was ")
    document = found.to_dict()
    for each in document["controllers"]:
        assert "too many gaps in stream buffer" in each["lost_connection"]
        assert each["lost_connection"] in document["sentence"]


def test_the_worst_seed_is_shown() -> None:
    card = el.gauntlet.run("cubic", only=["loss-bursts"], seeds=4)
    found = el.gauntlet.explain("cubic", "loss-bursts", seeds=4)
    values = card.verdicts[0].values
    assert found.seed == values.index(min(v for v in values if v is not None))
    (share,) = found.results[0].flows["goodput_bps"] / 10e6
    assert share == pytest.approx(values[found.seed])
    figure = found.plot()
    rates = figure.get_axes()[0]
    labels = [line.get_label() for line in rates.lines]
    assert labels == ["capacity", "cubic", "bound, at least 40.0 % of 10 Mbit/s"]
    assert set(rates.lines[0].get_ydata()) == {10.0}
    assert rates.lines[2].get_ydata()[0] == 4.0


@pytest.mark.parametrize("name", ["loss-1", "loss-bursts", "reordering", "rate-down-share", "outage"])
def test_goodput_is_drawn_below_what_the_link_carries(name: str) -> None:
    (test,) = suite().only([name])
    result = test.scenario("bbr").run("sim", series=True)
    carried = drawing.capacity(result, "down")
    assert carried is not None
    names = [n for n in result.flows["name"] if n.startswith("tested")]
    times, rates = drawing.goodput(result, names, carried)
    _, raw = drawing.goodput(result, names, None)
    limits = drawing._limits(times, carried)
    assert (rates <= limits * (1 + 1e-9)).all()
    assert rates.sum() == pytest.approx(raw.sum(), rel=1e-9)  # nothing is lost, only moved
    if name == "loss-bursts":
        assert (raw > limits).any()


def test_capacity_follows_changes_and_outages() -> None:
    def steps(name: str) -> list[tuple[float, float]]:
        (test,) = suite().only([name])
        table = test.scenario("reno").to_dict()
        return capacities(table)[bottlenecks(table)[0]]

    assert steps("rate-down-share")[:3] == [(0.0, 100e6), (20.0, 100e6), (20.0, 10e6)]
    assert steps("outage")[1:5] == [(20.0, 10e6), (20.0, 0.0), (22.0, 0.0), (22.0, 10e6)]
    (lte,) = suite().only(["lte"])
    assert "down" not in capacities(lte.scenario("reno").to_dict())
    found = el.gauntlet.explain("reno", "lte", seeds=1)
    (line,) = [each for each in found.plot().get_axes()[0].lines if each.get_label() == "capacity, mean"]
    assert 15.0 < np.mean(line.get_ydata()) < 25.0  # 20 Mbit/s on average, as the test says


def test_the_flows_that_the_bound_is_about_are_drawn() -> None:
    found = el.gauntlet.explain("bbr", "beside-four-renos", seeds=1)
    rates = found.plot().get_axes()[0]
    lines = {line.get_label(): np.asarray(line.get_ydata()) for line in rates.lines}
    bound = "bound, at least 30.0 % of 4 Mbit/s"  # a quarter of what one tested flow of five leaves
    assert list(lines) == ["capacity", "bbr", "bbr, poorest flow", bound]
    assert rates.get_ylabel() == "goodput of reno (Mbit/s)"
    goodputs = found.results[0].flows.set_index("name")["goodput_bps"].drop("tested") / 1e6
    assert lines["bbr"][-60:].mean() == pytest.approx(goodputs.sum(), rel=0.1)
    assert lines["bbr, poorest flow"][-60:].mean() == pytest.approx(goodputs.min(), rel=0.3)
    assert lines[bound][0] == pytest.approx(0.3 * 16 / 4)


def _drawn(found: el.gauntlet.Explanation) -> list[dict[str, np.ndarray]]:
    axes = found.plot().get_axes()
    return [{str(line.get_label()): np.asarray(line.get_ydata()) for line in axis.lines} for axis in axes]


def test_each_direction_has_its_lines_and_its_link() -> None:
    found = el.gauntlet.explain("vegas", "symmetric", seeds=2)
    rates, queues, rtts = _drawn(found)
    assert list(rates) == ["capacity", "vegas, down", "vegas, up", "bound, at least 60.0 % of 10 Mbit/s"]
    assert list(queues) == list(rtts) == ["vegas, down", "vegas, up"]
    goodputs = found.results[0].flows.set_index("name")["goodput_bps"] / 1e6
    for link in ("down", "up"):
        assert rates[f"vegas, {link}"][-120:].mean() == pytest.approx(goodputs[f"tested {link}"], rel=0.05)
    assert [row[0] for row in found.rows] == ["vegas, down", "vegas, up"]
    # the mean over the seeds beside the value of the run that the rest of the row is of
    assert found.heads[1:3] == ["least_share, mean", f"seed {found.seed}"]
    assert found.rows[0][2] == f"{100 * goodputs.min() / 10:.1f} %"
    assert found.rows[1][1:5] == [""] * 4
    (document,) = found.to_dict()["controllers"]
    assert [link["link"] for link in document["links"]] == ["down", "up"]
    assert document["goodput_bps"] == sum(link["goodput_bps"] for link in document["links"])


def test_bottlenecks_that_differ_are_named() -> None:
    found = el.gauntlet.explain("reno", "upload-download", seeds=1)
    both = replace(found, test=replace(found.test, of=("tested down", "tested up")))
    lines = both.plot().get_axes()[0].lines[:2]
    drawn = {line.get_label(): line.get_ydata()[0] for line in lines}
    assert drawn == {"capacity of down": 10.0, "capacity of up": 1.0}
    assert len({line.get_linestyle() for line in lines}) == 2


def test_the_link_is_that_of_the_flow_that_the_test_is_about() -> None:
    found = el.gauntlet.explain("newreno", "upload-upload", seeds=1)
    (document,) = found.to_dict()["controllers"]
    rows = {link["name"]: link for link in found.results[0].to_dict()["links"]}
    assert document["goodput_bps"] == pytest.approx(document["value"] * 1e6)
    assert document["utilisation"] == rows["up"]["utilisation"] != rows["down"]["utilisation"]
    rates, queues, _ = _drawn(found)
    assert set(rates["capacity"]) == {1.0}
    waiting = found.results[0].series.query("quantity == 'queue_packets' and entity == 'up'")["value"]
    assert queues["newreno"].mean() == pytest.approx(waiting.mean(), rel=0.01)


def test_a_policer_is_drawn_with_what_the_share_is_of() -> None:
    rates = _drawn(el.gauntlet.explain("bbr", "policer-share", seeds=1))[0]
    assert list(rates) == ["capacity", "policer, 5 Mbit/s", "bbr", "bound, at least 60.0 % of 5 Mbit/s"]
    assert set(rates["policer, 5 Mbit/s"]) == {5.0}


def test_bounds_on_others_name_them(eddyline: Callable[..., Ran]) -> None:
    """CUBIC's share beside the tested flow is no share of that flow."""
    words = ("gauntlet", "--controller", "vegas", "--seeds", 1)
    lines = eddyline(*words, "--only", "beside-cubic,beside-cubic-deep,call,cross-traffic").out.splitlines()
    bounds = {line.split()[0]: " ".join(line.split()[1:-2]) for line in lines if " at " in line}
    assert bounds["beside-cubic"] == "cubic: at least 15.0 %"
    assert bounds["call"] == "call: at most 3.0 %"
    assert bounds["cross-traffic"] == "at least 85.0 %"
    found = el.gauntlet.explain("vegas", "beside-cubic", seeds=1)
    assert found.sentence.startswith("vegas passes: for cubic, goodput over capacity is ")
    assert found.heads[1] == "share of cubic"
    assert el.gauntlet.explain("reno", "line-1m", seeds=1).sentence.startswith("reno passes: goodput over capacity is ")


def test_one_timeout_is_singular() -> None:
    assert explanation.counted(1, "timeout") == "1 timeout"
    assert explanation.counted(1694, "retransmitted packet") == "1,694 retransmitted packets"


def test_groups_in_every_list(eddyline: Callable[..., Ran]) -> None:
    listed = json.loads(eddyline("gauntlet", "--list", "--json").out)
    assert [t["name"] for t in listed] == [t.name for t in suite().tests]
    assert {t["group"] for t in listed} == set(suite().groups)
    lines = eddyline("gauntlet", "--list").out.splitlines()
    assert [line for line in lines if line and not line.startswith(" ")] == suite().groups
    card = el.gauntlet.run("reno", only=["line-1m", "shallow-share"], seeds=1)
    from eddyline.gauntlet import reports

    assert "| speeds | line-1m |" in reports.markdown(card)
    ran = eddyline("gauntlet", "--controller", "reno", "--only", "line-1m,shallow-share", "--seeds", 1)
    assert (
        ran.out.index("speeds") < ran.out.index("line-1m") < ran.out.index("buffers") < ran.out.index("shallow-share")
    )


def test_times_in_junit_and_timeouts() -> None:
    from eddyline.gauntlet import reports

    card = el.gauntlet.run("reno", only=["line-1m", "line-1g"], seeds=1)
    root = Xml.fromstring(reports.junit(card))
    times = {case.get("name"): float(case.get("time", "nan")) for case in root.iter("testcase")}
    assert 0 < times["line-1m"] < times["line-1g"]
    (of_suite,) = root.iter("testsuite")
    assert float(of_suite.get("time", "nan")) == pytest.approx(sum(times.values()), abs=0.002)
    slow = el.gauntlet.run("reno", only=["line-1m", "line-1g"], seeds=1, timeout_s=1e-9)
    assert [v.error for v in slow.verdicts][1] == "timeout: not finished after 1e-09 s"
    assert not slow.verdicts[1].passed
    assert (slow.verdicts[1].seconds or 0.0) > 0
    evaluation = el.evaluate("reno", only=["response"], timeout_s=1e-9)
    assert {f.error for f in evaluation.failures} == {"timeout: not finished after 1e-09 s"}


def test_differences_that_are_not_significant_are_within_noise() -> None:
    from eddyline.gauntlet import Change
    from eddyline.gauntlet.reports import changed

    verdict = el.gauntlet.run("reno", only=["line-1m"], seeds=1).verdicts[0]
    assert changed(Change("line-1m", 0.97, 0.97, 0.0, "same"), verdict) == "97.0 %, equal"
    assert changed(Change("line-1m", 0.96, 0.97, 0.02, "same"), verdict) == "96.0 %, within noise"
    assert changed(Change("line-1m", 0.90, 0.97, 0.02, "better"), verdict) == "90.0 %, better"
    close = Change("line-1m", 0.9699, 0.9701, 1e-5, "better")
    assert changed(close, verdict) == "97.0 %, better (0.9699, now 0.9701)"


def test_what_is_worse_than_the_base_is_in_the_summary_and_in_junit() -> None:
    from eddyline.gauntlet import Change, reports

    card = el.gauntlet.run("reno", only=["line-1m"], seeds=1)
    (verdict,) = card.verdicts
    assert verdict.value is not None
    worse = replace(card, changes=(Change("line-1m", verdict.value + 0.01, verdict.value, 1e-5, "worse"),))
    assert reports.summary(card).endswith("1 seed)")
    assert reports.summary(worse).endswith("1 seed); worse than the base: line-1m")
    broken = replace(card, changes=(Change("line-1m", verdict.value + 0.01, verdict.value, None, "broken", True),))
    assert reports.summary(broken).endswith("1 seed); worse than the base: line-1m")
    (failure,) = Xml.fromstring(reports.junit(worse)).iter("failure")
    assert failure.get("message") == "97.3 %, base 98.3 %, worse"
    assert (failure.text or "").splitlines()[-1] == (
        f"worse than the base (98.3 %, worse): within its bound, {verdict.bound.text}"
    )
