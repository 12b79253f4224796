"""Stems of other languages against METEOR's own stemming command."""

from __future__ import annotations

import gzip
import json

import pytest
from tests.conftest import SHARED

from caplens.text.meteor.stems import stemmer

ALGORITHMS = {"de": "german", "es": "spanish", "fr": "french", "ru": "russian"}


def stem(language: str, words: list[str]) -> list[str]:
    return [found.decode() for found in stemmer(ALGORITHMS[language])([word.encode() for word in words])]


@pytest.mark.parametrize("language", ALGORITHMS)
def test_golden_words(language):
    path = SHARED / "languages" / "meteor" / "stems.json.gz"
    if not path.exists():
        pytest.skip("the golden stems are not here (they lie in ../shared/data, beside the repository)")
    golden = json.loads(gzip.decompress(path.read_bytes()))["stems"][language]
    assert len(golden) >= 2000
    assert stem(language, [word for word, _ in golden]) == [expected for _, expected in golden]


@pytest.mark.parametrize(
    ("language", "word", "expected"),
    [
        ("de", "abfertigungsbefugnisse", "abfertigungsbefugniss"),
        ("de", "abfertigungsbefugniße", "abfertigungsbefugniss"),
        ("de", "erlebnis", "erlebnis"),
        ("de", "abgerüstet", "abgerustet"),
        ("fr", "contiguës", "contigu"),
        ("fr", "aiguës", "aiguë"),
        ("fr", "quguës", "quguë"),
        ("fr", "yaguës", "yagu"),
        ("fr", "coïncidence", "coïncident"),
        ("fr", "canoës", "canoë"),
        ("es", "niños", "niñ"),
        ("ru", "садами", "сад"),
    ],
)
def test_words_that_snowball_2_treats_otherwise(language, word, expected):
    """Printed by METEOR's stemming command."""
    assert stem(language, [word]) == [expected]


def test_nothing_to_stem():
    assert stem("fr", []) == stem("de", []) == []
