"""Stems as METEOR 1.5 makes them: Snowball of before version 2.0.

PyStemmer is Snowball 2.2. Where the two differ was found by giving METEOR's own stemming command word lists and made-up
words; a few rules make up for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from caplens.text.snowball import Stemmer, snowball

# Snowball 2.2 shortens "-nisse" and its cases to "-nis".
_GERMAN_CASES = frozenset({"se", "sen", "ser", "sern", "sem", "ses"})
_FRENCH_VOWELS = "aeiouyâàëéêèïîôûù"
_FRENCH_DIAERESIS = re.compile("[ëï]")
_FRENCH_GU = re.compile("guë(?:s|ment)?$")
# Letters that count as consonants there: u behind q, u and i between vowels, y beside a vowel.
_FRENCH_CONSONANTS = re.compile(
    f"(?<=q)u|(?<=[{_FRENCH_VOWELS}])[uiy](?=[{_FRENCH_VOWELS}])|y(?=[{_FRENCH_VOWELS}])|(?<=[{_FRENCH_VOWELS}])y"
)


def stemmer(algorithm: str) -> Stemmer:
    """Return the function that stems words (UTF-8) in the way of METEOR 1.5.

    Parameters
    ----------
    algorithm : str
        The name of a Snowball algorithm, such as ``german``.

    Examples
    --------
    >>> [stem.decode() for stem in stemmer("german")([b"Hunde", "Erlebnisse".encode()])]
    ['Hund', 'Erlebniss']
    >>> [stem.decode() for stem in stemmer("russian")(["зелёной".encode(), "ёлками".encode()])]
    ['зелён', 'ёлкам']
    """
    return _CORRECTED.get(algorithm, snowball(algorithm))


def _german(words: Sequence[bytes]) -> list[bytes]:
    return [
        stem + b"s" if stem.endswith(b"nis") and _continues_nis(word, stem) else stem
        for word, stem in zip(words, snowball("german")(words), strict=True)
    ]


def _continues_nis(word: bytes, stem: bytes) -> bool:
    return word.decode("utf-8").replace("ß", "ss")[len(stem.decode("utf-8")) :] in _GERMAN_CASES


def _russian(words: Sequence[bytes]) -> list[bytes]:
    """Take ё for a letter of no kind, as ъ is; Snowball 2 takes it for е."""
    return _with_stand_ins("russian", words, re.compile("ё"), "ъ")


def _french(words: Sequence[bytes]) -> list[bytes]:
    """Take ë and ï for plain vowels; Snowball 2 treats them specially."""
    return [
        stem.removesuffix("ë".encode()) if _loses_diaeresis(word) else stem
        for word, stem in zip(words, _with_stand_ins("french", words, _FRENCH_DIAERESIS, "ô"), strict=True)
    ]


def _loses_diaeresis(word: bytes) -> bool:
    text = word.decode("utf-8")
    ending = _FRENCH_GU.search(text)
    return ending is not None and ending.start() >= _french_region(text)


def _french_region(word: str) -> int:
    """Return where Snowball's region RV begins: behind the third letter, or the first vowel but for the first letter.

    Examples
    --------
    >>> _french_region("contiguë"), _french_region("aiguë"), _french_region("tapi"), _french_region("ambiguë")
    (2, 3, 3, 4)
    """
    word = _FRENCH_CONSONANTS.sub(lambda found: found.group().upper(), word)
    if word.startswith(("par", "col", "tap")) or all(letter in _FRENCH_VOWELS for letter in word[:2]):
        return 3
    return next((place + 1 for place, letter in enumerate(word) if place and letter in _FRENCH_VOWELS), len(word))


def _with_stand_ins(algorithm: str, words: Sequence[bytes], letters: re.Pattern[str], stand_in: str) -> list[bytes]:
    """Stem with another letter in the place of some, which then come back by their places."""
    texts = [word.decode("utf-8") for word in words]
    replaced = [letters.sub(stand_in, text).encode("utf-8") for text in texts]
    stems = snowball(algorithm)(replaced)
    for place, text in enumerate(texts):
        if letters.search(text):
            stem = list(stems[place].decode("utf-8"))
            for found in letters.finditer(text):
                if found.start() < len(stem):
                    stem[found.start()] = found.group()
            stems[place] = "".join(stem).encode("utf-8")
    return stems


_CORRECTED: dict[str, Stemmer] = {"german": _german, "russian": _russian, "french": _french}
