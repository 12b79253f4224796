"""Bleu, where aimagelab keeps it."""

from caplens.compat.aimagelab.evaluation.bleu.bleu import Bleu

__all__ = ["Bleu"]
