"""Make tests/data/meteor_golden.json with METEOR 1.5 itself: ``python benchmarks/make_meteor_golden.py``.

Needs Java and pycocoevalcap. What METEOR's normaliser makes of hard strings, and its alignments of word salads in which
many alignments are equally good, so that only the right habits of the search give the right one.
"""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
from importlib.metadata import distribution
from pathlib import Path

TARGET = Path(__file__).resolve().parents[1] / "tests" / "data" / "meteor_golden.json"
SEED = 4
STRINGS, PAIRS = 400, 400
CHARACTERS = [*"aB1..''`,,--  ", "’", "‘", '"', "“", "–", "—", "!", "é", "Ж", "中", "²", "\xa0", "_", "/"]
FRAGMENTS = [
    "Mr",
    "mr",
    "No",
    "no",
    "Art",
    "pp",
    "A",
    "i.e",
    "5",
    "the",
    "The",
    "can't",
    ".",
    ". ",
    ".",
    " ",
    " ",
    "(",
    "-",
    "...",
]
SALADS = [
    "a a the the of in on man men person people male riding rides ride road on top of above over next to beside near "
    "couch sofa is are dog dogs",
    "in addition to as well as also apart from beyond on top of and besides the of to a in order so for",
    "a group of people a bunch of a number of several some a lot of many a large number of persons a few a couple of",
]


def main() -> None:
    """Ask METEOR and write."""
    draw = random.Random(SEED)
    strings = [_string(draw, CHARACTERS) for _ in range(STRINGS // 2)] + [
        _string(draw, FRAGMENTS) for _ in range(STRINGS // 2)
    ]
    normalized = [candidate for candidate, _ in _align(strings, strings)]
    salads = [_salad(draw) for _ in range(60 * PAIRS)]
    aligned = list(_align(*map(list, zip(*salads, strict=True))))
    # Paraphrases are rare in salads: take a good share of pairs that have one.
    with_paraphrase = [number for number, (_, matches) in enumerate(aligned) if any(match[4] == 3 for match in matches)]
    chosen = sorted({*with_paraphrase[: PAIRS // 2], *range(PAIRS // 2)})
    sections = {
        "normalized": [[text, words] for text, words in zip(strings, normalized, strict=True)],
        "aligned": [[*salads[number], aligned[number][1]] for number in chosen],
    }
    # One entry a line, so that a change can be read.
    lines = [f'"{name}":[\n' + ",\n".join(map(_compact, entries)) + "\n]" for name, entries in sections.items()]
    tool = "METEOR 1.5 (pycocoevalcap 1.2), -l en -norm; made by benchmarks/make_meteor_golden.py"
    TARGET.write_text(",\n".join([f'{{"tool":"{tool}"', *lines]) + "}\n", encoding="utf-8")
    print(f"{TARGET}: {len(strings)} strings, {len(chosen)} pairs")


def _compact(entry: object) -> str:
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":"))


def _string(draw: random.Random, alphabet: list[str]) -> str:
    while True:
        text = "".join(draw.choice(alphabet) for _ in range(draw.randint(2, 10))).strip()
        if text:
            return text


def _salad(draw: random.Random) -> tuple[str, str]:
    words = draw.choice(SALADS).split()
    candidate = [draw.choice(words) for _ in range(draw.randint(1, 16))]
    reference = [draw.choice(words) for _ in range(draw.randint(1, 16))]
    if draw.random() < 0.6:  # near copies have many matches
        reference = candidate.copy()
        for _ in range(draw.randint(1, 4)):
            place, other = draw.randrange(len(reference)), draw.randrange(len(reference))
            reference[place], reference[other] = reference[other], reference[place]
            reference.insert(other, draw.choice(words))
    return " ".join(candidate), " ".join(reference)


def _align(candidates: list[str], references: list[str]) -> list[tuple[str, list[list[int]]]]:
    """Return each candidate as METEOR normalised it, and its alignment."""
    jar = distribution("pycocoevalcap").locate_file("pycocoevalcap/meteor/meteor-1.5.jar")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, lines in (("candidates", candidates), ("references", references)):
            (folder / file).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        command = ["java", "-Dfile.encoding=UTF-8", "-Xmx2G", "-jar", str(jar), "candidates", "references"]
        options = ["-l", "en", "-norm", "-writeAlignments", "-f", "out"]
        subprocess.run([*command, *options], cwd=folder, check=True, capture_output=True)
        text = (folder / "out-align.out").read_text(encoding="utf-8")
    return [_block(block.split("\n")) for block in text.strip("\n").split("\n\n")]


def _block(lines: list[str]) -> tuple[str, list[list[int]]]:
    """Read one alignment: a headline, candidate, reference, names of columns, then a line for each match."""
    matches = []
    for line in lines[4:]:
        reference, candidate, stage, _ = line.split()
        matches.append([*map(int, candidate.split(":")), *map(int, reference.split(":")), int(stage)])
    return lines[1], matches


if __name__ == "__main__":
    main()
