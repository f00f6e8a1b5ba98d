"""The record of instruction counts: its page says what it holds, and the check finds what has grown."""

from __future__ import annotations

import sys
from pathlib import Path

BENCHES = Path(__file__).resolve().parents[2] / "benches"
sys.path.insert(0, str(BENCHES))

from bench import dashboard, functions, history  # noqa: E402


def test_the_page_is_made_of_the_records() -> None:
    records = history.load(BENCHES / "instructions.json")
    assert records
    assert set(records[-1].workloads) == set(functions.BETWEEN)
    page = BENCHES.parent / "docs/concepts/instructions.md"
    assert page.read_text(encoding="utf-8") == dashboard.page(records)


def test_what_has_grown_is_named() -> None:
    before = history.Record("abc", "2026-01-01", "", "1.0", {"W1": {"together": 1000.0, "run": 900.0, "send": 100.0}})
    assert history.worse(before, {"W1": {"run": 900.0, "send": 129.0}}) == []
    (sentence,) = history.worse(before, {"W1": {"run": 900.0, "send": 132.0}})
    assert sentence == ("W1: 1032 instructions a data packet, 3.2% more than at abc (1000); what grew: send by 32")


def test_functions_are_counted_without_what_they_call() -> None:
    lines = """
ob=(1) /x/eddyline/_core.abi3.so
fn=(1) crate::run::h0123456789abcdef'2
7 10
+3 5
cfn=(2) crate::send
calls=2 9
7 100
ob=(2) /lib/libc.so.6
fn=(3) malloc
* 4
""".strip().splitlines()
    assert functions.by_function(lines) == {"crate::run": 15}
