"""The reference's own parses and scores of SPICE, where they are; its parses as a parser that is plugged in."""

from __future__ import annotations

import gzip
from functools import cache

import msgspec
import pytest

import caplens
from tests.conftest import SHARED

SPICE = SHARED / "spice"
SETS = ("coco2000_knn", "coco2000_human", "fakecap1000", "flickr8k_expert")
CATEGORIES = {
    "SPICE": "All",
    "SPICE_Object": "Object",
    "SPICE_Attribute": "Attribute",
    "SPICE_Relation": "Relation",
    "SPICE_Color": "Color",
    "SPICE_Cardinality": "Cardinality",
    "SPICE_Size": "Size",
}
NAME = "reference"

needs_spice = pytest.mark.skipif(
    not SPICE.exists(), reason="the golden data of SPICE is not here (../shared/data/spice, beside the repository)"
)


class StoredSentence(msgspec.Struct):
    w: tuple[str, ...]
    t: tuple[str, ...]
    l: tuple[str, ...]  # noqa: E741 (the file's name of the lemmas)
    basic: list[tuple[int, int, str]]

    def sentence(self):
        edges = {dependent: (head, label) for head, dependent, label in self.basic}
        heads, labels = zip(*(edges[place] for place in range(1, len(self.w) + 1)), strict=True)
        return caplens.Sentence(self.w, self.t, self.l, heads, labels)


class StoredParse(msgspec.Struct):
    text: str
    sents: list[StoredSentence]


class ReferenceParser:
    """Says what the parser of SPICE 1.0 said."""

    signature = "stanford-corenlp-3.6.0"

    def __init__(self):
        lines = gzip.decompress((SPICE / "parses_golden.jsonl.gz").read_bytes())
        parses = msgspec.json.Decoder(StoredParse).decode_lines(lines)
        # PTB's `22 3/4` holds a no-break space, at which tokenizers may cut.
        self.parses = {tuple(parse.text.split()): parse.sents for parse in parses}

    def parse(self, captions):
        return [tuple(each.sentence() for each in self.parses[tuple(" ".join(c).split())]) for c in captions]


@cache
def register():
    """Register the parser, once."""
    caplens.register_parser(NAME, ReferenceParser())
    return NAME


@cache
def load(name):
    return msgspec.json.decode(gzip.decompress((SPICE / "golden" / f"{name}.json.gz").read_bytes()))
