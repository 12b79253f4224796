"""The critique that ships, as a metric."""

import numpy as np
import pytest
from tests.command_line import refuse

import caplens
from caplens.errors import CaplensError, MissingDataError
from caplens.files.arrays import write_arrays
from caplens.learned.critique import model as saved
from caplens.metrics.critique.metric import Critique

REFERENCES = ["a man rides a brown horse on the beach", "a person riding a horse near the ocean", "man on a horse"]
GOOD, OTHER = "a man is riding a horse along the beach", "two cats sleeping on a couch"
PERMUTED, RANDOM = "horse a riding the man along a is beach", "a salad is riding the plate towels the beach"


def scores(captions, given=REFERENCES, **options):
    metric = Critique(**options)
    return metric(captions, metric.prepare([given] * len(captions)))["Critique"].item_scores


def test_the_shipped_weights_are_small():
    assert sum(path.stat().st_size for path in saved.SHIPPED.iterdir()) < 10_000_000


def test_it_tells_good_captions_from_bad_ones():
    good, other, permuted, random = scores([GOOD, OTHER, PERMUTED, RANDOM])
    assert good > 0.5 > max(other, permuted, random)


def test_the_mean_over_references_or_the_first_one():
    each = [float(scores([GOOD], [reference])[0]) for reference in REFERENCES]
    assert scores([GOOD])[0] == pytest.approx(np.mean(each), abs=1e-12)
    assert scores([GOOD], references="first")[0] == pytest.approx(each[0], abs=1e-12)


@pytest.mark.parametrize("references", ["mean", "first"])
def test_candidates_without_references_can_score_zero(references):
    candidates, given = {"1": GOOD, "2": GOOD, "3": OTHER}, {"2": REFERENCES}
    found = caplens.score(candidates, given, f"critique(references={references})", missing="zero")["Critique"]
    assert found.item_scores[[0, 2]].tolist() == [0, 0]
    assert found.item_scores[1] == scores([GOOD], references=references)[0]


def test_neighbours_and_threads_change_nothing():
    captions = [GOOD, OTHER, PERMUTED, RANDOM, GOOD, ""] * 100
    together = scores(captions)
    alone = [scores([caption])[0] for caption in captions[:6]]
    assert together[:6].tolist() == alone
    assert np.array_equal(together, np.tile(together[:6], 100))
    metric = Critique()
    threads = metric(captions, metric.prepare([REFERENCES] * len(captions), jobs=2))["Critique"].item_scores
    assert np.array_equal(threads, together)


def test_empty_and_strange_captions_have_a_score():
    found = scores(["", "?!", "xyzzy plugh", "a " * 500])
    assert found[0] == 0
    assert (found[1:] > 0).all()
    assert (found[1:] < 0.5).all()


def test_explaining_captions_without_words_and_long_ones():
    def table(caption):
        data = caplens.explain(caption, REFERENCES, "critique").to_dict()
        return data["scores"]["Critique"], data["sections"][1]["rows"]

    assert table("") == (0, ())
    score, rows = table("dog")
    assert rows == (("dog", pytest.approx(score), ""),)  # without it there is no word left
    _, rows = table("a dog " * 13)
    assert [row[2] for row in rows] == [""] * 24 + ["not read"] * 2


def test_captions_of_unknown_words_are_named():
    result = caplens.score(["der hund rennt im schnee"], [["ein hund"]], "critique")
    assert [notice.code for notice in result.warnings] == ["words-unknown-to-critique"]


def test_another_tokenizer_than_the_critique_learned_with_is_named():
    result = caplens.score([GOOD], [REFERENCES], "critique(tokenizer=none)")
    assert [notice.code for notice in result.warnings] == ["tokenizer-unknown-to-critique"]


def test_the_signature_names_the_weights():
    signature = caplens.score([GOOD], [REFERENCES], "critique")["Critique"].signature
    assert f"network:{saved.load('shipped').fingerprint}" in signature.replace("=", ":")


def test_leaving_words_out_explains_the_score():
    explanation = caplens.explain("a man is riding a zebra along the beach", REFERENCES, "critique")
    data = (explanation[0] if isinstance(explanation, list) else explanation).to_dict()
    text, table, by_reference = data["sections"]
    influence = {word: value for word, value, _ in table["rows"]}
    marks = dict(text["words"])
    assert influence["zebra"] < influence["man"]
    for word in ("zebra", "riding", "man"):
        expected = "plain" if abs(influence[word]) < 0.02 else "match" if influence[word] > 0 else "miss"
        assert marks[word] == expected
    score = data["scores"]["Critique"]
    without = scores(["a man is riding a along the beach"])[0]
    assert influence["zebra"] == pytest.approx(score - without, abs=1e-6)
    assert np.mean([row[2] for row in by_reference["rows"]]) == pytest.approx(score)


def test_weights_that_are_not_there(tmp_path):
    with pytest.raises(MissingDataError, match="caplens train critique"):
        caplens.score([GOOD], [REFERENCES], f"critique(weights={tmp_path})")
    (tmp_path / "rows.jsonl").write_text('{"id": 1, "candidate": "a dog", "references": ["a dog runs"]}\n')
    assert "weights.safetensors is missing" in refuse(
        "score", tmp_path / "rows.jsonl", "-m", f"critique(weights={tmp_path})"
    )


def test_weights_that_are_damaged(tmp_path):
    for file in saved.SHIPPED.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    weights = tmp_path / saved.WEIGHTS
    weights.write_bytes(weights.read_bytes()[:-10])
    with pytest.raises(CaplensError, match="truncated"):
        caplens.score([GOOD], [REFERENCES], f"critique(weights={tmp_path})")
    write_arrays(weights, {"words": np.zeros(1, np.uint8)}, {"format": "other"})
    with pytest.raises(CaplensError, match="a critique that this version"):
        caplens.score([GOOD], [REFERENCES], f"critique(weights={tmp_path})")


@pytest.mark.parametrize(("old", "new"), [("hidden = 96", "hidden = 97"), ('"matching"', '"bilinear"')])
def test_settings_that_do_not_fit_the_weights(tmp_path, old, new):
    for file in saved.SHIPPED.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    config = tmp_path / saved.CONFIG
    config.write_text(config.read_text().replace(old, new))
    with pytest.raises(CaplensError, match="does not match"):
        caplens.score([GOOD], [REFERENCES], f"critique(weights={tmp_path})")
