"""COCO files straight into arrays: whatever the scanner takes, it takes as the decoder does."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caplens.readers import _coco
from caplens.text.captions import Texts

ROW = st.fixed_dictionaries(
    {"image_id": st.integers(-(10**18) + 1, 10**18 - 1), "caption": st.text()},
    optional={
        "id": st.integers(),
        "score": st.floats(allow_nan=False, allow_infinity=False),
        "of": st.lists(st.text()),
        "a": st.none(),
    },
)
SPACE = st.sampled_from([None, 0, 2])


def scanned(data: bytes, *, annotations: bool = False) -> list[tuple[int, str]] | None:
    found = _coco.scan(data, annotations)
    if found is None:
        return None
    ids, buffer, offsets = found
    return list(zip(ids.tolist(), Texts(buffer, offsets), strict=True))


def decoded(data: bytes, *, annotations: bool = False) -> list[tuple[int, str]]:
    value: Any = msgspec.json.decode(data)
    return [(row["image_id"], row["caption"]) for row in (value["annotations"] if annotations else value)]


def is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


@given(st.lists(ROW.filter(lambda row: is_unicode(row["caption"]))), SPACE, st.booleans())
def test_plain_rows_are_taken(rows: list[dict[str, Any]], indent: int | None, escapes: bool) -> None:
    data = json.dumps(rows, indent=indent, ensure_ascii=escapes).encode("utf-8", "surrogatepass")
    if any(not is_unicode(text) for row in rows for text in row.get("of", ())):
        return
    taken = {"caption", "image_id"}.isdisjoint(text for row in rows for text in row.get("of", ()))
    assert scanned(data) == ([(row["image_id"], row["caption"]) for row in rows] if taken else None)
    whole = json.dumps({"info": {"year": 2014}, "images": [{"id": 1}], "annotations": rows}).encode()
    assert scanned(whole, annotations=True) == scanned(data)


PIECES = st.sampled_from(
    [
        *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"0", b"-1", b"1.5", b"1e3", b"null", b"NaN", b" ", b"\x00"),
        *(b"\xff", b"\xc3\xa9", b"\\u00e9", b"\\ud83d", b'"caption"', b'"image_id"', b'"annotations"', b'"x"', b"01"),
    ]
)


@given(st.lists(PIECES, max_size=3), st.integers(0, 200), st.integers(0, 8), st.booleans())
def test_a_file_that_was_changed_is_read_as_the_decoder_reads_it_or_left_to_it(
    pieces: list[bytes], place: int, cut: int, annotations: bool
) -> None:
    rows = (
        b'[{"image_id": 42, "caption": "a \\"dog\\" \\u00e9"}, {"id": [1, {"k": true}], "caption": "", "image_id": 7}]'
    )
    data = b'{"images": [{"id": 3}], "annotations": %s}' % rows if annotations else rows
    place %= len(data) + 1
    data = data[:place] + b"".join(pieces) + data[place + cut :]
    found = scanned(data, annotations=annotations)
    if found is not None:
        assert found == decoded(data, annotations=annotations)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[{}]",
        b'[{"image_id": 1}]',
        b'[{"caption": "a"}]',
        b'[{"image_id": "1", "caption": "a"}]',
        b'[{"image_id": 1.0, "caption": "a"}]',
        b'[{"image_id": 1e2, "caption": "a"}]',
        b'[{"image_id": 01, "caption": "a"}]',
        b'[{"image_id": -0, "caption": "a"}]',
        b'[{"image_id": 1234567890123456789, "caption": "a"}]',
        b'[{"image_id": 1, "caption": null}]',
        b'[{"image_id": 1, "caption": "a", "caption": "b"}]',
        b'[{"image_id": 1, "caption": "\\ud800"}]',
        b'[{"image_id": 1, "caption": "\xff"}]',
        b'[{"image_id": 1, "caption": "a\nb"}]',
        b'[{"image_id": 1, "caption": "a"},]',
        b'[{"image_id": 1, "caption": "a"}] x',
        b'[{"image_id": 1, "caption": "a", "x": ' + b"[" * 100 + b"]" * 100 + b"}]",
    ],
)
def test_what_is_not_plain_is_left_to_the_decoder(data: bytes) -> None:
    assert scanned(data) is None


def test_a_list_without_rows_has_none() -> None:
    assert scanned(b" [ ] ") == []
