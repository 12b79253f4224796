"""Figures of studies, where matplotlib is there; one clear sentence where it is not."""

from __future__ import annotations

import importlib.util
import json

import pytest

from caplens import study
from caplens.errors import MissingDataError, UsageError
from caplens.meta import drawing
from caplens.meta.datasets.pascal50s import Pascal50s
from caplens.meta.outcome import Outcome, Resamples
from caplens.meta.pairs.outcome import Accuracy, PairOutcome, ReferencesUsed
from caplens.meta.scoring import ScoreFacts

WITHOUT = importlib.util.find_spec("matplotlib") is None
needs_matplotlib = pytest.mark.skipif(WITHOUT, reason="matplotlib is not installed (extra report)")


@pytest.fixture
def expert(flickr):
    def run(name, **options):
        return study(name, flickr, metrics="rouge, bleu(n=2)", preset="kilickaya2017", jobs=1, **options)

    return run


@needs_matplotlib
@pytest.mark.parametrize("name", ["flickr8k-expert", "williams", "complementarity", "distributions", "distraction"])
def test_every_kind_of_outcome_is_drawn_the_same_way_twice(expert, name, tmp_path):
    outcome = expert(name)
    assert outcome.has_figure
    svg = drawing.figure_svg(outcome.figure())
    assert svg.startswith("<svg")
    assert "ROUGE_L" in svg  # text stays text
    assert drawing.figure_svg(outcome.figure()) == svg
    for suffix in (".svg", ".pdf", ".png"):
        outcome.write_figure(tmp_path / f"figure{suffix}")
        assert (tmp_path / f"figure{suffix}").stat().st_size > 1000


@needs_matplotlib
def test_dots_are_sorted_and_axes_labelled(expert):
    _, axes = drawing.dots(["low", "high"], {"a": [0.1, 0.9], "b": [0.2, 0.7]}, "share", "title")
    assert [label.get_text() for label in axes.get_yticklabels()] == ["high", "low"]  # from top to bottom
    assert axes.get_yticks()[0] > axes.get_yticks()[1]
    panels = [axes for axes in expert("distributions").figure().axes if axes.get_visible()]
    assert {axes.get_xlabel() for axes in panels} == {"human rating"}
    assert all(axes.get_ylabel() for axes in panels)


@needs_matplotlib
def test_the_colour_of_williams_matrix_is_what_its_title_says(expert):
    figure = expert("williams").figure()
    (axes,) = figure.axes
    assert "green: the row correlates better" in axes.get_title()
    assert axes.images[0].get_cmap().name == "Greens"


@needs_matplotlib
def test_systems_and_curves(shared_dir):
    for result in (
        study("coco2015", shared_dir, metrics="cider, spice", resamples=5),
        study("pascal50s", shared_dir, metrics="rouge", curve=(1, 5), draws=1, resamples=5),
        study("robustness", shared_dir, metrics="rouge, bleu(n=1)", images=20, resamples=5),
    ):
        assert drawing.figure_svg(result.figure()).startswith("<svg")


@needs_matplotlib
def test_sentences_categories_and_frequencies(tmp_path):
    svg = drawing.figure_svg(study("sensitivity", metrics="rouge").figure())
    assert "redundancy" in svg
    texts = ["a red dog runs", "a cat sits", "two dogs", "a small cat on a bed"]
    annotations = [{"id": place, "image_id": 1 + place % 2, "caption": text} for place, text in enumerate(texts)]
    (tmp_path / "captions_val2014.json").write_text(
        json.dumps({"images": [{"id": 1}, {"id": 2}], "annotations": annotations})
    )
    (tmp_path / "systems").mkdir()
    rows = [{"image_id": 1, "caption": "a dog"}, {"image_id": 2, "caption": "a zebra"}]
    for name in ("mine", "yours"):
        (tmp_path / "systems" / f"{name}.json").write_text(json.dumps(rows))
    for name, word in (("categories", "Cardinality"), ("frequencies", "people")):
        svg = drawing.figure_svg(study(name, tmp_path).figure())
        assert "mine" in svg
        assert word in svg


@needs_matplotlib
def test_figures_leave_out_details_and_no_score_whose_name_begins_like_another():
    def shares(detail_of=None):
        return Accuracy({"HC": 0.5, "mean": 0.5}, {}, ScoreFacts("", detail_of))

    outcome = PairOutcome(
        study="pascal50s",
        preset=Pascal50s(),
        n=4,
        images=2,
        left_out={},
        references=ReferencesUsed(None, 0, True, 1),
        resampling=Resamples(5, 0, 1, "images"),
        categories={"HC": 4},
        metrics={"Lens": shares(), "Lens_S": shares(), "SPICE": shares(), "SPICE_Object": shares("SPICE")},
    )
    svg = drawing.figure_svg(outcome.figure())
    assert ">Lens<" in svg
    assert ">Lens_S<" in svg
    assert "SPICE_Object" not in svg


@needs_matplotlib
def test_an_outcome_without_a_figure():
    class Plain(Outcome):
        def tables(self):
            return ()

    assert not Plain(study="mine").has_figure
    with pytest.raises(UsageError, match="'mine' has no figure"):
        Plain(study="mine").figure()


def test_other_files_are_refused(tmp_path):
    with pytest.raises(UsageError, match=r"must end in \.svg or \.pdf or \.png"):
        drawing.check_figure_file(tmp_path / "figure.gif")


def test_without_matplotlib_the_command_is_named(expert, tmp_path, monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(drawing, "import_module", absent)
    with pytest.raises(MissingDataError, match=r"pip install 'caplens\[report\]'"):
        expert("flickr8k-expert").write_figure(tmp_path / "figure.svg")
