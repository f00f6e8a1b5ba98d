"""`new-controller`: the names that it takes, what it writes, and where its crate comes from."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from eddyline.cli import main
from eddyline.cli.new_controller import library

from .conftest import ROOT

needs_cargo = pytest.mark.skipif(shutil.which("cargo") is None, reason="builds a crate")

IN_USE = ("controller", "ack", "loss", "path", "params", "timeout", "option", "result", "string", "self", "exported")


@needs_cargo
def test_new_controller_takes_names_that_rust_uses(tmp_path, monkeypatch):
    """All in one crate: a module each, of which the first is exported, since a crate exports one controller."""
    monkeypatch.chdir(tmp_path)
    modules = []
    for name in IN_USE:
        assert main(["new-controller", name, "--rust"]) == 0
        lines = (tmp_path / name / "src" / "lib.rs").read_text().splitlines()
        unwanted = ("//!", "export!") if modules else ("//!",)
        modules += [f"mod of_{name} {{", *(line for line in lines if not line.startswith(unwanted)), "}"]
    whole = tmp_path / "controller"
    (whole / "src" / "lib.rs").write_text("\n".join(modules))
    checked = subprocess.run(["cargo", "check", "--offline"], cwd=whole, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize("name", ["queue", "numpy", "none", "eddyline", "controller"])
def test_new_controller_takes_names_that_python_uses(installed, tmp_path, name):
    assert installed("new-controller", name, "--python").code == 0
    there = ("scenario.toml", "--controllers", f"{name}.py", "--set", "duration=5 s", "--set", "warmup=0 s")
    ran = installed("sweep", *there, "--vary", "seed=1,2", "--out", "g", "--table", cwd=tmp_path / name)
    assert ran.code == 0, ran.err


def test_new_controller_refuses(eddyline, tmp_path):
    (tmp_path / "there").mkdir()
    for args, said in (
        (("there", "--rust"), "there: exists"),
        (("reno", "--rust"), "there is a controller called 'reno' already"),
        (("a b", "--python"), "'a b' is no name for a controller"),
        (("mine",), "--rust or --python"),
        (("mine", "--rust", "--python"), "--rust or --python"),
        (("eddyline-controller", "--rust"), "'eddyline-controller' is the crate that controllers are built on"),
        (("a" * 300, "--rust"), "a name of 300 letters is too long for files"),
    ):
        ran = eddyline("new-controller", *args)
        assert ran.code == 2, args
        assert said in ran.err


@pytest.mark.parametrize("at_opening", [False, True])
def test_new_controller_leaves_nothing_on_a_full_disk(tmp_path, monkeypatch, capfd, at_opening):
    write_text = Path.write_text

    def full(path, text, encoding):
        if path.name == "lib.rs":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), *[str(path)] * at_opening)
        return write_text(path, text, encoding)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Path, "write_text", full)
    assert main(["new-controller", "mine", "--rust"]) == 1
    said = capfd.readouterr().err
    assert "mine/src/lib.rs" in said
    assert "no space left on device" in said.lower()
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert main(["new-controller", "mine", "--rust"]) == 0


@needs_cargo
def test_outside_a_checkout_the_crate_comes_along(tmp_path, monkeypatch):
    """Whatever runs the command: the folder may go to another machine."""
    import eddyline._core as _core

    checkout = ROOT / "crates" / "controller-abi"
    files = {str(p.relative_to(checkout)).replace(os.sep, "/") for p in checkout.rglob("*") if p.is_file()}
    assert _core.controller_crate() == {name: (checkout / name).read_text() for name in files}
    monkeypatch.chdir(tmp_path)
    assert main(["new-controller", "mine", "--rust"]) == 0
    assert 'eddyline-controller = { path = "eddyline-controller" }' in (tmp_path / "mine" / "Cargo.toml").read_text()
    ran = subprocess.run(
        ["cargo", "metadata", "--offline", "--no-deps", "--format-version=1"],
        cwd=tmp_path / "mine",
        capture_output=True,
        text=True,
        check=True,
    )
    assert {p["name"] for p in json.loads(ran.stdout)["packages"]} == {"mine", "eddyline-controller"}


@needs_cargo
def test_inside_a_checkout_the_crate_is_that_of_the_checkout(tmp_path, monkeypatch):
    import eddyline.cli.new_controller as new_controller

    (tmp_path / "crates").symlink_to(ROOT / "crates")
    place = tmp_path / "python" / "eddyline" / "cli" / "new_controller.py"
    monkeypatch.setattr(new_controller, "__file__", str(place))
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path / "mine")
    assert main(["new-controller", "law", "--rust"]) == 0
    text = (tmp_path / "mine" / "law" / "Cargo.toml").read_text()
    assert 'eddyline-controller = { path = "../../crates/controller-abi" }' in text
    assert not (tmp_path / "mine" / "law" / "eddyline-controller").exists()
    command = ["cargo", "metadata", "--offline", "--format-version=1"]
    ran = subprocess.run(command, cwd=tmp_path / "mine" / "law", capture_output=True, text=True, check=True)
    assert {p["name"] for p in json.loads(ran.stdout)["packages"]} == {"law", "eddyline-controller"}


def test_library_names() -> None:
    expected = {"win32": "my_law.dll", "darwin": "libmy_law.dylib"}.get(sys.platform, "libmy_law.so")
    assert library("my-law") == expected
