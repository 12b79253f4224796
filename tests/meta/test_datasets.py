"""Loaders of human judgments: what they find in the real files, and what they say about wrong ones."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from caplens.errors import InputError, UsageError
from caplens.meta.captions.judged import apply_preset, choose_preset
from caplens.meta.datasets import CAPTION_SETS, PAIR_SETS, SYSTEM_SETS
from caplens.meta.datasets.abstract50s import infer_kinds
from caplens.meta.datasets.coco2015 import leaderboard_scores
from caplens.meta.datasets.foil import others
from caplens.meta.datasets.triplets import VotedPair, read_triplets
from caplens.meta.pairs.judged import apply_pair_preset


def load(name, folder, captions=None):
    return {**CAPTION_SETS, **PAIR_SETS}[name].load(folder, captions or folder)


class TestFlickr8k:
    def test_the_experts_rated_5822_captions(self, shared_dir):
        judged = load("flickr8k-expert", shared_dir)
        assert (len(judged), len(set(judged.images)), judged.ratings["rating"].shape) == (5822, 1000, (5822, 3))
        assert int(judged.own.sum()) == 158
        assert {len(references) for references in judged.references} == {5}

    def test_the_crowd_voted_on_47830(self, shared_dir):
        judged = load("flickr8k-crowd", shared_dir / "flickr8k")
        assert (len(judged), int(judged.own.sum())) == (47_830, 721)

    def test_own_captions_are_kept_left_out_or_removed(self, flickr):
        known = CAPTION_SETS["flickr8k-expert"]
        judged = known.load(flickr, flickr)
        kept = apply_preset(judged, choose_preset(known.presets, "000"))
        clean = apply_preset(judged, choose_preset(known.presets, "clipscore"))
        assert (len(kept), kept.left_out) == (8, ())
        assert len(clean) == 7
        assert [(gone.code, gone.ids) for gone in clean.left_out] == [("own-reference", ("dog.jpg dog.jpg#1",))]

    def test_an_unknown_caption_is_named(self, flickr):
        with (flickr / "ExpertAnnotations.txt").open("a") as file:
            file.write("dog.jpg\tfish.jpg#3\t1\t1\t1\n")
        with pytest.raises(InputError, match=r"1 image or caption of ExpertAnnotations.txt .*fish.jpg#3"):
            load("flickr8k-expert", flickr)

    def test_a_line_without_all_cells_is_named(self, flickr):
        (flickr / "ExpertAnnotations.txt").write_text("dog.jpg\tcat.jpg#0\t1\n")
        with pytest.raises(InputError, match=r"Line 1 of .*ExpertAnnotations.txt has 3 cells"):
            load("flickr8k-expert", flickr)

    def test_a_rating_that_is_no_number_is_named(self, flickr):
        (flickr / "ExpertAnnotations.txt").write_text("dog.jpg\tcat.jpg#0\t1\tx\t2\n")
        with pytest.raises(InputError, match=r"Line 1 of .* not a number"):
            load("flickr8k-expert", flickr)


class TestComposite:
    def test_the_sample_with_references_of_three_sets(self, shared_dir):
        judged = load("composite", shared_dir)
        assert len(judged) == 60
        assert set(judged.ratings) == {"correctness"}
        assert len(set(judged.ids)) == 60
        clean = apply_preset(judged, CAPTION_SETS["composite"].presets[0])
        sizes = [len(before) - len(after) for before, after in zip(judged.references, clean.references, strict=True)]
        assert [size > 0 for size in sizes] == judged.own.tolist()
        assert any(judged.own)

    def test_thoroughness_is_used_where_it_is(self, flickr):
        path = flickr / "composite.csv"
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["source", "image_id", "position", "caption", "correctness_1to5", "thoroughness_1to5"])
            writer.writerow(["flickr8k", "dog", 0, "a dog runs on grass .", 5, 4])
            writer.writerow(["flickr8k", "cat", 1, "a bus .", 1, 2])
        judged = load("composite", flickr)
        assert {aspect: ratings.ravel().tolist() for aspect, ratings in judged.ratings.items()} == {
            "correctness": [5, 1],
            "thoroughness": [4, 2],
        }
        assert judged.own.tolist() == [True, False]

    def test_images_without_references_are_counted(self, flickr):
        (flickr / "composite.csv").write_text(
            "source,image_id,position,caption,correctness_1to5\nflickr8k,fish,0,a fish,3\n"
        )
        with pytest.raises(InputError, match=r"1 image of composite.csv have no reference captions .*flickr8k fish"):
            load("composite", flickr)

    def test_a_missing_column_is_named(self, flickr):
        (flickr / "composite.csv").write_text("source,image_id,text\nflickr8k,dog,a dog\n")
        with pytest.raises(InputError, match="no column 'caption'; it has source, image_id, text"):
            load("composite", flickr)

    def test_the_preset_000_needs_thoroughness(self, shared_dir):
        with pytest.raises(InputError, match="needs ratings of thoroughness; the data only has correctness"):
            apply_preset(load("composite", shared_dir), choose_preset(CAPTION_SETS["composite"].presets, "000"))


class TestThumb:
    def test_2500_captions_of_500_images(self, shared_dir):
        judged = load("thumb", shared_dir)
        assert (len(judged), len(set(judged.images)), len(set(judged.ids))) == (2500, 500, 2500)
        machine = apply_preset(judged, choose_preset(CAPTION_SETS["thumb"].presets, "machine"))
        assert (len(machine), len(machine.left_out[0].ids)) == (2000, 500)


class TestPairs:
    def test_pascal_sample(self, shared_dir):
        pairs = load("pascal50s", shared_dir)
        assert (len(pairs), pairs.categories.count("MM"), {len(texts) for texts in pairs.references}) == (40, 10, {50})
        assert pairs.votes["consensus"].sum(axis=1).tolist() == [1] * 40

    def test_abstract_from_json_and_from_the_original_file(self, shared_dir):
        pairs = load("abstract50s", shared_dir)
        assert (len(pairs), len(set(pairs.images)), {len(texts) for texts in pairs.references}) == (400, 200, {48})
        pytest.importorskip("scipy.io")
        original = read_triplets(shared_dir / "abstract50s" / "consensus_abstract.mat")
        assert [pair.votes for pair in original] == [
            tuple(votes) for votes in pairs.votes["votes"].astype(int).tolist()
        ]
        assert [pair.first for pair in original] == pairs.first
        assert [pair.references for pair in original] == pairs.references

    def test_abstract_kinds_agree_with_what_the_captions_prove(self, shared_dir):
        """A caption that both pairs of an image share is the image's own, so in any other image it is the wrong one."""
        pairs = load("abstract50s", shared_dir)
        assert (pairs.categories.count("HC"), pairs.categories.count("HI")) == (200, 200)
        assert [preset.references for preset in PAIR_SETS["abstract50s"].presets] == [None, 5, 5]
        of_image = {}
        for place, image in enumerate(pairs.images):
            of_image.setdefault(image, []).append(place)
        captions = [{first, second} for first, second in zip(pairs.first, pairs.second, strict=True)]
        shared = {image: captions[one] & captions[other] for image, (one, other) in of_image.items()}
        owner = {caption: image for image, (caption,) in shared.items()}
        proven = [
            place
            for image, places in of_image.items()
            for place in places
            if owner.get(*(captions[place] - shared[image]), image) != image
        ]
        assert (len(proven), sum(pairs.categories[place] == "HI" for place in proven)) == (37, 35)

    def test_pairs_that_share_no_caption_have_no_kind(self):
        pairs = [VotedPair("a", "b", ("r",), (1, 0)), VotedPair("c", "d", ("r",), (1, 0))]
        assert infer_kinds(pairs) is None
        assert infer_kinds(pairs[:1]) is None

    def test_tied_votes_are_left_out_and_counted(self, shared_dir):
        pairs = apply_pair_preset(load("abstract50s", shared_dir), PAIR_SETS["abstract50s"].presets[0])
        assert (len(pairs), [(gone.code, len(gone.ids)) for gone in pairs.left_out]) == (388, [("tied-votes", 12)])

    def test_foil_has_four_other_references(self, shared_dir):
        pairs = load("foil", shared_dir)
        assert len(pairs) == 1000
        assert min(map(len, pairs.references)) == 4

    def test_the_reference_that_the_caption_is_goes(self):
        assert others("a dog runs", ("A dog runs!", "a dog sits", "a cat")) == ("a dog sits", "a cat")

    def test_pascal_from_the_original_files(self, tmp_path):
        """Written as the original files are: cells in cells."""
        scipy_io = pytest.importorskip("scipy.io")
        names = [("dog.jpg", "a dog", "a cat", 1), ("bus.jpg", "a bus", "a car", 4)]
        inputs, triplets = (
            np.empty(2, dtype=object),
            np.empty(6, dtype=[(name, object) for name in ("A", "B", "C", "rating")]),
        )
        for place, (image, first, second, _) in enumerate(names):
            inputs[place] = np.array([image, first, second], dtype=object)
            for vote in range(3):
                rating = 1 if vote < 2 - place else -1
                triplets[3 * place + vote] = (
                    cell(f"reference {vote}"),
                    cell(first),
                    cell(second),
                    np.array([[rating]]),
                )
        scipy_io.savemat(tmp_path / "pair_pascal.mat", {"new_input": inputs, "category": [row[3] for row in names]})
        scipy_io.savemat(tmp_path / "consensus_pascal.mat", {"triplets": triplets})
        pairs = load("pascal50s", tmp_path)
        assert (pairs.images, pairs.first, pairs.second) == (
            ["dog.jpg", "bus.jpg"],
            ["a dog", "a bus"],
            ["a cat", "a car"],
        )
        assert (pairs.categories, pairs.votes["votes"].tolist()) == (["HC", "MM"], [[2, 1], [1, 2]])
        assert pairs.references[0] == ("reference 0", "reference 1", "reference 2")

    def test_pascal_pairs_like_their_neighbour_or_unlike_their_triplets(self, tmp_path):
        """Triplets are dealt out by number: equal neighbours stay two pairs, and others are left out and named."""
        scipy_io = pytest.importorskip("scipy.io")
        inputs = np.empty(3, dtype=object)
        for place, first in enumerate(("a  dog ", "a dog", "a bird")):
            inputs[place] = np.array(["dog.jpg", first, "a cat"], dtype=object)
        triplets = np.empty(6, dtype=[(name, object) for name in ("A", "B", "C", "rating")])
        for place in range(6):
            triplets[place] = (cell(f"reference {place}"), cell("a dog"), cell("a cat"), np.array([[1]]))
        scipy_io.savemat(tmp_path / "pair_pascal.mat", {"new_input": inputs, "category": [1, 1, 4]})
        scipy_io.savemat(tmp_path / "consensus_pascal.mat", {"triplets": triplets})
        pairs = load("pascal50s", tmp_path)
        assert (pairs.ids, pairs.votes["votes"].tolist()) == (["1", "2"], [[2, 0], [2, 0]])
        assert [(gone.code, gone.ids) for gone in pairs.left_out] == [("other-captions", ("3",))]
        (tmp_path / "consensus_pascal.mat").write_bytes(b"no matrix at all" * 20)
        with pytest.raises(InputError, match="cannot be read as a MATLAB file"):
            load("pascal50s", tmp_path)


def cell(text):
    box = np.empty((1, 1), dtype=object)
    box[0, 0] = text
    return box


class TestCoco2015:
    def test_eleven_of_seventeen_entries_match_by_team_and_date(self, shared_dir):
        systems = SYSTEM_SETS["coco2015"].load(shared_dir)
        assert (len(systems.names), set(systems.human)) == (17, {"M1", "M2", "M3", "M4", "M5"})
        found, rows, later = leaderboard_scores(systems, shared_dir, "cap_c40.json")
        assert (len(found.names), len(rows), later) == (11, 11, {})
        assert len(found.left_out[0].ids) == 6

    def test_by_team_later_entries_are_taken_and_named(self, shared_dir):
        systems = SYSTEM_SETS["coco2015"].load(shared_dir)
        found, _, later = leaderboard_scores(systems, shared_dir, "cap_c40.json", "team")
        assert (len(found.names), found.left_out[0].ids) == (16, ("Random",))
        assert later["PicSOM"] == "2016-02-10"

    def test_other_ways_to_join_do_not_exist(self, shared_dir):
        with pytest.raises(UsageError, match="joined by date or team, not by 'url'"):
            leaderboard_scores(SYSTEM_SETS["coco2015"].load(shared_dir), shared_dir, "cap_c40.json", "url")


class TestTable:
    def test_rows_of_several_raters(self, tmp_path):
        path = tmp_path / "table.csv"
        path.write_text('id,candidate,references,human1,human2\n1,a dog,"[""a dog"", ""two""]",1,\n2,a cat,a bus,2,3\n')
        judged = CAPTION_SETS["table"].load(path, path)
        assert judged.references == [("a dog", "two"), ("a bus",)]
        np.testing.assert_array_equal(judged.ratings["human"], [[1, np.nan], [2, 3]])
        assert judged.own.tolist() == [True, False]

    def test_captions_without_a_rating_or_a_reference_are_left_out(self, tmp_path):
        path = tmp_path / "table.jsonl"
        rows = [(1, ["a"], 1), (2, [], 2), (3, ["b"], None)]
        path.write_text(
            "\n".join(json.dumps({"id": i, "candidate": "c", "references": r, "human": h}) for i, r, h in rows)
        )
        judged = apply_preset(CAPTION_SETS["table"].load(path, path), CAPTION_SETS["table"].presets[0])
        assert judged.ids == ["1"]
        assert [(gone.code, gone.ids) for gone in judged.left_out] == [("no-rating", ("3",)), ("no-reference", ("2",))]

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("id,candidate,references\n1,a,b\n", "no column 'human'"),
            ("id,candidate,human\n1,a,1\n", "no column 'references'"),
            ("id,candidate,references,human\n1,a,b,1\n1,a,b,2\n", "repeats 1"),
            ("id,candidate,references,human\n1,a,b,good\n", "Row 1 of .* 'good' in 'human', which is not a number"),
            ("id,candidate,references,human\n", "has no rows"),
            ("id,candidate,references,human\n1,a,b,1\n2,a,b,inf\n3,a,b,x\n", r"Row 2 .*and 1 row more.* has 'inf'"),
            ('[{"id": 1, "candidate": null, "references": ["b"], "human": 1}]', "1 row of .* no candidate"),
        ],
    )
    def test_wrong_tables(self, tmp_path, content, message):
        path = tmp_path / "table.csv"
        path.write_text(content)
        with pytest.raises(InputError, match=message):
            CAPTION_SETS["table"].load(path, path)


def test_an_unknown_preset_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match="no preset 'mine' here: choose from clipscore, 004, 000"):
        choose_preset(CAPTION_SETS["flickr8k-expert"].presets, "mine")


@pytest.mark.parametrize("name", ["flickr8k-expert", "composite", "pascal50s", "abstract50s", "distraction"])
def test_the_bleu_of_paper_000_is_the_smoothed_one(name):
    """Kilickaya et al., section 2.1: "we use the smoothed version of BLEU"."""
    preset = choose_preset({**CAPTION_SETS, **PAIR_SETS}[name].presets, "000")
    assert "Bleu_smoothed" in preset.printed
    assert "Bleu_4" not in preset.printed
