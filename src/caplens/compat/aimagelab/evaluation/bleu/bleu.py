"""BLEU with aimagelab's calls."""

from __future__ import annotations

from caplens.compat.pycocoevalcap._captions import TokenisedCaptions
from caplens.compat.pycocoevalcap.bleu import bleu


class Bleu(bleu.Bleu):
    """BLEU-1 to BLEU-n; nothing is printed."""

    def compute_score(
        self, gts: TokenisedCaptions, res: TokenisedCaptions, verbose: int = 0
    ) -> tuple[list[float], list[list[float]]]:
        """Return corpus scores and, for each of them, the scores of the images."""
        return super().compute_score(gts, res, verbose)

    def __str__(self) -> str:
        return "BLEU"
