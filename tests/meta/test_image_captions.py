"""Reference captions of the image sets that judgments are about."""

from __future__ import annotations

import pytest

from caplens.errors import InputError
from caplens.meta.image_captions import captions_of, image_key


def test_captions_of_an_unknown_set(tmp_path):
    with pytest.raises(InputError, match="no captions of 'vizwiz'"):
        captions_of("vizwiz", tmp_path)


@pytest.mark.parametrize(("name", "key"), [("COCO_train2014_000000000009.jpg", "9"), ("a_b.jpg", "a_b"), ("12", "12")])
def test_images_are_known_by_their_key(name, key):
    assert image_key(name) == key
