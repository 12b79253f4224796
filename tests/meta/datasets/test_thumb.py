"""THumB: ratings of precision and recall."""

from __future__ import annotations

from tests.judged_sets import load, preset_of


class TestThumb:
    def test_2500_captions_of_500_images(self, shared_dir):
        judged = load("thumb", shared_dir)
        assert (len(judged), len(set(judged.images)), len(set(judged.ids))) == (2500, 500, 2500)
        machine = preset_of("thumb", "machine").apply(judged)
        assert (len(machine), len(machine.left_out[0].ids)) == (2000, 500)

    def test_captions_that_are_not_fluent_have_a_penalty(self, shared_dir):
        judged = load("thumb", shared_dir)
        assert preset_of("thumb", "fluency").aspects == ("fluency",)
        penalties = judged.ratings["fluency"]
        assert (int((penalties < 0).sum()), float(penalties.max())) == (96, 0.0)
