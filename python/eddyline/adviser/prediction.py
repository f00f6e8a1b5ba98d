"""What the formulas say of a pair of queues, before it is simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.adviser.access import ACK_B, HEADER_B, PACKET_B
from eddyline.adviser.sizing import both_busy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eddyline.adviser.access import Access
    from eddyline.adviser.trial import Queues

__all__ = ["predict"]
