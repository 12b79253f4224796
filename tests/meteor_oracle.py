"""METEOR 1.5 in plain Python, as slow and clear as the page it follows (spec/meteor.md).

It reads the tables straight from the files of the pycocoevalcap distribution, so it shares nothing with the index and
the kernels that it judges.
"""

from __future__ import annotations

import gzip
import io
import math
import zipfile
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

import Stemmer

EXACT, STEM, SYNONYM, PARAPHRASE = range(4)
SEARCH_WEIGHTS = (1.0, 0.5, 0.5, 0.5)
BEAM = 40

NOUN = [
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
]
VERB = [("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")]
ADJECTIVE = [("er", ""), ("est", ""), ("er", "e"), ("est", "e")]


def data_folder() -> Path:
    return Path(str(distribution("pycocoevalcap").locate_file("pycocoevalcap/meteor")))


def jar_lines(member: str) -> list[str]:
    with zipfile.ZipFile(data_folder() / "meteor-1.5.jar") as jar:
        return jar.read(member).decode("utf-8").splitlines()


class Tables:
    """All data of METEOR as dictionaries; of the paraphrases only those between phrases of the given words."""

    def __init__(self, words: Collection[str]) -> None:
        self.function_words = set(jar_lines("function/english.words"))
        lines = jar_lines("synonym/english.synsets")
        self.synsets = {word: set(numbers.split()) for word, numbers in zip(lines[::2], lines[1::2], strict=True)}
        lines = jar_lines("synonym/english.exceptions")
        self.bases: dict[str, list[str]] = {}
        for base, forms in zip(lines[::2], lines[1::2], strict=True):
            for form in forms.split():
                self.bases.setdefault(form, []).append(base)
        self.paraphrases: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        known = {word.encode() for word in words}
        with gzip.open(data_folder() / "data" / "paraphrase-en.gz", "rb") as file:
            stream = io.BufferedReader(file, 1 << 20)  # whose lines come much faster
            for _, source, target in zip(stream, stream, stream, strict=True):
                phrase = source.split()
                if phrase[0] in known and known.issuperset(phrase) and known.issuperset(target.split()):
                    words = tuple(source.decode().split())
                    self.paraphrases.setdefault(words, []).append(tuple(target.decode().split()))
        self.longest = max(map(len, self.paraphrases), default=0)
        self.stem = Stemmer.Stemmer("english").stemWord

    @cache  # noqa: B019 (the tables live as long as the tests)
    def meaning(self, word: str) -> frozenset[str]:
        """The synsets of a word, of its irregular bases, or of its base by suffix rules."""
        bases = self.bases.get(word) or [self.base(word)]
        return frozenset(self.synsets.get(word, ())).union(*(self.synsets.get(base, ()) for base in bases))

    def base(self, word: str) -> str:
        if word.endswith("ss") or len(word) <= 2:
            return word
        for suffix, ending in NOUN + VERB + ADJECTIVE:
            if word.endswith(suffix):
                base = word[: len(word) - len(suffix)] + ending
                if base in self.synsets:
                    return base
        return ""


@dataclass(frozen=True)
class Match:
    """Words ``i .. i + length`` of the candidate against words ``j .. j + reference_length`` of the reference."""

    i: int
    length: int
    j: int
    reference_length: int
    stage: int


@dataclass
class Route:
    """A partial alignment."""

    used: frozenset[int] = frozenset()
    reference_used: frozenset[int] = frozenset()
    matches: tuple[Match, ...] = ()
    weighted: int = 0
    reference_weighted: int = 0
    chunks: int = 0
    distance: int = 0
    last_end: int = -1

    def key(self) -> tuple[int, int, int]:
        return (-(self.weighted + self.reference_weighted), self.chunks, self.distance)

    def fits(self, match: Match) -> bool:
        return not (
            self.used & set(range(match.i, match.i + match.length))
            or self.reference_used & set(range(match.j, match.j + match.reference_length))
        )

    def take(self, match: Match) -> None:
        weight = SEARCH_WEIGHTS[match.stage]
        self.weighted = int(self.weighted + match.length * weight)
        self.reference_weighted = int(self.reference_weighted + match.reference_length * weight)
        self.used |= set(range(match.i, match.i + match.length))
        self.reference_used |= set(range(match.j, match.j + match.reference_length))
        self.matches += (match,)
        if self.last_end not in (-1, match.i):
            self.chunks += 1
        self.last_end = match.i + match.length

    def skip(self) -> None:
        if self.last_end != -1:
            self.chunks += 1
            self.last_end = -1


def collect(tables: Tables, candidate: list[str], reference: list[str], stages=range(4)) -> list[list[Match]]:
    """All matches by reference start, in the order found."""
    found: list[list[Match]] = [[] for _ in reference]
    if [*map(java_hash, candidate)] == [*map(java_hash, reference)]:
        stages = sorted(stages)[:1]
    for stage in stages:
        if stage == PARAPHRASE:
            for match in paraphrase_matches(tables, candidate, reference):
                found[match.j].append(match)
            continue
        for j, theirs in enumerate(reference):
            for i, ours in enumerate(candidate):
                if word_match(tables, ours, theirs, stage):
                    found[j].append(Match(i, 1, j, 1, stage))
    return found


def java_hash(text: str) -> int:
    """Java's hash of strings; METEOR compares nothing else of words and stems."""
    value = 0
    for unit in memoryview(text.encode("utf-16-le")).cast("H"):
        value = (31 * value + unit) % 2**32
    return value


def word_match(tables: Tables, ours: str, theirs: str, stage: int) -> bool:
    same = java_hash(ours) == java_hash(theirs)
    if stage == EXACT or same:
        return same and stage == EXACT
    if stage == STEM:
        return java_hash(tables.stem(ours)) == java_hash(tables.stem(theirs))
    return bool(tables.meaning(ours) & tables.meaning(theirs))


def paraphrase_matches(tables: Tables, candidate: list[str], reference: list[str]) -> list[Match]:
    forward = [
        Match(i, len(paraphrase), j, len(phrase), PARAPHRASE)
        for j, phrase, i, paraphrase in phrase_matches(tables, reference, candidate)
    ]
    backward = [
        Match(i, len(phrase), j, len(paraphrase), PARAPHRASE)
        for i, phrase, j, paraphrase in phrase_matches(tables, candidate, reference)
    ]
    return forward + backward


def phrase_matches(tables: Tables, line: list[str], other: list[str]):
    for start in range(len(line)):
        for end in range(start + 1, min(len(line), start + tables.longest) + 1):
            phrase = tuple(line[start:end])
            for paraphrase in tables.paraphrases.get(phrase, ()):
                for place in range(len(other) - len(paraphrase) + 1):
                    if tuple(other[place : place + len(paraphrase)]) == paraphrase:
                        yield start, phrase, place, paraphrase


def align(tables: Tables, candidate: list[str], reference: list[str], stages=range(4)) -> list[Match]:
    return search(collect(tables, candidate, reference, stages), len(candidate))


def search(found: list[list[Match]], length: int, beam: int = BEAM) -> list[Match]:
    """Choose among matches that are given by reference position."""
    coverage, reference_coverage = [0] * length, [0] * len(found)
    for match in (match for matches in found for match in matches):
        for place in range(match.i, match.i + match.length):
            coverage[place] += 1
        for place in range(match.j, match.j + match.reference_length):
            reference_coverage[place] += 1

    def alone(match: Match) -> bool:
        return all(coverage[place] == 1 for place in range(match.i, match.i + match.length)) and all(
            reference_coverage[place] == 1 for place in range(match.j, match.j + match.reference_length)
        )

    fixed = [len(matches) == 1 and alone(matches[0]) for matches in found]
    start = Route()
    for j, matches in enumerate(found):
        if fixed[j]:
            match = matches[0]
            start.used |= set(range(match.i, match.i + match.length))
            start.reference_used |= set(range(match.j, match.j + match.reference_length))
    paths = [start]
    for j, matches in enumerate(found):
        paths.sort(key=Route.key)
        following = []
        for path in paths[:beam]:
            if fixed[j]:
                path.take(matches[0])
                path.distance += abs(matches[0].i - j)
                following.append(path)
            elif j in path.reference_used:
                following.append(path)
            else:
                for match in matches:
                    if path.fits(match):
                        child = replace(path)
                        child.take(match)
                        path.distance += abs(match.i - j)
                        following.append(child)
                path.skip()
                following.append(path)
        paths = following
    # The end is one more step: sorted and cut before it, and sorted again behind it.
    paths = sorted(paths, key=Route.key)[:beam]
    for path in paths:
        path.skip()
    paths.sort(key=Route.key)
    return list(paths[0].matches)


@dataclass
class Stats:
    """The 23 numbers of METEOR for one pair."""

    length: int = 0
    reference_length: int = 0
    function_words: int = 0
    reference_function_words: int = 0
    stages: list[list[int]] = field(default_factory=lambda: [[0, 0, 0, 0] for _ in range(4)])
    chunks: int = 0
    matched: int = 0
    reference_matched: int = 0

    def numbers(self) -> list[float]:
        flat = [number for stage in self.stages for number in stage]
        numbers = [self.length, self.reference_length, self.function_words, self.reference_function_words, *flat]
        return [float(number) for number in [*numbers, self.chunks, self.matched, self.reference_matched]]


def statistics(tables: Tables, candidate: list[str], reference: list[str], matches: list[Match]) -> Stats:
    function = tables.function_words
    stats = Stats(
        len(candidate),
        len(reference),
        sum(word in function for word in candidate),
        sum(word in function for word in reference),
    )
    last_end, last_reference_end = -1, -1
    for match in matches:
        ours = candidate[match.i : match.i + match.length]
        theirs = reference[match.j : match.j + match.reference_length]
        counts = stats.stages[match.stage]
        counts[0] += sum(word not in function for word in ours)
        counts[1] += sum(word not in function for word in theirs)
        counts[2] += sum(word in function for word in ours)
        counts[3] += sum(word in function for word in theirs)
        stats.matched += len(ours)
        stats.reference_matched += len(theirs)
        if match.i != last_end or match.j != last_reference_end:
            stats.chunks += 1
        last_end, last_reference_end = match.i + match.length, match.j + match.reference_length
    return stats


def score(numbers: list[float], alpha=0.85, beta=0.2, gamma=0.6, delta=0.75, weights=(1.0, 0.6, 0.8, 0.6)) -> float:
    length, reference_length, function, reference_function = numbers[:4]
    chunks, matched, reference_matched = numbers[20:]
    weighted = reference_weighted = 0.0
    for stage, weight in enumerate(weights):
        content, reference_content, functional, reference_functional = numbers[4 + 4 * stage : 8 + 4 * stage]
        weighted += weight * (delta * content + (1 - delta) * functional)
        reference_weighted += weight * (delta * reference_content + (1 - delta) * reference_functional)
    total = delta * (length - function) + (1 - delta) * function
    reference_total = delta * (reference_length - reference_function) + (1 - delta) * reference_function
    if not (weighted and reference_weighted and total and reference_total):
        return 0.0
    precision, recall = weighted / total, reference_weighted / reference_total
    mean = 1 / ((1 - alpha) / precision + alpha / recall)
    whole = matched == length and reference_matched == reference_length and chunks == 1
    fragmentation = 0.0 if whole else chunks / ((matched + reference_matched) / 2)
    return max(0.0, mean * (1 - gamma * math.pow(fragmentation, beta)))


def best(
    tables: Tables, candidate: list[str], references: list[list[str]]
) -> tuple[int, list[Match], Stats, float] | None:
    top = None
    for number, reference in enumerate(references):
        matches = align(tables, candidate, reference)
        stats = statistics(tables, candidate, reference, matches)
        value = score(stats.numbers())
        if top is None or value > top[3]:
            top = (number, matches, stats, value)
    return top
