"""Captions that tokenizers and kernels stumble over: every metric, and scores that are numbers."""

from __future__ import annotations

import math
from functools import cache

import caplens
from caplens.text.meteor import resources
from caplens.text.tokenizers import NAMES, get_tokenizer
from tests.fuzz.mutations import caption

METRICS = ["bleu", "bleu_smoothed", "rouge", "cider", "cider(variant=plain)", "wmd(vectors=raw)", "wembsim", "spice"]
METRICS += ["greedy_matching", "vector_extrema(combine=min)", "critique", "wmd(combine=mean)", "scenesim"]


@cache
def metrics():
    return METRICS if resources.missing_data() else [*METRICS, "meteor", "meteor(normalize=false)"]


def run(source, folder):
    """Score a few captions with one metric, or cut one into words."""
    if source.random() < 0.3:
        words = get_tokenizer(source.choice(NAMES)).tokenize(caption(source, 30).encode("utf-8", "replace").decode())
        assert all(isinstance(word, str) and word for word in words), words
        return "words"
    count = source.randint(1, 3)
    candidates = [caption(source) for _ in range(count)]
    references = [[caption(source) for _ in range(source.randint(1, 3))] for _ in range(count)]
    if source.random() < 0.1:
        references[0][0] = candidates[0]
    if source.random() < 0.02:
        candidates[0] = " ".join([caption(source)] * 50)
    result = caplens.score(candidates, references, metrics=source.choice(metrics()), jobs=1)
    for key, score in result.items():
        if key.startswith("SPICE"):  # no tuple in candidate and references: no number, as in the reference
            continue
        numbers = [score.score, *score.item_scores.tolist()]
        assert all(math.isfinite(number) for number in numbers), (key, numbers, candidates, references)
    return "scored"
