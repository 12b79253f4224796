"""The caption parser that ships: what it is given, what it gives, and how far it agrees with the reference."""

import gzip
import json
import threading
from itertools import pairwise

import numpy as np
import pytest
from tests import grammar_oracle, parser_oracle
from tests.conftest import SHARED

from caplens.files.arrays import read_arrays
from caplens.scenegraph.parse import Sentence
from caplens.scenegraph.parser import caption_parser as student
from caplens.scenegraph.parser.features import feature_rows, number_words
from caplens.scenegraph.parser.grammar import NETWORK_SHARE, Roles, checksums, unpack
from caplens.scenegraph.rules.tuples import propose

CAPTIONS = [
    "a man riding a wave on top of a surfboard",
    "two dogs run",
    "",
    "dogs",
    "a red and white bus driving down a street next to tall buildings",
    "a cat laying on a bed with a remote control",
]
# The network alone parses these differently.
UNCERTAIN = [
    "a desk beside a window in a bedroom",
    "a bench sits inside of a garden with flowers",
    "a large commercial plane flying in cloudy skies",
    "a person that is dressed up very nicely",
    "a traffic light and street sign surrounded by buildings",
]
PARSES = SHARED / "spice" / "parses_golden.jsonl.gz"
needs_parses = pytest.mark.skipif(
    not (SHARED / "spice" / "parses_golden.jsonl.gz").exists(),
    reason="the parses of the reference are not here (../shared/data/spice)",
)


def words(captions):
    return [caption.split() for caption in captions]


@pytest.fixture(scope="module")
def parser():
    return student.load()


@pytest.fixture(scope="module")
def reference_parses():
    with gzip.open(PARSES, "rt") as lines:
        return [json.loads(line) for line in lines][::7]


def test_the_shipped_file_is_small_enough():
    assert student.MODEL.stat().st_size < 12e6


def test_the_network_is_the_oracles(parser):
    model = read_arrays(student.MODEL)
    weights = {name: model[name] for name in model if model[name].dtype.kind == "f"}
    numbers = number_words(bytes(model["words"]).decode().split("\n"))
    for caption in filter(None, words(CAPTIONS)):
        tags, heads, labels = parser.read(caption, np.array([0, len(caption)], np.int32)).best()
        features = feature_rows(caption, numbers, int(model.facts["buckets"]))
        arcs, score_labels, tag_scores = parser_oracle.score_caption(features, weights)
        assert tags.tolist() == tag_scores.argmax(axis=1).tolist()
        if len(caption) <= 6:
            assert tuple(heads.tolist()) == parser_oracle.best_tree(arcs)
        assert labels.tolist() == score_labels(heads.tolist()).argmax(axis=1).tolist()


def test_the_grammar_is_the_oracles(parser):
    model = read_arrays(student.MODEL)
    tags, labels = (bytes(model[name]).decode().split("\n") for name in ("tags", "labels"))
    roles, weights = Roles(tags, labels), unpack(model["grammar"], model["grammar_unit"])
    changed = 0
    for caption in words(UNCERTAIN):
        offsets = np.array([0, len(caption)], np.int32)
        reading = parser.read(caption, offsets)
        found = reading.likely(roles.root)
        named = found.tags.tolist(), (NETWORK_SHARE * found.tag_logs).tolist()
        arcs = found.heads.tolist(), found.labels.tolist(), (NETWORK_SHARE * found.arc_logs).tolist()
        choices = [
            [list(zip(*columns, strict=True))[first:last] for first, last in pairwise(starts.tolist())]
            for columns, starts in ((named, found.tag_starts), (arcs, found.arc_starts))
        ]
        best = grammar_oracle.best_tree(checksums(caption).tolist(), *choices, roles, weights)
        (sentence,) = parser.parse([caption])[0]
        expected = [[tags[tag] for tag in best[1]], best[2], [labels[label] for label in best[3]]]
        assert [list(sentence.tags), list(sentence.heads), list(sentence.labels)] == expected
        changed += [list(column) for column in best[1:]] != [column.tolist() for column in reading.best()]
    assert changed == len(UNCERTAIN)


def test_an_empty_caption_has_no_sentence(parser):
    parses = parser.parse(words(CAPTIONS))
    assert parses[2] == ()
    assert [len(parse) for parse in parses] == [1, 1, 0, 1, 1, 1]
    assert parser.parse([]) == []
    assert parser.parse([[], []]) == [(), ()]


def test_neighbours_order_and_threads_change_nothing(parser):
    captions = words(CAPTIONS) * 300
    alone = [parser.parse([caption])[0] for caption in words(CAPTIONS)] * 300
    assert parser.parse(captions) == alone
    assert parser.parse(captions, jobs=3) == alone
    assert parser.parse(captions[::-1]) == alone[::-1]


def test_threads_may_share_a_parser():
    shared = student.CaptionParser(read_arrays(student.MODEL))
    captions = [[*caption, f"word{number}"] for number in range(50) for caption in words(CAPTIONS)]
    expected = student.load().parse(captions)
    results = {}

    def work(name):
        results[name] = shared.parse(captions)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(results[name] == expected for name in range(4))


def test_more_words_than_are_remembered(monkeypatch):
    monkeypatch.setattr(student, "REMEMBERED_WORDS", 5)
    forgetful = student.CaptionParser(read_arrays(student.MODEL))
    for _ in range(2):
        assert forgetful.parse(words(CAPTIONS)) == student.load().parse(words(CAPTIONS))


@pytest.mark.parametrize("length", [50, 256])
def test_paragraphs_are_parsed(parser, length):
    paragraph = (words(CAPTIONS)[0] * 150)[:length]
    ((sentence,),) = parser.parse([paragraph])
    assert isinstance(sentence, Sentence)
    assert len(sentence.words) == length
    assert propose((sentence,))


def test_what_is_longer_is_cut_into_sentences(parser):
    paragraph = (words(CAPTIONS)[0] * 150)[:1000]
    before, parse, after = parser.parse([["two", "dogs"], paragraph, ["dogs"]])
    assert [len(sentence.words) for sentence in parse] == [250] * 4
    assert [word for sentence in parse for word in sentence.words] == paragraph
    assert parse == tuple(
        sentence for start in range(0, 1000, 250) for (sentence,) in parser.parse([paragraph[start : start + 250]])
    )
    assert (before, after) == (parser.parse([["two", "dogs"]])[0], parser.parse([["dogs"]])[0])
    assert propose(parse)


def test_strange_words(parser):
    captions = [
        ["œuvre", "日本語", "…"],
        ["\u00a0", "22\u00a03/4"],
        ["x" * 10_000],
        ["&", "&&", "a&", "&b"],
        ["."],
        ["..."],
    ]
    for caption, (sentence,) in zip(captions, parser.parse(captions), strict=True):
        assert len(sentence.words) >= len(caption)


def test_words_that_the_reference_cuts_again(parser):
    captions = words(["an at&t cell phone", "a plate on a tray.", "signs on main rd.", "the st. bernard dog"])
    assert [" ".join(sentence.words) for (sentence,) in parser.parse(captions)] == [
        "an at & t cell phone",
        "a plate on a tray .",
        "signs on main rd. .",
        "the st. bernard dog",
    ]


def test_other_languages_are_noticed(parser):
    assert parser.known_share(words(["ein mann reitet auf einem braunen pferd"])) < 0.5
    assert parser.known_share(words(CAPTIONS)) == 1.0
    assert parser.known_share([]) == 1.0


def test_the_signature_names_the_weights(parser):
    assert parser.signature == read_arrays(student.MODEL).facts["signature"]
    assert len(parser.signature) == 12


@needs_parses
def test_agreement_with_the_reference(parser, reference_parses):
    """The figures of training/parser/README.md, on every seventh golden caption, with room for chance."""
    parses = parser.parse([line["text"].split(" ") for line in reference_parses])
    tokens = tags = arcs = shared = total = 0
    for line, parse in zip(reference_parses, parses, strict=True):
        ours, theirs = set(propose(parse)), {tuple(each) for each in line["tuples"]}
        shared += len(ours & theirs)
        total += len(ours) + len(theirs)
        if list(parse[0].words) != line["sents"][0]["w"]:
            continue
        wanted = {dependent: (head, label) for head, dependent, label in line["sents"][0]["basic"]}
        tokens += len(parse[0].words)
        tags += int(np.sum(np.array(parse[0].tags) == np.array(line["sents"][0]["t"])))
        found = zip(parse[0].heads, parse[0].labels, strict=True)
        arcs += sum(arc == wanted.get(place) for place, arc in enumerate(found, start=1))
    assert tags / tokens > 0.98
    assert arcs / tokens > 0.94
    assert 2 * shared / total > 0.94
