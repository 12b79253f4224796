"""Captions that are too long are cut in one place, for all metrics."""

from __future__ import annotations

import json
import pickle
import re
import resource
import time

import numpy as np
import pytest
from tests.command_line import refuse, run
from tests.conftest import needs_meteor

import caplens
from caplens.api.frequencies import build_frequencies
from caplens.core.prepared import PreparedCaptions, PreparedReferences
from caplens.core.requirement import WordIds
from caplens.corpus import collect, reference_table
from caplens.text.captions import Captions

LONG = " ".join(["dog"] * 20_000)
# Also between words that the tokenizer cuts apart, so the place of the cut is a matter of words, not of spaces.
TEXT = "a man's dog, a cat and two birds"


def words_of(text, max_words, tokenizer="ptb"):
    references = PreparedReferences(collect(reference_table([["x"]]))[0], max_words=max_words)
    side = PreparedCaptions(Captions.from_texts([text, "short"])[0], references)
    return side.get(WordIds(tokenizer)), side


@pytest.mark.parametrize("tokenizer", ["ptb", "none", "intl", "char"])
@pytest.mark.parametrize("most", [1, 3, 4, 100])
def test_the_first_words_are_kept(tokenizer, most):
    whole, _ = words_of(TEXT, 0, tokenizer)
    cut, side = words_of(TEXT, most, tokenizer)
    assert cut[0] == whole[0][:most]
    assert cut[1] == whole[1][:most]
    assert side.cut == [place for place in (0, 1) if len(whole[place]) > most]


def test_what_follows_from_words_is_cut_with_them():
    side = words_of(TEXT, 3)[1]
    assert side.get(WordIds("ptb", split=True, stem=True)).lengths.tolist() == [3, 1]


METRICS = ["bleu", "bleu_smoothed", "rouge", "cider", "wmd", "wembsim", "spice", "critique", "fluency"]


@pytest.mark.parametrize("metric", [*METRICS, pytest.param("meteor", marks=needs_meteor)])
def test_scores_are_those_of_captions_cut_by_hand(metric):
    references = [["two dogs run in the snow", "a dog in the snow"], ["a man rides a brown horse on the beach"]]
    candidates = ["two dogs and a man in the snow by the sea", "a man on a horse"]
    by_hand = [" ".join(text.split()[:4]) for text in candidates]
    references_by_hand = [[" ".join(text.split()[:4]) for text in texts] for texts in references]
    cut = caplens.score(candidates, references, metric, max_words=4)
    expected = caplens.score(by_hand, references_by_hand, metric)
    for key, score in expected.items():
        np.testing.assert_allclose(cut[key].item_scores, score.item_scores, rtol=1e-12)
        assert "|max_words:4|cut:5|" in cut[key].signature
        assert "cut" not in score.signature
    (notice,) = [notice for notice in cut.warnings if notice.code == "cut-caption"]
    assert str(notice) == (
        "2 candidates and 3 references truncated to the first 4 words: see max_words=... (0, 1, 0, 0, 1)"
    )
    assert not [notice for notice in expected.warnings if notice.code == "cut-caption"]


def test_metrics_with_other_words_share_one_warning():
    """With characters for words other captions are too long, but no caption is counted twice."""
    result = caplens.score(["abcdef", "a b c d"], [["a"], ["b"]], "rouge, cider(tokenizer=char)", max_words=3)
    (notice,) = [notice for notice in result.warnings if notice.code == "cut-caption"]
    assert (notice.count, notice.ids) == (2, ("0", "1"))


def test_a_signature_with_a_cut_can_be_asked_for_again():
    first = caplens.score(["a b c d"], [["a b"]], "rouge", max_words=2)["ROUGE_L"]
    again = caplens.score(["a b c d"], [["a b"]], first.signature, max_words=2)["ROUGE_L"]
    assert (again.score, again.signature) == (first.score, first.signature)


def test_zero_is_no_limit():
    text = " ".join(["dog"] * 3000)
    result = caplens.score([text], [[f"{text} cat"]], "bleu", max_words=0)
    assert not result.warnings
    assert result.runs[0].statistics.table.max() >= 3001
    assert "cut" not in result["Bleu_1"].signature


@pytest.mark.parametrize("most", [-1, 1 << 63])
def test_other_numbers_are_refused(most):
    with pytest.raises(caplens.UsageError, match="`max_words` must be at least 0"):
        caplens.score(["a"], [["a"]], "rouge", max_words=most)


def test_tuples_of_scene_graphs_are_cut():
    graph = [("man",), ("man", "tall"), ("horse",), ("man", "ride", "horse")]
    cut = caplens.score([graph], [[graph]], "spice", max_words=2)["SPICE"]
    expected = caplens.score([graph[:2]], [[graph[:2]]], "spice")["SPICE"]
    assert cut.parts["precision"].score == expected.parts["precision"].score == 1
    assert cut.run.statistics.table.tolist() == expected.run.statistics.table.tolist()
    assert "|max_words:2|cut:2|" in cut.signature
    result = caplens.score([graph], [["a man"]], "spice", max_words=3)
    (notice,) = [notice for notice in result.warnings if notice.code == "cut-caption"]
    assert str(notice) == "1 candidate truncated to the first 3 words or tuples: see max_words=... (0)"


def test_batches_and_comparisons_and_explanations_are_cut():
    rouge = caplens.metric("rouge")
    prepared = rouge.prepare([["two dogs run"]], max_words=2)
    for evaluator in (prepared, pickle.loads(pickle.dumps(prepared))):
        batch = rouge(["two dogs sleep"], evaluator)
        assert batch["ROUGE_L"].score == 1
        assert batch.warnings[0].code == "cut-caption"
    systems = {"a": ["two dogs run"], "b": ["two cats sleep"]}
    comparison = caplens.compare(systems, [["two dogs sleep"]], "rouge", max_words=2)
    assert comparison["a"]["ROUGE_L"].score == 1
    assert [notice.code for notice in comparison.warnings].count("cut-caption") == 1
    explanation = caplens.explain("two dogs run", ["two dogs sleep"], "rouge", max_words=2)
    assert explanation.scores == {"ROUGE_L": 1}
    assert "1 candidate and 1 reference truncated to the first 2 words: see max_words=... (0, 0)" in explanation.notes


def test_document_frequencies_are_of_the_words_that_count(tmp_path):
    references = [["a b c d", "a"], ["a b"]]
    built = [
        build_frequencies(given, tmp_path / f"{most}.parquet", max_words=most)
        for given, most in ((references, 2), ([["a b", "a"], ["a b"]], 0))
    ]
    assert built[0].ngrams == built[1].ngrams
    assert [notice.code for notice in built[0].warnings] == ["cut-caption"]
    assert not built[1].warnings


class TestLongCaptions:
    """What took gigabytes or minutes before."""

    @pytest.fixture
    def frugal(self):
        """Fail if more than 600 MB or 30 s of a processor are used beyond what was used before."""
        before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
        yield
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 600_000
        assert time.process_time() - start < 30

    @needs_meteor
    @pytest.mark.usefixtures("frugal")
    def test_meteor_of_equal_words(self):
        result = caplens.score([LONG], [[LONG]], "meteor")
        assert result["METEOR"].score == pytest.approx(1)
        assert "|max_words:2000|cut:2|" in result["METEOR"].signature

    @pytest.mark.usefixtures("frugal")
    def test_wmd_of_different_words(self, example_dir):
        text = (example_dir / "references.json").read_text(encoding="utf-8").lower()
        words = list(dict.fromkeys(re.findall(r"[a-z]+", text)))
        assert len(words) > 1000
        result = caplens.score([" ".join(words[0::2])], [[" ".join(words[1::2])]], "wmd", max_words=200)
        assert 0 < result["WMD"].score < 1
        assert "|max_words:200|cut:2|" in result["WMD"].signature

    @pytest.mark.usefixtures("frugal")
    @pytest.mark.parametrize("metric", ["spice", "cider", "rouge", "bleu", pytest.param("meteor", marks=needs_meteor)])
    def test_explanations(self, metric):
        explanation = caplens.explain(LONG, [LONG], metric)
        assert len(str(explanation)) < 2_000_000
        assert any("truncated to the first 2,000 words" in note for note in explanation.notes)


class TestCommands:
    CUT = "1 candidate and 1 reference truncated to the first 2 words: see --max-words"

    def test_score_and_compare(self, tmp_path):
        (tmp_path / "ours.json").write_text(json.dumps({"1": "two dogs run", "2": "a cat"}))
        (tmp_path / "theirs.json").write_text(json.dumps({"1": "two cats", "2": "a cat"}))
        (tmp_path / "refs.json").write_text(json.dumps({"1": ["two dogs sleep"], "2": ["a cat"]}))
        options = ("-r", "refs.json", "-m", "rouge", "--max-words", "2")
        scored = run("score", "ours.json", *options, folder=tmp_path)
        assert f"{self.CUT} (1, 1)" in scored.stderr.decode()
        assert "|max_words:2|cut:2|" in scored.stdout.decode()
        assert " 1.0000 " in scored.stdout.decode()
        compared = run("compare", "ours.json", "theirs.json", *options, folder=tmp_path)
        assert self.CUT in compared.stderr.decode()

    def test_explain(self):
        done = run("explain", "two dogs run", "--reference", "two dogs sleep", "-m", "rouge", "--max-words", "2")
        assert "1.0000" in done.stdout.decode()
        assert "truncated to the first 2 words" in done.stdout.decode()

    def test_a_number_below_zero_is_refused(self):
        assert "max-words" in refuse("explain", "a", "--reference", "a", "--max-words", "-1")
