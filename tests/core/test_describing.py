"""One metric for people."""

from __future__ import annotations

import pytest

from caplens.core.describing import describe
from caplens.core.registry import names
from caplens.errors import UsageError


def test_cider():
    found = describe("cider")
    assert found.facts["range"] == "0 to 10"
    assert found.facts["equation"].startswith("CIDEr-D(c, S) = 10 / (4 |S|)")
    assert "CVPR 2015" in found.facts["paper"]
    assert ("n", "4", "maximum n-gram length") in found.options
    assert ">>> " in found.example


@pytest.mark.parametrize("name", sorted({*names()} - {"composite", "given", "wembsim_e"}))
def test_every_metric_has_something_to_say(name):
    found = describe(name)
    assert found.idea
    assert found.facts["scores"]
    assert found.facts["better"] in ("higher", "lower")


def test_an_unknown_one():
    with pytest.raises(UsageError, match="did you mean 'cider'"):
        describe("cidre")
