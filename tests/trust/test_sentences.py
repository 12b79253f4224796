"""Files that lie get a sentence, never a traceback, and no more memory than they have bytes."""

from __future__ import annotations

import csv
import gzip
import io
import json
import struct

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.alone import run_alone

import caplens
from caplens.api.loading import load_corpus
from caplens.embeddings import library
from caplens.embeddings.importing import import_vectors
from caplens.errors import CaplensError, InputError
from caplens.files.opening import opened
from caplens.learned.critique.image_features import read_image_features
from caplens.metrics.cider import document_frequencies
from caplens.scenegraph.parser import lemmas


@pytest.fixture(autouse=True)
def tables(tmp_path, monkeypatch):
    monkeypatch.setenv(library.VARIABLE, str(tmp_path / "tables"))


class TestVectors:
    @pytest.mark.parametrize(
        "header",
        ["2 1000000000", "2 999999999999999", "999999999999 100000", f"2 {'9' * 5000}", f"{'9' * 5000} 2", "0 0"],
    )
    def test_a_false_word2vec_header(self, tmp_path, header):
        path = tmp_path / "vectors.bin"
        path.write_bytes(header.encode() + b"\ndog " + struct.pack("<2f", 1, 2))
        code = """
        import sys
        from caplens.embeddings.importing import import_vectors
        from caplens.errors import CaplensError
        try:
            import_vectors(sys.argv[1])
        except CaplensError as error:
            print("refused")
        """
        done = run_alone(code, path, gigabytes=2)
        assert (done.stdout, done.stderr) == ("refused\n", "")

    @pytest.mark.parametrize(("field", "value"), [(0, -1), (0, 2**31 - 1), (8, -5), (9, -1), (10, 2**31 - 1), (10, -1)])
    def test_a_false_fasttext_header(self, tmp_path, field, value):
        settings = [3, 5, 1, 1, 5, 1, 1, 1, 4, 2, 4, 100]
        settings[field] = value
        data = struct.pack("<ii12id", 793712314, 12, *settings, 1e-4) + struct.pack("<iiiqq", 1, 1, 0, 100, -1)
        data += b"dog\0" + struct.pack("<qb", 3, 0)
        data += struct.pack("<?qq", False, 1 + settings[8], settings[0]) + np.ones((5, 3), "<f4").tobytes()
        (tmp_path / "model.bin").write_bytes(data)
        with pytest.raises(InputError, match=r"damaged|cut short"):
            import_vectors(tmp_path / "model.bin")

    def test_a_fasttext_model_of_many_words_that_are_not_there(self, tmp_path):
        data = struct.pack("<ii12id", 793712314, 12, 3, 5, 1, 1, 5, 1, 1, 1, 4, 2, 4, 100, 1e-4)
        data += struct.pack("<iiiqq", 2**31 - 1, 2**31 - 1, 0, 100, -1) + b"dog\0"
        (tmp_path / "model.bin").write_bytes(data)
        with pytest.raises(InputError, match="truncated"):
            import_vectors(tmp_path / "model.bin")


def header_of(shape):
    """An .npy file that promises an array of some shape and has eight bytes of it."""
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + b"\0" * 8


@pytest.mark.parametrize("shape", ["(1000000000000, 2)", "(2, 100000000000)", "(3, 2)"])
def test_a_false_header_of_image_features(tmp_path, shape):
    path = tmp_path / "features.npy"
    path.write_bytes(header_of(shape))
    path.with_suffix(".txt").write_text("1 2")
    with pytest.raises(InputError, match="too short for it"):
        read_image_features(path)
    import zipfile

    archive = tmp_path / "features.npz"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("features.npy", header_of(shape))
        file.writestr("ids.npy", header_of("(2,)"))
    with pytest.raises(InputError, match="too short for it"):
        read_image_features(archive)


@pytest.mark.parametrize("header", [b"{'descr': (((", b"{'descr': '<f4'\0", b"", b"\n" * 50, b"{" * 3000])
def test_a_header_of_image_features_that_is_none(tmp_path, header):
    path = tmp_path / "features.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
    path.with_suffix(".txt").write_text("1 2")
    with pytest.raises(InputError, match="cannot be read as image features"):
        read_image_features(path)


def test_ids_of_image_features_that_are_no_unicode(tmp_path):
    path = tmp_path / "features.npz"
    ids = np.full((2, 1), 0xFFFFFFFF, np.uint32).view("<U1").reshape(-1)
    np.savez(path, ids=ids, features=np.ones((2, 3), np.float32))
    with pytest.raises(InputError, match="cannot be read as image features"):
        read_image_features(path)


@pytest.mark.parametrize(
    "facts",
    [
        {"max_order": "1000000000"}, {"max_order": "0"}, {"max_order": "-4"}, {"max_order": "4.5"},
        {"documents": "-1"}, {"documents": "0"}, {"documents": "1"}, {"documents": "9" * 400}, {"documents": "x"},
        {"tokenizer": "none at all"}, {"fingerprint": None}, {"documents": None},
    ],
)  # fmt: skip
def test_false_facts_of_document_frequencies(tmp_path, facts):
    path = tmp_path / "df.parquet"
    good = {"documents": "9", "tokenizer": "ptb", "stem": "false", "max_order": "4", "fingerprint": "0"}
    table = pa.table({"ngram": ["a", "a dog"], "df": pa.array([9, 3], pa.int32())})

    def write(facts):
        kept = {f"caplens.{key}": value for key, value in facts.items() if value is not None}
        pq.write_table(table.replace_schema_metadata(kept), path)

    write(good)
    assert document_frequencies.load(path).documents == 9
    write(good | facts)
    with pytest.raises(CaplensError):
        document_frequencies.load(path)


@pytest.mark.parametrize("counts", [[-1, 3], [0, 3], [10, 3]])
def test_false_frequencies(tmp_path, counts):
    path = tmp_path / "df.parquet"
    facts = {"documents": "9", "tokenizer": "ptb", "stem": "false", "max_order": "4", "fingerprint": "0"}
    table = pa.table({"ngram": ["a", "a dog"], "df": pa.array(counts, pa.int32())})
    pq.write_table(table.replace_schema_metadata({f"caplens.{key}": value for key, value in facts.items()}), path)
    with pytest.raises(InputError, match="inconsistent with its 9 documents"):
        document_frequencies.load(path)


class TestGzip:
    def bomb(self, path, megabytes):
        with gzip.open(path, "wb") as file:
            for _ in range(megabytes):
                file.write(b" " * (1 << 20))
        return path

    @pytest.mark.parametrize("name", ["captions.json.gz", "captions.txt.gz"])
    def test_a_bomb_is_stopped(self, tmp_path, name):
        code = """
        import sys
        from caplens.cli import main
        main(["score", sys.argv[1], "-r", sys.argv[1], "-m", "bleu"])
        """
        done = run_alone(code, self.bomb(tmp_path / name, 1000), gigabytes=2)
        assert done.returncode == 2
        assert "more than 200 times its size" in done.stderr
        assert "Traceback" not in done.stderr

    def test_what_is_not_so_large_may_be_as_dense_as_it_likes(self, tmp_path):
        with opened(self.bomb(tmp_path / "spaces.gz", 30)) as content:
            assert len(content.read()) == 30 << 20

    def test_what_is_large_may_be_as_dense_as_captions(self, tmp_path, monkeypatch):
        monkeypatch.setattr("caplens.files.opening.PLENTY", 1000)
        data = np.random.default_rng(0).integers(0, 4, 1 << 20).astype(np.uint8).tobytes()
        (tmp_path / "random.gz").write_bytes(gzip.compress(data))
        with opened(tmp_path / "random.gz") as content:
            assert content.read() == data


def test_two_columns_of_ids_in_parquet(tmp_path):
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array(["a dog"])], names=["id", "id", "caption"])
    pq.write_table(table, tmp_path / "two.parquet")
    with pytest.raises(InputError, match="has 2 columns 'id'"):
        load_corpus(str(tmp_path / "two.parquet"), [str(tmp_path / "two.parquet")])


def test_two_columns_that_nobody_asks_for_do_no_harm(tmp_path):
    arrays = [pa.array([1]), pa.array(["a dog"]), pa.array([["a dog"]]), pa.array([3]), pa.array([4])]
    table = pa.Table.from_arrays(arrays, names=["id", "candidate", "references", "x", "x"])
    pq.write_table(table, tmp_path / "two.parquet")
    assert len(load_corpus(str(tmp_path / "two.parquet"))) == 1


def test_a_cell_of_more_than_131072_characters(tmp_path):
    references = [f"caption number {number} of very many" for number in range(10_000)]
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerows([["id", "candidate", "references"], ["1", "a caption", json.dumps(references)]])
    (tmp_path / "rows.csv").write_text(text.getvalue())
    corpus = load_corpus(str(tmp_path / "rows.csv"))
    assert len(corpus.references.captions) == 10_000


REPEATED = '{"id": "1", "id": "2", "candidate": "a dog", "references": ["a dog"]}'
ONCE = '{"id": "3", "candidate": "an \\"id\\" card, \\"id\\": 4", "references": ["id", "caption"]}'


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        ("rows.jsonl", f"{REPEATED}\n{ONCE}\n", 1),
        ("rows.jsonl", f"{ONCE}\n{ONCE.replace('3', '5')}\n", 0),
        ("rows.json", f"[{REPEATED}, {ONCE}]", 1),
        ("rows.json", f"[{ONCE}]", 0),
        ("row.json", REPEATED.replace(", ", ",\n"), 1),
    ],
)
def test_repeated_keys_of_rows_are_warned_of(tmp_path, name, text, count):
    (tmp_path / name).write_text(text)
    corpus = load_corpus(str(tmp_path / name))
    found = [notice for notice in corpus.notices if notice.code == "repeated-key"]
    assert [notice.count for notice in found] == ([count] if count else [])
    assert ("2" in corpus.ids) == (count > 0)


def test_repeated_keys_of_coco_files_are_warned_of(tmp_path):
    (tmp_path / "results.json").write_text('[{"image_id": 1, "caption": "a cat", "caption": "a dog"}]')
    (tmp_path / "captions.json").write_text(
        '{"images": [{"id": 1}], "annotations": [{"image_id": 7, "image_id": 1, "id": 1, "caption": "a caption"}]}'
    )
    corpus = load_corpus(str(tmp_path / "results.json"), [str(tmp_path / "captions.json")])
    assert [notice.code for notice in corpus.notices] == ["repeated-key", "repeated-key"]
    assert "results.json has a key twice ('caption')" in str(corpus.notices[0])


def test_an_id_with_half_of_a_surrogate_pair(tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"id": "a\\ud800b", "candidate": "a dog", "references": ["a dog"]}\n')
    code = "import sys; from caplens.cli import main; main(sys.argv[1:])"
    done = run_alone(code, "score", tmp_path / "rows.jsonl", "-m", "bleu", "-o", tmp_path / "scores.json")
    assert done.returncode == 2
    assert "lone surrogate" in done.stderr
    assert "Traceback" not in done.stderr
    with pytest.raises(InputError, match="surrogate"):
        caplens.score({"\ud800": "a dog"}, {"\ud800": ["a dog"]}, metrics="bleu")


def test_lemmas_are_remembered_within_bounds(monkeypatch):
    monkeypatch.setattr(lemmas, "REMEMBERED", 10)
    lemma = lemmas.Lemmatiser({"plural": {"": (0, ""), "s": (1, "")}}, {})
    assert [lemma(f"word{number}s", "NNS") for number in range(50)] == [f"word{number}" for number in range(50)]
    assert len(lemma.known) == 10
    assert lemma("word3s", "NNS") == "word3"


def test_what_is_quoted_from_a_cell_stays_on_the_line(tmp_path):
    (tmp_path / "rows.csv").write_text('id,candidate,references\n1,a dog,"[""a\nb"", 3"\n')
    with pytest.raises(InputError, match="not JSON") as error:
        load_corpus(str(tmp_path / "rows.csv"))
    assert "\n" not in str(error.value)
