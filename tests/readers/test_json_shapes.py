from __future__ import annotations

import gzip
import json

import pytest

from caplens.corpus import CaptionTable, PairedTable
from caplens.errors import InputError, UsageError
from caplens.readers import FORMATS, ReadOptions, read

RESULTS = [{"image_id": 391895, "caption": "a man"}, {"image_id": "x.jpg", "caption": "a \u00e9\u4eba\U0001f600"}]
ROW = {"id": 7, "candidate": "a dog", "references": ["one dog", "the dog"]}


def pairs(table: CaptionTable) -> list[tuple[object, object]]:
    assert isinstance(table, CaptionTable)
    return list(zip(table.ids, table.captions, strict=True))


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", ["captions.csv", "captions.parquet", "captions.txt", "captions"])
@pytest.mark.parametrize("packed", [False, True])
def test_coco_results_whatever_the_file_is_called(write, indent, name, packed):
    data = json.dumps(RESULTS, indent=indent).encode()
    table = read(write(gzip.compress(data) if packed else data, name))
    assert pairs(table) == [(391895, "a man"), ("x.jpg", "a é人😀")]
    assert not table.by_position


def test_coco_results_skip_other_fields(write):
    text = '[{"image_id": 1, "id": 9, "score": NaN, "caption": "a dog", "more": {"caption": [1, {"a": null}]}}]'
    assert pairs(read(write(text))) == [(1, "a dog")]


@pytest.mark.parametrize("first", ["images", "annotations"])
def test_coco_annotations(write, first):
    parts = {
        "images": [{"id": number, "file_name": f"{number}.jpg"} for number in range(2000)],
        "annotations": [{"id": 5, "image_id": 3, "caption": "a cat"}, {"image_id": 3, "caption": "cats"}],
        "info": {"year": 2014},
        "licenses": [],
    }
    ordered = {first: parts[first], **parts}
    assert pairs(read(write(ordered))) == [(3, "a cat"), (3, "cats")]


def test_empty_coco_annotations(write):
    assert pairs(read(write({"images": [], "annotations": []}))) == []


@pytest.mark.parametrize("shape", [RESULTS, {"images": [], "annotations": RESULTS}])
def test_captions_that_are_none_are_left_to_validation(write, shape):
    broken = json.loads(json.dumps(shape))
    rows = broken if isinstance(broken, list) else broken["annotations"]
    rows += [{"image_id": 3, "caption": None}, {"image_id": 4}, {"image_id": 5, "caption": 6}]
    assert pairs(read(write(broken)))[2:] == [(3, None), (4, None), (5, 6)]


@pytest.mark.parametrize("shape", [list, lambda rows: {"images": [], "annotations": rows}])
@pytest.mark.parametrize("row", [{"caption": "a dog"}, {"image_id": None, "caption": "a dog"}])
def test_a_coco_row_without_id(write, shape, row):
    with pytest.raises(InputError, match=r"Row 3 of .* has no image_id"):
        read(write(shape([*RESULTS, row])))


def test_lone_surrogates_pass(write):
    text = '[{"image_id": 1, "caption": "half \\ud800"}, {"image_id": 2, "caption": "\\ud83d\\ude00"}]'
    assert pairs(read(write(text))) == [(1, "half \ud800"), (2, "😀")]


def test_a_lone_surrogate_in_a_key(write):
    with pytest.raises(InputError, match="a key with a lone surrogate"):
        read(write('[{"image_id": 1, "caption": "a", "\\ud800": 0}]'))


@pytest.mark.parametrize("text", ["{}", " [ ] ", "[]\n"])
def test_nothing_in_it(write, text):
    assert pairs(read(write(text))) == []


@pytest.mark.parametrize(
    ("mapping", "expected"),
    [
        ({"391895": "a man"}, [("391895", "a man")]),
        ({"1": ["a", "b"], "2": []}, [("1", "a"), ("1", "b")]),
        ({"1": [{"caption": "a", "image_id": 1}, {"id": 3, "caption": "b"}]}, [("1", "a"), ("1", "b")]),
        ({"1": "a", "2": ["b", None], "3": None}, [("1", "a"), ("2", "b"), ("2", None), ("3", None)]),
        ({"1": 'he said "x": y', "2": '":":"'}, [("1", 'he said "x": y'), ("2", '":":"')]),
        ({"1": [{"caption": '":'}, {"image_id": 1}]}, [("1", '":'), ("1", None)]),
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_mapping(write, mapping, expected, indent):
    assert pairs(read(write(json.dumps(mapping, indent=indent)))) == expected


def test_a_long_mapping_of_objects_breaks_off_anywhere_in_the_head(write):
    for length in range(40, 60):
        mapping = {str(number): [{"image_id": number, "caption": "x" * length}] for number in range(1000)}
        assert read(write(mapping)).captions == ["x" * length] * 1000


@pytest.mark.parametrize("separator", [":", " : ", ": "])
def test_keys_that_occur_twice_stay_visible(write, separator):
    text = '{"1": "a", "2": "b", "1": "c"}'.replace(": ", separator)
    assert pairs(read(write(text))) == [("1", "a"), ("2", "b"), ("1", "c")]
    text = '{"1": [{"caption": "a"}], "1": [{"caption": "b"}]}'.replace(": ", separator)
    assert pairs(read(write(text))) == [("1", "a"), ("1", "b")]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(ROW),
        json.dumps(ROW) + "\n",
        json.dumps(ROW, indent=2),
        json.dumps([ROW]),
        json.dumps([ROW], indent=2),
        "\n" + json.dumps(ROW) + "\n\n",
        json.dumps({"image_id": 7, "test": "a dog", "refs": ["one dog", "the dog"], "other": {"id": 1}}),
        json.dumps({"reference": ["one dog", "the dog"], "caption": "a dog", "id": 7}),
    ],
)
def test_a_row_with_both(write, text):
    table = read(write(text))
    assert isinstance(table, PairedTable)
    assert (table.ids, table.candidates, table.references, table.images) == (
        [7],
        ["a dog"],
        [["one dog", "the dog"]],
        None,
    )


def lines(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize("form", [lines, lambda *rows: json.dumps(rows)])
class TestRows:
    def test_images_group_rows(self, write, form):
        table = read(write(form({**ROW, "image": "a.jpg"}, {**ROW, "id": 8, "image": "a.jpg"})))
        assert table.images == ["a.jpg", "a.jpg"]

    def test_image_id_groups_rows_that_have_an_id_of_their_own(self, write, form):
        table = read(write(form({**ROW, "image_id": 1}, {**ROW, "id": 8, "image_id": 1})))
        assert (table.ids, table.images) == ([7, 8], [1, 1])

    def test_one_reference_may_stand_alone(self, write, form):
        assert read(write(form({**ROW, "references": "one dog"}))).references == ["one dog"]

    def test_rows_without_id_count(self, write, form):
        table = read(write(form({"candidate": "a", "references": ["b"]}, {"candidate": "c", "references": ["d"]})))
        assert (table.ids, table.candidates) == ([0, 1], ["a", "c"])

    def test_missing_values_are_kept_as_none(self, write, form):
        table = read(write(form({"id": 1, "references": ["b"]}, {"id": 2, "candidate": "c"}, {"id": 3})))
        assert table.candidates == [None, "c", None]
        assert table.references == [["b"], None, None]

    def test_references_that_are_no_text_are_left_to_validation(self, write, form):
        table = read(write(form({**ROW, "references": 5}, {**ROW, "references": {"a": "b"}})))
        assert table.references == [[5], [{"a": "b"}]]

    def test_different_names_in_different_rows(self, write, form):
        table = read(write(form(ROW, {"id": 8, "test": "x", "refs": ["y"]})))
        assert (table.candidates, table.references[1]) == (["a dog", "x"], ["y"])

    @pytest.mark.parametrize("key", ["caption", "candidate", "test"])
    @pytest.mark.parametrize("identifier", ["id", "image_id", "image"])
    def test_captions_with_ids(self, write, form, key, identifier):
        table = read(write(form({identifier: 3, key: "a"}, {identifier: "x", key: "b"})))
        assert pairs(table) == [(3, "a"), ("x", "b")]

    def test_annotation_rows_belong_to_their_image(self, write, form):
        assert pairs(read(write(form({"id": 49, "image_id": 3, "caption": "a"})))) == [(3, "a")]

    def test_several_captions_in_a_row(self, write, form):
        table = read(write(form({"image": "x.jpg", "caption": ["a", "b"]}, {"image": "y.jpg", "caption": "c"})))
        assert pairs(table) == [("x.jpg", "a"), ("x.jpg", "b"), ("y.jpg", "c")]

    def test_only_references(self, write, form):
        table = read(write(form({"id": 1, "references": ["a", "b"]}, {"id": 2, "refs": "c"}, {"id": 3})))
        assert pairs(table) == [(1, "a"), (1, "b"), (2, "c")]

    def test_captions_without_ids(self, write, form):
        table = read(write(form({"caption": "a"}, {"caption": "b"})))
        assert pairs(table) == [(0, "a"), (1, "b")]
        assert (table.by_position, table.positions) == (True, 2)

    def test_positions_without_captions_count(self, write, form):
        table = read(write(form({"references": ["a"]}, {"references": []})))
        assert (table.ids, table.positions) == ([0], 2)

    def test_columns_by_name(self, write, form):
        options = ReadOptions(columns={"id": "se g", "candidate": "hyp", "references": "gold"})
        table = read(write(form({"id": 1, "se g": "s1", "hyp": "a", "gold": ["b"], "candidate": "no"})), options)
        assert (table.ids, table.candidates, table.references) == (["s1"], ["a"], [["b"]])

    def test_columns_that_are_not_there(self, write, form):
        with pytest.raises(InputError, match=r"no column 'hip' \(columns={'candidate': 'hip'}\): it has id, hyp"):
            read(write(form({"id": 1, "hyp": "a"})), ReadOptions(columns={"candidate": "hip"}))

    def test_columns_apply_to_coco_results_too(self, write, form):
        rows = form({"image_id": 1, "caption": "a", "fixed": "b"})
        assert pairs(read(write(rows), ReadOptions(columns={"caption": "fixed"}))) == [(1, "b")]

    @pytest.mark.parametrize("row", [{"candidate": "x", "references": ["y"]}, {"id": None, "candidate": "x"}])
    def test_an_id_that_is_missing(self, write, form, row):
        with pytest.raises(InputError, match=r"Row 2 of .* has no id"):
            read(write(form(ROW, row)))

    def test_no_captions(self, write, form):
        with pytest.raises(InputError, match=r"no column of captions .* found SYS, hyp; specify them"):
            read(write(form({"SYS": 1, "hyp": "a"}, {"SYS": 2, "hyp": "b"})))

    def test_lone_surrogates_and_nan(self, write, form):
        table = read(write(form({**ROW, "candidate": "\ud800", "score": float("nan")})))
        assert table.candidates == ["\ud800"]

    def test_a_row_longer_than_the_head(self, write, form):
        long = {"references": ["a dog " * 20] * 1000, "candidate": "a dog", "id": 1}
        table = read(write(form(long, {**long, "id": 2})), ReadOptions(input_format="jsonl"))
        assert (table.ids, table.references) == ([1, 2], [long["references"]] * 2)


def test_carriage_returns_end_json_lines_too(write):
    assert read(write(lines(ROW, {**ROW, "id": 8}).replace("\n", "\r\n"))).ids == [7, 8]


def test_a_bad_line_is_named(write):
    with pytest.raises(InputError, match=r"is not valid JSON: .* at line 3, column 8"):
        read(write(lines(ROW, ROW) + '{"id": }\n' + lines(ROW)))
    with pytest.raises(InputError, match=r"line 2 of .* is not a row, .*: expected `object`, got `array`"):
        read(write(lines(ROW) + "[1]\n"))
    with pytest.raises(InputError, match=r"byte 0xe9 at position 8 of line 2 is invalid"):
        read(write(lines(ROW).encode() + b'{"id":"\xe9"}\n'))


KARPATHY = {
    "dataset": "coco",
    "images": [
        {
            "filepath": "val2014",
            "sentids": [1, 2],
            "filename": f"COCO_val2014_{number:012}.jpg",
            "imgid": number - 100,
            "cocoid": number,
            "split": split,
            "sentences": [{"tokens": ["a"], "raw": f"A {number}.", "imgid": 0}, {"raw": f"B {number}."}],
        }
        for number, split in [(391895, "test"), (60623, "restval"), (483108, "test")]
    ],
}


class TestKarpathy:
    def test_one_split(self, write):
        table = read(write(KARPATHY), ReadOptions(split="test"))
        assert pairs(table) == [
            (391895, "A 391895."),
            (391895, "B 391895."),
            (483108, "A 483108."),
            (483108, "B 483108."),
        ]
        assert table.other_ids == {
            "imgid": [391795, 391795, 483008, 483008],
            "filename": ["COCO_val2014_000000391895.jpg"] * 2 + ["COCO_val2014_000000483108.jpg"] * 2,
            "filename without extension": ["COCO_val2014_000000391895"] * 2 + ["COCO_val2014_000000483108"] * 2,
        }

    def test_all_splits(self, write):
        assert len(read(write(KARPATHY)).ids) == 6

    def test_restval_counts_only_as_itself(self, write):
        assert read(write(KARPATHY), ReadOptions(split="restval")).ids == [60623, 60623]

    def test_an_unknown_split(self, write):
        with pytest.raises(InputError, match=r"no split 'train': it has test \(2 images\), restval \(1 images\)\."):
            read(write(KARPATHY), ReadOptions(split="train"))

    def test_without_cocoid(self, write):
        images = [{key: value for key, value in image.items() if key != "cocoid"} for image in KARPATHY["images"]]
        table = read(write({"images": images, "dataset": "flickr8k"}), ReadOptions(split="restval"))
        assert table.ids == [60523, 60523]
        assert list(table.other_ids) == ["filename", "filename without extension"]

    def test_without_any_id(self, write):
        images = [{"split": "test", "sentences": [{"raw": "a"}]}]
        with pytest.raises(InputError, match="neither cocoid nor imgid nor filename"):
            read(write({"images": images}))

    def test_a_sentence_without_text_is_left_to_validation(self, write):
        images = [{"imgid": 0, "split": "test", "sentences": [{"tokens": []}]}]
        assert read(write({"images": images})).captions == [None]

    def test_no_images(self, write):
        assert read(write({"images": []}), ReadOptions(input_format="karpathy")).captions == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('[{"image_id": 1, "caption": "a"},\n {"image_id": 2 "caption": "b"}]', "line 2, column 17"),
        ('{"1": "a",\n\n "2": }', "line 3, column 7"),
        ("{'1': 'a'}", "line 1, column 2.*input_format='text'"),
        ("[UNK] man on a horse\n", "line 1, column 2.*input_format='text'"),
        ('[{"image_id": 1, "caption": "a"}', "truncated.* at line 1, column 33"),
        (
            '{"images": [{"id": 1}], "annotations": [{"image_id": 1, "capt',
            "string starting at line 1, column 57",
        ),
        ('{"1": "a"}]', "Extra data at line 1, column 11"),
        ('{"1": "a\tb"}', "Invalid control character.* at line 1, column 9"),
    ],
)
def test_invalid_json(write, text, place):
    with pytest.raises(InputError, match=rf"is not valid JSON: .*{place}"):
        read(write(text))


def test_invalid_utf8_in_json(write):
    with pytest.raises(InputError, match=r"byte 0xe9 at position 29 of line 2 is invalid\. Save the file as UTF-8"):
        read(write(b'[\n{"image_id": 1, "caption": "\xe9"}]'))


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, '{"1": [' + "[" * 100_000])
def test_endless_nesting(write, text):
    with pytest.raises(InputError):
        read(write(text))


def test_numbers_without_end(write):
    with pytest.raises(InputError, match="not valid JSON"):
        read(write('{"1": NaN, "2": ' + "9" * 10_000 + "}"))


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"meta": {"tool": 1}, "images": {"1": 2}}, "an object with the keys meta, images"),
        ({"data": [{"text": "a"}]}, "an object with the keys data"),
        (["a dog", "two dogs"], "a list of plain values"),
        ([["a dog"]], "a list of lists"),
        ([1, 2], "a list of plain values"),
    ],
)
def test_unknown_shapes(write, value, found):
    with pytest.raises(InputError, match=rf"unsupported structure \({found}\)\. Supported are: .*annotations"):
        read(write(value))


@pytest.mark.parametrize(
    ("input_format", "value"),
    [
        ("coco-results", {"1": "a"}),
        ("coco-results", ["a"]),
        ("coco-annotations", RESULTS),
        ("coco-annotations", {"images": []}),
        ("mapping", RESULTS),
        ("karpathy", {"images": [{"id": 1}]}),
        ("jsonl", ["a"]),
        ("parquet", RESULTS),
        ("csv", RESULTS),
        ("tsv", RESULTS),
    ],
)
def test_a_forced_format_that_does_not_fit(write, input_format, value):
    with pytest.raises(InputError):
        read(write(value), ReadOptions(input_format=input_format))


def test_a_forced_format_overrules(write):
    path = write('{"id": 1, "caption": "a dog"}')
    assert pairs(read(path)) == [(1, "a dog")]
    assert pairs(read(path, ReadOptions(input_format="mapping"))) == [("id", 1), ("caption", "a dog")]
    assert read(path, ReadOptions(input_format="text")).captions == ['{"id": 1, "caption": "a dog"}']


def test_unknown_names_are_refused(write):
    with pytest.raises(UsageError, match=r"no input format 'xml': choose from parquet, .*text"):
        read(write("a dog\n"), ReadOptions(input_format="xml"))
    with pytest.raises(UsageError, match="no column role 'pred'"):
        ReadOptions(columns={"pred": "x"})
    assert sorted(FORMATS) == sorted(
        ["coco-results", "coco-annotations", "mapping", "json", "jsonl", "csv", "tsv", "parquet", "text", "karpathy"]
    )
