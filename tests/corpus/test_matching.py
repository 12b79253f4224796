"""Validation: what is accepted, what is refused with which sentence, what is only counted."""

from __future__ import annotations

import numpy as np
import pytest

import caplens
from caplens.api.inputs import corpus_of
from caplens.corpus import CaptionTable, PairedTable, collect, from_pairs, normalise_id, pair

DOG = ["a dog"]


def refusal(candidates, references, **options):
    with pytest.raises(caplens.InputError) as refused:
        corpus_of(candidates, references, **options)
    return str(refused.value)


def notices(corpus):
    return {notice.code: notice for notice in corpus.notices}


def table(ids, captions=None, **more):
    return CaptionTable(ids, captions or ["a dog"] * len(ids), "file.json", **more)


class TestIds:
    @pytest.mark.parametrize(
        ("candidate_id", "reference_id"), [(1, "1"), ("1", 1), (np.int64(1), "1"), (1, np.int32(1))]
    )
    def test_a_number_and_its_text_are_one_id(self, candidate_id, reference_id):
        corpus = corpus_of({candidate_id: "a dog"}, {reference_id: DOG})
        assert corpus.ids == ["1"]
        assert corpus.references.texts(0) == DOG

    @pytest.mark.parametrize("ids", [[7, 7], [1, "1"], ["a", "a"], [np.int64(3), "3"]])
    def test_repeated_candidate_ids_are_refused(self, ids):
        with pytest.raises(caplens.InputError) as refused:
            pair(table(ids), table([ids[0]]))
        assert str(refused.value) == (
            f"The candidates in file.json repeat 1 id ({ids[0]}): every row needs its own id (1 and '1' are the same "
            "id). If they are several candidates per image, use several='each', 'mean' or 'best'."
        )

    def test_many_repeated_ids_are_counted_and_the_first_named(self):
        with pytest.raises(caplens.InputError, match=r"repeat 1,200 ids \(0, 1, 2, 3, 4 and 1,195 more\)"):
            pair(table([*range(1200), *range(1200)]), table([0, 0]))

    def test_references_of_one_id_are_gathered_wherever_they_stand(self):
        corpus = pair(table(["x", "y"]), table(["y", "x", "y"], ["1", "2", "3"]))
        assert [corpus.references.texts(index) for index in corpus.reference_set] == [["2"], ["1", "3"]]

    @pytest.mark.parametrize("side", ["candidates", "references"])
    @pytest.mark.parametrize("odd", [True, None, 1.0, float("nan"), ("a", "b"), b"1"])
    def test_ids_that_are_neither_text_nor_whole_numbers_are_refused(self, odd, side):
        ids = {"candidates": ["1"], "references": ["1"], side: [odd]}
        with pytest.raises(caplens.InputError, match="An id must be text or a whole number, not"):
            pair(table(ids["candidates"]), table(ids["references"]))

    def test_an_unhashable_id_is_refused_alike(self):
        with pytest.raises(caplens.InputError, match=r"not \[1\] \(list\)"):
            pair(table(["1"]), table([[1]]))

    def test_a_numpy_string_is_an_id(self):
        assert normalise_id(np.str_("a")) == "a"
        assert type(normalise_id(np.str_("a"))) is str

    def test_other_ids_are_used_where_more_candidates_match_them(self):
        references = table(["0", "1"], other_ids={"filename": ["a.jpg", "b.jpg"]})
        assert pair(table(["b.jpg"]), references).references.ids == ["b.jpg"]
        assert pair(table(["1"]), references).references.ids == ["1"]


class TestMissingReferences:
    candidates = {1: "a dog", 2: "a cat", 3: "a cow"}
    references = {2: ["a cat"]}

    def test_they_are_refused_by_default(self):
        assert refusal(self.candidates, self.references) == (
            "2 of 3 candidates have no references (1, 3): use missing='skip' to skip them or missing='zero' "
            "to score them 0."
        )

    def test_skip_leaves_them_out(self):
        corpus = corpus_of(self.candidates, self.references, "skip")
        assert corpus.ids == ["2"]
        assert list(corpus.candidates) == ["a cat"]
        assert notices(corpus)["missing-references"].to_dict() == {
            "code": "missing-references",
            "message": "2 of 3 candidates have no references; skipped",
            "count": 2,
            "ids": ["1", "3"],
        }

    def test_zero_scores_them_zero(self):
        result = caplens.score(self.candidates, self.references, "all", missing="zero")
        assert result.ids == [1, 2, 3]
        for score in result.values():
            if score.run.metric.needs_references:
                assert score.item_scores[[0, 2]] == pytest.approx([0, 0], abs=1e-9)
        assert result["ROUGE_L"].score == pytest.approx(1 / 3)
        assert "missing-references" in {notice.code for notice in result.warnings}

    def test_skip_with_nothing_left_is_refused(self):
        assert refusal({1: "a"}, {2: DOG}, missing="skip").endswith("nothing is left to score.")

    @pytest.mark.parametrize("references", [{1: DOG, 2: []}, {1: DOG}])
    def test_an_empty_list_of_references_is_none(self, references):
        assert "1 of 2 candidates" in refusal({1: "a", 2: "b"}, references)

    def test_an_empty_list_keeps_its_position(self):
        corpus = corpus_of(["a", "b", "c"], [["x"], [], ["z"]], "skip")
        assert corpus.ids == ["0", "2"]
        assert [corpus.references.texts(index) for index in range(2)] == [["x"], ["z"]]

    @pytest.mark.parametrize("mode", ["error", "skip"])
    def test_rows_with_their_own_references_follow_the_same_rule(self, mode):
        rows = PairedTable([1, 2, 3], ["a", "b", "c"], [["x"], [], None], "rows.jsonl")
        if mode == "error":
            with pytest.raises(
                caplens.InputError, match=r"2 of 3 candidates in rows.jsonl have no references \(2, 3\)"
            ):
                from_pairs(rows)
        else:
            assert from_pairs(rows, "skip").ids == ["1"]

    def test_a_mode_that_does_not_exist_is_refused(self):
        with pytest.raises(caplens.UsageError, match="error, skip, zero, not 'ignore'"):
            caplens.score(["a"], [DOG], "rouge", missing="ignore")

    def test_unused_references_are_only_counted(self):
        corpus = corpus_of({1: "a dog"}, {1: DOG, 2: DOG, 3: DOG})
        assert str(notices(corpus)["unused-references"]) == "2 reference sets without a candidate"
        assert notices(corpus)["unused-references"].count == 2
        assert len(corpus.references) == 1


class TestCaptions:
    @pytest.mark.parametrize("blank", ["", " ", "\t \n", "\r\n", "\u2028", "\x00"])
    def test_blank_captions_are_counted_on_both_sides(self, blank):
        corpus = corpus_of({1: blank, 2: "a dog"}, {1: DOG, 2: ["a dog", blank]})
        found = notices(corpus)
        assert (found["empty-candidate"].count, found["empty-candidate"].ids) == (1, ("1",))
        assert (found["empty-reference"].count, found["empty-reference"].ids) == (1, ("2",))
        assert str(found["empty-candidate"]) == "1 candidate without any text (1)"

    @pytest.mark.parametrize("odd", [None, float("nan"), 5, b"a dog", {"text": "a dog"}, np.nan])
    def test_what_is_no_string_is_refused_with_its_id(self, odd):
        assert refusal({1: "a", 2: odd}, {1: DOG, 2: DOG}) == (
            "1 candidate is not text (id 2): a caption must be a string."
        )
        assert refusal({1: "a", 2: "b"}, {1: DOG, 2: ["x", odd]}) == (
            "1 reference is not text (id 2): a caption must be a string."
        )

    def test_many_of_them_are_counted_and_the_first_ids_named(self):
        message = refusal(dict.fromkeys(range(1000)), dict.fromkeys(range(1000), DOG))
        assert message == ("1,000 candidates are not text (id 0, 1, 2, 3, 4 and 995 more): a caption must be a string.")

    def test_a_none_in_rows_is_not_taken_for_the_text_none(self):
        rows = PairedTable([1, 2], ["a", "b"], [["None"], [None]], "rows.jsonl")
        with pytest.raises(caplens.InputError, match=r"1 reference is not text \(id 2\)"):
            from_pairs(rows)

    def test_several_captions_of_one_candidate_are_refused(self):
        assert "repeat 1 id (1)" in refusal({1: ["a", "b"]}, {1: DOG})
        assert "repeat 1 id (0)" in refusal([["a", "b"]], [DOG])

    def test_the_gts_res_shape_with_one_caption_each_is_accepted(self):
        assert list(corpus_of({1: ["a dog"]}, {1: DOG}).candidates) == ["a dog"]

    @pytest.mark.parametrize("separator", ["\r", "\r\n", "\v", "\f", "\x85", "\u2028", "\u2029"])
    def test_odd_line_separators_are_white_space(self, separator):
        corpus = corpus_of([f"a{separator}dog", "a cat"], [["a dog"], [f"a{separator}{separator}cat"]])
        assert corpus.candidates[0].split() == ["a", "dog"]
        assert len(corpus.candidates[0].splitlines()) == 1
        assert [notice.ids for notice in corpus.notices if notice.code == "line-separator"] == [("0",), ("1",)]
        scores = caplens.score(corpus, metrics="bleu(n=2), rouge")
        assert scores["ROUGE_L"].item_scores.tolist() == [1, 1]

    def test_a_line_feed_is_white_space_without_a_word(self):
        corpus = corpus_of(["a\ndog"], [DOG])
        assert list(corpus.candidates) == ["a dog"]
        assert corpus.notices == ()

    @pytest.mark.parametrize("control", ["\x00", "\x07", "\x1b", "\x1c", "\x1f", "\x7f", "\x80", "\x9f"])
    def test_control_characters_are_white_space(self, control):
        corpus = corpus_of([f"a{control}dog"], [DOG])
        assert list(corpus.candidates) == ["a dog"]
        assert str(corpus.notices[0]) == "1 candidate with control characters, treated as white space (0)"

    @pytest.mark.parametrize("lone", [0xD800, 0xDBFF, 0xDFFF])
    def test_a_lone_surrogate_becomes_the_replacement_character(self, lone):
        corpus = corpus_of([f"a {chr(lone)} dog"], [DOG])
        assert list(corpus.candidates) == ["a \ufffd dog"]
        assert corpus.notices[0].code == "lone-surrogate"
        assert corpus.candidates[0].encode("utf-8")

    def test_two_halves_of_a_surrogate_pair_become_their_character(self):
        assert list(corpus_of(["\ud83d\ude00"], [DOG]).candidates) == ["\U0001f600"]

    def test_ordinary_unicode_stays_and_is_no_oddity(self):
        texts = ["ein Mädchen fährt", "一个男人", "a\u00a0dog", "👩‍🚀", "\u200bx", "٣ كلاب"]
        corpus = corpus_of(texts, [[text] for text in texts])
        assert list(corpus.candidates) == texts
        assert corpus.notices == ()


class TestShapes:
    @pytest.mark.parametrize("references", [["a dog"], {0: "a dog"}, ("a dog",)])
    def test_a_bare_string_of_references_is_refused(self, references):
        candidates = {0: "a"} if isinstance(references, dict) else ["a"]
        assert refusal(candidates, references) == (
            "References must be a list of captions for each candidate, but one of them is a single string ('a dog'): "
            'wrap it in a list, ["..."].'
        )

    @pytest.mark.parametrize(
        ("candidates", "references", "count", "sets"),
        [
            (["a", "b"], [DOG], "2 candidates", "1 reference set"),
            (["a"], [DOG, DOG], "1 candidate", "2 reference sets"),
        ],
    )
    def test_lists_of_different_lengths_are_refused(self, candidates, references, count, sets):
        assert refusal(candidates, references) == (
            f"Found {count} but {sets}: to match by position, the numbers must be equal."
        )

    @pytest.mark.parametrize(
        ("candidates", "references"), [(["a"], {7: DOG}), ({7: "a"}, [DOG])], ids=["list-dict", "dict-list"]
    )
    def test_positions_on_one_side_and_ids_on_the_other_are_refused(self, candidates, references):
        assert refusal(candidates, references).endswith("use the same for both.")

    def test_files_by_position_and_by_id_are_refused_unless_the_ids_are_the_positions(self):
        lines = table([0, 1], by_position=True)
        with pytest.raises(
            caplens.InputError, match=r"by position but the references in file\.json by id: use the same"
        ):
            pair(lines, table([1, 2]))
        assert pair(lines, table(["1", "0"])).ids == ["0", "1"]

    @pytest.mark.parametrize(("candidates", "references"), [([], []), ({}, {}), ([], [DOG]), ({}, {1: DOG})], ids=str)
    def test_nothing_to_score_is_refused(self, candidates, references):
        assert refusal(candidates, references) == "There is nothing to score: there are no candidates."

    @pytest.mark.parametrize("odd", ["a dog", b"a dog", 5, {"a"}])
    def test_what_is_neither_list_nor_mapping_is_refused(self, odd):
        assert refusal(odd, [DOG]).startswith(("The candidates are a s", "The candidates must be a list, a mapping "))

    def test_no_references_at_all_are_refused(self):
        assert "There are no references" in refusal(["a"], None)
        with pytest.raises(caplens.InputError, match=r"There are no references in file\.json"):
            collect(table([]))

    def test_tuples_are_lists(self):
        assert corpus_of(("a dog",), (("a dog", "one dog"),)).references.texts(0) == ["a dog", "one dog"]

    def test_a_corpus_carries_its_references(self):
        corpus = corpus_of(["a"], [DOG])
        assert corpus_of(corpus, None) is corpus
        with pytest.raises(caplens.UsageError, match="already contains its references"):
            corpus_of(corpus, [DOG])


class TestRowsAndSets:
    rows = PairedTable(
        ["r1", "r2", "r3", "r4"],
        ["a", "b", "c", "d"],
        [["x", "y"], ["z"], ["x", "y"], ["w"]],
        "rows.jsonl",
    )

    def test_equal_reference_lists_are_stored_once(self):
        corpus = from_pairs(self.rows)
        assert corpus.reference_set.tolist() == [0, 1, 0, 2]
        assert list(corpus.references.captions) == ["x", "y", "z", "w"]

    def test_rows_that_share_a_set_are_a_group(self):
        assert from_pairs(self.rows).groups == ["r1", "r2", "r1", "r4"]

    def test_the_order_of_rows_does_not_name_groups(self):
        rows = self.rows
        turned = PairedTable(rows.ids[::-1], rows.candidates[::-1], rows.references[::-1], rows.source)
        assert from_pairs(turned).groups == from_pairs(rows).groups[::-1]

    def test_without_sharing_there_are_no_groups(self):
        assert from_pairs(PairedTable([1, 2], ["a", "b"], [["x"], ["y"]], "rows")).groups is None

    def test_images_say_the_groups(self):
        rows = PairedTable([1, 2, 3], ["a", "b", "c"], [["x"], ["y"], ["x"]], "rows", images=["i", "i", 5])
        corpus = from_pairs(rows)
        assert corpus.groups == ["i", "i", "5"]
        assert corpus.reference_set.tolist() == [0, 1, 0]

    def test_images_of_skipped_rows_are_left_out(self):
        rows = PairedTable([1, 2, 3], ["a", "b", "c"], [["x"], [], ["y"]], "rows", images=["i", "j", "k"])
        assert from_pairs(rows, "skip").groups == ["i", "k"]

    def test_a_single_string_is_one_reference_of_a_row(self):
        assert from_pairs(PairedTable([1], ["a"], ["x y"], "rows")).references.texts(0) == ["x y"]

    @pytest.mark.parametrize("rows", [[0], [3, 0], [1, 1, 2], [2, 0, 1, 3], []])
    def test_select_keeps_rows_with_their_references(self, rows):
        whole = from_pairs(self.rows)
        part = whole.select(rows)
        assert part.ids == [whole.ids[row] for row in rows]
        assert list(part.candidates) == [whole.candidates[row] for row in rows]
        assert [part.references.texts(index) for index in part.reference_set] == [
            whole.references.texts(whole.reference_set[row]) for row in rows
        ]
        assert len(part.references) == len({whole.reference_set[row] for row in rows})
        assert part.groups == [whole.groups[row] for row in rows]


class TestReviewed:
    """Found by reading the code with fresh eyes."""

    def test_no_references_at_all_can_be_scored_zero(self):
        result = caplens.score(["a dog", "a cat"], [[], []], "bleu, rouge, cider", missing="zero")
        assert result["ROUGE_L"].item_scores.tolist() == [0, 0]
        assert result["CIDEr"].score == 0

    @pytest.mark.parametrize("identifier", [1.0, True])
    def test_ids_that_only_equal_an_id_are_refused(self, identifier):
        references = CaptionTable([1, identifier], ["a dog", "a cat"], "file")
        with pytest.raises(caplens.InputError, match="whole number"):
            pair(CaptionTable([1], ["a dog"], "file"), references)

    def test_an_empty_list_is_no_candidate(self):
        assert "2 has an empty list" in refusal({1: ["a"], 2: []}, {1: ["a"], 2: ["b"]})

    def test_rows_are_selected_by_mask_and_from_the_end(self):
        corpus = pair(CaptionTable([1, 2, 3], ["a", "b", "c"], ""), CaptionTable([1, 2, 3], ["x", "y", "z"], ""))
        assert corpus.select(np.array([False, True, True])).ids == ["2", "3"]
        assert corpus.select([-1]).ids == ["3"]
        assert list(corpus.select([-1]).references.captions) == ["z"]
        with pytest.raises(IndexError):
            corpus.select([3])
