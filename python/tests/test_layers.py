"""Imports inside the package run down its layers, those inside functions and for type checkers included."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import eddyline

PACKAGE = Path(eddyline.__file__).parent

LAYERS = (
    ("the extension", ("_core",)),
    ("errors", ("errors",)),
    (
        "basics",
        (
            "accurate_ecn",
            "arguments",
            "columns",
            "captures",
            "ctrl_c",
            "display",
            "encoding",
            "fairness",
            "folder_manifest",
            "frames",
            "junit",
            "keys",
            "latency",
            "live",
            "locks",
            "lost_connections",
            "memory",
            "observations",
            "output",
            "packet_log",
            "parallel",
            "parquet",
            "progress",
            "qlog",
            "quantities",
            "quic_packets",
            "ranges",
            "recording",
            "retransmissions",
            "scratch",
            "source",
            "spelling",
            "streams",
            "summary",
            "teardown",
            "utf8",
            "watching",
        ),
    ),
    ("figures", ("plots",)),
    ("result folders", ("result_folder",)),
    ("controllers", ("controllers",)),
    ("kinds", ("capacity", "framing", "kinds", "phase_effects", "remarks")),
    ("worlds", ("questions", "worlds")),
    ("scenarios", ("loading", "results", "scenario")),
    (
        "runs",
        (
            "comparison",
            "deviations",
            "environment",
            "measurement",
            "probing",
            "runs",
            "subject",
            "sweeps",
            "trusted_runs",
        ),
    ),
    ("theory and advice", ("adviser", "tables", "theory")),
    ("reports", ("reports",)),
    ("studies", ("evaluation", "gauntlet", "papers", "validation")),
    ("opening", ("interactive", "opening")),
    ("the command line", ("cli",)),
    ("the generator of the reference", ("reference",)),
    ("the public package", ("__init__", "__main__")),
)
"""From the ground up: a module imports from lower layers, and inside its own layer without a circle."""

FLOOR = {name: floor for floor, (_, names) in enumerate(LAYERS) for name in names}


def _name(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_name(file): file for file in PACKAGE.rglob("*.py")}


@cache
def _imports(module: str) -> dict[str, int]:
    """The modules of the package that a module imports, each with a line."""
    found: dict[str, int] = {}
    for node in ast.walk(ast.parse(MODULES[module].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name: node.lineno for alias in node.names if alias.name.split(".")[0] == "eddyline"}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "eddyline":
            assert node.module is not None
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found[inner if inner in MODULES or inner == "eddyline._core" else node.module] = node.lineno
    return found


def _part(module: str) -> str:
    return "__init__" if module == "eddyline" else module.split(".")[1]


def test_every_module_has_a_layer() -> None:
    assert {_part(module) for module in MODULES} - set(FLOOR) == set()


def test_imports_run_down() -> None:
    wrong = [
        f"{module}, line {line}: imports {imported} ({LAYERS[FLOOR[_part(imported)]][0]})"
        for module in MODULES
        for imported, line in _imports(module).items()
        if FLOOR[_part(imported)] > FLOOR[_part(module)]
    ]
    assert wrong == []


def test_no_module_imports_itself_in_a_circle() -> None:
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join([*path[path.index(module) :], module])
        if module not in done and module in MODULES:
            for imported in _imports(module):
                visit(imported, (*path, module))
            done.add(module)

    for module in MODULES:
        visit(module, ())
