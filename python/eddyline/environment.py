"""A scenario as an environment for learning controllers, after `gymnasium`'s interface.

    import eddyline as el

    env = el.env("upload.toml", flow="download")
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

The simulation pauses between two steps; nothing runs in another thread. See docs/guides/learning.md.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsFloat, cast

import numpy as np

import eddyline._core as _core
import eddyline.ranges as ranges
from eddyline.encoding import given_text
from eddyline.errors import EddylineError, InputError, NotInstalled, ScenarioError
from eddyline.keys import require_effect
from eddyline.loading import loaded
from eddyline.observations import OBSERVATION, Observer, loss_share, number, window_after
from eddyline.spelling import unknown

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.utils import seeding
except ImportError:
    raise NotInstalled("gymnasium is not installed", "pip install 'eddyline[gym]'") from None

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from eddyline.loading import Given
    from eddyline.scenario import Scenario

    Vector: TypeAlias = NDArray[np.float32]
    Reward: TypeAlias = Callable[[_core.Round, float], SupportsFloat]

__all__ = ["OBSERVATION", "REWARDS", "CongestionControl", "env"]

_SEEDS = 2**31 - 1

_MAX_TRIED = 1000
"""Combinations of values that are all tried before the first episode; some 0.1 ms each."""

_TEXTS = {"flow": "as in flow='download'", "every": "as in every='20 ms'"}
"""Parameters that are text, with an example."""

EXAMPLE: dict[str, Any] = {
    "title": "one flow on 10 Mbit/s, 40 ms, a buffer of a round trip",
    "duration": "30 s",
    "link": [
        {"name": "there", "rate": "10 Mbit/s", "delay": "20 ms", "queue": {"kind": "droptail", "limit": "50 kB"}},
        {"name": "back", "rate": "10 Mbit/s", "delay": "20 ms"},
    ],
    "flow": [{"name": "f", "controller": {"kind": "newreno"}, "data": ["there"], "ack": ["back"]}],
}
"""The scenario of `gym.make("eddyline/CongestionControl-v0")` without a `scenario`."""


class Interval(NamedTuple):
    """What named rewards are about.

    Attributes:
        throughput: Packets acknowledged a second.
        gap: Seconds in which a packet was acknowledged, at most: since the last interval in which one was began.
        delay: Mean round-trip time in s; the last one that was measured where nothing arrived.
        loss: Share of packets lost.
    """

    throughput: float
    gap: float
    delay: float
    loss: float


class _Intervals:
    """Measures one interval after the other.

    An interval in which nothing arrives says less than one with a packet: rewards that saw it alone would prefer
    silence to a full link, where decisions come faster than packets.
    """

    def __init__(self) -> None:
        self._since: float | None = None
        self._delay: float | None = None

    def measure(self, round: _core.Round) -> Interval:
        if self._since is None or round.acked > 0:
            self._since = round.began
        elapsed, gap = (max(round.now - began, 1e-9) for began in (round.began, self._since))
        if round.mean_rtt is not None:
            self._delay = max(round.mean_rtt, 1e-9)
        return Interval(round.acked / elapsed, gap, gap if self._delay is None else self._delay, loss_share(round))


def power(interval: Interval) -> float:
    """Log of throughput (packets/s) minus log of mean round-trip time (s): TCP ex Machina's objective, delta = 1.

    Winstein, Balakrishnan, SIGCOMM 2013. The throughput is at least that of one packet in the gap.
    """
    return math.log(max(interval.throughput, 1.0 / interval.gap)) - math.log(interval.delay)


def aurora(interval: Interval) -> float:
    """10 times throughput (packets/s) - 1000 times delay (s) - 2000 times the share of packets lost.

    Jay, Rotman, Godfrey, Schapira, Tamar, ICML 2019.
    """
    return 10.0 * interval.throughput - 1000.0 * interval.delay - 2000.0 * interval.loss


REWARDS: dict[str, Callable[[Interval], float]] = {"power": power, "aurora": aurora}
"""Rewards by name."""


class CongestionControl(gymnasium.Env["Vector", "Vector"]):
    """One flow of a scenario with an externally set window, once a round trip or at fixed intervals.

    Action: one number a in [-1, 1]; the window is multiplied by 2 to the a, and kept between 1 and `max_window`
    packets. A timeout sets the window to one packet, and the restart after an idle time may reduce it (RFC 5681).
    Losses and marks do not change it: that is up to the agent. Retransmission and recovery are TCP's.

    Observation: nine numbers about the time since the last action, bounds in `OBSERVATION`: `log2_window`;
    `rtt_excess`, mean RTT over the smallest RTT in the episode, minus one; `rtt_gradient`, last minus first RTT
    sample over the time between the actions; `forward_excess` and `reverse_excess`, mean delay of data and of
    acknowledgements minus the smallest mean so far, over the smallest RTT; `delivered`, packets acknowledged over the
    window; `loss`, the share of packets lost; `marked` and `timed_out`, 0 or 1. RTT values without a sample keep
    their previous values.

    Episode: one run of the scenario. `truncated` at its end; `terminated` when the flow has transferred its `size`. The
    time from the last whole interval to the end has no reward; the final observation repeats the previous one.

    Return: with a decision in every round trip, a policy with shorter round-trip times decides more often in an
    episode, and its return is larger for that alone. Compare policies by the mean reward a decision, or use `every`.

    Seed: `reset(seed=n)` runs the scenario with seed n; `reset()` draws the next one from the environment's own
    generator. The same seed and actions give the same episode, bit for bit.

    Info: `round`, SI values of the last whole interval (see `el.Round`); `window` in packets; `seed`; `scenario` and
    `set`, the title of the scenario and the values drawn; at the end of an episode also `result`, the result document
    of the whole scenario, as `el.Result.to_dict()`.

    Args:
        scenario: A scenario, a dict of its structure, or its file; or a list of them, of which each episode draws one.
            Other flows keep their controllers.
        flow: Name of the flow; the first by default.
        every: Time between actions as in a scenario, `"20 ms"`; a round trip by default.
        reward: A name of `REWARDS`, or a function of an `el.Round` and the window in packets.
        max_window: Maximum window in packets of an action. The initial window is the scenario's.
        randomise: Keys of the scenario by dotted name with the values of which each episode draws one, a list or a
            range as text: `{"link.up.rate": "1 Mbit/s..20 Mbit/s:20:log"}`. Info says what was drawn (`set`). Up to
            1,000 combinations are all tried at once; of more, so many that each value is in one.

    Raises:
        InputError: There is no such flow, key or reward, or a scenario is wrong.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - as the base class has it

    def __init__(
        self,
        scenario: Given | Sequence[Given] = EXAMPLE,
        flow: str | None = None,
        *,
        every: str | None = None,
        reward: str | Reward = "power",
        max_window: float = 1e6,
        randomise: Mapping[str, Sequence[object] | str] | None = None,
    ) -> None:
        if randomise is not None and not isinstance(randomise, Mapping):
            raise InputError(
                f"randomise: keys with their values are expected, not {randomise!r}",
                "as in {'link.up.rate': '1 Mbit/s..20 Mbit/s:20:log'}",
            )
        one = isinstance(scenario, (str, Mapping)) or not isinstance(scenario, Iterable)
        scenarios = [loaded(each) for each in cast("Iterable[Given]", [scenario] if one else scenario)]
        if not scenarios:
            raise InputError("no scenario is given")
        for each in scenarios:
            if not each.flows:
                raise InputError(f"{each.title}: it has no flow to control")
        if isinstance(reward, str) and reward not in REWARDS:
            raise unknown("reward", reward, REWARDS)
        if not isinstance(reward, str) and not callable(reward):
            raise InputError(
                f"reward: a name or a function is expected, not {reward!r}", f"names are {', '.join(REWARDS)}"
            )
        for name, text in (("flow", flow), ("every", every)):
            if text is not None and not isinstance(text, str):
                raise InputError(f"{name}: text is expected, not {text!r}", _TEXTS[name])
        if not isinstance(max_window, SupportsFloat) or not 1.0 <= max_window <= 2.0**40:
            raise InputError(f"max_window: a number of packets from 1 to 2^40 is expected, not {max_window!r}")
        self._scenarios = scenarios
        self._randomise = {key: _values(key, values) for key, values in (randomise or {}).items()}
        require_effect(list(self._randomise), "randomise")
        if "seed" in self._randomise:
            raise InputError("randomise seed: reset() gives each episode its seed", "reset(seed=n) chooses it")
        for key, values in self._randomise.items():
            if not values:
                raise InputError(f"randomise {key}: an empty list has no value to draw")
        self._flow = flow
        self._every = every
        self._reward = reward
        self._max_window = max_window
        self._names = _distinct([each.title for each in scenarios])
        for name, each in zip(self._names, scenarios, strict=True):  # raises what is wrong, before the first episode
            for drawn in [{}, *_combinations(self._randomise)]:
                try:
                    self._begun(each.with_overrides(drawn))
                except InputError as e:
                    raise _drawn_error(e, drawn, name if len(scenarios) > 1 else None) from None
        low, high = (np.array(side, np.float32) for side in zip(*OBSERVATION.values(), strict=True))
        self.observation_space = spaces.Box(low, high, dtype=np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self._stepper: _core.Stepper | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Vector, dict[str, Any]]:
        """Begins an episode, and runs to the first decision.

        Args:
            seed: The scenario's seed in this episode.
            options: There are none.

        Raises:
            EddylineError: The scenario ends before the first decision.
        """
        if options:
            raise InputError(f"unknown options: {', '.join(options)}")
        super().reset(seed=seed)
        chosen = seed if seed is not None else int(self.np_random.integers(_SEEDS))
        name, scenario, drawn = self._drawn(seeding.np_random(chosen)[0])
        scenario = scenario.with_seed(chosen)
        stepper = self._begun(scenario)
        self._seed, self._name, self._set = chosen, name, drawn
        self._observer, self._intervals = Observer(), _Intervals()
        self._stepper = None
        round = stepper.advance()
        if round is None:
            raise EddylineError(
                f"flow {self._flow or scenario.flows[0]!r} or the scenario ends before its first decision",
                "a longer duration or an earlier start helps",
            )
        self._stepper = stepper
        self._round = _as_dict(round)
        self._intervals.measure(round)
        return self._observer.observe(round, stepper.window), self._info(stepper)

    def _begun(self, scenario: Scenario) -> _core.Stepper:
        """The simulation of an episode, before its first event."""
        if self._flow is not None and self._flow not in scenario.flows:
            raise _unknown_flow(self._flow, scenario.flows)
        return _core.Stepper(scenario._core, self._flow or scenario.flows[0], self._every)

    def _drawn(self, draws: np.random.Generator) -> tuple[str, Scenario, dict[str, str]]:
        """The next episode's name and scenario, and what of it was drawn."""
        one = int(draws.integers(len(self._scenarios))) if len(self._scenarios) > 1 else 0
        scenario = self._scenarios[one]
        drawn = {key: values[int(draws.integers(len(values)))] for key, values in self._randomise.items()}
        return self._names[one], scenario.with_overrides(drawn) if drawn else scenario, drawn

    def step(self, action: Vector) -> tuple[Vector, SupportsFloat, bool, bool, dict[str, Any]]:
        """Sets the window, and runs to the next decision or the end.

        Raises:
            InputError: The episode is over, or the action or the reward is not one finite number.
        """
        stepper = self._stepper
        if stepper is None:
            raise InputError("the episode is over, or has not begun", "call reset() first")
        stepper.decide(window_after(stepper.window, action, self._max_window))
        self._stepper = None  # an episode that fails is over
        round = stepper.advance()
        if round is not None:
            self._stepper = stepper
            self._round = _as_dict(round)
            seen = self._observer.observe(round, stepper.window)
            given = self._given(round, stepper.window)
            return seen, number(given, "the reward"), False, False, self._info(stepper)
        terminated = stepper.completed
        info = {**self._info(stepper), "result": json.loads(stepper.finish())}
        return self._observer.last, 0.0, terminated, not terminated, info

    def _given(self, round: _core.Round, window: float) -> SupportsFloat:
        """The reward of an interval."""
        if not isinstance(self._reward, str):
            return self._reward(round, window)
        return REWARDS[self._reward](self._intervals.measure(round))

    def __getstate__(self) -> dict[str, Any]:
        """Without the episode, a simulation in progress: a copy begins with `reset`."""
        return {**self.__dict__, "_stepper": None}

    def close(self) -> None:
        """Ends the episode."""
        self._stepper = None

    def _info(self, stepper: _core.Stepper) -> dict[str, Any]:
        return {
            "seed": self._seed,
            "scenario": self._name,
            "set": dict(self._set),
            "window": stepper.window,
            "round": dict(self._round),
        }


def _as_dict(round: _core.Round) -> dict[str, Any]:
    return {name: getattr(round, name) for name in dir(_core.Round) if not name.startswith("_")}


def _unknown_flow(flow: str, flows: list[str]) -> InputError:
    count = sum(name.startswith(f"{flow}[") for name in flows)
    if count:
        return InputError(
            f"there is no flow {flow!r}: its table has a count, so its flows are {flow}[0] to {flow}[{count - 1}]"
        )
    return unknown("flow", flow, flows)


def _values(key: str, values: Sequence[object] | str) -> tuple[str, ...]:
    if isinstance(values, str):
        return ranges.values(key, values)
    if not isinstance(values, Iterable):
        raise InputError(f"randomise {key}: a list, or a range as text, is expected, not {values!r}")
    return tuple(given_text(f"randomise {key}", value) for value in values)


def _combinations(values: Mapping[str, tuple[str, ...]]) -> list[dict[str, str]]:
    """All draws; of more than the maximum so many that every value is in one."""
    if not values:
        return []
    if math.prod(map(len, values.values())) <= _MAX_TRIED:
        return [dict(zip(values, drawn, strict=True)) for drawn in itertools.product(*values.values())]
    return [{key: each[n % len(each)] for key, each in values.items()} for n in range(max(map(len, values.values())))]


def _distinct(titles: Sequence[str]) -> list[str]:
    """Names of scenarios: titles, with the place in the list where several have one."""
    return [f"{title}[{n}]" if titles.count(title) > 1 else title for n, title in enumerate(titles)]


def _drawn_error(error: InputError, drawn: Mapping[str, str], scenario: str | None) -> InputError:
    """The error of a scenario with what was drawn for it."""
    where = f"scenario {scenario!r}: " if scenario else ""
    if isinstance(error, ScenarioError):  # it names keys and values
        return ScenarioError(f"{where}{error}", error.diagnostics, error.unknown_controllers)
    values = f"randomise: with {', '.join(f'{key}={value}' for key, value in drawn.items())}, " if drawn else ""
    return InputError(f"{where}{values}{error}", error.hint)


def env(
    scenario: Given | Sequence[Given] = EXAMPLE,
    flow: str | None = None,
    *,
    every: str | None = None,
    reward: str | Reward = "power",
    max_window: float = 1e6,
    randomise: Mapping[str, Sequence[object] | str] | None = None,
) -> CongestionControl:
    """An environment of a scenario or of several: see `CongestionControl`, which it makes.

    Compare policies by the mean reward a decision, not by the return of an episode, unless `every` is given: round
    trips are more where they are shorter.
    """
    return CongestionControl(scenario, flow, every=every, reward=reward, max_window=max_window, randomise=randomise)


gymnasium.register("eddyline/CongestionControl-v0", "eddyline.environment:CongestionControl")
