"""Several rows an image: with their own references, with references by row or by image, and in comparisons."""

from __future__ import annotations

import json

import pytest

import caplens

IMAGES = 12
ROWS = [
    {
        "id": f"{image}-{sample}",
        "image": str(image),
        "candidate": f"a dog number {image} in place {sample}",
        "references": [f"a dog number {image}", f"two dogs at {image}"],
    }
    for image in range(IMAGES)
    for sample in range(5)
]


@pytest.fixture
def files(tmp_path):
    def write(name, lines):
        path = tmp_path / name
        path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
        return path

    rows = write("rows.jsonl", ROWS)
    by_row = tmp_path / "by_row.json"
    by_row.write_text(json.dumps({row["id"]: row["references"] for row in ROWS}), encoding="utf-8")
    by_image = tmp_path / "by_image.json"
    by_image.write_text(json.dumps({row["image"]: row["references"] for row in ROWS}), encoding="utf-8")
    return rows, by_row, by_image


@pytest.mark.parametrize("place", [1, 2], ids=["references by row", "references by image"])
def test_references_from_another_file_change_neither_scores_nor_intervals(files, place):
    whole = caplens.score(caplens.load_corpus(files[0]), metrics="rouge, cider(df_documents=images)")
    apart = caplens.score(caplens.load_corpus(files[0], files[place]), metrics="rouge, cider(df_documents=images)")
    assert apart["ROUGE_L"].interval == pytest.approx(whole["ROUGE_L"].interval)
    assert apart["ROUGE_L"].item_scores.tolist() == whole["ROUGE_L"].item_scores.tolist()
    if place == 2:  # by row, an image counts once for each of its (equal) reference sets
        assert apart["CIDEr"].item_scores == pytest.approx(whole["CIDEr"].item_scores)
        assert f"documents:{IMAGES}|" in apart["CIDEr"].signature


def test_comparisons_resample_images(files):
    ours = caplens.load_candidates(files[0])
    others = {row["id"]: "a cat" for row in ROWS}
    theirs = caplens.load_candidates(files[0])
    theirs.captions = [others[identifier] for identifier in theirs.ids]
    comparison = caplens.compare({"a": ours, "b": theirs}, caplens.load_references(files[2]), metrics="rouge")
    assert len(set(comparison["a"].groups)) == len(comparison["a"].intervals.units) == IMAGES
    assert comparison.tests[0].p_bootstrap < 0.01


def test_one_item_gives_no_p_value():
    test = caplens.compare({"a": ["a dog"], "b": ["a cat"]}, [["a dog"]], metrics="rouge").tests[0]
    assert test.to_dict()["p_bootstrap"] is None
    assert test.to_dict()["p_randomisation"] is None
    assert test.difference > 0
