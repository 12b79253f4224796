"""ROUGE-L, where the original keeps it; copies of it have ``rouge.Rouge`` here too."""

from caplens.compat.pycocoevalcap.rouge.rouge import Rouge

__all__ = ["Rouge"]
