"""What a study is: presets, options, conventions."""

from __future__ import annotations

import pytest
from tests.judged_sets import preset_of

from caplens.errors import UsageError


def test_an_unknown_preset_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match="flickr8k-expert has no preset 'mine': choose from hessel2021, anderson2016"):
        preset_of("flickr8k-expert", "mine")


@pytest.mark.parametrize(
    ("study", "old", "new"),
    [
        ("flickr8k-expert", "clipscore", "hessel2021"),
        ("flickr8k-expert", "000", "kilickaya2017"),
        ("flickr8k-crowd", "001", "cui2018"),
        ("composite", "002", "sharif2018"),
        ("abstract50s", "003", "sharif2020"),
        ("coco2015", "004", "anderson2016"),
    ],
)
def test_an_old_name_of_a_preset_gives_the_new_one(study, old, new):
    with pytest.raises(UsageError, match=f"The preset '{old}' of {study} is now named '{new}'"):
        preset_of(study, old)


def test_an_old_name_of_a_preset_that_a_study_never_had():
    with pytest.raises(UsageError, match="thumb has no preset '004': choose from thumb, machine"):
        preset_of("thumb", "004")


@pytest.mark.parametrize("name", ["flickr8k-expert", "composite", "pascal50s", "abstract50s", "distraction"])
def test_the_bleu_of_kilickaya_2017_is_the_smoothed_one(name):
    """Kilickaya et al., section 2.1: "we use the smoothed version of BLEU"."""
    published = preset_of(name, "kilickaya2017").preset.published
    assert "Bleu_smoothed" in published
    assert "Bleu_4" not in published
