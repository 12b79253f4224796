"""Drawings of scene graphs: valid, complete, the same every time, and nothing lies over anything else."""

from __future__ import annotations

import gzip
import re
from dataclasses import replace
from itertools import combinations, pairwise
from xml.etree import ElementTree as ET

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import SHARED

from caplens.errors import UsageError
from caplens.metrics.spice.explanation import explain_graphs
from caplens.output.explanation import Explanation, Scene, SceneAttribute, SceneGraphs, SceneObject, SceneRelation
from caplens.output.scene.columns import arrange, assign_columns
from caplens.output.scene.layout import Arrow, Size, lay_out
from caplens.output.scene.svg import scene_graph_svg
from caplens.output.writing import write
from caplens.scenegraph.graph.concepts import Concepts
from caplens.scenegraph.graph.scene_graph import build

SVG = "{http://www.w3.org/2000/svg}"
SPICE = SHARED / "spice"

SIZES = st.builds(Size, st.floats(20, 200), st.floats(12, 30), st.floats(12, 80))
LABELS = st.builds(Size, st.floats(10, 120), st.floats(5, 20), st.floats(5, 20))


@st.composite
def graphs(draw):
    boxes = draw(st.lists(SIZES, min_size=1, max_size=10))
    place = st.integers(0, len(boxes) - 1)
    return boxes, draw(st.lists(st.builds(Arrow, place, place, LABELS), max_size=14))


def overlap(one, two, least=0.01):
    """Whether two rectangles (left, top, right, bottom) share more than a border."""
    return all(min(one[k + 2], two[k + 2]) - max(one[k], two[k]) > least for k in (0, 1))


def rectangles(boxes, arrows, layout):
    """The boxes and the labels as rectangles."""
    found = [
        (left, height - size.above, left + size.width, height + size.below)
        for size, (left, height) in zip(boxes, layout.boxes, strict=True)
    ]
    labels = [
        (
            route.label[0] - arrow.label.width / 2,
            route.label[1] - arrow.label.above,
            route.label[0] + arrow.label.width / 2,
            route.label[1] + arrow.label.below,
        )
        for arrow, route in zip(arrows, layout.routes, strict=True)
    ]
    return found, labels


def points_along(piece):
    """Points of a line of curves that leave and arrive level."""
    for (x, y), (to_x, to_y) in pairwise(piece):
        for step in range(21):
            t = step / 20
            part = 3 * (1 - t) ** 2 * t / 2 + 3 * (1 - t) * t**2 / 2 + t**3
            yield x + part * (to_x - x), y + (3 * t**2 - 2 * t**3) * (to_y - y)


class TestLayout:
    @settings(max_examples=60, deadline=None)
    @given(graphs())
    def test_nothing_lies_over_anything_else(self, graph):
        boxes, arrows = graph
        layout = lay_out(boxes, arrows)
        found, labels = rectangles(boxes, arrows, layout)
        assert not any(overlap(one, two) for one, two in combinations([*found, *labels], 2))
        for rectangle in [*found, *labels]:
            assert rectangle[0] >= -0.01
            assert rectangle[1] >= -0.01
            assert rectangle[2] <= layout.width + 0.01
            assert rectangle[3] <= layout.height + 0.01

    @settings(max_examples=60, deadline=None)
    @given(graphs())
    def test_arrows_pass_beside_boxes_and_end_at_theirs(self, graph):
        boxes, arrows = graph
        layout = lay_out(boxes, arrows)
        found, labels = rectangles(boxes, arrows, layout)
        for number, (arrow, route) in enumerate(zip(arrows, layout.routes, strict=True)):
            others = found + [label for place, label in enumerate(labels) if place != number]
            for x, y in (*points_along(route.before), *points_along(route.after)):
                assert not any(overlap((x - 0.1, y - 0.1, x + 0.1, y + 0.1), other, 0.15) for other in others)
            for (x, y), box in ((route.before[0], arrow.source), (route.after[-1], arrow.target)):
                left, top, right, _ = found[box]
                assert min(abs(x - left), abs(x - right)) < 0.01
                assert top <= y <= top + 2 * boxes[box].above

    @given(graphs())
    @settings(max_examples=30, deadline=None)
    def test_it_is_the_same_every_time(self, graph):
        assert lay_out(*graph) == lay_out(*graph)

    def test_arrows_point_to_the_right_but_for_circles(self):
        assert assign_columns(4, [(3, 1), (1, 0), (0, 2)]) == [2, 1, 3, 0]
        assert sorted(assign_columns(3, [(0, 1), (1, 2), (2, 0)])) == [0, 1, 2]
        assert assign_columns(2, [(0, 0), (0, 1)]) == [0, 1]

    def test_crossings_are_taken_out(self):
        # Two stars side by side, given crosswise.
        columns = [0, 0, 1, 1, 1, 1]
        (left, right) = arrange(columns, [(0, 2), (1, 3), (0, 4), (1, 5)])
        assert [place % 2 for place in right] in ([0, 0, 1, 1], [1, 1, 0, 0])
        assert left in ([0, 1], [1, 0])

    def test_a_long_chain_and_many_boxes(self):
        size = Size(50, 15, 15)
        chain = lay_out([size] * 1500, [Arrow(place, place + 1, size) for place in range(1499)])
        assert len({height for _, height in chain.boxes}) == 1
        crowd = lay_out([size] * 100, [])
        assert crowd.width < 700

    def test_nothing_at_all(self):
        assert lay_out([], []).height == 0


def man_and_horse(**more):
    man = SceneObject("man", True, (SceneAttribute("tall", False), SceneAttribute("old", True)))
    candidate = Scene((man, SceneObject("horse", False)), (SceneRelation(0, 1, "ride", False),))
    return SceneGraphs("scene graphs", candidate, Scene((SceneObject("person/man", True),)), **more)


def texts(drawing):
    return [element.text for element in ET.fromstring(drawing).iter(f"{SVG}text")]


class TestDrawing:
    def test_sides(self):
        section = man_and_horse()
        assert set(texts(scene_graph_svg(section, "candidate"))) == {
            "candidate", "man", "tall", "old", "horse", "ride", "matched", "in no reference",
        }  # fmt: skip
        assert set(texts(scene_graph_svg(section, "references"))) == {
            "references", "person/man", "matched", "not in the candidate",
        }  # fmt: skip
        assert {"candidate", "references"} < set(texts(scene_graph_svg(section)))

    def test_what_is_not_matched_has_broken_lines(self):
        root = ET.fromstring(scene_graph_svg(man_and_horse(), "candidate"))
        (ride,) = {path.get("stroke-dasharray") for path in root.iter(f"{SVG}path")}
        assert ride
        weights = {element.text: element.get("font-weight") for element in root.iter(f"{SVG}text")}
        assert [weights[name] for name in ("man", "old", "tall", "ride", "horse")] == ["bold", "bold", *["normal"] * 3]
        dashed = [each.get("stroke-dasharray") is not None for each in root.iter(f"{SVG}rect") if each.get("stroke")]
        assert dashed == [False, True, False, True, False, True]  # man, tall, old, horse, and the legend

    def test_it_is_told_to_those_who_do_not_see_it(self):
        root = ET.fromstring(scene_graph_svg(man_and_horse()))
        assert root.find(f"{SVG}title").text == "Scene graphs of the candidate and the references"
        assert root.find(f"{SVG}desc").text == (
            "candidate, matched: man; man old. candidate, not matched: horse; man tall; man ride horse. "
            "references, matched: person/man. references, not matched: nothing."
        )

    def test_it_needs_nothing_else_and_shares_no_names(self):
        drawing = scene_graph_svg(man_and_horse())
        assert not re.search(r"\b(?:id|href|class)=|<style|<script|url\(", drawing)

    def test_text_is_escaped_and_odd_letters_are_left_out(self):
        odd = SceneObject('<b>&"\x00\x1b\ud800', False, (SceneAttribute("]]>", False),))
        drawing = scene_graph_svg(SceneGraphs("x", Scene((odd,)), Scene()))
        assert {'<b>&"', "]]>"} < set(texts(drawing))
        drawing.encode("utf-8")

    def test_long_names_are_broken_and_shortened(self):
        long = SceneObject("baby/child/infant/kid/youngster/toddler", True, (SceneAttribute("x" * 500, False),))
        drawing = scene_graph_svg(SceneGraphs("x", Scene((long,)), Scene()), "candidate")
        shown = texts(drawing)
        assert "".join(shown[1:4]).startswith("baby/child/infant/kid/youngster/toddler")
        assert f"{'x' * 39}…" in shown
        assert int(ET.fromstring(drawing).get("width")) < 700

    def test_empty_graphs(self):
        assert texts(scene_graph_svg(SceneGraphs("x", Scene(), Scene()))).count("no tuples") == 2

    def test_a_relation_of_a_thing_to_itself(self):
        scene = Scene((SceneObject("worker", True),), (SceneRelation(0, 0, "stand behind", True),))
        root = ET.fromstring(scene_graph_svg(SceneGraphs("x", scene, Scene()), "candidate"))
        assert len(list(root.iter(f"{SVG}path"))) == 2
        assert len(list(root.iter(f"{SVG}polygon"))) == 1


class TestFile:
    def explanation(self, *sections, metric="spice(repeat=any)"):
        return Explanation(metric, "a", ("b",), {}, {}, sections)

    def test_it_is_written(self, tmp_path):
        path = tmp_path / "graph.svg"
        write([self.explanation(metric="bleu"), self.explanation(man_and_horse())], path)
        drawn = scene_graph_svg(man_and_horse(), explained=self.explanation(man_and_horse()))
        assert path.read_text(encoding="utf-8") == drawn

    def test_it_has_the_score_and_the_captions_under_their_headings(self):
        references = tuple(f"reference <{number}>" for number in range(12))
        scores = {"SPICE": 0.25, "SPICE_Object": 0.5}
        explained = Explanation("spice", "a tall man & a horse", references, scores, {}, ())
        shown = texts(scene_graph_svg(man_and_horse(), explained=explained))
        assert shown[:3] == ["SPICE 0.2500", "candidate", "a tall man & a horse"]
        place = shown.index("references")
        assert shown[place + 1 : place + 12] == [*references[:10], "and 2 more"]
        undefined = replace(explained, scores={"SPICE": float("nan")})
        assert texts(scene_graph_svg(man_and_horse(), explained=undefined))[0] == "SPICE undefined"

    def test_long_captions_are_broken_and_cut_and_nothing_lies_over_them(self):
        explained = Explanation("spice", "a man on a horse " * 50, ("x" * 3000, ""), {"SPICE": 0.0}, {}, ())
        root = ET.fromstring(scene_graph_svg(man_and_horse(), explained=explained))
        shown = [element.text or "" for element in root.iter(f"{SVG}text")]
        lines = shown[shown.index("candidate") + 1 : shown.index("man")]
        caption = [line for line in lines if line.startswith(("a ", "on ", "man ", "horse "))]
        assert len(caption) == 4
        assert caption[-1].endswith(" …")
        assert max(map(len, shown)) < 80
        assert int(root.get("width")) < 700
        heights = [float(element.get("y")) for element in root if element.tag == f"{SVG}text"]
        headings = heights[: -len(["matched", "in no reference", "not in the candidate"])]
        assert all(later - earlier >= 12 for earlier, later in pairwise(headings))
        first = next(element for element in root if element.tag == f"{SVG}g")
        top = float(re.search(r"translate\(\S+ (\S+)\)", first.get("transform")).group(1))
        assert top > heights[shown.index(caption[-1])]

    def test_one_drawing_and_one_only(self, tmp_path):
        none = r"A drawing \(\.svg\) shows the scene graphs or word costs of one metric, .*, but bleu, rouge has none\."
        with pytest.raises(UsageError, match=none):
            write([self.explanation(metric=name) for name in ("bleu(n=4)", "rouge")], tmp_path / "graph.svg")
        with pytest.raises(UsageError, match="spice has 2 drawings"):
            write([self.explanation(man_and_horse())] * 2, tmp_path / "graph.svg")
        assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(
    not SPICE.exists(), reason="the golden data of SPICE is not here (../shared/data/spice, beside the repository)"
)
def test_real_captions_are_drawn_completely():
    tuples = {}
    for line in gzip.decompress((SPICE / "parses_golden.jsonl.gz").read_bytes()).splitlines():
        parse = msgspec.json.decode(line)
        tuples[parse["text"]] = [tuple(each) for each in parse["tuples"]]
    items = msgspec.json.decode(gzip.decompress((SPICE / "golden" / "coco2000_human.json.gz").read_bytes()))["items"]
    concepts = Concepts()
    for item in items[:100]:
        references = [each for caption in item["references_ptb"] for each in tuples[caption]]
        graphs = (build(tuples[item["candidate_ptb"]], concepts), build(references, concepts))
        _, (*_, section), _ = explain_graphs(*graphs)
        root = ET.fromstring(scene_graph_svg(section))
        scenes = (section.candidate, section.references)
        objects, attributes, relations = (
            sum(len(scene.objects) for scene in scenes),
            sum(len(each.attributes) for scene in scenes for each in scene.objects),
            sum(len(scene.relations) for scene in scenes),
        )
        assert len([each for each in root.iter(f"{SVG}rect") if each.get("stroke")]) == objects + attributes + 3
        assert len(list(root.iter(f"{SVG}polygon"))) == relations
