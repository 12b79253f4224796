"""Code that is found by name."""

from __future__ import annotations

import pytest
from tests.plugins import install, offer

from caplens.errors import UsageError
from caplens.files.plugins import imported, installed, loaded, names_code


@pytest.mark.parametrize("text", ["a:b", "a.b_2:C", "_a:_b"])
def test_a_module_and_a_name_in_it(text):
    assert names_code(text)


@pytest.mark.parametrize(
    "text", ["", "a", ":b", "a:", "a:b:c", ".a:b", "a..b:c", "a:b.c", "a-b:c", "a b:c", "C:\\x", "1:2"]
)
def test_what_names_no_code(text):
    assert not names_code(text)


def test_whatever_goes_wrong_in_a_module_is_one_sentence(monkeypatch, tmp_path):
    (tmp_path / "raises.py").write_text('raise RuntimeError("several\\nlines")')
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UsageError) as refused:
        imported("raises:x", "metric")
    assert "The metric 'raises:x' cannot be imported (RuntimeError: several lines)" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_packages_offer_names_without_being_imported(monkeypatch, tmp_path):
    offer(tmp_path / "first", monkeypatch, "caplens.test", "Mine", "no_such_module:x")
    install(tmp_path / "first", "caplens.other", "other", "no_such_module:x")
    assert list(installed("caplens.test")) == ["mine"]
    with pytest.raises(UsageError, match=r"'Mine' of the package made-up-Mine cannot be loaded .*ModuleNotFoundError"):
        loaded(installed("caplens.test")["mine"], "metric")


def test_the_first_of_two_packages_has_the_name(monkeypatch, tmp_path):
    offer(tmp_path / "second", monkeypatch, "caplens.test", "mine", "math:tau")
    offer(tmp_path / "first", monkeypatch, "caplens.test", "mine", "math:pi")
    assert loaded(installed("caplens.test")["mine"], "number") == pytest.approx(3.14159, abs=1e-5)
