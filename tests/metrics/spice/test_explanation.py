"""SPICE explains itself: tuples, categories and graphs say the same as the counts, and add up to the score."""

from __future__ import annotations

import gzip
import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import SHARED
from tests.graph_oracle import compare_graphs

import caplens
from caplens.api.inputs import corpus_of
from caplens.core.prepared import Usage, prepare
from caplens.metrics.spice.explanation import explain_graphs
from caplens.metrics.spice.metric import Spice
from caplens.output.explanation import SceneGraphs, Table, Tuples
from caplens.scenegraph.graph.concepts import Concepts
from caplens.scenegraph.graph.scene_graph import build
from caplens.scenegraph.graph.score import word_lists
from caplens.scenegraph.parser.caption_parser import AGREEMENT

SPICE = SHARED / "spice"
CONCEPTS = Concepts()
TERM = st.sampled_from(["man", "bike", "bicycle", "cycle", "black", "dark", "big", "large", "two", "on", "be on"])
TUPLES = st.lists(st.one_of(st.tuples(TERM), st.tuples(TERM, TERM), st.tuples(TERM, TERM, TERM)), max_size=12)

needs_golden = pytest.mark.skipif(
    not SPICE.exists(), reason="the golden data of SPICE is not here (../shared/data/spice, beside the repository)"
)


class ObjectsOnly:
    """A parser to whom a caption is nouns that modify the last one; `is` has no meaning."""

    def parse(self, captions):
        return [self.sentences([word for word in words if word != "is"]) for words in captions]

    def sentences(self, words):
        last = len(words)
        if not last:
            return ()
        heads = (*[last] * (last - 1), 0)
        labels = (*["amod"] * (last - 1), "root")
        return (caplens.Sentence(tuple(words), (*["JJ"] * (last - 1), "NN"), tuple(words), heads, labels),)


@pytest.fixture(scope="module", autouse=True)
def parser():
    caplens.register_parser("objects only", ObjectsOnly())


def explained(candidate, references, **more):
    facts, sections, notes = explain_graphs(build(candidate, CONCEPTS), build(references, CONCEPTS), **more)
    table, tuples, graphs = sections
    assert (type(table), type(tuples), type(graphs)) == (Table, Tuples, SceneGraphs)
    return facts, table, tuples, graphs, notes


class TestGraphs:
    CANDIDATE = [("bicycle", "blue"), ("man", "bicycle", "be on"), ("man", "big")]
    REFERENCES = [("bike", "blue"), ("man", "bike", "on"), ("man", "street", "in"), ("street",)]

    def test_facts_and_categories(self):
        facts, table, *_ = explained(self.CANDIDATE, self.REFERENCES)
        assert facts == {
            "precision": 4 / 5,
            "recall": 4 / 6,
            "F": pytest.approx(8 / 11),
            "matched tuples": 4,
            "candidate tuples": 5,
            "reference tuples": 6,
        }
        rows = {row[0]: row[4:] for row in table.rows}
        assert rows == {
            "All": (4, 5, 6),
            "Object": (2, 2, 3),
            "Attribute": (1, 2, 1),
            "Relation": (1, 1, 2),
            "Color": (1, 1, 1),
            "Cardinality": (0, 0, 0),
            "Size": (0, 1, 0),
        }

    def test_tuples(self):
        *_, tuples, _, _ = explained(self.CANDIDATE, self.REFERENCES)
        assert [(row.outcome, row.parts, row.partner) for row in tuples.rows] == [
            ("matched", ("bicycle",), ("bike",)),
            ("matched", ("bicycle", "blue"), ("bike", "blue")),
            ("matched", ("man",), ("man",)),
            ("matched", ("man", "on", "bicycle"), ("man", "on", "bike")),
            ("wrong", ("man", "big"), None),
            ("missed", ("man", "in", "street"), None),
            ("missed", ("street",), None),
        ]
        assert tuples.rows[1].categories == {"Attribute": True, "Color": True}
        assert tuples.rows[4].categories == {"Attribute": False, "Size": False}

    def test_graphs(self):
        *_, graphs, _ = explained(self.CANDIDATE, self.REFERENCES)
        assert [(each.name, each.matched) for each in graphs.candidate.objects] == [("bicycle", True), ("man", True)]
        assert [(each.name, each.matched) for each in graphs.candidate.objects[1].attributes] == [("big", False)]
        names = [each.name for each in graphs.references.objects]
        relations = [
            (names[each.source], each.name, names[each.target], each.matched) for each in graphs.references.relations
        ]
        assert relations == [("man", "on", "bike", True), ("man", "in", "street", False)]

    def test_own_word_lists(self):
        lists = word_lists({"Mood": ["happy"]})
        _, table, tuples, *_ = explained([("dog", "happy")], [("dog", "happy")], lists=lists)
        assert table.rows[-1][0] == "Mood"
        assert tuples.rows[1].categories == {"Attribute": True, "Mood": True}

    def test_several_matches_of_one_tuple_are_told(self):
        candidate, references = [("bicycle",), ("motorcycle",)], [("bike",)]
        *_, notes = explained(candidate, references)
        assert notes == (
            "Several tuples of the candidate match the same one of the references (bike), and each counts; with "
            "repeat=once only one does.",
        )
        facts, *_, notes = explained(candidate, references, once=True)
        assert (facts["matched tuples"], notes) == (1, ())

    def test_empty_graphs(self):
        facts, _, tuples, graphs, notes = explained([], [("dog",)])
        assert (facts["F"], notes) == (0, ("No tuple was found in the candidate.",))
        assert [row.outcome for row in tuples.rows] == ["missed"]
        assert graphs.candidate.objects == ()

    @given(TUPLES, TUPLES, st.booleans())
    def test_all_parts_say_the_same(self, candidate, references, once):
        facts, table, tuples, graphs, _ = explained(candidate, references, once=once)
        outcomes = [row.outcome for row in tuples.rows]
        assert outcomes.count("matched") == facts["matched tuples"]
        assert outcomes.count("matched") + outcomes.count("wrong") == facts["candidate tuples"]
        for name, *_, matched, ours, _ in table.rows[1:]:
            rows = [row for row in tuples.rows if name in row.categories and row.outcome != "missed"]
            assert (sum(row.categories[name] for row in rows), len(rows)) == (matched, ours)
        for scene, count in ((graphs.candidate, "candidate tuples"), (graphs.references, "reference tuples")):
            parts = [*scene.objects, *(tag for each in scene.objects for tag in each.attributes), *scene.relations]
            assert len(parts) == facts[count]
        unmatched = [part for part in parts if not part.matched]
        assert len(unmatched) == outcomes.count("missed")


@given(TUPLES, TUPLES, st.booleans())
def test_tuples_and_scenes_are_those_of_the_slow_comparison(candidate, references, once):
    graphs = build(candidate, CONCEPTS), build(references, CONCEPTS)
    wanted = compare_graphs(*graphs, once=once)
    *_, tuples, scenes, _ = explained(candidate, references, once=once)

    def as_rows(outcome, found):
        return [(outcome, each.parts, each.partner, dict(list(each.categories.items())[1:])) for each in found]

    assert [(row.outcome, row.parts, row.partner, row.categories) for row in tuples.rows] == [
        *as_rows("matched", wanted.matched()),
        *as_rows("wrong", wanted.wrong()),
        *as_rows("missed", wanted.missed()),
    ]
    for scene, compared in ((scenes.candidate, wanted.candidate_tuples), (scenes.references, wanted.reference_tuples)):
        matched = {each.parts: each.partner is not None for each in compared}
        names = [each.name for each in scene.objects]
        shown = {(each.name,): each.matched for each in scene.objects}
        shown |= {(each.name, tag.name): tag.matched for each in scene.objects for tag in each.attributes}
        shown |= {(names[each.source], each.name, names[each.target]): each.matched for each in scene.relations}
        assert shown == matched


class TestRows:
    METRIC = Spice(parser="objects only")

    def explain(self, candidate, references, metric=METRIC):
        return caplens.explain(candidate, references, metric)

    def test_scores_are_those_of_score(self):
        candidates, references = ["big brown dog", "cat", ""], [["brown dog", "brown happy dog"], ["is"], ["cat"]]
        for metric in (self.METRIC, Spice(parser="objects only", repeat="once", synonyms=False, label="Mine")):
            scores = caplens.score(candidates, references, [metric])
            prepared = prepare(corpus_of(candidates, references))
            state = metric.fit(prepared.references, Usage.of(corpus_of(candidates, references)))
            for row in range(3):
                expected = {key: score.item_scores[row] for key, score in scores.items()}
                assert metric.explain(prepared, state, row).scores == pytest.approx(expected, nan_ok=True)

    def test_it_is_plain_data_without_nan(self):
        explanation = self.explain("brown dog", ["happy dog"])
        data = json.loads(json.dumps(explanation.to_dict(), allow_nan=False))
        assert data["scores"]["SPICE_Size"] is None
        assert [section["kind"] for section in data["sections"]] == ["table", "tuples", "scene_graphs"]
        assert data["sections"][1]["rows"][0] == {
            "outcome": "matched",
            "parts": ["dog"],
            "partner": ["dog"],
            "categories": {"Object": True},
        }
        assert data["sections"][2]["candidate"]["objects"] == [
            {"name": "dog", "matched": True, "attributes": [{"name": "brown", "matched": False}]}
        ]

    def test_the_agreement_of_our_own_parser_is_a_note(self):
        assert AGREEMENT in self.explain("a dog", ["a dog"], "spice").notes
        assert AGREEMENT not in self.explain("dog", ["dog"]).notes


@pytest.fixture(scope="module")
def golden_rows():
    """Items of a golden set with the graphs of the reference's own tuples."""
    tuples = {}
    for line in gzip.decompress((SPICE / "parses_golden.jsonl.gz").read_bytes()).splitlines():
        parse = msgspec.json.decode(line)
        tuples[parse["text"]] = [tuple(each) for each in parse["tuples"]]
    items = msgspec.json.decode(gzip.decompress((SPICE / "golden" / "coco2000_knn.json.gz").read_bytes()))["items"]
    return [
        (
            item,
            build(tuples[item["candidate_ptb"]], CONCEPTS),
            build([each for caption in item["references_ptb"] for each in tuples[caption]], CONCEPTS),
        )
        for item in items[:300]
    ]


@needs_golden
def test_tuples_and_scores_are_those_of_the_reference_tool(golden_rows):
    for item, candidate, references in golden_rows:
        facts, (table, tuples, _), _ = explain_graphs(candidate, references)
        assert facts["F"] == pytest.approx(item["scores"]["All"]["f"], abs=1e-12)
        for name, _, _, f, *_ in table.rows:
            wanted = item["scores"][name]["f"]
            assert f == pytest.approx(float("nan") if wanted is None else wanted, abs=1e-12, nan_ok=True)
        for outcome, key, matched in (
            ("matched", "candidate", True),
            ("wrong", "candidate", False),
            ("missed", "reference", False),
        ):
            wanted = {tuple(each) for each, is_matched in item[f"{key}_tuples"] if is_matched == matched}
            assert {row.parts for row in tuples.rows if row.outcome == outcome} == wanted
