"""Cider, where aimagelab keeps it."""

from caplens.compat.aimagelab.evaluation.cider.cider import Cider

__all__ = ["Cider"]
