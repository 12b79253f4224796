"""The critique without torch against the one that is trained."""

from itertools import product

import numpy as np
import pytest

from caplens.files.arrays import Arrays
from caplens.learned.critique.config import CritiqueConfig, NetworkConfig, WordsConfig
from caplens.learned.critique.model import SavedCritique

torch = pytest.importorskip("torch", reason="training needs torch")

WORDS = ("a", "dog", "cat", "runs", "on", "grass", "the")
CAPTIONS = [["a", "dog", "runs"], ["the", "cat"], [], ["grass"], ["zebra", "on", "the", "grass", "a", "dog", "cat"]]


def pair_of(**settings):
    """Return a random network in both forms."""
    from caplens.train.critique.model import Critique

    config = NetworkConfig(embedding=6, hidden=5, fusion_size=7, sketch=32, image=4, **settings)
    torch.manual_seed(1)
    vectors = np.random.default_rng(0).normal(size=(2 + len(WORDS), 6)).astype(np.float32)
    trained = Critique(config, vectors).eval()
    arrays = {name: tensor.numpy() for name, tensor in trained.state_dict().items()}
    arrays["words"] = np.frombuffer("\n".join(WORDS).encode(), np.uint8)
    weights = Arrays.in_memory(arrays, {"fingerprint": "0"})
    return trained, SavedCritique(weights, CritiqueConfig(config, WordsConfig(longest=6)))


def encode_with_torch(trained, critique):
    rows = [critique.vocabulary.rows(caption)[:6].tolist() or [0] for caption in CAPTIONS]
    order = sorted(range(len(rows)), key=lambda place: -len(rows[place]))
    padded = np.zeros((len(rows), 6), np.int64)
    for place, caption in enumerate(order):
        padded[place, : len(rows[caption])] = rows[caption]
    with torch.no_grad():
        vectors = trained.encode(torch.from_numpy(padded), torch.tensor([len(rows[place]) for place in order]))
    return vectors[np.argsort(order)]


SETTINGS = [
    *({"fusion": fusion, "context": context, "pool": "last", "directions": 1}
      for fusion, context in product(("linear", "mlp", "bilinear", "matching"), ("reference", "image", "both"))),
    {"fusion": "mlp", "context": "reference", "pool": "max", "directions": 1},
    {"fusion": "mlp", "context": "reference", "pool": "last", "directions": 2},
    {"fusion": "matching", "context": "both", "pool": "max", "directions": 2},
]  # fmt: skip


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: "-".join(map(str, settings.values())))
def test_both_forms_agree(settings):
    trained, critique = pair_of(**settings)
    expected = encode_with_torch(trained, critique)
    vectors = critique.encode(CAPTIONS)
    np.testing.assert_allclose(vectors, expected.numpy(), atol=1e-5)
    candidates, references, images = (np.array(rows) for rows in ([0, 1, 2, 4, 4], [1, 0, 3, 0, 2], [0, 1, 2, 2, 0]))
    features = np.random.default_rng(3).normal(size=(3, 4)).astype(np.float32)
    context = {"reference": expected[references]}
    given = {"references": (vectors, references)}
    if "image" in critique.config.network.parts:
        context["image"] = trained.image(torch.from_numpy(features))[images]
        given["images"] = (critique.images(features), images)
    with torch.no_grad():
        wanted = torch.softmax(trained.fuse(expected[candidates], context), dim=1)[:, 1].numpy()
    np.testing.assert_allclose(critique.judge(vectors, candidates, **given), wanted, atol=1e-5)


def test_neighbours_change_nothing():
    _, critique = pair_of(fusion="matching", context="reference", pool="max", directions=2)
    together = critique.encode(CAPTIONS)
    for place, caption in enumerate(CAPTIONS):
        assert np.array_equal(critique.encode([caption])[0], together[place])


def test_words_after_the_longest_are_not_read():
    _, critique = pair_of(fusion="mlp")
    vectors = critique.encode([["a"] * 6, ["a"] * 9])
    assert np.array_equal(vectors[0], vectors[1])
