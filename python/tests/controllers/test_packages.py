"""`--controllers` with packages, modules beside a file, and what they print."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest


def test_what_a_controller_prints_goes_to_standard_error(eddyline, tmp_path):
    (tmp_path / "beside.py").write_text('print("imported")\n')
    (tmp_path / "loud.py").write_text(
        "import beside\nimport eddyline as el\nprint('loaded')\n\n"
        "@el.register('loud')\nclass Loud(el.Controller):\n"
        "    def __init__(self, path):\n        self.cwnd = 10.0\n        print('made', 1, sep='-')\n"
        "    def on_ack(self, ack):\n        pass\n    def on_loss(self, loss):\n        pass\n"
        "    def on_timeout(self, timeout):\n        pass\n"
    )
    assert eddyline("init", "two-way.toml").code == 0
    words = ("--set", 'flow.*.controller={ kind = "loud" }', "--json")
    for loaded in ("loud.py", "loud.py:Loud"):
        ran = eddyline("run", "two-way.toml", "--controllers", loaded, *words)
        assert json.loads(ran.out)["world"] == "sim"
        assert all(line in ran.err.splitlines() for line in ("imported", "loaded", "made-1"))
    # a package, and a module beside the file
    (tmp_path / "loud.py").rename(tmp_path / "aloud.py")
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("from . import noisy\n")
    (tmp_path / "pack" / "noisy.py").write_text((tmp_path / "aloud.py").read_text())
    (tmp_path / "main.py").write_text("import sys\nsys.modules['blocked'] = None\nimport aloud\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "__init__.py").write_text("import aloud\n")
    for loaded in ("pack", "main.py", "main", "other"):
        ran = eddyline("run", "two-way.toml", "--controllers", loaded, *words)
        assert json.loads(ran.out)["world"] == "sim"
        assert "made-1" in ran.err.splitlines()


@pytest.mark.parametrize(
    ("named", "module"), [("pack/", "pack"), ("pack/__init__.py", "pack"), ("pack/inner/one.py", "pack.inner.one")]
)
def test_a_package_by_its_folder_or_file_is_told_its_name(eddyline, tmp_path, named, module):
    (tmp_path / "pack" / "inner").mkdir(parents=True)
    for file in ("__init__.py", "inner/__init__.py", "inner/one.py"):
        (tmp_path / "pack" / file).write_text("from . import noisy\n")
    assert eddyline("init", "two-way.toml").code == 0
    ran = eddyline("run", "two-way.toml", "--controllers", named)
    assert (ran.code, f"hint: it is of a package: --controllers {module}\n" in ran.err) == (2, True), ran.err


@pytest.mark.parametrize("package", ["pack", "my-pack"])
def test_the_only_file_of_a_package_is_loaded_as_any_file(eddyline, tmp_path, package):
    (tmp_path / package).mkdir()
    shutil.copy(Path(__file__).parents[3] / "examples" / "controllers" / "reno.py", tmp_path / package / "__init__.py")
    assert eddyline("init", "two-way.toml").code == 0
    assert eddyline("run", "two-way.toml", "--controllers", f"{package}/__init__.py", "-q").code == 0
