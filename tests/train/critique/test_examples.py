"""What a critique learns from: balance, honest references, and negatives that are what they are called."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from tests.critique_toys import write_captions, write_features

from caplens.errors import InputError
from caplens.learned.critique.config import QUICK, TrainingConfig
from caplens.learned.critique.image_features import read_image_features
from caplens.learned.critique.vocabulary import KnownWords
from caplens.text.transformations import register_transformation

captions_module = pytest.importorskip("caplens.train.critique.captions")
examples_module = pytest.importorskip("caplens.train.critique.examples")
KINDS = examples_module.KINDS
TRAINING = TrainingConfig(references=3, batch=48)


@pytest.fixture(scope="module")
def captions(tmp_path_factory):
    references, system = write_captions(tmp_path_factory.mktemp("captions"))
    return captions_module.read_image_captions([references], [system])


@pytest.fixture(scope="module")
def numbered(captions):
    return captions_module.NumberedCaptions.of(captions, "ptb")


def make(numbered, training=TRAINING):
    vocabulary = KnownWords.of(numbered.count_words(), 1)
    return vocabulary, examples_module.ExampleMaker(numbered, vocabulary, QUICK.words, training)


def texts(examples, vocabulary, rows):
    words = ["-", "?", *vocabulary.words]
    return [
        tuple(words[word] for word in examples.ids[examples.offsets[row] : examples.offsets[row + 1]]) for row in rows
    ]


def test_captions_are_read_by_image(captions):
    assert len(captions) == 60
    assert {len(theirs) for theirs in captions.human} == {4}
    assert {len(theirs) for theirs in captions.machine} == {1}
    rest, some = captions.split({"3", "59"})
    assert (len(rest), some.images) == (58, ["3", "59"])


def test_half_of_the_examples_are_human(numbered):
    _, maker = make(numbered)
    examples = maker.epoch(0)
    for batch in examples.batches(48, 3):
        kinds = examples.kind[batch]
        assert 0.4 < np.mean(kinds == 0) < 0.6
    counts = Counter(KINDS[kind] for kind in examples.kind.tolist())
    assert counts.keys() == {"human", "machine", "rc", "wp", "rw"}


def test_labels_are_true_inverted_or_drawn_by_lot(numbered):
    true, inverted, shuffled = (
        make(numbered, replace(TRAINING, labels=labels))[1].epoch(0) for labels in ("true", "inverted", "shuffled")
    )
    assert (true.label == (true.kind == 0)).all()
    assert (inverted.label == (inverted.kind != 0)).all()
    # The same examples in the same order; of a human caption and its negative one counts as human.
    for one in (inverted, shuffled):
        assert (one.candidate == true.candidate).all()
        assert (one.reference == true.reference).all()
    swapped = shuffled.label != true.label
    assert 0.3 < swapped.mean() < 0.7
    assert len(set(zip(shuffled.group.tolist(), swapped.tolist(), strict=True))) == len(set(shuffled.group.tolist()))
    later = make(numbered, replace(TRAINING, labels="shuffled"))[1].epoch(1)
    first, second = (
        dict(zip(one.candidate[one.kind == 0].tolist(), one.label[one.kind == 0].tolist(), strict=True))
        for one in (shuffled, later)
    )
    assert first == second


def test_a_caption_is_never_its_own_reference(numbered):
    vocabulary, maker = make(numbered)
    examples = maker.epoch(1)
    candidates, references = (texts(examples, vocabulary, rows) for rows in (examples.candidate, examples.reference))
    assert all(candidate != reference for candidate, reference in zip(candidates, references, strict=True))
    # What was made from a human caption never meets that caption either, though its words would tell.
    for kind, group, reference in zip(examples.kind, examples.group, examples.reference, strict=True):
        if KINDS[kind] in ("wp", "rw"):
            human = examples.candidate[(examples.group == group) & (examples.kind == 0)]
            assert reference not in human


def test_negatives_are_what_they_are_called(numbered):
    vocabulary, maker = make(numbered)
    examples = maker.epoch(2)
    owners = np.repeat(np.arange(60), 4)
    for kind in range(1, len(KINDS)):
        for place in np.flatnonzero(examples.kind == kind).tolist():
            candidate, image = int(examples.candidate[place]), int(examples.image[place])
            assert owners[examples.reference[place]] == image
            if KINDS[kind] == "rc":
                assert owners[candidate] != image
            elif KINDS[kind] == "machine":
                assert candidate == numbered.machine[image]
            else:
                human = examples.candidate[(examples.group == examples.group[place]) & (examples.kind == 0)][0]
                (ours, theirs) = texts(examples, vocabulary, [candidate, human])
                assert ours != theirs
                if KINDS[kind] == "wp":
                    assert sorted(ours) == sorted(theirs)
                else:
                    assert sum(a != b for a, b in zip(ours, theirs, strict=True)) >= 2


def test_epochs_differ_but_can_be_drawn_again(numbered):
    _, maker = make(numbered)
    first, again, second = maker.epoch(0), maker.epoch(0), maker.epoch(1)
    assert np.array_equal(first.candidate, again.candidate)
    assert np.array_equal(first.ids, again.ids)
    assert not np.array_equal(first.candidate[:50], second.candidate[:50])


def test_near_images_are_near():
    vectors = np.eye(4, dtype=np.float32)[np.arange(40) % 4]
    generator = np.random.default_rng(0)
    images = np.arange(40)
    near = examples_module.near_images(vectors, images, 50.0, generator)
    assert (near != images).all()
    assert (near % 4 == images % 4).all()
    anywhere = examples_module.near_images(vectors, np.repeat(images, 200), 0.0, generator)
    assert (anywhere != np.repeat(images, 200)).all()
    alike = np.mean(anywhere % 4 == np.repeat(images, 200) % 4)
    assert alike == pytest.approx(9 / 39, abs=0.02)  # no nearer to the near ones than to others


def test_features_tell_near_images_where_there_are_any(captions, tmp_path):
    features = read_image_features(write_features(tmp_path / "features.npz"))
    numbered = captions_module.NumberedCaptions.of(captions, "ptb", features)
    np.testing.assert_allclose(np.linalg.norm(numbered.surroundings, axis=1), 1, atol=1e-5)
    assert numbered.surroundings.shape == (60, 5)


def test_nothing_to_learn_from_is_said(captions, numbered):
    with pytest.raises(InputError, match="no negatives"):
        make(numbered, replace(TRAINING, machine=0, rc=0, wp=0, rw=0))
    lonely = replace(captions, human=[theirs[:1] for theirs in captions.human])
    with pytest.raises(InputError, match="two human captions"):
        make(captions_module.NumberedCaptions.of(lonely, "ptb"))
    with pytest.raises(InputError, match="No image is left"):
        captions_module.NumberedCaptions.of(captions.take([]), "ptb")


def test_systems_may_lack_images(captions):
    """Where some images have no machine captions, others are drawn; images without any negative are not learned."""
    partial = replace(captions, machine=[theirs if place < 20 else [] for place, theirs in enumerate(captions.machine)])
    numbered = captions_module.NumberedCaptions.of(partial, "ptb")
    _, maker = make(numbered)
    examples = maker.epoch(0)
    assert (examples.image[examples.kind == KINDS.index("machine")] < 20).all()
    plain = replace(TRAINING, rc=0, wp=0, rw=0)
    _, maker = make(numbered, plain)
    examples = maker.epoch(0)
    assert (examples.image < 20).all()
    assert {KINDS[kind] for kind in examples.kind.tolist()} == {"human", "machine"}
    assert np.mean(examples.kind == 0) == pytest.approx(0.5, abs=0.02)
    assert len(partial.with_negatives(plain)) == 20
    assert len(partial.with_negatives(TRAINING)) == 60


def test_samples_stand_in_where_a_system_lacks_an_image(captions):
    mixed = replace(
        captions,
        machine=[theirs if place < 30 else [] for place, theirs in enumerate(captions.machine)],
        samples=[theirs if place >= 30 else [] for place, theirs in enumerate(captions.machine)],
    )
    _, maker = make(captions_module.NumberedCaptions.of(mixed, "ptb"), replace(TRAINING, rc=0, wp=0, rw=0))
    examples = maker.epoch(0)
    assert (examples.image[examples.kind == KINDS.index("samples")] >= 30).all()
    assert len(set(examples.image.tolist())) == 60


@pytest.mark.parametrize("kind", ["wp", "rw"])
def test_changes_are_among_the_words_that_are_read(numbered, kind):
    shares = dict.fromkeys(KINDS[1:], 0.0) | {kind: 1.0}
    vocabulary = KnownWords.of(numbered.count_words(), 1)
    words = replace(QUICK.words, longest=3)  # captions have up to nine words
    training = replace(TRAINING, references=1, mildness=9.0, **shares)
    examples = examples_module.ExampleMaker(numbered, vocabulary, words, training).epoch(0)
    human, worse = (texts(examples, vocabulary, examples.candidate[examples.kind == k]) for k in (0, KINDS.index(kind)))
    assert len(human) == len(worse) > 200
    assert all(ours != theirs for ours, theirs in zip(human, worse, strict=True))


def test_captions_of_other_images_are_not_those_of_the_image():
    human = [["a dog runs", f"one dog {place}", "there it is"] for place in range(30)]
    captions = captions_module.ImageCaptions([str(place) for place in range(30)], human, [[]] * 30, [[]] * 30)
    vocabulary, maker = make(
        captions_module.NumberedCaptions.of(captions, "ptb"), replace(TRAINING, wp=0, rw=0, references=1)
    )
    examples = maker.epoch(0)
    chosen = examples.kind == KINDS.index("rc")
    assert chosen.any()
    assert {words[:2] for words in texts(examples, vocabulary, examples.candidate[chosen])} == {("one", "dog")}


def test_captions_of_equal_words_only_are_refused(captions):
    equal = replace(captions, human=[[theirs[0]] * 2 for theirs in captions.human])
    _, maker = make(captions_module.NumberedCaptions.of(equal, "ptb"))
    with pytest.raises(InputError, match="two different human captions"):
        maker.epoch(0)


def test_a_system_of_other_images_is_refused(tmp_path):
    references, _ = write_captions(tmp_path)
    other = tmp_path / "other.json"
    other.write_text('[{"image_id": 1000, "caption": "a dog"}]')
    with pytest.raises(InputError, match="shares no image"):
        captions_module.read_image_captions([references], [other])


def test_sampled_captions_are_negatives_too(tmp_path):
    references, system = write_captions(tmp_path)
    captions = captions_module.read_image_captions([references], [], [system])
    _, maker = make(captions_module.NumberedCaptions.of(captions, "ptb"))
    kinds = {KINDS[kind] for kind in maker.epoch(0).kind.tolist()}
    assert kinds == {"human", "samples", "rc", "wp", "rw"}


def test_mild_changes_concern_fewer_words(numbered):
    def changed(mildness):
        vocabulary, maker = make(numbered, replace(TRAINING, machine=0, rc=0, wp=0, mildness=mildness, references=1))
        examples = maker.epoch(0)
        human, worse = (texts(examples, vocabulary, examples.candidate[examples.kind == kind]) for kind in (0, 5))
        return np.mean([sum(a != b for a, b in zip(*pair, strict=True)) for pair in zip(human, worse, strict=True)])

    assert 2 <= changed(6.0) < changed(1.0)


def test_repeated_captions_and_transformations_of_the_users_own(numbered):
    register_transformation("reversed-words", lambda caption: " ".join(reversed(caption.split())))
    only = replace(
        TRAINING, machine=0.0, rc=0.0, wp=0.0, rw=0.0, rp=1.0, own=1.0, mildness=0.0, transformations="reversed-words"
    )
    vocabulary, maker = make(numbered, only)
    examples = maker.epoch(0)
    assert Counter(KINDS[kind] for kind in examples.kind.tolist()).keys() == {"human", "rp", "own"}
    for group in range(20):
        rows = np.flatnonzero(examples.group == group)
        human = texts(examples, vocabulary, examples.candidate[rows[examples.kind[rows] == 0]])[0]
        worse = rows[examples.kind[rows] != 0]
        changed = texts(examples, vocabulary, examples.candidate[worse])[0]
        if KINDS[examples.kind[worse[0]]] == "rp":
            assert changed == (*human, "and" if "and" in vocabulary else "?", *human)[: QUICK.words.longest]
        else:
            assert changed == human[::-1]
