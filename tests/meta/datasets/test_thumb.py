"""THumB: ratings of precision and recall."""

from __future__ import annotations

from tests.judged_sets import load, preset_of


class TestThumb:
    def test_2500_captions_of_500_images(self, shared_dir):
        judged = load("thumb", shared_dir)
        assert (len(judged), len(set(judged.images)), len(set(judged.ids))) == (2500, 500, 2500)
        machine = preset_of("thumb", "machine").apply(judged)
        assert (len(machine), len(machine.left_out[0].ids)) == (2000, 500)
