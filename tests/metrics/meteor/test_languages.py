"""METEOR in other languages than English, against METEOR 1.5 run as a program."""

from __future__ import annotations

import gzip
import json
from functools import cache

import numpy as np
import pytest
from tests.conftest import ROOT, SHARED, needs_meteor

import caplens
from caplens.api.inputs import corpus_of
from caplens.core.prepared import prepare
from caplens.metrics.meteor.metric import Meteor

pytestmark = needs_meteor
SALADS = json.loads((ROOT / "tests" / "data" / "meteor_languages.json").read_text(encoding="utf-8"))["rows"]
NAMES = [
    *("de", "es", "fr", "ru", "cz", "en", "other"),
    *(f"{code}-lower" for code in ("de", "es", "fr", "ru", "cz", "en")),
]
HASHES = [
    ("de", "matte", "hütte"),
    ("cz", "ten", "pán"),
    ("ru", "сад", "ряд"),
    ("other", "厨房", "剪裁"),
    ("other", "😀", "🧡"),
    ("en", "aw", "c9"),
]


def configured(code: str, *, lower: bool = False, **options: object) -> Meteor:
    modules = {"modules": "exact+stem"} if code == "en" else {}
    normalize = {"normalize": False} if lower else {}
    return Meteor(language=code, tokenizer="none", **modules, **normalize, **options)


@cache
def rows_of(name: str, kind: str):
    path = SHARED / "languages" / "meteor" / f"{name}.json.gz"
    if not path.exists():
        pytest.skip(f"the golden data {path.name} is not here (it lies in ../shared/data, beside the repository)")
    return json.loads(gzip.decompress(path.read_bytes()))[kind]


@pytest.mark.parametrize("kind", ["rows", "hard"])
@pytest.mark.parametrize("name", NAMES)
def test_golden_rows(name, kind):
    """Words, matches, statistics and score of every row."""
    golden = rows_of(name, kind)
    metric = configured(name.partition("-")[0], lower=name.endswith("-lower"))
    rows = prepare(corpus_of([row["candidate"] for row in golden], [row["references"] for row in golden], "error"))
    table, best = metric.best_pairs(rows)
    words, reference_words = rows.candidates.get(metric.words), rows.references.get(metric.words)
    scorer = metric.scorers(rows)()
    for place, row in enumerate(golden):
        assert words.text(place) == row["candidate_tokens"]
        assert reference_words.text(int(best[place])) == row["best_reference_tokens"]
        matches, _ = scorer.alignment(place, int(best[place]))
        assert [[match[0], match[2], match[4]] for match in matches] == row["matches"]
    assert np.array_equal(table[:, :23], np.array([row["stats"] for row in golden], float))
    assert np.abs(metric.parts(table)["score"] - [row["score"] for row in golden]).max() <= 1e-9


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "ru", "cz", "other"])
@pytest.mark.parametrize("mode", ["-norm", "-lower"])
def test_word_salads(language, mode):
    """The same on made-up captions, which are in the repository."""
    salads = [row[2:] for row in SALADS if row[:2] == [language, mode]]
    assert salads or (language, mode) == ("other", "-norm")
    if not salads:
        return
    metric = configured(language, lower=mode == "-lower")
    rows = prepare(corpus_of([row[0] for row in salads], [[row[1]] for row in salads], "error"))
    words, reference_words = rows.candidates.get(metric.words), rows.references.get(metric.words)
    scorer = metric.scorers(rows)()
    for place, (_, _, candidate, reference, expected, score) in enumerate(salads):
        assert (words.text(place), reference_words.text(place)) == (candidate, reference)
        matches, numbers = scorer.alignment(place, place)
        assert [[match[0], match[2], match[4]] for match in matches] == expected
        assert metric.parts(np.array(numbers))["score"] == pytest.approx(score, abs=1e-12)


def test_chinese_as_english():
    """The convention of COCO-CN: METEOR for English, with all modules, takes every character for a word."""
    golden, captions = SHARED / "languages" / "meteor" / "zh-as-en.json.gz", SHARED / "languages" / "captions"
    if not golden.exists():
        pytest.skip("the captions of COCO-CN are not here (they lie in ../shared/data, beside the repository)")
    expected = json.loads(gzip.decompress(golden.read_bytes()))
    images = json.loads(gzip.decompress((captions / "zh.json.gz").read_bytes()))["images"]
    by_id = {str(image["id"]): image for image in images}
    rows = [by_id[identifier] for identifier in expected["ids"]]
    found = caplens.score(
        [row["candidate"] for row in rows], [row["references"] for row in rows], "meteor", tokenizer="none"
    )["METEOR"]
    assert np.abs(found.item_scores - expected["systems"]["seqlearn"]["scores"]).max() <= 1e-9
    assert found.score == pytest.approx(expected["systems"]["seqlearn"]["corpus"], abs=1e-9)


class TestHashes:
    """METEOR 1.5 tells words apart by Java's hash of strings."""

    @pytest.mark.parametrize(("language", "ours", "theirs"), HASHES)
    def test_words_of_one_hash_are_one_word(self, language, ours, theirs):
        metric = configured(language, lower=True)
        assert metric([ours], [[theirs]])["METEOR"].score == 1.0
        assert metric([ours], [[theirs + "x"]])["METEOR"].score == 0.0

    def test_so_are_stems(self):
        rows = prepare(corpus_of(["садами"], [["рядом"]], "error"))
        matches, _ = configured("ru").scorers(rows)().alignment(0, 0)
        assert matches == [(0, 1, 0, 1, 1)]

    @pytest.mark.parametrize(
        ("modules", "candidate", "reference", "expected"),
        [
            ("exact+stem+synonym+paraphrase", "he is on top of it", "he is above it", [(0, 0), (1, 0), (2, 3), (3, 0)]),
            ("exact+stem+synonym+paraphrase", "he is pO top of it", "he is above it", [(0, 0), (1, 0), (3, 0)]),
            ("exact+stem+synonym+paraphrase", "dPuch", "sofa", []),
            ("exact+stem+synonym+paraphrase", "dPuch", "couch", [(0, 0)]),
            ("stem", "aw c9", "c9 aw", []),
            ("synonym", "dPuch", "couch", []),
            ("stem+synonym", "couch sofa man", "couch sofa nBn", []),
        ],
    )
    def test_synsets_and_phrases_belong_to_the_word_itself(self, modules, candidate, reference, expected):
        """Printed by METEOR 1.5 without -norm and -lower: (place in the reference, stage)."""
        metric = Meteor(tokenizer="none", normalize=False, lowercase=False, modules=modules)
        rows = prepare(corpus_of([candidate], [[reference]], "error"))
        matches, _ = metric.scorers(rows)().alignment(0, 0)
        assert [(match[2], match[4]) for match in matches] == expected

    def test_batches_number_words_on_top_of_the_references(self):
        metric = configured("de", lower=True)
        prepared = metric.prepare([["die matte", "ein haus"], ["passt"]])
        assert metric(["die hütte", "küsst"], prepared)["METEOR"].item_scores.tolist() == [1.0, 1.0]
        assert metric(["die hütte", "neu"], prepared)["METEOR"].item_scores.tolist() == [1.0, 0.0]

    def test_an_explanation_says_so(self):
        notes = caplens.explain("aw", ["c9"], "meteor").notes
        assert "METEOR compares words by a 32-bit hash, which some words share: aw = c9." in notes


class TestOptions:
    def test_the_language_sets_what_is_not_given(self):
        german = caplens.metric("meteor(language=DE, tokenizer=none, beta=2)")
        assert (german.alpha, german.beta, german.gamma, german.delta) == (0.95, 2, 0.55, 0.55)
        assert (german.modules, german.weights) == ("exact+stem", (1.0, 0.8, 0.0, 0.0))
        assert german.normalize is True
        assert Meteor(language="other").normalize is False
        assert Meteor(language="cs") == Meteor(language="cz")

    @pytest.mark.parametrize("language", ["en", "de", "es", "fr", "ru", "cz", "other"])
    def test_signatures_can_be_pasted_back(self, language):
        metric = configured(language, function_words="own")
        signature = metric(["x"], [["x"]])["METEOR"].signature
        assert signature.startswith(f"meteor(language={language},alpha=")
        assert "function_words=own" in signature
        assert caplens.metric(signature) == metric

    def test_own_function_words(self):
        """German `die` counts little in the German list and fully in the English one, `in` the other way round."""
        texts = ["die Wiese", "in Wiese"], [["die Hütte"], ["in Hütte"]]
        english = configured("de")(*texts)["METEOR"].run.statistics.table
        own = configured("de", function_words="own")(*texts)["METEOR"].run.statistics.table
        assert english[:, 2].tolist() == [0, 1]
        assert own[:, 2].tolist() == [1, 1]
        assert (
            configured("other", function_words="own")(["a the"], [["a the"]])["METEOR"].run.statistics.table[0, 2] == 0
        )

    def test_function_words_of_the_language_change_scores(self):
        candidate, references = "ein Hund auf der Wiese", ["der Hund läuft auf einer Wiese"]
        scores = [
            caplens.score([candidate], [references], f"meteor(language=de, tokenizer=none, function_words={which})")
            for which in ("english", "own")
        ]
        assert scores[0]["METEOR"].score != scores[1]["METEOR"].score

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ("language=zh", "must be one of en, cs, cz, de, es, fr, ru, other, not 'zh'"),
            ("language=de, modules=exact+synonym", "METEOR has no synonym stage for German"),
            ("language=cz, modules=stem", "METEOR has no stem stage for Czech: meteor(language=cz) matches by exact."),
            ("language=other, normalize=true", "METEOR has no normaliser for another language"),
            ("function_words=german", "must be one of english, own"),
        ],
    )
    def test_mistakes_are_said_in_one_sentence(self, options, message):
        with pytest.raises(caplens.UsageError) as error:
            caplens.metric(f"meteor({options})")
        assert message in str(error.value)

    def test_without_lower_case_capitals_count(self):
        """And function words are known in capitals too."""
        metric = caplens.metric("meteor(language=de, tokenizer=none, normalize=false, lowercase=false)")
        table = metric(["Die IN Hund"], [["die IN Hund"]])["METEOR"].run.statistics.table
        assert table[0, [2, 21]].tolist() == [1, 2]


class TestExplanations:
    @pytest.mark.parametrize(
        ("language", "candidate", "reference", "stages"),
        [
            ("de", "Zwei Hunde laufen über die Wiese.", "Ein Hund läuft über eine Wiese.", {"exact", "stem"}),
            ("fr", "L'homme s'assoit près des arbres", "Un homme est assis près de l'arbre", {"exact", "stem"}),
            ("ru", "Маленькие собаки бегут по траве", "Маленькая собака бежит по траве", {"exact", "stem"}),
            ("cz", "Malý pes běží přes louku.", "Velký pes běží přes pole.", {"exact"}),
            ("other", "Một người đàn ông", "Hai người đàn ông", {"exact"}),
        ],
    )
    def test_every_language_draws_its_alignment(self, language, candidate, reference, stages):
        request = f"meteor(language={language}, tokenizer=none)"
        explanation = caplens.explain(candidate, [reference], request)
        (drawn,) = [section for section in explanation.sections if section.title.startswith("alignment")]
        assert {link.stage for link in drawn.links} == stages
        score = caplens.score([candidate], [[reference]], request)["METEOR"].score
        assert explanation.scores["METEOR"] == pytest.approx(score)
        assert str(explanation)


def test_no_index_is_opened_for_other_languages(monkeypatch):
    """Paraphrases are English: other languages need neither the index nor the time to build it."""
    from caplens.text.meteor import resources

    monkeypatch.setattr(resources, "load", None)
    assert configured("de")(["ein Hund"], [["ein Hund"]])["METEOR"].score == 1.0
