"""Metrics for English say so where references are in another language."""

from __future__ import annotations

import gzip
import json

import pytest
from tests.conftest import SHARED

import caplens
from caplens.core.english import not_english
from caplens.errors import add_notices

FOLDER = SHARED / "languages" / "captions"
FILES = sorted({path.name.removesuffix(".json.gz") for path in FOLDER.glob("*.json.gz")} - {"zh-systems"})


def codes(references):
    result = caplens.score([texts[0] for texts in references], references, "lens, spice")
    return [notice.code for notice in result.warnings]


@pytest.mark.skipif(not FILES, reason="the captions in other languages are not there (../shared/data/languages)")
@pytest.mark.parametrize("name", FILES)
def test_other_languages_are_warned_about(name):
    images = json.loads(gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()))["images"][:40]
    assert codes([image["references"] for image in images]).count("not-english") == 2


@pytest.mark.parametrize(
    "caption", ["man horse beach", "a dog", "two people playing frisbee", "A quokka with the ranger of Rottnest Island"]
)
def test_english_is_not(caption):
    assert codes([[caption]]) == []


def test_strings_of_unknown_words_are():
    assert codes([["qwrt zxcv plmk"]]).count("not-english") == 2


@pytest.mark.parametrize(("known", "warned"), [(0.49, True), (0.5, False), (0.0, True), (1.0, False)])
def test_most_words_must_be_known(known, warned):
    assert bool(not_english("Lens", [["the", "dog"]], known)) is warned


def test_parts_say_it_once():
    parts = [
        notice
        for known in (0.2, 0.4)
        for notice in not_english("Lens", [["ein", "hund", "auf", "der", "wiese"]], known)
    ]
    assert [str(notice) for notice in add_notices(parts)] == [
        "Lens knows only 3 of 10 sampled words of the references: it supports English only, and scores for other "
        "languages are meaningless"
    ]


def test_no_words_say_nothing():
    assert "not-english" not in codes([[""]])
