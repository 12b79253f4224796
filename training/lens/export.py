"""Write the encoder as it ships: ``python training/lens/export.py --run RUN --encoder NAME --form NAME``.

Words have one row each (eight bits, a scale a row): projection, offset and treated vector are one sum. The weights of
the parts are those that fit.py wrote; what ratings change (axes.py) stands beside the networks. With the encoder
`shipped`, the encoder stays as it is in the file that ships, and with one of distil.py as it is in its file; the form
(unless it is `shipped`, too), the weights of the parts and what ratings change are written anew.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from features import axes_arrays, encoder_file, load_network
from model import BUCKETS, Encoder
from nouns import noun_shares
from torch import nn
from train_form import SHIPPED, load_form
from usual import Usual
from vocabulary import vocabulary_of

from caplens.files.arrays import read_arrays, write_arrays
from caplens.files.atomic import atomic_path
from caplens.learned.lens.encoder import PATH, VERSION
from caplens.text.vocabulary import Vocabulary
from corpus import DATA_USE, say
from train import load_words, word_vectors

TARGET = PATH
LAYERS = ("first", "word_gate", "scene_gate", "scene_second")
CHOSEN_ON = (
    "Flickr8k-Expert (parts and how they are joined); held-out images of the training sets, with the objects that "
    "COCO's show (second view, nouns, weights, unsupervised); captions of systems and people on images of Karpathy val "
    "that are judged nowhere, and R on COCO val2014 (support relative to what is usual, form, steepness); "
    "ratings of Flickr8k-Expert (axes and weights of words, supervised; how many steps, in inner folds)"
)
FORM_LAYERS = ("first", "second", "third", "last")


def eight_bits(rows: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float16]]:
    """Return rows as whole numbers, and the scale of each row."""
    # Half precision has nothing between 0 and 6e-8: a row of zeros needs a scale that it can hold.
    scales = (np.maximum(np.abs(rows).max(axis=1), 1e-3) / 127).astype(np.float16)
    return np.clip(np.rint(rows / scales.astype(np.float32)[:, None]), -127, 127).astype(np.int8), scales


def word_rows(
    run: Path, network: Encoder, vocabulary: Vocabulary, words: list[str]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Return the vectors of all words and the log odds of their weights."""
    spelled = [vocabulary.word(place).decode() for place in range(len(vocabulary))]
    known = {word: place for place, word in enumerate(words)}
    others = [word for word in spelled if word not in known]
    with torch.no_grad():
        vectors, weights = network.words(torch.arange(len(words)))
        more = torch.from_numpy(word_vectors(run, others))
        projected = network.projection(torch.cat([vectors, more])).numpy()
        both = torch.cat([weights, 1.0 + network.gate(more)[:, 0]]).numpy()
    place = {word: row for row, word in enumerate((*words, *others))}
    order = [place[word] for word in spelled]
    return projected[order], both[order]


def form_arrays(run: Path, name: str, words: list[str], vocabulary: Vocabulary) -> dict[str, npt.NDArray[Any]]:
    """Return everything of the network of form."""
    network, places = load_form(run, name)
    rows, scales = eight_bits(network.rows.weight.detach().numpy())
    row = {word: int(place) for word, place in zip(words, places, strict=True)}
    spelled = [vocabulary.word(place).decode() for place in range(len(vocabulary))]
    found: dict[str, npt.NDArray[Any]] = {
        "form_rows": rows,
        "form_scales": scales,
        "form_places": np.array([row.get(word, 0) for word in spelled], np.int32),
    }
    for layer in FORM_LAYERS:
        found |= layer_arrays(f"form_{layer}", getattr(network, layer))
    return found


def noun_array(run: Path, vocabulary: Vocabulary) -> npt.NDArray[np.uint8]:
    """Return how often words are nouns, in eight bits."""
    spelled = [vocabulary.word(place).decode() for place in range(len(vocabulary))]
    return np.rint(255 * noun_shares(run, spelled)).astype(np.uint8)


def layer_arrays(name: str, layer: nn.Linear) -> dict[str, npt.NDArray[Any]]:
    """Return a matrix, one row an input, and its offsets."""
    found: dict[str, npt.NDArray[Any]] = {f"{name}.weight": layer.weight.detach().numpy().T.astype(np.float16)}
    if layer.bias is not None:
        found[f"{name}.bias"] = layer.bias.detach().numpy().astype(np.float32)
    return found


def arrays_of(run: Path, network: Encoder, vocabulary: Vocabulary, words: list[str]) -> dict[str, npt.NDArray[Any]]:
    """Return everything that the score needs of the encoder."""
    vectors, weights = word_rows(run, network, vocabulary, words)
    rows, scales = eight_bits(vectors)
    with torch.no_grad():
        affixes = network.affix.weight
        affix_rows, affix_scales = eight_bits(network.projection(affixes).numpy())
        affix_weights = (affixes @ network.gate.weight[0]).numpy()
        unknown = 1.0 + network.gate.bias.numpy()
    found: dict[str, npt.NDArray[Any]] = {
        "words": vocabulary.blob,
        "word_lengths": np.diff(vocabulary.offsets).astype(np.uint8),
        "rows": rows,
        "row_scales": scales,
        "row_weights": weights.astype(np.float16),
        "affix_rows": affix_rows,
        "affix_scales": affix_scales,
        "affix_weights": affix_weights.astype(np.float16),
        "unknown_weight": unknown.astype(np.float32),
    }
    for name in LAYERS:
        found |= layer_arrays(name, getattr(network, name))
    return found | multiplied(network)


@torch.no_grad()
def multiplied(network: Encoder) -> dict[str, npt.NDArray[Any]]:
    """Return layers that follow the second one, which is linear, multiplied with it.

    What a word adds to its direction, what its context does, and the first layer of the scene; this one takes means of
    words without context and of the states of three neighbours.
    """
    second, match, scene = network.second, network.match.weight, network.scene_first
    of_words, of_context = match.split(network.size.width, dim=1)
    of_vectors, of_states = scene.weight.split([network.size.width, network.size.inner], dim=1)
    from_context = of_vectors @ second.weight
    from_context[:, network.size.inner : 2 * network.size.inner] += of_states
    layers = {
        "match_words": (of_words + of_context, None),
        "match_context": (of_context @ second.weight, of_context @ second.bias),
        "scene_first": (torch.cat([of_vectors, from_context], 1), scene.bias + of_vectors @ second.bias),
    }
    found: dict[str, npt.NDArray[Any]] = {}
    for name, (weight, bias) in layers.items():
        found[f"{name}.weight"] = weight.numpy().T.astype(np.float16)
        if bias is not None:
            found[f"{name}.bias"] = bias.numpy()
    return found


def learned_from_ratings(run: Path, encoder: str, arrays: dict[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """Return what axes.py learned; without its file, nothing that changes anything."""
    path = run / f"axes_{encoder}.npz"
    if path.is_file():
        learned = np.load(path)
        return axes_arrays(learned["words"], learned["gate"])
    return axes_arrays(np.zeros(arrays["rows"].shape[1]), np.zeros(arrays["first.weight"].shape[1]))


def fingerprint(arrays: dict[str, npt.NDArray[Any]], weights: str, variant: str) -> str:
    """Return a digest of everything that the scores of a variant depend on."""
    digest = hashlib.blake2b(digest_size=6)
    for name in sorted(arrays):
        digest.update(arrays[name].tobytes())
    content = json.loads(weights)
    digest.update(json.dumps([content[variant], content["calibration"][variant]]).encode())
    return digest.hexdigest()


def main() -> None:
    """Export a trained encoder with its fitted weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--form", required=True)
    parser.add_argument("--target", type=Path, default=TARGET)
    parser.add_argument("--npz", type=Path, help="the same arrays as .npz, too")
    arguments = parser.parse_args()
    words, known = load_words(arguments.run)
    vocabulary = vocabulary_of(words[:known])
    path = encoder_file(arguments.run, arguments.encoder)
    if path.is_file():
        stored = read_arrays(path)
        arrays = {name: stored[name] for name in stored if not name.startswith("supervised.")}
        recipe = stored.facts["recipe"]
        learned = {name: text for name, text in stored.facts.items() if name == "distilled"}
    else:
        learned = {}
        network, _, found = load_network(arguments.run, arguments.encoder, [])
        recipe = json.dumps(vars(found))
        arrays = arrays_of(arguments.run, network, vocabulary, words[:known])
        arrays["noun_shares"] = noun_array(arguments.run, vocabulary)
        arrays |= Usual.read(arguments.run, arguments.encoder).arrays(vocabulary)
    if not path.is_file() or arguments.form != SHIPPED:
        arrays |= form_arrays(arguments.run, arguments.form, words, vocabulary)
    # Copies: the file that ships may be written to while arrays of it are read.
    arrays = {name: np.array(array, order="C") for name, array in arrays.items()}
    weights = (arguments.run / f"weights_{arguments.encoder}.json").read_text()
    fingerprints = {"fingerprint": fingerprint(arrays, weights, "unsupervised")}
    arrays |= learned_from_ratings(arguments.run, arguments.encoder, arrays)
    fingerprints["supervised_fingerprint"] = fingerprint(arrays, weights, "supervised")
    facts = {
        "origin": "captions of COCO train2014 and Flickr30k; treated GloVe vectors; all-MiniLM-L6-v2, imitated",
        "licence": "adapted from COCO captions, CC BY 4.0, and Flickr30k captions; GloVe, PDDL 1.0; MiniLM, Apache 2.0",
        **DATA_USE,
        "chosen_on": CHOSEN_ON,
        "recipe": recipe,
        **learned,
        "buckets": str(BUCKETS),
        **fingerprints,
        "version": VERSION,
        "weights": weights,
    }
    arguments.target.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(arguments.target) as written:  # programs that run have the file that is there mapped
        write_arrays(written, arrays, facts)
    if arguments.npz:
        np.savez(arguments.npz, **arrays, facts=np.array(json.dumps(facts)))
    size = arguments.target.stat().st_size / 1e6
    say(f"{arguments.target}: {size:.1f} MB, {len(arrays['rows']):,} words, {facts['fingerprint']}")


if __name__ == "__main__":
    main()
