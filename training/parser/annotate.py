"""Parse captions that have no parses with a teacher, alone or with others, for the student to learn from.

    python training/parser/annotate.py --teacher best.safetensors --output TAUGHT [--run RUN ...]
    python training/parser/train.py --taught TAUGHT ...

Writes files like the silver parses, without lemmas and tuples; files that are there are left alone, so the same command
goes on after an interruption.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import msgspec
import numpy as np
import torch
from evaluate import load_run, predict
from runs import UNLABELLED, say
from scorers import PlainScorer, Scorer, TeacherScorer, load_teacher
from silver import Parses, gather, unparsed

CAPTIONS_PER_FILE = 25_000
LONGEST = 40
"""Words: what is longer is no caption."""


def annotate(scorers: Sequence[Scorer], captions: Parses) -> list[bytes]:
    """Parse captions; give one line of JSON each."""
    lines = [b""] * len(captions)
    tags, labels = scorers[0].vocabulary.tags, scorers[0].vocabulary.labels
    for order in scorers[0].batches(captions):
        found = predict(scorers, gather(captions, order))[:3]
        for place, *columns in zip(order.tolist(), *(column.tolist() for column in found), strict=True):
            sentence = {
                "w": captions.words(place),
                "t": [tags[number] for number in columns[0]],
                "basic": [
                    (head, dependent, labels[label])
                    for dependent, (head, label) in enumerate(zip(columns[1], columns[2], strict=True), start=1)
                ],
            }
            lines[place] = msgspec.json.encode({"source": "teacher", "sents": [sentence]})
    return lines


def write_lines(path: Path, lines: Sequence[bytes]) -> None:
    """Write a gzipped file, never half of it."""
    unfinished = path.with_suffix(".unfinished")
    with gzip.open(unfinished, "wb", compresslevel=4) as file:
        file.write(b"\n".join(lines) + b"\n")
    unfinished.replace(path)


def main() -> None:
    """Annotate file by file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--teacher", type=Path, action="append", default=[], help="weights made by teacher.py")
    parser.add_argument("--run", type=Path, action="append", default=[], help="directory made by train.py")
    parser.add_argument("--captions", type=Path, default=UNLABELLED, help="one a line, gzipped")
    parser.add_argument("--output", type=Path, required=True, help="directory to write to")
    parser.add_argument("--threads", type=int, default=1, help="processor cores to use")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    arguments.output.mkdir(parents=True, exist_ok=True)
    teachers = [load_teacher(path) for path in arguments.teacher]
    students = [load_run(run) for run in arguments.run]
    with gzip.open(arguments.captions, "rt", encoding="utf-8") as text:
        captions = (words for words in map(str.split, text) if 0 < len(words) <= LONGEST)
        for number in range(10_000):
            part = list(islice(captions, CAPTIONS_PER_FILE))
            if not part:
                break
            path = arguments.output / f"part-{number:02}.jsonl.gz"
            if path.exists():
                continue
            parses = unparsed(part)
            scorers: list[Scorer] = [TeacherScorer(*teacher, parses.forms) for teacher in teachers]
            scorers += [PlainScorer(*student, parses.forms) for student in students]
            write_lines(path, annotate(scorers, parses))
            say(f"{path}: {len(part):,} captions, {np.sum(parses.lengths):,} words")


if __name__ == "__main__":
    main()
