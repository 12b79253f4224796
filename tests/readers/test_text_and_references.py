from __future__ import annotations

import pytest

from caplens.corpus import CaptionTable
from caplens.errors import InputError, UsageError
from caplens.readers import ReadOptions, read, read_references


@pytest.mark.parametrize(
    ("text", "captions"),
    [
        ("a dog", ["a dog"]),
        ("a dog\n", ["a dog"]),
        ("a dog\n\n two  dogs \n", ["a dog", "", " two  dogs "]),
        ("a dog\r\n\r\nb\r\r\n", ["a dog", "", "b\r"]),
        ("\n", [""]),
        ("a\u2028b\x0bc\x85d\re\n", ["a\u2028b\x0bc\x85d\re"]),
        ("a dog, a cat; a test\n", ["a dog, a cat; a test"]),
        ('"a dog"\n', ['"a dog"']),
    ],
)
def test_plain_text(write, text, captions):
    table = read(write(text))
    assert isinstance(table, CaptionTable)
    assert table.captions == captions
    assert table.ids == list(range(len(captions)))
    assert table.by_position


def test_plain_text_has_no_columns(write):
    with pytest.raises(InputError, match=r"no column 'pred' \(columns={'candidate': 'pred'}\): it is plain text"):
        read(write("a dog\n"), ReadOptions(columns={"candidate": "pred"}))


def test_several_text_files_are_one_reference_each(write):
    table = read_references([write("a1\nb1\n"), write("a2\n\n"), write("a3\nb3")])
    assert table.by_position
    assert list(zip(table.ids, table.captions, strict=True)) == [
        (0, "a1"),
        (1, "b1"),
        (0, "a2"),
        (1, ""),
        (0, "a3"),
        (1, "b3"),
    ]


def test_rows_without_ids_join_by_position(write):
    rows = write('{"references": ["a1", "a2"]}\n{"references": []}\n')
    table = read_references([rows, write("a3\nb3\n")])
    assert (table.ids, table.positions) == ([0, 0, 0, 1], 2)


def test_text_files_of_different_length(write):
    with pytest.raises(InputError, match=r"has 2 lines but .* has 3:"):
        read_references([write("a\nb\n"), write("a\nb\nc\n")])


def test_several_files_by_id_are_taken_together(write):
    mapping = write({"1": ["a", "b"]})
    annotations = write(
        {"images": [], "annotations": [{"image_id": 1, "caption": "c"}, {"image_id": 2, "caption": "d"}]}
    )
    table = read_references([mapping, annotations])
    assert (table.ids, table.captions) == (["1", "1", 1, 2], ["a", "b", "c", "d"])
    assert str(mapping) in table.source
    assert str(annotations) in table.source


@pytest.mark.parametrize("swap", [False, True])
def test_positions_and_ids_do_not_mix(write, swap):
    text, mapping = write("a dog\n", "text"), write({"1": "a"}, "mapping")
    with pytest.raises(InputError, match=r"text has captions by position but .*mapping has captions by id"):
        read_references([mapping, text] if swap else [text, mapping])


def test_references_out_of_rows_with_candidates(write):
    rows = [{"id": 1, "candidate": "x", "references": ["a", "b"]}, {"id": 2, "candidate": "y", "references": "c"}]
    table = read_references([write([*rows, {"id": 3, "candidate": "z"}])])
    assert (table.ids, table.captions) == ([1, 1, 2], ["a", "b", "c"])


def test_columns_named_for_the_candidates_may_be_absent(write):
    options = ReadOptions(columns={"id": "img", "candidate": "pred"})
    assert read_references([write("id,references\n1,a\n")], options).ids == ["1"]
    assert read_references([write("id,img,image_id,caption\n1,2,3,a\n")], options).ids == ["2"]
    assert read_references([write("a dog\n")], options).captions == ["a dog"]


def test_columns_named_for_the_references_must_be_there(write):
    with pytest.raises(InputError, match="no column 'gold'"):
        read_references([write("id,references\n1,a\n")], ReadOptions(columns={"references": "gold"}))


def karpathy(number: int) -> dict[str, object]:
    image = {"imgid": number, "cocoid": number + 10, "split": "test", "sentences": [{"raw": f"a {number}"}]}
    return {"images": [image]}


def test_several_split_files_keep_their_other_ids(write):
    table = read_references([write(karpathy(1)), write(karpathy(2)), write({"5": "x"})], ReadOptions(split="test"))
    assert table.ids == [11, 12, "5"]
    assert table.other_ids == {"imgid": [1, 2, "5"]}


def test_a_split_needs_a_split_file(write):
    with pytest.raises(InputError, match="--split test needs a Karpathy split file"):
        read_references([write({"1": "a"})], ReadOptions(split="test"))


def test_no_files():
    with pytest.raises(UsageError, match="No reference file was given"):
        read_references([])
