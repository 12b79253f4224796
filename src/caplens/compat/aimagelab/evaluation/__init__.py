"""The ``evaluation`` package of aimagelab's captioning projects (meshed-memory transformer and its descendants).

Examples
--------
>>> gts = PTBTokenizer.tokenize([["A man on a horse.", "A man rides."], ["Two dogs"]])
>>> gen = PTBTokenizer.tokenize(["A man on a horse", "two dogs run"])
>>> scores, of_images = compute_scores(gts, gen)
>>> list(scores)
['BLEU', 'METEOR', 'ROUGE', 'CIDEr']
"""

from __future__ import annotations

from typing import Any

from caplens.compat.aimagelab.evaluation.bleu import Bleu
from caplens.compat.aimagelab.evaluation.cider import Cider
from caplens.compat.aimagelab.evaluation.meteor import Meteor
from caplens.compat.aimagelab.evaluation.rouge import Rouge
from caplens.compat.aimagelab.evaluation.spice import Spice
from caplens.compat.aimagelab.evaluation.tokenizer import PTBTokenizer
from caplens.compat.pycocoevalcap._captions import TokenisedCaptions

__all__ = ["Bleu", "Cider", "Meteor", "PTBTokenizer", "Rouge", "Spice", "compute_all_scores", "compute_scores"]


def compute_scores(gts: TokenisedCaptions, gen: TokenisedCaptions) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the corpus scores and the scores of the images, by the names of the metrics."""
    return _computed((Bleu(), Meteor(), Rouge(), Cider()), gts, gen)


def compute_all_scores(gts: TokenisedCaptions, gen: TokenisedCaptions) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the same with SPICE, as CaMEL has it."""
    return _computed((Bleu(), Meteor(), Rouge(), Cider(), Spice()), gts, gen)


def _computed(
    metrics: tuple[Any, ...], gts: TokenisedCaptions, gen: TokenisedCaptions
) -> tuple[dict[str, Any], dict[str, Any]]:
    computed = {str(metric): metric.compute_score(gts, gen) for metric in metrics}
    return (
        {name: score for name, (score, _) in computed.items()},
        {name: scores for name, (_, scores) in computed.items()},
    )
