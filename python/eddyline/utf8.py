"""Names and arguments whose bytes are not UTF-8. Python holds such bytes as lone surrogates, which no document can."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from eddyline.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["displayed", "required"]

_SURROGATES = re.compile("[\ud800-\udfff]")


def displayed(name: str | Path) -> str:
    """The name of a file for messages and titles, with U+FFFD where it is not UTF-8."""
    return _SURROGATES.sub("\ufffd", str(name))


def required(text: str) -> str:
    """The text itself, where a document is to hold it.

    Raises:
        InputError: It is not UTF-8.
    """
    if _SURROGATES.search(text):
        raise InputError(f"{displayed(text)}: not UTF-8")
    return text
