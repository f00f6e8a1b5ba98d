"""What a sweep notices of a controller that has changed: its file, the modules that it imports, and what it reads."""

from __future__ import annotations

import json

import pytest

import eddyline as el
from eddyline.controllers.imports import imported
from eddyline.controllers.sources import load
from eddyline.sweeps.listener import SweepListener

from .test_command import TOML

POLICY = """\
from pathlib import Path
import eddyline as el
from law import window

@el.register("wpol", files=["weights.txt"])
class Policy:
    def __init__(self, path):
        self.cwnd = window(float(Path(__file__).with_name("weights.txt").read_text()))
    def on_ack(self, ack): pass
    on_loss = on_timeout = on_ack
"""


@pytest.fixture
def policy(tmp_path):
    """A folder with a controller that imports a module, which imports another, and reads a file."""
    (tmp_path / "wpol.py").write_text(POLICY)
    (tmp_path / "law.py").write_text("def window(w):\n    from bounds import LEAST\n    return max(w, LEAST)\n")
    (tmp_path / "bounds.py").write_text("LEAST = 2.0\n")
    (tmp_path / "weights.txt").write_text("8")
    (tmp_path / "other.txt").write_text("not declared")
    (tmp_path / "s.toml").write_text(TOML.replace("shy", "wpol"))
    return tmp_path


SWEEP = ("sweep", "s.toml", "--controllers", "wpol.py", "--vary", "seed=1,2", "--out", "grid", "--workers", 1)


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("wpol.py", POLICY + "\n", "the code of controller wpol has changed: wpol.py"),
        ("law.py", "def window(w):\n    return w / 2\n", "the code of controller wpol has changed: law.py"),
        ("bounds.py", "LEAST = 9.0\n", "the code of controller wpol has changed: bounds.py"),
        ("weights.txt", "16", "the file weights.txt, which controller wpol reads, has changed"),
    ],
)
def test_a_sweep_notices_a_change(eddyline, policy, file, text, told):
    assert eddyline(*SWEEP).code == 0
    (policy / file).write_text(text)
    ran = eddyline(*SWEEP)
    assert ran.code == 2
    assert [line.strip() for line in ran.err.splitlines()[1:-1]] == [told]


@pytest.mark.parametrize("file", ["law.py", "bounds.py", "weights.txt"])
def test_a_change_while_a_sweep_runs_fails_its_points(policy, file):
    class Changing(SweepListener):
        def started(self, *_: int) -> None:
            (policy / file).write_text((policy / file).read_text() + "\n")

    load(str(policy / "wpol.py"))
    try:
        swept = el.sweep(policy / "s.toml", {"seed": [1, 2]}, out=policy / "grid", workers=1, listener=Changing())
    finally:
        el.unregister("wpol")
    said = f"controller 'wpol': {policy / file} has changed since its sweep started"
    assert [failure.why for failure in swept.failures] == [said, said]


def test_a_folder_of_an_earlier_version_says_that_the_code_has_changed(eddyline, policy):
    assert eddyline(*SWEEP).code == 0
    document = json.loads((policy / "grid" / "sweep.json").read_text())
    del document["controller_files"]
    (policy / "grid" / "sweep.json").write_text(json.dumps(document))
    assert eddyline(*SWEEP).code == 0
    (policy / "weights.txt").write_text("16")
    assert "the code of controller wpol has changed\n" in eddyline(*SWEEP).err


def test_a_sweep_continues_where_other_files_change(eddyline, policy):
    assert eddyline(*SWEEP).code == 0
    (policy / "other.txt").write_text("neither declared nor imported")
    (policy / "spare.py").write_text("x = 1\n")
    ran = eddyline(*SWEEP)
    assert ran.code == 0, ran.err


def test_a_file_that_does_not_exist_is_refused(eddyline, policy):
    (policy / "weights.txt").unlink()
    ran = eddyline("run", "s.toml", "--controllers", "wpol.py")
    assert ran.code == 2
    assert f"controller 'wpol': there is no file {policy / 'weights.txt'}" in ran.err
    assert f"files are relative to {policy}" in ran.err


def test_a_class_in_no_file_has_files_of_the_working_directory(policy, monkeypatch):
    class Inner:
        def __init__(self, path: object) -> None:
            self.cwnd = 4.0

        def on_ack(self, ack: object) -> None:
            pass

        on_loss = on_timeout = on_ack

    monkeypatch.chdir(policy)
    Inner.__module__ = "__main__of_a_prompt__"
    el.register("wpol", Inner, files=["weights.txt"])
    swept = el.sweep("s.toml", {"duration": ["1 s", "2 s"]}, out="grid", workers=1)
    assert not swept.failures
    assert not el.sweep("s.toml", {"duration": ["1 s", "2 s"]}, out="grid", workers=1).ran
    (policy / "weights.txt").write_text("16")
    with pytest.raises(el.InputError, match=r"the file weights\.txt, which controller wpol reads, has changed"):
        el.sweep("s.toml", {"duration": ["1 s", "2 s"]}, out="grid", workers=1)


def test_files_are_a_list():
    with pytest.raises(el.InputError, match=r"files is a list of names, not 'policy\.zip'"):
        el.register("wpol", files="policy.zip")(type("A", (), {"on_ack": 1, "on_loss": 1, "on_timeout": 1}))


def test_imports_within_a_package(tmp_path):
    """Relative and absolute ones, packages themselves, and cycles; nothing of other installed packages."""
    files = {
        "mine/__init__.py": "",
        "mine/laws.py": "import numpy\nfrom . import parts\nfrom .deep.inner import A as B\nimport other.thing\n",
        "mine/parts.py": "from mine import laws\n",
        "mine/unused.py": "",
        "mine/deep/__init__.py": "",
        "mine/deep/inner.py": "from ..odd import *\n",
        "mine/odd.py": "this is no Python",
        "other/thing.py": "",
    }

    def written(root):
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return {str(p.relative_to(root)) for p in imported(root / "mine/laws.py", "mine")}

    own = {f for f in files if f.startswith("mine")} - {"mine/laws.py", "mine/unused.py"}
    assert written(tmp_path / "project") == {*own, "other/thing.py"}
    assert written(tmp_path / "lib" / "site-packages") == own
