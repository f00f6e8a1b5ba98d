"""Copies of the files that a scenario names, in the folder of its sweep, so that the sweep can be run again from there.

A copy's name is the digest of its content: files that a grown sweep adds come beside those that are there, and folders
of shards have the same copies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.errors import InputError
from eddyline.folder_manifest import digest_of
from eddyline.output import FILES
from eddyline.sweeps.disk import put_copy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from eddyline.sweeps.plan import Plan

__all__ = ["changed", "missing", "store", "stored", "take"]


def store(folder: Path, plan: Plan, digests: Mapping[str, str | None]) -> None:
    """Copies the files of a sweep that its folder lacks.

    Args:
        folder: The folder.
        plan: The sweep, which knows where its files are.
        digests: The digest of each by its name, as in `sweep.json`.

    Raises:
        InputError: A file has changed since its digest was taken.
    """
    missing = {name: digest for name, digest in digests.items() if digest and not _whole(folder / FILES / digest)}
    for name, digest in missing.items():
        put_copy(plan.source.file(name), folder / FILES / digest)
    for name, now in plan.digests(list(missing)).items():
        if now != missing[name]:
            for digest in missing.values():  # the next start copies them again
                (folder / FILES / digest).unlink(missing_ok=True)
            raise InputError(f"{name}: has changed while the sweep started", "the same command tries again")


def _whole(copy: Path) -> bool:
    return copy.exists() and digest_of(copy) == copy.name


def stored(folder: Path, digests: Mapping[str, str | None]) -> dict[str, Path]:
    """The copies that `store` has made, by the names of the files."""
    return {name: folder / FILES / digest for name, digest in digests.items() if digest}


def take(folder: Path, others: Sequence[Path], digests: Mapping[str, str | None]) -> None:
    """Copies from folders of the same sweep what this one lacks."""
    for digest in filter(None, digests.values()):
        if not (folder / FILES / digest).exists():
            found = next((each for other in others if (each := other / FILES / digest).exists()), None)
            if found is not None:
                put_copy(found, folder / FILES / digest)


def changed(folder: Path, known: Mapping[str, Any]) -> list[str]:
    """What is to be said of the copies that are no longer as they were made.

    Args:
        folder: Its folder.
        known: Its description.
    """
    made = {digest: name for name, digest in known["files"].items() if digest and (folder / FILES / digest).exists()}
    wrong = {digest: name for digest, name in made.items() if digest_of(folder / FILES / digest) != digest}
    return [f"{FILES}/{digest}, the copy of {name}, has changed" for digest, name in wrong.items()]


def missing(folder: Path, known: Mapping[str, Any]) -> list[str]:
    """What is to be said of the copies that are gone where others are there; nothing where there are none at all.

    Args:
        folder: Its folder.
        known: Its description.
    """
    if not (folder / FILES).is_dir():  # as of an older version
        return []
    gone = {
        name: digest for name, digest in known["files"].items() if digest and not (folder / FILES / digest).exists()
    }
    return [f"{FILES}/{digest}, the copy of {name}, which is missing now" for name, digest in gone.items()]
