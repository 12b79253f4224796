"""Make the language model of `fluency`: ``python training/fluency/make_model.py``; three minutes, no torch.

Reads the captions of COCO train2014 from ../shared/data.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import numpy.typing as npt
from kneser_ney import Estimates, estimate

from caplens.files.arrays import write_arrays
from caplens.learned.fluency.language_model import FORMAT, PATH, SPECIAL_WORDS
from caplens.readers import read_references
from caplens.text.captions import Captions
from caplens.text.tokenizers import get_tokenizer
from caplens.text.vocabulary import Vocabulary
from caplens.text.words import encode_words

CAPTIONS = Path(__file__).resolve().parents[3] / "shared" / "data" / "coco_train2014" / "captions_train2014.json.gz"
ORDER = 3
LEAST_COUNT = 2  # rarer words are the unknown word
DATA_USE = {
    "fitted_on": "captions of COCO train2014",
    "chosen_on": "nothing",
    "reported_on": "COCO val2014 (human against permuted captions), THumB, Flickr8k, ABSTRACT-50S, FOIL",
}


def main() -> None:
    """Count, estimate, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--order", type=int, default=ORDER)
    parser.add_argument("--target", type=Path, default=PATH)
    arguments = parser.parse_args()
    found = encode_words(Captions.from_texts(list(read_references([CAPTIONS]).captions))[0], get_tokenizer("ptb"))
    texts = [found[place] for place in range(len(found))]
    counts = Counter(word for words in texts for word in words)
    vocabulary = Vocabulary.from_words([word.encode() for word, number in counts.items() if number >= LEAST_COUNT])
    place = {vocabulary.word(number).decode(): number for number in range(len(vocabulary))}
    begin, end, unknown = range(len(place), len(place) + SPECIAL_WORDS)
    captions = [[begin, *(place.get(word, unknown) for word in words), end] for words in texts if words]
    orders = estimate(captions, arguments.order, begin, len(place) + SPECIAL_WORDS)
    arrays = {"words": vocabulary.blob, "word_lengths": np.diff(vocabulary.offsets).astype(np.uint8)}
    arrays |= laid_out(orders, len(place) + SPECIAL_WORDS)
    write(arguments.target, arrays)
    sizes = ", ".join(f"{len(one.logs):,}" for one in orders)
    sys.stdout.write(f"{len(captions):,} captions; n-grams of order 1, 2, ...: {sizes}\n")


def laid_out(orders: list[Estimates], size: int) -> dict[str, npt.NDArray[np.generic]]:
    """Return the arrays that `caplens.learned.fluency.language_model` reads."""
    arrays: dict[str, npt.NDArray[np.generic]] = {}
    number: dict[tuple[int, ...], int] = {}
    for order, one in enumerate(orders, 1):
        ngrams = [(word,) for word in range(size)] if order == 1 else sorted(one.logs)
        # The mark of the beginning has no probability, but is a context.
        arrays[f"probability_{order}"] = np.array([one.logs.get(ngram, -20.0) for ngram in ngrams], np.float16)
        if order < len(orders):
            arrays[f"backoff_{order}"] = np.array([one.backoffs.get(ngram, 0.0) for ngram in ngrams], np.float16)
        if order > 1:
            arrays[f"word_{order}"] = np.array([ngram[-1] for ngram in ngrams], np.uint16)
            contexts = np.array([number[ngram[:-1]] for ngram in ngrams])
            arrays[f"count_{order}"] = np.bincount(contexts, minlength=len(number)).astype(np.uint16)
        number = {ngram: place for place, ngram in enumerate(ngrams)}
    return arrays


def write(target: Path, arrays: dict[str, npt.NDArray[np.generic]]) -> None:
    """Write the file."""
    digest = hashlib.blake2b(digest_size=6)
    for name in sorted(arrays):
        digest.update(arrays[name].tobytes())
    facts = {
        "format": FORMAT,
        "origin": "n-grams of COCO train2014 captions, those that occur once left out; modified Kneser-Ney",
        "licence": "adapted from COCO captions, CC BY 4.0",
        **DATA_USE,
        "fingerprint": digest.hexdigest(),
    }
    target.parent.mkdir(exist_ok=True)
    write_arrays(target, arrays, facts)


if __name__ == "__main__":
    main()
