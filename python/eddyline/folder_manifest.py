"""`manifest.json` of an output folder: which files a command wrote there, with the SHA-256 of each.

A file whose name is not listed is somebody else's, and is never replaced.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

__all__ = ["FORMAT", "MANIFEST", "digest_of", "foreign", "write"]

MANIFEST = "manifest.json"

FORMAT = 1
"""Of the manifest."""


def digest_of(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write(folder: Path, **about: Any) -> None:
    """Lists all files that are in a folder, in its manifest.

    Args:
        folder: The folder.
        about: Further keys.
    """
    held = {str(p.relative_to(folder)): digest_of(p) for p in sorted(folder.rglob("*")) if p.is_file()}
    document = {"format": FORMAT, **about, "sha256": held}
    (folder / MANIFEST).write_text(json.dumps(document, indent=2) + "\n", "utf-8")


def foreign(folder: Path, own: Collection[str]) -> list[str]:
    """What is in a folder that no earlier output of a kind has put there, sorted.

    Empty folders below the top are left out.

    Args:
        folder: The folder.
        own: Names that output of the kind has at the top. With `MANIFEST` among them that lists what was written; else
            all of them are files.
    """
    listed = _listed(folder) if MANIFEST in own else None
    found = []
    for place in sorted(folder.iterdir()):
        inside = place.is_dir() and not place.is_symlink()
        if place.name not in own or (listed is None and inside):
            found.append(place.name)
        elif listed is not None:
            files = [p for p in place.rglob("*") if p.is_symlink() or not p.is_dir()] if inside else [place]
            found += sorted(name for p in files if (name := str(p.relative_to(folder))) not in listed)
    return found


def _listed(folder: Path) -> set[str]:
    """Names in the manifest, and its own; none where there is no manifest that can be read."""
    try:
        document = json.loads((folder / MANIFEST).read_text("utf-8"))
        return {MANIFEST, *map(str, dict(document["sha256"]))}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return set()
