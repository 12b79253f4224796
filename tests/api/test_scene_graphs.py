"""Scene graphs instead of captions, and the folder for parses: from what a caller passes to what a metric sees."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from tests.toys import Characters, Sum, Toy

import caplens
from caplens.api.frequencies import build_frequencies
from caplens.core.metric import Statistics
from caplens.core.prepared import prepare
from caplens.core.registry import attempt, names
from caplens.core.requirement import Requirement
from caplens.core.settings import parses_folder
from caplens.corpus import from_pairs
from caplens.corpus.tables import PairedTable
from caplens.errors import Notice

HORSE = [("man",), ("Man", "tall"), ("man", "ride", "horse")]
HORSE_TEXT = '[["man"],["man","tall"],["man","ride","horse"]]'


@dataclass(frozen=True)
class TupleCounts(Requirement):
    """Tuples of each caption, 0 for words; tells what it was given, as a parser that cannot keep its parses does."""

    def compute(self, side):
        if side.parses is not None:
            side.note(
                [Notice("folder", f"{'references' if side.base is None else 'candidates'} in {side.parses.name}")]
            )
            side.note([Notice("shared", "said by both")])
        return np.array([len(graph or ()) for graph in side.graphs or [None] * len(side)])


@dataclass(frozen=True)
class Tuples(Toy):
    """The number of tuples of the references."""

    name: ClassVar[str] = "tuples"
    reads_graphs: ClassVar[bool] = True

    @property
    def keys(self):
        return ("Tuples",)

    def requires(self):
        return (TupleCounts(),)

    def statistics(self, prepared, state, inputs=()):
        counts = np.add.reduceat(prepared.references.get(TupleCounts()), prepared.references.offsets[:-1])
        counts = counts[prepared.reference_set] + 100 * prepared.candidates.get(TupleCounts())
        return Statistics(("tuples",), counts.astype(float)[:, np.newaxis])


def count(candidates, references):
    return caplens.score(candidates, references, [Tuples()])["Tuples"].item_scores.tolist()


class TestReferences:
    def test_may_be_lists_of_tuples(self):
        assert count(["a", "b"], [[HORSE], ["a caption", HORSE, HORSE[:1]]]) == [3, 4]
        assert count({1: "a"}, {"1": [HORSE]}) == [3]
        assert count({1: "a"}, {"1": (tuple(HORSE), [["dog"]])}) == [4]

    def test_are_no_text(self):
        assert count(["a", "b"], [[HORSE_TEXT], ['[ ["Dog"],\n["dog", "big"] ]']]) == [0, 0]

    def test_are_a_column_beside_the_captions_that_shows_them(self):
        corpus = from_pairs(PairedTable([1, 2, 3], ["a", "b", "c"], [[HORSE], [HORSE], [HORSE_TEXT]], ""))
        assert list(corpus.references.captions) == [HORSE_TEXT, HORSE_TEXT]
        assert list(corpus.references.graphs) == [(("man",), ("man", "tall"), ("man", "ride", "horse")), None]
        assert corpus.reference_set.tolist() == [0, 0, 1]
        assert corpus.notices == ()

    def test_go_with_the_rows_that_are_selected(self):
        references = [["x", HORSE], ["y"], [HORSE[:1]]]
        corpus = from_pairs(PairedTable([1, 2, 3], ["a", "b", HORSE], references, ""))
        assert corpus.select([1]).references.graphs is None
        assert corpus.select([1]).candidate_graphs is None
        shard = corpus.select([2, 0])
        assert shard.candidate_graphs.places.tolist() == [0]
        assert shard.references.graphs.places.tolist() == [1, 2]

    def test_of_a_prepared_side_say_where_they_are(self):
        corpus = from_pairs(PairedTable([1, 2], ["a", "b"], [["x", HORSE], ["y"]], ""))
        prepared = prepare(corpus)
        assert prepared.references.graphs.places.tolist() == [1]
        assert prepared.candidates.graphs is None

    def test_may_come_in_batches(self):
        metric = Tuples()
        assert metric(["a"], metric.prepare([[HORSE]]))["Tuples"].item_scores.tolist() == [3]

    @pytest.mark.parametrize(
        ("references", "message"),
        [
            (
                {7: [HORSE[0]]},
                "1 reference is neither text nor a scene graph (id 7): 'man' is not a tuple: a scene graph is a list",
            ),
            ({7: ["x", HORSE, [("man", "")]]}, "(id 7): ('man', '') has an empty part"),
            ({7: [[("a", "b", "c", "d")], [[1]]]}, "2 references are neither text nor scene graphs (id 7): "),
            ({7: ["x", []]}, "(id 7): [] is not a list of tuples such as"),
            ({7: ["x", None]}, "1 reference is not text (id 7): a caption must be a string."),
        ],
    )
    def test_that_are_neither_get_one_sentence(self, references, message):
        with pytest.raises(caplens.InputError) as caught:
            count({7: "a"}, references)
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_captions_in_brackets_stay_captions(self):
        assert caplens.score(["a dog"], [["[[a]] dog", "[a] dog"]], "rouge")["ROUGE_L"].score > 0

    def test_have_no_n_grams_to_count(self, tmp_path):
        with pytest.raises(caplens.InputError, match="1 reference cannot be counted: scene graphs have no n-grams"):
            build_frequencies([["x", HORSE]], tmp_path / "df.parquet")


class TestCandidates:
    def test_may_be_scene_graphs_too(self):
        assert count([HORSE, "b"], [["x"], [HORSE]]) == [300, 3]
        assert count({1: HORSE_TEXT}, {1: ["x"]}) == [0]
        assert count({1: [HORSE]}, {1: ["x"]}) == [300]

    def test_are_counted_in_an_explanation(self):
        assert caplens.explain(HORSE, [HORSE], Tuples()).metric == "tuples"
        with pytest.raises(caplens.InputError, match="rouge compares words, but 1 candidate is a scene graph"):
            caplens.explain(HORSE, ["a man"], "rouge")


class TestMetricsThatCompareWords:
    @pytest.mark.parametrize(
        ("metrics", "message"),
        [
            ("bleu", "bleu compares words, but 3 references are scene graphs (ids 1, 3): only spice accepts those."),
            ("rouge, cider", "rouge, cider compare words, but 3 references"),
            ([Tuples(), "rouge"], "rouge compares words"),
            ([Sum((Characters(),))], "characters, sum compare words"),
        ],
    )
    def test_refuse_references_without_any(self, metrics, message):
        references = {1: [HORSE, HORSE, "a man"], 2: ["a dog"], 3: [HORSE]}
        with pytest.raises(caplens.InputError) as caught:
            caplens.score({1: "a", 2: "b", 3: "c"}, references, metrics)
        assert message in str(caught.value)

    def test_refuse_candidates_without_any(self):
        candidates = {identifier: HORSE if identifier != 2 else "a dog" for identifier in range(1, 10)}
        with pytest.raises(caplens.InputError) as caught:
            caplens.score(candidates, {identifier: ["a dog"] for identifier in candidates}, "bleu")
        assert "8 candidates are scene graphs (ids 1, 3, 4, 5, 6 and 3 more)" in str(caught.value)

    def test_refuse_them_in_comparisons_and_batches(self):
        with pytest.raises(
            caplens.InputError, match=r"rouge compares words, but 1 reference is a scene graph \(id 0\)"
        ):
            caplens.compare({"a": ["a"], "b": ["b"]}, [[HORSE]], "rouge")
        rouge = caplens.metric("rouge")
        with pytest.raises(caplens.InputError, match="1 reference is a scene graph"):
            rouge.prepare([[HORSE]])
        with pytest.raises(caplens.InputError, match=r"1 candidate is a scene graph \(id"):
            rouge({"x": HORSE}, rouge.prepare({"x": ["a man"]}))

    @pytest.mark.parametrize("name", names())
    @pytest.mark.parametrize("caption", ['[["man"]]', '[["man"], ["man", "ride", "horse"]]', '[["man" "horse"]]'])
    def test_take_captions_that_look_like_json(self, name, caption):
        _, lacking = attempt(name)
        if lacking is not None:
            pytest.skip(f"{name} is not ready here: {lacking}")
        result = caplens.score([caption, "a man"], [["a man", caption], ["a man on a horse"]], name)
        metric = caplens.metric(name)
        assert list(result) == list(metric.result_keys)
        batch = metric([caption], metric.prepare([["a man", caption]]))
        assert list(batch) == list(result)
        for key in result:
            assert np.isfinite(result[key].item_scores[1]) or key.startswith(("SPICE_", "CHAIR", "mBLEU"))
        shown = caplens.explain(caption, ["a man", caption], name)
        assert (shown.candidate, shown.references) == (caption, ("a man", caption))


class TestFolder:
    def warnings(self, result):
        return [str(notice) for notice in result.warnings]

    def test_reaches_requirements_and_their_notices_come_back(self, tmp_path):
        expected = ["references in folder", "said by both", "candidates in folder"]
        result = caplens.score(["a"], [["b"]], [Tuples()], parses=tmp_path / "folder")
        assert self.warnings(result) == expected
        comparison = caplens.compare({"a": ["a"], "b": ["b"]}, [["c"]], [Tuples()], parses=str(tmp_path / "folder"))
        assert self.warnings(comparison) == expected
        assert self.warnings(comparison["b"]) == expected
        explanation = caplens.explain("a", ["b"], Tuples(), parses=tmp_path / "folder")
        assert explanation.notes == ("references in folder", "said by both")
        assert self.warnings(caplens.score(["a"], [["b"]], [Tuples()])) == []
        assert not (tmp_path / "folder").exists()

    def test_may_begin_at_home(self, monkeypatch, tmp_path):
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("USERPROFILE", str(tmp_path))
        result = caplens.score(["a"], [["b"]], [Tuples()], parses="~/parses")
        assert self.warnings(result)[0] == "references in parses"
        assert parses_folder("~/parses") == tmp_path / "parses"

    def test_must_not_be_a_file(self, tmp_path):
        path = tmp_path / "captions.json"
        path.write_text("{}")
        with pytest.raises(caplens.UsageError, match=r"captions\.json is a file: specify a folder"):
            caplens.score(["a"], [["b"]], [Tuples()], parses=path)
        with pytest.raises(caplens.UsageError, match="there is no such home directory"):
            caplens.score(["a"], [["b"]], [Tuples()], parses=Path("~nobody-has-this-name/x"))
