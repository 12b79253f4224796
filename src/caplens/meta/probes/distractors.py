"""Distractors made from captions: another person or scene, another caption that shares one, or just a noun phrase.

The papers used hand-annotated chunks (Hodosh and Hockenmaier, 2016), which cannot be shipped; here chunks are found by
short lists of nouns and the words that may stand before them. What was found is part of every row, to be looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from caplens.errors import InputError, UsageError
from caplens.meta.captions.judged import without_candidates
from caplens.readers.records import Record
from caplens.text.tokenizers import get_tokenizer

KINDS = ("replace-person", "replace-scene", "share-person", "share-scene", "just-person", "just-scene")
PAPERS = {
    "kilickaya2017": ("replace-scene", "replace-person", "share-scene", "share-person"),
    "sharif2020": ("share-person", "share-scene", "just-person", "just-scene"),
}
"""The kinds of distractors that each paper used."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PERSONS = _words(
    """
    adult adults baby babies biker bikers boy boys child children couple crowd dancer dancers fisherman
    gentleman gentlemen girl girls guy guys infant kid kids lady ladies man men musician people person player
    players policeman runner runners singer skateboarder skier snowboarder soldier soldiers student students
    surfer swimmer teenager teenagers toddler toddlers woman women worker workers
    """
)
SCENES = _words(
    """
    airport alley arena bar beach bedroom bridge building bus cafe city classroom court creek desert dock farm
    field forest garden grass gym hall highway hill hillside house ice kitchen lake lawn library market mountain
    mountains museum ocean office park path pavement playground pond pool porch restaurant river road rock rocks
    room sand sea shop shore sidewalk sky snow square stadium stage station store stream street subway
    supermarket track trail train water waves woods yard
    """
)
_DETERMINERS = _words("a an the two three four five six several some many another one his her their")
_BEFORE_SCENES = _words("in on at near by through along down across beside under over inside outside into")
# Words that end a noun phrase when one walks back from its noun.
_BREAKS = _BEFORE_SCENES | _words("of with and or is are was were while who that which to from for as up")
_MOST_MODIFIERS = 3


@dataclass(frozen=True)
class Chunk:
    """A noun phrase in a caption: words ``start`` to ``end``, the last of which is its noun."""

    start: int
    end: int
    words: tuple[str, ...]

    @property
    def noun(self) -> str:
        """The noun."""
        return self.words[-1]

    def __str__(self) -> str:
        return " ".join(self.words)


def find_person(words: Sequence[str]) -> Chunk | None:
    """Return the first noun phrase about a person.

    Examples
    --------
    >>> str(find_person("a young man wearing a hat sits in a park".split()))
    'a young man'
    """
    return next(_phrases(words, PERSONS), None)


def find_scene(words: Sequence[str]) -> Chunk | None:
    """Return the last noun phrase about a place that follows a preposition, without the preposition.

    Examples
    --------
    >>> str(find_scene("a man sits on a bench in the city park".split()))
    'the city park'
    """
    found = [chunk for chunk in _phrases(words, SCENES) if chunk.start and words[chunk.start - 1] in _BEFORE_SCENES]
    return found[-1] if found else None


def _phrases(words: Sequence[str], nouns: frozenset[str]) -> Iterator[Chunk]:
    """Find nouns of a list, and walk back over modifiers to a determiner; without one, the noun stands alone."""
    for place, word in enumerate(words):
        following = words[place + 1] if place + 1 < len(words) else ""
        if word not in nouns or following in nouns:
            continue
        start = place
        for back in range(place - 1, max(place - 2 - _MOST_MODIFIERS, -1), -1):
            if words[back] in _BREAKS:
                break
            if words[back] in _DETERMINERS:
                start = back
                break
        yield Chunk(start, place + 1, tuple(words[start : place + 1]))


@dataclass(frozen=True)
class _Read:
    """A caption with its chunks."""

    image: str
    place: int
    text: str
    words: tuple[str, ...]
    chunks: Mapping[str, Chunk | None]


def make_distractors(
    captions: Mapping[str, Sequence[str]], kinds: Sequence[str] = KINDS, *, seed: int, most: int | None = None
) -> list[Record]:
    """Make distractors of captions.

    Parameters
    ----------
    captions : mapping of str to sequence of str
        The correct captions of each image; one is judged against a distractor, the others are its references.
    kinds : sequence of str
        Of `KINDS`: ``replace`` puts another person or scene into the caption, ``share`` takes a caption of another
        image with the same person or scene, ``just`` leaves nothing but the person or the scene.
    seed : int
        Of the random choices.
    most : int, optional
        How many of each kind at most.

    Returns
    -------
    list of dict
        Rows ``image, correct, distractor, kind, references`` with the ``chunk`` that was found in the correct caption.

    Examples
    --------
    >>> captions = {"1": ["A man sits on the beach.", "A person rests."], "2": ["A girl runs in a park.", "A child."]}
    >>> for row in make_distractors(captions, ["replace-person", "just-scene"], seed=1):
    ...     print(row["kind"], "|", row["distractor"])
    replace-person | a girl sits on the beach
    replace-person | a man runs in a park
    just-scene | the beach
    just-scene | a park
    """
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise UsageError(f"There is no kind of distractor {unknown[0]!r}: choose from {', '.join(KINDS)}.")
    read = _read(captions)
    rows: list[Record] = []
    for kind in kinds:
        how, _, what = kind.partition("-")
        generator = np.random.default_rng([seed, KINDS.index(kind)])
        with_chunk = [one for one in read if one.chunks[what] is not None]
        pool = _Pool(with_chunk, what)
        made = 0
        seen: set[str] = set()
        for place in generator.permutation(len(with_chunk)).tolist() if most else range(len(with_chunk)):
            one = with_chunk[place]
            # One caption of an image for each kind, so that images are independent.
            if one.image in seen or made == most:
                continue
            distractor = pool.distractor(one, how, generator)
            (references,) = without_candidates([one.text], [captions[one.image]])
            if distractor and references:
                seen.add(one.image)
                made += 1
                row = {"image": one.image, "correct": one.text, "distractor": distractor, "kind": kind}
                rows.append({**row, "chunk": str(one.chunks[what]), "references": list(references)})
    if not rows:
        raise InputError("No distractor can be made: no caption mentions a person or scene in the lists.")
    return rows


def _read(captions: Mapping[str, Sequence[str]]) -> list[_Read]:
    tokenize = get_tokenizer("ptb").tokenize
    read = []
    for image, texts in captions.items():
        for place, text in enumerate(texts):
            words = tuple(word.lower() for word in tokenize(text))
            chunks = {"person": find_person(words), "scene": find_scene(words)}
            read.append(_Read(image, place, text, words, chunks))
    return read


class _Pool:
    """Captions that distractors are taken from, by the noun of their chunk."""

    def __init__(self, captions: Sequence[_Read], what: str) -> None:
        self._what = what
        self._captions = captions
        self._by_words: dict[tuple[str, ...], list[_Read]] = {}
        for one in captions:
            self._by_words.setdefault(self._chunk(one).words, []).append(one)

    def _chunk(self, one: _Read) -> Chunk:
        chunk = one.chunks[self._what]
        if chunk is None:
            raise ValueError("a caption without a chunk is in no pool")
        return chunk

    def distractor(self, one: _Read, how: str, generator: np.random.Generator) -> str | None:
        """Return a distractor for a caption, or None where there is none."""
        chunk = self._chunk(one)
        if how == "just":
            return str(chunk)
        same_noun = how == "share"
        candidates = self._by_words[chunk.words] if same_noun else self._captions
        for _ in range(20):  # a few tries: most captions have many others to choose from
            other = candidates[int(generator.integers(len(candidates)))]
            if other.image == one.image or (self._chunk(other).noun == chunk.noun) != same_noun:
                continue
            if same_noun:
                return other.text if other.words != one.words else None
            return " ".join([*one.words[: chunk.start], *self._chunk(other).words, *one.words[chunk.end :]])
        return None
