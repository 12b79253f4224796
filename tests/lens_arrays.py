"""A small encoder of captions with made-up weights, and the slow, clear version of what Lens computes with it."""

from __future__ import annotations

import json
import zlib

import numpy as np
from scipy.special import erf

from caplens.files.arrays import Arrays

WORDS = sorted(["a", "man", "horse", "rides", "dog", "the", "beach", "on", "grass", "two"])
WIDTH, INNER, HIDDEN, SCENE, FORM, STATES, BUCKETS, SUMMED = 24, 16, 20, 12, 6, 10, 32, 7
VARIANT = {
    "content": {"offset": -1.0, "weights": {"scene": 2.0, "support": 1.0, "coverage": 0.5}},
    "form": {"half": -3.0, "steepness": 0.5},
}
WEIGHTS = {
    "supervised": VARIANT,
    "unsupervised": VARIANT,
    "calibration": {"supervised": {"slope": 0.7}, "unsupervised": {"slope": 0.5}},
}


def made_up_arrays(seed=0):
    generator = np.random.default_rng(seed)

    def numbers(*shape):
        return generator.normal(0, 0.5, shape).astype(np.float16)

    def small(*shape):
        return generator.integers(-127, 128, shape).astype(np.int8)

    arrays = {
        "words": np.frombuffer("".join(WORDS).encode(), np.uint8),
        "word_lengths": np.array([len(word) for word in WORDS], np.uint8),
        "rows": small(len(WORDS), WIDTH),
        "row_scales": np.full(len(WORDS), 0.01, np.float16),
        "row_weights": numbers(len(WORDS)),
        "affix_rows": small(BUCKETS, WIDTH),
        "affix_scales": np.full(BUCKETS, 0.005, np.float16),
        "affix_weights": numbers(BUCKETS),
        "unknown_weight": np.array([0.3], np.float32),
        "form_rows": small(4, FORM),
        "form_scales": np.full(4, 0.01, np.float16),
        "form_places": generator.integers(0, 4, len(WORDS)).astype(np.int32),
        "noun_shares": generator.integers(0, 256, len(WORDS)).astype(np.uint8),
        "usual": np.sort(generator.integers(0, 256, (len(WORDS), 2)), axis=1).astype(np.uint8),
        "unknown_usual": np.array([120, 200], np.uint8),
        "match_words.weight": numbers(WIDTH, WIDTH),
        "supervised.words": numbers(WIDTH).astype(np.float32),
        "supervised.gate": numbers(INNER).astype(np.float32),
    }
    shapes = {
        "first": (3 * WIDTH, INNER),
        "match_context": (3 * INNER, WIDTH),
        "scene_gate": (INNER, 1),
        "word_gate": (INNER, 1),
        "scene_first": (WIDTH + 3 * INNER, HIDDEN),
        "scene_second": (HIDDEN, SCENE),
        "form_first": (3 * (FORM + 3), STATES),
        "form_second": (3 * STATES, STATES),
        "form_third": (3 * STATES, STATES),
        "form_last": (STATES, 1),
    }
    for name, shape in shapes.items():
        arrays[f"{name}.weight"] = numbers(*shape)
        arrays[f"{name}.bias"] = numbers(shape[1]).astype(np.float32)
    facts = {
        "version": "4",
        "fingerprint": "madeup",
        "supervised_fingerprint": "rated",
        "weights": json.dumps(WEIGHTS),
    }
    return Arrays.in_memory(arrays, facts)


def summed_vector(word):
    """Return a made-up vector of a word for the second view."""
    return np.random.default_rng(zlib.crc32(word.encode())).normal(size=SUMMED).astype(np.float32)


def window(states):
    padded = np.pad(states, ((1, 1), (0, 0)))
    return np.concatenate([padded[:-2], padded[1:-1], padded[2:]], axis=1)


def gelu(x):
    return 0.5 * x * (1 + erf(x / np.sqrt(2)))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def soft_maximum(numbers):
    return np.log(np.exp(10 * np.asarray(numbers)).mean(axis=0)) / 10


def likeness(numbers):
    return np.maximum(np.asarray(numbers) - 0.2, 0) / 0.8


class Oracle:
    """One caption after the other, in double precision; ``rated``: as ratings have changed the encoder."""

    def __init__(self, arrays, rated=False):
        self.rated = rated
        self.arrays = {name: arrays[name].astype(np.float64) for name in arrays}
        blob, at, self.places = arrays["words"].tobytes(), 0, {}
        for place, length in enumerate(arrays["word_lengths"].tolist()):
            self.places[blob[at : at + length].decode()] = place
            at += length

    def layer(self, states, name):
        return states @ self.arrays[f"{name}.weight"] + self.arrays.get(f"{name}.bias", 0.0)

    def word(self, word):
        found = self.arrays
        if word in self.places:
            place = self.places[word]
            return found["rows"][place] * found["row_scales"][place], found["row_weights"][place]
        pieces = (f"={word}", f"<{word[:3]}", f"<{word[:5]}", f">{word[-3:]}", f">{word[-2:]}")
        rows = [zlib.crc32(piece.encode()) % len(found["affix_scales"]) for piece in pieces]
        vector = sum(found["affix_rows"][row] * found["affix_scales"][row] for row in rows)
        return vector, found["unknown_weight"][0] + found["affix_weights"][rows].sum()

    def form_input(self, words, place):
        found = self.arrays
        row = int(found["form_places"][self.places[words[place]]]) if words[place] in self.places else 0
        flags = []
        for size in (1, 2, 3):
            here = words[place - size + 1 : place + 1] if place >= size - 1 else None
            before = [words[end - size + 1 : end + 1] for end in range(size - 1, place)]
            flags.append(float(here in before))
        return [*(found["form_rows"][row] * found["form_scales"][row]), *flags]

    def encode(self, words):
        plain = np.array([self.word(word)[0] for word in words])
        base = np.array([self.word(word)[1] for word in words])
        inner = gelu(self.layer(window(plain), "first"))
        whole = sigmoid(base + self.layer(inner, "scene_gate")[:, 0])
        odds = base + self.layer(inner, "word_gate")[:, 0]
        own = sigmoid(odds + inner @ self.arrays["supervised.gate"] if self.rated else odds)
        mean = whole @ np.concatenate([plain, window(inner)], axis=1) / whole.sum()
        caption = self.layer(gelu(self.layer(mean, "scene_first")), "scene_second")
        matched = self.layer(plain, "match_words") + self.layer(window(inner), "match_context")
        if self.rated:
            matched = matched * np.exp(self.arrays["supervised.words"])
        states = np.array([self.form_input(words, place) for place in range(len(words))])
        for name in ("form_first", "form_second", "form_third"):
            states = gelu(self.layer(window(states), name))
        odds = self.layer(states, "form_last")[:, 0]
        summed = sum(summed_vector(word).astype(np.float64) for word in words)
        views = [view / np.linalg.norm(view) for view in (caption, summed)]
        nouns = [self.arrays["noun_shares"][self.places[word]] / 255 if word in self.places else 1.0 for word in words]
        return {
            "views": views,
            "caption": np.concatenate(views) * np.sqrt(0.5),
            "claims": own * (1 + np.array(nouns)),
            "vectors": matched / np.linalg.norm(matched, axis=1, keepdims=True),
            "weights": own,
            "well_formed": -np.log(np.exp(-odds).sum()),
        }

    def usual(self, words, references):
        """Return how alike counterparts of words usually are with so many references."""
        found = self.arrays
        rows = [found["usual"][self.places[word]] if word in self.places else found["unknown_usual"] for word in words]
        single, many = np.array(rows).T / 255
        return single * references**-0.6 + many * (1 - references**-0.6)

    def alike(self, one, other):
        return np.mean([ours @ theirs for ours, theirs in zip(one["views"], other["views"], strict=True)])

    def content(self, candidate, references):
        ours = self.encode(candidate)
        theirs = [self.encode(reference) for reference in references if reference]
        scene = float(np.mean([self.alike(ours, each) for each in theirs]))
        best = [(ours["vectors"] @ each["vectors"].T).max(axis=1) for each in theirs]
        usual = self.usual(candidate, len(theirs))
        found = np.minimum(likeness(soft_maximum(best)), usual)
        support = (0.5 + (ours["claims"] * found).sum()) / (0.5 + (ours["claims"] * usual).sum())
        agreements, covered = [], []
        for each in theirs:
            others = [self.alike(each, other) for other in theirs if other is not each]
            agreements.append(max(float(np.mean(others)), 0.02) if others else 1.0)
            found = likeness((each["vectors"] @ ours["vectors"].T).max(axis=1))
            covered.append((each["weights"] * found).sum() / each["weights"].sum())
        return [scene, support, float(np.dot(agreements, covered) / sum(agreements))]
