"""Kernels that cannot be crashed: long captions, numbers that are none, arrays that contradict each other."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.alone import run_alone
from tests.conftest import needs_meteor

from caplens.embeddings import library
from caplens.embeddings.importing import import_vectors
from caplens.embeddings.table import StoredTable
from caplens.errors import CaplensError, InputError
from caplens.files.arrays import read_arrays, write_arrays
from caplens.files.checks import DamagedFileError
from caplens.learned.composite import feedforward
from caplens.learned.critique import model
from caplens.metrics.rouge import _rouge
from caplens.metrics.wmd._transport import transport
from caplens.networks import Matrix, largest_rows
from caplens.networks._layers import run_lstm
from caplens.scenegraph.parser._trees import find_trees
from caplens.text._encode import ChunkEncoder
from caplens.text._tables import BytesTable
from caplens.text.meteor.phrases import Phrases
from caplens.text.vocabulary import Vocabulary
from caplens.text.words import MOST_WORDS, Words

LONG_METEOR = """
import sys
import caplens

words = [f"w{number}" for number in range(int(sys.argv[1]))]
result = caplens.score([" ".join(words)], [[" ".join(reversed(words))]], metrics="meteor", max_words=0)
print(float(result["METEOR"].item_scores[0]))
"""


@needs_meteor
@pytest.mark.parametrize("words", [46_340, 65_535])  # whose squares, with the next number, leave 31 and 32 bits
def test_meteor_takes_captions_whose_table_of_runs_would_not_fit_32_bits(words):
    done = run_alone(LONG_METEOR, words)
    assert (done.returncode, done.stderr) == (0, "")
    assert float(done.stdout) == pytest.approx(0.4)  # all words match, each in a chunk of its own


NOT_FINITE = """
import numpy as np
from caplens.metrics.wmd import _wmd

rows = 30
vectors = np.random.default_rng(0).normal(size=(rows, 4)).astype(np.float32)
vectors[::3] = {number}
offsets, words = np.array([0, 15, 30]), np.arange(rows, dtype=np.int32)
bags = [
    _wmd.Bags(offsets[:2], words[:15], np.ones(15, np.int32), np.array([15]), 15),
    _wmd.Bags(offsets[:2], words[15:], np.ones(15, np.int32), np.array([15]), 15),
]
distances = _wmd.Distances(vectors, vectors[:0], np.zeros(0))
found = np.zeros(1)
_wmd.every(*bags, distances, np.array([0]), np.array([0]), found, 0, 1)
print("survived")
"""


@pytest.mark.parametrize("number", ["np.nan", "np.inf", "-np.inf", "3e38"])
def test_the_transport_of_vectors_that_are_not_finite_ends(number):
    done = run_alone(NOT_FINITE.format(number=number), seconds=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "survived\n", "")


@pytest.mark.parametrize("cost", [np.nan, np.inf])
def test_costs_of_a_transport_are_finite(cost):
    with pytest.raises(ValueError, match="finite"):
        transport(np.full((2, 2), cost), np.array([1, 1]), np.array([1, 1]))


@pytest.fixture
def tables(tmp_path, monkeypatch):
    monkeypatch.setenv(library.VARIABLE, str(tmp_path / "tables"))
    return tmp_path / "tables"


def test_numbers_that_16_bits_cannot_hold_are_refused_at_import(tmp_path, tables):
    file = tmp_path / "large.txt"
    file.write_text("dog 65504 1\ncat 70000 2\n")
    with pytest.raises(InputError, match=r"65,504.*without --half"):
        import_vectors(file, half=True)
    assert not any(tables.iterdir())
    assert import_vectors(file).words == 2


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_a_table_gives_finite_vectors_only(number):
    vocabulary = Vocabulary.from_words([b"cat", b"dog"])
    table = StoredTable("odd", "glove", "0", vocabulary, np.array([[number, 1], [2, 3]], np.float32))
    assert table.vector("dog").tolist() == [2, 3]
    words = BytesTable()
    words.insert(b"cat")
    for ask in (lambda: table.vector("cat"), lambda: table.look_up(words)):
        with pytest.raises(DamagedFileError, match="'odd' contain values that are not finite numbers"):
            ask()


def rewritten(path, **arrays):
    """Write a file of arrays again, whole and with a right checksum, but with some arrays changed."""
    found = read_arrays(path)
    changed = {name: arrays.get(name, array) for name, array in found.items()}
    write_arrays(path, {name: np.array(array) for name, array in changed.items() if array is not None}, found.facts)


def with_tables_alone(tables):
    """Score with the imported table; offsets that lead anywhere would end the process."""
    return run_alone(
        """
        import caplens
        try:
            caplens.score(["a dog"], [["a cat"]], metrics="wmd(vectors=tiny)")
        except caplens.CaplensError as error:
            print(error)
        """,
        **{library.VARIABLE: str(tables)},
    )


@pytest.mark.parametrize(
    "arrays",
    [
        {"word_offsets": np.array([0, 4_000_000_000, 9, 12], np.uint32)},
        {"word_offsets": np.array([0, 3, 2, 12], np.uint32)},
        {"word_offsets": np.array([0, 12], np.uint32)},
        {"word_offsets": np.array([], np.uint32)},
        {"word_offsets": np.zeros((2, 2), np.uint32)},
        {"rows": np.array([0, 1, 3], np.int32)},
        {"rows": np.array([0, 1, -1], np.int32)},
        {"rows": np.array([0, 1], np.int32)},
        {"rows": None},
    ],
)
def test_a_table_whose_arrays_contradict_each_other_is_not_used(tmp_path, tables, arrays):
    file = tmp_path / "tiny.txt"
    file.write_text("dog 1 2\ncat 3 4\nzebras 5 6\n")
    import_vectors(file)
    rewritten(tables / "tiny.safetensors", **arrays)
    done = with_tables_alone(tables)
    assert done.returncode == 0
    assert re.match(r"The word vectors 'tiny' .*cannot be used.*import it again", done.stdout)


def test_a_matrix_needs_a_bias_for_every_column():
    for length in (0, 15, 17):
        with pytest.raises(ValueError, match="16 columns"):
            Matrix(np.zeros((3, 16), np.float32), np.zeros(length, np.float32))


def test_an_lstm_is_given_what_it_will_touch():
    recurrent = Matrix(np.zeros((4, 16), np.float32))
    inputs, outputs = np.zeros((3, 16), np.float32), np.zeros((5, 4), np.float32)
    rows, offsets = np.array([0, 1, 2, 0, 1], np.int32), np.array([0, 3, 5], np.int32)

    def run(recurrent=recurrent, inputs=inputs, rows=rows, offsets=offsets, outputs=outputs):
        run_lstm(recurrent, inputs, rows, offsets, 0, False, outputs, 0)

    run()
    for wrong in (
        {"recurrent": Matrix(np.zeros((4, 12), np.float32))},
        {"inputs": inputs[:2]},
        {"inputs": np.zeros((3, 15), np.float32)},
        {"rows": np.array([0, 1, 2, 0, -1], np.int32)},
        {"offsets": np.array([0, 3, 6], np.int32)},
        {"offsets": np.array([0, 4, 3, 5], np.int32)},
        {"offsets": np.array([], np.int32)},
        {"outputs": np.zeros((4, 4), np.float32)},
        {"outputs": np.zeros((5, 3), np.float32)},
    ):
        with pytest.raises(ValueError, match=r"."):
            run(**wrong)
    with pytest.raises(ValueError, match="between 0 and 3"):
        largest_rows(inputs, np.array([0, 4], np.int32))
    with pytest.raises(ValueError, match="without a row"):
        largest_rows(inputs, np.array([0, 0, 3], np.int32))


def test_trees_are_made_of_scores_that_fit():
    queries, heads = np.zeros((3, 4), np.float32), np.zeros(3, np.int32)
    root, offsets = np.zeros(4, np.float32), np.array([0, 3], np.int32)
    find_trees(queries, queries, root, offsets, heads)
    for wrong in (
        (queries, queries[:2], root, offsets, heads),
        (queries, queries, root[:3], offsets, heads),
        (queries, queries, root, np.array([0, 4], np.int32), heads),
        (queries, queries, root, np.array([0, 3, 2, 3], np.int32), heads),
        (queries, queries, root, offsets, heads[:2]),
    ):
        with pytest.raises(ValueError, match="do not fit"):
            find_trees(*wrong)


def weights_of(folder):
    return read_arrays(folder / model.WEIGHTS)


@pytest.fixture
def critique(tmp_path):
    """A copy of the critique that ships with caplens."""
    folder = tmp_path / "critique"
    folder.mkdir()
    for name in (model.WEIGHTS, model.CONFIG):
        (folder / name).write_bytes((model.SHIPPED / name).read_bytes())
    return folder


def critique_biases():
    names = [name for name in weights_of(model.SHIPPED) if "bias" in name]
    assert "output.bias" in names
    return names


@pytest.mark.parametrize("name", critique_biases())
def test_a_critique_with_a_short_bias_is_refused(critique, name):
    rewritten(critique / model.WEIGHTS, **{name: weights_of(critique)[name][:-1]})
    with pytest.raises(CaplensError, match=re.escape(f"({name} should be")):
        model.load(str(critique))


@pytest.mark.parametrize("name", critique_biases())
def test_a_critique_without_a_bias_is_refused(critique, name):
    rewritten(critique / model.WEIGHTS, **{name: None})
    with pytest.raises(CaplensError, match=re.escape(f"({name} should be")):
        model.load(str(critique))


def test_a_critique_of_what_is_no_number_is_refused(critique):
    odd = np.array(weights_of(critique)["output.weight"])
    odd[0, 0] = np.nan
    rewritten(critique / model.WEIGHTS, **{"output.weight": odd})
    with pytest.raises(CaplensError, match=r"output\.weight must contain only finite numbers"):
        model.load(str(critique))


def test_a_critique_without_words_is_refused(critique):
    rewritten(critique / model.WEIGHTS, words=None)
    with pytest.raises(CaplensError, match="its words"):
        model.load(str(critique))


def test_a_critique_whose_words_are_no_text_is_refused(critique):
    words = np.array(weights_of(critique)["words"])
    words[0] = 0xFF
    rewritten(critique / model.WEIGHTS, words=words)
    with pytest.raises(CaplensError, match="not UTF-8"):
        model.load(str(critique))


def paraphrases(**changed):
    """The trie of "a" -> "b", as METEOR's index has it."""
    arrays = {
        "vocabulary_blob": np.frombuffer(b"ab", np.uint8),
        "vocabulary_offsets": np.array([0, 1, 2], np.uint32),
        "node_words": np.array([0, 0, 1], np.int32),
        "first_child": np.array([1, 3, 3, 3], np.int32),
        "paraphrase_offsets": np.array([0, 0, 1, 1], np.int32),
        "paraphrases": np.array([2], np.int32),
        "source_offsets": np.array([0, 0, 0, 1], np.int32),
        "sources": np.array([1], np.int32),
    }
    return arrays | changed


@pytest.mark.parametrize(
    "changed",
    [
        {"first_child": np.array([1, 4, 3, 3], np.int32)},
        {"first_child": np.array([1, 3, 2, 3], np.int32)},
        {"first_child": np.array([1, 3, 3], np.int32)},
        {"node_words": np.array([0, 0, 2], np.int32)},
        {"paraphrase_offsets": np.array([0, 2, 1, 1], np.int32)},
        {"paraphrases": np.array([3], np.int32)},
        {"paraphrases": np.array([-1], np.int32)},
        {"source_offsets": np.array([0, 0, 0, 2], np.int32)},
        {"sources": np.array([3], np.int32)},
        {"vocabulary_offsets": np.array([0, 3, 2], np.uint32)},
    ],
)
def test_an_index_of_paraphrases_that_contradicts_itself_is_refused(changed):
    Phrases.check(paraphrases())
    with pytest.raises(DamagedFileError):
        Phrases.check(paraphrases(**changed))


def test_words_beyond_the_first_two_thousand_million_are_found():
    far = 2**31 + 3
    ids = np.zeros(far + 8, np.int32)  # memory that nobody touches costs nothing
    ids[far:] = [1, 2, 3, 4, 1, 2, 3, 5]
    offsets = np.array([0, far, far + 4, far + 8])
    table = np.zeros((3, 2))
    _rouge.precision_recall(offsets, ids, offsets, ids, np.array([0, 2, 3]), np.array([0, 1, 1]), table, 1, 3)
    assert table[1:].tolist() == [[0.75, 0.75], [1, 1]]


def test_a_caption_of_too_many_words_is_refused():
    with pytest.raises(InputError, match=r"Caption 2 has more than 268,435,456 words"):
        Words(np.zeros(0, np.int32), np.array([0, 3, 4 + MOST_WORDS]), BytesTable())


def test_a_chunk_whose_tokenizer_failed_is_not_known():
    class FailingError(Exception):
        pass

    calls = []

    def tokenize(text):
        calls.append(text)
        if len(calls) == 1:
            raise FailingError
        return text.split("-")

    encoder = ChunkEncoder(tokenize)
    text = np.frombuffer(b"one-two", np.uint8)
    offsets, ends = np.array([0, 7]), np.zeros(2, np.int64)
    with pytest.raises(FailingError):
        encoder.encode(text, offsets, ends, 0, 1)
    encoder.encode(text, offsets, ends, 0, 1)
    assert ends.tolist() == [0, 2]
    assert [encoder.words.key(word) for word in encoder.take_ids()] == [b"one", b"two"]


@pytest.mark.parametrize("name", ["hidden.bias", "output.weight"])
def test_a_critique_of_whole_numbers_is_refused(critique, name):
    rewritten(critique / model.WEIGHTS, **{name: weights_of(critique)[name].astype(np.int64)})
    with pytest.raises(CaplensError, match="floats"):
        model.load(str(critique))


@pytest.mark.parametrize("number", [0.0, -1.0, np.nan, np.inf])
def test_a_composite_network_that_divides_by_nothing_is_refused(tmp_path, number):
    network = feedforward.FeedForward(np.zeros(1), np.ones(1), ((np.ones((1, 1, 1)), np.zeros((1, 1))),), "tanh")
    network.save(tmp_path / "network.safetensors")
    rewritten(tmp_path / "network.safetensors", deviation=np.array([number]))
    with pytest.raises(InputError, match="not those of a feed-forward network"):
        feedforward.load(tmp_path / "network.safetensors")
