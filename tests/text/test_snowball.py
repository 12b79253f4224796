"""Both packages of Snowball 2.2 give the same stems, so that scores do not depend on the version of Python."""

from __future__ import annotations

import json
import re
import sys
from importlib import resources
from importlib.metadata import version

import pytest

import caplens
from caplens.text.snowball import in_python, snowball

pytest.importorskip("snowballstemmer", reason="snowballstemmer is not installed (it is in the extra dev)")
pytestmark = pytest.mark.skipif(
    not version("snowballstemmer").startswith("2."), reason="snowballstemmer 3 is another version of Snowball"
)

WORDS = {
    "german": "Hunde Erlebnisse häuser straßen laufend gelaufen größere Kätzchen aufeinander weiß Ärzte",
    "french": "chevaux mangeaient œuvre naïve ambiguë nageuses quelques éléphants rouges joyeusement",
    "spanish": "caballos corriendo niñas perros pequeños comiéndoselo montaña rápidamente cigüeñas",
    "russian": "собаки зелёной ёлками бегущий лошадью красивая мальчиков играющие побежали",
}


def english_words():
    """Words of the shipped captions and of WordNet's irregular forms, METEOR's difficult ones among them."""
    folder = resources.files("caplens.data")
    text = (folder / "example" / "references.json").read_text(encoding="utf-8")
    found = set(re.findall(r"[a-z']+", text.lower()))
    endings = ["", "s", "es", "ed", "ing", "ly", "ness", "ation", "ization", "fulness", "ously", "'s", "ied", "y"]
    made_up = {stem + ending for stem in sorted(found)[:600] for ending in endings}
    return sorted(found | made_up | {"archaeologist", "ebbing", "generously", "skis", "dying", "inning", "succeed"})


@pytest.mark.parametrize("algorithm", ["english", "german", "french", "spanish", "russian"])
def test_stems_are_the_same(algorithm):
    pytest.importorskip("Stemmer", reason="PyStemmer 2 has no wheel for this Python")
    words = WORDS.get(algorithm, "").split()
    encoded = [word.encode() for word in [*english_words(), *words]]
    assert in_python(algorithm)(encoded) == snowball(algorithm)(encoded)


def test_bytes_that_are_no_text_pass():
    assert in_python("english")([b"\xff", b"riding"]) == [b"\xff", b"ride"]


def test_meteor_without_pystemmer(monkeypatch):
    pytest.importorskip("pycocoevalcap", reason="METEOR's data files are not installed")
    human, references = (
        json.loads((resources.files("caplens.data") / "example" / name).read_text(encoding="utf-8"))
        for name in ("human.json", "references.json")
    )
    before = caplens.score(human, references, metrics="meteor, cider(variant=plain)")
    monkeypatch.setitem(sys.modules, "Stemmer", None)
    snowball.cache_clear()
    try:
        after = caplens.score(human, references, metrics="meteor, cider(variant=plain)")
    finally:
        snowball.cache_clear()
    for key in before:
        assert after[key].item_scores.tolist() == before[key].item_scores.tolist()
