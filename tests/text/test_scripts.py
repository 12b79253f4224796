"""Captions in scripts that white space does not cut into words are found, and nothing else is."""

from __future__ import annotations

import pytest

from caplens.text.captions import Captions
from caplens.text.scripts import uncut_captions


@pytest.mark.parametrize(
    ("text", "scripts"),
    [
        ("一个男人在骑马", ("Chinese",)),
        ("一个 男人在骑马。", ("Chinese",)),
        ("馬に乗る男性", ("Japanese", "Chinese")),
        ("남자가 말을 탄다", ("Korean",)),
        ("ชายขี่ม้า", ("Thai",)),
        ("ជនជាតិខ្មែរ", ("Khmer",)),
    ],
)
def test_found(text, scripts):
    assert uncut_captions(Captions.from_texts(["a dog", text, ""])[0]) == (1, scripts)


@pytest.mark.parametrize(
    "text",
    [
        "a man on a horse",
        "a sign that says 出口 in red",
        "男人 骑 马",  # cut into words already
        "एक आदमी घोड़े पर",
        "мужчина на лошади",
        "رجل على حصان",
        "người đàn ông cưỡi ngựa",
        "café – naïve… 😀😀😀",
    ],
)
def test_not_found(text):
    assert uncut_captions(Captions.from_texts([text])[0]) == (0, ())


def test_no_captions_at_all():
    assert uncut_captions(Captions.from_texts([])[0]) == (0, ())
