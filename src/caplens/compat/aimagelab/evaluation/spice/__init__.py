"""Spice, where aimagelab keeps it."""

from caplens.compat.aimagelab.evaluation.spice.spice import Spice

__all__ = ["Spice"]
