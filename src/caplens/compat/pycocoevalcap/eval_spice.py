"""SPICE alone with the calls of the COCO evaluation, as forks of the original have it."""

from __future__ import annotations

from caplens.compat.pycocoevalcap.eval import CaptionSet, COCOEvalCap, run_scorer
from caplens.compat.pycocoevalcap.spice.spice import AllSpice, Spice
from caplens.compat.pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

__all__ = ["COCOEvalCapSpice", "PTBTokenizer", "Spice"]


class COCOEvalCapSpice(COCOEvalCap):
    """Evaluates captions as `COCOEvalCap` does, with SPICE only; an image may have several candidates (AllSPICE)."""

    def __init__(self, coco: CaptionSet, cocoRes: CaptionSet) -> None:
        super().__init__(coco, cocoRes)
        self.Spice = AllSpice()

    def evaluate(self) -> None:
        """Tokenise both sides, compute SPICE and print it."""
        images = list(self.params["image_id"])
        print("tokenization...")
        tokenizer = PTBTokenizer()
        gts = tokenizer.tokenize({image: self.coco.imgToAnns[image] for image in images})
        res = tokenizer.tokenize({image: self.cocoRes.imgToAnns[image] for image in images})
        print("setting up scorers...")
        run_scorer(self, self.Spice, ("SPICE",), gts, res)
        self.setEvalImgs()
