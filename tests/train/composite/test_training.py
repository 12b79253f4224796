"""Training of composite metrics on a small made-up corpus: data, resuming, and what the weights remember."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from tests.command_line import refuse, succeed

import caplens
from caplens.train.composite.captions import CaptionSources, collect_rows
from caplens.train.composite.request import CompositeRequest, network_settings, read_images, train_requested
from caplens.train.composite.training import STOPPED_BY

pytest.importorskip("torch", reason="training needs torch (extra train)")
from caplens.train.composite.network import NetworkSettings

SHORT = NetworkSettings(epochs=2, batch=4, every=20, least_steps=20)

THINGS = ["dog", "cat", "man", "woman", "horse", "bus", "train", "boat", "bird", "child"]
PLACES = ["park", "street", "beach", "kitchen", "field"]


def five(number):
    thing, place = THINGS[number % 10], PLACES[number % 5]
    return [
        f"a {thing} in the {place}",
        f"the {thing} stands in a {place}",
        f"one {thing} near a {place} today",
        f"a big {thing} looks at the {place}",
        f"photo {number} of a {thing} at the {place}",
    ]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Thirty images of COCO, captions of four systems, and judged captions in the shape of Flickr8k."""
    folder = tmp_path_factory.mktemp("composite")
    (folder / "systems").mkdir()
    annotations = [{"image_id": image, "caption": text} for image in range(30) for text in five(image)]
    images = [{"id": image} for image in range(30)]
    (folder / "captions_val2014.json").write_text(json.dumps({"images": images, "annotations": annotations}))
    for shift, name in enumerate(("one", "two", "three", "other")):
        captions = [{"image_id": image, "caption": five(image + 3 * shift + image % 2)[0]} for image in range(30)]
        (folder / "systems" / f"{name}.json").write_text(json.dumps(captions))
    lines = [
        f"{image}.jpg#{place}\t{text} outside" for image in range(12) for place, text in enumerate(five(image + 40))
    ]
    lines[0] = f"0.jpg#0\t{five(7)[0].upper()} ."  # images 7, 17 and 27 of COCO share it
    (folder / "Flickr8k.token.txt").write_text("\n".join(lines))
    judged = [
        f"{image}.jpg\t{(image + k) % 12}.jpg#1\t{4 - k}\t{4 - k}\t{4 - k}" for image in range(12) for k in (1, 2)
    ]
    (folder / "ExpertAnnotations.txt").write_text("\n".join(judged))
    (folder / "excluded.txt").write_text("3\nCOCO_val2014_000000000004.jpg\n")
    (folder / "held.txt").write_text("\n".join(["10", "11", "12", "13"]))
    return folder


def files(corpus, *names):
    return {name: corpus / "systems" / f"{name}.json" for name in names}


def sources(corpus, *names):
    return CaptionSources((corpus / "captions_val2014.json",), files(corpus, *names))


@pytest.fixture(scope="module")
def request_(corpus):
    """Stopped by the experts' judgments, as in the paper."""
    return CompositeRequest(
        (corpus / "captions_val2014.json",),
        files(corpus, "one", "two", "three"),
        ("eval_cs",),
        judgments=corpus,
        exclude=(corpus / "excluded.txt",),
        held_out=corpus / "held.txt",
        images=15,
        seeds=2,
    )


@pytest.fixture(scope="module")
def trained(request_, tmp_path_factory):
    output = tmp_path_factory.mktemp("weights")
    lines = []
    return output, train_requested(request_, output, lines.append, settings=SHORT), lines


class TestCaptions:
    def test_people_stand_against_their_siblings_and_systems_against_four(self, corpus):
        rows = collect_rows(sources(corpus, "one", "two", "three"), 0, 1)
        assert len(rows) == 30 * 6
        assert rows.is_human.tolist() == [True, True, True, False, False, False] * 30
        for image, writer, candidate, references in zip(
            rows.images, rows.writers, rows.candidates, rows.references, strict=True
        ):
            own = five(int(image))
            assert len(set(references)) == 4
            assert set(references) < set(own)
            assert (writer == "human") == (candidate in own and candidate not in references) or writer != "human"
        assert rows.fingerprint() == collect_rows(sources(corpus, "one", "two", "three"), 0, 1).fingerprint()

    def test_some_of_many_systems_are_drawn_and_images_with_fewer_have_fewer_human_captions(self, corpus, tmp_path):
        (tmp_path / "few.json").write_text(json.dumps([{"image_id": 5, "caption": "a cat"}]))
        many = sources(corpus, "one", "two", "three", "other")
        assert Counter(collect_rows(many, 0, 1, negatives=2).is_human.tolist()) == {True: 90, False: 60}
        few = replace(many, systems={"few": tmp_path / "few.json"})
        rows = collect_rows(few, 0, 1)
        assert (rows.writers, rows.removed["captioned by no system"]) == (["human", "few"], 29)
        assert Counter(collect_rows(many, 0, 1, positives=1, negatives=0).writers)["other"] == 30

    def test_what_is_removed_is_counted(self, corpus, trained):
        output, _, lines = trained
        said = json.loads((output / "Eval_CS.json").read_text())["captions"]
        assert said["images_not_used"] == {
            "excluded": 2,
            "held": 4,
            "fewer than five captions": 0,
            "captioned by no system": 0,
            "a caption of a judged image": 3,
            "not drawn": 30 - 2 - 4 - 3 - 15,
        }
        assert said["systems"] == ["one", "three", "two"]
        assert "3 a caption of a judged image" in lines[0]

    def test_two_lists_of_one_name_are_both_left_out(self, corpus, request_, tmp_path):
        (tmp_path / "excluded.txt").write_text("5\n6")
        lists = (corpus / "excluded.txt", tmp_path / "excluded.txt")
        changed = replace(request_, exclude=lists, held_out=None, images=4, seeds=1)
        train_requested(changed, tmp_path, lambda line: None, settings=SHORT)
        said = json.loads((tmp_path / "Eval_CS.json").read_text())["captions"]["images_not_used"]
        assert (said["excluded"], said[str(lists[1])]) == (2, 2)

    def test_a_list_of_other_images_is_refused(self, request_, tmp_path):
        (tmp_path / "mistake.txt").write_text("x y")
        for change in ({"exclude": (tmp_path / "mistake.txt",)}, {"exclude": (), "held_out": tmp_path / "mistake.txt"}):
            with pytest.raises(
                caplens.InputError, match=r"None of the 2 images of 'mistake' has captions in .* such as 0"
            ):
                train_requested(replace(request_, **change), tmp_path, lambda line: None)
        (tmp_path / "all.txt").write_text("\n".join(map(str, range(30))))
        changed = replace(request_, exclude=(*request_.exclude, tmp_path / "all.txt"))
        with pytest.raises(caplens.InputError, match=r"No images can be used: 2 excluded, 28 all\."):
            train_requested(changed, tmp_path, lambda line: None)

    def test_lists_of_images(self, corpus, tmp_path):
        assert read_images(corpus / "excluded.txt") == {"3", "4"}
        (tmp_path / "padded.txt").write_text("000000000012 0")
        assert read_images(tmp_path / "padded.txt") == {"12", "0"}
        with pytest.raises(caplens.InputError, match="cannot be read as a list of image ids"):
            read_images(corpus / "absent.txt")


class TestTraining:
    def test_figures_and_files(self, trained):
        output, figures, _ = trained
        found = figures["Eval_CS"]
        data = json.loads((output / "Eval_CS.json").read_text())
        assert data["figures"] == json.loads(json.dumps(found))
        assert [seed["seed"] for seed in found["seeds"]] == [1, 2]
        assert set(found["held_out"]["area_by_system"]) == {"one", "two", "three"}
        assert 0 <= found["held_out"]["systems_of_the_training"]["accuracy"] <= 1
        assert -1 <= found[STOPPED_BY[1]] == data["figures"][data["stopped_by"]] <= 1
        assert data["inputs"][str(caplens.metric("cider(df=coco-train2014)").request())]["documents"] == "82783"

    def test_the_weights_can_be_used_and_no_input_lowers_the_score(self, trained):
        metric = caplens.metric(f"composite(weights={trained[0]})")
        assert [score.name for score in metric.input_scores] == ["CIDEr", "SPICE"]
        scores = caplens.score(["a dog", "a bus"], [["a dog runs"], ["a cat"]], metric)["Eval_CS"]
        assert 0 < scores.item_scores[1] < scores.item_scores[0] < 1
        grid = np.array([[c, s] for c in np.linspace(0, 5, 9) for s in np.linspace(0, 1, 9)])
        table = metric.combine(grid).reshape(9, 9)
        assert (np.diff(table, axis=0) >= -1e-7).all()
        assert (np.diff(table, axis=1) >= -1e-7).all()

    def test_a_killed_run_goes_on_where_it_was(self, request_, trained, monkeypatch):
        from caplens.train.composite import network as composite_network

        output, figures, _ = trained
        before = (output / "Eval_CS.safetensors").read_bytes()
        (output / "Eval_CS.safetensors").unlink()
        second = sorted((output / "work").glob("Eval_CS-*-2.safetensors"))
        second[0].unlink()
        seeds = []
        train = composite_network.train_network

        def counted(examples, stopping, settings, seed):
            seeds.append(seed)
            return train(examples, stopping, settings, seed)

        monkeypatch.setattr(composite_network, "train_network", counted)
        assert train_requested(request_, output, lambda line: None, settings=SHORT) == figures
        assert seeds == [2]
        assert (output / "Eval_CS.safetensors").read_bytes() == before

    def test_another_seed_is_another_run(self, request_, trained, tmp_path):
        output = shutil.copytree(trained[0], tmp_path / "copy")
        known = {path.name: path.stat().st_mtime_ns for path in (output / "work").iterdir()}
        train_requested(replace(request_, seed=5, seeds=1, held_out=None), output, lambda line: None, settings=SHORT)
        found = {path.name: path.stat().st_mtime_ns for path in (output / "work").iterdir()}
        assert known.items() < found.items()
        assert {name[-14:] for name in found.keys() - known.keys()} == {"-5.safetensors", "00.safetensors"}
        assert "held_out" not in json.loads((output / "Eval_CS.json").read_text())["figures"]

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"metrics": ("cider",)}, "'cider' is not a composite metric that can be trained: choose from eval_ms,"),
            ({"systems": {}}, "Specify the caption files of the systems that provide the negatives"),
            ({"metrics": ()}, "Specify the metrics to train: eval_ms,"),
            ({"df": "corpus"}, r"depends on the captions that are scored: use fixed data \(df=coco-train2014\)"),
        ],
    )
    def test_mistakes_are_said_in_one_sentence(self, request_, tmp_path, change, message):
        with pytest.raises(caplens.CaplensError, match=message):
            train_requested(replace(request_, **change), tmp_path, lambda line: None)

    def test_by_default_training_is_stopped_by_other_images(self, corpus, tmp_path):
        names = ("one", "two", "three")
        request = CompositeRequest((corpus / "captions_val2014.json",), files(corpus, *names), ("eval_cs",), images=9)
        figures = train_requested(replace(request, seeds=1), tmp_path, lambda line: None, settings=SHORT)
        found = figures["Eval_CS"]
        assert found[STOPPED_BY[0]] < 0
        assert found["watched"]["images"] == 3  # one in ten
        assert json.loads((tmp_path / "Eval_CS.json").read_text())["captions"]["images_not_used"]["validation"] == 3

    def test_validation_images_can_have_other_systems(self, corpus, request_, tmp_path):
        changed = replace(
            request_, judgments=None, validation=corpus / "held.txt", held_out=None, seeds=1,
            validation_systems=files(corpus, "other"),
        )  # fmt: skip
        found = train_requested(changed, tmp_path, lambda line: None, settings=SHORT)["Eval_CS"]["watched"]
        assert (found["images"], set(found["area_by_system"])) == (4, {"other"})
        assert found["systems_of_the_training"] is None

    def test_controls_and_parts_of_scores(self, corpus, request_, tmp_path):
        networks = {}
        for labels in ("true", "inverted", "shuffled"):
            changed = replace(request_, labels=labels, parts=True, held_out=None, judgments=None, seeds=1)
            train_requested(changed, tmp_path / labels, lambda line: None, settings=SHORT)
            path = tmp_path / labels / "Eval_CS.safetensors"
            networks[labels] = caplens.metric(f"composite(weights={path})").trained
            assert networks[labels].network.facts["labels"] == labels
        assert [score.name for score in networks["true"].features] == [
            "CIDEr", "SPICE.precision", "SPICE.recall", "SPICE_Object.precision", "SPICE_Object.recall",
            "SPICE_Attribute", "SPICE_Relation",
        ]  # fmt: skip
        assert len({one.network.fingerprint for one in networks.values()}) == 3

    def test_settings_from_a_file_and_from_the_command_line(self, tmp_path):
        path = tmp_path / "mine.toml"
        path.write_text('hidden = 4\nlearning_rate = 0.1\nactivation = "relu"\n')
        found = network_settings(path, {"hidden": 8, "epochs": None})
        assert (found.hidden, found.learning_rate, found.activation, found.epochs) == (8, 0.1, "relu", 40)
        for text, message in (
            ("hiden = 4", "there is no setting 'hiden'; did you mean 'hidden'"),
            ("hidden = 0", "hidden must be at least 1"),
            ("batch = 0.5", "batch must be a whole number"),
            ('activation = "sine"', "activation must be one of tanh, softsign, relu"),
        ):
            path.write_text(text)
            with pytest.raises(caplens.InputError, match=message):
                network_settings(path, {})

    def test_the_command_trains_on_any_captions_and_systems(self, corpus, tmp_path):
        options = ["-r", corpus / "captions_val2014.json", "-m", "eval_cs", "--images", 6, "--seeds", 1, "--epochs", 1]
        named = [f"mine={corpus / 'systems' / 'one.json'}", corpus / "systems" / "two.json"]
        said = succeed("train", "composite", *named, *options, "-o", tmp_path / "out", "--hidden", 3, "-q")
        assert f"Eval_CS: {STOPPED_BY[0]}" in said
        data = json.loads((tmp_path / "out" / "Eval_CS.json").read_text())
        assert (data["captions"]["systems"], data["settings"]["hidden"]) == (["mine", "two"], 3)

    def test_the_command_refuses_in_one_sentence(self, corpus, tmp_path):
        options = ["-r", corpus / "captions_val2014.json", "-m", "eval_cs", "-o", tmp_path / "out"]
        message = refuse("train", "composite", corpus / "nowhere.json", *options)
        assert "nowhere.json" in message
