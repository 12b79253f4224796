"""BLEU, where the original keeps it; copies of it have ``bleu.Bleu`` here too."""

from caplens.compat.pycocoevalcap.bleu.bleu import Bleu

__all__ = ["Bleu"]
