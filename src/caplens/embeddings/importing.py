"""Import of word vectors: from a file of any known format to a table that is mapped, in constant memory."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from caplens.embeddings import fasttext, formats, library, shipped, stored
from caplens.embeddings.subwords import Subwords
from caplens.embeddings.table import Kind
from caplens.errors import InputError, UsageError
from caplens.files.opening import Content, opened
from caplens.files.progress import blocks

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_ENDINGS = re.compile(r"(\.(gz|txt|vec|bin|model|zip))+$", re.IGNORECASE)
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True)
class Imported:
    """What was imported.

    Attributes
    ----------
    name : str
        The name by which metrics ask for it.
    kind, words, dimensions : str, int, int
        What it is.
    repeated : int
        Words that occurred more than once; the first vector counts.
    path : pathlib.Path
        The file of words.
    """

    name: str
    kind: Kind
    words: int
    dimensions: int
    repeated: int
    path: Path


def import_vectors(
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    limit: int | None = None,
    half: bool = False,
    kind: Kind | None = None,
) -> Imported:
    r"""Import a file of word vectors; a table of the same name is replaced, when all is well and not before.

    Parameters
    ----------
    path : path
        word2vec (text or binary), GloVe, or fastText (``.vec`` or ``.bin``), possibly packed with gzip.
    name : str, optional
        The table's name; by default that of the file.
    limit : int, optional
        Take only the first words, which in most files are the most frequent.
    half : bool
        Store numbers of 16 bits instead of 32.
    kind : {"glove", "word2vec", "fasttext"}, optional
        Which variant of WEmbSim the table makes, where the file does not tell.

    Examples
    --------
    >>> import tempfile
    >>> from unittest import mock
    >>> with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, CAPLENS_VECTORS=folder):
    ...     file = Path(folder) / "tiny.txt"
    ...     _ = file.write_text("dog 1 0\ncat 0.5 0.5\n")
    ...     done = import_vectors(file)
    ...     done.name, done.kind, done.words, library.load("tiny").vector("cat").tolist()
    ('tiny', 'glove', 2, [0.5, 0.5])
    """
    chosen = _check_name(name if name is not None else _NOT_IN_NAMES.sub("-", _ENDINGS.sub("", Path(path).name)))
    folder = library.directory()
    with opened(path) as content:
        if content.head.startswith(fasttext.MAGIC):
            return _import_model(content, folder, chosen, limit, half)
        return _import_table(content, folder, chosen, limit, half, kind)


def _import_table(
    content: Content, folder: Path, name: str, limit: int | None, half: bool, kind: Kind | None
) -> Imported:
    layout = formats.recognise(content)
    chosen = kind or ("fasttext" if ".vec" in Path(content.name).suffixes else layout.kind)
    words: list[bytes] = []
    with stored.row_file(folder, half) as rows:
        for batch, vectors in formats.read_batches(content, layout, limit):
            words.extend(batch)
            rows.add(vectors)
        if not words:
            raise InputError(f"{content.name} contains no word vectors.")
        facts = rows.keep(name, "vectors")
    facts |= {"kind": chosen, "dimensions": str(layout.dimensions), "origin": Path(content.name).name}
    repeated = stored.write_table(folder, name, words, facts)
    return _imported(folder, name, chosen, len(words), layout.dimensions, repeated)


def _import_model(content: Content, folder: Path, name: str, limit: int | None, half: bool) -> Imported:
    """Import a fastText model: the vector of a word is the mean of its own row and those of its n-grams."""
    model = fasttext.read_model(content)
    count = len(model.words) if limit is None else min(limit, len(model.words))
    facts = {"kind": "fasttext", "dimensions": str(model.dimensions), "origin": Path(content.name).name}
    with (
        stored.row_file(folder, False) as own,
        stored.row_file(folder, half) as parts,
        stored.row_file(folder, half) as whole,
    ):
        for rows in fasttext.read_rows(content, model, len(model.words), "words"):
            own.add(rows)
        for rows in fasttext.read_rows(content, model, model.buckets, "n-grams"):
            parts.add(rows)
        subwords = Subwords(parts.mapped(model.buckets, model.dimensions), model.shortest, model.longest)
        single = own.mapped(len(model.words), model.dimensions)
        for first, last in blocks("building word vectors", count, fasttext.BLOCK_ROWS):
            sums, counts = subwords.sums(model.words[first:last])
            # The mark of a sentence's end is no word, so it has no n-grams.
            sentence_end = np.array([word == b"</s>" for word in model.words[first:last]])
            sums[sentence_end], counts[sentence_end] = 0, 0
            whole.add((single[first:last] + sums) / (counts + 1)[:, np.newaxis])
        del single, subwords  # Windows renames no file that is mapped
        if model.buckets:
            facts |= {**parts.keep(name, "subwords"), "buckets": str(model.buckets)}
            facts |= {"shortest": str(model.shortest), "longest": str(model.longest)}
        facts |= whole.keep(name, "vectors")
    repeated = stored.write_table(folder, name, model.words[:count], facts)
    return _imported(folder, name, "fasttext", count, model.dimensions, repeated)


def _imported(folder: Path, name: str, kind: Kind, count: int, dimensions: int, repeated: int) -> Imported:
    return Imported(name, kind, count - repeated, dimensions, repeated, folder / f"{name}{stored.SUFFIX}")


def _check_name(name: str) -> str:
    if name in shipped.NAMES:
        raise UsageError(f"{name!r} is a table that ships with caplens: choose another name with --name.")
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot be the name of a table: use letters, digits, dots, dashes and underscores.")
    return name
