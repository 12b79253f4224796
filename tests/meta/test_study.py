"""What a study is: presets, options, conventions."""

from __future__ import annotations

import pytest
from tests.judged_sets import preset_of

from caplens.errors import UsageError


def test_an_unknown_preset_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match="flickr8k-expert has no preset 'mine': choose from clipscore, 004, 000"):
        preset_of("flickr8k-expert", "mine")


@pytest.mark.parametrize("name", ["flickr8k-expert", "composite", "pascal50s", "abstract50s", "distraction"])
def test_the_bleu_of_paper_000_is_the_smoothed_one(name):
    """Kilickaya et al., section 2.1: "we use the smoothed version of BLEU"."""
    printed = preset_of(name, "000").preset.printed
    assert "Bleu_smoothed" in printed
    assert "Bleu_4" not in printed
