"""Whatever caplens stores is noticed when it is not what was written: any bit, in any file."""

from __future__ import annotations

import os
import random
import zlib

import numpy as np
import pytest
from tests.alone import run_alone

import caplens
from caplens.api.frequencies import build_frequencies
from caplens.embeddings import library
from caplens.embeddings.contextual import elmo_file
from caplens.embeddings.importing import import_vectors
from caplens.errors import CaplensError, InputError
from caplens.files import verifying
from caplens.files.archives import check_archive
from caplens.files.arrays import read_arrays, write_arrays
from caplens.files.checks import DamagedFileError
from caplens.files.verifying import is_verified, verifying_everything
from caplens.learned.critique import model
from caplens.metrics.cider import document_frequencies

CAPTIONS = ["a dog runs", "two cats sleep on a bed", "a zebra"]
REFERENCES = [["a dog is running", "a cat"], ["cats on a bed"], ["a zebra eats grass"]]


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch):
    monkeypatch.setenv(library.VARIABLE, str(tmp_path / "tables"))
    monkeypatch.setenv("CAPLENS_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def tables(tmp_path):
    """Vectors of a few words, imported."""
    generator = np.random.default_rng(0)
    words = sorted({word for caption in CAPTIONS for word in caption.split()} | {"cat", "grass", "eats"})
    rows = [f"{word} {' '.join(map(str, generator.normal(size=5)))}" for word in words]
    (tmp_path / "tiny.txt").write_text("\n".join(rows) + "\n")
    import_vectors(tmp_path / "tiny.txt")
    return tmp_path / "tables"


def flip(path, bit, *, keep_time=False):
    """Turn one bit of a file round."""
    status = path.stat()
    data = bytearray(path.read_bytes())
    data[bit // 8] ^= 1 << bit % 8
    path.write_bytes(data)
    if keep_time:
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def some_bits(path, count, seed=0):
    bits = range(8 * path.stat().st_size)
    return random.Random(seed).sample(bits, min(count, len(bits)))


def only(folder, pattern):
    (found,) = folder.glob(pattern)
    return found


@pytest.mark.parametrize("pattern", ["tiny-*.f32", "tiny.safetensors"])
def test_imported_vectors_are_not_used_after_any_flipped_bit(tables, pattern):
    path = only(tables, pattern)
    whole = path.read_bytes()
    for bit in some_bits(path, 120):
        flip(path, bit)
        library._stored.cache_clear()
        with pytest.raises(CaplensError, match=r"'tiny'.*import it again"):
            library.load("tiny")
        path.write_bytes(whole)
    library._stored.cache_clear()
    assert library.load("tiny").vector("dog") is not None


def test_tables_of_versions_without_a_checksum_are_compared_with_the_hash_in_their_name(tables):
    words = tables / "tiny.safetensors"
    arrays = read_arrays(words)
    facts = {name: fact for name, fact in arrays.facts.items() if "checksum" not in name}
    write_arrays(words, {name: np.array(array) for name, array in arrays.items()}, facts)
    assert library.load("tiny").vector("dog") is not None
    flip(only(tables, "tiny-*.f32"), 100)
    library._stored.cache_clear()
    with pytest.raises(InputError, match="checksum"):
        library.load("tiny")


@pytest.mark.parametrize("metric", ["wmd", "wembsim", "greedy_matching", "vector_extrema"])
@pytest.mark.parametrize("number", ["nan", "inf"])
def test_no_metric_makes_a_score_of_what_is_no_number(tables, metric, number):
    """Such a file as a careless tool may leave: right by its checksum, wrong in itself."""
    vectors = only(tables, "tiny-*.f32")
    rows = np.fromfile(vectors, np.float32).reshape(-1, 5)
    rows[:] = float(number)
    rows.tofile(vectors)
    words = tables / "tiny.safetensors"
    arrays = read_arrays(words)
    facts = arrays.facts | {"vectors_checksum": f"{zlib.crc32(rows.tobytes()):08x}"}
    write_arrays(words, {name: np.array(array) for name, array in arrays.items()}, facts)
    with pytest.raises(CaplensError, match="'tiny' contain values that are not finite numbers"):
        caplens.score(CAPTIONS, REFERENCES, metrics=f"{metric}(vectors=tiny)")


class TestLargeFiles:
    @pytest.fixture(autouse=True)
    def everything_is_large(self, monkeypatch):
        monkeypatch.setattr(verifying, "LARGE", 0)

    @pytest.fixture
    def path(self, tmp_path):
        path = tmp_path / "large.safetensors"
        write_arrays(path, {"numbers": np.arange(1000)}, {})
        return path

    def test_they_are_read_once_for_each_size_and_time(self, path):
        calls = []

        def examine():
            calls.append(path.stat().st_mtime_ns)
            return True

        for _ in range(3):
            assert is_verified(path, "1", examine)
        assert len(calls) == 1
        assert is_verified(path, "2", examine)  # another file should be there now
        os.utime(path, ns=(1, 1))
        assert is_verified(path, "2", examine)
        assert len(calls) == 3
        with verifying_everything():
            assert is_verified(path, "2", examine)
        assert len(calls) == 4

    def test_a_failure_is_remembered_by_nobody(self, path):
        assert not is_verified(path, "1", lambda: False)
        assert is_verified(path, "1", lambda: True)
        with verifying_everything():
            assert not is_verified(path, "1", lambda: False)
        assert not is_verified(path, "1", lambda: False)

    def test_a_file_that_was_changed_is_noticed(self, path):
        read_arrays(path)
        flip(path, 8 * path.stat().st_size - 1)
        with pytest.raises(DamagedFileError, match="checksum"):
            read_arrays(path)

    def test_a_bit_that_fell_over_in_silence_is_noticed_when_all_is_verified(self, path):
        read_arrays(path)
        flip(path, 8 * path.stat().st_size - 1, keep_time=True)
        read_arrays(path)
        with verifying_everything(), pytest.raises(DamagedFileError, match="checksum"):
            read_arrays(path)

    def test_without_a_cache_they_are_read_each_time(self, path, monkeypatch):
        monkeypatch.setenv("CAPLENS_CACHE", str(path))  # a file, in which nothing can be kept
        read_arrays(path)
        flip(path, 8 * path.stat().st_size - 1, keep_time=True)
        with pytest.raises(DamagedFileError, match="checksum"):
            read_arrays(path)


def test_the_doctor_verifies_what_is_stored(tables):
    code = "import sys; from caplens.cli import main; main(sys.argv[1:])"
    assert "vectors tiny" in run_alone(code, "doctor", "--verify").stdout
    flip(only(tables, "tiny-*.f32"), 7)
    done = run_alone(code, "doctor", "--verify")
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if "vectors tiny" in line]
    assert "not ready" in line


def test_document_frequencies_are_not_used_after_a_flipped_bit(tmp_path):
    path = tmp_path / "df.parquet"
    build_frequencies([["a dog runs", "a dog sits"], ["a dog", "a cat runs"], ["a cat"]], path)
    whole, before = path.read_bytes(), document_frequencies.load(path)
    numbers = [array.tolist() for array in before.frequencies]
    noticed = 0
    for bit in some_bits(path, 150):
        flip(path, bit)
        try:
            after = document_frequencies.load(path)
        except CaplensError:
            noticed += 1
        else:  # nothing but places that nobody reads
            assert [array.tolist() for array in after.frequencies] == numbers
            assert (after.documents, after.fingerprint) == (before.documents, before.fingerprint)
        path.write_bytes(whole)
    assert noticed > 50


def test_a_checkpoint_is_not_taken_up_after_a_flipped_bit(tmp_path):
    torch = pytest.importorskip("torch")
    path = tmp_path / "checkpoint.pt"
    state = {"weights": torch.arange(200.0), "place": (3, 14, 0.15, 0)}
    torch.save(state, path)
    check_archive(path)
    whole, noticed = path.read_bytes(), 0
    for bit in some_bits(path, 150):
        flip(path, bit)
        try:
            check_archive(path)
            after = torch.load(path, weights_only=True)
        except (ValueError, OSError, RuntimeError):
            noticed += 1
        else:
            assert torch.equal(after["weights"], state["weights"])
            assert after["place"] == state["place"]
        path.write_bytes(whole)
    assert noticed > 50


def test_settings_that_changed_beside_their_weights_are_noticed(tmp_path):
    folder = tmp_path / "critique"
    folder.mkdir()
    arrays, config = (
        read_arrays(model.SHIPPED / model.WEIGHTS),
        model.read_config(model.SHIPPED / model.CONFIG, model.PAPER),
    )
    facts = arrays.facts | {"config": config.checksum}
    write_arrays(folder / model.WEIGHTS, {name: np.array(array) for name, array in arrays.items()}, facts)
    text = (model.SHIPPED / model.CONFIG).read_text()
    (folder / model.CONFIG).write_text("# a comment changes nothing\n" + text)
    model.load(str(folder))
    model._load.cache_clear()
    (folder / model.CONFIG).write_text(text.replace("longest = ", "longest = 1"))
    with pytest.raises(CaplensError, match="has changed since"):
        model.load(str(folder))


class TestElmo:
    @pytest.fixture
    def h5py(self):
        return pytest.importorskip("h5py")

    @pytest.fixture
    def path(self, tmp_path, h5py):
        path = tmp_path / "elmo.hdf5"
        with h5py.File(path, "w") as file:
            file["sentence_to_index"] = '{"a dog": "0", "a cat": "1"}'
            file["0"], file["1"] = np.ones((3, 2, 4), np.float32), np.ones((3, 2, 4), np.float32)
        return path

    def encode(self, path, layer="0"):
        return elmo_file(path, layer).means([["a", "dog"], ["a", "cat"]], [[True, True]] * 2, jobs=1)

    @pytest.mark.parametrize("number", [np.nan, np.inf])
    def test_numbers_are_finite(self, path, h5py, number):
        with h5py.File(path, "r+") as file:
            file["1"][0, 1, 2] = number
        with pytest.raises(InputError, match=r"'a cat' \(its data set must contain only finite numbers"):
            self.encode(path)

    def test_other_numbers_have_another_signature(self, path, h5py):
        before = elmo_file(path, "0").fingerprint
        changed = path.with_name("changed.hdf5")
        changed.write_bytes(path.read_bytes())
        assert elmo_file(changed, "0").fingerprint == before
        with h5py.File(changed, "r+") as file:
            file["1"][0, 1, 2] = 1.5
        assert changed.stat().st_size == path.stat().st_size
        assert elmo_file(changed, "0").fingerprint != before

    def test_a_group_in_the_place_of_numbers(self, path, h5py):
        with h5py.File(path, "r+") as file:
            del file["1"]
            file.create_group("1")
        with pytest.raises(InputError, match="1 is a group"):
            self.encode(path)

    def test_a_group_in_the_place_of_the_index(self, path, h5py):
        with h5py.File(path, "r+") as file:
            del file["sentence_to_index"]
            file.create_group("sentence_to_index")
        with pytest.raises(InputError, match="is a group"):
            self.encode(path)

    def test_a_link_that_leads_nowhere(self, path, h5py):
        with h5py.File(path, "r+") as file:
            for name, link in (("0", h5py.SoftLink("/nowhere")), ("1", h5py.ExternalLink("nowhere.hdf5", "/1"))):
                del file[name]
                file[name] = link
        with pytest.raises(InputError, match="not a file of ELMo vectors"):
            self.encode(path)

    def test_a_link_behind_the_first_that_leads_nowhere(self, path, h5py):
        with h5py.File(path, "r+") as file:
            del file["1"]
            file["1"] = h5py.SoftLink("/nowhere")
        with pytest.raises(InputError, match="has no readable vectors for 'a cat'"):
            self.encode(path)

    @pytest.mark.parametrize(
        "index", ["[]", "{}", "3", '{"a": ', '"x"', '{"a dog": {}, "a cat": 1}', '{"a dog": "", "a cat": "1"}']
    )
    def test_an_index_that_is_none(self, path, h5py, index):
        with h5py.File(path, "r+") as file:
            del file["sentence_to_index"]
            file["sentence_to_index"] = index
        with pytest.raises(InputError, match="not a file of ELMo vectors"):
            self.encode(path)

    @pytest.mark.parametrize("shape", [(2, 4), (0, 2, 4), (3, 2, 5)])
    def test_another_shape(self, path, h5py, shape):
        with h5py.File(path, "r+") as file:
            del file["1"]
            file["1"] = np.ones(shape, np.float32)
        with pytest.raises(InputError, match="shape"):
            self.encode(path)

    def test_a_layer_that_is_not_there(self, path, h5py):
        with h5py.File(path, "r+") as file:
            for name in "01":
                del file[name]
                file[name] = np.ones((1, 2, 4), np.float32)
        assert len(self.encode(path)) == 2
        with pytest.raises(InputError, match="has no readable vectors"):
            self.encode(path, "2")

    def test_text_in_the_place_of_numbers(self, path, h5py):
        with h5py.File(path, "r+") as file:
            del file["0"]
            file["0"] = np.full((3, 2, 4), b"x")
        with pytest.raises(InputError, match="numbers of shape"):
            self.encode(path)
