"""`eddyline theory`: documents as the contract says, readable tables."""

from __future__ import annotations

import json
import signal
import time

import pytest
from test_interruption import start

import eddyline as el
from eddyline.cli import main
from eddyline.cli.theory import QUESTIONS
from eddyline.papers import find

EXAMPLE_3 = find("two-way-fast").folder / "scenarios" / "example-3-1000B.toml"

FILES = """\
duration = "10 s"

[[link]]
name  = "f"
rate  = "1 Mbit/s"
delay = "10 ms"

[[link]]
name  = "b"
rate  = "2 Mbit/s"
delay = "10 ms"

[[arrivals]]
name       = "down"
rate       = "0.3 /s"
size       = { kind = "exponential", mean = "125 kB" }
controller = { kind = "fast", alpha = "20 packets" }
data       = ["f"]
ack        = ["b"]
packet     = "1000 B"
header     = "0 B"

[[arrivals]]
name       = "up"
rate       = "0.3 /s"
size       = { kind = "exponential", mean = "125 kB" }
controller = { kind = "fast", alpha = "20 packets" }
data       = ["b"]
ack        = ["f"]
packet     = "1000 B"
header     = "0 B"
"""


def test_equilibrium(eddyline):
    document = json.loads(eddyline("theory", "equilibrium", EXAMPLE_3, "--json").out)
    assert document["unique"] is True
    (at,) = document["equilibria"]
    # eq. 15 and 16 of the paper
    assert at["flows"][0]["packets_per_s"] == pytest.approx(100 * 10e6 / (30 * 8000 + 100 * 320), rel=1e-9)
    assert at["flows"][1]["packets_per_s"] == pytest.approx(30 * 10e6 / (30 * 8000 + 100 * 320), rel=1e-9)
    assert [link["bottleneck"] for link in at["links"]] == [False, True]
    assert at["locally_stable"] is True
    assert at["residual"] < 1e-9


def test_stability(eddyline):
    both = json.loads(eddyline("theory", "stability", EXAMPLE_3, "--json").out)
    assert [d["link_model"] for d in both] == ["integrator", "ack_clocked", "joint"]
    for d in both:
        assert d["stable"] is True
        assert all(re < 0 for re, _ in d["roots"])
        assert d["gain_margin"] > 1
    one = json.loads(eddyline("theory", "stability", EXAMPLE_3, "--link-model", "integrator", "--json").out)
    assert one == both[0]


def test_population(eddyline, tmp_path):
    file = tmp_path / "files.toml"
    file.write_text(FILES)
    chain = json.loads(eddyline("theory", "population", file, "--json").out)
    assert chain["stable"] is True
    assert chain["method"] == "chain"
    assert chain["idle"] + sum(chain["bottleneck"].values()) == pytest.approx(1.0, abs=1e-9)
    flows = json.loads(eddyline("theory", "population", file, "--flow-level", "--arrivals", "400000", "--json").out)
    assert flows["method"] == "flow-level"
    # the interval covers 95 %: three times its half-width never fails by chance
    assert flows["mean_flows"]["down"] == pytest.approx(chain["mean_flows"]["down"], rel=3 * flows["error"])
    file.write_text(FILES.replace("0.3 /s", "3 /s"))
    crowded = json.loads(eddyline("theory", "population", file, "--json").out)
    assert crowded["stable"] is False
    assert all(g > 0 for g in crowded["growth_per_s"].values())


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_has_help(eddyline, question):
    ran = eddyline("theory", question, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"Usage: eddyline theory {question}")
    assert "\\b" not in ran.out
    assert f"eddyline theory {question} " in ran.out.partition("Example")[2]


@pytest.mark.parametrize("question", ["population", "dynamics"])
def test_ctrl_c_ends_a_long_computation(tmp_path, scenario, question):
    (tmp_path / "files.toml").write_text(FILES)
    arguments = {
        "population": [tmp_path / "files.toml", "--flow-level", "--arrivals", "2000000000"],
        "dynamics": [scenario(), "--set", "duration=1000 h"],
    }
    p = start("theory", question, *arguments[question])
    time.sleep(1.5)
    assert p.poll() is None
    p.send_signal(signal.SIGINT)
    said, err = p.communicate(timeout=20)
    assert (p.returncode, said, err.strip()) == (130, "", "interrupted")


@pytest.mark.parametrize("question", ["equilibrium", "stability"])
def test_tables_are_readable(eddyline, question):
    ran = eddyline("theory", question, EXAMPLE_3)
    assert ran.code == 0
    assert "Example 3" in ran.out


def test_what_theory_cannot_compute_is_an_error_with_a_reason(eddyline):
    nobody = eddyline("theory", "population", EXAMPLE_3)
    assert (nobody.code, nobody.out) == (2, "")
    assert "arrivals" in nobody.err
    assert eddyline("theory", "equilibrum", EXAMPLE_3).code == 2
    assert eddyline("theory", "stability", EXAMPLE_3, "--link-model", "glue").code == 2


def test_lists_in_python():
    scenario = el.Scenario.load(EXAMPLE_3)
    with pytest.raises(el.EddylineError, match="there is no question 'meaning'"):
        scenario.theory("meaning")
    with pytest.raises(el.EddylineError, match="link model"):
        scenario.theory("stability", link_model="glue")


STAMPED = {"flow.*.tcp.timestamps": "true"}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            STAMPED | {"flow.*.controller.delay": "forward", "link.backward.rate": "1 Mbit/s"},
            "measures the queueing delay of",
        ),
        (
            {"link.*.queue": '{ kind = "ack_priority" }', "link.backward.rate": "2 Mbit/s"},
            "before data, and only that link",
        ),
    ],
)
def test_no_equilibrium_has_an_error_of_its_own(changes, says):
    with pytest.raises(el.NoEquilibrium, match=says) as raised:
        el.Scenario.load(EXAMPLE_3, set=changes).run("theory")
    assert not isinstance(raised.value, el.InputError)


def test_what_has_not_converged_is_no_equilibrium():
    """Acknowledgements that go first fill the link exactly, so data behind them stand still."""
    table = {"delay": "5 ms", "queue": {"kind": "ack_priority", "limit": "1000 packets"}}
    links = [{"name": "f", "rate": "1 Mbit/s", **table}, {"name": "b", "rate": "10 Mbit/s", "delay": "5 ms"}]
    flow = {"controller": {"kind": "fast", "alpha": "10 packets"}, "ack_packet": "150 B"}
    ways = {"x": ("f", "b"), "y": ("b", "f")}
    flows = [{"name": name, "data": [data], "ack": [ack], **flow} for name, (data, ack) in ways.items()]
    scenario = el.Scenario({"duration": "60 s", "link": links, "flow": flows})
    for ask in (lambda: scenario.theory("equilibrium"), lambda: scenario.run("theory")):
        with pytest.raises(el.EddylineError, match="did not converge"):
            ask()


def test_other_errors_are_not_taken_for_no_equilibrium():
    weighted = el.Scenario.load(EXAMPLE_3, set=STAMPED | {"flow.*.controller.delay": "weighted"})
    with pytest.raises(el.InputError, match="measures the weighted"):
        weighted.theory("stability")


def test_dynamics(eddyline, tmp_path):
    short = ("--set", 'duration="20 s"', "--set", 'warmup="1 s"', "--set", 'record.interval="100 ms"')
    ran = eddyline("theory", "dynamics", EXAMPLE_3, "--with-sim", "--plot", tmp_path / "d.png", *short)
    assert (ran.code, (tmp_path / "d.png").exists()) == (0, True)
    followed = el.Scenario.load(EXAMPLE_3, set={"duration": "20 s", "warmup": "1 s"}).run(
        "theory", dynamics="ack_clocked"
    )
    for flow in followed.to_dict()["flows"]:
        rows = followed.series[
            (followed.series["entity"] == flow["name"]) & (followed.series["quantity"] == "cwnd_packets")
        ]
        # the handshake's packets of 40 B make a base RTT below the equations': up to 2 % here
        assert rows["value"].iloc[-1] == pytest.approx(flow["window_packets"]["mean"], rel=0.03)
    refused = eddyline("run", EXAMPLE_3, "--dynamics")
    assert (refused.code, refused.out) == (2, "")


def test_the_table_of_dynamics_has_the_last_values_and_reads_series_once(capsys, monkeypatch):
    """Reading them once for every flow took minutes for hundreds of flows."""
    read, series = [], el.Result.series.fget

    def counted(result):
        read.append(result.world)
        return series(result)

    monkeypatch.setattr(el.Result, "series", property(counted))
    short = ("--set", "duration=20 s", "--set", "warmup=1 s")
    assert main(["theory", "dynamics", str(EXAMPLE_3), "--with-sim", *short]) == 0
    assert sorted(read) == ["sim", "theory"]
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if "_packets" in line]
    simulated = series(el.Scenario.load(EXAMPLE_3, set={"duration": "20 s", "warmup": "1 s"}).run(series=True))
    for *words, quantity, _, last, _ in lines:
        name = " ".join(words)
        rows = simulated[(simulated["entity"] == name) & (simulated["quantity"] == quantity)]
        assert float(last.replace(",", "")) == pytest.approx(rows["value"].iloc[-1], rel=1e-3, abs=1e-3)
    assert len(lines) >= 4


def test_dynamics_of_a_flow_that_stops(capsys, tmp_path, monkeypatch):
    """Its window ends with it, in the figure and in the table."""
    drawn = []
    monkeypatch.setattr("eddyline.cli.theory.dynamics.draw", lambda figure, *_, **__: drawn.append(figure))
    changes = ("--set", "duration=10 s", "--set", "warmup=1 s", "--set", "flow.flow 1.stop=4 s")
    words = ("theory", "dynamics", str(EXAMPLE_3), "--with-sim", *changes, "--plot", str(tmp_path / "d.png"))
    assert main([*words]) == 0
    (row,) = (
        line.split() for line in capsys.readouterr().out.splitlines() if "flow 1" in line and "cwnd_packets" in line
    )
    assert row[-3:-1] == ["-", "-"]
    (figure,) = drawn
    ends = {line.get_label(): line.get_xdata()[-1] for line in figure.axes[0].lines}
    assert {name: end < 5.0 for name, end in ends.items()} == {name: "flow 1" in name for name in ends}
    assert len(ends) == 4


def test_dynamics_need_no_equilibrium():
    """A tenth of a second of traffic beyond the link's rate has none; the flow is followed through it, to its end."""
    changes = {"duration": "10 s", "warmup": "1 s", "flow.flow 1.stop": "8 s"}
    calm = el.Scenario.load(EXAMPLE_3, set=changes)
    cbr = {"kind": "cbr", "rate": "200 Mbit/s"}
    burst = {"name": "burst", "path": ["forward"], "model": cbr, "start": "4 s", "stop": "4100 ms"}
    file = el.Scenario(calm.to_dict() | {"traffic": [burst]})
    with pytest.raises(el.NoEquilibrium):
        file.run("theory")
    followed = file.run("theory", dynamics=True)
    assert {flow["window_packets"]["mean"] for flow in followed.to_dict()["flows"]} == {None}
    assert any("there is no equilibrium" in note for note in followed.approximations)
    (stops,) = [note for note in calm.run("theory", dynamics=True).approximations if "stop" in note]
    assert stops.endswith("stops before the end, the equilibrium has the flow there for ever")
