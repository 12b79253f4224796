"""SPICE, where the original keeps it; copies of it have ``spice.Spice`` here too."""

from caplens.compat.pycocoevalcap.spice.spice import Spice

__all__ = ["Spice"]
