"""Numbers as a paper prints them."""

from __future__ import annotations

from decimal import Decimal

__all__ = ["PrintedNumber"]


class PrintedNumber(float):
    """A number with the digits that stand on paper: 0.20 is known to 0.005, and 0.2 to 0.05."""

    _text: str

    def __new__(cls, text: str) -> PrintedNumber:
        """The number that a text is."""
        number = super().__new__(cls, text)
        number._text = text
        return number

    def __getnewargs__(self) -> tuple[str]:  # type: ignore[override]
        return (self._text,)

    @property
    def half_a_digit(self) -> float:
        """Half a unit of the last printed digit."""
        exponent = Decimal(self._text).as_tuple().exponent
        assert isinstance(exponent, int)
        return 0.5 * 10.0**exponent
