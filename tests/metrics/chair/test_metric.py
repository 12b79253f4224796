"""CHAIR: golden captions of a vision-language model, objects of the user's, files, the command line."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from tests.command_line import refuse, succeed

import caplens
from caplens.metrics.chair.words import load

HORSES = {391895: "a man on a motorcycle with his dog", 522418: "a woman cuts a cake with a knife"}

INSTANCES = {
    "images": [{"id": "a"}, {"id": "b"}],
    "categories": [{"id": 1 + n, "name": name} for n, name in enumerate(["dog", "person", "pizza", "fork"])],
    "annotations": [{"image_id": image, "category_id": n} for image, n in [("a", 1), ("b", 2), ("b", 3), ("b", 4)]],
}


@pytest.fixture(scope="module")
def golden(shared_dir):
    path = shared_dir / "chair" / "golden_llava15.json.gz"
    if not path.exists():
        pytest.skip("the golden data of CHAIR is not here (it lies in ../shared/data, beside the repository)")
    return json.loads(gzip.decompress(path.read_bytes()))["sentences"]


@pytest.fixture(scope="module")
def golden_result(golden):
    return caplens.score({row["image_id"]: row["caption"] for row in golden}, metrics="chair")


class TestGolden:
    def test_hallucinated_words_are_those_of_the_original(self, golden, golden_result):
        evaluator = caplens.Evaluator("chair")
        explained = evaluator.explain_all({row["image_id"]: row["caption"] for row in golden})
        equal = 0
        for (explanation,), row in zip(explained, golden, strict=True):
            found = [cells[1] for cells in explanation.sections[1].rows if cells[2] == "hallucinated"]
            equal += found == [category for _, category in row["mscoco_hallucinated_words"]]
        assert equal / len(golden) >= 0.98

    def test_corpus_scores(self, golden, golden_result):
        mentions = sum(len(row["mscoco_generated_words"]) for row in golden)
        hallucinated = sum(len(row["mscoco_hallucinated_words"]) for row in golden)
        captions = sum(bool(row["mscoco_hallucinated_words"]) for row in golden)
        named = sum(len(set(row["mscoco_generated_words"]) & set(row["mscoco_gt_words"])) for row in golden)
        objects = sum(len(row["mscoco_gt_words"]) for row in golden)
        assert golden_result["CHAIRi"].score == pytest.approx(hallucinated / mentions, abs=0.0005)
        assert golden_result["CHAIRs"].score == pytest.approx(captions / len(golden), abs=0.0005)
        assert golden_result["CHAIR_Recall"].score == pytest.approx(named / objects, abs=0.005)

    def test_item_scores(self, golden, golden_result):
        expected = np.array([[row["metrics"]["CHAIRi"], row["metrics"]["CHAIRs"]] for row in golden])
        found = np.column_stack([golden_result[key].item_scores for key in ("CHAIRi", "CHAIRs")])
        assert np.mean(np.abs(found - expected).max(axis=1) < 1e-9) > 0.95

    def test_shipped_objects_are_those_of_the_golden_captions(self, golden):
        from caplens.metrics.chair.objects import load_objects

        known, names = load_objects("coco-val2014"), load().categories
        for row in golden:
            assert {names[number] for number in known.of(str(row["image_id"]))} == set(row["mscoco_gt_words"])


class TestWords:
    def counted(self, caption):
        result = caplens.score({391895: caption}, metrics="chair")
        table = result["CHAIRi"].run.statistics
        return [int(table[column][0]) for column in ("mentions", "hallucinated")]

    @pytest.mark.parametrize(
        ("caption", "expected"),
        [
            ("two men and three women on bikes", [3, 0]),
            ("a teddy bear", [1, 1]),  # not a bear as well
            ("a baby elephant", [1, 1]),  # no person
            ("the seat of a toilet", [1, 1]),  # no chair
            ("a seat", [1, 1]),
            ("Hot dogs and a hot day", [1, 1]),
            ("a train track", [0, 0]),
            ("", [0, 0]),
            ("puppies, geese and oxen", [3, 3]),
        ],
    )
    def test_words_name_objects(self, caption, expected):
        assert self.counted(caption) == expected

    def test_a_caption_that_names_nothing_hallucinates_nothing(self):
        result = caplens.score({391895: "a sunny day"}, metrics="chair")
        assert (result["CHAIRi"].score, result["CHAIRs"].score, result["CHAIR_Recall"].score) == (0, 0, 0)


class TestObjects:
    CANDIDATES = {"a": "a dog and a cat", "b": "a woman with a pizza"}

    def score(self, path, **more):
        return caplens.score(self.CANDIDATES, metrics=f"chair(objects={path})", **more)

    @pytest.mark.parametrize(
        "text",
        [
            '{"a": ["dog"], "b": ["person", "pizza", "fork"]}',
            '[{"image_id": "a", "objects": ["puppies"]}, {"id": "b", "objects": ["woman", "pizza", "fork"]}]',
            '{"image_id": "a", "objects": ["dog"]}\n{"image_id": "b", "objects": ["man", "pizza", "fork"]}\n',
            json.dumps(INSTANCES),
        ],
        ids=["mapping", "rows", "lines", "instances"],
    )
    @pytest.mark.parametrize("packed", [False, True])
    def test_files_of_the_users(self, tmp_path, text, packed):
        path = tmp_path / "objects.json"
        path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
        result = self.score(path)
        assert [round(score.score, 4) for score in result.values()] == [0.25, 0.5, 0.75]
        assert not result.warnings

    def test_names_that_are_no_categories_are_said(self, tmp_path):
        path = tmp_path / "objects.json"
        path.write_text('{"a": ["dog", "unicorn"], "b": []}')
        (notice,) = self.score(path).warnings
        assert str(notice).endswith("is not among COCO's 80 categories and ignored (unicorn)")

    @pytest.mark.parametrize("text", ["[1]", '{"a": "dog"}', '{"a": [1]}', "{", '[{"objects": ["dog"]}]', ""])
    def test_a_file_of_something_else(self, tmp_path, text):
        path = tmp_path / "objects.json"
        path.write_text(text)
        with pytest.raises(caplens.InputError):
            self.score(path)

    def test_no_file(self, tmp_path):
        with pytest.raises(caplens.InputError, match=r"There are no objects '.*nothing'"):
            self.score(tmp_path / "nothing")

    def test_references_can_add_objects(self, tmp_path):
        path = tmp_path / "objects.json"
        path.write_text('{"a": ["dog"], "b": ["person"]}')
        request = f"chair(objects={path}, references=add)"
        references = {"a": ["a kitten and a dog"], "b": ["somebody eats"]}
        assert caplens.score(self.CANDIDATES, references, request)["CHAIRi"].score == 0.25
        assert caplens.score(self.CANDIDATES, references, f"chair(objects={path})")["CHAIRi"].score == 0.5
        with pytest.raises(caplens.CaplensError, match="no references, which chair needs"):
            caplens.Evaluator(request)

    def test_images_that_are_not_known_have_no_score(self):
        result = caplens.score({391895: "a dog", "mine.jpg": "a dog"}, metrics="chair")
        assert np.isnan(result["CHAIRs"].item_scores).tolist() == [False, True]
        assert result["CHAIRs"].score == 1
        (notice,) = result.warnings
        assert (notice.code, notice.count, notice.ids) == ("image-without-objects", 1, ("mine.jpg",))
        assert result.to_dict()["items"][1]["scores"]["CHAIRi"] is None

    @pytest.mark.parametrize("name", ["391895", "000000391895.jpg", "val2014/COCO_val2014_000000391895.jpg"])
    def test_images_by_file_name(self, name):
        assert caplens.score({name: "a dog and a man"}, metrics="chair")["CHAIRi"].score == 0.5

    def test_rows_with_an_image(self, tmp_path):
        path = tmp_path / "rows.jsonl"
        rows = [
            {"id": 0, "image": 391895, "candidate": "a dog", "references": ["x"]},
            {"id": 1, "image": 391895, "candidate": "a man", "references": ["y"]},
        ]
        path.write_text("\n".join(map(json.dumps, rows)))
        result = caplens.score(caplens.load_corpus(path), metrics="chair")
        assert result["CHAIRs"].item_scores.tolist() == [1, 0]


def test_explanations_name_what_is_hallucinated():
    (explanation,) = caplens.Evaluator("chair").explain("a man and his dog near a fire hydrant", id=391895)
    assert explanation.facts["hallucinated"] == "dog, fire hydrant"
    assert explanation.facts["in the image, not named"] == "bicycle, motorcycle"
    marks = dict(explanation.sections[0].words)
    assert [marks[word] for word in ("man", "dog", "fire", "near")] == ["match", "miss", "miss", "plain"]


def test_lower_is_better_but_for_recall():
    assert caplens.metric("chair(label=X)").falling_keys == {"Xi", "Xs"}
    assert caplens.metric("rouge").falling_keys == frozenset()


class TestCommandLine:
    @pytest.fixture
    def captions(self, tmp_path):
        path = tmp_path / "captions.json"
        path.write_text(json.dumps([{"image_id": image, "caption": caption} for image, caption in HORSES.items()]))
        return str(path)

    def test_scores_by_image_id_without_references(self, captions, tmp_path):
        assert "CHAIRi" in succeed("score", captions, "-m", "chair", "-o", tmp_path / "out.json")
        document = json.loads((tmp_path / "out.json").read_text())
        assert document["metrics"]["CHAIRs"]["score"] == 0.5

    def test_compares_and_explains_without_references(self, captions):
        assert "CHAIRi" in succeed("compare", f"a={captions}", f"b={captions}", "-m", "chair")
        assert "hallucinated" in succeed("explain", captions, "--id", "391895", "-m", "chair")

    def test_other_metrics_still_need_references(self, captions):
        assert "references" in refuse("score", captions, "-m", "chair, rouge")
        assert "references" in refuse("compare", f"a={captions}", f"b={captions}", "-m", "chair, rouge")
