"""Studies by name."""

from __future__ import annotations

import pytest

from caplens.core.options import declared_options
from caplens.errors import UsageError
from caplens.meta.registry import study_class, study_names, study_title
from caplens.meta.study import JudgedSet, Study, configure, preset_names

TRAINED = ("critique-evaluate", "critique-ablation")


@pytest.mark.parametrize("name", [*study_names(), *TRAINED])
def test_every_study_declares_itself(name):
    kind = study_class(name)
    assert issubclass(kind, Study)
    assert kind.name == name
    assert study_title(name)
    assert not study_title(name).endswith(".")
    assert all(option.help and not option.help.endswith(".") for option in declared_options(kind).values())
    assert isinstance(configure(kind, {}), kind)


@pytest.mark.parametrize("name", [name for name in study_names() if issubclass(study_class(name), JudgedSet)])
def test_every_judged_set_has_presets_that_differ(name):
    kind = study_class(name)
    assert len(set(preset_names(kind))) == len(kind.presets()) > 1
    assert all(one.preset.source for one in kind.presets())
    assert configure(kind, {}) == kind.presets()[0]


def test_critiques_are_no_part_of_all_studies():
    assert all(study_class(name).for_all() == () for name in ("table", *TRAINED))
    assert set(TRAINED).isdisjoint(study_names())


def test_names_that_do_not_exist():
    with pytest.raises(UsageError, match="no study 'thumbs': did you mean 'thumb'"):
        study_class("thumbs")
    with pytest.raises(UsageError, match="no study 'x': choose from flickr8k-expert, "):
        study_class("x")
