"""CIDEr-D rewards: golden numbers of the original (ruotianluo/cider), files of frequencies, tampering."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from tests.compat import reward_inputs
from tests.conftest import ROOT

import caplens
from caplens.compat.pyciderevalcap import _fast
from caplens.compat.pyciderevalcap.cider.cider import Cider
from caplens.compat.pyciderevalcap.ciderD.ciderD import CiderD
from caplens.compat.pyciderevalcap.ciderD.ciderD_scorer import CiderScorer
from caplens.compat.pyciderevalcap.eval import CIDErEvalCap
from caplens.compat.pyciderevalcap.tokenizer.ptbtokenizer import PTBTokenizer

GOLDEN = json.loads((ROOT / "tests" / "data" / "rewards_golden.json").read_text())
CLASSES = {"CiderD": CiderD, "Cider": Cider}


@pytest.fixture(scope="module")
def inputs():
    references, samples = reward_inputs.captions()
    return {
        "words": (references, samples),
        "idxs": (reward_inputs.numbered(references), reward_inputs.numbered(samples)),
    }


@pytest.fixture
def data(tmp_path, monkeypatch, inputs):
    for kind, (references, _) in inputs.items():
        reward_inputs.write_pickle(tmp_path / "data" / f"coco-train-{kind}.p", references)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "data"


def batch(inputs, kind, images=20):
    references, samples = inputs[kind]
    return reward_inputs.batch(references[:images], samples[:images])


@pytest.mark.parametrize("name", [name for name in GOLDEN if name.startswith("Cider") and name.count(" ") == 2])
def test_golden_rewards(name, inputs, data):
    scorer, df, kind = name.split()
    if df == "all":
        score, _ = CiderD(df=f"coco-train-{kind}").compute_score(*batch(inputs, kind, reward_inputs.IMAGES))
        assert score == pytest.approx(GOLDEN[name], rel=1e-9)
        return
    score, scores = CLASSES[scorer](df=df).compute_score(*batch(inputs, kind))
    np.testing.assert_allclose(scores, GOLDEN[name], rtol=1e-9, atol=1e-12)
    assert score == pytest.approx(np.mean(GOLDEN[name]))


def test_the_scorer_of_a_corpus(inputs):
    gts, res = batch(inputs, "words")
    scorer = CiderScorer()
    for entry in res:
        scorer += (entry["caption"][0], gts[entry["image_id"]])
    np.testing.assert_allclose(scorer.compute_score()[1], GOLDEN["CiderScorer corpus"], rtol=1e-9)
    np.testing.assert_allclose(CiderD().compute_score(gts, res)[1], GOLDEN["CiderScorer corpus"], rtol=1e-9)


class TestFastAndSlow:
    @pytest.mark.parametrize("df", ["corpus", "coco-train-idxs"])
    def test_are_equal(self, inputs, data, df):
        gts, res = batch(inputs, "idxs")
        scorer = CiderD(df=df)
        _, fast = scorer.compute_score(gts, res)
        slow = scorer.cider_scorer.copy_empty()
        for entry in res:
            slow += (entry["caption"][0], gts[entry["image_id"]])
        np.testing.assert_allclose(fast, slow.compute_score()[1], rtol=1e-9, atol=1e-12)

    def test_odd_captions_take_the_slow_way(self, inputs, data, monkeypatch):
        monkeypatch.setattr(_fast, "cider_d", lambda *_: pytest.fail("the kernels cut at other white space"))
        score, scores = CiderD(df="coco-train-words").compute_score(
            {0: ["a man\x1don a horse"]}, [{"image_id": 0, "caption": ["a man"]}]
        )
        assert score > 0
        assert len(scores) == 1

    def test_frequencies_that_a_script_sets_count(self, inputs, data):
        gts, res = batch(inputs, "words")
        scorer = CiderD(df="coco-train-words")
        _, before = scorer.compute_score(gts, res)
        scorer.cider_scorer.document_frequency = {("a",): 3.5}
        _, after = scorer.compute_score(gts, res)
        assert not np.allclose(before, after)
        slow = scorer.cider_scorer.copy_empty()
        for entry in res:
            slow += (entry["caption"][0], gts[entry["image_id"]])
        np.testing.assert_allclose(after, slow.compute_score()[1])

    def test_pickles(self, inputs, data):
        gts, res = batch(inputs, "words")
        scorer = CiderD(df="coco-train-words")
        expected = scorer.compute_score(gts, res)[1]
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(scorer)).compute_score(gts, res)[1], expected)


class TestSeveralCaptions:
    """Against the branch ``self_cider`` of the original."""

    @pytest.mark.parametrize("kind", ["words", "idxs"])
    @pytest.mark.parametrize("name", CLASSES)
    def test_golden(self, inputs, data, name, kind):
        references, samples = inputs[kind]
        scorer = CLASSES[name](df=f"coco-train-{kind}")
        found = scorer.my_self_cider([*references[:3], samples[3]])
        expected = GOLDEN[f"my_self_cider {name} {kind}"]
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
        mean, scores = scorer.my_compute_score(references[:4], samples[:4])
        their_mean, their_scores = GOLDEN[f"my_compute_score {name} {kind}"]
        np.testing.assert_allclose(scores, their_scores, rtol=1e-9, atol=1e-12)
        assert mean == pytest.approx(their_mean, rel=1e-9)

    def test_frequencies_that_were_counted(self, inputs):
        references, _ = inputs["words"]
        scorer = Cider(df="corpus")
        for texts in references:
            scorer.cider_scorer += (None, texts)
        scorer.cider_scorer.compute_doc_freq()
        scorer.cider_scorer.ref_len = np.log(float(len(scorer.cider_scorer.crefs)))
        np.testing.assert_allclose(
            scorer.my_self_cider(references[:3]), GOLDEN["my_self_cider Cider corpus"], rtol=1e-9, atol=1e-12
        )


class TestWholeEvaluation:
    def test_both_metrics(self, inputs, capsys):
        references, samples = inputs["words"]
        gts = {image: [{"caption": text} for text in texts] for image, texts in enumerate(references[:8])}
        res = [{"image_id": image, "caption": samples[image][0]} for image in gts]
        found = CIDErEvalCap(gts, res, "corpus").evaluate()
        assert list(found) == ["CIDEr", "CIDErD"]
        words = {image: [entry["caption"] for entry in entries] for image, entries in gts.items()}
        entries = [{**entry, "caption": [entry["caption"]]} for entry in res]
        np.testing.assert_allclose(found["CIDEr"], Cider().compute_score(words, entries)[1])
        np.testing.assert_allclose(found["CIDErD"], CiderD().compute_score(words, entries)[1])
        lines = capsys.readouterr().out.splitlines()
        assert lines[:4] == ["tokenization...", "tokenized refs", "tokenized cands", "setting up scorers..."]
        assert lines[4] == "computing CIDEr score..."
        assert lines[-1] == f"Mean CIDErD score: {np.mean(found['CIDErD']):0.3f}"

    def test_another_source(self):
        with pytest.raises(caplens.UsageError, match="gts or res"):
            PTBTokenizer("captions")


class TestFiles:
    def test_a_path_works_too(self, data):
        assert CiderD(df=str(data / "coco-train-idxs.p")).cider_scorer.ref_len == np.log(120.0)

    def test_the_metric_reads_them_too(self, inputs, data):
        """``cider(df=FILE.p)`` gives the score that was the reward."""
        gts, res = batch(inputs, "idxs", 1)
        path = data / "coco-train-idxs.p"
        candidates, references = [entry["caption"][0] for entry in res], [gts[entry["image_id"]] for entry in res]
        _, expected = CiderD(df=str(path)).compute_score(gts, res)
        found = caplens.score(candidates, references, f"cider(df={path}, tokenizer=none)")["CIDEr"]
        np.testing.assert_allclose(found.item_scores, expected, rtol=1e-9, atol=1e-12)
        assert "documents:120" in found.signature
        words = caplens.score(["a dog"], [["a dog"]], f"cider(df={data / 'coco-train-words.p'})")["CIDEr"]
        assert words.signature.partition("|df:")[2][:12] != found.signature.partition("|df:")[2][:12]
        with pytest.raises(caplens.UsageError, match="not stemmed"):
            caplens.score(["a dog"], [["a dog"]], f"cider(df={path}, variant=plain)")

    @pytest.mark.parametrize("table", [{"a dog": 2}, {("a", 1): 2}, {("a",): 2.5}, {("a",): -1}, {("a",): 8}])
    def test_the_metric_refuses_odd_tables(self, tmp_path, table):
        path = tmp_path / "df.pkl"
        path.write_bytes(pickle.dumps({"document_frequency": table, "ref_len": 7}))
        with pytest.raises(caplens.InputError, match="is not a pickle of document frequencies"):
            caplens.score(["a dog"], [["a dog"]], f"cider(df={path})")

    def test_no_file(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        with pytest.raises(caplens.InputError, match=r"no file of document frequencies at data.coco-train\.p"):
            CiderD(df="coco-train")

    @pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
    @pytest.mark.parametrize("number", [np.float64, np.int64, int, float])
    def test_numbers_of_all_kinds(self, tmp_path, protocol, number):
        path = tmp_path / "df.p"
        content = {"document_frequency": {("a", "dog"): number(3)}, "ref_len": number(7)}
        path.write_bytes(pickle.dumps(content, protocol=protocol))
        scorer = CiderD(df=str(path)).cider_scorer
        assert scorer.document_frequency == {("a", "dog"): 3}
        assert scorer.ref_len == np.log(7.0)

    def test_code_is_not_run(self, tmp_path):
        class Evil:
            def __reduce__(self):
                return (open, (str(tmp_path / "made"), "w"))

        path = tmp_path / "df.p"
        path.write_bytes(pickle.dumps({"document_frequency": Evil(), "ref_len": 1}))
        with pytest.raises(caplens.InputError, match="is not plain data; nothing was executed"):
            CiderD(df=str(path))
        assert not (tmp_path / "made").exists()

    @pytest.mark.parametrize(
        "content", [b"", b"x", b"\x80\x05", pickle.dumps([1]), pickle.dumps({"document_frequency": 1, "ref_len": 3}),
                    pickle.dumps({"document_frequency": {}, "ref_len": 0}), pickle.dumps({"document_frequency": {}})]
    )  # fmt: skip
    def test_other_files(self, tmp_path, content):
        path = tmp_path / "df.p"
        path.write_bytes(content)
        with pytest.raises(caplens.InputError, match="is not a pickle of document frequencies"):
            CiderD(df=str(path))


@pytest.mark.parametrize("res", [[{"image_id": 0, "caption": "a"}], [{"image_id": 0, "caption": ["a", "b"]}]])
def test_assertions_of_the_original(res):
    with pytest.raises(AssertionError):
        CiderD().compute_score({0: ["a dog"]}, res)
