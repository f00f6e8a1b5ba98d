"""What the digest of a class in no file covers: a sweep does not continue with another one."""

from __future__ import annotations

import random
import re
import types
from collections import deque
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from eddyline.controllers.digest import digest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass
class Weights:
    first: float


class Policy:
    def __init__(self, first: float) -> None:
        self.first = first

    def act(self) -> float:
        return self.first


VALUES: dict[str, Callable[[float], Any]] = {
    "number": lambda w: w,
    "list": lambda w: [w],
    "long bytes": lambda w: bytes(5000) + bytes([int(w)]) + bytes(5000),
    "bytearray": lambda w: bytearray([int(w)]),
    "array": lambda w: np.array([w]),
    "middle of a long array": lambda w: np.r_[np.zeros(5000), w, np.zeros(5000)],
    "array in a dict": lambda w: {"a": np.array([w])},
    "integer of numpy": lambda w: np.int64(w),
    "series": lambda w: pd.Series([w]),
    "frame": lambda w: pd.DataFrame({"w": [w], "name": ["x"]}),
    "dataclass": Weights,
    "instance": Policy,
    "method": lambda w: Policy(w).act,
    "namespace": lambda w: types.SimpleNamespace(w=w),
    "partial": lambda w: partial(max, w),
    "deque": lambda w: deque([w]),
    "generator": lambda w: np.random.default_rng(int(w)),
    "random": lambda w: random.Random(int(w)),
    "pattern": lambda w: re.compile(str(w)),
}


def policy(value: Any) -> type:
    class Learned:
        def __init__(self, path: object) -> None:
            self.cwnd = value

    return Learned


@pytest.mark.parametrize("make", VALUES.values(), ids=VALUES.keys())
def test_values_of_a_class_count(make: Callable[[float], Any]) -> None:
    assert digest(policy(make(2.0))) == digest(policy(make(2.0)))
    assert digest(policy(make(2.0))) != digest(policy(make(6.0)))


def test_the_text_of_an_open_file_counts(tmp_path: Path) -> None:
    digests = []
    for text in ("2", "2", "6"):
        (tmp_path / "window.txt").write_text(text)
        with (tmp_path / "window.txt").open() as file:
            digests.append(digest(policy(file)))
    assert digests[0] == digests[1] != digests[2]


def test_what_refers_to_itself_or_cannot_be_pickled_has_a_digest() -> None:
    own = Policy(2.0)
    own.itself = own  # type: ignore[attr-defined]
    assert digest(policy(own)) == digest(policy(own))
    assert digest(policy(Lock())) == digest(policy(Lock()))
