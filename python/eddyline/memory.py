"""How much memory the packets of a run may take."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path, PurePosixPath

__all__ = ["DEFAULT_BYTES", "MIN_BYTES", "available", "budget", "parse"]

DEFAULT_BYTES = 2 << 30
"""Taken for the free memory where the operating system does not say it."""

MIN_BYTES = 64 << 20
"""The minimum budget of a run: a quarter of a million packets."""

UNITS = {"B": 1, "kB": 10**3, "KiB": 1 << 10, "MB": 10**6, "MiB": 1 << 20, "GB": 10**9, "GiB": 1 << 30}


def available() -> int:
    """Bytes that this process may still take: free memory, or less by limits of the process or its control group."""
    free = [amount for amount in (_free(), _of_process(), _of_control_group()) if amount is not None]
    return max(min(free, default=DEFAULT_BYTES), 0)


def budget() -> int:
    """Bytes for the packets of one run: half of what is available, shared between processes where this is a worker.

    At least `MIN_BYTES`, so that what counts as used elsewhere refuses no ordinary run.
    """
    # a worker has loaded it; loading it takes longer than a short run
    workers = sys.modules.get("multiprocessing")
    alone = workers is None or workers.parent_process() is None
    return max(available() // (2 * (1 if alone else os.cpu_count() or 1)), MIN_BYTES)


def parse(text: str) -> int:
    """The bytes of `2 GB`, `512MiB` and the like.

    Raises:
        ValueError: It is not an amount of memory.
    """
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([A-Za-z]+)\s*", text)
    if match is None or match[2] not in UNITS:
        raise ValueError(f"{text!r} is not an amount of memory, such as 2 GB; units are {', '.join(UNITS)}")
    return int(float(match[1]) * UNITS[match[2]])


def _free() -> int | None:
    kib = _entry("/proc/meminfo", "MemAvailable:")
    return None if kib is None else kib << 10


def _of_process() -> int | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    pages = _read("/proc/self/statm").split()
    return limit - (int(pages[0]) * resource.getpagesize() if pages else 0)


def _of_control_group() -> int | None:
    """What the control groups of this process leave, the parents' too: Slurm and containers limit memory by them."""
    left = []
    for line in _read("/proc/self/cgroup").splitlines() or ["0::/"]:
        _, controllers, path = line.split(":", 2)
        if not controllers:
            folder, names = "/sys/fs/cgroup", ("max", "current", "file")
        elif "memory" in controllers.split(","):  # version 1
            folder, names = "/sys/fs/cgroup/memory", ("limit_in_bytes", "usage_in_bytes", "total_cache")
        else:
            continue
        # in a container the path may be that outside, and the group is the folder itself
        parents = (PurePosixPath(path), *PurePosixPath(path).parents)
        left += [_of_group(f"{folder}{parent if parent.name else ''}", *names) for parent in parents]
    return min((each for each in left if each is not None), default=None)


def _of_group(folder: str, limit: str, used: str, cached: str) -> int | None:
    maximum, now = (_read(f"{folder}/memory.{name}").strip() for name in (limit, used))
    if not (maximum.isdigit() and now.isdigit()):
        return None
    # the kernel counts cached files as used, and gives them up when memory is short
    return int(maximum) - int(now) + (_entry(f"{folder}/memory.stat", cached) or 0)


def _entry(path: str, name: str) -> int | None:
    """The number behind a name in a file of names and numbers."""
    # without a regular expression, which would take longer to compile than the file to read
    return next((int(words[1]) for line in _read(path).splitlines() if (words := line.split())[:1] == [name]), None)


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
