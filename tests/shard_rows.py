"""Rows for the tests of shards, and files of them."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq

CANDIDATES = (
    "a man rides a brown horse", "two dogs", "a red bus", "", "a cat sits on 1 1/2 mats .", "zxqv blorp",
    "a black and white photo of a street", "people at a table with plates of food", "a clock", "a woman holding a cat",
)  # fmt: skip
REFERENCES = (
    ["a man on a horse", "a person is riding a brown horse on the beach"], ["two dogs run in the snow"],
    ["a red bus on the street", "the bus", "a large red bus"], ["a plate of food on a table"],
    ["the cat sat on the mat", "a cat"], ["two dogs play with a ball"], ["a street with a red bus", "black photo"],
    ["several people eat at a long table"], ["a large clock on a tall tower"], ["a woman with a small cat"],
)  # fmt: skip


def make_rows(number, first=0):
    """Rows with ids; no two have the same references."""
    return [
        {
            "id": f"row {place}",
            "candidate": CANDIDATES[place % len(CANDIDATES)],
            "references": [*REFERENCES[place % len(REFERENCES)], f"picture {place} of {place % 7} things"],
        }
        for place in range(first, first + number)
    ]


def write_jsonl(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def write_parquet(path, rows, **more):
    pq.write_table(pa.Table.from_pylist(rows), path, **more)
    return path


def cut_into(folder, rows, shards):
    """Write rows to files of nearly equal size, in no particular order."""
    folder.mkdir()
    for number in range(shards):
        write_jsonl(folder / f"part-{(number * 11) % shards:04}.jsonl", rows[number::shards])
    return folder
