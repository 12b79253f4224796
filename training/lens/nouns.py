"""Count how often words are nouns in training captions: ``python training/lens/nouns.py --run RUN``.

Writes RUN/nouns.json; the tags are those of the parser that ships (a minute on one core).
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np

import corpus
from caplens.arrays import Singles
from caplens.scenegraph.parser.caption_parser import load
from corpus import say

IMAGES = 20_000


def main() -> None:
    """Tag the captions of some training images and keep the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True)
    run = parser.parse_args().run
    data = corpus.read(run)
    drawn = np.random.default_rng(0).choice(data.split()[0], IMAGES, replace=False).tolist()
    captions = [data.words[place] for image in drawn for place in range(*data.first[image : image + 2].tolist())]
    nouns: Counter[str] = Counter()
    counted: Counter[str] = Counter()
    for parse in load().parse(captions):
        for sentence in parse:
            for word, tag in zip(sentence.words, sentence.tags, strict=True):
                counted[word] += 1
                nouns[word] += tag.startswith("NN")
    (run / "nouns.json").write_text(json.dumps({"nouns": nouns, "all": counted}))
    say(f"{len(counted):,} words of {len(captions):,} captions")


def noun_shares(run: Path, words: list[str]) -> Singles:
    """Return how often words are nouns, 0 to 1; one more time than was seen for words of letters.

    So words that were never seen are nouns, which most rare words of captions are; numbers and signs are not.
    """
    content = json.loads((run / "nouns.json").read_text())
    nouns, counted = content["nouns"], content["all"]
    found = []
    for word in words:
        more = int(word.isalpha())
        found.append((nouns.get(word, 0) + more) / max(counted.get(word, 0) + more, 1))
    return np.array(found, np.float32)


if __name__ == "__main__":
    main()
