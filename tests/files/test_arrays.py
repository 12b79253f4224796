"""Named arrays in a mapped file: what goes in comes out, and nothing else does."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import caplens
from caplens.files.arrays import Arrays, read_arrays, write_arrays
from caplens.files.checks import DamagedFileError

TYPES = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64"]
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
KEYS = ["__metadata__", "checksum", "a", "dtype", "shape", "data_offsets"]
FACTS = {"version": "1", "source": 'ünïcode ∀ "quoted" \\ \n'}


def sample():
    """Return small arrays of every type, with values that need all their bytes, in an order that is not the file's."""
    arrays = {f"n_{name}": np.arange(250, 250 + 5).astype(name) for name in TYPES}
    return arrays | {"scalar": np.array(2.5), "empty": np.zeros((0, 3), np.uint16), "matrix": np.eye(3, dtype=np.int8)}


def same(one, other):
    """Whether two collections hold the same arrays, bit by bit."""
    return one.keys() == other.keys() and all(
        one[name].dtype == other[name].dtype.newbyteorder("<")
        and one[name].shape == other[name].shape
        and one[name].tobytes() == other[name].astype(one[name].dtype).tobytes()
        for name in one
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "arrays.safetensors"


@pytest.fixture
def written(path):
    write_arrays(path, sample(), FACTS)
    return path


def refused(path, match, **options):
    with pytest.raises(DamagedFileError, match=match) as caught:
        read_arrays(path, **options)
    sentence = str(caught.value)
    assert sentence.startswith(str(path))
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert isinstance(caught.value, caplens.CaplensError)


class TestRoundTrips:
    def test_every_type(self, written):
        arrays = read_arrays(written)
        assert same(arrays, sample())
        assert arrays.facts == FACTS
        assert arrays.size == written.stat().st_size
        assert list(arrays) == sorted(sample())

    @settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(
        arrays=st.dictionaries(
            TEXTS,
            st.sampled_from(TYPES).flatmap(
                lambda name: hnp.arrays(
                    st.sampled_from([np.dtype(name), np.dtype(name).newbyteorder(">")]),
                    hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
                )
            ),
            max_size=5,
        ),
        facts=st.dictionaries(
            st.text(st.characters(exclude_categories=["Cs"])).filter("checksum".__ne__), st.text("aé")
        ),
    )
    def test_anything(self, path, arrays, facts):
        write_arrays(path, arrays, facts)
        found = read_arrays(path)
        assert same(found, arrays)
        assert found.facts == facts
        memory = Arrays.in_memory(arrays, facts)
        assert same(memory, arrays)
        assert (memory.size, memory.facts, list(memory)) == (found.size, found.facts, list(found))

    @pytest.mark.parametrize(
        "array",
        [np.arange(12).reshape(3, 4).T, np.arange(12)[::-2], np.arange(12.0).astype(">f8"), np.broadcast_to(1, (2, 3))],
        ids=["transposed", "reversed", "big-endian", "broadcast"],
    )
    def test_any_layout_in_memory_becomes_the_same_in_the_file(self, path, array):
        write_arrays(path, {"a": array}, {})
        for arrays in (read_arrays(path), Arrays.in_memory({"a": array}, {})):
            np.testing.assert_array_equal(arrays["a"], array)
            assert arrays["a"].flags.c_contiguous
            assert arrays["a"].dtype.byteorder in "=<|"

    def test_nothing_at_all(self, path):
        write_arrays(path, {}, {})
        arrays = read_arrays(path)
        assert (len(arrays), arrays.facts) == (0, {})
        assert repr(arrays) == "<Arrays none>"

    def test_every_array_is_aligned_and_none_can_be_written(self, written):
        for arrays in (read_arrays(written), Arrays.in_memory(sample(), FACTS)):
            for array in arrays.values():
                assert array.flags.aligned
                assert not array.flags.writeable
            with pytest.raises(ValueError, match="read-only"):
                arrays["n_int64"][0] = 1
        with pytest.raises(ValueError, match="cannot set WRITEABLE"):
            read_arrays(written)["n_int64"].flags.writeable = True

    def test_arrays_in_memory_are_not_copied_and_the_callers_stay_writable(self):
        mine = np.arange(5)
        assert np.shares_memory(Arrays.in_memory({"a": mine}, {})["a"], mine)
        mine[0] = 7

    def test_the_same_content_makes_the_same_file(self, written, tmp_path):
        write_arrays(tmp_path / "again", dict(reversed(sample().items())), dict(reversed(FACTS.items())))
        assert (tmp_path / "again").read_bytes() == written.read_bytes()

    def test_it_says_what_it_holds(self):
        arrays = Arrays.in_memory({"ids": np.zeros((2, 3), np.uint8), "one": np.array(1.0)}, {})
        assert repr(arrays) == "<Arrays ids: uint8[2, 3], one: float64[]>"


class TestMapped:
    def test_the_file_may_be_replaced_while_it_is_in_use(self, written, tmp_path):
        old = read_arrays(written)
        write_arrays(tmp_path / "new", {"other": np.arange(3)}, {})
        (tmp_path / "new").replace(written)
        assert list(read_arrays(written)) == ["other"]
        assert same(old, sample())
        written.unlink()
        assert same(old, sample())

    def test_an_array_outlives_what_it_came_with(self, written):
        array = read_arrays(written)["n_uint16"]
        written.unlink()
        assert array.tolist() == [250, 251, 252, 253, 254]

    def test_a_file_that_nobody_may_write_is_read(self, written):
        written.chmod(0o400)
        assert same(read_arrays(written), sample())


class TestOtherReaders:
    def test_safetensors_reads_it(self, written):
        safetensors = pytest.importorskip("safetensors")
        load_file = pytest.importorskip("safetensors.numpy").load_file
        assert same(load_file(written), sample())
        with safetensors.safe_open(written, "numpy") as file:
            facts = file.metadata()
        assert facts.pop("checksum")
        assert facts == FACTS

    def test_what_safetensors_wrote_is_not_ours(self, path):
        pytest.importorskip("safetensors.numpy").save_file({"a": np.arange(3)}, path)
        refused(path, "not a file of arrays that caplens wrote")

    def test_the_layout(self, written):
        data = written.read_bytes()
        length = int.from_bytes(data[:8], "little")
        header = json.loads(data[8 : 8 + length])
        assert (8 + length) % 64 == 0
        assert len(header.pop("__metadata__")["checksum"]) == 8
        places = sorted(tuple(entry["data_offsets"]) for entry in header.values())
        assert [first for first, _ in places] == [0, *(last for _, last in places[:-1])]
        assert places[-1][1] == len(data) - 8 - length


class TestDamage:
    def test_every_flipped_bit_is_noticed(self, path):
        write_arrays(path, {"a": np.arange(3, dtype=np.uint16), "b": np.array([1.5])}, {"version": "1"})
        whole = path.read_bytes()
        for position in range(len(whole)):
            for bit in range(8):
                damaged = bytearray(whole)
                damaged[position] ^= 1 << bit
                path.write_bytes(damaged)
                with pytest.raises(DamagedFileError):
                    read_arrays(path)

    def test_every_other_length_is_noticed_without_the_checksum(self, path):
        write_arrays(path, {"a": np.arange(3, dtype=np.uint16), "b": np.array([1.5])}, {"version": "1"})
        whole = path.read_bytes()
        for length in range(len(whole)):
            path.write_bytes(whole[:length])
            refused(path, "is truncated|is not a file of arrays", verify=False)
        for more in (b"\0", b" ", whole):
            path.write_bytes(whole + more)
            refused(path, f"longer than it should be: {len(whole + more)} bytes instead of {len(whole)}", verify=False)

    def test_a_byte_of_the_numbers(self, written):
        data = bytearray(written.read_bytes())
        data[-1] ^= 1
        written.write_bytes(data)
        refused(written, "damaged: its checksum does not match")
        assert read_arrays(written, verify=False).facts == FACTS

    def test_exchanged_blocks(self, path):
        write_arrays(path, {"a": np.arange(100_000)}, {})
        data = path.read_bytes()
        path.write_bytes(data[:4096] + data[8192:12288] + data[4096:8192] + data[12288:])
        refused(path, "checksum")

    def test_a_hole_of_zeros(self, path):
        write_arrays(path, {"a": np.arange(1, 100_001)}, {})
        data = path.read_bytes()
        path.write_bytes(data[:8192] + bytes(4096) + data[12288:])
        refused(path, "checksum")

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"\x07" + bytes(6),
            b"PAR1" + bytes(100) + b"PAR1",
            b"\x93NUMPY\x01\x00v\x00{'descr': '<i8', 'fortran_order': False}",
            b"two dogs run\n" * 50,
            b'{"a": 1}',
            bytes(8),
            bytes(4096),
            b"\xff" * 4096,
        ],
        ids=["empty", "seven bytes", "parquet", "numpy", "text", "json", "no header", "zeros", "ones"],
    )
    def test_another_kind_of_file(self, path, content):
        path.write_bytes(content)
        refused(path, "not a file of arrays|cut short")

    def test_a_folder(self, tmp_path):
        refused(tmp_path, "is not a file")

    @pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no devices here")
    def test_a_device(self):
        refused("/dev/zero", "is not a file")

    def test_no_file_is_another_matter(self, path):
        with pytest.raises(FileNotFoundError):
            read_arrays(path)

    @settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(
        header=st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["__metadata__", "checksum", "a", "dtype", "shape", "data_offsets"]), inner
                )
            ),
            max_leaves=8,
        )
    )
    def test_any_json_for_a_header(self, path, header):
        text = json.dumps(header).encode()
        path.write_bytes(len(text).to_bytes(8, "little") + text)
        refused(path, "not a file of arrays")


class TestForgedHeaders:
    """Headers whose checksum is right and whose content is not."""

    def forge(self, path, entry, facts=None, data=b""):
        header = {"__metadata__": facts or {}, "a": entry}
        plain = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
        header["__metadata__"] = {**header["__metadata__"], "checksum": f"{zlib.crc32(data, zlib.crc32(plain)):08x}"}
        text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
        text += b" " * (-(8 + len(text)) % 64)
        path.write_bytes(len(text).to_bytes(8, "little") + text + data)

    def test_a_right_one_is_read(self, path):
        self.forge(path, {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}, data=b"\1\2")
        assert read_arrays(path)["a"].tolist() == [1, 2]

    @pytest.mark.parametrize(
        ("shape", "last"),
        [
            ([-1, -2], 2),
            ([2.0], 2),
            ([True, 2], 2),
            (["2"], 2),
            ([0, 2**62, 2**62], 0),
            ([0, 10**30], 0),
            ([1] * 33 + [2], 2),
            (2, 2),
            ({"2": 2}, 2),
            (None, 2),
        ],
    )
    def test_shapes_that_no_array_has(self, path, shape, last):
        self.forge(path, {"dtype": "U8", "shape": shape, "data_offsets": [0, last]}, data=b"\1\2"[:last])
        refused(path, "header is damaged", verify=False)

    @pytest.mark.parametrize(
        "change",
        [
            {"dtype": "BF16"},
            {"dtype": 8},
            {"dtype": []},
            {"data_offsets": [1, 3]},
            {"data_offsets": [0, 1]},
            {"more": 1},
        ],
    )
    def test_entries_that_are_not_ours(self, path, change):
        self.forge(path, {"dtype": "U8", "shape": [2], "data_offsets": [0, 2], **change}, data=b"\1\2\3")
        refused(path, "header is damaged")

    def test_more_numbers_than_any_disk_holds(self, path):
        self.forge(path, {"dtype": "U8", "shape": [2**59], "data_offsets": [0, 2**59]})
        refused(path, "is truncated")

    def test_facts_that_are_not_text(self, path):
        self.forge(path, {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}, {"version": 1})
        refused(path, "header is damaged")

    def test_nesting_without_end(self, path):
        text = b"[" * 200_000
        path.write_bytes(len(text).to_bytes(8, "little") + text)
        refused(path, "header is damaged")


class TestRefusedToWrite:
    @pytest.mark.parametrize("array", [np.array([True]), np.array(["a"]), np.array([1j]), np.array([None])])
    def test_types(self, path, array):
        for attempt in (lambda: write_arrays(path, {"a": array}, {}), lambda: Arrays.in_memory({"a": array}, {})):
            with pytest.raises(TypeError, match=r"array 'a' has the type .* cannot store"):
                attempt()
        assert not path.exists()

    def test_reserved_names(self, path):
        with pytest.raises(ValueError, match="cannot be named '__metadata__'"):
            write_arrays(path, {"__metadata__": np.zeros(1)}, {})
        with pytest.raises(ValueError, match="a fact cannot be named 'checksum'"):
            write_arrays(path, {}, {"checksum": "1"})
        assert not path.exists()

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device here")
    def test_a_full_disk(self):
        with pytest.raises(OSError, match="No space left"):
            write_arrays("/dev/full", {"a": np.zeros(100_000)}, {})
