"""The scorer of BLEU, where aimagelab keeps it."""

from caplens.compat.pycocoevalcap.bleu.bleu_scorer import BleuScorer, cook_refs, cook_test, precook

__all__ = ["BleuScorer", "cook_refs", "cook_test", "precook"]
