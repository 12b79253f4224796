"""Our caption parser: a small network and a grammar that imitate the parser inside SPICE 1.0 (Stanford CoreNLP 3.6.0).

Trained by `training/parser` on what the reference parser says about other captions than those it is tested on. Its
agreement with the reference stands in `training/parser/README.md` and `docs/spice.md`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import chain, islice, pairwise
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

import caplens.data
from caplens.arrays import ShortIntegers, Singles
from caplens.files.arrays import Arrays, read_arrays
from caplens.scenegraph.parse import Parse, Sentence
from caplens.scenegraph.parser.features import feature_rows, number_words
from caplens.scenegraph.parser.grammar import Grammar, Roles, checksums, unpack
from caplens.scenegraph.parser.lemmas import Lemmatiser
from caplens.scenegraph.parser.network import Network, Reading
from caplens.text.ptb import tokenize
from caplens.text.ragged import offsets_of

MODEL = Path(caplens.data.__file__).parent / "parser" / "captions.safetensors"

TOKENS_AT_ONCE = 2048
"""Of captions that go through the network together: the states of more would leave the processor's cache."""

LONGEST_SENTENCE = 256
"""Words, far more than captions have: the time for a tree grows with their cube, the memory with their square."""

REMEMBERED_WORDS = 16_384
"""Words whose products with the first layer are kept (5 kB each); rarer ones are worked out again."""

AGREEMENT = (
    "SPICE uses the rules of SPICE 1.0 with caplens' own parser: on the golden sets, caption scores correlate with "
    "those of the Java tool at .970 to .989 (Pearson), and corpus scores are within .0014."
)
"""What stands beside the name of SPICE wherever it is explained; measured by `training/parser/report.py`."""

Caption = Sequence[str]


class CaptionParser:
    """Parses English captions: Penn Treebank tags, Universal Dependencies (version 1), lemmas.

    A caption is one sentence, as it nearly always is for the reference, unless it has more than `LONGEST_SENTENCE`
    words: then it is cut into pieces of about equal length. Its parse does not depend on the captions beside it.
    Threads may use one parser at the same time.

    Parameters
    ----------
    model : Arrays
        What `training/parser/export.py` wrote: weights, words, tags, labels, and the rules of lemmas.

    Examples
    --------
    >>> parser = load()
    >>> sentence, = parser.parse([["two", "brown", "dogs", "on", "the", "beach"]])[0]
    >>> sentence.tags, sentence.lemmas
    (('CD', 'JJ', 'NNS', 'IN', 'DT', 'NN'), ('two', 'brown', 'dog', 'on', 'the', 'beach'))
    >>> sentence.heads, sentence.labels
    ((3, 3, 0, 6, 6, 3), ('nummod', 'amod', 'root', 'case', 'det', 'nmod'))
    """

    def __init__(self, model: Arrays) -> None:
        strings = {name: bytes(model[name]).decode().split("\n") for name in ("words", "tags", "labels")}
        self.signature = model.facts["signature"]
        self._tags, self._labels = strings["tags"], strings["labels"]
        self._lemma = msgspec.json.decode(bytes(model["lemmas"]), type=Lemmatiser)
        self._network = Network({name: model[name] for name in model if model[name].dtype.kind == "f"})
        self._words = _Words(self._network, strings["words"], int(model.facts["buckets"]))
        self._grammar = None
        if "grammar" in model:
            self._grammar = Grammar(unpack(model["grammar"], model["grammar_unit"]), Roles(self._tags, self._labels))

    def parse(self, captions: Sequence[Caption], jobs: int = 1) -> list[Parse]:
        """Return the parse of each caption, given as its PTB tokens; an empty caption has no sentence.

        Parameters
        ----------
        captions : sequence of sequence of str
            Words, lower-case and without punctuation.
        jobs : int
            Threads.
        """
        pieces = [_pieces(caption) for caption in _second_look(captions)]
        sentences = iter(self._sentences(list(chain.from_iterable(pieces)), jobs))
        return [tuple(islice(sentences, len(each))) for each in pieces]

    def known_share(self, captions: Iterable[Caption]) -> float:
        """Return the share of words that the parser knows, 1 for no words at all: low for other languages than English.

        Examples
        --------
        >>> load().known_share([["ein", "mann", "auf", "einem", "pferd"]]) < 0.5 < load().known_share([["a", "man"]])
        True
        """
        words = [word for caption in captions for word in caption]
        return sum(map(self._words.is_known, words)) / len(words) if words else 1.0

    def _sentences(self, captions: Sequence[Caption], jobs: int) -> list[Sentence]:
        """Parse captions, none of them empty."""
        lengths = np.fromiter(map(len, captions), np.int64, len(captions))
        order = np.argsort(-lengths, kind="stable")
        parts = [[captions[place] for place in part] for part in _parts(order, lengths)]
        if jobs > 1 and len(parts) > 1:
            with ThreadPoolExecutor(jobs) as pool:
                parsed = list(pool.map(self._parse_part, parts))
        else:
            parsed = [self._parse_part(part) for part in parts]
        by_length = list(chain.from_iterable(parsed))
        return [by_length[place] for place in np.argsort(order).tolist()]

    def read(self, words: Sequence[str], offsets: ShortIntegers) -> Reading:
        """Return what the network says about the words of captions, the longest caption first."""
        inputs, rows = self._words.inputs_of(words)
        return self._network.read(inputs, rows, offsets)

    def _parse_part(self, captions: Sequence[Caption]) -> list[Sentence]:
        """Parse captions, the longest first, in one go."""
        words = list(chain.from_iterable(captions))
        places = offsets_of(np.array([len(caption) for caption in captions])).astype(np.int32)
        reading = self.read(words, places)
        numbers = np.stack(reading.best())
        if self._grammar is not None:
            self._grammar.choose(reading.likely(self._grammar.roles.root), checksums(words), places, numbers)
        tags = [self._tags[number] for number in numbers[0].tolist()]
        labels = [self._labels[number] for number in numbers[2].tolist()]
        heads = numbers[1].tolist()
        lemmas = list(map(self._lemma, words, tags))
        columns = [tuple(column) for column in (words, tags, lemmas, heads, labels)]
        return [
            # Trees by construction.
            Sentence.unchecked(*[column[first:last] for column in columns])
            for first, last in pairwise(places.tolist())
        ]


class _Words:
    """What the first layer needs of words, remembered for those seen first, which are the frequent ones."""

    def __init__(self, network: Network, words: Sequence[str], buckets: int) -> None:
        self._network = network
        self._numbers = number_words(words)
        self._buckets = buckets
        self._places: dict[str, int] = {}
        # Untouched memory costs nothing.
        self._inputs: Singles = np.empty((REMEMBERED_WORDS, network.input_width), np.float32)
        self._lock = threading.Lock()

    def is_known(self, word: str) -> bool:
        return word in self._numbers

    def inputs_of(self, words: Sequence[str]) -> tuple[Singles, ShortIntegers]:
        """Return the inputs of the distinct words, and the row of each word in them."""
        distinct = {word: row for row, word in enumerate(dict.fromkeys(words))}
        rows = np.fromiter(map(distinct.__getitem__, words), np.int32, len(words))
        with self._lock:
            places = [self._places.get(word, -1) for word in distinct]
        if -1 not in places:
            return self._inputs[places], rows
        remembered = np.array(places)
        inputs = np.empty((len(distinct), self._inputs.shape[1]), np.float32)
        old, new = np.flatnonzero(remembered >= 0), np.flatnonzero(remembered < 0)
        inputs[old] = self._inputs[remembered[old]]
        forms = list(distinct)
        unseen = [forms[place] for place in new]
        inputs[new] = self._network.word_inputs(feature_rows(unseen, self._numbers, self._buckets))
        self._remember(unseen, inputs[new])
        return inputs, rows

    def _remember(self, forms: list[str], inputs: Singles) -> None:
        with self._lock:
            for form, values in zip(forms, inputs, strict=True):
                if form not in self._places and len(self._places) < REMEMBERED_WORDS:
                    self._inputs[len(self._places)] = values
                    self._places[form] = len(self._places)


def _parts(order: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> list[list[int]]:
    """Cut captions into parts of few enough tokens, or of one caption."""
    parts: list[list[int]] = []
    room = 0
    for place, length in zip(order.tolist(), lengths[order].tolist(), strict=True):
        if length > room:
            parts.append([])
            room = TOKENS_AT_ONCE
        parts[-1].append(place)
        room -= length
    return parts


def _pieces(caption: Caption) -> list[Caption]:
    """Cut what is too long for one sentence into pieces of about equal length; an empty caption has none.

    Examples
    --------
    >>> [len(piece) for piece in _pieces(["dog"] * 700)], _pieces(["two", "dogs"]), _pieces([])
    ([233, 233, 234], [['two', 'dogs']], [])
    """
    count = -(-len(caption) // LONGEST_SENTENCE)
    if count == 1:
        return [caption]
    bounds = [len(caption) * place // count for place in range(count + 1)] if count else []
    return [caption[first:last] for first, last in pairwise(bounds)]


def _second_look(captions: Sequence[Caption]) -> Sequence[Caption]:
    """Cut words again where the reference, which tokenises what was tokenised before, does so."""
    odd = {word for caption in captions for word in caption if word[-1:] == "." or "&" in word}
    if not odd:
        return captions
    return [caption if odd.isdisjoint(caption) else _cut_again(caption) for caption in captions]


def _cut_again(caption: Caption) -> list[str]:
    r"""Cut a caption's words at ``&``, and a period from its last word.

    Examples
    --------
    >>> _cut_again(["an", "at&t", "phone"]), _cut_again(["a", "tray."]), _cut_again(["on", "main", "rd."])
    (['an', 'at', '&', 't', 'phone'], ['a', 'tray', '.'], ['on', 'main', 'rd.', '.'])
    """
    words = []
    for word in caption:
        before, mark, after = word.partition("&")
        words += [before, mark, after] if before and after else [word]
    last = words[-1]
    if len(last) > 1 and last.endswith("."):
        # The tokenizer leaves the period of an abbreviation, and the end of the sentence then gets one of its own.
        words[-1:] = [*tokenize(last), "."]
    return words


@cache
def load() -> CaptionParser:
    """Return the parser that ships with caplens."""
    return CaptionParser(read_arrays(MODEL))
