"""Fluency: order and repetition show, references do not matter, every word explains itself."""

from __future__ import annotations

import gzip
import json
import math

import numpy as np
import pytest
from scipy.stats import kendalltau
from tests.command_line import succeed

import caplens
from caplens.learned.fluency.language_model import shipped
from caplens.text.ptb import tokenize
from caplens.text.transformations import permute_words


def scores(captions):
    return caplens.score(captions, metrics="fluency")["Fluency"].item_scores


def test_human_captions_are_above_permuted_ones(shared_dir):
    with gzip.open(shared_dir / "coco_val2014" / "captions_val2014.json.gz") as file:
        words = [tokenize(entry["caption"]) for entry in json.load(file)["annotations"][:20_000:10]]
    human = scores([" ".join(caption) for caption in words])
    generator = np.random.default_rng(0)
    # At least two words change places: the mildest change that there is.
    for strength, share in ((0.01, 0.97), (1.0, 0.99)):
        worse = scores([" ".join(permute_words(caption, strength, generator)) for caption in words])
        assert np.mean(human > worse) > share


def test_it_correlates_with_fluency_as_people_see_it(shared_dir):
    """THumB's penalties for fluency: few captions have one, so the correlation is small."""
    path = shared_dir / "thumb" / "mscoco_mscoco_THumB-1.0.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    penalties = np.array([abs(row["Fl"]) for row in rows])
    found = scores([row["hyp"] for row in rows])
    assert kendalltau(found, -penalties).statistic > 0.04
    assert found[penalties > 0].mean() < found[penalties == 0].mean()


def test_references_are_not_needed_and_do_not_matter():
    alone = scores(["a dog on the grass", "two men"])
    result = caplens.score(["a dog on the grass", "two men"], [["a cat"], ["x", "y"]], metrics="fluency")
    np.testing.assert_array_equal(result["Fluency"].item_scores, alone)
    assert result["Fluency"].score == pytest.approx(alone.mean())
    assert shipped().fingerprint in result["Fluency"].signature


def test_a_caption_without_words_is_below_any_other():
    empty, odd, permuted = scores(["", "zorgl zorgl", "grass the on a a of"])
    assert empty == pytest.approx(shipped().least)
    assert empty < min(odd, permuted) < 0


def test_many_captions_in_blocks_are_the_same_one_by_one():
    captions = ["a dog", "two cats sit on a red couch", ""] * 6000
    found = scores(captions)
    np.testing.assert_array_equal(found, np.tile(found[:3], 6000))


def test_the_explanation_adds_up():
    explanation = caplens.explain("a dog on the zorgl", metric="fluency")
    rows = explanation.sections[1].rows
    assert [row[0] for row in rows] == ["a", "dog", "on", "the", "zorgl (unknown)", "(end)"]
    assert np.mean([row[2] for row in rows]) == pytest.approx(explanation.scores["Fluency"])
    assert all(math.log(row[1]) == pytest.approx(row[2]) for row in rows)
    assert (rows[0][3], rows[1][3], rows[3][3]) == ("(beginning)", "(beginning) a", "dog on")
    assert explanation.facts["perplexity"] == pytest.approx(math.exp(-explanation.scores["Fluency"]))
    assert caplens.explain("", metric="fluency").sections[1].rows == ()


def test_on_the_command_line(tmp_path):
    path = tmp_path / "captions.txt"
    path.write_text("a dog on the grass\ngrass the dog a on\n")
    assert "Fluency" in succeed("score", path, "-m", "fluency")
    assert "word by word" in succeed("explain", "a dog on the grass", "-m", "fluency")


def test_it_can_be_part_of_a_combination():
    captions, references = ["a dog on the grass", "grass a dog the"], [["a dog on grass"]] * 2
    result = caplens.score(captions, references, "sum(rouge, fluency, weights=1 0.1)")
    (score,) = result.values()
    single = caplens.score(captions, references, "rouge, fluency")
    expected = single["ROUGE_L"].item_scores + 0.1 * single["Fluency"].item_scores
    np.testing.assert_allclose(score.item_scores, expected)
