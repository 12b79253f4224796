"""Silver parses as compact arrays, the vocabulary, and batches of captions of one length.

The parse files hold one caption a line (see README.md). Reading 337,809 of them takes half a minute, so the
arrays are cached as ``.npz``; everything the trainer touches afterwards is integers.
"""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from caplens.scenegraph.parser.features import feature_rows, number_words

TOKEN_COLUMNS = ("form", "tag", "head", "label", "lemma")
STRINGS = ("forms", "tags", "labels", "lemmas", "sources")


@dataclass(frozen=True)
class Parses:
    """Parses of many captions, tokens of all captions one after the other.

    Attributes
    ----------
    forms, tags, labels, lemmas, sources
        The distinct strings that the integer columns below point into; a caption without a source has the empty one.
    source
        One entry a caption: where it comes from.
    offsets
        Caption ``i`` owns tokens ``offsets[i]:offsets[i + 1]``.
    form, tag, head, label, lemma
        One entry a token; ``head`` counts from 1 within the caption and is 0 for the root.
    skipped
        Captions left out because the reference saw several sentences in them.
    """

    forms: list[str]
    tags: list[str]
    labels: list[str]
    lemmas: list[str]
    sources: list[str]
    source: np.ndarray
    offsets: np.ndarray
    form: np.ndarray
    tag: np.ndarray
    head: np.ndarray
    label: np.ndarray
    lemma: np.ndarray
    skipped: int

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> np.ndarray:
        """Tokens of each caption."""
        return np.diff(self.offsets)

    def select(self, places: np.ndarray) -> Parses:
        """Give the captions at the given places, in that order; the string tables are shared."""
        lengths = self.lengths[places]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        tokens = np.arange(offsets[-1]) + np.repeat(self.offsets[places] - offsets[:-1], lengths)
        columns = {name: getattr(self, name)[tokens] for name in TOKEN_COLUMNS}
        return replace(self, source=self.source[places], offsets=offsets, **columns)

    def join(self, other: Parses) -> Parses:
        """Put other captions behind these, in one set of string tables."""
        tables = {name: list(getattr(self, name)) for name in STRINGS}
        columns = {}
        for name, column in (("forms", "form"), ("tags", "tag"), ("labels", "label"), ("lemmas", "lemma")):
            renumbered = _extend(tables[name], getattr(other, name))
            columns[column] = np.concatenate([getattr(self, column), renumbered[getattr(other, column)]])
        source = np.concatenate([self.source, _extend(tables["sources"], other.sources)[other.source]])
        return Parses(
            *(tables[name] for name in STRINGS),
            source=source,
            offsets=np.concatenate([self.offsets, self.offsets[-1] + other.offsets[1:]]),
            head=np.concatenate([self.head, other.head]),
            skipped=self.skipped + other.skipped,
            **columns,
        )

    def words(self, place: int) -> list[str]:
        """Give the words of one caption."""
        return [self.forms[form] for form in self.form[self.offsets[place] : self.offsets[place + 1]].tolist()]


def _extend(table: list[str], more: list[str]) -> np.ndarray:
    """Add strings to a table in place; give the new number of each of them."""
    numbers = {string: number for number, string in enumerate(table)}
    for string in more:
        if string not in numbers:
            numbers[string] = len(table)
            table.append(string)
    return np.array([numbers[string] for string in more], np.int32)


class _Interner(dict[str, int]):
    """Numbers strings in the order of their first appearance."""

    def __missing__(self, key: str) -> int:
        self[key] = number = len(self)
        return number


def read_parses(paths: Sequence[Path]) -> Parses:
    """Read parse files (gzipped JSON lines) in the given order."""
    interners = {name: _Interner() for name in ("form", "tag", "label", "lemma", "source")}
    columns: dict[str, list[int]] = {name: [] for name in (*TOKEN_COLUMNS, "source")}
    offsets, skipped = [0], 0
    for line in chain.from_iterable(map(_lines, paths)):
        if len(line["sents"]) != 1:
            skipped += 1
            continue
        sentence = line["sents"][0]
        length = len(sentence["w"])
        heads, labels = [0] * length, [0] * length
        for head, dependent, label in sentence["basic"]:
            heads[dependent - 1] = head
            labels[dependent - 1] = interners["label"][label]
        columns["form"].extend(interners["form"][word] for word in sentence["w"])
        columns["tag"].extend(interners["tag"][tag] for tag in sentence["t"])
        # The teacher gives no lemmas: words stand in for them.
        columns["lemma"].extend(interners["lemma"][lemma] for lemma in sentence.get("l", sentence["w"]))
        columns["head"].extend(heads)
        columns["label"].extend(labels)
        columns["source"].append(interners["source"][line.get("source", "")])
        offsets.append(offsets[-1] + length)
    return Parses(
        *(list(interners[name]) for name in ("form", "tag", "label", "lemma", "source")),
        offsets=np.asarray(offsets, np.int64),
        skipped=skipped,
        **{name: np.asarray(values, np.int32) for name, values in columns.items()},
    )


def unparsed(captions: Sequence[Sequence[str]]) -> Parses:
    """Give captions without parses, none of them empty, the form of parses: nothing but `form` means anything."""
    forms = _Interner()
    form = np.array([forms[word] for words in captions for word in words], np.int32)
    nothing = np.zeros_like(form)
    return Parses(
        *(list(forms), [""], [""], [""], [""]),
        source=np.zeros(len(captions), np.int32),
        offsets=np.concatenate([[0], np.cumsum([len(words) for words in captions])]),
        form=form,
        tag=nothing,
        head=nothing,
        label=nothing,
        lemma=nothing,
        skipped=0,
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path) as lines:
        yield from map(msgspec.json.decode, lines)


def load_parses(paths: Sequence[Path], cache: Path) -> Parses:
    """Read parse files, or the arrays made of them by an earlier call."""
    names = ("source", "offsets", *TOKEN_COLUMNS)
    if cache.exists():
        with np.load(cache) as stored:
            strings = [bytes(stored[name]).decode().split("\n") for name in STRINGS]
            return Parses(*strings, *(stored[name] for name in names), skipped=int(stored["skipped"]))
    parses = read_parses(paths)
    arrays = {name: getattr(parses, name) for name in (*names, "skipped")}
    for name in STRINGS:
        arrays[name] = np.frombuffer("\n".join(getattr(parses, name)).encode(), np.uint8)
    cache.parent.mkdir(parents=True, exist_ok=True)
    unfinished = cache.with_suffix(".unfinished.npz")
    np.savez(unfinished, **arrays)
    unfinished.replace(cache)
    return parses


@dataclass(frozen=True)
class Vocabulary:
    """What the network knows of strings: its words, its tags, its labels, and how a word becomes table rows.

    Row 0 of the embedding table is the unknown word, then come the words, then ``buckets`` rows that the hashed
    prefixes, suffixes and shapes share.
    """

    words: list[str]
    tags: list[str]
    labels: list[str]
    buckets: int

    @property
    def rows(self) -> int:
        """Rows of the embedding table."""
        return 1 + len(self.words) + self.buckets

    def features(self, forms: Sequence[str]) -> np.ndarray:
        """Give the rows of each form, ``(len(forms), FEATURES_PER_WORD)``; the word itself comes first."""
        return feature_rows(forms, number_words(self.words), self.buckets)


def build_vocabulary(parses: Parses, minimum_count: int, buckets: int, most: int) -> Vocabulary:
    """Choose the words seen at least `minimum_count` times, the most frequent first, at most `most`."""
    counts = Counter(parses.form.tolist())
    words = [parses.forms[form] for form, count in counts.most_common(most) if count >= minimum_count]
    return Vocabulary(words, parses.tags, parses.labels, buckets)


@dataclass(frozen=True)
class Batch:
    """Captions of one length: each field is ``(captions, length)``; `order` holds the captions' positions."""

    order: np.ndarray
    form: np.ndarray
    tag: np.ndarray
    head: np.ndarray
    label: np.ndarray


def batches(
    parses: Parses,
    tokens: int,
    generator: np.random.Generator | None = None,
    pieces: np.ndarray | None = None,
    among: np.ndarray | None = None,
) -> list[np.ndarray]:
    """Group captions of equal length into batches of about `tokens` tokens.

    Captions are short and many, so batches of exactly one length need neither padding nor masks.

    Parameters
    ----------
    parses
        The captions.
    tokens
        Tokens a batch.
    generator
        Shuffles, both the captions of a batch and the batches; without one they go by length.
    pieces
        A second length of each caption that must be equal within a batch, and that counts as its tokens.
    among
        The positions of the captions to group; without them all.

    Returns
    -------
    list of numpy.ndarray
        The positions of each batch's captions.
    """
    lengths = parses.lengths
    order = np.arange(len(parses)) if among is None else among
    if generator is not None:
        order = generator.permutation(order)
    sizes = lengths if pieces is None else pieces
    order = order[np.lexsort((sizes[order], lengths[order]))]
    groups = []
    changes = (np.diff(lengths[order]) != 0) | (np.diff(sizes[order]) != 0)
    for same in np.split(order, np.flatnonzero(changes) + 1):
        captions = max(1, tokens // int(sizes[same[0]]))
        groups.extend(np.array_split(same, -(-len(same) // captions)))
    if generator is not None:
        groups = [groups[position] for position in generator.permutation(len(groups))]
    return groups


def gather(parses: Parses, order: np.ndarray) -> Batch:
    """Collect captions of one length into a batch."""
    length = int(parses.lengths[order[0]])
    tokens = parses.offsets[order][:, None] + np.arange(length)
    return Batch(order, parses.form[tokens], parses.tag[tokens], parses.head[tokens], parses.label[tokens])
