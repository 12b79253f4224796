"""Figures of studies, where matplotlib is there; one clear sentence where it is not."""

from __future__ import annotations

import importlib.util
import json

import pytest

from caplens.errors import MissingDataError, UsageError
from caplens.meta import figures, study

WITHOUT = importlib.util.find_spec("matplotlib") is None
needs_matplotlib = pytest.mark.skipif(WITHOUT, reason="matplotlib is not installed (extra report)")


@pytest.fixture
def expert(flickr):
    def run(name, **options):
        return study(name, flickr, metrics="rouge, bleu(n=2)", preset="000", resamples=10, jobs=1, **options)

    return run


@needs_matplotlib
@pytest.mark.parametrize("name", ["flickr8k-expert", "williams", "complementarity", "distributions", "distraction"])
def test_every_kind_of_outcome_is_drawn_the_same_way_twice(expert, name, tmp_path):
    data = expert(name).to_dict()
    assert figures.can_draw(data)
    svg = figures.figure_svg(data)
    assert svg.startswith("<svg")
    assert "ROUGE_L" in svg  # text stays text
    assert figures.figure_svg(data) == svg
    for suffix in figures.SUFFIXES:
        figures.write_figure(json.loads(json.dumps(data)), tmp_path / f"figure{suffix}")
        assert (tmp_path / f"figure{suffix}").stat().st_size > 1000


@needs_matplotlib
def test_systems_and_curves(shared_dir):
    for result in (
        study("coco2015", shared_dir, metrics="cider, spice", resamples=5),
        study("pascal50s", shared_dir, metrics="rouge", curve=(1, 5), draws=1, resamples=5),
        study("robustness", shared_dir, metrics="rouge, bleu(n=1)", images=20, resamples=5),
    ):
        assert figures.figure_svg(result.to_dict()).startswith("<svg")


@needs_matplotlib
def test_sentences_categories_and_frequencies(tmp_path):
    svg = figures.figure_svg(study("sensitivity", metrics="rouge").to_dict())
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
        svg = figures.figure_svg(study(name, tmp_path, jobs=1).to_dict())
        assert "mine" in svg
        assert word in svg


@needs_matplotlib
def test_figures_leave_out_details_and_no_score_whose_name_begins_like_another():
    plain = {"accuracy": {"HC": 0.5, "mean": 0.5}, "signature": ""}
    metrics = dict.fromkeys(("Eval_All", "Eval_All_H", "SPICE"), plain)
    metrics["SPICE_Object"] = {**plain, "detail_of": "SPICE"}
    data = {"study": "pascal50s", "preset": {"name": "000", "ties": "half"}, "n": 4, "metrics": metrics}
    svg = figures.figure_svg(data)
    assert ">Eval_All<" in svg
    assert ">Eval_All_H<" in svg
    assert "SPICE_Object" not in svg


@needs_matplotlib
def test_an_outcome_without_a_figure():
    with pytest.raises(UsageError, match="'mine' has no figure"):
        figures.figure_svg({"study": "mine", "metrics": {}})


def test_other_files_are_refused(tmp_path):
    with pytest.raises(UsageError, match=r"must end in \.svg or \.pdf or \.png"):
        figures.check_figure_output(tmp_path / "figure.gif")


def test_without_matplotlib_the_command_is_named(expert, tmp_path, monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(figures, "import_module", absent)
    with pytest.raises(MissingDataError, match=r"pip install 'caplens\[report\]'"):
        expert("flickr8k-expert").write_figure(tmp_path / "figure.svg")
