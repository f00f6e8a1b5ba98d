"""What flows and links are doing during a run of world `kernel`: lines of JSON that the executable writes."""

from __future__ import annotations

import json
import os
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import TypeAlias

    Watcher: TypeAlias = Callable[[Mapping[str, Any]], object]
    """Receives `time_s`, `flows` (name, goodput_bps, cwnd_packets, srtt_s, retransmits) and `links` (name, packets)."""

__all__ = ["Lines"]


class Lines:
    """Reads a file that grows.

    Args:
        file: The file, open for reading.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._descriptor, self._offset = file.fileno(), 0

    def new(self) -> Iterator[Mapping[str, Any]]:
        """The lines since the last call; one that is not complete comes with the next."""
        size = os.fstat(self._descriptor).st_size
        data = os.pread(self._descriptor, size - self._offset, self._offset)
        complete = data[: data.rfind(b"\n") + 1]
        self._offset += len(complete)
        for line in complete.splitlines():
            yield json.loads(line)
