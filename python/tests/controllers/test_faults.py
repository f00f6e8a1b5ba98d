"""Errors in user controllers: reported with class and method; nothing else is lost."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import eddyline as el

from .conftest import Fixed


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("cwnd", float("nan"), "left cwnd = nan; a finite number of packets, at least 1"),
        ("cwnd", float("inf"), "left cwnd = inf"),
        ("cwnd", -1, "left cwnd = -1"),
        ("cwnd", 0.5, "left cwnd = 0.5"),
        ("cwnd", "10", "left cwnd = '10'"),
        ("cwnd", True, "left cwnd = True"),
        ("cwnd", None, "left cwnd = None"),
        ("cwnd", 10**400, "left cwnd = 1000000000"),
        ("pacing_rate", 0, "left pacing_rate = 0; packets per second, above 1e-10, or None"),
        ("pacing_rate", -5.0, "left pacing_rate = -5.0"),
        ("pacing_rate", float("inf"), "left pacing_rate = inf"),
        ("ssthresh", 1, "left ssthresh = 1; a number of packets, at least 2, or None"),
        ("base_rtt", float("nan"), "left base_rtt = nan; seconds"),
    ],
)
@pytest.mark.parametrize("method", ["on_ack", "__init__"])
def test_invalid_values_are_refused(one_flow, method, name, value, told):
    class Odd(Fixed):
        def __init__(self, path: el.PathFacts) -> None:
            super().__init__(path)
            if method == "__init__":
                setattr(self, name, value)

        def on_ack(self, ack: el.Ack) -> None:
            setattr(self, name, value)

    el.register("odd", Odd)
    with pytest.raises(el.ControllerError) as raised:
        one_flow({"kind": "odd"}).run()
    assert str(raised.value).startswith(f"controller 'odd': Odd.{method} {told}")
    assert raised.value.exit_code == 1
    assert not raised.value.traceback


def test_numbers_of_numpy_are_numbers(one_flow):
    import numpy as np

    class Numeric(Fixed):
        def on_ack(self, ack: el.Ack) -> None:
            self.cwnd = np.float32(12)

    el.register("numeric", Numeric)
    assert one_flow({"kind": "numeric"}).run().flows["window_packets.max"].iloc[0] == 12


@pytest.mark.parametrize(
    "method",
    ["__init__", "on_handshake", "on_sent", "on_ack", "on_round", "on_loss", "on_recovered", "on_timeout", "on_idle"],
)
def test_an_error_comes_with_its_traceback(one_flow, method):
    def broken(self: Any, *args: Any, **keywords: Any) -> None:
        if method == "__init__":
            raise LookupError("my mistake")
        {}["my mistake"]

    el.register("broken", type("Broken", (Fixed,), {method: broken}))
    scenario = one_flow(
        {"kind": "broken"}, loss=0.05, seconds=20, application={"kind": "bursts", "bytes": "60 kB", "every": "3 s"}
    )
    with pytest.raises(el.ControllerError) as raised:
        scenario.run()
    error = raised.value
    assert error.controller == "broken"
    assert "my mistake" in str(error)
    assert error.place == ("Broken(...)" if method == "__init__" else f"Broken.{method}")
    assert error.traceback.startswith("Traceback (most recent call last):\n")
    assert error.traceback.count("  File ") == 1, "its own frames and no others"
    assert "in broken" in error.traceback
    assert isinstance(error.__cause__, LookupError)


def test_the_next_run_starts_from_a_clean_state(one_flow):
    class Once(Fixed):
        broken = True

        def on_ack(self, ack: el.Ack) -> None:
            if Once.broken:
                raise ValueError

    el.register("once", Once)
    scenario = one_flow({"kind": "once"})
    with pytest.raises(el.ControllerError, match=r"Once\.on_ack raised ValueError$"):
        scenario.run()
    Once.broken = False
    assert scenario.run().flows["goodput_bps"].iloc[0] > 0


def test_after_an_error_the_controller_is_not_called(one_flow):
    calls = []

    class Loud(Fixed):
        def on_ack(self, ack: el.Ack) -> None:
            calls.append(ack)
            raise RuntimeError

    el.register("loud", Loud)
    with pytest.raises(el.ControllerError):
        one_flow({"kind": "loud"}).run()
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (KeyboardInterrupt, KeyboardInterrupt),
        (SystemExit, el.ControllerError),
        (GeneratorExit, el.ControllerError),
        (asyncio.CancelledError, el.ControllerError),  # as any other, such as the panic of a package in Rust
    ],
)
def test_ctrl_c_is_passed_on_and_no_other_exception_ends_the_program(one_flow, raised, told):
    class Stop(Fixed):
        def on_ack(self, ack: el.Ack) -> None:
            raise raised

    el.register("stop", Stop)
    with pytest.raises(told):
        one_flow({"kind": "stop"}).run()


def test_runs_in_threads_are_independent(one_flow):
    """The runs take turns in the interpreter; an error belongs to its own run."""
    barrier = threading.Barrier(2, timeout=60)

    class Late(Fixed):
        def __init__(self, path: el.PathFacts, bad: bool = False) -> None:
            super().__init__(path)
            self.bad = bad

        def on_handshake(self, now: float, rtt: float) -> None:
            barrier.wait()

        def on_ack(self, ack: el.Ack) -> None:
            if self.bad:
                raise RuntimeError("mine")

    el.register("late", Late)

    def run(bad: bool) -> object:
        try:
            return one_flow({"kind": "late", "bad": bad}).run().flows["goodput_bps"].iloc[0]
        except el.ControllerError as e:
            return e

    with ThreadPoolExecutor(2) as pool:
        bad, good = pool.map(run, [True, False])
    assert isinstance(bad, el.ControllerError)
    assert isinstance(good, float)


def test_a_class_is_validated_when_it_is_registered():
    class Empty:
        def __init__(self, path: el.PathFacts) -> None:
            self.cwnd = 1.0

    with pytest.raises(el.InputError, match="Empty has no on_ack or on_round, no on_loss, no on_timeout"):
        el.register("empty", Empty)
    Empty.on_ack = lambda self, ack: None
    with pytest.raises(el.InputError, match="Empty has no on_loss, no on_timeout"):
        el.register("empty", Empty)
    Empty.on_loss = Empty.on_timeout = lambda self, loss: None
    el.register("empty", Empty)
    with pytest.raises(el.InputError, match="already"):
        el.register("reno", Empty)
    with pytest.raises(el.InputError, match="is no name"):
        el.register("my controller", Empty)
    with pytest.raises(el.InputError, match="is not a class"):
        el.register("mine", Empty(None))

    class Late(Fixed):
        async def on_ack(self, ack: el.Ack) -> None: ...

    class Lazy(Fixed):
        def on_loss(self, loss: el.Loss):
            yield

    for cls, method in ((Late, "on_ack"), (Lazy, "on_loss")):
        with pytest.raises(el.InputError, match=f"{cls.__name__}.{method} is a coroutine or a generator"):
            el.register("later", cls)

    class Bare(Fixed):
        __init__ = object.__init__

    with pytest.raises(el.InputError, match=r"Bare.__init__ does not take the facts of the path"):
        el.register("bare", Bare)
    assert "bare" not in el.registered()
