"""METEOR explains itself: the alignment is the metric's own, and its parts add up to the score."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from tests.command_line import succeed
from tests.conftest import EXAMPLE, needs_meteor

import caplens
from caplens.api.inputs import corpus_of
from caplens.core.prepared import prepare
from caplens.core.state import State
from caplens.output.explanation import Alignment

pytestmark = needs_meteor

ROWS = 120
METRICS = (
    "meteor",
    "meteor(delta=0.5, alpha=0.6, gamma=0.4, beta=0.7, stem=0.3, synonym=0.5, paraphrase=0.9)",
    "meteor(modules=exact+stem, normalize=false)",
)


@pytest.fixture(scope="module")
def prepared():
    corpus = caplens.load_corpus(EXAMPLE / "degraded.json", EXAMPLE / "references.json")
    return prepare(corpus.select(range(ROWS)))


@pytest.fixture(scope="module", params=METRICS)
def explained(request, prepared):
    """A metric and its explanations of all rows."""
    metric = caplens.metric(request.param)
    return metric, [metric.explain(prepared, State(), row) for row in range(ROWS)]


def section(explanation, title):
    (found,) = [section for section in explanation.sections if section.title.startswith(title)]
    return found


def alignment(explanation):
    (found,) = [section for section in explanation.sections if isinstance(section, Alignment)]
    return found


class TestAgainstTheMetric:
    def test_the_score_is_that_of_the_row(self, explained, prepared):
        metric, explanations = explained
        table, best = metric.best_pairs(prepared)
        scores = metric.parts(table)["score"]
        for row, explanation in enumerate(explanations):
            assert explanation.scores == {"METEOR": pytest.approx(scores[row], rel=1e-12)}
            first = prepared.references.offsets[prepared.reference_set[row]]
            assert explanation.facts["best reference"] == best[row] - first + 1

    def test_a_row_alone_has_the_explanation_that_it_has_among_others(self, prepared):
        metric = caplens.metric("meteor")
        corpus = caplens.load_corpus(EXAMPLE / "degraded.json", EXAMPLE / "references.json")
        for row in (0, 17, 99):
            alone = caplens.explain_item(corpus, corpus.ids[row], metric)
            among_others = metric.explain(prepared, State(), row)
            assert alone.sections == among_others.sections
            assert alone.facts == among_others.facts

    def test_the_label_names_the_score(self):
        assert list(caplens.explain("a", ["a"], "meteor(label=M)").scores) == ["M"]


class TestArithmetic:
    def test_matches_add_up_to_precision_and_recall(self, explained):
        for explanation in explained[1]:
            rows = section(explanation, "matches").rows
            assert sum(row[5] for row in rows) == pytest.approx(explanation.facts["precision"])
            assert sum(row[6] for row in rows) == pytest.approx(explanation.facts["recall"])

    def test_precision_and_recall_follow_from_counted_words(self, explained):
        metric, explanations = explained
        for explanation in explanations:
            for name in ("precision", "recall"):
                *stages, (_, _, content, function, whole) = section(explanation, name).rows
                for stage, weight, *words, worth in stages:
                    assert weight == getattr(metric, stage)
                    assert worth == pytest.approx(weight * (metric.delta * words[0] + (1 - metric.delta) * words[1]))
                assert whole == pytest.approx(metric.delta * content + (1 - metric.delta) * function)
                assert sum(row[4] for row in stages) / whole == pytest.approx(explanation.facts[name])

    def test_the_facts_make_the_score(self, explained):
        metric, explanations = explained
        for explanation in explanations:
            facts = explanation.facts
            if not facts["matched words"]:
                continue
            mean = 1 / ((1 - metric.alpha) / facts["precision"] + metric.alpha / facts["recall"])
            assert facts["F-mean"] == pytest.approx(mean)
            words = (facts["matched words"] + facts["matched reference words"]) / 2
            assert facts["fragmentation"] == pytest.approx(facts["chunks"] / words)
            assert facts["penalty"] == pytest.approx(metric.gamma * facts["fragmentation"] ** metric.beta)
            assert explanation.scores["METEOR"] == pytest.approx(mean * (1 - facts["penalty"]))

    def test_the_best_reference_has_its_row(self, explained):
        for explanation in explained[1]:
            rows = section(explanation, "by reference").rows
            assert [row[0] for row in rows] == list(range(1, len(explanation.references) + 1))
            best = rows[explanation.facts["best reference"] - 1]
            assert best[1] == explanation.scores["METEOR"] == max(row[1] for row in rows)
            names = ("precision", "recall", "F-mean", "penalty", "chunks", "matched words", "matched reference words")
            assert best[2:] == tuple(explanation.facts[name] for name in names)


class TestAlignment:
    def test_chunks_are_runs_on_both_sides(self, explained):
        for explanation in explained[1]:
            links = alignment(explanation).links
            assert sorted({link.chunk for link in links}) == list(range(1, explanation.facts["chunks"] + 1))
            for left, right in pairwise(links):
                follows = (right.start, right.reference_start) == (
                    left.start + left.length,
                    left.reference_start + left.reference_length,
                )
                assert right.chunk == left.chunk + (not follows)

    def test_every_word_is_matched_once_or_listed_as_unmatched(self, explained):
        for explanation in explained[1]:
            drawn = alignment(explanation)
            rows = {row[0]: row[1:] for row in section(explanation, "words without").rows}
            for side, words, spans, count in (
                ("candidate", drawn.candidate, [(link.start, link.length) for link in drawn.links], "matched words"),
                (
                    "reference",
                    drawn.reference,
                    [(link.reference_start, link.reference_length) for link in drawn.links],
                    "matched reference words",
                ),
            ):
                matched = [place for start, length in spans for place in range(start, start + length)]
                assert len(matched) == len(set(matched)) == explanation.facts[count]
                missed = [word for place, word in enumerate(words) if place not in matched]
                assert sorted(missed) == sorted(" ".join(rows.get(side, ())).split())

    def test_matches_are_listed_as_they_are_linked(self, explained):
        for explanation in explained[1]:
            drawn = alignment(explanation)
            rows = section(explanation, "matches").rows
            for row, link in zip(rows, drawn.links, strict=True):
                assert row[0].split() == list(drawn.candidate[link.start : link.start + link.length])
                start, length = link.reference_start, link.reference_length
                assert row[1].split() == list(drawn.reference[start : start + length])
                assert row[2:4] == (link.stage, link.chunk)

    def test_all_stages_occur_unless_they_are_switched_off(self, explained):
        metric, explanations = explained
        stages = {link.stage for explanation in explanations for link in alignment(explanation).links}
        assert stages == set(metric.modules.split("+"))


class TestData:
    def test_it_survives_json(self):
        explanation = caplens.explain("a man rides a horse", ["a person is riding a horse"], "meteor")
        data = explanation.to_dict()
        read = json.loads(json.dumps(data, allow_nan=False))
        (drawn,) = [entry for entry in read["sections"] if entry["kind"] == "alignment"]
        assert drawn["candidate"] == ["a", "man", "rides", "a", "horse"]
        assert drawn["links"][2] == {
            "start": 2, "length": 1, "reference_start": 3, "reference_length": 1, "stage": "stem", "chunk": 2,
        }  # fmt: skip
        assert [link["chunk"] for link in drawn["links"]] == [1, 1, 2, 2, 2]

    def test_the_command_draws_it_and_writes_it(self, tmp_path):
        output = tmp_path / "why.json"
        printed = succeed("explain", "a man rides", "--reference", "the man ride", "-m", "meteor", "-o", output)
        assert "            ──par─┬·─stem─\n" in printed
        assert json.loads(output.read_text("utf-8"))["explanations"][0]["sections"][0]["kind"] == "alignment"


class TestNotes:
    def test_rewritten_words_are_named(self):
        notes = caplens.explain("a man in a t-shirt", ["a man in a shirt"], "meteor").notes
        assert notes == ("METEOR's own normaliser rewrites words before they are compared: t-shirt -> t shirt.",)

    def test_nothing_is_said_where_the_words_are_the_tokenizers(self):
        assert caplens.explain("a man in a shirt", ["a person in a t-shirt", "a man in a suit"], "meteor").notes == ()
        assert caplens.explain("a t-shirt hangs", ["one t-shirt"], "meteor(normalize=false)").notes == ()

    def test_captions_that_match_from_end_to_end_are_not_fragmented(self):
        explanation = caplens.explain("a man rides", ["a man rides"], "meteor")
        assert explanation.facts["chunks"] == 1
        assert explanation.facts["fragmentation"] == explanation.facts["penalty"] == 0
        assert explanation.scores["METEOR"] == 1
        assert "no fragmentation" in explanation.notes[0]


@pytest.mark.parametrize(
    ("candidate", "references"),
    [("", ["a dog"]), ("a dog", [""]), ("", [""]), ("xyzzy", ["a dog", "a cat"]), (" ", ["", "a dog"])],
)
def test_captions_without_matches_have_an_explanation(candidate, references):
    explanation = caplens.explain(candidate, references, "meteor")
    assert explanation.scores == {"METEOR": 0}
    assert explanation.facts["best reference"] == 1
    assert alignment(explanation).links == ()
    assert section(explanation, "matches").rows == ()
    assert json.dumps(explanation.to_dict(), allow_nan=False)
    assert "nothing matches" in str(explanation)


def test_a_row_without_references_has_an_explanation():
    corpus = corpus_of({"1": "a dog", "2": "a cat"}, {"1": ["a dog"]}, missing="zero")
    explanation = caplens.explain_item(corpus, "2", "meteor")
    assert explanation.scores == {"METEOR": 0}
    assert "a cat" in str(explanation)
