"""Figures of studies: readable in print and for colour-blind people. Needs matplotlib (extra ``report``)."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.errors import MissingDataError, UsageError
from caplens.files.atomic import atomic_path, check_writable
from caplens.meta.between.williams import ALPHA
from caplens.meta.probes.frequencies import PEOPLE
from caplens.meta.systems.judged import HUMAN
from caplens.output.tables import cell

# matplotlib is an extra: its types are not there where it is not.
Axes = Any
Figure = Any
Floats = npt.NDArray[np.float64]

SUFFIXES = (".svg", ".pdf", ".png")
# Okabe and Ito's colours, told apart by colour-blind readers; shapes and dashes tell them apart without any colour.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":")
_SQUARE_ROOT = ("CIDEr", "SPICE")  # Kilickaya et al. (EACL 2017), figure 3
_TITLES = {"pearson": "Pearson", "spearman": "Spearman", "kendall_b": "Kendall tau-b", "kendall_c": "Kendall tau-c"}


def check_figure_output(path: str | os.PathLike[str]) -> None:
    """Refuse a figure that cannot be drawn or written, before any work is done."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise UsageError(f"{Path(path).name!r} cannot be drawn: its name must end in {' or '.join(SUFFIXES)}.")
    check_writable(path)
    _new_figure(1, 1)


def can_draw(data: Mapping[str, Any]) -> bool:
    """Tell whether the outcome of a study has a figure, and matplotlib is there to draw it."""
    return _drawing(data) is not None and find_spec("matplotlib") is not None


def write_figure(data: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Draw the outcome of a study (`Study.to_dict`) into a file: .svg, .pdf or .png."""
    check_figure_output(path)
    content = _bytes(_draw(data), Path(path).suffix.lower()[1:])
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)


def figure_svg(data: Mapping[str, Any]) -> str:
    """Return a figure as an ``svg`` element, to be put into a page."""
    text = _bytes(_draw(data), "svg").decode("utf-8")
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


def _new_figure(width: float, height: float) -> Figure:
    return _matplotlib("matplotlib.figure").Figure(figsize=(width, height), layout="constrained")


def _panels(number: int, across: int, size: tuple[float, float]) -> tuple[Figure, list[Axes]]:
    across = min(across, number)
    down = math.ceil(number / across)
    figure = _new_figure(size[0] * across, size[1] * down)
    axes = np.ravel(figure.subplots(down, across, squeeze=False)).tolist()
    for unused in axes[number:]:
        unused.set_visible(False)
    return figure, axes[:number]


def _draw(data: Mapping[str, Any]) -> Figure:
    drawing = _drawing(data)
    if drawing is None:
        raise UsageError(f"The study {data.get('study')!r} has no figure; its tables say everything.")
    return drawing(data)


def _drawing(data: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], Figure] | None:
    """Choose the drawing by what the outcome holds."""
    figures: dict[str, Any] = next(iter(data["metrics"].values()), {})
    keys = {*data, *figures, *data["metrics"]}
    return next((drawing for needed, drawing in _DRAWINGS.items() if keys.issuperset(needed)), None)


def _coefficients(data: Mapping[str, Any]) -> Figure:
    """One dot a metric with its interval, and a line for people."""
    coefficient = data["preset"]["coefficient"]
    entries = [(key, entry[coefficient]) for key, entry in data["metrics"].items()][::-1]
    figure = _new_figure(6, 1 + 0.28 * len(entries))
    axes = figure.subplots()
    for row, (_, figures) in enumerate(entries):
        if figures["value"] is not None:
            axes.plot(figures["interval"], [row, row], color=COLOURS[0])
            axes.plot(figures["value"], row, "o", color=COLOURS[0])
    axes.set_yticks(range(len(entries)), [key for key, _ in entries])
    people = data.get("inter_human")
    if people and people[coefficient]["value"] is not None:
        axes.axvline(people[coefficient]["value"], color=COLOURS[1], linestyle="--", label="inter-human")
        axes.legend(frameon=False)
    axes.set_xlabel(f"{_TITLES[coefficient]} with people, 95 % interval")
    axes.set_title(f"{data['study']}, preset {data['preset']['name']}, n = {data['n']:,}", fontsize="medium")
    _plain_frame(axes)
    return figure


def _accuracies(data: Mapping[str, Any]) -> Figure:
    categories = list(next(iter(data["metrics"].values()))["accuracy"])
    shown = [category for category in categories if category != "mean"]
    keys = _main(data["metrics"])
    values = {category: [_percent(data["metrics"][key]["accuracy"][category]) for key in keys] for category in shown}
    title = f"{data['study']}, preset {data['preset']['name']}, ties count {data['preset']['ties']}, n = {data['n']:,}"
    figure, axes = _dots(keys, values, "pairs judged as people do, percent (dotted: chance)", title)
    axes.axvline(50, color="0.6", linestyle=":")
    return figure


def _changed_sentences(data: Mapping[str, Any]) -> Figure:
    keys = _main(data["metrics"])
    values = {kind: [_number(data["metrics"][key]["scores"][kind]) for key in keys] for kind in data["sentences"]}
    return _dots(keys, values, "score", "sensitivity: scores of changed captions")[0]


def _kinds_of_tuples(data: Mapping[str, Any]) -> Figure:
    systems = data["systems"]
    values = {
        key.removeprefix("SPICE_"): [_number(scores[key]["f"]) for scores in systems.values()]
        for key in data["metrics"]
    }
    return _dots(list(systems), values, "F", f"SPICE by kind of tuple, n = {data['n']:,} images")[0]


def _dots(names: Sequence[str], values: Mapping[str, Sequence[float]], label: str, title: str) -> tuple[Figure, Axes]:
    """Draw a line of dots a name: one dot a column of values."""
    figure = _new_figure(6.8, 1.2 + 0.3 * max(len(names), len(values)))
    axes = figure.subplots()
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
    _plain_frame(axes)
    return figure, axes


def _frequencies(data: Mapping[str, Any]) -> Figure:
    """Relative frequency of words by their rank among people, and its ratio to theirs."""
    middles = [math.sqrt((low + 1) * high) for low, high in pairwise(data["ranks"])]
    people = np.array(data["systems"][PEOPLE]["frequencies"])
    figure, (left, right) = _panels(2, 2, (4.6, 4.2))
    for place, (name, entry) in enumerate(data["systems"].items()):
        style = {"color": "black", "linewidth": 2.5} if name == PEOPLE else _line(place - 1)
        used = np.array([value if value > 0 else math.nan for value in entry["frequencies"]])
        left.plot(middles, used, label=name, **style)
        right.plot(middles, np.log10(used / people), label=name, **style)
    left.set_yscale("log")
    left.set_ylabel("relative frequency, mean of words")
    right.set_ylabel("its logarithm (base 10), less people's")
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_xlabel("rank of the word among people")
        _plain_frame(axes)
    figure.suptitle(f"words of systems and of people on {data['n']:,} images", fontsize="medium")
    _shared_legend(figure, left)
    return figure


def _curves_over_references(data: Mapping[str, Any]) -> Figure:
    numbers, curves = data["curve"]["references"], data["curve"]["metrics"]
    shown = [name for name in ("mean", "MM") if name in next(iter(curves.values()))]
    figure, panels = _panels(len(shown), 2, (4, 3.2))
    for axes, category in zip(panels, shown, strict=True):
        for place, (key, by_category) in enumerate(curves.items()):
            axes.plot(numbers, [_percent(share) for share in by_category[category]], label=key, **_line(place))
        axes.set_title("all pairs" if category == "mean" else f"{category} pairs", fontsize="medium")
        axes.set_xlabel("references")
        axes.set_ylabel("accuracy, percent")
        _plain_frame(axes)
    _shared_legend(figure, panels[0])
    return figure


def _curves_over_strengths(data: Mapping[str, Any]) -> Figure:
    kinds = list(data["transformations"])
    figure, panels = _panels(len(kinds), 3, (3.4, 3))
    keys = _main(data["metrics"])
    for axes, kind in zip(panels, kinds, strict=True):
        for place, key in enumerate(keys):
            values = list(map(_number, data["metrics"][key][kind]["curve"]))
            axes.plot(data["strengths"], values, label=key, **_line(place))
        axes.set_title(f"{kind}: {data['transformations'][kind]}", fontsize="small")
        axes.set_xlabel("strength")
        _plain_frame(axes)
    panels[0].set_ylabel("score, human caption = 1")
    _shared_legend(figure, panels[0])
    return figure


def _scatter(data: Mapping[str, Any]) -> Figure:
    """Metric against the first human measure, one panel a metric, Human marked."""
    measure, human = next(iter(data["human"].items()))
    figure, panels = _panels(len(data["metrics"]), 4, (2.6, 2.4))
    machines = [name != HUMAN for name in data["systems"]]
    for axes, (key, entry) in zip(panels, data["metrics"].items(), strict=True):
        scores = list(map(_number, entry["scores"]))
        for chosen, style in (
            (True, {"marker": "o", "color": COLOURS[0]}),
            (False, {"marker": "*", "color": COLOURS[1]}),
        ):
            places = [place for place, machine in enumerate(machines) if machine is chosen]
            size = 18 if chosen else 120
            axes.scatter([scores[place] for place in places], [human[place] for place in places], s=size, **style)
        value = entry[measure][data["preset"]["coefficient"]]["value"]
        axes.set_title(f"{key} ({value:.2f})" if value is not None else key, fontsize="small")
        axes.locator_params(axis="x", nbins=4)
        _plain_frame(axes)
    panels[0].set_ylabel(f"{measure} (star: Human)")
    coefficient = _TITLES[data["preset"]["coefficient"]]
    figure.suptitle(
        f"{data['study']}, preset {data['preset']['name']}, n = {data['n']} (in brackets: {coefficient})",
        fontsize="medium",
    )
    return figure


def _boxes(data: Mapping[str, Any]) -> Figure:
    keys = _main(data["metrics"])
    figure, panels = _panels(len(keys), 4, (2.6, 2.4))
    for axes, key in zip(panels, keys, strict=True):
        boxes = [
            {"med": entry["median"], "q1": entry["quarter"], "q3": entry["three quarters"], "whislo": entry["least"]}
            | {"whishi": entry["most"], "fliers": [], "label": f"{entry['rating']:g}"}
            for entry in data["metrics"][key]["by_rating"]
        ]
        # A median of 0 lies on the axis: it must not be cut off there.
        axes.bxp(boxes, showfliers=False, medianprops={"color": COLOURS[1], "linewidth": 2, "clip_on": False})
        if key in _SQUARE_ROOT:
            axes.set_yscale("function", functions=(lambda y: np.sqrt(np.maximum(y, 0)), np.square))
        axes.set_ylim(bottom=min([0.0, *(box["whislo"] for box in boxes)]))
        axes.set_title(key, fontsize="small")
        axes.set_xlabel("human rating")
        _plain_frame(axes)
    return figure


def _similarities(data: Mapping[str, Any]) -> Figure:
    order = data["order"]
    values = np.array([[_number(data["spearman_between"][key][other]) for other in order] for key in order])
    least = float(np.nanmin(values))
    shades = (values - least) / max(1 - least, 1e-9)
    texts = [[f"{value:.2f}" for value in row] for row in values.tolist()]
    return _heat_map(order, texts, shades, f"{data['on']}: Spearman between metrics\nordered by {data['ordered_by']}")


def _wins(data: Mapping[str, Any]) -> Figure:
    order = sorted(data["correlations"], key=lambda key: -(data["correlations"][key] or 0.0))
    p_values = {(test["first"], test["second"]): test["p_holm"] for test in data["williams"]}
    values = np.array([[_number(p_values.get((key, other))) for other in order] for key in order])
    texts = [[cell(value, "p") for value in row] for row in values.tolist()]
    title = f"{data['on']}: Williams' test\np that the row is better than the column\n(Holm; grey: below {ALPHA:g})"
    return _heat_map(order, texts, np.where(values < ALPHA, 1.0, 0.0), title)


def _heat_map(names: Sequence[str], texts: Sequence[Sequence[str]], shades: Floats, title: str) -> Figure:
    """Draw a matrix with its numbers, dark (1) where it matters, but never too dark to read them."""
    figure = _new_figure(2.4 + 0.62 * len(names), 1.8 + 0.5 * len(names))
    axes = figure.subplots()
    axes.imshow(np.nan_to_num(shades), cmap="Greys", vmin=0, vmax=2.2)
    for row, column in np.ndindex(shades.shape):
        axes.text(column, row, texts[row][column], ha="center", va="center", fontsize=7)
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
    axes.set_yticks(range(len(names)), names)
    axes.set_title(title, fontsize="small")
    return figure


def _main(metrics: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Leave out scores that are details of another, such as SPICE_Object of SPICE."""
    return [key for key, entry in metrics.items() if "detail_of" not in entry]


def _shared_legend(figure: Figure, axes: Axes) -> None:
    """Put the names of lines beside all panels, where they hide nothing."""
    figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper", frameon=False, fontsize="small")


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _percent(share: float | None) -> float:
    return 100 * _number(share)


def _line(place: int) -> dict[str, Any]:
    return {
        "color": COLOURS[place % len(COLOURS)],
        "linestyle": DASHES[place // len(COLOURS) % len(DASHES)],
        "marker": MARKERS[place % len(MARKERS)],
        "markersize": 3.5,
    }


def _plain_frame(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)


# What an outcome must hold to be drawn so, the special before the general.
_DRAWINGS: dict[tuple[str, ...], Callable[[Mapping[str, Any]], Figure]] = {
    ("systems", "human"): _scatter,
    ("systems", "ranks"): _frequencies,
    ("systems", "SPICE_Object"): _kinds_of_tuples,
    ("sentences",): _changed_sentences,
    ("strengths",): _curves_over_strengths,
    ("curve",): _curves_over_references,
    ("accuracy",): _accuracies,
    ("by_rating",): _boxes,
    ("spearman_between",): _similarities,
    ("williams",): _wins,
    ("kendall_b",): _coefficients,
}
