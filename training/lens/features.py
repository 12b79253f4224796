"""Captions as arrays, and the figures of `bench` that scores of them have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from model import Encoder
from nouns import noun_shares
from scipy.stats import spearmanr
from spoil import Words
from train_form import SHIPPED

from bench import GOOD, PLAIN, Bench, Rows
from caplens.arrays import Floats, Integers, Singles
from caplens.embeddings import shipped as tables
from caplens.embeddings.stop_words import ENGLISH
from caplens.files.arrays import Arrays, read_arrays
from caplens.learned.lens import encoder as shipped_encoder
from caplens.learned.lens.words import Lexicon
from caplens.meta.probes.robustness import TRANSFORMATIONS, area_under
from caplens.metrics.lens._lens import LEAST_LIKENESS, SHARPNESS
from caplens.metrics.lens.states import NOUNS, scene_vectors
from caplens.stats.correlation import SortedPairs
from caplens.text._tables import BytesTable
from train import Recipe, load_words, make

BLOCK = 256  # captions that are encoded at a time
UNTRAINED = "untrained"


@dataclass(frozen=True, eq=False)
class Encodings:
    """Captions as arrays: both views as one direction, matched words, their weights in references and candidates."""

    captions: Singles
    words: list[Singles]
    weights: list[Singles]
    claims: list[Singles]


def soft_max(values: Floats, axis: int) -> Floats:
    """Return a maximum in which near ones count, too."""
    top = values.max(axis=axis, keepdims=True)
    found: Floats = np.log(np.exp(SHARPNESS * (values - top)).mean(axis=axis)) / SHARPNESS + top.squeeze(axis)
    return found


def likeness(cosines: Floats) -> Floats:
    """Return how alike counterparts are, from 0 to 1; below `LEAST_LIKENESS` they are none."""
    found: Floats = np.maximum(cosines - LEAST_LIKENESS, 0) / (1 - LEAST_LIKENESS)
    return found


def load_network(run: Path, name: str, further: list[str]) -> tuple[Encoder, dict[str, int], Recipe]:
    """Load a trained encoder that numbers further words, too."""
    state = torch.load(run / f"{name}.pt", weights_only=True)
    recipe = Recipe(**state["recipe"])
    network, words = make(run, recipe, further)
    network.load_state_dict(state["network"], strict=False)
    return network.eval(), {word: place for place, word in enumerate(words)}, recipe


def encodings_of(run: Path, name: str, captions: Sequence[Words], supervised: bool = False) -> Encodings:
    """Encode captions by an encoder of a run, also one of distil.py, or with the name `SHIPPED` the one that ships."""
    path = encoder_file(run, name)
    if path.is_file():
        arrays = supervised_arrays(run, name) if supervised else read_arrays(path)
        return encode_shipped(captions, shipped_encoder.CaptionEncoder(arrays))
    known = set(load_words(run)[0])
    further = sorted({word for words in captions for word in words} - known)
    network, number, _ = load_network(run, name, further)
    found = encode(run, network, number, captions)
    second = summed(captions, untrained_vectors if name == UNTRAINED else scene_vectors)
    return replace(found, captions=np.concatenate([found.captions, second], axis=1) * np.float32(np.sqrt(0.5)))


def encoder_file(run: Path, name: str) -> Path:
    """Return where an encoder is or would be as it runs: what ships, or a file of distil.py."""
    return shipped_encoder.PATH if name == SHIPPED else run / f"{name}.safetensors"


def supervised_arrays(run: Path, name: str) -> Arrays:
    """Return an encoder as what axes.py learned changes it."""
    stored, learned = read_arrays(encoder_file(run, name)), np.load(run / f"axes_{name}.npz")
    arrays = {array: stored[array] for array in stored} | axes_arrays(learned["words"], learned["gate"])
    facts = {**stored.facts, "supervised_fingerprint": "not exported"}
    return shipped_encoder.supervised(Arrays.in_memory(arrays, facts))


def axes_arrays(words: Floats, gate: Floats) -> dict[str, Singles]:
    """Return what ratings have changed, as it ships."""
    return {"supervised.words": words.astype(np.float32), "supervised.gate": gate.astype(np.float32)}


def encode_shipped(captions: Sequence[Words], model: shipped_encoder.CaptionEncoder | None = None) -> Encodings:
    """Encode captions as the metric does, by the encoder that ships or another one as it would ship."""
    table, ids, offsets = numbered(captions)
    model = model or shipped_encoder.shipped()
    lexicon = Lexicon.single(model.words(table, scene_vectors(table)))
    found = [
        model.encode(lexicon, ids[offsets[start] : offsets[min(start + BLOCK, len(captions))]], part - part[0])
        for start, part in ((start, offsets[start : start + BLOCK + 1]) for start in range(0, len(captions), BLOCK))
    ]
    vectors, weights = (np.concatenate([getattr(block, name) for block in found]) for name in ("vectors", "weights"))
    claims = weights * (1 + NOUNS * lexicon.nouns[ids])
    words, own, claimed = (np.split(array, offsets[1:-1]) for array in (vectors, weights, claims))
    return Encodings(np.concatenate([block.captions for block in found]), words, own, claimed)


def numbered(captions: Sequence[Words]) -> tuple[BytesTable, npt.NDArray[np.int32], Integers]:
    """Return the distinct words, the captions as their numbers, and where each caption begins."""
    table = BytesTable()
    ids = np.array([table.insert(word.encode()) for words in captions for word in words], np.int32)
    return table, ids, np.concatenate([[0], np.cumsum([len(words) for words in captions])]).astype(np.int64)


def untrained_vectors(table: BytesTable) -> Singles:
    """Return what vectors of the second view are before training: treated GloVe vectors; stop words hardly count."""
    found = tables.load(tables.CAPTIONS).look_up(table)
    vectors = np.zeros((len(found.known), found.vectors.shape[1]), np.float32)
    vectors[found.known] = found.vectors
    stop = np.array([word in ENGLISH for word in table.keys(np.arange(len(table)))])
    odds = np.where(stop, -3.0, 1.0).astype(np.float32)  # as in training/vectors
    shortened: Singles = vectors / (1 + np.exp(-odds))[:, np.newaxis]
    return shortened


def summed(captions: Sequence[Words], vectors_of: Callable[[BytesTable], Singles]) -> Singles:
    """Return the directions of sums of words, the second view."""
    table, ids, offsets = numbered(captions)
    vectors = vectors_of(table)
    sums = np.zeros((len(captions), vectors.shape[1]), np.float32)
    np.add.at(sums, np.repeat(np.arange(len(captions)), np.diff(offsets)), vectors[ids])
    found: Singles = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    return found


def encode(
    run: Path, network: Encoder, number: dict[str, int], captions: Sequence[Words], longest: int = 60
) -> Encodings:
    """Encode captions in blocks of like length; of both views, only the scene."""
    order = np.argsort([len(words) for words in captions], kind="stable")
    size = network.size.width
    found = np.zeros((len(captions), network.size.scene), np.float32)
    words: list[Singles] = [np.zeros((0, size), np.float32)] * len(captions)
    weights: list[Singles] = [np.zeros(0, np.float32)] * len(captions)
    with torch.no_grad():
        for start in range(0, len(order), 512):
            places = order[start : start + 512]
            width = max(1, min(longest, max(len(captions[place]) for place in places)))
            table = np.zeros((len(places), width), np.int64)
            for row, place in enumerate(places):
                ids = [number[word] for word in captions[place][:longest]]
                table[row, : len(ids)] = ids
            encoded = network(torch.from_numpy(table))
            found[places] = encoded.caption.numpy()
            matched, own = encoded.matched.numpy(), encoded.own.numpy()
            for row, place in enumerate(places):
                length = min(longest, len(captions[place]))
                words[place], weights[place] = matched[row, :length], own[row, :length]
    shares = dict(zip(number, noun_shares(run, list(number)).tolist(), strict=True))
    nouns = [np.array([shares[word] for word in each[:longest]], np.float32) for each in captions]
    claims: list[Singles] = [own * (1 + NOUNS * theirs) for own, theirs in zip(weights, nouns, strict=True)]
    return Encodings(found, words, weights, claims)


def tau(rows: Rows, scores: Floats, coefficient: str) -> float:
    """Return a coefficient with single ratings."""
    ratings = rows.column("ratings").reshape(len(scores), -1)
    pairs = SortedPairs(np.repeat(scores, ratings.shape[1]), ratings.ravel())
    return float(pairs.coefficients(np.ones((1, ratings.size)))[coefficient][0])


def right_pairs(rows: Rows, scores: Floats) -> dict[str, float]:
    """Return how often the preferred caption of a pair is above the other, by kind; a tie is wrong."""
    votes = rows.column("votes").reshape(-1, 2) if "votes" in rows.facts else np.tile([1.0, 0.0], (len(scores) // 2, 1))
    lead = np.where(votes[:, 0] > votes[:, 1], 1, -1) * (scores[0::2] - scores[1::2])
    kinds = np.array(rows.facts["kinds"])[0::2]
    found = {kind: float((lead[kinds == kind] > 0).mean()) for kind in dict.fromkeys(kinds.tolist())}
    if "said" in rows.facts:
        said = rows.column("said")[0::2] > 0
        found |= {f"{kind}, said": float((lead[(kinds == kind) & said] > 0).mean()) for kind in found}
    return found


def robustness(rows: Rows, scores: Floats) -> dict[str, float]:
    """Return R of each transformation."""
    table = scores.reshape(-1, int(rows.facts["versions"])).mean(axis=0)
    number = (len(table) - 1) // len(TRANSFORMATIONS)
    found = {}
    for place, kind in enumerate(TRANSFORMATIONS):
        curve = np.concatenate([table[:1], table[1 + place * number : 1 + (place + 1) * number]]) / table[0]
        found[kind] = float(area_under(curve))
    return found


def among_systems(rows: Rows, scores: Floats) -> dict[str, float]:
    """Return what scores say of captions of systems and people.

    Shares of images where good systems are above plain ones, and people above plain ones and above good ones; Pearson's
    coefficient of score and objects named rightly (mean of precise and complete) over captions of systems.
    """
    names = rows.facts["names"]
    table, texts = (np.reshape(column, (-1, len(names))) for column in (scores, rows.candidates))

    def above(ones: Sequence[str], others: Sequence[str]) -> float:
        shares = []
        for one, other in product(map(names.index, ones), map(names.index, others)):
            differ = texts[:, one] != texts[:, other]
            shares.append(float((table[differ, one] > table[differ, other]).mean()))
        return float(np.mean(shares))

    named = (rows.column("precise") + rows.column("complete")) / 2
    told = np.isfinite(named) & (np.arange(len(scores)) % len(names) > 0)
    people = names[:1]
    return {
        "good above plain": above(GOOD, PLAIN),
        "people above plain": above(people, PLAIN),
        "people above good": above(people, GOOD),
        "objects": float(np.corrcoef(scores[told], named[told])[0, 1]),
    }


def length_correlation(bench: Bench, rows: Rows, scores: Floats) -> float:
    """Return Spearman's coefficient of score and length inside images: the mean over images."""
    lengths = np.array([len(bench.captions[place]) for place in rows.candidates])
    found = []
    images = np.array(rows.facts["images"])
    _, starts = np.unique(images, return_index=True)
    for start in starts:
        places = np.flatnonzero(images[start : start + 8] == images[start]) + start
        if len(set(lengths[places])) > 1 and len(set(scores[places])) > 1:
            found.append(float(spearmanr(lengths[places], scores[places]).statistic))
    return float(np.mean(found))
