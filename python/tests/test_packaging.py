"""What is released: one version everywhere, workflows that name what exists, a bill of materials, a citable paper."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")  # comes with dask

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "release"))

import bill  # noqa: E402
import versions  # noqa: E402

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
STEPS = [*WORKFLOWS, ROOT / "docs/guides/gauntlet-ci.yml"]


def test_every_file_has_the_same_version():
    found = versions.versions()
    assert len(found) > 30
    assert set(found.values()) == {found["Cargo.toml"]}


def test_a_tag_of_another_version_is_refused():
    ran = subprocess.run([sys.executable, versions.__file__, "99.0.0"], capture_output=True, text=True)
    assert ran.returncode == 1
    assert "error: Cargo.toml has version" in ran.stderr


def runs(file: Path) -> list[str]:
    jobs = yaml.safe_load(file.read_text())["jobs"].values()
    return [step["run"] for job in jobs for step in job.get("steps", []) if "run" in step]


@pytest.mark.parametrize("file", STEPS, ids=lambda p: p.name)
def test_workflows_are_whole_and_name_what_exists(file):
    workflow = yaml.safe_load(file.read_text())
    assert workflow["name"]
    assert True in workflow, "`on`, which YAML 1.1 reads as true"
    for job in workflow["jobs"].values():
        assert ("uses" in job) != ("steps" in job)
        for needed in [job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", []):
            assert needed in workflow["jobs"]
        for step in job.get("steps", []):
            assert ("uses" in step) != ("run" in step)
            assert "@" in step.get("uses", "@")
    assert workflow.get("permissions") == {"contents": "read"} or file.name == "gauntlet-ci.yml"
    assert "secrets." not in file.read_text()
    makefile = (ROOT / "Makefile").read_text()
    for run in runs(file):
        for goal in re.findall(r"\bmake ([\w./-]+)", run):
            assert re.search(rf"^{re.escape(goal)}:", makefile, re.MULTILINE), goal
        for script in re.findall(r"(?:python|node) ((?:release|scripts)/[\w./]+)", run):
            assert (ROOT / script).exists() or (ROOT / "web" / script).exists(), script


def test_the_workflow_that_users_copy_has_options_that_exist(eddyline):
    known = eddyline("gauntlet", "--help").out
    said = [run for run in runs(ROOT / "docs/guides/gauntlet-ci.yml") if "eddyline gauntlet" in run]
    assert len(said) == 2
    for run in said:
        assert all(f"{option} " in known or f"{option}\n" in known for option in re.findall(r"--[\w-]+", run))


@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")
def test_the_bill_of_materials_has_what_is_compiled_in_and_what_is_needed():
    made = bill.bill()
    assert json.dumps(made) == json.dumps(bill.bill())
    by_kind: dict[str, dict[str, dict[str, object]]] = {}
    for one in made["components"]:
        by_kind.setdefault(re.match(r"pkg:(\w+)/", one["purl"])[1], {})[one["name"]] = one
    assert {"serde", "pyo3", "rand_chacha", "wasm-bindgen"} <= set(by_kind["cargo"])
    assert "proptest" not in by_kind["cargo"], "needed by tests only"
    assert all(one["hashes"] and one["licenses"] for one in by_kind["cargo"].values())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {re.match(r"[\w-]+", d)[0] for d in project["dependencies"]} <= set(by_kind["pypi"])
    assert set(by_kind["npm"]) == {"uplot"}
    assert len({one["bom-ref"] for one in made["components"]}) == len(made["components"])


def test_the_conda_recipe_needs_what_the_wheel_needs():
    recipe = yaml.safe_load((ROOT / "release/conda/recipe.yaml").read_text())
    needed = {d.replace("matplotlib-base", "matplotlib").replace(" ", "") for d in recipe["requirements"]["run"]}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert needed == {*project["dependencies"], f"python{project['requires-python']}"}


def test_the_paper_cites_what_is_in_its_bibliography():
    text = (ROOT / "paper/paper.md").read_text()
    cited = set(re.findall(r"\[@(\w+)\]", text))
    entries = set(re.findall(r"^@\w+\{(\w+),", (ROOT / "paper/paper.bib").read_text(), re.MULTILINE))
    assert cited == entries
    assert len(text.split()) < 1000
