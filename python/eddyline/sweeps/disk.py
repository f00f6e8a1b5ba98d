"""Writes that outlive a loss of power."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["STAGING", "put", "put_copy", "synced"]

STAGING = ".staging"
"""Name of the staging folder, and prefix of staged files."""


def synced(path: Path) -> None:
    """Flushes a file or folder to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def put(path: Path, content: str) -> None:
    """Writes a text file atomically."""
    staged = path.with_name(f"{STAGING}-{path.name}")
    staged.write_text(content, "utf-8")
    _put(staged, path)


def put_copy(source: Path, path: Path) -> None:
    """Copies a file atomically; the folder is made where there is none."""
    path.parent.mkdir(exist_ok=True)
    staged = path.with_name(f"{STAGING}-{path.name}")
    shutil.copyfile(source, staged)
    _put(staged, path)


def _put(staged: Path, path: Path) -> None:
    synced(staged)
    staged.replace(path)
    synced(path.parent)
