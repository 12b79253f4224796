"""The COCO caption evaluation with the calls and the printed lines of the original."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from caplens.compat.pycocoevalcap.bleu.bleu import Bleu
from caplens.compat.pycocoevalcap.cider.cider import Cider
from caplens.compat.pycocoevalcap.meteor.meteor import Meteor
from caplens.compat.pycocoevalcap.rouge.rouge import Rouge
from caplens.compat.pycocoevalcap.spice.spice import Spice
from caplens.compat.pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer
from caplens.errors import MissingDataError, UsageError

__all__ = ["Bleu", "COCOEvalCap", "Cider", "Meteor", "PTBTokenizer", "Rouge", "Spice"]

SCORERS = {
    "Bleu": ("Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4"),
    "Meteor": ("METEOR",),
    "Rouge": ("ROUGE_L",),
    "Cider": ("CIDEr",),
    "Spice": ("SPICE",),
}
"""The names of the original's scorers in its order, with the keys of their scores."""
CORPUS = "corpus"
_OwnSpice = Spice


class CaptionSet(Protocol):
    """What is needed of ``pycocotools.coco.COCO``."""

    imgToAnns: Mapping[Any, Sequence[Mapping[str, Any]]]

    def getImgIds(self) -> Sequence[Any]:
        """Return the ids of the images."""


class COCOEvalCap:
    """Evaluates the captions of ``cocoRes`` against those of ``coco``.

    Parameters
    ----------
    coco, cocoRes : pycocotools.coco.COCO
        References and candidates, or anything else with ``getImgIds()`` and ``imgToAnns``.
    df : str
        ``corpus``, which a fork of the original takes: CIDEr's document frequencies come from the references.

    Attributes
    ----------
    params : dict
        ``params["image_id"]``: the images to evaluate, all of ``coco`` unless changed.
    eval : dict
        The corpus scores by key, after `evaluate`.
    imgToEval : dict
        The scores of every image by its id.
    evalImgs : list of dict
        The same in a list.
    """

    def __init__(self, coco: CaptionSet, cocoRes: CaptionSet, df: str = CORPUS) -> None:
        if df != CORPUS:
            raise UsageError(f"COCOEvalCap has no document frequencies {df!r}: pass {CORPUS!r}, or use CiderD(df=...).")
        self.evalImgs: list[dict[str, Any]] = []
        self.eval: dict[str, Any] = {}
        self.imgToEval: dict[Any, dict[str, Any]] = {}
        self.coco = coco
        self.cocoRes = cocoRes
        self.params: dict[str, Any] = {"image_id": coco.getImgIds()}

    def evaluate(self) -> None:
        """Tokenise both sides, compute all scores and print them."""
        images = list(self.params["image_id"])
        print("tokenization...")
        tokenizer = PTBTokenizer()
        gts = tokenizer.tokenize({image: self.coco.imgToAnns[image] for image in images})
        res = tokenizer.tokenize({image: self.cocoRes.imgToAnns[image] for image in images})
        print("setting up scorers...")
        for scorer, keys in set_up_scorers():
            run_scorer(self, scorer, keys, gts, res)
        self.setEvalImgs()

    def setEval(self, score: Any, method: str) -> None:  # noqa: ANN401 (a Python or a numpy float, as the scorer has it)
        """Keep a corpus score."""
        self.eval[method] = score

    def setImgToEvalImgs(self, scores: Iterable[Any], imgIds: Iterable[Hashable], method: str) -> None:
        """Keep the scores of images."""
        for image, score in zip(imgIds, scores, strict=False):
            self.imgToEval.setdefault(image, {"image_id": image})[method] = score

    def setEvalImgs(self) -> None:
        """Put the images' scores in a list."""
        self.evalImgs = list(self.imgToEval.values())


def run_scorer(
    evaluation: COCOEvalCap,
    scorer: Any,  # noqa: ANN401 (one of ours, or what a script has put in its place)
    keys: Sequence[str],
    gts: dict[Any, list[str]],
    res: dict[Any, list[str]],
) -> None:
    """Compute one metric, keep its scores and print them."""
    print(f"computing {scorer.method()} score...")
    score, scores = scorer.compute_score(gts, res)
    # SPICE alone sorts the images; the original forgets that here, so that they get each other's scores.
    images = sorted(gts) if isinstance(scorer, _OwnSpice) else list(gts)
    by_key = zip(score, scores, keys, strict=False) if len(keys) > 1 else [(score, scores, keys[0])]
    for corpus_score, image_scores, key in by_key:
        evaluation.setEval(corpus_score, key)
        evaluation.setImgToEvalImgs(image_scores, images, key)
        print(f"{key}: {corpus_score:0.3f}")


def set_up_scorers() -> list[tuple[Any, tuple[str, ...]]]:
    """Make all scorers before the first works, and say which are left out: none may cost the others their results.

    They are looked up by name in this module when an evaluation begins: scripts replace them there
    (``pycocoevalcap.eval.Spice = Dummy``).
    """
    scorers = []
    for name, keys in SCORERS.items():
        try:
            scorers.append((globals()[name](), keys))
        except MissingDataError as error:
            print(f"left out: {error}")
    return scorers
