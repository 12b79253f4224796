from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from caplens.errors import InputError
from caplens.files.opening import HEAD_BYTES, opened
from caplens.readers import read

RESULTS = '[{"image_id": 1, "caption": "ein Hund läuft"}]'
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-32"]


def lines_of(path: Path | str) -> list[str]:
    with opened(path) as content:
        return list(content.lines())


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("packed", [False, True])
def test_gzip_and_marked_encodings_are_unwrapped(write, encoding, packed):
    data = RESULTS.encode(encoding)
    path = write(gzip.compress(data) if packed else data)
    with opened(path) as content:
        assert content.head == RESULTS.encode()
        assert content.read() == RESULTS.encode()
    assert read(path).captions == ["ein Hund läuft"]


@pytest.mark.parametrize("mark", [b"\xfe\xff", b"\x00\x00\xfe\xff"])
def test_big_endian_marks(write, mark):
    encoding = "utf-16-be" if len(mark) == 2 else "utf-32-be"
    assert lines_of(write(mark + "é\n".encode(encoding))) == ["é\n"]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("size", [HEAD_BYTES - 1, HEAD_BYTES, HEAD_BYTES + 1, 3 * HEAD_BYTES + 7])
def test_nothing_is_lost_where_the_head_ends(write, size, packed):
    data = (b"0123456789\n" * (size // 11 + 1))[:size]
    path = write(gzip.compress(data) if packed else data)
    with opened(path) as content:
        assert content.head == data[:HEAD_BYTES]
        assert content.read() == data
    with opened(path) as content:
        assert b"".join(content.stream) == data


def test_several_gzip_members_are_one_file(write):
    assert lines_of(write(gzip.compress(b"a\n") + gzip.compress(b"b\n"))) == ["a\n", "b\n"]


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input(monkeypatch, packed):
    data = gzip.compress(RESULTS.encode()) if packed else RESULTS.encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    table = read("-")
    assert table.captions == ["ein Hund läuft"]
    assert table.source == "standard input"
    assert not sys.stdin.buffer.closed


def test_a_pipe_that_comes_in_pieces():
    program = "from caplens.readers import read; print(read('-').captions)"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        assert process.stdin is not None
        for piece in ("[", '{"image_id": 1,', ' "caption": "a dog"}', "]"):
            process.stdin.write(piece)
            process.stdin.flush()
        output, _ = process.communicate()
    assert output.strip() == "['a dog']"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_named_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    program = f"open({str(pipe)!r}, 'wb').write(b'a dog\\ntwo dogs\\n')"
    with subprocess.Popen([sys.executable, "-c", program]):
        assert read(pipe).captions == ["a dog", "two dogs"]


def test_no_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="Standard input is not available"):
        read("-")


def test_missing_file(tmp_path):
    with pytest.raises(InputError, match=r"There is no file .*nothing\.json: check the path"):
        read(tmp_path / "nothing.json")


def test_a_folder(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        read(tmp_path)


def test_a_file_as_folder(write):
    with pytest.raises(InputError, match="cannot be read: Not a directory"):
        read(write("x") / "y")


def test_no_permission(write, monkeypatch):
    path = write("a dog\n")

    def refuse(*arguments, **options):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match="cannot be read: Permission denied"):
        read(path)


def test_a_name_that_no_file_can_have():
    with pytest.raises(InputError, match="null"):
        read("a\0b")


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b"\xff\xfe", gzip.compress(b"")])
def test_empty_file(write, content):
    with pytest.raises(InputError, match="is empty"):
        read(write(content))


def _damaged(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 0xFF]) + data[middle + 1 :]


PACKED = gzip.compress(os.urandom(4 * HEAD_BYTES).hex().encode())


@pytest.mark.parametrize(
    "content",
    [PACKED[:-9], PACKED[: len(PACKED) // 2], PACKED[:12], PACKED[:3], _damaged(PACKED), PACKED + b"junk"],
    ids=["without-end", "half", "header", "three-bytes", "damaged", "followed-by-junk"],
)
def test_damaged_gzip(write, content):
    with pytest.raises(InputError, match="damaged or incomplete gzip"):
        read(write(content))


def test_bytes_that_are_not_utf8_are_named(write):
    with pytest.raises(InputError, match=r"byte 0xe4 at position 2 of line 2 is invalid\. Save the file as UTF-8"):
        read(write("ein Hund\nläuft\n".encode("latin-1")))


def test_broken_utf16(write):
    with pytest.raises(InputError, match=r"begins like UTF-16 text but is not .* save the file as UTF-8"):
        read(write(b"\xff\xfea\x00b"))


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"PK\x03\x04\x14\0\0\0", bytes(100)])
def test_binary_data(write, content):
    with pytest.raises(InputError, match="is binary data"):
        read(write(content))
