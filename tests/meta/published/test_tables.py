"""Published tables: how they are written down, and that they name what studies have."""

from __future__ import annotations

import pytest

from caplens.core.registry import names
from caplens.core.selection import select
from caplens.meta.published import anderson2016, cui2018, kilickaya2017, sharif2018, sharif2020
from caplens.meta.published.tables import table
from caplens.meta.registry import study_class, study_names
from caplens.meta.study import JudgedSet

# Scores that need vectors which are not here, or a training.
ELSEWHERE = {"WEmbSim-E", "WEmbSim-G", "WEmbSim-W", "WEmbSim-F", "SPICE-exact", "Critique, no augmentation"}


def test_a_row_may_stand_once_and_has_all_cells():
    with pytest.raises(ValueError, match="two rows 'a'"):
        table("x\na  1\na  2")
    with pytest.raises(ValueError, match="zip"):
        table("x  y\na  1")


# They need files or packages that are not there everywhere.
UNREADY = ("wembsim_c", "wembsim_e", "composite", "given")


def test_rows_of_presets_are_keys_of_scores():
    wanted = ", ".join(name for name in names() if name not in UNREADY)
    keys = {key for metric in select(wanted).metrics for key in metric.result_keys} | ELSEWHERE
    presets = [
        one.preset for name in study_names() for one in study_class(name).presets() if isinstance(one, JudgedSet)
    ]
    published = {key for preset in presets for key in preset.published}
    assert len(published) > 20
    assert published <= keys


def test_means_are_those_of_their_rows():
    """The printed means agree with the printed cells, which a slip of the pen would show."""
    for rows, within in (
        (kilickaya2017.TABLE_4_ABSTRACT50S, 0.51),
        (kilickaya2017.TABLE_4_PASCAL50S, 0.76),
        (kilickaya2017.TABLE_5, 0.76),
        (sharif2018.TABLE_2, 0.06),
        (sharif2020.TABLE_IV, 0.08),
        (anderson2016.TABLE_4, 0.06),
    ):
        for row in rows.values():
            cells = [value for column, value in row.items() if column != "mean"]
            assert row["mean"] == pytest.approx(sum(cells) / len(cells), abs=within)
    for key, mean in sharif2020.TABLE_III_MEAN.items():
        cells = [*sharif2020.TABLE_III_ABSTRACT50S[key].values(), *sharif2020.TABLE_III_PASCAL50S[key].values()]
        assert mean == pytest.approx(sum(cells) / 4, abs=0.06)


def test_two_papers_agree_on_what_the_second_took_from_the_first():
    for key in ("Bleu_4", "METEOR", "ROUGE_L"):
        for column in ("M1", "M2"):
            assert sharif2020.TABLE_II[key][column] == pytest.approx(cui2018.TABLE_2[key][column], abs=0.006)
    for key, row in sharif2020.TABLE_III_PASCAL50S.items():
        if key in sharif2018.TABLE_2:
            assert row == {column: sharif2018.TABLE_2[key][column] for column in row}
