"""Validation: scenarios of the papers in all worlds, and whether the worlds agree."""

from eddyline.validation.agreement import Agreement, validate
from eddyline.validation.cases import Case, cases

__all__ = ["Agreement", "Case", "cases", "validate"]
