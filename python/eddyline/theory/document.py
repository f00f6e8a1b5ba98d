"""What all results of theory share: a document, a title, a figure."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Document"]


class Document(ABC):
    """A result of theory. SI units, as the names say; what is unknown is null (NaN in frames).

    Args:
        text: The document as JSON.
        title: Title for figures and tables.
    """

    def __init__(self, text: str, title: str) -> None:
        self._text = text
        self._title = title
        self._parsed: Any = json.loads(text)

    @property
    def json(self) -> str:
        """The document, to the byte as `--json` prints it."""
        return self._text

    @property
    def title(self) -> str:
        """Title of the scenario."""
        return self._title

    @property
    def notes(self) -> list[str]:
        """What the result leaves out."""
        return list(self._parsed.get("notes", []))

    def to_dict(self) -> Any:
        """A new copy of the document as a dict (a list, where there are several)."""
        return json.loads(self._text)

    @abstractmethod
    def plot(self) -> Figure:
        """The figure."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._title!r}>"
