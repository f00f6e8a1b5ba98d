"""The machine learner: train a policy that sets the window of a flow, and see that it is better than before.

    pip install 'eddyline[gym]' stable-baselines3     # the second is optional
    python learner.py              # trains PPO, if it is installed
    python learner.py --search     # searches for the weights of a linear policy at random, with numpy alone

Each episode draws the rate of the bottleneck (domain randomisation); the score is measured on rates that the training
never saw. A policy that is good enough becomes a controller: docs/guides/learning.md.
Lines that begin with #> are what it prints, "..." stands for anything.

#> training: random search over a linear policy
#> mean reward a decision before: 8.6...
#> mean reward a decision after:  9...
#> improved
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec

import gymnasium as gym
import numpy as np

ENVIRONMENT = "eddyline.environment:eddyline/CongestionControl-v0"
SEEN = {"link.there.rate": "2 Mbit/s..20 Mbit/s:7:log"}
UNSEEN = ("3 Mbit/s", "8 Mbit/s", "15 Mbit/s")

SCENARIO = {
    "title": "one flow, 40 ms, a buffer of 100 ms",
    "duration": "12 s",
    "link": [
        {"name": "there", "rate": "10 Mbit/s", "delay": "20 ms", "queue": {"kind": "droptail", "limit": "100 ms"}},
        {"name": "back", "rate": "10 Mbit/s", "delay": "20 ms"},
    ],
    "flow": [{"name": "f", "controller": {"kind": "newreno"}, "data": ["there"], "ack": ["back"]}],
}

Policy = Callable[[np.ndarray], np.ndarray]


def score(policy: Policy, seeds: int = 1) -> float:
    """Mean reward a decision on the rates that training never saw: log of throughput over delay, larger is better."""
    means = []
    for rate in UNSEEN:
        for seed in range(seeds):
            env = gym.make(ENVIRONMENT, scenario=SCENARIO, randomise={"link.there.rate": [rate]})
            means.append(episode(env, policy, seed))
    return float(np.mean(means))


def episode(env: gym.Env, policy: Policy, seed: int) -> float:
    """Mean reward a decision of one episode: its return depends on how many round trips it has."""
    observation, _ = env.reset(seed=seed)
    total, steps, done = 0.0, 0, False
    while not done:
        observation, reward, terminated, truncated, _ = env.step(policy(observation))
        total, steps, done = total + float(reward), steps + 1, terminated or truncated
    return total / steps


def linear(weights: np.ndarray) -> Policy:
    """The change of the window is a linear function of how long the queue is, how it grows, and of losses."""

    def policy(seen: np.ndarray) -> np.ndarray:
        features = np.array([1.0, min(seen[1], 4.0), seen[2], seen[6], seen[8]])
        return np.clip([weights @ features], -1.0, 1.0).astype(np.float32)

    return policy


def search(rounds: int = 40, tried: int = 4) -> Policy:
    """Random search: the best of some random changes of the weights, on the same episodes, is kept."""
    draw = np.random.default_rng(1)
    env = gym.make(ENVIRONMENT, scenario=SCENARIO, randomise=SEEN)
    best, step = np.zeros(5), 0.3
    for number in range(rounds):
        candidates = [best, *(best + step * draw.normal(size=5) for _ in range(tried))]
        scores = [episode(env, linear(w), seed=1000 + number) for w in candidates]
        best = candidates[int(np.argmax(scores))]
        step *= 0.97
    return linear(best)


def main() -> None:
    """Trains, and compares on unseen rates."""
    if "--search" in sys.argv or find_spec("stable_baselines3") is None:
        print("training: random search over a linear policy")
        before, policy = score(linear(np.zeros(5))), search()
    else:
        from stable_baselines3 import PPO

        print("training: PPO")
        model = PPO("MlpPolicy", gym.make(ENVIRONMENT, scenario=SCENARIO, randomise=SEEN), seed=1, device="cpu")

        def policy(seen: np.ndarray) -> np.ndarray:
            return model.predict(seen, deterministic=True)[0]

        before = score(policy)
        model.learn(30_000)
    after = score(policy)
    print(f"mean reward a decision before: {before:.3f}")
    print(f"mean reward a decision after:  {after:.3f}")
    print("improved" if after > before + 0.1 else "not improved")


if __name__ == "__main__":
    main()
