"""CIDEr and CIDEr-D of files of captions, with the calls and the printed lines of the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from caplens.compat.pyciderevalcap.cider.cider import Cider
from caplens.compat.pyciderevalcap.ciderD.ciderD import CiderD
from caplens.compat.pyciderevalcap.tokenizer.ptbtokenizer import PTBTokenizer

__all__ = ["CIDErEvalCap", "Cider", "CiderD", "PTBTokenizer"]


class CIDErEvalCap:
    """Evaluates captions by CIDEr and CIDEr-D.

    Parameters
    ----------
    gts : dict
        Lists of ``{"caption": "..."}`` by image.
    res : list of dict
        ``{"image_id": ..., "caption": "..."}``.
    df : str
        ``corpus``, the name of a file in ``data``, or a path.
    """

    def __init__(
        self, gts: Mapping[Any, Sequence[Mapping[str, Any]]], res: Sequence[Mapping[str, Any]], df: str
    ) -> None:
        print("tokenization...")
        self.gts = PTBTokenizer("gts").tokenize(gts)
        print("tokenized refs")
        self.res = PTBTokenizer("res").tokenize(res)
        print("tokenized cands")
        self.df = df

    def evaluate(self) -> dict[str, list[Any]]:
        """Return the scores of the captions by metric, and print their means."""
        print("setting up scorers...")
        found: dict[str, list[Any]] = {}
        scorers: dict[str, Cider | CiderD] = {"CIDEr": Cider(df=self.df), "CIDErD": CiderD(df=self.df)}
        for name, scorer in scorers.items():
            print(f"computing {scorer.method()} score...")
            score, scores = scorer.compute_score(self.gts, self.res)
            print(f"Mean {name} score: {score:0.3f}")
            found[name] = list(scores)
        return found
