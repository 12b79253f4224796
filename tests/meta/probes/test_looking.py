"""Studies that look at metrics: complementarity, distributions, sensitivity, categories, frequencies, distraction."""

from __future__ import annotations

import json

import numpy as np
import pytest

from caplens.errors import InputError, UsageError
from caplens.meta import study
from caplens.meta.between.complementarity import subset_sums
from caplens.meta.probes.distractors import KINDS, make_distractors
from caplens.meta.probes.frequencies import rank_edges, word_figures
from caplens.meta.probes.sensitivity import SENTENCES

stats = pytest.importorskip("scipy.stats")


class TestComplementarity:
    def test_every_subset_by_hand(self):
        generator = np.random.default_rng(5)
        human = generator.normal(size=50)
        columns = {name: human + noise * generator.normal(size=50) for name, noise in (("A", 1), ("B", 2), ("C", 3))}
        found = {tuple(entry["metrics"]): entry for entry in subset_sums(columns, human)}
        assert len(found) == 7
        unit = {name: (column - column.min()) / (column.max() - column.min()) for name, column in columns.items()}
        entry = found["A", "C"]
        assert entry["spearman"] == pytest.approx(stats.spearmanr(unit["A"] + unit["C"], human).statistic)
        assert entry["raw_pearson"] == pytest.approx(stats.pearsonr(columns["A"] + columns["C"], human).statistic)
        assert 0 <= entry["williams_p"] <= 1
        assert found["A",]["williams_p"] is None

    def test_the_study_orders_metrics_by_their_correlation_with_people(self, flickr):
        result = study("complementarity", flickr, metrics="rouge, bleu(n=2)", preset="000")
        with_people = list(result.data["spearman_with_people"].values())
        assert with_people == sorted(with_people, reverse=True)
        assert len(result.data["subsets"]) == 7
        for key in result.data["order"]:
            assert result.data["spearman_between"][key][key] == pytest.approx(1)

    def test_one_score_has_nothing_to_complement(self, flickr):
        with pytest.raises(UsageError, match="at least two scores, not 1"):
            study("complementarity", flickr, metrics="rouge")


def test_distributions_by_rating(flickr):
    result = study("distributions", flickr, metrics="rouge", preset="004")
    by_rating = result["ROUGE_L"]["by_rating"]
    assert [(entry["rating"], entry["n"]) for entry in by_rating] == [(1.0, 12), (2.0, 8), (3.0, 1)]
    assert all(entry["least"] <= entry["median"] <= entry["most"] for entry in by_rating)


class TestSensitivity:
    def test_the_sentences_of_the_paper(self):
        result = study("sensitivity", metrics="rouge, cider")
        assert list(result["ROUGE_L"]["scores"]) == list(SENTENCES)
        assert result["ROUGE_L"]["scores"]["original"] == pytest.approx(1)
        assert "one-document" in [notice.code for notice in result.warnings]

    def test_sentences_of_the_users_own(self, tmp_path):
        path = tmp_path / "sentences.csv"
        path.write_text("kind,sentence\noriginal,a dog runs\nmine,a cat runs\n")
        assert set(study("sensitivity", path, metrics="rouge")["ROUGE_L"]["scores"]) == {"original", "mine"}
        path.write_text("kind,sentence\nmine,a cat runs\n")
        with pytest.raises(InputError, match="no sentence of the kind 'original'"):
            study("sensitivity", path, metrics="rouge")


@pytest.fixture
def coco(tmp_path):
    """COCO captions of two images, and two systems."""
    texts = ["a red dog runs", "a cat sits", "two dogs", "a small cat on a bed"]
    annotations = [{"id": place, "image_id": 1 + place % 2, "caption": text} for place, text in enumerate(texts)]
    (tmp_path / "captions_val2014.json").write_text(
        json.dumps({"images": [{"id": 1}, {"id": 2}], "annotations": annotations})
    )
    (tmp_path / "systems").mkdir()
    for name, captions in {"one": ["a red dog", "a cat"], "two": ["a dog", "a zebra"]}.items():
        rows = [{"image_id": image, "caption": caption} for image, caption in enumerate(captions, 1)]
        (tmp_path / "systems" / f"{name}.json").write_text(json.dumps(rows))
    return tmp_path


class TestSystems:
    def test_spice_by_category(self, coco):
        result = study("categories", coco, jobs=1)
        assert (result.data["n"], list(result.data["systems"])) == (2, ["one", "two"])
        assert set(result.data["systems"]["one"]["SPICE"]) == {"f", "precision", "recall"}
        assert result.data["systems"]["one"]["SPICE"]["f"] > result.data["systems"]["two"]["SPICE"]["f"]

    def test_word_frequencies(self, coco):
        result = study("frequencies", coco)
        figures = result.data["systems"]
        assert (figures["people"]["words"], figures["one"]["words"], figures["two"]["vocabulary"]) == (15, 5, 3)
        assert figures["people"]["bands"][0]["log10_ratio"] == 0
        assert "zebra" not in figures["two"]["more_than_people"]  # people never say it: there is no ratio

    def test_words_are_counted_on_the_images_that_all_have(self, coco):
        path = coco / "systems" / "one.json"
        path.write_text(json.dumps([*json.loads(path.read_text()), {"image_id": 3, "caption": "a tree and a house"}]))
        assert study("frequencies", coco).data["systems"]["one"]["words"] == 5

    def test_frequencies_by_rank_are_means_of_words(self):
        figures = word_figures(np.array([6, 3, 1, 0]), np.array([5, 3, 2, 1]), ["a", "dog", "cat", "tree"])
        assert rank_edges(4) == [0, 1, 3, 4]
        assert figures["frequencies"] == pytest.approx([0.6, 0.2, 0])

    def test_a_word_that_people_never_say_is_among_the_rarest(self):
        figures = word_figures(np.array([1, 0, 1]), np.array([3, 1, 0]), ["a", "dog", "zebra"])
        assert figures["bands"][-1] == {"share": 0.5, "log10_ratio": None}

    def test_no_caption_files(self, tmp_path):
        with pytest.raises(InputError, match="no folder 'systems'"):
            study("frequencies", tmp_path)
        (tmp_path / "systems").mkdir()
        with pytest.raises(InputError, match="holds no caption files"):
            study("frequencies", tmp_path)


class TestDistraction:
    def test_kinds_and_their_unweighted_mean(self, tmp_path):
        path = tmp_path / "distractors.jsonl"
        rows = [
            ("share person", "a man sits", "a man runs"),
            ("share person", "a dog", "a man sits down here"),
            ("just scene", "a man sits on a bench", "a bench"),
        ]
        names = ("kind", "correct", "distractor")
        path.write_text(
            "\n".join(
                json.dumps({"image": place, "references": ["a man sits"]} | dict(zip(names, row, strict=True)))
                for place, row in enumerate(rows)
            )
        )
        result = study("distraction", path, metrics="rouge", preset="003", resamples=10)
        assert result["ROUGE_L"]["accuracy"] == {"share-person": 0.5, "just-scene": 1, "mean": 0.75}
        assert result.data["categories"] == {"share-person": 2, "just-scene": 1}

    def test_kinds_that_a_preset_does_not_have_are_left_out(self, tmp_path):
        path = tmp_path / "distractors.csv"
        path.write_text("image,correct,distractor,kind,references\n1,a b,c,share person,a b\n2,a,b,mine,a\n")
        result = study("distraction", path, metrics="rouge", preset="000", resamples=5)
        assert (result.data["n"], result.data["left_out"]["other-kind"]["ids"]) == (1, ["2"])

    def test_a_folder_of_captions_makes_distractors(self, flickr):
        result = study("distraction", flickr, metrics="rouge", resamples=5)
        assert {"just-person", "just-scene", "replace-scene"} <= set(result.data["categories"])
        assert {item["kind"] for item in result.items} == set(result.data["categories"])


class TestDistractors:
    CAPTIONS = {
        "1": ["A young man sits on the beach.", "Somebody rests."],
        "2": ["A young man runs in a city park.", "A sportsman runs."],
        "3": ["Two girls play in a city park .", "Children play."],
        "4": ["A dog.", "An animal."],
    }

    def rows(self, kind, **options):
        return make_distractors(self.CAPTIONS, [kind], seed=3, **options)

    def test_just_a_chunk(self):
        assert [row["distractor"] for row in self.rows("just-person")] == ["a young man", "a young man", "two girls"]
        assert [row["distractor"] for row in self.rows("just-scene")] == ["the beach", "a city park", "a city park"]

    def test_a_shared_chunk_comes_from_another_image(self):
        found = {row["correct"]: row["distractor"] for row in self.rows("share-person")}
        assert found == {
            "A young man sits on the beach.": "A young man runs in a city park.",
            "A young man runs in a city park.": "A young man sits on the beach.",
        }

    def test_a_replaced_chunk_has_another_noun(self):
        for row in self.rows("replace-scene"):
            assert row["chunk"] in row["correct"].lower()
            assert row["chunk"] not in row["distractor"]
        (first, *_) = self.rows("replace-person")
        assert first["distractor"] in ("two girls sits on the beach", "children sits on the beach")

    def test_the_correct_caption_is_not_among_its_references(self):
        assert all(row["correct"] not in row["references"] for kind in KINDS for row in self.rows(kind))

    def test_draws_are_seeded_and_limited(self):
        assert self.rows("just-person", most=2) == self.rows("just-person", most=2)
        assert len(self.rows("just-person", most=2)) == 2

    def test_what_cannot_be_made(self):
        with pytest.raises(UsageError, match="no kind of distractor 'swap'"):
            make_distractors(self.CAPTIONS, ["swap"], seed=1)
        with pytest.raises(InputError, match="No distractor can be made"):
            make_distractors({"4": self.CAPTIONS["4"]}, seed=1)
