"""`caplens.explain`: the details add up to the score."""

from __future__ import annotations

import json
import math
from collections import Counter

import pytest
from tests.conftest import needs_meteor

import caplens
from caplens.metrics.cider.metric import NOTE_ALONE
from caplens.scenegraph.parser import caption_parser as student

CANDIDATE = "a man rides a brown horse"
REFERENCES = ["a man riding a brown horse", "a person on a horse", "the man rides a horse on the beach"]
METRICS = (
    "bleu",
    "bleu_smoothed",
    "rouge",
    "cider",
    "cider(variant=plain)",
    "cider(n=2, label=Short)",
    pytest.param("meteor", marks=needs_meteor),
    "spice",
    "spice(repeat=once, label=Once)",
    "spider",
    "wmd",
    "wembsim",
    "greedy_matching",
    "vector_extrema",
)


@pytest.fixture(scope="module")
def corpus(example_dir):
    return caplens.load_corpus(example_dir / "degraded.json", example_dir / "references.json")


def section(explanation, title):
    (found,) = [section for section in explanation.sections if section.title.startswith(title)]
    return found


def rows_under(explanation, title):
    return [row for section in explanation.sections if section.title.startswith(title) for row in section.rows]


class TestAll:
    @pytest.mark.parametrize("metric", METRICS)
    @pytest.mark.parametrize("place", [0, 17, 249])
    def test_the_score_of_a_row_is_that_of_score(self, corpus, metric, place):
        result = caplens.score(corpus, metrics=metric)
        explanation = caplens.explain_item(corpus, corpus.ids[place], metric)
        assert explanation.scores.keys() == result.keys()
        for key, score in result.items():
            assert explanation.scores[key] == pytest.approx(score.item_scores[place], rel=1e-12, abs=1e-12, nan_ok=True)

    @pytest.mark.parametrize("metric", METRICS)
    def test_it_is_plain_data(self, metric):
        explanation = caplens.explain(CANDIDATE, REFERENCES, metric)
        data = explanation.to_dict()
        assert json.loads(json.dumps(data, allow_nan=False))["candidate"] == CANDIDATE
        assert data["references"] == tuple(REFERENCES)
        assert {entry["kind"] for entry in data["sections"]} <= {"table", "text", "alignment", "tuples", "scene_graphs"}
        assert caplens.metric(data["metric"]) == caplens.metric(metric).alone()[0]

    @pytest.mark.parametrize("metric", METRICS)
    def test_it_prints_captions_scores_and_sections(self, metric):
        explanation = caplens.explain(CANDIDATE, REFERENCES, metric)
        text = str(explanation)
        for part in (CANDIDATE, *REFERENCES, *explanation.scores, *(entry.title for entry in explanation.sections)):
            assert part in text

    @pytest.mark.parametrize("metric", METRICS)
    @pytest.mark.parametrize(("candidate", "references"), [("", ["a dog"]), ("a dog", [""]), ("", [""])])
    def test_empty_captions_have_an_explanation(self, metric, candidate, references):
        explanation = caplens.explain(candidate, references, metric)
        score = caplens.score([candidate], [references], metric)
        assert list(explanation.scores.values()) == pytest.approx(
            [entry.score for entry in score.values()], nan_ok=True
        )
        assert str(explanation)

    def test_other_rows_are_not_parsed_for_one(self, corpus, monkeypatch):
        seen = []

        class Counting:
            def parse(self, captions):
                seen.extend(captions)
                return student.load().parse(captions)

        caplens.register_parser("counting", Counting())
        caplens.explain_item(corpus, corpus.ids[3], "spice(parser=counting)")
        assert len(seen) <= 5

    def test_words_are_marked(self):
        words = caplens.explain(CANDIDATE, REFERENCES, "bleu").sections[0].words
        assert words == tuple((word, "match") for word in CANDIDATE.split())
        assert ("zebra", "miss") in caplens.explain("a zebra", REFERENCES, "bleu").sections[0].words

    def test_mistakes_are_said_in_one_sentence(self, corpus):
        with pytest.raises(caplens.InputError, match=r"There is no row with the id 'x'; there are .* and 245 more"):
            caplens.explain_item(corpus, "x")
        with pytest.raises(caplens.InputError, match="a list of captions, not a single string"):
            caplens.explain("a", "a")
        with pytest.raises(caplens.InputError, match="1 of 1 candidates has no references"):
            caplens.explain("a", [])
        with pytest.raises(caplens.UsageError, match="is a group of metrics, not one"):
            caplens.explain("a", ["a"], "coco")

    def test_an_id_may_be_a_number(self, corpus):
        assert caplens.explain_item(corpus, int(corpus.ids[0]), "rouge") == caplens.explain_item(
            corpus, corpus.ids[0], "rouge"
        )


class TestBleu:
    def test_the_table_is_the_statistics(self, corpus):
        statistics = caplens.score(corpus, metrics="bleu")["Bleu_4"].run.statistics
        for place in (0, 17, 249):
            explanation = caplens.explain_item(corpus, corpus.ids[place], "bleu")
            for order, matched, total, precision in section(explanation, "by order").rows:
                assert matched == statistics[f"matches_{order}"][place]
                assert total == statistics[f"ngrams_{order}"][place]
                assert precision == pytest.approx(matched / total if total else 0, abs=1e-5)
                rows = section(explanation, f"{order}-grams").rows
                assert sum(row[1] for row in rows) == total
                assert sum(row[3] for row in rows) == matched
            assert explanation.facts["length"] == statistics["length"][place]
            assert explanation.facts["reference length"] == statistics["reference_length"][place]

    def test_matches_are_clipped_by_the_reference_that_has_most(self):
        explanation = caplens.explain("the the the cat", ["the cat", "the big the small"], "bleu")
        assert section(explanation, "1-grams").rows == (("the", 3, 2, 2), ("cat", 1, 1, 1))

    def test_a_short_caption_has_its_penalty(self):
        assert caplens.explain("a man", REFERENCES, "bleu").facts["brevity penalty"] < 0.5
        assert caplens.explain(CANDIDATE, REFERENCES, "bleu").facts["brevity penalty"] == pytest.approx(1)


class TestRouge:
    def test_each_reference_has_its_longest_common_subsequence(self):
        rows = section(caplens.explain(CANDIDATE, REFERENCES, "rouge"), "by reference").rows
        assert [(row[0], row[1], row[2]) for row in rows] == [
            (1, "a man a brown horse", 5),
            (2, "a a horse", 3),
            (3, "man rides a horse", 4),
        ]
        assert rows[0][3:] == pytest.approx((5 / 6, 5 / 6))

    def test_the_best_of_the_table_make_the_score(self, corpus):
        for place in range(0, 250, 25):
            explanation = caplens.explain_item(corpus, corpus.ids[place], "rouge")
            rows = section(explanation, "by reference").rows
            precision, recall = max(row[3] for row in rows), max(row[4] for row in rows)
            assert explanation.facts["best precision"] == pytest.approx(precision)
            assert explanation.facts["best recall"] == pytest.approx(recall)
            expected = (1 + 1.2**2) * precision * recall / (recall + 1.2**2 * precision)
            assert explanation.scores["ROUGE_L"] == pytest.approx(expected)


class TestCider:
    @pytest.mark.parametrize("options", ["", "variant=plain", "n=1", "n=2", "sigma=2", "tokenizer=none"])
    def test_what_the_ngrams_add_is_the_score(self, corpus, monkeypatch, options):
        monkeypatch.setattr("caplens.metrics.cider.explanation.MOST_ROWS", 10_000)
        for place in range(0, 250, 25):
            explanation = caplens.explain_item(corpus, corpus.ids[place], f"cider({options})")
            added = [row[4] for row in section(explanation, "most valuable matches").rows]
            assert sum(added) == pytest.approx(explanation.scores["CIDEr"], rel=1e-9, abs=1e-12)
            assert added == sorted(added, reverse=True)
            orders = [value for name, value in explanation.facts.items() if name.startswith("order ")]
            assert sum(orders) / len(orders) == pytest.approx(explanation.scores["CIDEr"])

    def test_only_the_most_valuable_are_listed(self, corpus):
        explanation = caplens.explain_item(corpus, corpus.ids[0], "cider")
        assert all(len(entry.rows) <= 12 for entry in explanation.sections[1:])

    def test_documents_and_weights_are_those_of_the_corpus(self, corpus, monkeypatch):
        monkeypatch.setattr("caplens.metrics.cider.explanation.MOST_ROWS", 10_000)
        documents = Counter()
        for index in range(len(corpus.references)):
            documents.update({word for text in corpus.references.texts(index) for word in text.split()})
        explanation = caplens.explain_item(corpus, corpus.ids[3], "cider(n=1, tokenizer=none)")
        assert explanation.facts["documents"] == 250
        listed = [row for title in ("most valuable", "unshared") for row in rows_under(explanation, title)]
        assert len(listed) > 10
        for word, frequency, weight, *_ in listed:
            assert frequency == documents[word]
            assert weight == pytest.approx(math.log(250) - math.log(max(1, frequency)))

    @pytest.mark.parametrize("metric", ["cider", "spider"])
    def test_a_single_caption_uses_the_frequencies_that_ship_and_says_so(self, metric):
        explanation = caplens.explain(CANDIDATE, REFERENCES, metric)
        shipped = caplens.explain(CANDIDATE, REFERENCES, f"{metric}(df=coco-val2014)")
        assert next(iter(explanation.scores.values())) > 1
        assert explanation.scores == shipped.scores
        assert explanation.metric == shipped.metric
        assert explanation.notes == (NOTE_ALONE, *shipped.notes)
        assert "note: A single row has no useful document frequencies" in str(explanation)

    def test_two_rows_are_a_corpus(self, corpus):
        explanation = caplens.explain_item(corpus.select([0, 1]), corpus.ids[0], "cider")
        assert explanation.facts["documents"] == 2
        assert NOTE_ALONE not in explanation.notes

    def test_where_those_that_ship_do_not_fit_a_note_says_that_the_score_means_nothing(self):
        for options in ("variant=plain", "tokenizer=none", "n=5"):
            explanation = caplens.explain(CANDIDATE, REFERENCES, f"cider({options})")
            assert explanation.scores["CIDEr"] == 0
            assert "only 1 row" in explanation.notes[0]
            assert explanation.summary == (
                "CIDEr is 0: n-grams have no weight because all document frequencies come from a single row."
            )
