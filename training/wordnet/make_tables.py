"""Make the WordNet tables that ship with caplens from the text files inside METEOR's jar.

    python training/wordnet/make_tables.py

The jar comes with pycocoevalcap (`pip install "caplens[meteor]"`); it is opened as the zip file it is, nothing in it is
run. The same input gives the same bytes.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import numpy as np

from caplens.files.arrays import write_arrays
from caplens.text.vocabulary import Vocabulary

JAR = "pycocoevalcap/meteor/meteor-1.5.jar"
TARGET = Path(__file__).resolve().parents[2] / "src" / "caplens" / "data" / "wordnet"
FACTS = {"origin": "WordNet 3.0 as distributed with METEOR 1.5", "licence": "WordNet 3.0, see LICENSE", "version": "1"}


def main() -> None:
    """Write the tables and their licence."""
    with zipfile.ZipFile(str(distribution("pycocoevalcap").locate_file(JAR))) as jar:
        synsets = {word: sorted(map(int, numbers)) for word, numbers in entries(jar.read("synonym/english.synsets"))}
        bases: dict[bytes, list[bytes]] = {}
        for base, forms in entries(jar.read("synonym/english.exceptions")):
            for form in dict.fromkeys(forms):  # a few bases list a form twice
                bases.setdefault(form, []).append(base)
        licence = jar.read("synonym/COPYING.WORDNET")
    TARGET.mkdir(exist_ok=True)
    write_arrays(TARGET / "tables.safetensors", tables(synsets, bases), FACTS)
    (TARGET / "LICENSE").write_bytes(licence)


def entries(text: bytes) -> Iterator[tuple[bytes, list[bytes]]]:
    """Give the pairs of lines of a file: a word, and what belongs to it."""
    lines = text.splitlines()
    heads = lines[::2]
    if len(lines) % 2 or len(set(heads)) != len(heads):
        raise SystemExit("the file is not pairs of lines, or a word has two entries")
    return ((head, line.split()) for head, line in zip(heads, lines[1::2], strict=True))


def tables(synsets: dict[bytes, list[int]], bases: dict[bytes, list[bytes]]) -> dict[str, np.ndarray]:
    """Lay the entries out as arrays; a word is its place in the sorted vocabulary."""
    vocabulary = Vocabulary.from_words([*synsets, *bases, *(base for some in bases.values() for base in some)])
    own = [synsets.get(vocabulary.word(place), []) for place in range(len(vocabulary))]
    forms = sorted(bases)
    return {
        "words": vocabulary.blob,
        "word_lengths": small(np.diff(vocabulary.offsets)),
        "synset_counts": small(np.array([len(some) for some in own])),
        "synsets": np.array([synset for some in own for synset in some], dtype=np.int32),
        "irregular_forms": np.array([vocabulary.index(form) for form in forms], dtype=np.int32),
        "irregular_base_counts": small(np.array([len(bases[form]) for form in forms])),
        "irregular_bases": np.array([vocabulary.index(base) for form in forms for base in bases[form]], dtype=np.int32),
    }


def small(counts: np.ndarray) -> np.ndarray:
    """Store counts in one byte each."""
    if counts.max() > np.iinfo(np.uint8).max:
        raise SystemExit("a count does not fit into one byte")
    return counts.astype(np.uint8)


if __name__ == "__main__":
    main()
