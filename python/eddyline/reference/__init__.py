"""The pages of `docs/reference/`, generated from the schemas, the register of kinds and the commands."""

from eddyline.reference.pages import pages

__all__ = ["pages"]
