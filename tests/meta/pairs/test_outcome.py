"""Agreement on pairs as tables."""

from __future__ import annotations

from caplens import study


def test_the_table_says_which_references_were_used(pascal):
    def said(**options):
        return str(study("pascal50s", pascal, resamples=5, **options))

    assert "3 references, mean of 2 random draws." in said(metrics="rouge", reference_count=3, draws=2)
    assert "the first 3 references." in said(metrics="rouge", reference_count=3, draws=0)
    assert "random draw" not in said(metrics="rouge", reference_count=8, draws=2)  # there are no more to draw from
    rows = [{"id": f"{pair} {letter}", "Mine": pair} for pair in range(1, 5) for letter in "ab"]
    assert "scores from a file" in said(metrics="none", scores=rows)


def test_a_curve_over_numbers_of_references(pascal):
    result = study("pascal50s", pascal, metrics="rouge", curve=(1, 8), draws=2, resamples=5)
    curve = result.to_dict()["curve"]
    assert curve["references"] == [1, 8]
    assert len(curve["metrics"]["ROUGE_L"]["MM"]) == 2
    assert "accuracy by number of references" in str(result)
