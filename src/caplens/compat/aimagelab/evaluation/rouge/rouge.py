"""ROUGE-L with aimagelab's calls."""

from __future__ import annotations

from caplens.compat.pycocoevalcap.rouge import rouge
from caplens.compat.pycocoevalcap.rouge.rouge import my_lcs

__all__ = ["Rouge", "my_lcs"]


class Rouge(rouge.Rouge):
    """ROUGE-L of captions that are tokenised already."""

    def __str__(self) -> str:
        return "ROUGE"
