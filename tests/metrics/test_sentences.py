"""The sentence that an explanation begins with says what decided the score."""

from __future__ import annotations

import pytest
from tests.conftest import needs_meteor

import caplens
from caplens.api.inputs import corpus_of

HORSE = "a man rides a horse", ["a man on a horse", "someone riding"]
EMPTY = "", ["a dog"]
NO_REFERENCE = "a dog", [""]
NOTHING = "zebra", ["a dog runs"]
SHORT = "dog", ["a dog runs"]
SAME = "a red dog runs", ["a red dog runs"]
NO_WORD = "no word of the candidate occurs in a reference."
NONE_COUNTS = "counts (stop words and words without a vector do not)."


@pytest.mark.parametrize(
    ("metric", "captions", "said"),
    [
        ("bleu", HORSE, "BLEU-4 is 0: no three words in a row occur in a reference."),
        ("bleu", ("a man rides", ["a man rides"]), "BLEU-4 is 0.0316: the candidate has only 3 words."),
        ("bleu", SHORT, "BLEU-4 is 0: the candidate has only 1 word."),
        ("bleu", EMPTY, "BLEU-4 is 0: the candidate has no words."),
        ("bleu", NO_REFERENCE, f"BLEU-4 is 0: {NO_WORD}"),
        ("bleu", SAME, "BLEU-4 is 1.0000: all 4 words and the only four-word sequence occur in a reference."),
        ("bleu_2", HORSE, "BLEU-2 is 0.6325: 4 of 5 words and 2 of 4 two-word sequences occur in a reference."),
        (
            "bleu_1",
            SHORT,
            "BLEU-1 is 0.1353: the only word occurs in a reference, "
            "and the candidate is short (brevity penalty 0.1353).",
        ),
        (
            "bleu_smoothed",
            HORSE,
            "Smoothed BLEU is 0.4472: 4 of 5 words and 0 of 2 four-word sequences occur in a reference.",
        ),
        ("bleu(label=Ours)", NOTHING, f"Ours is 0: {NO_WORD}"),
        ("rouge", HORSE, "ROUGE-L is 0.8000: 4 of 5 words occur in a reference in the same order."),
        ("rouge", SHORT, "ROUGE-L is 0.4586: the only word occurs in a reference."),
        ("rouge", EMPTY, "ROUGE-L is 0: the candidate has no words."),
        ("rouge", NOTHING, f"ROUGE-L is 0: {NO_WORD}"),
        (
            "cider(df=coco-val2014)",
            SHORT,
            'CIDEr is 1.1288: of what the candidate shares with its references, "dog" contributes most (1.1288).',
        ),
        ("cider(df=coco-val2014)", NOTHING, f"CIDEr is 0: {NO_WORD}"),
        ("spice", NOTHING, "SPICE is 0: no object, attribute or relation of the candidate is in the references."),
        ("spice", EMPTY, "SPICE is 0: no object was found in the candidate."),
        ("spice", NO_REFERENCE, "SPICE is undefined: no object was found in the references."),
        ("wmd", EMPTY, f"WMD is 0: no word of the candidate {NONE_COUNTS}"),
        ("wmd", NO_REFERENCE, f"WMD is 0: no word of the references {NONE_COUNTS}"),
        ("wmd", SAME, "WMD is 1.0000: the candidate and reference 1 have the same words."),
        ("wembsim", EMPTY, f"WEmbSim is 0: no word of the candidate {NONE_COUNTS}"),
        ("wembsim", NO_REFERENCE, f"WEmbSim is 0: no word of the references {NONE_COUNTS}"),
        pytest.param(
            "meteor", HORSE, "METEOR is 0.4109: 4 of 5 words match reference 1, in 2 chunks.", marks=needs_meteor
        ),
        pytest.param(
            "meteor",
            NOTHING,
            "METEOR is 0: no word of the candidate matches a word of a reference.",
            marks=needs_meteor,
        ),
        pytest.param("meteor", EMPTY, "METEOR is 0: the candidate has no words.", marks=needs_meteor),
    ],
)
def test_it_names_what_decided_the_score(metric, captions, said):
    assert caplens.explain(*captions, metric).summary == said


def test_graphs_and_vectors_name_what_counted_most():
    spice = caplens.explain(*HORSE, "spice")
    matched, ours, theirs = (spice.facts[f"{name} tuples"] for name in ("matched", "candidate", "reference"))
    assert matched == ours > 1
    assert f"all {ours} tuples of the candidate are in the references, which have {theirs}." in spice.summary
    wmd = caplens.explain(*HORSE, "wmd")
    word, target, *_, cost = max(wmd.sections[1].rows, key=lambda row: row[-1])
    assert f'moving "{word}" to "{target}" adds most ({cost:.4f}).' in wmd.summary
    wembsim = caplens.explain(*HORSE, "wembsim")
    word, adds = wembsim.sections[1].rows[0]
    assert f'"{word}" adds most ({adds:.4f}), and reference 1 is nearest' in wembsim.summary


def test_weights_that_are_all_zero_are_named():
    explanation = caplens.explain_item(corpus_of(["a dog"] * 2, [["a dog"]] * 2), "0", "cider")
    assert explanation.summary.endswith("its references occurs in every document and has no weight.")
