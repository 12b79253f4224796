"""Files of captions, spoilt: every reader."""

from __future__ import annotations

import csv
import gzip
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq

from caplens.api.loading import load_candidates, load_corpus, load_references
from tests.fuzz.mutations import caption, spoil


def run(source, folder):
    """Write a file and read it."""
    name, data = source.choice(MAKERS)(source)
    spoilt = source.random() < 0.85
    if spoilt:
        data = spoil(source, data)
    wrapped = source.random()
    if wrapped < 0.1:
        data = gzip.compress(data)
        data = spoil(source, data, 2) if source.random() < 0.5 else data
    elif wrapped < 0.15:
        data = data.decode("utf-8", "replace").encode("utf-16")
    path = folder / name
    path.write_bytes(data)
    read = source.choice([load_corpus, load_candidates, lambda path: load_references([path])])
    found = read(str(path))
    assert found is not None
    return "read"


def rows(source):
    return [
        {"id": source.choice([number, str(number)]), "candidate": caption(source), "references": [caption(source, 5)]}
        for number in range(source.randint(1, 4))
    ]


def plain(text):
    return text.encode("utf-8", "replace")


def make_lines(source):
    return "rows.jsonl", "\n".join(json.dumps(row) for row in rows(source)).encode()


def make_list(source):
    return "rows.json", json.dumps(rows(source)).encode()


def make_mapping(source):
    return "mapping.json", json.dumps({row["id"]: row["references"] for row in rows(source)}).encode()


def make_results(source):
    found = [{"image_id": row["id"], "caption": row["candidate"]} for row in rows(source)]
    return "results.json", json.dumps(found).encode()


def make_annotations(source):
    found = [
        {"image_id": row["id"], "id": place, "caption": row["candidate"]} for place, row in enumerate(rows(source))
    ]
    return "annotations.json", json.dumps({"images": [{"id": 0}], "annotations": found}).encode()


def make_karpathy(source):
    images = [
        {"filename": f"{row['id']}.jpg", "split": "test", "sentences": [{"raw": row["candidate"]}]}
        for row in rows(source)
    ]
    return "karpathy.json", json.dumps({"images": images}).encode()


def make_table(source):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=source.choice(",;\t"))
    writer.writerow(["id", "candidate", "references"])
    writer.writerows([row["id"], row["candidate"], json.dumps(row["references"])] for row in rows(source))
    return "rows.csv", plain(text.getvalue())


def make_text(source):
    return "captions.txt", plain("\n".join(row["candidate"] for row in rows(source)))


def make_parquet(source):
    found = [{**row, "id": str(row["id"]), "candidate": plain(row["candidate"]).decode()} for row in rows(source)]
    for row in found:
        row["references"] = [plain(text).decode() for text in row["references"]]
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(found), sink)
    return "rows.parquet", sink.getvalue()


MAKERS = [make_lines, make_list, make_mapping, make_results, make_annotations, make_karpathy, make_table, make_text]
MAKERS += [make_parquet]
