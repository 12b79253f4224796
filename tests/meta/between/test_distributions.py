"""Scores by human rating."""

from __future__ import annotations

from caplens import study


def test_distributions_by_rating(flickr):
    result = study("distributions", flickr, metrics="rouge", preset="anderson2016")
    by_rating = result["ROUGE_L"]["by_rating"]
    assert [(entry["rating"], entry["n"]) for entry in by_rating] == [(1.0, 12), (2.0, 8), (3.0, 1)]
    assert all(entry["least"] <= entry["median"] <= entry["most"] for entry in by_rating)
