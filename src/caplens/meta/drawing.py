"""Pieces of figures: readable in print and for colour-blind people. Needs matplotlib (extra ``report``)."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol, TypeAlias

import numpy as np

from caplens.arrays import Floats
from caplens.errors import MissingDataError
from caplens.output.writing import check_output

# matplotlib is an extra: its types are not there where it is not.
Axes: TypeAlias = Any
Figure: TypeAlias = Any

# Okabe and Ito's colours, told apart by colour-blind readers; shapes and dashes tell them apart without any colour.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":")


class Drawable(Protocol):
    """What has a figure: the outcome of a study."""

    def figure(self) -> Figure:
        """Draw it."""


def can_draw() -> bool:
    """Tell whether matplotlib is there."""
    return find_spec("matplotlib") is not None


def check_figure_file(path: str | os.PathLike[str]) -> None:
    """Refuse a figure that cannot be drawn or written, before any work is done."""
    check_output(path, Drawable, "figure")
    new_figure(1, 1)


def svg_figure(drawable: Drawable) -> bytes:
    """Return the figure of an outcome as SVG."""
    return _bytes(drawable.figure(), "svg")


def pdf_figure(drawable: Drawable) -> bytes:
    """Return the figure of an outcome as PDF."""
    return _bytes(drawable.figure(), "pdf")


def png_figure(drawable: Drawable) -> bytes:
    """Return the figure of an outcome as PNG."""
    return _bytes(drawable.figure(), "png")


def figure_svg(figure: Figure) -> str:
    """Return a figure as an ``svg`` element, to be put into a page."""
    text = _bytes(figure, "svg").decode("utf-8")
    return text[text.index("<svg") :]


def _bytes(figure: Figure, form: str) -> bytes:
    buffer = io.BytesIO()
    # Text stays text, and the same study gives the same bytes.
    with _matplotlib("matplotlib").rc_context({"svg.fonttype": "none", "svg.hashsalt": "caplens", "pdf.fonttype": 42}):
        dateless: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form, {})
        figure.savefig(buffer, format=form, metadata=dateless, dpi=200)
    return buffer.getvalue()


def _matplotlib(module: str) -> Any:  # noqa: ANN401 (a module)
    try:
        return import_module(module)
    except ImportError:
        raise MissingDataError("Figures need matplotlib: pip install 'caplens[report]'.") from None


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure; sizes are in inches."""
    return _matplotlib("matplotlib.figure").Figure(figsize=(width, height), layout="constrained")


def panels(number: int, across: int, size: tuple[float, float]) -> tuple[Figure, list[Axes]]:
    """Return a figure of several panels, at most ``across`` in a line."""
    across = min(across, number)
    down = math.ceil(number / across)
    figure = new_figure(size[0] * across, size[1] * down)
    axes = np.ravel(figure.subplots(down, across, squeeze=False)).tolist()
    for unused in axes[number:]:
        unused.set_visible(False)
    return figure, axes[:number]


def dots(names: Sequence[str], values: Mapping[str, Sequence[float]], label: str, title: str) -> tuple[Figure, Axes]:
    """Draw a line of dots for each name, one dot for each column of values; the largest mean comes first."""
    figure = new_figure(6.8, 1.2 + 0.3 * max(len(names), len(values)))
    axes = figure.subplots()
    order = largest_first([float(np.mean(row)) for row in zip(*values.values(), strict=True)])
    names = [names[place] for place in order]
    values = {column: [numbers[place] for place in order] for column, numbers in values.items()}
    rows = range(len(names))[::-1]
    for row in rows:
        axes.axhline(row, color="0.9", linewidth=0.8, zorder=0)
    for place, (name, numbers) in enumerate(values.items()):
        style = {"color": COLOURS[place % len(COLOURS)], "marker": MARKERS[place % len(MARKERS)]}
        beside = 0.08 * ((len(values) - 1) / 2 - place)  # equal values must not hide each other
        axes.plot(numbers, [row + beside for row in rows], linestyle="none", markersize=5, label=name, **style)
    axes.set_yticks(rows, names)
    axes.set_xlabel(label)
    axes.set_title(title, fontsize="medium")
    if len(values) > 1:
        axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    plain_frame(axes)
    return figure, axes


def largest_first(values: Sequence[float]) -> list[int]:
    """Return the places of values from the largest to the smallest; those that do not exist come last.

    Examples
    --------
    >>> largest_first([0.2, math.nan, 0.7])
    [2, 0, 1]
    """
    return sorted(range(len(values)), key=lambda place: (math.isnan(values[place]), -values[place]))


def heat_map(
    names: Sequence[str],
    texts: Sequence[Sequence[str]],
    shades: Floats,
    title: str,
    colours: str = "Greys",
) -> tuple[Figure, Axes]:
    """Draw a matrix with its numbers, dark (1) where it matters, but never too dark to read them."""
    figure = new_figure(2.4 + 0.62 * len(names), 1.8 + 0.5 * len(names))
    axes = figure.subplots()
    axes.imshow(np.nan_to_num(shades), cmap=colours, vmin=0, vmax=2.2)
    for row, column in np.ndindex(shades.shape):
        axes.text(column, row, texts[row][column], ha="center", va="center", fontsize=7)
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
    axes.set_yticks(range(len(names)), names)
    axes.set_title(title, fontsize="small")
    return figure, axes


def curves_over_strengths(
    strengths: Sequence[float],
    transformations: Mapping[str, str],
    curves: Mapping[str, Mapping[str, Sequence[float | None]]],
) -> Figure:
    """Draw one panel a transformation and one line a name: its curve over strengths."""
    across = 2 if len(transformations) == 4 else 3
    figure, axes_of = panels(len(transformations), across, (3.4, 3))
    for panel, (axes, (kind, what)) in enumerate(zip(axes_of, transformations.items(), strict=True)):
        for place, (name, by_kind) in enumerate(curves.items()):
            axes.plot(strengths, list(map(or_nan, by_kind[kind])), label=name, **line_style(place))
        axes.set_title(f"{kind}: {what}", fontsize="small")
        axes.set_xticks(strengths)
        axes.set_xlabel("strength")
        if panel % across == 0:
            axes.set_ylabel("score, human caption = 1")
        plain_frame(axes)
    shared_legend(figure, axes_of[0])
    return figure


def scores_against_people(
    axes: Axes, scores: Sequence[float], human: Sequence[float], is_human: Sequence[bool]
) -> None:
    """Draw systems as dots, and people as a star."""
    for chosen, style in ((False, {"marker": "o", "color": COLOURS[0]}), (True, {"marker": "*", "color": COLOURS[1]})):
        places = [place for place, one in enumerate(is_human) if one is chosen]
        size = 120 if chosen else 18
        axes.scatter([scores[place] for place in places], [human[place] for place in places], s=size, **style)
    axes.locator_params(axis="x", nbins=4)
    plain_frame(axes)


def shared_legend(figure: Figure, axes: Axes) -> None:
    """Put the names of lines beside all panels, where they hide nothing."""
    figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper", frameon=False, fontsize="small")


def or_nan(value: float | None) -> float:
    """Return a number that may not exist as one that can be drawn."""
    return math.nan if value is None else value


def percent(share: float | None) -> float:
    """Return a share in percent."""
    return 100 * or_nan(share)


def line_style(place: int) -> dict[str, Any]:
    """Return how the line at a place among others is drawn."""
    return {
        "color": COLOURS[place % len(COLOURS)],
        "linestyle": DASHES[place // len(COLOURS) % len(DASHES)],
        "marker": MARKERS[place % len(MARKERS)],
        "markersize": 3.5,
    }


def plain_frame(axes: Axes) -> None:
    """Leave out the frame where there is no axis."""
    axes.spines[["top", "right"]].set_visible(False)
