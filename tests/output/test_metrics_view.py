"""Metrics on the screen."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from caplens.core.describing import describe, describe_metrics
from caplens.output.metrics_view import MetricList, description_view


def drawn(view, width):
    file = io.StringIO()
    Console(file=file, width=width, color_system=None).print(view)
    return file.getvalue()


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
def test_the_list_fits_and_no_name_folds(width):
    rows = describe_metrics()
    text = drawn(MetricList(rows), width)
    assert max(map(len, text.splitlines())) <= width
    first = {line.split()[0] for line in text.splitlines() if line.split()}
    assert {row[0] for row in rows} <= first
    assert ("origin" in text) == (width >= 110)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_description_fits(width):
    text = drawn(description_view(describe("cider")), width)
    assert max(map(len, text.splitlines())) <= width
    for word in ("equation", "range", "paper", "sigma", "-m cider", ">>> import caplens"):
        assert word in text
