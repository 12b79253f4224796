"""What the scripts of training/parser must not get wrong: who is trained on, batches, the folding of vectors."""

import importlib
import sys
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from tests import parser_oracle

torch = pytest.importorskip("torch", reason="training needs torch")

SCRIPTS = Path(__file__).resolve().parents[3] / "training" / "parser"
MODULES = ("silver", "split", "pieces", "structure", "model", "encoder")


def load(*names):
    """Import scripts as modules that find each other as they do when they are run."""
    before = set(sys.modules)
    sys.path.insert(0, str(SCRIPTS))
    try:
        return {name: importlib.import_module(name) for name in names}
    finally:
        sys.path.remove(str(SCRIPTS))
        for name in {path.stem for path in SCRIPTS.glob("*.py")} - before:
            sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def scripts():
    return load(*MODULES)


@pytest.fixture
def parses(scripts):
    """Two thousand made-up captions, half of them of twenty named sources; some occur in several sources."""
    random = np.random.default_rng(1)
    nouns = [f"noun{number}" for number in range(60)]
    captions = [["a", *random.choice(nouns, random.integers(1, 4)).tolist()] for _ in range(2000)]
    made = scripts["silver"].unparsed(captions)
    made.sources[:] = ["", *(f"system {number}" for number in range(20))]
    made.source[:] = np.where(np.arange(2000) < 1000, 0, 1 + np.arange(2000) % 20)
    return made


def captions_of(parses):
    return [" ".join(parses.words(place)) for place in range(len(parses))]


def test_nothing_kept_aside_or_for_development_is_trained_on(scripts, parses):
    parts = scripts["split"].split(parses)
    aside = {parses.sources[number] for number in parts.aside.source.tolist()}
    assert len(aside) == 2
    assert "" not in aside
    assert not aside & {parses.sources[number] for number in parts.training.source.tolist()}
    training = set(captions_of(parts.training))
    assert training
    assert training.isdisjoint(captions_of(parts.development))
    assert training.isdisjoint(captions_of(parts.aside))
    assert len(parts.development) > 5


def test_the_split_does_not_depend_on_the_order_of_captions(scripts, parses):
    shuffled = parses.select(np.random.default_rng(2).permutation(len(parses)))
    first, second = scripts["split"].split(parses), scripts["split"].split(shuffled)
    for name in ("training", "development", "aside"):
        assert sorted(captions_of(getattr(first, name))) == sorted(captions_of(getattr(second, name)))


def test_a_sample_is_part_of_what_is_trained_on(scripts, parses):
    whole, some = scripts["split"].split(parses).training, scripts["split"].split(parses, captions=300).training
    assert len(some) == 300
    assert set(captions_of(some)) <= set(captions_of(whole))


def test_batches_hold_every_caption_once_and_have_one_length(scripts, parses):
    pieces = parses.lengths + np.arange(len(parses)) % 3
    groups = scripts["silver"].batches(parses, 50, np.random.default_rng(3), pieces)
    assert sorted(np.concatenate(groups).tolist()) == list(range(len(parses)))
    for group in groups:
        assert len(set(parses.lengths[group].tolist())) == 1
        assert len(set(pieces[group].tolist())) == 1
        assert pieces[group].sum() <= 50


def test_joined_parses_keep_their_strings(scripts, parses):
    silver = scripts["silver"]
    other = silver.unparsed([["noun3", "unheard"], ["of"]])
    other.tags[:], other.sources[:] = ["XX"], ["elsewhere"]
    both = parses.join(other)
    assert captions_of(both) == [*captions_of(parses), "noun3 unheard", "of"]
    assert both.tags[both.tag[-1]] == "XX"
    assert both.sources[both.source[-1]] == "elsewhere"
    assert both.sources[both.source[0]] == ""


def test_pieces_of_a_batch_belong_to_their_words(scripts):
    silver = scripts["silver"]
    captions = silver.unparsed([["dogs", "ran"], ["dog", "runs"]])
    vocabulary = ["[CLS]", "[SEP]", "[UNK]", "dog", "##s", "ran", "run", "unused"]
    pieces = scripts["pieces"].FormPieces(vocabulary, captions.forms)
    assert pieces.lengths(captions).tolist() == [5, 5]
    numbers, words = pieces.of(silver.gather(captions, np.array([0, 1])))
    assert [[vocabulary[number] for number in row] for row in numbers] == [
        ["[CLS]", "dog", "##s", "ran", "[SEP]"],
        ["[CLS]", "dog", "run", "##s", "[SEP]"],
    ]
    assert words.tolist() == [[0, 1, 1, 2, -1], [0, 1, 2, 2, -1]]
    kept = scripts["encoder"].pieces_in_use(vocabulary, ["dogs", "ran"])
    assert [vocabulary[number] for number in kept] == ["[CLS]", "[SEP]", "[UNK]", "dog", "##s", "ran"]


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_trees_share_all_probability(scripts, length):
    torch.manual_seed(length)
    scores = torch.randn(2, length, 1 + length, dtype=torch.float64)
    trees = [heads for heads in product(range(1 + length), repeat=length) if parser_oracle.is_projective_tree(heads)]
    losses = [scripts["structure"].tree_loss(scores[:1], torch.tensor([heads])) * length for heads in trees]
    assert torch.stack(losses).neg().exp().sum().item() == pytest.approx(1)
    both = scripts["structure"].log_sum_of_trees(scores)
    assert both[1] == pytest.approx(scripts["structure"].log_sum_of_trees(scores[1:])[0].item())


def test_folded_vectors_give_the_same_states(scripts):
    model, silver = scripts["model"], scripts["silver"]
    torch.manual_seed(1)
    matrix = torch.randn(3, 5)
    small = silver.Vocabulary(["dog", "cat"], ["NN"], ["root"], buckets=16)
    large = silver.Vocabulary(["dog", "cat", "zebra"], ["NN"], ["root"], buckets=16)
    sizes = {"tags": 1, "labels": 1, "embedding": 8, "hidden": 4, "layers": 2, "arc": 4, "relation": 4}
    network = model.Parser(model.NetworkSize(rows=small.rows, **sizes), dropout=0.0).eval()
    fixed = model.FixedVectors(matrix, 8)
    folded = model.Parser(model.NetworkSize(rows=large.rows, **sizes), dropout=0.0).eval()
    weights = network.state_dict()
    # The rows of fixed vectors: of dog, none of cat; of zebra, which has no row of its own.
    weights["embedding.weight"] = fixed.folded(weights["embedding.weight"], 2, torch.tensor([2, -1]), torch.tensor([0]))
    folded.load_state_dict(weights)
    caption = ["zebra", "cat", "dog", "unknown"]
    with torch.no_grad():
        separate = network.encode(
            torch.from_numpy(small.features(caption))[:, None], fixed(torch.tensor([0, -1, 2, -1]))[:, None]
        )
        together = folded.encode(torch.from_numpy(large.features(caption))[:, None])
    assert torch.allclose(separate, together, atol=1e-6)


def test_a_word_has_its_most_frequent_lemma():
    for needed in ("orjson", "safetensors"):
        pytest.importorskip(needed, reason=f"the lemmas' script needs {needed}")
    plates = {("plates", "NNS", "plate"): 1054, ("plates", "NNPS", "plates"): 1}
    for entries in (Counter(plates), Counter(dict(reversed(plates.items())))):
        assert load("lemmas")["lemmas"].learn(entries)("plates", "NNS") == "plate"
