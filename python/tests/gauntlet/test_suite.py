"""The set of scenarios, its measures, scorecards, reports and the command."""

from __future__ import annotations

import json
import math
import os
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING
from xml.etree import ElementTree as Xml

import pytest

import eddyline as el
from eddyline.gauntlet import Card, Verdict, compare, run, suite
from eddyline.gauntlet.comparison import significant_difference
from eddyline.gauntlet.measures import MEASURES
from eddyline.gauntlet.page import _picture
from eddyline.gauntlet.reports import junit, markdown, terminal
from eddyline.gauntlet.suite import FOLDER, SUBJECT, Bound
from eddyline.summary import student_t

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran

QUICK = ["line-100k", "deep-buffer"]


def test_every_test_has_a_scenario_a_sentence_and_a_measure() -> None:
    tests = suite().tests
    assert len(tests) >= 40
    assert {t.name for t in tests} == {f.stem for f in FOLDER.glob("*.toml")} - {"suite"}
    assert len({t.tests for t in tests}) == len(tests)
    for test in tests:
        assert test.measure in MEASURES
        assert len(test.tests.split()) > 3
        assert len(test.why.split()) > 3
        table = test.scenario("newreno").to_dict()
        names = [t["name"] for kind in ("flow", "arrivals", "traffic", "link") for t in table.get(kind, [])]
        assert set(test.of) <= set(names), test.name
        assert any(n.startswith(SUBJECT) for n in names), test.name


def test_the_speeds_span_what_they_should() -> None:
    rates = [el.Scenario.load(t.file).to_dict()["link"][0]["rate"] for t in suite().only(["speeds"])]
    assert "100 kbit/s" in rates
    assert "1 Gbit/s" in rates


@pytest.mark.parametrize("kind", [k["name"] for k in json.loads(el._core.register())["controllers"]])
def test_every_controller_goes_into_every_scenario(kind: str) -> None:
    for test in suite().tests:
        table = test.scenario(kind, seed=2).to_dict()
        subjects = [t for t in [*table.get("flow", []), *table.get("arrivals", [])] if t["name"].startswith(SUBJECT)]
        assert {t["controller"]["kind"] for t in subjects} == {kind}


def test_seeds_shift_starts_and_the_first_is_the_file() -> None:
    test = suite().only(["two-flows"])[0]
    starts = [[f.get("start", "0 s") for f in test.scenario("reno", seed=s).to_dict()["flow"]] for s in range(3)]
    assert starts[0] == ["0 s", "3 s"]
    assert len({str(s) for s in starts}) == 3
    plain = el.Scenario.load(test.file, set={"flow.*.controller.kind": "reno"})
    assert test.scenario("reno").sha256 == plain.sha256


@pytest.mark.parametrize("kind", ["newreno", "cubic"])
def test_neither_starts_nor_names_decide_what_the_longer_round_trip_gets(kind: str) -> None:
    (test,) = suite().only(["rtt-spread"])
    measure = MEASURES[test.measure].take
    values = []
    for seed, near in ((0, "tested near"), (0, "tested earlier"), (1, "tested near"), (3, "tested near")):
        table = test.scenario(kind, seed=seed).to_dict()
        table["flow"][0]["name"] = near
        result = el.Scenario(table).run("sim")
        values.append(measure(replace(test, of=(near, "tested far")), result, result.to_dict()))
        rates = result.flows.set_index("name")["goodput_bps"]
        assert rates["tested far"] < rates[near]
    assert max(values) < 2.0 * min(values)  # eight to twelve times without random traffic


def test_the_scorecard_does_not_depend_on_the_number_of_jobs() -> None:
    first, second = (run("cubic", only=["loss", "speeds"], seeds=2, jobs=jobs) for jobs in (1, 4))
    assert first.json == second.json


def test_measures_by_hand() -> None:
    test = suite().only(["late-joiner"])[0]
    document = {
        "flows": [
            {"name": "tested 1", "goodput_bps": 12e6, "rtt_s": {"p99": 0.05}},
            {"name": "tested 2", "goodput_bps": 4e6, "rtt_s": {"p99": 0.07}},
            {"name": "other", "goodput_bps": 9e9, "rtt_s": {"p99": 9.0}},
        ]
    }
    result = run  # what these measures do not look at

    def take(name: str) -> float | None:
        return MEASURES[name].take(test, result, document)  # type: ignore[arg-type]

    assert take("share") == pytest.approx(0.8)  # 16 of 20 Mbit/s
    assert take("fairness") == pytest.approx(16**2 / (2 * (12**2 + 4**2)))
    assert take("least_share") == pytest.approx(0.4)  # 4 of its 10
    assert take("rtt_p99") == 0.07


def test_recovery_is_complete_when_the_rate_is_back() -> None:
    """By its own series: the mean over the second that begins then reaches the level, over no earlier one it does."""
    test = suite().only(["rate-up-tenfold"])[0]
    result = test.scenario("cubic").run("sim", series=True)
    value = MEASURES["recovery"].take(test, result, result.to_dict())
    assert value is not None
    series = result.series
    rates = series[(series["quantity"] == "goodput_bps") & (series["entity"] == "tested")].set_index("time_s")["value"]

    def mean(begin: float) -> float:
        return float(rates[(rates.index > begin + 1e-6) & (rates.index <= begin + 1.0 + 1e-6)].mean())

    assert 0.5 < value < 15
    assert mean(20 + value) >= 80e6
    assert all(mean(20 + 0.2 * k) < 80e6 for k in range(round(value / 0.2)))


def test_without_a_recovery_the_value_is_the_whole_time() -> None:
    test = replace(suite().only(["outage"])[0], level=1.5)
    result = test.scenario("reno").run("sim", series=True)
    assert MEASURES["recovery"].take(test, result, result.to_dict()) == pytest.approx(28.0)


def verdict(name: str, *values: float | None, least: bool = True, bound: float = 0.5) -> Verdict:
    return Verdict(
        name, "g", "It tests this.", "share", values, Bound(least, bound, f"at least {bound}"), "falls short"
    )


def test_the_guide_counts_the_tests_with_the_options_of_todays_tcp() -> None:
    """docs/guides/gauntlet.md, "Which TCP"."""
    both = 0
    for test in suite().tests:
        scenario = test.scenario("reno").to_dict()
        tested = [t for kind in ("flow", "arrivals") for t in scenario.get(kind, []) if t["name"].startswith(SUBJECT)]
        options = {(bool(t["tcp"].get("prr")), bool(t["tcp"].get("rack"))) for t in tested}
        assert options in ({(True, True)}, {(False, False)}), test.name
        both += options == {(True, True)}
    guide = (Path(__file__).parents[3] / "docs" / "guides" / "gauntlet.md").read_text("utf-8")
    assert f"In {both} of the {len(suite().tests)} scenarios the flows under test have `tcp" in guide


def test_a_value_has_the_digits_that_its_bound_takes() -> None:
    said = [verdict("a", value, bound=0.85).text for value in (0.8599, 0.84999, 0.85)]
    assert said == ["86.0 %", "84.999 %", "85.0 %"]


def card(*verdicts: Verdict) -> Card:
    return Card("mine", {}, 1, len(verdicts[0].values), verdicts)


def test_student_t_is_what_tables_say() -> None:
    # two-sided quantiles of tables: 5 %, 1 %, 0.1 %
    for freedom, level, t in [
        (1, 0.05, 12.706),
        (2, 0.05, 4.303),
        (4, 0.05, 2.776),
        (5, 0.01, 4.032),
        (30, 0.05, 2.042),
    ]:
        assert student_t(freedom, level) == pytest.approx(t, abs=1e-3)
    assert student_t(3, 0.001) == pytest.approx(12.924, abs=1e-3)
    assert student_t(100_001, 0.05) == pytest.approx(NormalDist().inv_cdf(0.975), abs=1e-4)
    assert student_t(7, 1.0) == pytest.approx(0.0)


def test_welchs_test_by_hand() -> None:
    x, y = [1.0, 2.0, 3.0], [2.0, 4.0, 6.0]
    # variances 1 and 4, so 1/3 and 4/3: a spread of 5/3 and (5/3)^2 / (1/18 + 16/18) = 2.94 degrees of freedom
    assert significant_difference(x, y, 0.05) == pytest.approx(student_t(50 / 17) * math.sqrt(5 / 3))
    assert student_t(3) < student_t(50 / 17) < student_t(2)


def test_what_differs_by_more_than_seeds_do() -> None:
    before = card(
        verdict("same", 0.9, 0.8, 0.85),
        verdict("noise", 0.9, 0.8, 0.85),
        verdict("worse", 0.90, 0.91, 0.905),
        verdict("broken", 0.90, 0.91, 0.905),
        verdict("fixed", 0.10, 0.11, 0.105),
        verdict("near", 0.49, 0.52, 0.51),
        verdict("less is better", 0.10, 0.11, 0.105, least=False),
    )
    now = card(
        verdict("same", 0.9, 0.8, 0.85),
        verdict("noise", 0.8, 0.7, 0.85),
        verdict("worse", 0.60, 0.61, 0.605),
        verdict("broken", 0.40, 0.41, 0.405),
        verdict("fixed", 0.80, 0.81, 0.805),
        verdict("near", 0.48, 0.51, 0.49),
        verdict("less is better", 0.30, 0.31, 0.305, least=False),
        verdict("later", 0.9, 0.9, 0.9),
    )
    changes = {c.name: c for c in compare(now, before)}
    kinds = {name: c.kind for name, c in changes.items()}
    assert kinds == {
        "same": "same",
        "noise": "same",
        "worse": "worse",
        "broken": "broken",
        "fixed": "fixed",
        "near": "same",  # it does not pass any more, but seeds alone do that
        "less is better": "worse",
        "later": "new",
    }
    assert changes["same"].tolerance == 0.0
    assert [n for n, c in changes.items() if c.bad] == ["worse", "broken", "less is better"]


def test_other_numbers_of_seeds_alone_change_nothing() -> None:
    """Means of three equal values and of ten differ in their last digit; with one seed there is no spread."""
    three, ten = [0.021218790226424721] * 3, [0.021218790226424721] * 10
    several = [0.9, 0.8, 0.85]
    for before, now in ((three, ten), (ten, three), (several[:1], several), (several, several[:1])):
        (change,) = compare(card(verdict("a", *now, least=False)), card(verdict("a", *before, least=False)))
        assert (change.kind, change.tolerance) == ("same", 0.0)
    (change,) = compare(card(verdict("a", 0.7, 0.9, 0.9)), card(verdict("a", 0.8)))
    assert change.kind == "worse"
    (change,) = compare(card(verdict("a", 0.7, 0.9, 0.9), verdict("b", 1.0)), card(verdict("a", 0.8, 0.8)))[:1]
    assert change.kind == "same"


def test_the_verdict_of_a_test_does_not_depend_on_which_run_with_it() -> None:
    # Welch's test has p = 0.002: below a twentieth, above the share of a twentieth that each test of the suite has
    before, now = [verdict("a", *values) for values in ((0.590, 0.592, 0.591), (0.5853, 0.5868, 0.5859))]
    others = [verdict(f"test {i}", 0.9, 0.9, 0.9) for i in range(40)]
    (alone,) = compare(card(now), card(before))
    (first, *_) = compare(card(now, *others), card(before, *others))
    assert alone == first
    assert alone.kind == "same"


def test_false_alarms_are_as_rare_as_documented() -> None:
    """Two samples of one normal distribution, five seeds each: 5 % of the pairs differ by more than the tolerance."""
    import random

    draw = random.Random(4)
    alarms = 0
    for _ in range(2000):
        x, y = ([draw.gauss(0, 1) for _ in range(5)] for _ in range(2))
        alarms += abs(sum(x) / 5 - sum(y) / 5) > significant_difference(x, y, 0.05)
    # Welch's test is a little careful with few seeds, more so with its freedom rounded down: 2 to 6 %
    assert 0.02 <= alarms / 2000 <= 0.06


def test_an_error_of_the_controller_fails_its_test() -> None:
    broken = replace(verdict("a", None, 0.9), error="Traceback: boom")
    assert not broken.passed
    assert broken.value is None
    assert "boom" in junit(card(broken, verdict("b", 0.9, 0.9)))


def test_a_lost_connection_is_the_cause(tmp_path: Path) -> None:
    made = run("newreno", world="quic", only=["long-fat"], seeds=1)
    (found,) = made.verdicts
    assert str(found.lost).startswith("flow tested: the connection was lost: ")
    assert "too many gaps in stream buffer" in str(found.lost)
    assert terminal(made)[1][0] == f"long-fat: {found.lost}"
    assert f"- **long-fat**: {found.lost} (" in markdown(made)
    failure = Xml.fromstring(junit(made)).find(".//failure")
    assert failure is not None
    assert str(failure.get("message")).endswith(f": {found.lost}")
    assert str(failure.text).endswith(f"\n{found.lost}")
    (tmp_path / "scorecard.json").write_text(made.json)
    assert Card.load(tmp_path).verdicts[0].lost == found.lost
    # a value that satisfies the bound does not help
    good = verdict("a", 0.9, 0.9)
    lost = replace(good, lost=found.lost)
    assert not lost.passed
    assert [c.kind for c in compare(card(lost), card(good))] == ["broken"]


def test_reports_agree_with_the_scorecard() -> None:
    made = run("reno", only=QUICK, seeds=1, against=["bbr"])
    assert [v.passed for v in made.verdicts] == [True, False]
    text = markdown(made)
    assert "1 of 2 passed" in text
    assert "fills whatever buffer there is" in text
    assert text.count("| deep-buffer |") == 1
    root = Xml.fromstring(junit(made))
    cases = root.findall(".//testcase")
    assert [c.get("name") for c in cases] == QUICK
    failure = cases[1].find("failure")
    assert failure is not None
    assert "at most 200 ms" in str(failure.get("message"))
    assert "fills whatever buffer there is" in str(failure.text)
    assert root.find("testsuite").attrib["failures"] == "1"  # type: ignore[union-attr]


def test_tests_of_latency_have_responsiveness_and_grade(tmp_path: Path) -> None:
    """A buffer of 400 ms that Reno fills: some 360 ms wait, 60 s / (40 + 360 ms) = 150 round trips a minute."""
    line, deep = run("reno", only=QUICK, seeds=1).verdicts
    assert line.latency is None
    assert "latency" not in line.to_dict()
    latency = deep.to_dict()["latency"]
    assert latency["grade"] == "D"
    assert 0.2 < latency["increase_s"] < 0.4
    # the mean of the lowest 95 % is below that of all
    assert latency["responsiveness_rpm"] == pytest.approx(60 / (0.0412 + latency["increase_s"]), rel=0.06)
    text = markdown(card(deep))
    assert f"({latency['responsiveness_rpm']:.4g} RPM, D)" in text
    known = replace(card(deep), verdicts=(deep, replace(deep, latency=None)))
    (tmp_path / "scorecard.json").write_text(known.json)
    read, without = Card.load(tmp_path).verdicts
    assert read.latency == deep.latency
    assert without.latency is None


def test_the_command_and_its_exit_codes(eddyline: Callable[..., Ran], tmp_path: Path) -> None:
    r = eddyline("gauntlet", "--controller", "reno", "--only", ",".join(QUICK), "--seeds", 2, "--json")
    assert r.code == 1, r.err
    document = json.loads(r.out)
    assert {k: document[k] for k in ("controller", "suite_version", "passed", "failed")} == {
        "controller": "reno",
        "suite_version": suite().version,
        "passed": 1,
        "failed": 1,
    }
    test = document["tests"][0]
    assert test["name"] == "line-100k"
    assert test["passed"]
    assert 0.9 < test["value"] < 1
    assert "0.85" in str(test["limit"])
    assert test["why"]
    (tmp_path / "base.json").write_text(r.out)

    r = eddyline("gauntlet", "--controller", "bbr", "--only", "line-100k", "--seeds", 1)
    assert r.code == 0, r.err
    assert f"1 of 1 passed (set {suite().version}, 1 seed)" in r.out

    # the same again: nothing is worse, and what failed before is known
    same = ("gauntlet", "--controller", "reno", "--only", ",".join(QUICK), "--seeds", 2, "--base", "base.json")
    assert eddyline(*same).code == 1
    r = eddyline(*same, "--accept-known", "--out", "card", "--junit", "j.xml", "--markdown", "m.md")
    assert r.code == 0, r.err
    assert ", equal" in r.out
    names = sorted(p.name for p in (tmp_path / "card").iterdir())
    assert names == ["junit.xml", "manifest.json", "scorecard.html", "scorecard.json", "scorecard.md"]
    page = (tmp_path / "card" / "scorecard.html").read_text()
    assert page.count("data:image/png;base64,") == 2
    assert 'failures="0" errors="0" skipped="1"' in (tmp_path / "j.xml").read_text()
    assert "\nnot counted, failed in the base too: deep-buffer\n" in r.out
    assert Card.load(tmp_path / "card").verdicts == Card.load(tmp_path / "base.json").verdicts

    # what failed before is known, also where it is worse
    document = json.loads((tmp_path / "base.json").read_text())
    failed = next(test for test in document["tests"] if test["name"] == "deep-buffer")
    failed |= {"value": failed["value"] - 0.1, "values": [value - 0.1 for value in failed["values"]]}
    (tmp_path / "better.json").write_text(json.dumps(document))
    worse = (*same[:-1], "better.json")
    assert eddyline(*worse).code == 1
    r = eddyline(*worse, "--accept-known", "--junit", "worse.xml")
    assert "worse than the base: deep-buffer" in r.out
    assert (r.code, 'failures="0"' in (tmp_path / "worse.xml").read_text()) == (0, True)

    # what passed, and fails by a difference that few seeds do not tell from chance
    document = json.loads((tmp_path / "base.json").read_text())
    passed = next(test for test in document["tests"] if test["name"] == "deep-buffer")
    passed |= {"passed": True, "value": 0.15, "values": [0.1, 0.2]}
    (tmp_path / "passed.json").write_text(json.dumps(document))
    r = eddyline(*same[:-1], "passed.json", "--accept-known", "--junit", "j.xml")
    assert r.code == 0, r.out
    assert "150 ms, passed, within noise" in r.out
    assert "\nnot counted, passed in the base, within noise: deep-buffer (2 seeds do not tell" in r.out
    case = next(case for case in Xml.parse(tmp_path / "j.xml").iter("testcase") if case.get("name") == "deep-buffer")
    skipped = case.find("skipped")
    assert skipped is not None
    assert str(skipped.get("message")).endswith(", base 150 ms, passed, within noise")

    # another controller that is worse where reno passed
    r = eddyline("gauntlet", "--controller", "reno", "--only", "start-up", "--seeds", 2, "--out", "fresh")
    assert r.code == 0, r.err
    worse = ("gauntlet", "--controller", "ledbat", "--only", "start-up", "--seeds", 2)
    r = eddyline(*worse, "--base", "fresh", "--accept-known")
    assert r.code == 1
    assert "broken" in r.out


@pytest.mark.parametrize(
    ("name", "capacities", "flows"),
    [
        ("ten-flows", {"capacity": 20.0}, 10),
        ("upload-download", {"capacity of down": 10.0, "capacity of up": 1.0}, 2),
    ],
)
def test_the_page_has_all_flows_and_what_limits_them(name: str, capacities: dict[str, float], flows: int) -> None:
    scenario = suite().only([name])[0].scenario("cubic").with_overrides({"duration": "2 s", "warmup": "0 s"})
    lines = _picture(scenario.run(series=True)).axes[0].get_lines()
    limits = lines[: len(capacities)]
    assert {line.get_label(): line.get_ydata()[0] for line in limits} == capacities
    assert len({line.get_linestyle() for line in limits}) == len(capacities)
    assert len({(line.get_color(), line.get_linestyle()) for line in lines[len(limits) :]}) == flows


def test_user_controller(eddyline: Callable[..., Ran], tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import eddyline as el\n\n\n"
        '@el.register("mine")\n'
        "class Mine(el.Controller):\n"
        "    def __init__(self, path, *, packets: float = 4.0):\n"
        "        self.cwnd = packets\n"
        "    def on_ack(self, ack): pass\n"
        "    def on_loss(self, loss): pass\n"
        "    def on_timeout(self, timeout): pass\n"
    )
    own = ("gauntlet", "--controllers", "mine.py", "--controller", "mine", "--only", "line-10m", "--seeds", 1)
    r = eddyline(*own)
    assert (r.code, "never grows" in r.out) == (1, True), r.err
    r = eddyline(*own, "--set", "packets=60.0", "--json")
    assert r.code == 0, r.err
    assert json.loads(r.out)["parameters"] == {"packets": "60.0"}


def test_transfers_that_never_complete_count(eddyline: Callable[..., Ran], tmp_path: Path) -> None:
    """A mean of what completed is one of single packets where hardly anything is sent."""
    (tmp_path / "lazy.py").write_text(
        "import eddyline as el\n\n\n"
        '@el.register("lazy")\n'
        "class Lazy(el.Controller):\n"
        "    def __init__(self, path):\n"
        "        self.cwnd = 1.0\n"
        "        self.pacing_rate = 0.01\n"
        "    def on_ack(self, ack): pass\n"
        "    def on_loss(self, loss): pass\n"
        "    def on_timeout(self, timeout): pass\n"
    )
    only = ("--only", "short-flows", "--seeds", 1, "--json")
    r = eddyline("gauntlet", "--controllers", "lazy.py", "--controller", "lazy", *only)
    [test] = json.loads(r.out)["tests"]
    # those of up to a packet complete, the others gather: their mean number over 5 to 60 s is that at 32.5 s
    assert test["value"] == pytest.approx(32.5 * math.exp(-1448 / 50_000), rel=0.05)
    assert r.code == 1
    [test] = json.loads(eddyline("gauntlet", "--controller", "newreno", *only).out)["tests"]
    scenario = el.Scenario.load(FOLDER / "short-flows.toml")
    [completed] = scenario.run().to_dict()["arrivals"]
    # nearly all complete: apart are those that are there at the window's ends
    assert test["value"] == pytest.approx(completed["completion_s"]["mean"], rel=0.03)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--controller", "cubik"), "did you mean cubic"),
        (("--controller", "cubic", "--only", "line-10k"), "line-100k"),
        (("--controller", "cubic", "--set", "gama=1"), "gama"),
        (("--controller", "cubic", "--base", "nowhere.json"), "cannot be read"),
        (("--controller", "cubic", "--base", "."), "cannot be read"),
        (("--controller", "cubic", "--accept-known"), "--base"),
        ((), "--controller"),
    ],
)
def test_wrong_input_runs_nothing(
    eddyline: Callable[..., Ran], tmp_path: Path, args: tuple[str, ...], says: str
) -> None:
    r = eddyline("gauntlet", *args, "--out", "card")
    assert r.code == 2, r.out
    assert says in r.err
    assert not (tmp_path / "card").exists()


def test_a_file_that_is_no_scorecard(eddyline: Callable[..., Ran], tmp_path: Path) -> None:
    (tmp_path / "no.json").write_text('{"tests": 3}')
    r = eddyline("gauntlet", "--controller", "cubic", "--base", "no.json")
    assert (r.code, "not a scorecard" in r.err) == (2, True)


def test_names_after_a_comma_are_completed() -> None:
    from eddyline.cli.gauntlet import command

    only = next(p for p in command.params if p.name == "only")
    against = next(p for p in command.params if p.name == "against")
    items = only.type.shell_complete(None, only, "outage,deep")  # type: ignore[arg-type]
    assert [i.value for i in items] == ["outage,deep-buffer"]
    items = against.type.shell_complete(None, against, "reno,westw")  # type: ignore[arg-type]
    assert [i.value for i in items] == ["reno,westwood"]


def test_the_document_shows_the_actual_output() -> None:
    """The names of all rows, and the numbers of three groups (EDDYLINE_SLOW=1: all); the command above makes them."""
    text = (Path(__file__).parents[3] / "docs" / "guides" / "gauntlet.md").read_text()
    rows = {cells[1].strip(): cells for cells in (line.split("|") for line in text.splitlines()) if len(cells) == 9}
    assert set(rows) >= {t.name for t in suite().tests}
    only = [] if "EDDYLINE_SLOW" in os.environ else ["two-way", "sharing", "short"]
    cards = [run(kind, only=only) for kind in ("reno", "cubic", "fast", "bbr")]
    for verdicts in zip(*(c.verdicts for c in cards), strict=True):
        shown = [cell.strip(" *").partition(" (")[0] for cell in rows[verdicts[0].name][4:8]]
        assert shown == [v.text for v in verdicts]


@pytest.mark.parametrize("option", ["--only", "--against"])
def test_commas_alone_name_nothing(eddyline: Callable[..., Ran], option: str) -> None:
    r = eddyline("gauntlet", "--controller", "reno", option, " , ")
    assert (r.code, r.out) == (2, "")
    assert "names nothing" in r.err


def test_list_shows_the_suite(eddyline: Callable[..., Ran]) -> None:
    r = eddyline("gauntlet", "--list")
    assert r.code == 0
    assert all(t.name in r.out and t.tests in r.out for t in suite().tests)


def test_no_flow_of_the_tests_is_remarked_on() -> None:
    """DCTCP without a count of marks: a warning here is an error."""
    assert run("dctcp", only=["line-1m"], seeds=1, jobs=1).passed
