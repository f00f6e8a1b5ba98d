"""Controllers that installed packages declare."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from conftest import environment

from .conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

EXAMPLE = ROOT / "examples" / "controller-package"

CODE = """\
from pathlib import Path

Path(__file__).with_name("imported").touch()


class Calm:
    '''Keeps its window.'''

    def __init__(self, path, window: float = 10.0):
        self.cwnd = window

    def on_ack(self, ack):
        pass

    on_loss = on_timeout = on_ack
"""

SCENARIO = """\
duration = "1 s"

[[link]]
name = "down"
rate = "10 Mbit/s"
delay = "10 ms"

[[flow]]
name = "f"
controller = { kind = "calm" }
data = ["down"]
ack = ["down"]

[[expect]]
of = "flow.f"
what = "timeouts"
at_most = 0
"""


def put(site: Path, name: str, declared: dict[str, str], version: str = "1.0", about: str = "") -> None:
    """What an installer leaves of a package: its metadata."""
    folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir(parents=True)
    summary = f"Summary: {about}\n" if about else ""
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{summary}")
    lines = "".join(f"{kind} = {where}\n" for kind, where in declared.items())
    (folder / "entry_points.txt").write_text(f"[eddyline.controllers]\n{lines}")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A place for packages, with one of two modules: a valid one and one that cannot be imported."""
    site = tmp_path / "site"
    put(site, "calm-cc", {"calm": "calm:Calm"}, about="Keeps calm")
    (site / "calm.py").write_text(CODE)
    (site / "rotten.py").write_text("import math\n\nmath.sqrt(-1)\n")
    (tmp_path / "calm.toml").write_text(SCENARIO)
    return site


@pytest.fixture
def ran(eddyline, site) -> Callable[..., object]:
    return lambda *args: eddyline(*args, figures=False, PYTHONPATH=str(site))


def test_the_example_is_found_by_every_command(eddyline, installed, tmp_path):
    said = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    site = tmp_path / "site"
    put(site, said["name"], said["entry-points"]["eddyline.controllers"], said["version"], said["description"])
    shutil.copytree(EXAMPLE / "gentle", site / "gentle", ignore=shutil.ignore_patterns("__pycache__"))
    file = EXAMPLE / "gentle.toml"
    assert "unknown kind" in eddyline("run", file).err

    def run(*args: object, by: Callable[..., Any] = eddyline) -> str:
        r = by(*args, PYTHONPATH=str(site))
        assert r.code == 0, r.err
        return r.out

    flows = json.loads(run("run", file, "--json", "--out", "kept", by=installed))["flows"]
    assert [f["controller"] for f in flows] == ["gentle", "gentle"]
    # a window that falls by a tenth from over 53 packets in two flows of one full link (33 + 40 packets there)
    assert sum(f["goodput_bps"] for f in flows) == pytest.approx(10e6 * 1460 / 1500, rel=0.005)
    run("verify", "kept")
    run("check", file)
    run("sweep", file, "--vary", "flow.download.controller.kind=reno,gentle", "--out", "grid", "--workers", 1)
    card = json.loads(run("gauntlet", "--controller", "gentle", "--only", "line-10m", "--seeds", 1, "--json"))
    assert card["controller"] == "gentle"
    entry = json.loads(run("list", "controllers", "--json"))["controllers"][-1]
    assert entry == {"name": "gentle", "summary": said["description"], "source": f"package {said['name']} 1.0"}
    kinds = json.loads(run("schema"))["$defs"]["ControllerParams"]["oneOf"]
    assert kinds[-1]["properties"]["keeps"] == {"type": "string", "format": "percent", "default": "80 %"}


def test_nothing_is_imported_before_a_scenario_names_it(ran, site):
    mark = site / "imported"
    for args in (["--help"], ["list", "controllers"], ["run", "calm.toml", "--set", "flow.f.controller.kind=reno"]):
        assert ran(*args).code == 0
        assert not mark.exists(), args
    assert ran("check", "calm.toml").code == 0
    assert mark.exists()


def test_its_objects_are_collected_at_the_exit(installed, site, tmp_path):
    keeps = "import os\nclass Held:\n    def __del__(self): os.write(2, b'collected')\nheld = Held()\nheld.me = held\n"
    (site / "calm.py").write_text(CODE + keeps)
    ran = installed("run", tmp_path / "calm.toml", "--quiet", PYTHONPATH=str(site))
    assert (ran.code, ran.err) == (0, "collected")


def test_the_help_and_runs_without_it_do_not_read_metadata():
    """Importing that library takes as long as everything else together."""
    code = (
        "import sys; from eddyline.cli import main; code = main({args}); "
        "sys.exit(code or ('importlib.metadata' in sys.modules))"
    )
    upload = str(ROOT / "examples" / "upload.toml")
    for args in (["--help"], ["run", upload, "--set", "duration=50 s", "--json"]):
        p = subprocess.run([sys.executable, "-c", code.format(args=args)], capture_output=True, env=environment())
        assert p.returncode == 0, p.stderr


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("nowhere:Calm", "No module named 'nowhere'"),
        ("calm:Clam", "has no attribute 'Clam'"),
        ("rotten:Calm", "ValueError: "),
        ("calm:CODE", "has no attribute 'CODE'"),
        ("math:pi", "is not a class"),
        ("math", "is not a class"),
        ("pathlib:Path", "Path has no on_ack or on_round, no on_loss, no on_timeout"),
    ],
)
def test_a_broken_package_is_named(ran, site, where, told):
    put(site, "rotten-cc", {"rotten": where}, version="0.3")
    r = ran("run", "calm.toml", "--set", "flow.f.controller.kind=rotten", "--out", "kept")
    assert r.code == 2
    assert f"controller 'rotten' of rotten-cc 0.3 ({where})" in r.err
    assert told in r.err
    assert "eddyline/" not in r.err, "none of our own frames"
    assert not (site.parent / "kept").exists()
    # the others keep working
    assert ran("run", "calm.toml").code == 0
    schema = ran("schema")
    assert (schema.code, '"calm"' in schema.out) == (0, True)
    assert "warning: controller 'rotten' of rotten-cc 0.3" in schema.err
    found = {f["what"]: f for f in json.loads(ran("doctor", "--json").out)}
    assert (found["calm"]["ok"], found["rotten"]["ok"]) == (True, False)


def test_a_package_cannot_redefine_a_built_in_name(ran, site):
    """Otherwise a scenario of the package would change when a controller of that name is built in."""
    put(site, "other-cc", {"cubic": "calm:Calm"})
    for args in (["run", "calm.toml", "--set", "flow.f.controller.kind=cubic"], ["gauntlet", "--controller", "cubic"]):
        r = ran(*args)
        assert r.code == 2
        assert "controller 'cubic' is built in, and other-cc 1.0 declares another one of that name" in r.err
        assert "hint: uninstall other-cc" in r.err
    assert ran("run", "calm.toml").code == 0
    assert ran("run", "calm.toml", "--set", "flow.f.controller.kind=reno").code == 0
    assert "warning: controller 'cubic' is built in" in ran("list").err


def test_a_name_declared_by_two_packages_is_ambiguous(ran, site, tmp_path):
    put(site, "serene-cc", {"calm": "rotten:Calm"}, version="2.0")
    r = ran("run", "calm.toml")
    assert r.code == 2
    assert "controller 'calm' is declared by calm-cc 1.0 and serene-cc 2.0" in r.err
    # --controllers says which one is meant
    (tmp_path / "mine.py").write_text("import eddyline as el\nfrom calm import Calm\nel.register('calm', Calm)\n")
    assert ran("run", "calm.toml", "--controllers", "mine.py").code == 0


def test_the_nearest_name_is_an_installed_one(ran):
    r = ran("run", "calm.toml", "--set", "flow.f.controller.kind=clam")
    assert r.code == 2
    assert r.err.endswith("hint: did you mean calm, of an installed package?\n")
    r = ran("gauntlet", "--controller", "clam")
    assert r.err.startswith(
        "error: --controller clam: there is no such controller\nhint: did you mean calm? controllers are "
    )


def test_parameters_of_one_are_checked(ran):
    r = ran("run", "calm.toml", "--set", "flow.f.controller.kind=calm", "--set", "flow.f.controller.windw=3")
    assert r.code == 2
    assert "did you mean window?" in r.err
