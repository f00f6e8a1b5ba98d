"""Papers that can be reproduced.

Each paper is a subpackage, `eddyline.papers.NAME`, which holds all of it:

    paper.toml      title, source, and for the report what stands beside the paper (`worlds`)
    exhibits.toml   what each exhibit says: titles, readings, columns, figures
    claims.toml     what the paper claims, and the rules that decide
    values.toml     the values that the paper prints
    scenarios/      scenario files; `reference/` and `traces/` hold results and input that are not ours
    ERRATA.md       where the paper is wrong, with evidence
    __init__.py     `EXHIBITS`, which maps the id of each exhibit to the function that makes it; `long_notice` where
                    there are runs of hours, which are recorded and which `--long` simulates

The files are part of the installed package. On the command line a paper's name has dashes for underscores.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from eddyline.errors import InputError
from eddyline.papers.paper import Paper, find, papers, unreadable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from eddyline.papers.reproduction import Reproduction
    from eddyline.progress import Observer

__all__ = ["Paper", "find", "long_notice", "papers", "reproduce", "unreadable"]


def reproduce(
    paper: Paper, exhibits: Sequence[str] = (), observer: Observer | None = None, long: bool = False
) -> Reproduction:
    """Reproduces a paper, or some exhibits of it; `observer` receives the progress.

    Args:
        paper: The paper.
        exhibits: Ids of the exhibits that are wanted, all if empty.
        observer: Receives the progress.
        long: Whether runs of hours that the paper's recording lacks are simulated, and recorded.

    Raises:
        InputError: There is no such exhibit, or the paper's package has no `EXHIBITS`.
    """
    from eddyline.papers.reproduction import reproduce_exhibits

    package = _package(paper)
    builders = getattr(package, "EXHIBITS", None)
    if builders is None:
        raise InputError(
            f"{paper.folder}: {paper.name!r} has no exhibits, the package {package.__name__} defines no EXHIBITS",
            "EXHIBITS maps the id of each exhibit to the function that makes it",
        )
    return reproduce_exhibits(paper, builders, exhibits, observer, long)


def long_notice(paper: Paper) -> str:
    """What the long runs of a paper are and how much time they take.

    Raises:
        InputError: The paper has none.
    """
    from eddyline.papers.context import Context

    notice = getattr(_package(paper), "long_notice", None)
    if notice is None:
        raise InputError(f"{paper.name} has no long runs: every reproduction simulates all of it")
    text: str = notice(Context(paper.folder))
    return text


def _package(paper: Paper) -> ModuleType:
    return importlib.import_module(f"{__name__}.{paper.folder.name}")
