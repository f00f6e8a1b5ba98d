"""The files of a program's own modules that one of its files imports."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["imported"]

_INSTALLED = {"site-packages", "dist-packages"}
"""Names of the folders that hold installed packages."""


def imported(file: Path, package: str) -> list[Path]:
    """The files that its imports lead to, directly and through each other, below the folder that has its package.

    Imports are read from the text, those inside functions too, and nothing is run. Of installed packages only the
    file's own counts: the others change with their version.

    Args:
        file: An absolute path.
        package: The package of its module; empty where there is none.

    Raises:
        OSError: One of the files cannot be read.
    """
    parts = tuple(package.split(".")) if package else ()
    root = file.parents[min(len(parts), len(file.parents) - 1)]
    own = root / parts[0] if parts else None
    found = {file: None}  # in order
    waiting = [file]
    while waiting:
        each = waiting.pop()
        for name in _names(each.read_bytes(), each.parent.relative_to(root).parts):
            other = _module_file(root, name)
            if other is None or other in found:
                continue
            if _INSTALLED.isdisjoint(other.parts) or (own is not None and other.is_relative_to(own)):
                found[other] = None
                waiting.append(other)
    return [each for each in found if each != file]


def _module_file(root: Path, name: tuple[str, ...]) -> Path | None:
    place = root.joinpath(*name)
    return next((f for f in (place / "__init__.py", place.with_name(f"{place.name}.py")) if f.is_file()), None)


def _names(text: bytes, package: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Modules that a text of this package may import, and the packages that contain them or it."""
    yield from (package[: n + 1] for n in range(len(package)))
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return  # it cannot be imported either
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                modules = [tuple(alias.name.split(".")) for alias in node.names]
            case ast.ImportFrom():
                above = package[: len(package) - node.level + 1] if node.level else ()
                module = (*above, *(node.module.split(".") if node.module else ()))
                modules = [(*module, alias.name) for alias in node.names]  # each a module, or a name in it
            case _:
                continue
        for module in modules:
            yield from (module[: n + 1] for n in range(len(module)))
