"""A metric as the reward of a training loop: ``rewards.py METRIC CANDIDATES REFERENCES OUT ROUNDS``.

METRIC is cider or meteor. The references are prepared once; then batches of 50 captions with five references each are
scored. caplens gets the captions as a model writes them; the original gets them tokenised, and only its scorer is
counted, without its start. The two take turns, so that a busy machine slows both. Their scores of CIDEr differ: the
original can only take document frequencies from the batch.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.meteor.meteor import Meteor

import caplens
from caplens.compat.pycocoevalcap import PTBTokenizer

BATCH = 50
REFERENCES = 5
BATCHES_A_ROUND = 40
ORIGINAL_BATCHES_A_ROUND = 4
ORIGINALS = {"cider": Cider, "meteor": Meteor}


def main(metric: str, candidates: str, references: str, output: str, rounds: str) -> None:
    """Score batches in turn and write captions a second."""
    texts = _by_image(caplens.load_candidates(candidates))
    found = _by_image(caplens.load_references(references))
    sets = {image: found[image][:REFERENCES] for image in texts}
    images = list(sets)
    start = time.perf_counter()
    scorer = caplens.metric(metric)
    prepared = scorer.prepare(sets)
    scorer([texts[image][0] for image in images[:BATCH]], prepared, ids=images[:BATCH])
    ready = time.perf_counter() - start
    tokenizer = PTBTokenizer()
    gts = tokenizer.tokenize({image: [{"caption": text} for text in sets[image]] for image in images})
    res = tokenizer.tokenize({image: [{"caption": texts[image][0]}] for image in images})
    batches = [images[first : first + BATCH] for first in range(0, len(images) - BATCH + 1, BATCH)]
    original = ORIGINALS[metric]()
    original.compute_score({image: gts[image] for image in batches[0]}, {image: res[image] for image in batches[0]})
    (key,) = scorer.keys
    ours, theirs = [], []
    rewards: dict[Any, float] = {}
    for turn in range(int(rounds)):
        for speeds, count, score in ((ours, BATCHES_A_ROUND, True), (theirs, ORIGINAL_BATCHES_A_ROUND, False)):
            chosen = [batches[(turn * count + place) % len(batches)] for place in range(count)]
            start = time.perf_counter()
            for batch in chosen:
                if score:
                    result = scorer([texts[image][0] for image in batch], prepared, ids=batch)
                    rewards.update(zip(batch, result[key].item_scores.tolist(), strict=True))
                else:
                    original.compute_score(
                        {image: gts[image] for image in batch}, {image: res[image] for image in batch}
                    )
            speeds.append(count * BATCH / (time.perf_counter() - start))
    # Prepared references carry the frequencies of the whole corpus, so a batch must get the scores it has there.
    whole = caplens.score({image: texts[image][0] for image in images}, sets, metric)[key].item_scores
    expected = dict(zip(images, whole.tolist(), strict=True))
    difference = max(abs(reward - expected[image]) for image, reward in rewards.items())
    results = {
        "prepare_seconds": ready,
        "reference_sets": len(sets),
        "caplens": ours,
        "original": theirs,
        "difference_from_whole_corpus": difference,
    }
    Path(output).write_text(json.dumps(results))


def _by_image(table: Any) -> dict[Any, list[str]]:  # noqa: ANN401 (a caption table)
    found: dict[Any, list[str]] = {}
    for image, text in zip(table.ids, table.captions, strict=True):
        found.setdefault(image, []).append(text)
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
