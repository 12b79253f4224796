"""The shipped tables hold what METEOR's jar holds, and words mean what METEOR takes them to mean."""

from __future__ import annotations

import zipfile
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caplens.text import wordnet
from caplens.text._tables import BytesTable

NOUNS = ["s ", "ses s", "xes x", "zes z", "ches ch", "shes sh", "men man", "ies y"]
VERBS = ["s ", "ies y", "es e", "es ", "ed e", "ed ", "ing e", "ing "]
ADJECTIVES = ["er ", "est ", "er e", "est e"]
RULES = [rule.encode().split(b" ") for rule in NOUNS + VERBS + ADJECTIVES]


@cache
def jar_entries(member):
    try:
        jar = distribution("pycocoevalcap").locate_file("pycocoevalcap/meteor/meteor-1.5.jar")
    except PackageNotFoundError:
        pytest.skip("METEOR's own tables are not here (they come with `pip install 'caplens[meteor]'`)")
    with zipfile.ZipFile(str(jar)) as file:
        lines = file.read(member).splitlines()
    return [(head, line.split()) for head, line in zip(lines[::2], lines[1::2], strict=True)]


@cache
def jar_synsets():
    return {word: set(map(int, numbers)) for word, numbers in jar_entries("synonym/english.synsets")}


@cache
def jar_bases():
    bases = {}
    for base, forms in jar_entries("synonym/english.exceptions"):
        for form in forms:
            if base not in bases.setdefault(form, []):
                bases[form].append(base)
    return bases


def plain_base_form(word):
    if len(word) <= 2 or word.endswith(b"ss"):
        return word
    forms = (word.removesuffix(ending) + replacement for ending, replacement in RULES if word.endswith(ending))
    return next((form for form in forms if form in jar_synsets()), b"")


def plain_meaning(word):
    found = {word, *jar_bases().get(word, [plain_base_form(word)])}
    return tuple(sorted(set().union(*(jar_synsets().get(one, ()) for one in found))))


def table_of(entries, base=None):
    table = BytesTable(base)
    for entry in entries:
        table.insert(entry)
    return table


def rows(offsets, synsets):
    return [tuple(row.tolist()) for row in np.split(synsets, offsets[1:-1])]


def test_the_tables_are_those_of_the_jar():
    tables = wordnet.load()
    vocabulary = tables.vocabulary
    words = [vocabulary.word(place) for place in range(len(vocabulary))]
    assert words == sorted({*jar_synsets(), *jar_bases(), *(base for some in jar_bases().values() for base in some)})
    numbers = np.split(tables.synset_numbers, tables.synset_offsets[1:-1])
    assert all(row.tolist() == sorted(jar_synsets().get(word, ())) for word, row in zip(words, numbers, strict=True))
    bases = np.split(tables.irregular_bases, tables.irregular_offsets[1:-1])
    forms = [words[place] for place in tables.irregular_forms]
    listed = {form: [words[place] for place in row] for form, row in zip(forms, bases, strict=True)}
    assert listed == jar_bases()


def test_every_irregular_form():
    tables = wordnet.load()
    for form, bases in jar_bases().items():
        assert tables.bases_of_irregular(form) == tuple(bases)
        assert tables.meaning(form) == plain_meaning(form)


# Inflected forms, right and wrong ones: a listed word, something cut off or not, and an ending.
stems = st.integers(0, 153_225).map(wordnet.load().vocabulary.word)
endings = st.sampled_from(
    [b"", *(ending for ending, _ in RULES), b"ss", b"ful", b"'s", b"-", b"_", b"X", b"\xff", b"s" * 300]
)
forms = st.builds(lambda stem, cut, ending: stem[: len(stem) - cut] + ending, stems, st.integers(0, 2), endings)
short_forms = st.text("aeiousd", max_size=3).map(str.encode)


@settings(max_examples=250, deadline=None)
@given(st.lists(forms | short_forms, max_size=12), st.lists(forms | st.binary(max_size=6), max_size=6), st.data())
def test_forms_mean_what_the_plain_rules_say(below, above, data):
    tables = wordnet.load()
    table = table_of(above, table_of(below))
    words = [table.key(entry) for entry in range(len(table))]
    assert [tables.base_form(word) for word in words] == [plain_base_form(word) for word in words]
    expected = [plain_meaning(word) for word in words]
    assert [tables.meaning(word) for word in words] == expected
    first = data.draw(st.integers(0, len(table)))
    offsets, synsets = tables.meanings(table, first)
    assert (offsets.dtype, synsets.dtype, len(offsets)) == (np.int64, np.int32, len(table) - first + 1)
    assert rows(offsets, synsets)[: len(table) - first] == expected[first:]


def test_all_listed_words_at_once():
    vocabulary = wordnet.load().vocabulary
    table = table_of(vocabulary.word(place) for place in range(len(vocabulary)))
    meanings = rows(*wordnet.load().meanings(table))
    assert all(meanings[entry] == plain_meaning(table.key(entry)) for entry in range(len(table)))


def test_no_words_no_meanings():
    offsets, synsets = wordnet.load().meanings(BytesTable())
    assert (offsets.tolist(), synsets.tolist()) == ([0], [])


# Observed: METEOR 1.5 given the one word as candidate, the other as reference, `-m synonym`, without `-norm`.
SYNONYMS = """
    dogs domestic_dog, women adult_female, better good, class course, is constitute, as arsenic,
    skies sky, fries fry, uses use, hoed hoe, caring tending, freshmen newcomer, singing scorch, singing sing,
    caddied tea_caddy, startes startle, ies i.e., x-ray roentgen_ray, 13s thirteen, night-liner night-line,
    able entity
"""
NOT_SYNONYMS = """
    Dogs domestic_dog, dog Hound, dog cat, handsful hand, fries kitten, hoed holmium, caring car, sicking sick,
    seconder second, talkss talks, perversenesss perversity, qs q, ies wye, 6s half_a_dozen
"""


def pairs(text):
    return [tuple(pair.encode().split()) for pair in text.split(",")]


@pytest.mark.parametrize("pair", pairs(SYNONYMS))
def test_words_that_meteor_takes_for_synonyms(pair):
    one, other = map(wordnet.load().meaning, pair)
    assert set(one) & set(other)


@pytest.mark.parametrize("pair", pairs(NOT_SYNONYMS))
def test_words_that_meteor_does_not_take_for_synonyms(pair):
    one, other = map(wordnet.load().meaning, pair)
    assert not set(one) & set(other)
