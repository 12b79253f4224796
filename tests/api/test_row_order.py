"""Scores and intervals do not depend on the order of the rows."""

from __future__ import annotations

import numpy as np
import pytest
from tests.conftest import needs_meteor

import caplens

METRICS = "bleu, bleu_smoothed, rouge, cider, wembsim, embedding_average, greedy_matching, spice, spider"


def shuffled(captions, generator):
    ids = list(captions)
    return {ids[place]: captions[ids[place]] for place in generator.permutation(len(ids)).tolist()}


def differences(example_dir, metrics):
    """Score in four orders of candidates and references; yield what changes of items, corpus scores and intervals."""
    table = caplens.load_candidates(example_dir / "human.json")
    references = caplens.load_references(example_dir / "references.json")
    candidates = dict(zip(map(str, table.ids), table.captions, strict=True))
    sets = {}
    for identifier, caption in zip(map(str, references.ids), references.captions, strict=True):
        sets.setdefault(identifier, []).append(caption)
    whole = caplens.score(candidates, sets, metrics)
    generator = np.random.default_rng(3)
    for _ in range(3):
        other = caplens.score(shuffled(candidates, generator), shuffled(sets, generator), metrics)
        place = {identifier: row for row, identifier in enumerate(whole.ids)}
        order = [place[identifier] for identifier in other.ids]
        for key, score in whole.items():
            items = np.abs(other[key].item_scores - score.item_scores[order])
            bounds = np.subtract(other[key].interval, score.interval)
            yield np.nanmax(items), abs(other[key].score - score.score), np.abs(bounds).max()


@pytest.mark.parametrize("metrics", [METRICS, "cider(variant=plain)", pytest.param("meteor", marks=needs_meteor)])
def test_no_bit_changes(example_dir, metrics):
    assert set(differences(example_dir, metrics)) == {(0, 0, 0)}


def test_word_movers_distance_changes_by_the_last_bit_at_most(example_dir):
    """Equally good ways to move words are added up in the order of their words."""
    assert np.max(list(differences(example_dir, "wmd"))) <= 2.3e-16
