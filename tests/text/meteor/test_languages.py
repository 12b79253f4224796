"""METEOR's normalisers and lists by language, against METEOR's own output."""

from __future__ import annotations

import gzip
import json

import pytest
from tests.conftest import SHARED, needs_meteor

from caplens.text.meteor.languages import LANGUAGES, function_words, normalizer

pytestmark = needs_meteor
NORMALIZED = [code for code, language in LANGUAGES.items() if language.apostrophe is not None]


@pytest.mark.parametrize("language", NORMALIZED)
def test_golden_strings(language):
    path = SHARED / "languages" / "meteor" / "normaliser.json.gz"
    if not path.exists():
        pytest.skip("the golden strings are not here (they lie in ../shared/data, beside the repository)")
    golden = json.loads(gzip.decompress(path.read_bytes()))["pairs"][language]
    assert len(golden) == 500
    found = [" ".join(normalizer(language).words(text)) for text, _ in golden]
    assert found == [expected.lower() for _, expected in golden]


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("en", "don't", "don 't"),
        ("fr", "L'homme aujourd'hui a-t-il", "l' homme aujourd' hui a t-il"),
        ("de", "geht's", "geht ' s"),
        ("de", "3. Mai 100. Mai Dr. Dr dr. Mai", "3. mai 100 . mai dr. dr dr . mai"),
        ("cz", "1. muž 2. žena", "1. muž 2 . žena"),
        ("de", "große gro\u1e9ee", "große gro ß e"),
        ("de", "la\u0308uft", "la \u0308 uft"),
    ],
)
def test_differences(language, text, words):
    assert " ".join(normalizer(language).words(text)) == words


def test_function_words():
    sizes = {code: len(function_words(code)) for code in LANGUAGES}
    assert sizes["en"] == 93
    assert sizes["other"] == 0
    assert all(62 <= sizes[code] <= 92 for code in ("cz", "de", "es", "fr", "ru"))
    assert b"die" in function_words("de")


def test_other_has_no_normaliser():
    with pytest.raises(ValueError, match="no normaliser"):
        normalizer("other")
