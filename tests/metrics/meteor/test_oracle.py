"""METEOR's kernels against the plain prose of tests/meteor_oracle.py."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests import meteor_oracle
from tests.conftest import needs_meteor
from tests.meteor_oracle import Match, Tables

from caplens.api.inputs import corpus_of
from caplens.core.prepared import prepare
from caplens.metrics.meteor._aligner import Aligner
from caplens.metrics.meteor.metric import Meteor

# Words with many repetitions, stems, synonyms and paraphrases among them.
VOCABULARY = [
    "a", "the", "of", "in", "on", "is", "are", "man", "men", "person", "people", "male", "ride", "rides",
    "riding", "road", "street", "top", "above", "over", "next", "to", "beside", "near", "couch", "sofa", "dog",
    "dogs", "group", "bunch", "number", "several", "some", "many", "lot", "few", "couple", "large", "big",
    "order", "addition", "as", "well", "also", "apart", "from", "beyond", "'s", "us",
    "aw", "c9",  # Java's hash does not tell them apart
]  # fmt: skip
CAPTIONS = st.lists(st.sampled_from(VOCABULARY), max_size=14)
TOKENS = Meteor(tokenizer="none")


@st.composite
def match_lists(draw):
    """Matches such as stages could find, by reference position, for a pair of lengths."""
    length, reference_length = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    found = []
    for position in range(reference_length):
        for _ in range(draw(st.integers(0, 4))):
            start, stage = draw(st.integers(0, length - 1)), draw(st.integers(0, 3))
            longest = (length - start, reference_length - position) if stage == 3 else (1, 1)
            spans = [draw(st.integers(1, min(longest[side], 4))) for side in range(2)]
            found.append(Match(start, spans[0], position, spans[1], stage))
    return length, reference_length, found


@given(match_lists(), st.sampled_from([1, 2, 3, 40]))
@settings(max_examples=250)
def test_the_search_chooses_what_the_slow_one_chooses(case, beam):
    length, reference_length, matches = case
    by_position = [[match for match in matches if match.j == position] for position in range(reference_length)]
    expected = meteor_oracle.search(by_position, length, beam)
    chosen = Aligner(beam).choose([tuple(vars(match).values()) for match in matches], length, reference_length)
    assert [matches[place] for place in chosen] == expected


@pytest.fixture(scope="module")
def tables() -> Tables:
    return Tables([*VOCABULARY, "'", "s"])  # the normaliser makes two words of 's


@needs_meteor
class TestWithTables:
    @given(candidate=CAPTIONS, references=st.lists(CAPTIONS, min_size=1, max_size=4))
    @settings(max_examples=250, suppress_health_check=[HealthCheck.differing_executors], deadline=None)
    def test_matches_statistics_and_choice_of_the_reference(self, tables, candidate, references):
        rows = prepare(corpus_of([" ".join(candidate)], [[" ".join(words) for words in references]], "error"), jobs=1)
        table, best = TOKENS.best_pairs(rows)
        ours = rows.candidates.get(TOKENS.words)[0]
        theirs = [rows.references.get(TOKENS.words)[place] for place in range(len(references))]
        number, matches, stats, score = meteor_oracle.best(tables, ours, theirs)
        assert best.tolist() == [number]
        assert table[0, :23].tolist() == stats.numbers()
        assert TOKENS.parts(table)["score"][0] == pytest.approx(score, abs=1e-14)
        chosen, _ = TOKENS.scorers(rows)().alignment(0, number)
        assert chosen == [tuple(vars(match).values()) for match in matches]

    @pytest.mark.parametrize("modules", ["exact", "stem+paraphrase", "exact+synonym", "exact+stem+synonym"])
    def test_some_stages_only(self, tables, modules):
        metric = Meteor(tokenizer="none", modules=modules)
        stages = [place for place, stage in enumerate(("exact", "stem", "synonym", "paraphrase")) if stage in modules]
        draw = np.random.default_rng(1)
        captions = [draw.choice(VOCABULARY, length).tolist() for length in (5, 9, 12, 30, 70, 150)]
        rows = prepare(
            corpus_of([" ".join(words) for words in captions], [[" ".join(w) for w in captions]] * 6, "error")
        )
        scorer = metric.scorers(rows)()
        for row, candidate in enumerate(captions):
            for column, reference in enumerate(captions):
                first = int(rows.references.offsets[rows.reference_set[row]])
                chosen, _ = scorer.alignment(row, first + column)
                expected = meteor_oracle.align(tables, normalized(candidate), normalized(reference), stages)
                assert chosen == [tuple(vars(match).values()) for match in expected]


def normalized(words: list[str]) -> list[str]:
    return " ".join(words).replace("'s", "' s").split()
