"""A table of the user's own."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.judged_sets import load, preset_of

from caplens.errors import InputError


class TestTable:
    def test_rows_of_several_raters(self, tmp_path):
        path = tmp_path / "table.csv"
        path.write_text('id,candidate,references,human1,human2\n1,a dog,"[""a dog"", ""two""]",1,\n2,a cat,a bus,2,3\n')
        judged = load("table", path)
        assert judged.references == [("a dog", "two"), ("a bus",)]
        np.testing.assert_array_equal(judged.ratings["human"], [[1, np.nan], [2, 3]])
        assert judged.own.tolist() == [True, False]

    def test_captions_without_a_rating_or_a_reference_are_left_out(self, tmp_path):
        path = tmp_path / "table.jsonl"
        rows = [(1, ["a"], 1), (2, [], 2), (3, ["b"], None)]
        path.write_text(
            "\n".join(json.dumps({"id": i, "candidate": "c", "references": r, "human": h}) for i, r, h in rows)
        )
        judged = preset_of("table").apply(load("table", path))
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
            load("table", path)
