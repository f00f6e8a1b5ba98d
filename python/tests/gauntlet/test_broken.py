"""Four controllers broken on purpose, and the sound one that they are made from: the gauntlet distinguishes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import eddyline as el

if TYPE_CHECKING:
    from collections.abc import Iterator


class Sound(el.Controller):
    """Slow start and additive increase, half at a loss, one packet after a timeout: RFC 5681, roughly."""

    def __init__(self, path: el.PathFacts) -> None:
        self.cwnd = path.initial_window
        self.threshold = float("inf")

    def on_ack(self, ack: el.Ack) -> None:
        if not ack.in_recovery:
            self.cwnd += ack.acked if self.cwnd < self.threshold else ack.acked / self.cwnd

    def on_loss(self, loss: el.Loss) -> None:
        self.cwnd = self.threshold = max(2.0, loss.flight_size / 2)

    def on_timeout(self, timeout: el.Timeout) -> None:
        if not timeout.repeated:
            self.threshold = max(2.0, timeout.flight_size / 2)
        self.cwnd = 1.0


class NeverBacksOff(Sound):
    """Ignores losses."""

    def on_loss(self, loss: el.Loss) -> None:
        pass


class NeverGrows(Sound):
    """Keeps its first window."""

    def on_ack(self, ack: el.Ack) -> None:
        pass


class IgnoresTimeouts(Sound):
    """Sound, but for its window after a timeout."""

    def on_timeout(self, timeout: el.Timeout) -> None:
        pass


class StarvesOthers(Sound):
    """A hundred flows in one (MulTCP, Crowcroft and Oechslin 1998): 100 more a round trip, 1/200 less at a loss."""

    def on_ack(self, ack: el.Ack) -> None:
        if not ack.in_recovery:
            self.cwnd += ack.acked if self.cwnd < self.threshold else 100 * ack.acked / self.cwnd

    def on_loss(self, _: el.Loss) -> None:
        self.cwnd = self.threshold = max(2.0, self.cwnd * (1 - 1 / 200))


BROKEN = [
    (NeverBacksOff, "shallow-loss", "never backs off"),
    (NeverGrows, "line-100m", "never grows"),
    (IgnoresTimeouts, "blackout", "ignores timeouts"),
    (StarvesOthers, "beside-cubic", "starves others"),
]
TESTS = [test for _, test, _ in BROKEN]


@pytest.fixture(autouse=True)
def register() -> Iterator[None]:
    kinds = [Sound, *(kind for kind, _, _ in BROKEN)]
    for kind in kinds:
        el.register(kind.__name__, kind)
    yield
    for kind in kinds:
        el.unregister(kind.__name__)


def test_the_correct_controller_passes_the_tests_that_the_broken_ones_fail() -> None:
    card = el.gauntlet.run("Sound", only=TESTS, seeds=1)
    assert [v.name for v in card.verdicts if not v.passed] == []


@pytest.mark.parametrize(("kind", "test", "sentence"), BROKEN)
def test_a_broken_controller_fails_with_its_explanation(kind: type, test: str, sentence: str) -> None:
    card = el.gauntlet.run(kind.__name__, only=TESTS, seeds=1)
    failed = {v.name: v.why for v in card.verdicts if not v.passed}
    assert sentence in failed[test]
    assert card.failed >= 1


def test_a_controller_that_raises_fails_its_tests_and_no_others() -> None:
    class Raises(Sound):
        def on_loss(self, _: el.Loss) -> None:
            raise RuntimeError("no idea what to do now")

    el.register("Raises", Raises)
    card = el.gauntlet.run("Raises", only=["shallow-loss", "start-up"], seeds=1, against=["reno"])
    verdicts = {v.name: v for v in card.verdicts}
    assert not verdicts["shallow-loss"].passed
    assert "no idea what to do now" in str(verdicts["shallow-loss"].error)
    assert card.against[0].failed == 0
    el.unregister("Raises")
