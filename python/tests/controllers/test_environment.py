"""The environment: what gymnasium expects of one, and that it is the simulator."""

from __future__ import annotations

import math
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import eddyline as el
from eddyline.environment import EXAMPLE, REWARDS
from eddyline.observations import OBSERVATION

from .conftest import ROOT, Fixed


def episode(env: el.CongestionControl, seed: int, exponent: float = 0.0) -> tuple[list[Any], dict[str, Any]]:
    observation, _ = env.reset(seed=seed)
    steps: list[Any] = [observation.tolist()]
    while True:
        observation, reward, terminated, truncated, info = env.step(np.array([exponent], np.float32))
        steps.append((observation.tolist(), reward, terminated, truncated))
        if terminated or truncated:
            return steps, info


@pytest.mark.parametrize("every", [None, "20 ms"])
def test_gymnasiums_checker_passes(table, every):
    made = gymnasium.make("eddyline/CongestionControl-v0", scenario=table, every=every)
    check_env(made.unwrapped)


@pytest.mark.parametrize("every", [None, "20 ms"])
def test_a_constant_action_equals_a_constant_window(table, every):
    """Stopping and going on changes nothing: the result is that of a run without a stop."""
    el.register("fixed", Fixed)
    steps, info = episode(el.env(table, every=every), seed=9)
    flow = {**table["flow"][0], "controller": {"kind": "fixed", "window": 10}}
    whole = el.Scenario({**table, "flow": [flow], "seed": 9}).run(series=False).to_dict()
    stepped = info["result"]
    assert stepped["flows"][0].pop("controller") == "agent"
    assert whole["flows"][0].pop("controller") == "fixed"
    for document in (stepped, whole):
        document.pop("cost")
        document.pop("scenario_sha256")
    assert stepped == whole
    rtt = stepped["flows"][0]["rtt_s"]["mean"]
    expected = 6 / 0.02 if every else 6 / rtt
    assert len(steps) == pytest.approx(expected, rel=0.1)


def test_the_same_seed_is_the_same_episode(table):
    env = el.env(table)
    first, second, other = (episode(env, seed, 0.02)[0] for seed in (4, 4, 5))
    assert first == second
    assert first != other
    env.reset(seed=7)
    drawn = [env.reset()[1]["seed"] for _ in range(2)]
    env.reset(seed=7)
    assert [env.reset()[1]["seed"] for _ in range(2)] == drawn
    assert drawn[0] != drawn[1]


def test_actions_set_the_window(table):
    env = el.env(table, max_window=64)
    _, info = env.reset(seed=1)
    assert info["window"] == 10
    windows = [env.step(np.array([a]))[4]["window"] for a in (1.0, 0.5, -1.0, 5.0, 1.0, 1.0)]
    assert windows == pytest.approx([20, 20 * 2**0.5, 10 * 2**0.5, 20 * 2**0.5, 40 * 2**0.5, 64])
    for _ in range(10):
        window = env.step(np.array([-1.0]))[4]["window"]
    assert window == 1.0
    for wrong in (np.nan, np.inf, -np.inf, None):
        with pytest.raises(el.InputError, match="the action is not a finite number"):
            env.step(np.array([wrong]))


def test_observations_say_what_the_simulator_did(table):
    env = el.env(table)
    names = list(OBSERVATION)
    env.reset(seed=2)
    for _ in range(4):
        observation, _, _, _, info = env.step(np.array([1.0]))
        seen, round = dict(zip(names, observation.tolist(), strict=True)), info["round"]
        assert seen["log2_window"] == pytest.approx(np.log2(info["window"]))
        assert seen["delivered"] == pytest.approx(round["acked"] / info["window"])
        assert seen["loss"] == pytest.approx(round["lost"] / (round["acked"] + round["lost"]))
    # 80 packets: a pipe of 34 and a queue of 20, the rest is lost
    losses = 0.0
    for _ in range(6):
        observation, _, _, _, info = env.step(np.array([0.0]))
        seen, round = dict(zip(names, observation.tolist(), strict=True)), info["round"]
        losses += seen["loss"]
        if round["mean_rtt"] is not None:
            assert 0 <= seen["rtt_excess"] <= 20 * 0.0012 / 0.04 + 0.05
            assert seen["forward_excess"] >= seen["reverse_excess"]
    assert losses > 0.1


def test_a_copy_starts_from_the_initial_state(table):
    made = el.env(table)
    made.reset(seed=3)
    copy = pickle.loads(pickle.dumps(made))
    assert copy.reset(seed=3)[0].tolist() == made.reset(seed=3)[0].tolist()


def test_every_info_has_the_same_keys(table):
    env = el.env([table], randomise={"link.down.rate": ["5 Mbit/s", "8 Mbit/s"]})
    _, info = env.reset(seed=1)
    infos = [info]
    while "result" not in infos[-1]:
        infos.append(env.step(np.array([0.0]))[4])
    keys = {"seed", "scenario", "set", "window", "round"}
    assert {frozenset(info) for info in infos[:-1]} == {frozenset(keys)}
    assert set(infos[-1]) == {*keys, "result"}
    drawn = infos[0]["set"]
    assert all(info["set"] == drawn and info["scenario"] == infos[0]["scenario"] for info in infos)
    assert infos[-1]["round"] == infos[-2]["round"], "the time from the last decision to the end is no whole interval"


def test_rewards(table):
    env = el.env(table, reward=lambda r, w: r.acked + w)
    env.reset(seed=1)
    _, reward, _, _, info = env.step(np.array([0.0]))
    assert reward == info["round"]["acked"] + 10
    values = {}
    for name in REWARDS:
        env = el.env(table, reward=name)
        env.reset(seed=1)
        values[name] = env.step(np.array([0.0]))[1]
    r = info["round"]
    elapsed = r["now"] - r["began"]
    assert values["power"] == pytest.approx(np.log(r["acked"] / elapsed / r["mean_rtt"]))
    loss = r["lost"] / (r["acked"] + r["lost"])
    assert values["aurora"] == pytest.approx(10 * r["acked"] / elapsed - 1000 * r["mean_rtt"] - 2000 * loss)


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("every", ["1 ms", "20 ms", None])
def test_silence_is_worth_less_than_what_arrives(reward, every):
    """A packet takes 12 ms on this link: most intervals of 1 ms are silent, whatever the window."""
    link = {
        "name": "there",
        "rate": "1 Mbit/s",
        "delay": "20 ms",
        "queue": {"kind": "droptail", "limit": "100 packets"},
    }
    slow = {**EXAMPLE, "duration": "10 s", "link": [link, EXAMPLE["link"][1]]}

    def mean_reward(change: float) -> float:
        env = el.env(slow, every=every, reward=reward)
        env.reset(seed=1)
        rewards, over = [], False
        while not over:
            _, given, *ended, _ = env.step(np.array([change]))
            rewards.append(given)
            over = any(ended)
        return float(np.mean(rewards[:-1]))

    starved, filled = mean_reward(-1.0), mean_reward(0.0)
    assert starved < filled


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), None, "much"])
def test_a_reward_that_is_no_number_is_refused(table, wrong):
    env = el.env(table, reward=lambda round, window: wrong)
    env.reset(seed=1)
    with pytest.raises(el.InputError, match=f"the reward is not a finite number, but {wrong}"):
        env.step(np.array([0.0]))


def queue_follower(seen: Any) -> Any:
    return np.clip([0.3 * (0.3 - seen[1]) - 2 * seen[6]], -1, 1).astype(np.float32)


def test_the_mean_a_decision_ranks_policies_and_the_return_does_not():
    """The numbers of docs/guides/learning.md: one of the policies uses a third of the link."""

    def rewards(policy: Any, every: str | None = None) -> list[float]:
        env = el.env({**EXAMPLE, "duration": "12 s"}, every=every)
        observation, _ = env.reset(seed=1)
        given: list[float] = []
        over = False
        while not over:
            observation, reward, terminated, truncated, _ = env.step(policy(observation))
            given.append(float(reward))
            over = terminated or truncated
        return given

    def idle(_: Any) -> Any:
        return np.zeros(1, np.float32)

    alone, follower = rewards(idle), rewards(queue_follower)
    assert (len(alone), len(follower)) == (290, 229)
    assert (sum(alone), sum(follower)) == pytest.approx((2508, 2192), abs=1)
    assert (np.mean(alone), np.mean(follower)) == pytest.approx((8.65, 9.57), abs=0.01)
    alone, follower = rewards(idle, "100 ms"), rewards(queue_follower, "100 ms")
    assert len(alone) == len(follower) == 120
    assert (sum(alone), sum(follower)) == pytest.approx((1031, 1141), abs=1)


def damped(seen: Any) -> Any:
    """A policy that looks at the gradient of the round-trip time too."""
    return np.clip([0.3 * (0.3 - seen[1]) - seen[2] - 2 * seen[6]], -1, 1).astype(np.float32)


SEEN: list[Any] = []
"""Windows and observations of the last `Learned`."""


class Learned(el.IntervalController):
    """Asks a policy when the environment does, as docs/guides/learning.md shows."""

    def __init__(self, path: el.PathFacts, every: el.Duration | None = None) -> None:
        self.cwnd, self.every = path.initial_window, every
        self.observer = el.Observer()

    def on_interval(self, interval: el.Interval | el.Round) -> None:
        seen = self.observer.observe(interval, self.cwnd)
        SEEN.append((self.cwnd, seen.tolist()))
        self.cwnd = el.window_after(self.cwnd, damped(seen))


class AtOnce:
    """Sets the window at once, for the acknowledgement that ends the round trip too."""

    def __init__(self, path: el.PathFacts) -> None:
        self.cwnd = path.initial_window
        self.observer = el.Observer()

    def on_round(self, round: el.Round) -> None:
        self.cwnd = el.window_after(self.cwnd, damped(self.observer.observe(round, self.cwnd)))

    def on_loss(self, loss: el.Loss) -> None:
        pass

    def on_timeout(self, timeout: el.Timeout) -> None:
        self.cwnd = 1.0


def trained(env: Any, policy: Any) -> tuple[list[Any], dict[str, Any]]:
    """Windows and observations of an episode, and the agent's flow in the result."""
    observation, info = env.reset(seed=1)
    steps, over = [], False
    while not over:
        steps.append((info["window"], observation.tolist()))
        observation, _, terminated, truncated, info = env.step(policy(observation))
        over = terminated or truncated
    return steps, info["result"]["flows"][0]


def test_a_window_that_is_set_at_once_is_not_that_of_the_environment() -> None:
    """The figures of docs/guides/learning.md."""
    table = {**EXAMPLE, "duration": "20 s", "flow": EXAMPLE["flow"][:1]}
    _, agent = trained(el.env(table), damped)
    el.register("at-once", AtOnce)
    el.register("learned", Learned)
    rtts = []
    for kind in ("learned", "at-once"):
        flow = {**table["flow"][0], "controller": {"kind": kind}}
        rtts.append(el.Scenario({**table, "flow": [flow], "seed": 1}).run().to_dict()["flows"][0]["rtt_s"]["mean"])
    assert rtts[0] == agent["rtt_s"]["mean"]
    assert rtts[1] / rtts[0] == pytest.approx(1.016, abs=0.001)


@pytest.mark.parametrize("sack", [True, False], ids=["sack", "no sack"])
def test_losses_count_as_the_link_counts_them(table: dict[str, Any], sack: bool) -> None:
    """Each of single losses, which three duplicates show, in the environment and in a controller."""
    seen = []

    class Counting:
        cwnd = 10.0

        def __init__(self, path: el.PathFacts) -> None:
            pass

        def on_round(self, round: el.Round) -> None:
            seen.append((round.losses, round.lost))

        def on_duplicate(self, ack: el.Ack) -> None:
            assert (sack, ack.rtt, ack.acked) == (False, None, 1.0)

        def on_loss(self, loss: el.Loss) -> None:
            pass

        on_timeout = on_loss

    table["link"][0]["loss"] = {"kind": "periodic", "every": 100}
    table["flow"][0]["tcp"] = {"sack": sack}
    lost = episodes = 0.0
    env = el.env(table)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        _, _, terminated, truncated, info = env.step(math.log2(10 / info["window"]))
        lost, episodes = lost + info["round"]["lost"], episodes + info["round"]["losses"]
        over = terminated or truncated
    result = info["result"]
    assert result["flows"][0]["timeouts"] == 0
    assert lost == episodes == pytest.approx(result["flows"][0]["retransmits"], abs=1)
    el.register("counting", Counting)
    run = el.Scenario({**table, "flow": [{**table["flow"][0], "controller": {"kind": "counting"}}]}).run()
    dropped = int(run.links["lost"].iloc[0])
    assert dropped > 10
    assert [sum(each) for each in zip(*seen, strict=True)] == pytest.approx([dropped, dropped], abs=1)


# pauses shorter and longer than a timeout, and data that comes while earlier data is in flight
@pytest.mark.parametrize("pauses", [None, ("20 kB", "200 ms"), ("200 kB", "2 s"), ("3 kB", "11 ms")])
@pytest.mark.parametrize(
    ("loss", "tcp"),
    [
        (0.0, {}),
        (0.01, {}),
        (0.01, {"sack": False}),
        (0.02, {"pacing": True}),
        (0.02, {"pacing": True, "prr": True, "rack": True, "frto": True, "timestamps": True}),
    ],
)
# round trips, and intervals that are shorter and longer than one
@pytest.mark.parametrize(("every", "start"), [(None, 0.0), (None, 1.5), ("7 ms", 0.0), ("120 ms", 1.5)])
def test_a_policy_is_the_same_as_a_controller(
    table: dict[str, Any],
    loss: float,
    tcp: dict[str, Any],
    every: str | None,
    start: float,
    pauses: tuple[str, str] | None,
) -> None:
    """The observations and windows of the environment, bit for bit."""
    table["link"][0]["loss"] = loss
    table["flow"][0]["tcp"] = {**table["flow"][0].get("tcp", {}), **tcp}
    table["flow"][0]["start"] = f"{start} s"
    if pauses is not None:
        table["flow"][0]["application"] = {"kind": "bursts", "bytes": pauses[0], "every": pauses[1]}
    table["duration"] = f"{6 + start} s"
    steps, agent = trained(el.env(table, every=every), damped)
    el.register("learned", Learned)
    SEEN.clear()
    parameters = {} if every is None else {"every": every}
    flow = {**table["flow"][0], "controller": {"kind": "learned", **parameters}}
    run = el.Scenario({**table, "flow": [flow], "seed": 1}).run().to_dict()["flows"][0]
    assert len(steps) >= (20 if every is None else 40)
    assert steps[: len(SEEN)] == SEEN
    if pauses is None or every is None:
        assert len(steps) - len(SEEN) <= 10  # nothing happens after the last acknowledgement
    assert {**run, "controller": "agent"} == agent


def test_an_action_is_rounded_as_the_space_of_actions_has_it() -> None:
    """A policy in a controller may give a float, one in training float32."""
    assert el.window_after(10.0, 0.1) == el.window_after(10.0, np.float32(0.1)) != 10.0 * 2.0**0.1


@pytest.mark.parametrize("every", [None, "20 ms"])
def test_a_window_of_none_is_refused(table, every):
    class Forgot(el.IntervalController):
        def __init__(self, path):
            self.cwnd, self.every = path.initial_window, every

        def on_interval(self, interval):
            self.cwnd = None

    el.register("forgot", Forgot)
    scenario = el.Scenario({**table, "flow": [{**table["flow"][0], "controller": {"kind": "forgot"}}]})
    with pytest.raises(el.ControllerError, match="left cwnd = None"):
        scenario.run()
    el.unregister("forgot")


@pytest.mark.parametrize("every", [None, "20 ms"])
def test_acknowledgements_that_are_not_passed_on_end_the_flow(table, every):
    class Grow(el.IntervalController):
        def __init__(self, path):
            self.cwnd, self.every, self.acks = path.initial_window, every, 0

        def on_interval(self, interval):
            self.cwnd = min(self.cwnd + 1, 40)

        def on_timeout(self, timeout):
            super().on_timeout(timeout)

    class Silent:
        def on_ack(self, ack):
            self.acks += 1

    class Below(Silent, Grow):
        pass

    class Counting(Grow):
        on_ecn = Grow.on_loss

        def on_ack(self, ack):
            getattr(super(), "on_ack")(ack)  # noqa: B009
            self.acks += 1

    def window(cls):
        el.register("grow", cls)
        made = el.Scenario({**table, "flow": [{**table["flow"][0], "controller": {"kind": "grow"}}]})
        try:
            return made.run(series=False).to_dict()["flows"][0]["window_packets"]["max"]
        finally:
            el.unregister("grow")

    with pytest.raises(el.ControllerError, match=r"on_ack is not passed on to el.IntervalController"):
        window(Below)
    assert window(Grow) == window(Counting) > 20


def test_an_interval_controller_without_its_decision_is_refused() -> None:
    class Undecided(el.IntervalController):
        def __init__(self, path: el.PathFacts) -> None:
            self.cwnd = 1.0

    with pytest.raises(el.InputError, match=r"Undecided has no on_interval"):
        el.register("undecided", Undecided)


@pytest.mark.parametrize("wrong", ["soon", "0 s", True, -1.0, float("nan")])
def test_an_interval_that_is_no_time_is_refused(table: dict[str, Any], wrong: Any) -> None:
    class Wrong(Learned):
        def __init__(self, path: el.PathFacts) -> None:
            super().__init__(path, wrong)

    el.register("wrong-interval", Wrong)
    flow = {**table["flow"][0], "controller": {"kind": "wrong-interval"}}
    with pytest.raises(el.ControllerError, match="every"):
        el.Scenario({**table, "flow": [flow]}).run()


def test_an_episode_ends_with_its_transfer(table):
    flow = {**table["flow"][0], "size": "300 kB"}
    steps, info = episode(el.env({**table, "flow": [flow]}), seed=1)
    assert steps[-1][2:] == (True, False)
    assert 0 < info["result"]["flows"][0]["completed_at_s"] < 6
    steps, info = episode(el.env(table), seed=1)
    assert steps[-1][2:] == (False, True)
    assert info["result"]["flows"][0]["completed_at_s"] is None


def test_other_flows_are_not_affected(table):
    """A Python controller beside the agent receives its events, and its errors are raised."""

    class Frail(Fixed):
        def on_ack(self, ack: el.Ack) -> None:
            if ack.now > 2:
                raise ValueError("enough")

    el.register("frail", Frail)
    other = {**table["flow"][0], "name": "other", "controller": {"kind": "frail"}}
    env = el.env({**table, "flow": [*table["flow"], other]}, flow="f")
    with pytest.raises(el.ControllerError, match=r"Frail\.on_ack raised ValueError: enough"):
        episode(env, seed=1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"scenario": 5}, "scenario: a scenario, its file or a dict of its structure is expected, not 5"),
        ({"flow": 5}, "flow: text is expected, not 5"),
        ({"every": 5}, "every: text is expected, not 5"),
        ({"max_window": "4"}, "max_window: a number of packets from 1 to 2^40 is expected, not '4'"),
        ({"max_window": 0.5}, "max_window: a number of packets from 1 to 2^40 is expected, not 0.5"),
    ],
)
def test_arguments_of_another_kind_are_refused(table, given, message):
    with pytest.raises(el.InputError) as e:
        el.env(**{"scenario": table, **given})
    assert str(e.value).startswith(message)


def test_errors_are_reported(table):
    with pytest.raises(el.InputError, match="there is no flow 'g'; flows are f"):
        el.env(table, "g")
    many = {**table, "flow": [{**table["flow"][0], "name": "mine", "count": 3}]}
    with pytest.raises(
        el.InputError, match=r"no flow 'mine': its table has a count, so its flows are mine\[0\] to mine\[2\]"
    ):
        el.env(many, "mine")
    with pytest.raises(
        el.InputError, match=r"no flow 'mine\[9\]'; did you mean mine\[\d\]\? flows are mine\[0\], mine\[1\]"
    ):
        el.env(many, "mine[9]")
    with pytest.raises(el.InputError, match="there is no reward 'money'"):
        el.env(table, reward="money")
    with pytest.raises(el.InputError, match="20"):
        el.env(table, every="20")
    env = el.env(table)
    with pytest.raises(el.InputError, match="the episode is over"):
        env.step(np.array([0.0]))
    env.reset(seed=1)
    with pytest.raises(el.InputError, match="the action has 2 numbers"):
        env.step(np.array([0.1, 0.2]))
    late = el.env({**table, "flow": [{**table["flow"][0], "start": "5999 ms"}]})
    with pytest.raises(el.EddylineError, match="flow 'f' or the scenario ends before its first decision"):
        late.reset(seed=1)


def test_without_gymnasium_it_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "eddyline.environment")
    monkeypatch.delitem(vars(el), "env", raising=False)
    with pytest.raises(el.EddylineError, match="gymnasium is not installed"):
        _ = el.env
    assert not hasattr(el, "env"), "hasattr does not raise"


def test_the_document_is_true(monkeypatch):
    text = (ROOT / "docs" / "guides" / "learning.md").read_text()
    code = text.partition("```python\n")[2].partition("```")[0]
    monkeypatch.chdir(ROOT)
    seen: dict[str, Any] = {}
    exec(code, seen)
    assert [f["controller"] for f in seen["info"]["result"]["flows"]] == ["agent", "newreno"]
    for name, (low, high) in OBSERVATION.items():
        row = next(line for line in text.splitlines() if line.startswith(f"| `{name}` |"))
        assert row.split("|")[3].strip() in (f"{low:g} to {high:g}", f"{low:g}, {high:g}"), name


def test_made_by_its_name_alone():
    assert "10 Mbit/s" in el.env().reset(seed=1)[1]["scenario"]
    env = gymnasium.make("eddyline.environment:eddyline/CongestionControl-v0")
    observation, info = env.reset(seed=1)
    assert observation.shape == (len(OBSERVATION),)
    assert "10 Mbit/s" in info["scenario"]


def run_to_the_end(env):
    over = False
    while not over:
        *_, terminated, truncated, _ = env.step(np.array([0.0]))
        over = terminated or truncated


class Raises:
    def __init__(self, path):
        self.cwnd = 10.0

    def on_ack(self, ack):
        if ack.now > 0.5:
            raise ValueError("mine")

    def on_loss(self, loss):
        pass

    def on_timeout(self, timeout):
        pass


def test_an_episode_that_fails_is_over(table):
    """What goes on without the failed controller would be no result of the scenario."""
    el.register("raises", Raises)
    try:
        flow = table["flow"][0]
        env = el.env({**table, "flow": [flow, {**flow, "name": "other", "controller": {"kind": "raises"}}]})
        env.reset(seed=1)
        with pytest.raises(el.ControllerError, match="mine"):
            run_to_the_end(env)
        with pytest.raises(el.InputError, match="the episode is over"):
            env.step(np.array([0.0]))
    finally:
        el.unregister("raises")


def test_a_reset_that_fails_leaves_no_episode_and_one_that_is_refused_the_earlier_one(table):
    late = {**table, "flow": [{**table["flow"][0], "start": f"{el.Scenario(table).duration_s - 1e-4} s"}]}
    env = el.env(late)
    with pytest.raises(el.EddylineError, match="flow 'f' or the scenario ends before its first decision"):
        env.reset(seed=1)
    with pytest.raises(el.InputError, match="call reset"):
        env.step(np.array([0.0]))
    env = el.env(table)
    env.reset(seed=5)
    with pytest.raises(el.InputError):
        env.reset(seed=2**63)
    assert env.step(np.array([0.0]))[-1]["seed"] == 5
