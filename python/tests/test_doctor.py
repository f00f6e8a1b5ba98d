"""`eddyline doctor`: what this machine has, and what is missing."""

from __future__ import annotations

import json
import os

import pytest

from eddyline.cli import doctor


def test_doctor_says_what_is_missing_and_the_remedy(eddyline, installed):
    ran = installed("doctor", "--json")
    assert ran.code == 0
    findings = {f["what"]: f for f in json.loads(ran.out)}
    assert findings["Python"]["ok"]
    assert findings["eddyline"]["ok"]
    assert all(f["ok"] or f["remedy"] for f in findings.values())
    assert "Python" in eddyline("doctor").out


def test_doctor_finds_what_the_package_ns2_installs(tmp_path, monkeypatch):
    (tmp_path / "ns").write_text("#!/bin/sh\n")
    (tmp_path / "ns").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    (found,) = [doctor._tool(*tool) for tool in doctor._TOOLS if tool[0] == "ns2"]
    assert (found.ok, found.detail) == (True, str(tmp_path / "ns"))
    monkeypatch.setenv("PATH", "/nowhere")
    (found,) = [doctor._tool(*tool) for tool in doctor._TOOLS if tool[0] == "ns2"]
    assert (found.ok, found.remedy) == (False, "apt install ns2")


@pytest.mark.parametrize(
    ("capabilities", "users", "root", "namespaces"),
    [
        ("000001ffffffffff", True, (True, "yes"), (True, "as root")),
        ("00000000a80425fb", True, (False, "yes, without NET_ADMIN and SYS_ADMIN"), (True, "for users")),
        ("000001ffffdfffff", False, (False, "yes, without SYS_ADMIN"), (False, "no: without SYS_ADMIN")),
    ],
)
def test_doctor_knows_root_of_a_container(tmp_path, monkeypatch, capabilities, users, root, namespaces):
    (tmp_path / "status").write_text(f"Name:\tx\nCapEff:\t{capabilities}\n")
    monkeypatch.setattr(doctor, "_STATUS", tmp_path / "status")
    monkeypatch.setattr(doctor, "_user_namespaces", lambda: users)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    found = {each.what: each for each in doctor._system()}
    assert (found["root"].ok, found["root"].detail) == root
    assert (found["namespaces"].ok, found["namespaces"].detail) == namespaces
    assert "--cap-add SYS_ADMIN" in str(found["namespaces"].remedy)


def test_doctor_tries_namespaces_whatever_the_environment(tmp_path, monkeypatch):
    found = doctor._user_namespaces()
    monkeypatch.setenv("PYTHONOPTIMIZE", "1")
    (tmp_path / "ctypes.py").write_text("raise ImportError\n")
    monkeypatch.chdir(tmp_path)
    assert doctor._user_namespaces() is found
    monkeypatch.setattr(doctor, "_NAMESPACES", "raise SystemExit(1)")
    assert not doctor._user_namespaces()


def test_all_worlds_are_offered_and_doctor_says_what_they_need(eddyline):
    import eddyline.worlds as worlds

    listed = "|".join(worlds.NAMES)
    assert f"[{listed}|all]" in eddyline("run", "--help").out
    assert f"[{listed}]" in eddyline("sweep", "--help").out
    wrong = eddyline("run", "x.toml", "--world", "moon")
    assert (wrong.code, "kernel" in wrong.err) == (2, True)
    offered = {each["what"] for each in json.loads(eddyline("doctor", "--json").out)}
    assert "tshark" not in offered
    assert {"eddyline-live", "clang", "TUN", "BTF", "namespaces"} <= offered
