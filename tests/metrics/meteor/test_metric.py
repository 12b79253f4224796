"""METEOR against METEOR 1.5: golden sets, alignments, options, and input that the Java tool chokes on."""

from __future__ import annotations

import gzip
import json
from itertools import pairwise

import numpy as np
import pytest
from tests import golden_sets
from tests.conftest import ROOT, SHARED, needs_meteor

import caplens
from caplens.api.inputs import corpus_of
from caplens.core.prepared import Prepared, prepare
from caplens.files.progress import reporting_to
from caplens.metrics.meteor.metric import COLUMNS, Meteor

pytestmark = needs_meteor
TOKENS = Meteor(tokenizer="none")
PRINTED = len(COLUMNS) - 1  # the statistics that METEOR 1.5 prints


def prepared_rows(candidates: list[str], references: list[list[str]]) -> Prepared:
    return prepare(corpus_of(candidates, references, "error"), jobs=1)


def printed(line: str) -> list[float]:
    return [float(number) for number in line.split()]


class TestGolden:
    @pytest.mark.parametrize("name", golden_sets.NAMES)
    def test_items_and_corpus(self, name, golden):
        data = golden_sets.load(name, golden)
        score = caplens.score(data.candidates, data.references, "meteor", tokenizer=data.tokenizer)["METEOR"]
        assert np.abs(score.item_scores - [item["METEOR"] for item in data.items]).max() <= 1e-12
        assert abs(score.score - data.corpus["METEOR"]) <= 1e-12

    @pytest.mark.parametrize("name", golden_sets.NAMES[:3])
    def test_statistics_are_identical(self, name, golden):
        data = golden_sets.load(name, golden)
        run = caplens.score(data.candidates, data.references, "meteor", tokenizer=data.tokenizer)["METEOR"].run
        expected = np.array([printed(item["METEOR_stats"]) for item in data.items])
        assert np.array_equal(run.statistics.table[:, :PRINTED], expected)

    def test_hard_strings(self, golden):
        items = golden("nasty_golden")["items"]
        texts = [item["ptb"] for item in items], [item["references_ptb"] for item in items]
        score = caplens.score(*texts, "meteor", tokenizer="none")["METEOR"]
        expected = np.array([printed(item["METEOR_stats"]) for item in items])
        assert np.array_equal(score.run.statistics.table[:, :PRINTED], expected)
        assert np.abs(score.item_scores - [item["METEOR"] for item in items]).max() <= 1e-12

    def test_untokenised_hard_strings(self, golden):
        """References: a fixed caption and the next string, which is known where ids are consecutive."""
        items = golden("nasty_golden")["items"]
        fixed = "a man riding a wave on top of a surfboard"
        pairs = [
            (item, following["text"])
            for item, following in pairwise(items)
            if following["id"] == item["id"] + 1 and "|||" not in item["text"] + following["text"]
        ]
        assert len(pairs) > 50
        texts = [item["text"] for item, _ in pairs], [[fixed, following] for _, following in pairs]
        run = caplens.score(*texts, "meteor", tokenizer="none")["METEOR"].run
        expected = np.array([printed(item["METEOR_raw_stats"]) for item, _ in pairs])
        assert np.array_equal(run.statistics.table[:, :PRINTED], expected)


class TestAlignments:
    def test_those_of_two_thousand_captions_with_five_references(self):
        folder = SHARED / "golden"
        if not folder.exists():
            pytest.skip("the golden alignments are not here (they lie in ../shared/data, beside the repository)")
        texts = [gzip.decompress((folder / f"meteor_align{end}.gz").read_bytes()).decode() for end in ENDINGS]
        candidates, captions = (text.splitlines() for text in texts[:2])
        references = [captions[place : place + 5] for place in range(0, len(captions), 5)]
        rows = prepared_rows(candidates, references)
        _, best = TOKENS.best_pairs(rows)
        scorer = TOKENS.scorers(rows)()
        blocks = texts[2].strip().split("\n\n")
        assert len(blocks) == len(candidates) == 2000
        for row, block in enumerate(blocks):
            lines = block.split("\n")
            matches, numbers = scorer.alignment(row, int(best[row]))
            assert [" ".join(match) for match in map(as_printed, matches)] == [
                " ".join(line.split()[:3]) for line in lines[4:]
            ]
            assert " ".join(rows.references.get(TOKENS.words)[int(best[row])]) == lines[2]
            parts = TOKENS.parts(np.array(numbers))
            figures = [float(figure) for figure in lines[0].split("\t")[2:]]
            names = ("precision", "recall", "fragmentation", "score")
            if matches:
                assert [parts[name] for name in names[:2]] == pytest.approx(figures[:2], abs=1e-12)
            assert parts["score"] == pytest.approx(figures[3], abs=1e-12)

    def test_word_salads_with_many_equal_alignments(self):
        golden = json.loads((ROOT / "tests" / "data" / "meteor_golden.json").read_text(encoding="utf-8"))["aligned"]
        rows = prepared_rows([pair[0] for pair in golden], [[pair[1]] for pair in golden])
        scorer = TOKENS.scorers(rows)()
        for row, (_, _, expected) in enumerate(golden):
            matches, _ = scorer.alignment(row, row)
            assert [list(match) for match in matches] == expected
        assert sum(match[4] == 3 for _, _, matches in golden for match in matches) > 100


ENDINGS = ("_hyp.txt", "_ref.txt", ".out")


def as_printed(match: tuple[int, int, int, int, int]) -> tuple[str, str, str]:
    start, length, reference_start, reference_length, stage = match
    return f"{reference_start}:{reference_length}", f"{start}:{length}", str(stage)


class TestOptions:
    """Figures printed by METEOR 1.5 with the corresponding options (-p, -m, -w, -norm)."""

    CANDIDATES = ("a man is riding the horses near a sofa", "a dog's t-shirt on top of a table")
    REFERENCES = (["a person rides a horse beside the couch"], ["the t-shirt of a dog above the table"])

    @pytest.mark.parametrize(
        ("options", "expected"),
        [
            ("", [0.1690665124466689, 0.37071042972559043]),
            ("modules=exact+stem, stem=0.5", [0.13223140495867766, 0.32659496310984265]),
            ("modules=exact+synonym, synonym=0.7", [0.2049586776859504, 0.32659496310984265]),
            ("modules=exact+paraphrase, paraphrase=0.7", [0.12182326255854546, 0.3780519093343764]),
            ("modules=exact", [0.06611570247933883, 0.32659496310984265]),
            (
                "alpha=0.5, beta=1, gamma=0.5, delta=0.6, stem=0.2, synonym=0.3, paraphrase=0.4",
                [0.22090909090909092, 0.48909952606635076],
            ),
            ("alpha=0.5, beta=1, gamma=0, delta=1", [0.28, 0.92]),
            ("normalize=false", [0.1690665124466689, 0.31455767259698153]),
            ("modules=stem+synonym, stem=1, synonym=0.7", [0.04628099173553718, 0.0]),
        ],
    )
    def test_equal_the_tool(self, options, expected):
        found = caplens.score(self.CANDIDATES, self.REFERENCES, f"meteor({options})", tokenizer="none")["METEOR"]
        assert found.item_scores.tolist() == pytest.approx(expected, abs=1e-9)

    @pytest.mark.parametrize(
        ("caption", "modules", "expected"),
        [
            ("the couch sofa man", "synonym", 0.192),
            ("the couch sofa man run running", "stem", 0.09),
            ("people are people on", "paraphrase", 0.1433),
            ("big dog large dogs", "stem+synonym", 0.12),
            ("the couch sofa man", "stem+synonym", 0.0),
            ("the couch sofa man", "exact+stem+synonym", 1.0),
        ],
    )
    def test_between_identical_captions_only_the_first_stage_runs(self, caption, modules, expected):
        found = caplens.score([caption], [[caption]], f"meteor(modules={modules})", tokenizer="none")["METEOR"]
        assert found.score == pytest.approx(expected, abs=5e-5)

    def test_function_words_are_known_in_capitals_too(self):
        """Without its normaliser METEOR compares words as they are, but not with its list of function words."""
        request = "meteor(normalize=false, lowercase=false)"
        found = caplens.score(["The dog"], [["the dog"]], request, tokenizer="none")["METEOR"]
        assert found.score == pytest.approx(0.3, abs=1e-9)

    @pytest.mark.parametrize(
        "options", [{"beam": 0}, {"beam": 10**9}, {"alpha": 2.0}, {"alpha": float("nan")}, {"beta": -1.0}]
    )
    def test_what_the_grammar_refuses_python_refuses_too(self, options):
        with pytest.raises(caplens.UsageError, match=r"meteor\(\w+=...\) must be a"):
            Meteor(**options)

    def test_they_stand_in_the_signature(self):
        signature = caplens.score(["a"], [["a"]], "meteor(alpha=0.5, modules=stem+exact)")["METEOR"].signature
        assert signature.startswith(
            "meteor(language=en,alpha=0.5,beta=0.2,gamma=0.6,delta=0.75,exact=1,stem=0.6,synonym=0.8,paraphrase=0.6,"
            "modules=exact+stem,function_words=english,normalize=true,lowercase=true,beam=40,tokenizer=ptb)|"
        )
        assert caplens.metric(signature) == Meteor(alpha=0.5, modules="exact+stem")

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (
                "modules=exact+magic",
                "takes some of exact, stem, synonym, paraphrase, joined by +: 'magic' is not one of them",
            ),
            ("modules=exact+exact", "one of them is repeated"),
            ("modules=exact stem", "'exact stem' is not one of them"),
            ("alpha=2", "must be a number from 0 to 1, not '2'"),
            ("beta=0", "must be a number from 1e-06"),
            ("beam=0", "must be a whole number from 1 to 10000"),
            ("normalize=perhaps", "must be true or false, not 'perhaps'"),
            ("languages=de", "has no option 'languages'"),
        ],
    )
    def test_mistakes_are_said_in_one_sentence(self, options, message):
        with pytest.raises(caplens.UsageError) as error:
            caplens.metric(f"meteor({options})")
        assert message in str(error.value)


class TestOddInput:
    @pytest.mark.parametrize("candidate", ["", "   ", "...", "\u200b", "zzz"])
    @pytest.mark.parametrize("reference", ["", "!", "a dog"])
    def test_what_matches_nothing_scores_0(self, candidate, reference):
        score = caplens.score([candidate, "a dog"], [[reference], ["a dog"]], "meteor")["METEOR"]
        assert score.item_scores.tolist() == [0.0, 1.0]
        assert np.isfinite(score.score)

    def test_the_first_of_equal_references_counts(self):
        rows = prepared_rows(["a dog", "x y"], [["a cat", "a dog", "a dog"], ["p q r", "p"]])
        table, best = TOKENS.best_pairs(rows)
        assert best.tolist() == [1, 3]
        assert table[1, :2].tolist() == [2.0, 3.0]

    def test_without_references_a_row_counts_as_with_an_empty_one(self):
        candidates, references = {1: "the red dog", 2: "a cat on the mat"}, {1: ["a red dog"]}
        scores = [
            caplens.score(candidates, given, "meteor", missing=missing)["METEOR"]
            for given, missing in ((references, "zero"), (references | {2: [""]}, "error"), (references, "skip"))
        ]
        assert np.array_equal(scores[0].run.statistics.table, scores[1].run.statistics.table)
        assert scores[0].score < scores[2].score

    def test_line_breaks_are_white_space(self):
        scores = caplens.score(["a man\nrides a\r\nhorse"], [["a man rides a horse"]], "meteor")
        assert scores["METEOR"].score == 1.0

    def test_paragraphs_are_scored_in_small_blocks(self):
        """So that progress is seen and an interrupt is heard."""
        rows = prepared_rows(["a dog " * 250] * 30, [["a cat " * 250]] * 30)
        seen = []

        class Recorder:
            def start(self, label, total):
                return label

            def advance(self, step, amount):
                seen.append((step, amount))

            def finish(self, step):
                pass

        with reporting_to(Recorder()):
            TOKENS.best_pairs(rows)
        assert max(amount for label, amount in seen if label == "METEOR") <= 5

    def test_thousands_of_references(self):
        references = [f"a man number {number} rides" for number in range(5000)] + ["a man rides a horse"]
        rows = prepared_rows(["a man rides a horse"], [references])
        table, best = TOKENS.best_pairs(rows)
        assert best.tolist() == [5000]
        assert TOKENS.parts(table)["score"].tolist() == [1.0]

    @pytest.mark.parametrize("length", [64, 65, 500, 1000])
    def test_paragraphs(self, length):
        draw = np.random.default_rng(length)
        words = ["a", "the", "man", "dog", "dogs", "is", "riding", "on", "in", "of", "with", "near", "red", "table"]
        captions = [" ".join(draw.choice(words, length)) for _ in range(3)]
        rows = prepared_rows(captions, [captions[1:], captions[:1], captions])
        table, best = TOKENS.best_pairs(rows)
        assert best.tolist()[2] == 2 + 1 + 2
        assert TOKENS.parts(table)["score"][2] == 1.0
        assert TOKENS.parts(table)["score"][:2].tolist() == pytest.approx([0.5, 0.5], abs=0.2)


class TestManyRows:
    @pytest.fixture
    def example(self, example_dir):
        return caplens.load_corpus(example_dir / "degraded.json", example_dir / "references.json")

    @pytest.mark.parametrize(
        "options", ["", "delta=1", "delta=0, stem=0", "alpha=0, gamma=1, beta=3", "exact=0.1, synonym=1, beam=2"]
    )
    def test_bounds_change_nothing(self, example, options):
        """Every reference aligned, none left out because its bound is too low; the kernel's formula is the metric's."""
        rows = prepare(example, jobs=1)
        metric = caplens.metric(f"meteor({options})")
        table, best = metric.best_pairs(rows)
        scorer = metric.scorers(rows)()
        for row in range(len(rows)):
            first, last = rows.references.offsets[rows.reference_set[row] :][:2].tolist()
            numbers = np.array([scorer.alignment(row, caption)[1] for caption in range(first, last)])
            scores = metric.parts(numbers)["score"]
            assert scores[best[row] - first] == pytest.approx(scores.max(), abs=1e-15)
            assert best[row] <= first + int(scores.argmax())
            assert np.array_equal(table[row], numbers[best[row] - first])

    def test_shards_and_threads_change_nothing(self, example):
        whole = Meteor().statistics(prepare(example, jobs=2), Meteor().fit(None, None))
        metric = caplens.metric("meteor")
        references = [list(texts) for texts in example_references(example)]
        fitted = metric.prepare(references)
        candidates = [example.candidates[row] for row in range(len(example))]
        for first in range(0, len(candidates), 7):
            part = metric(candidates[first : first + 7], fitted, ids=list(range(len(candidates)))[first : first + 7])
            assert np.array_equal(part["METEOR"].run.statistics.table, whole.table[first : first + 7])


def example_references(corpus):
    offsets = corpus.references.offsets
    for reference_set in corpus.reference_set.tolist():
        yield [corpus.references.captions[place] for place in range(offsets[reference_set], offsets[reference_set + 1])]
