"""Diversity of several captions of an image."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.command_line import refuse, succeed

import caplens
from caplens.compat.pycocoevalcap.bleu.bleu_scorer import BleuScorer

CAPTIONS = ["a dog runs on the grass", "a dog runs on the street", "the brown dog runs", "two cats", "two cats", ""]
IMAGES = [1, 1, 1, 2, 2, 3]


def scored(request="diversity", captions=CAPTIONS, groups=IMAGES, **more):
    return caplens.score(captions, metrics=request, groups=groups, **more)


def test_distinct_words_by_image():
    result = scored()
    words = 16
    assert result["Div_1"].item_scores.tolist() == pytest.approx([8 / words] * 3 + [0.5, 0.5, 0])
    assert result["Div_2"].item_scores.tolist() == pytest.approx([8 / words] * 3 + [0.25, 0.25, 0])
    assert result["Div_1"].score == pytest.approx((8 / words + 0.5 + 0) / 3)  # the mean over images, not captions


def test_mutual_bleu_is_bleu_against_the_other_captions():
    scorer = BleuScorer()
    for first, last in ((0, 3), (3, 5)):
        own = CAPTIONS[first:last]
        for place, caption in enumerate(own):
            scorer += (caption, own[:place] + own[place + 1 :])
    scores, of_captions = scorer.compute_score(option="closest")
    result = scored()
    assert result["mBLEU_4"].score == pytest.approx(scores[3], rel=1e-12)
    np.testing.assert_allclose(result["mBLEU_4"].item_scores[:5], of_captions[3], rtol=1e-9)
    assert np.isnan(result["mBLEU_4"].item_scores[5])  # an image of one caption


def test_vocabulary_is_shown_beside_the_scores():
    assert scored().to_dict()["metrics"]["Div_1"]["vocabulary"] == 10


def test_novelty_against_training_captions(tmp_path):
    path = tmp_path / "training.json"
    path.write_text(json.dumps({"7": ["Two cats.", "a bird"]}))
    result = scored(f"diversity(training={path})")
    assert result["Novelty"].item_scores.tolist() == [1, 1, 1, 0, 0, 1]
    assert result["Novelty"].score == pytest.approx(4 / 6)
    assert "training_captions:2" in result["Novelty"].signature
    with pytest.raises(caplens.InputError, match=r"The training captions .* cannot be read"):
        scored(f"diversity(training={tmp_path / 'nothing'})")


def test_order_and_intervals_do_not_matter_by_row():
    order = [5, 3, 0, 4, 2, 1]
    shuffled = scored(captions=[CAPTIONS[row] for row in order], groups=[IMAGES[row] for row in order])
    for key, score in scored().items():
        assert shuffled[key].score == pytest.approx(score.score)
        assert len(shuffled[key].interval) == 2


def test_ids_that_name_an_image_several_times():
    evaluator = caplens.Evaluator("diversity")
    result = evaluator.score(CAPTIONS, ids=IMAGES)
    assert result["Div_1"].score == pytest.approx(scored()["Div_1"].score)
    single = evaluator.score(["a dog"])
    assert single["Div_1"].score == 1
    assert np.isnan(single["mBLEU_4"].score)


def test_more_repetition_is_less_diverse():
    metric = caplens.metric("diversity(label=D)")
    assert metric.falling_keys == {"D_mBLEU_4"}


def test_on_the_command_line(tmp_path):
    path = tmp_path / "captions.jsonl"
    rows = [
        {"id": row, "image": image, "caption": text}
        for row, (image, text) in enumerate(zip(IMAGES, CAPTIONS, strict=True))
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    assert "mBLEU_4" in succeed("score", path, "-m", "diversity")
    assert "cannot be read" in refuse("score", path, "-m", f"diversity(training={tmp_path / 'nothing'})")
    assert "captions of the image" in succeed("explain", path, "--id", "0", "-m", "diversity")
