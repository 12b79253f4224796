"""Studies by name: what every one refuses."""

from __future__ import annotations

import pytest

import caplens
from caplens import study
from caplens.errors import UsageError


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("table", {"images": 5}, "table has no option 'images'; it has tokenizer, .*captions, preset, coefficient"),
        ("table", {"cluster": True}, "table has no option 'cluster'"),
        ("table", {"cluster": None}, "table has no option 'cluster'"),
        ("table", {"measure": "M1"}, "table has no option 'measure'"),
        ("williams", {"join": "team", "on": "table"}, "table has no option 'join'"),
        ("williams", {"measure": "M1", "on": "table"}, "Only judged systems have measures: see on='coco2015'"),
        ("williams", {"draws": 3}, "williams has no option 'draws'; it has .*coefficient"),
        (
            "sensitivity",
            {"preset": "kilickaya2017"},
            "sensitivity has no option 'preset'; it has tokenizer, jobs, parses, max_words",
        ),
        ("categories", {"scores": [{"id": 1}]}, "'categories' does not accept scores from a file"),
        ("frequencies", {"metrics": "rouge"}, "'frequencies' does not take metrics"),
        ("frequencies", {"resamples": 5}, "frequencies has no option 'resamples'; it has captions, systems, tokenizer"),
        ("table", {"resamples": 0}, r"table\(resamples=...\) must be a whole number from 1 to"),
        ("table", {"seed": -1}, r"table\(seed=...\) must be a whole number from 0 to"),
        ("table", {"rows": "words"}, r"table\(rows=...\) must be one of captions, judgments, not 'words'"),
    ],
)
def test_what_a_study_does_not_have_is_refused_with_what_it_has(judged_table, name, options, message):
    with pytest.raises(UsageError, match=message):
        study(name, judged_table, **options)


def test_names_and_data():
    with pytest.raises(UsageError, match="no study 'flickr8k': did you mean 'flickr8k-"):
        study("flickr8k")
    with pytest.raises(UsageError, match="'thumb' needs data: specify the folder with the judgments"):
        study("thumb")
    with pytest.raises(UsageError, match="'robustness' needs human captions: specify files"):
        study("robustness", metrics="rouge")
    assert "study" in caplens.__all__


def test_options_on_top_of_a_preset(flickr):
    def preset(**options):
        return study("flickr8k-expert", flickr, metrics="rouge", resamples=5, **options).to_dict()["preset"]

    assert (preset()["name"], preset()["own"]) == ("hessel2021", "excluded")
    changed = preset(own="kept", coefficient="SPEARMAN")
    assert (changed["name"], changed["own"], changed["coefficient"]) == ("hessel2021", "kept", "spearman")
