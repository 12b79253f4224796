"""Compare the tokens of caplens with those of the Java tokenizer on every caption of the shared data.

Run ``python benchmarks/ptb_parity.py``. It needs Java and the ``pycocoevalcap`` package, whose jar it runs.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from caplens.text.ptb import PUNCTUATION, raw_tokens, tokenize

ROOT = Path(__file__).resolve().parents[1]
# Each breaks the alignment of the Java tool's output with its input; both sides get a space instead.
LINE_BREAKS = re.compile("[\n\r\v\f\x85\u2028\u2029]")
# The Java tool reads past the end of a line. An empty line stops it, and this line has no word that it looks for.
NEUTRAL = "a man"
LINES_PER_CAPTION = 4
BATCH = 50_000


def read_bytes(path: Path) -> bytes:
    """Read a file, compressed or not."""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Read a JSON file that holds a list of objects."""
    rows: list[dict[str, Any]] = json.loads(read_bytes(path))
    return rows


def read_object(path: Path) -> dict[str, Any]:
    """Read a JSON file that holds one object."""
    members: dict[str, Any] = json.loads(read_bytes(path))
    return members


def coco_annotations(path: Path) -> Iterator[str]:
    """Give the captions of a COCO annotation file."""
    yield from (annotation["caption"] for annotation in read_object(path)["annotations"])


def caption_rows(path: Path) -> Iterator[str]:
    """Give the captions of a list of rows: COCO results, ABSTRACT-50S references."""
    yield from (row["caption"] for row in read_rows(path))


def flickr8k_lines(path: Path) -> Iterator[str]:
    """Give the captions of the Flickr8k token file."""
    yield from (line.split("\t", 1)[1] for line in path.read_text(encoding="utf-8").splitlines())


def lists_by_image(path: Path) -> Iterator[str]:
    """Give the captions of an object that has a list of captions by image."""
    yield from (caption for captions in read_object(path).values() for caption in captions)


def triplets(path: Path) -> Iterator[str]:
    """Give the captions of ABSTRACT-50S triplets."""
    yield from (row[key] for row in read_rows(path) for key in ("ref", "b", "c"))


def pairs(path: Path) -> Iterator[str]:
    """Give the captions of PASCAL-50S pairs."""
    yield from (row[key] for row in read_rows(path) for key in ("a", "b"))


def foils(path: Path) -> Iterator[str]:
    """Give the captions and the foils of FOIL."""
    yield from (row[key] for row in read_object(path).values() for key in ("caption", "foil"))


def judged_lines(path: Path) -> Iterator[str]:
    """Give the captions of a file with one judged caption a line (THumB)."""
    yield from (json.loads(line)["hyp"] for line in path.read_text(encoding="utf-8").splitlines())


def reference_lines(path: Path) -> Iterator[str]:
    """Give the captions of a file with one image and its references a line (THumB)."""
    yield from (
        caption for line in path.read_text(encoding="utf-8").splitlines() for caption in json.loads(line)["refs"]
    )


def table_rows(path: Path) -> Iterator[str]:
    """Give the captions of a table that has a column of them."""
    with path.open(encoding="utf-8", newline="") as file:
        yield from (row["caption"] for row in csv.DictReader(file))


SOURCES: tuple[tuple[str, Callable[[Path], Iterator[str]]], ...] = (
    ("coco_val2014/captions_val2014.json.gz", coco_annotations),
    ("coco_val2014/systems*/*.json.gz", caption_rows),
    ("flickr8k/Flickr8k.token.txt", flickr8k_lines),
    ("flickr30k/captions.json.gz", lists_by_image),
    ("abstract50s/abstract48S.json", caption_rows),
    ("abstract50s/triplets.json.gz", triplets),
    ("foil/foil-it.json", foils),
    ("thumb/*_THumB-1.0.jsonl", judged_lines),
    ("thumb/*_references.json", reference_lines),
    ("composite_sample/composite_correctness.csv", table_rows),
    ("pascal50s_sample/pairs.json.gz", pairs),
    ("pascal50s_sample/refs50.json.gz", lists_by_image),
)


def find_jar() -> Path:
    """Find the tokenizer's jar inside the installed ``pycocoevalcap``."""
    package = importlib.util.find_spec("pycocoevalcap")
    if package is None or not package.submodule_search_locations:
        sys.exit(
            "The package pycocoevalcap, which holds the Java tokenizer, is not installed: pip install pycocoevalcap."
        )
    jar = Path(package.submodule_search_locations[0]) / "tokenizer" / "stanford-corenlp-3.4.1.jar"
    if not jar.exists():
        sys.exit(f"The installed pycocoevalcap has no {jar.name}: install version 1.2.")
    return jar


def java_tokens(captions: list[str], java: str, jar: Path) -> list[list[str]]:
    """Tokenize captions with the Java tool, each as if it were alone on its line."""
    separated = "".join(f"{caption}\n\n{NEUTRAL}\n\n" for caption in captions)
    command = [java, "-cp", str(jar), "edu.stanford.nlp.process.PTBTokenizer", "-preserveLines", "-lowerCase"]
    done = subprocess.run(
        command,
        input=separated.encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        check=True,
    )
    lines = done.stdout.decode().split("\n")[:-1]
    if len(lines) != LINES_PER_CAPTION * len(captions) or set(lines[2::LINES_PER_CAPTION]) != {NEUTRAL}:
        sys.exit("The lines of the Java tool do not correspond to the captions, so nothing can be compared.")
    # At spaces only: a token may contain U+00A0.
    return [[token for token in line.split(" ") if token] for line in lines[::LINES_PER_CAPTION]]


def main() -> None:
    """Compare, and print the share of identical captions and the first differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="the folder of shared data")
    parser.add_argument("--show", type=int, default=20, metavar="N", help="differing captions to print (20)")
    arguments = parser.parse_args()
    java = shutil.which("java")
    if java is None:
        sys.exit("Java, which runs the reference tokenizer, is not installed (no program named java on the path).")
    jar = find_jar()

    counts: Counter[str] = Counter()
    for pattern, read in SOURCES:
        for path in sorted(arguments.data.glob(pattern)):
            counts.update(LINE_BREAKS.sub(" ", caption) for caption in read(path))
    if not counts:
        sys.exit(f"There are no captions in {arguments.data}.")

    # Equal captions are compared once and counted as often as they occur.
    unique = list(counts)
    different: list[tuple[str, list[str], list[str]]] = []
    in_metrics: list[str] = []
    seconds = 0.0
    for start in range(0, len(unique), BATCH):
        batch = unique[start : start + BATCH]
        expected = java_tokens(batch, java, jar)
        began = time.perf_counter()
        found = [raw_tokens(caption) for caption in batch]
        seconds += time.perf_counter() - began
        rows = zip(batch, expected, found, strict=True)
        different += [(caption, theirs, ours) for caption, theirs, ours in rows if theirs != ours]
        for caption, theirs in zip(batch, expected, strict=True):
            if tokenize(caption) != [token for token in theirs if token not in PUNCTUATION]:
                in_metrics.append(caption)
        print(f"\r{min(start + BATCH, len(unique)):,} of {len(unique):,} distinct captions", end="", file=sys.stderr)
    print(file=sys.stderr)

    total = counts.total()
    same = total - sum(counts[caption] for caption, _, _ in different)
    print(f"captions: {total:,} ({len(unique):,} distinct)")
    print(f"identical tokens: {same:,} ({100 * same / total:.4f} %), distinct: {len(unique) - len(different):,}")
    compared = total - sum(counts[caption] for caption in in_metrics)
    print(
        f"identical in the metrics, where a final initial has a rule of its own: {compared:,} "
        f"({100 * compared / total:.4f} %)"
    )
    print(f"caplens: {1e6 * seconds / len(unique):.1f} microseconds a caption")
    for caption, theirs, ours in different[: arguments.show]:
        print(f"{caption!r}\n  java:    {' '.join(theirs)}\n  caplens: {' '.join(ours)}")


if __name__ == "__main__":
    main()
