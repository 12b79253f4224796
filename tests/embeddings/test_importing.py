"""Files of word vectors: every format in, the same vectors out, and one sentence for what is damaged."""

from __future__ import annotations

import gzip
import struct

import numpy as np
import pytest

from caplens.embeddings import library
from caplens.embeddings.importing import import_vectors
from caplens.errors import CaplensError, InputError, MissingDataError, UsageError
from caplens.text._tables import BytesTable

WORDS = ["dog", "cat", "straße", "the", "zebra", "a"]
VECTORS = np.array([[0.1, -2, 3e-5], [4, 5.5, 6], [7, 8, 9], [0, 0, 1], [-1, 0.25, 2], [1e-8, 3, 4]], dtype=np.float32)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder for imported tables, away from the user's."""
    monkeypatch.setenv(library.VARIABLE, str(tmp_path / "tables"))
    return tmp_path / "tables"


def lines(header=False):
    rows = [f"{word} {' '.join(map(str, vector))}" for word, vector in zip(WORDS, VECTORS.tolist(), strict=True)]
    return "\n".join([f"{len(WORDS)} 3", *rows] if header else rows) + "\n"


def binary(*, line_feeds):
    rows = [word.encode() + b" " + vector.tobytes() for word, vector in zip(WORDS, VECTORS, strict=True)]
    return f"{len(WORDS)} 3\n".encode() + (b"\n" if line_feeds else b"").join(rows) + (b"\n" if line_feeds else b"")


def model(*, buckets=50, shortest=2, longest=4, quantized=False):
    """A fastText model as its own tool writes it."""
    generator = np.random.default_rng(1)
    settings = [3, 5, 1, 1, 5, 1, 1, 1, buckets, shortest, longest, 100]
    data = struct.pack("<ii12id", 793712314, 12, *settings, 1e-4)
    data += struct.pack("<iiiqq", len(WORDS), len(WORDS), 0, 100, -1)
    for word in WORDS:
        data += word.encode() + b"\0" + struct.pack("<qb", 3, 0)
    rows = np.vstack([VECTORS, generator.normal(size=(buckets if longest else 0, 3))]).astype("<f4")
    return data + struct.pack("<?qq", quantized, *rows.shape) + rows.tobytes(), rows


FORMATS = {
    "glove.txt": (lines().encode(), "glove"),
    "word2vec.txt": (lines(header=True).encode(), "word2vec"),
    "wiki.vec": (lines(header=True).replace("\n", " \n").encode(), "fasttext"),
    "original.bin": (binary(line_feeds=True), "word2vec"),
    "gensim.bin": (binary(line_feeds=False), "word2vec"),
    "windows.txt": (lines().replace("\n", "\r\n").encode(), "glove"),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_vectors_that_are_in_it(tmp_path, name, packed):
    data, kind = FORMATS[name]
    file = tmp_path / (f"{name}.gz" if packed else name)
    file.write_bytes(gzip.compress(data) if packed else data)
    done = import_vectors(file)
    assert (done.name, done.kind, done.words, done.dimensions) == (name.rpartition(".")[0], kind, 6, 3)
    table = library.load(done.name)
    for word, vector in zip(WORDS, VECTORS, strict=True):
        assert table.vector(word).tolist() == vector.tolist()
    assert table.vector("horse") is None
    words = BytesTable()
    words.insert_all([b"horse", b"zebra", b"a"])
    found = table.look_up(words)
    assert found.known.tolist() == [False, True, True]
    assert found.vectors.tolist() == VECTORS[[4, 5]].tolist()


def test_limit_half_precision_and_repeated_words(tmp_path):
    file = tmp_path / "twice.txt"
    file.write_text("dog 1 2\ncat 3 4\ndog 5 6\n. . . 7 8\nlast 9 10\n")
    done = import_vectors(file, limit=4, half=True, name="t-1")
    assert (done.words, done.repeated) == (3, 1)
    table = library.load("t-1")
    assert table.vector("dog").tolist() == [1, 2]
    assert table.vector(". . .").tolist() == [7, 8]
    assert table.vector("last") is None
    assert table.vectors.dtype == np.float16


@pytest.mark.parametrize("name", [name for name in FORMATS if not name.startswith(("glove", "windows"))])
def test_a_file_cut_short_is_refused_in_one_sentence_and_leaves_nothing(tmp_path, folder, name):
    data, _ = FORMATS[name]
    file = tmp_path / name
    for size in range(len(data) - 12, 4, -11):
        file.write_bytes(data[:size])
        with pytest.raises(InputError) as refused:
            import_vectors(file)
        assert str(refused.value).endswith(".")
        assert "\n" not in str(refused.value)
    assert not list(folder.glob("*"))
    file.write_bytes(gzip.compress(data)[:-9])
    with pytest.raises(InputError, match="incomplete gzip file"):
        import_vectors(file)
    assert not list(folder.glob("*"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("dog 1 2 3\ncat 1 2\n", "Line 2 of .* does not consist of a word and 3 numbers"),
        ("dog 1 2 3\ncat 1 two 3\n", "Line 2 of .* does not have 3 finite numbers"),
        ("dog 1 2 3\ncat 1 nan 3\n", "Line 2 of .* does not have 3 finite numbers"),
        ("once upon a time\n", "is not a file of word vectors"),
        ("<html></html>", "is not a file of word vectors"),
        ("5 0\nx\n", "vectors without dimensions"),
        ("2 3\ndog 1 2 3\n", "has 1 of the 2 words"),
        ("", "is empty"),
    ],
)
def test_damaged_files_are_refused_in_one_sentence(tmp_path, text, complaint):
    file = tmp_path / "vectors.txt"
    file.write_text(text)
    with pytest.raises(CaplensError, match=complaint):
        import_vectors(file)


def test_a_failed_import_keeps_the_old_table_and_a_good_one_replaces_it(tmp_path, folder):
    file = tmp_path / "mine.txt"
    file.write_text("dog 1 2\n")
    import_vectors(file)
    old = library.load("mine")
    file.write_text("dog 3 4\ncat x\n")
    with pytest.raises(InputError):
        import_vectors(file)
    assert library.load("mine").vector("dog").tolist() == [1, 2]
    file.write_text("dog 3 4\ncat 5 6\n")
    import_vectors(file)
    assert library.load("mine").vector("cat").tolist() == [5, 6]
    assert library.load("mine").fingerprint != old.fingerprint
    assert old.vector("dog").tolist() == [1, 2]  # whoever has it mapped keeps it
    assert sorted(path.suffix for path in folder.iterdir()) == [".f32", ".safetensors"]


def test_names(tmp_path):
    file = tmp_path / "my vectors (new).txt.gz"
    file.write_bytes(gzip.compress(b"dog 1 2\n"))
    assert import_vectors(file).name == "my-vectors-new-"
    for name in ("raw", "captions"):
        with pytest.raises(UsageError, match="ships with caplens"):
            import_vectors(file, name=name)
    for name in ("../x", "", "a,b", ".hidden", "x=1"):
        with pytest.raises(UsageError, match="cannot be the name"):
            import_vectors(file, name=name)
    assert library.imported() == ["my-vectors-new-"]
    assert [entry.name for entry in library.entries()] == ["captions", "raw", "scene", "my-vectors-new-"]
    with pytest.raises(MissingDataError, match="only captions, raw, scene, my-vectors-new-"):
        library.load("other")


def test_a_table_damaged_on_disk_is_named_with_the_command_that_mends_it(tmp_path, folder):
    file = tmp_path / "mine.txt"
    file.write_text("dog 1 2\n")
    import_vectors(file)
    (vectors,) = folder.glob("*.f32")
    vectors.write_bytes(vectors.read_bytes()[:-1])
    (words,) = folder.glob("*.safetensors")
    words.touch()
    with pytest.raises(InputError, match=r"7 bytes instead of 8.*caplens vectors import FILE --name mine\."):
        library.load("mine")
    assert "7 bytes" in library.entries()[-1].fault
    words.write_bytes(b"nonsense")
    with pytest.raises(InputError, match="cannot be used"):
        library.load("mine")


def test_a_folder_that_cannot_be_written_to(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(library.VARIABLE, str(tmp_path / "file"))
    (tmp_path / "mine.txt").write_text("dog 1 2\n")
    with pytest.raises(InputError, match="Word vectors cannot be stored in"):
        import_vectors(tmp_path / "mine.txt")


def ngrams(word, shortest, longest):
    """The n-grams of a word in angle brackets, but for the brackets alone."""
    text = f"<{word}>"
    parts = [text[start : start + size] for start in range(len(text)) for size in range(shortest, longest + 1)]
    places = [(start, size) for start in range(len(text)) for size in range(shortest, longest + 1)]
    return [
        part
        for part, (start, size) in zip(parts, places, strict=True)
        if len(part) == size and not (size == 1 and start in (0, len(text) - 1))
    ]


def bucket(part, buckets):
    value = 2166136261
    for byte in part.encode():
        signed = byte - 256 if byte > 127 else byte
        value = ((value ^ (signed & 0xFFFFFFFF)) * 16777619) & 0xFFFFFFFF
    return value % buckets


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize(("shortest", "longest"), [(2, 4), (1, 3), (0, 0)])
def test_fasttext_models_give_means_of_words_and_their_ngrams(tmp_path, shortest, longest, half):
    data, rows = model(shortest=shortest, longest=longest)
    (tmp_path / "wiki.bin").write_bytes(data)
    done = import_vectors(tmp_path / "wiki.bin", half=half)
    assert (done.kind, done.words, done.dimensions) == ("fasttext", 6, 3)
    table = library.load("wiki")
    tolerance = {"rtol": 2e-3, "atol": 2e-3} if half else {"rtol": 1e-6, "atol": 1e-7}
    for place, word in enumerate(WORDS):
        parts = [rows[6 + bucket(part, 50)] for part in ngrams(word, shortest, longest)] if longest else []
        np.testing.assert_allclose(table.vector(word), np.mean([rows[place], *parts], axis=0), **tolerance)
    words = BytesTable()
    words.insert_all([b"dog", b"dogs", "größe".encode()])
    assert table.look_up(words).known.tolist() == [True, False, False]
    found = table.look_up(words, subwords=True)
    assert found.known.tolist() == [True, *([longest > 0] * 2)]
    if longest:
        for vector, word in zip(found.vectors[1:], ("dogs", "größe"), strict=True):
            parts = [rows[6 + bucket(part, 50)] for part in ngrams(word, shortest, longest)]
            np.testing.assert_allclose(vector, np.mean(parts, axis=0), **tolerance)


def test_fasttext_models_that_are_cut_short_damaged_or_quantised_are_refused(tmp_path, folder):
    file = tmp_path / "wiki.bin"
    data, _ = model()
    for size in range(8, len(data), 17):
        file.write_bytes(data[:size])
        with pytest.raises(InputError, match="is truncated"):
            import_vectors(file)
    file.write_bytes(model(quantized=True)[0])
    with pytest.raises(InputError, match="quantised"):
        import_vectors(file)
    file.write_bytes(data[:4] + struct.pack("<i", 11) + data[8:])
    with pytest.raises(InputError, match="version 11"):
        import_vectors(file)
    assert not list(folder.glob("*"))


def test_models_that_gensim_trains_and_writes_have_the_vectors_that_gensim_reads(tmp_path):
    models = pytest.importorskip("gensim.models", reason="gensim is not installed (pip install gensim)")
    from gensim.models.fasttext import load_facebook_vectors, save_facebook_model

    sentences = [["a", "dog", "runs"], ["two", "dogs", "play"], ["ein", "straßenhund", "läuft"]] * 20
    trained = models.FastText(sentences, vector_size=12, min_count=1, epochs=2, bucket=200, seed=1, workers=1)
    save_facebook_model(trained, str(tmp_path / "model.bin"))
    theirs = load_facebook_vectors(str(tmp_path / "model.bin"))
    import_vectors(tmp_path / "model.bin", name="facebook")
    ours = library.load("facebook")
    for word in theirs.index_to_key:
        np.testing.assert_allclose(ours.vector(word), theirs[word], rtol=1e-5, atol=1e-7)
    unknown = ["hund", "läufer", "x", "running"]
    words = BytesTable()
    words.insert_all([word.encode() for word in unknown])
    found = ours.look_up(words, subwords=True)
    for vector, word in zip(found.vectors, unknown, strict=True):
        np.testing.assert_allclose(vector, theirs[word], rtol=1e-5, atol=1e-7)
    for binary_format, name in ((True, "w2v.bin"), (False, "w2v.txt")):
        trained.wv.save_word2vec_format(str(tmp_path / name), binary=binary_format)
        import_vectors(tmp_path / name, name=name)
        for word in theirs.index_to_key:
            np.testing.assert_allclose(library.load(name).vector(word), trained.wv[word], rtol=1e-6, atol=1e-9)
