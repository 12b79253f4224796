"""CIDEr's document frequencies: from a file, by rows or images, and prepared for a training loop."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import caplens
from caplens.api.frequencies import build_frequencies
from caplens.core.prepared import PreparedReferences, Usage
from caplens.corpus import PairedTable, collect, from_pairs, reference_table
from caplens.metrics.cider.document_frequencies import add_frequencies, as_ngrams, count_documents
from caplens.metrics.cider.frequency_files import SUFFIXES
from caplens.metrics.cider.metric import FEW_DOCUMENTS


@pytest.fixture(scope="module")
def example(example_dir):
    human = {row["image_id"]: row["caption"] for row in json.loads((example_dir / "human.json").read_text("utf-8"))}
    references = {image: [] for image in human}
    for row in json.loads((example_dir / "references.json").read_text("utf-8"))["annotations"]:
        references[row["image_id"]].append(row["caption"])
    return human, references


@pytest.fixture(scope="module", params=SUFFIXES)
def df_file(request, example, tmp_path_factory):
    path = tmp_path_factory.mktemp("df") / f"df{request.param}"
    build_frequencies(example[1], path)
    return path


@pytest.fixture(scope="module")
def parquet_file(example, tmp_path_factory):
    path = tmp_path_factory.mktemp("df") / "df.parquet"
    build_frequencies(example[1], path)
    return path


def first(mapping, count):
    return dict(list(mapping.items())[:count])


class TestFromAFile:
    @pytest.mark.parametrize("options", ["n=4", "n=2", "n=1", "sigma=3", "variant=plain"])
    @pytest.mark.parametrize("tokenizer", ["ptb", "none", "intl", "char"])
    def test_any_part_scores_as_in_the_whole_corpus(self, example, tmp_path, options, tokenizer):
        human, references = example
        path = tmp_path / "df.safetensors"
        built = build_frequencies(references, path, tokenizer=tokenizer, stem="plain" in options)
        assert built.documents == len(references)
        whole = caplens.score(human, references, f"cider({options})", tokenizer=tokenizer)["CIDEr"].item_scores
        request = f"cider({options},df={path})"
        for part in (1, 7, len(human)):
            result = caplens.score(first(human, part), references, request, tokenizer=tokenizer)
            np.testing.assert_allclose(result["CIDEr"].item_scores, whole[:part], rtol=0, atol=1e-12)

    def test_a_caption_that_shares_nothing_with_the_file_scores(self, df_file):
        score = caplens.score(["zyx wvu"], [["zyx wvu", "qq"]], f"cider(df={df_file})")["CIDEr"]
        assert score.score == pytest.approx(10 * (1 + 1) / 4 / 2)  # orders 1 and 2 of 4, one of two references

    def test_the_signature_names_file_documents_and_hash(self, example, df_file):
        human, references = example
        from_file = caplens.score(first(human, 3), references, f"cider(df={df_file})")["CIDEr"].signature
        from_corpus = caplens.score(human, references, "cider")["CIDEr"].signature
        fingerprint = from_corpus.split("|df:")[1]
        assert from_file.endswith(f"|documents:250|df:{fingerprint}")
        assert f"df={df_file}" in from_file

    def test_no_warning_where_a_file_has_the_documents(self, example, df_file):
        result = caplens.score(first(example[0], 1), example[1], f"cider(df={df_file})")
        assert "few-documents" not in {notice.code for notice in result.warnings}

    def test_a_file_of_shorter_ngrams_serves_shorter_ngrams(self, example, tmp_path):
        human, references = example
        build_frequencies(references, tmp_path / "short.safetensors", max_order=2)
        short = caplens.score(human, references, f"cider(n=2, df={tmp_path / 'short.safetensors'})")["CIDEr"]
        assert short.item_scores == pytest.approx(caplens.score(human, references, "cider(n=2)")["CIDEr"].item_scores)
        with pytest.raises(caplens.UsageError, match=r"short\.safetensors counts n-grams up to 2, not 4"):
            caplens.score(human, references, f"cider(df={tmp_path / 'short.safetensors'})")

    def test_a_file_of_longer_ngrams_serves_too(self, example, tmp_path):
        human, references = example
        build_frequencies(references, tmp_path / "long.safetensors", max_order=6)
        for n in (4, 6):
            ours = caplens.score(human, references, f"cider(n={n}, df={tmp_path / 'long.safetensors'})")["CIDEr"]
            assert ours.item_scores == pytest.approx(
                caplens.score(human, references, f"cider(n={n})")["CIDEr"].item_scores, abs=1e-12
            )

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ("tokenizer=intl", r"tokenizer=ptb \(not stemmed\), but this CIDEr uses tokenizer=intl \(not stemmed\)"),
            ("variant=plain", r"tokenizer=ptb \(not stemmed\), but this CIDEr uses tokenizer=ptb \(stemmed\)"),
        ],
    )
    def test_other_rules_than_the_files_are_refused(self, example, df_file, options, words):
        with pytest.raises(caplens.UsageError, match=words):
            caplens.score(*example, f"cider(df={df_file}, {options})")

    def test_a_missing_file_names_the_command_that_makes_it(self, example):
        with pytest.raises(caplens.InputError) as refused:
            caplens.score(*example, "cider(df=nowhere.parquet)")
        assert str(refused.value) == (
            "There is no file of document frequencies at nowhere.parquet; create it with: caplens df build REFERENCES "
            "-o nowhere.parquet"
        )

    @pytest.mark.parametrize(
        "damage", ["truncated", "garbage", "empty", "other table", "no facts", "no tokenizer", "nulls"]
    )
    def test_a_damaged_parquet_file_is_refused(self, example, parquet_file, tmp_path, damage):
        path = tmp_path / "damaged.parquet"
        table = pq.read_table(parquet_file)
        facts = dict(table.schema.metadata)
        if damage in ("truncated", "garbage", "empty"):
            content = parquet_file.read_bytes()
            path.write_bytes({"truncated": content[: len(content) // 2], "garbage": b"x" * 99, "empty": b""}[damage])
        elif damage == "other table":
            pq.write_table(pa.table({"a": [1]}).replace_schema_metadata(facts), path)
        elif damage == "no facts":
            pq.write_table(table.replace_schema_metadata({}), path)
        elif damage == "no tokenizer":
            del facts[b"caplens.tokenizer"]
            pq.write_table(table.replace_schema_metadata(facts), path)
        else:
            holes = pa.table({"ngram": ["a", None], "df": pa.array([3, None], pa.int32())})
            pq.write_table(holes.replace_schema_metadata(facts), path)
        with pytest.raises(caplens.InputError, match=r"damaged\.parquet is not a file of document frequencies"):
            caplens.score(*example, f"cider(df={path})")

    @pytest.mark.parametrize("name", ["df.json", "df", "df.csv"])
    def test_nothing_else_is_written(self, example, tmp_path, name):
        with pytest.raises(caplens.UsageError, match=r"must end in \.safetensors or \.parquet"):
            build_frequencies(example[1], tmp_path / name)
        assert list(tmp_path.iterdir()) == []

    def test_odd_words_survive_the_file(self, tmp_path):
        words = ["'", "''", "'''", "\ufffd", "-lrb-", "1\u00a01/2", "\u200b", "😀", "a|b", '"', "ﬁ", "\u3000x"]
        words += ["a\nb", "\x85\u2028", "\x00"]
        references = [[word, f"{word} dog"] for word in words for _ in range(2)]
        candidates = [f"{word} dog" for word in words for _ in range(2)]
        for tokenizer in ("ptb", "none", "intl", "char"):
            for variant in ("d", "plain"):
                path = tmp_path / f"{tokenizer}-{variant}.safetensors"
                build_frequencies(references, path, tokenizer=tokenizer, stem=variant == "plain")
                options = f"variant={variant}, tokenizer={tokenizer}"
                expected = caplens.score(candidates, references, f"cider({options})")["CIDEr"].item_scores
                got = caplens.score(candidates, references, f"cider({options}, df={path})")["CIDEr"].item_scores
                np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


class TestDocuments:
    rows = PairedTable(
        ["1", "2", "3"],
        ["a dog", "a dog runs", "two cats"],
        [["a dog"], ["a dog"], ["two cats"]],
        "rows",
        ["x", "x", "y"],
    )

    def test_rows_count_shared_references_once_a_row_and_images_once(self):
        corpus = from_pairs(self.rows)
        by_rows = caplens.score(corpus, metrics="cider(n=1)")["CIDEr"]
        by_images = caplens.score(corpus, metrics="cider(n=1, df_documents=images)")["CIDEr"]
        assert "|documents:3|" in by_rows.signature
        assert "|documents:2|" in by_images.signature
        # `runs` is in no document: its weight is log N, that of `a` and `dog` log N - log df.
        for score, documents, frequency in ((by_rows, 3, 2), (by_images, 2, 1)):
            weight, rare = np.log(documents / frequency), np.log(documents)
            expected = 10 * 2 * weight**2 / (np.sqrt(2 * weight**2) * np.sqrt(2 * weight**2 + rare**2))
            assert score.item_scores[1] == pytest.approx(expected)

    def test_without_sharing_both_are_the_same(self, example):
        rows, images = (caplens.score(*example, f"cider(df_documents={kind})")["CIDEr"] for kind in ("rows", "images"))
        assert rows.item_scores.tolist() == images.item_scores.tolist()

    @pytest.mark.parametrize("count", [1, 2, FEW_DOCUMENTS - 1, FEW_DOCUMENTS])
    def test_few_documents_are_warned_about(self, example, count):
        result = caplens.score(first(example[0], count), first(example[1], count), "cider")
        found = [notice for notice in result.warnings if notice.code == "few-documents"]
        assert [notice.count for notice in found] == ([count] if count < FEW_DOCUMENTS else [])
        if count == 1:
            assert "only 1 row, so it is 0; use cider(df=coco-val2014)" in str(found[0])
            assert result["CIDEr"].score == 0


class TestTrainingLoop:
    @pytest.mark.parametrize("request_text", ["bleu", "rouge", "cider", "cider(variant=plain)", "cider(df={df})"])
    def test_batches_score_as_the_corpus(self, example, df_file, request_text):
        human, references = example
        metric = caplens.metric(request_text.format(df=df_file))
        expected = caplens.score(human, references, metric)
        prepared = metric.prepare(references)
        ids = list(human)
        for start in range(0, 250, 100):
            batch = ids[start : start + 100]
            by_ids = metric([human[image] for image in batch], prepared, ids=batch)
            by_mapping = metric({str(image): human[image] for image in batch}, prepared)
            for key, score in expected.items():
                np.testing.assert_allclose(by_ids[key].item_scores, score.item_scores[start : start + 100], atol=1e-12)
                assert by_mapping[key].item_scores.tolist() == by_ids[key].item_scores.tolist()
            assert by_ids.ids == list(batch)

    def test_positions(self, example):
        human, references = (list(side.values()) for side in example)
        metric = caplens.metric("cider")
        prepared = metric.prepare(references)
        expected = caplens.score(human, references, metric)["CIDEr"].item_scores
        np.testing.assert_allclose(metric(human, prepared)["CIDEr"].item_scores, expected, atol=1e-12)
        assert metric([human[3]], prepared, ids=[3])["CIDEr"].score == pytest.approx(expected[3])

    def test_several_samples_of_one_image(self, example):
        human, references = example
        image = next(iter(human))
        metric = caplens.metric("rouge")
        samples = metric([human[image], references[image][0], ""], metric.prepare(references), ids=[image] * 3)
        assert samples["ROUGE_L"].item_scores[1:].tolist() == [1, 0]
        assert [notice.code for notice in samples.warnings] == ["empty-candidate"]

    @pytest.mark.parametrize(
        ("candidates", "ids", "error", "words"),
        [
            (["a"], ["nope"], caplens.InputError, "their ids never match"),
            (["a", "b"], ["1"], caplens.InputError, "Found 2 captions but 1 id"),
            ({"1": "a"}, ["1"], caplens.UsageError, "either a mapping from id to caption, or a list"),
            (["a", "b"], None, caplens.InputError, "prepared by id: pass a mapping from id to caption, or ids="),
            ("a dog", None, caplens.InputError, "The candidates are a single string: write a list"),
            (5, None, caplens.InputError, "The candidates must be a list, a mapping"),
            ([], [], caplens.InputError, "nothing to score: the batch is empty"),
            ({}, None, caplens.InputError, "nothing to score: the batch is empty"),
            ([None], ["1"], caplens.InputError, r"1 candidate is not text \(id 1\)"),
            (["a"], [True], caplens.InputError, "An id must be text or a whole number, not True"),
        ],
    )
    def test_mistakes_are_said_in_one_sentence(self, candidates, ids, error, words):
        metric = caplens.metric("rouge")
        with pytest.raises(error, match=words):
            metric(candidates, metric.prepare({"1": ["a dog"], "2": ["a cat"]}), ids=ids)

    def test_a_batch_by_position_must_fit(self):
        metric = caplens.metric("rouge")
        with pytest.raises(caplens.InputError, match=r"A batch of 1 captions does not match 2 .*; pass ids="):
            metric(["a"], metric.prepare([["a"], ["b"]]))

    def test_a_position_without_references_is_refused(self):
        with pytest.raises(caplens.InputError, match=r"1 of 3 items have no references \(positions 1\)"):
            caplens.metric("rouge").prepare([["a"], [], ["b"]])

    def test_references_serve_the_metric_they_were_prepared_for(self):
        prepared = caplens.metric("cider").prepare([["a dog"]])
        with pytest.raises(caplens.UsageError, match=r"prepared for cider\(n=4.*, not cider\(n=2"):
            caplens.metric("cider(n=2)")(["a dog"], prepared)

    def test_new_words_leave_nothing_behind(self, example, df_file):
        human, references = example
        metric = caplens.metric(f"cider(df={df_file})")
        prepared = metric.prepare(references)
        ids = list(human)[:50]
        metric([human[image] for image in ids], prepared, ids=ids)

        def sizes():
            index = prepared.references.get(metric.ngrams).index
            return [index.size(order) for order in range(1, 5)], len(prepared.references._values)

        before = sizes()
        for step in range(200):
            metric([f"{human[image]} new{step} words{step}" for image in ids], prepared, ids=ids)
        assert sizes() == before


def test_images_with_equal_references_are_two_documents():
    """Two images with the same references, one of them in two rows: rows count three times, images twice."""
    table = PairedTable(
        ids=["1", "2", "3", "4"],
        candidates=["a dog", "two dogs", "a dog", "a cat"],
        references=[["a dog"], ["a dog"], ["a dog"], ["a cat"]],
        source="",
        images=["x", "x", "y", "z"],
    )
    usage = Usage.of(from_pairs(table))
    assert usage.rows.tolist() == [3, 1]
    assert usage.images.tolist() == [2, 1]


def test_few_documents_in_a_file_are_warned_about(tmp_path):
    path = tmp_path / "tiny.safetensors"
    build_frequencies([["a dog"], ["a cat"]], path)
    result = caplens.score(["a dog"], [["a dog runs"]], f'cider(df="{path}")')
    assert [notice.code for notice in result.warnings] == ["few-documents"]
    assert "tiny.safetensors" in result.warnings[0].message


def test_parts_add_up_to_the_whole(example):
    references = list(example[1].values())
    ngrams = caplens.metric("cider").ngrams
    whole, *parts = (
        count_documents(PreparedReferences(collect(reference_table(part))[0]), ngrams, np.ones(len(part), np.int64))
        for part in (references, references[:90], references[90:])
    )
    added = add_frequencies(parts)
    assert (added.documents, added.fingerprint) == (whole.documents, whole.fingerprint)
    for one, other in zip(as_ngrams(added, 1), as_ngrams(whole, 1), strict=True):
        assert list(one) == list(other)
