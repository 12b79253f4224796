"""Figures of studies: readable in print and for colour-blind people. Needs matplotlib (extra ``report``)."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from caplens.errors import MissingDataError, UsageError
from caplens.files.atomic import atomic_path, check_writable
from caplens.meta.systems import HUMAN

# matplotlib is an extra: its types are not there where it is not.
Axes = Any
Figure = Any

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
    keys = {*data, *figures}
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
    categories = [category for category in categories if category != "mean"]
    metrics = _whole(data["metrics"])[::-1]
    figure = _new_figure(6.5, 1 + 0.3 * len(metrics))
    axes = figure.subplots()
    for place, category in enumerate(categories):
        shares = [data["metrics"][key]["accuracy"][category] for key in metrics]
        values = [math.nan if share is None else 100 * share for share in shares]
        style = {"color": COLOURS[place % len(COLOURS)], "marker": MARKERS[place % len(MARKERS)]}
        axes.plot(values, range(len(metrics)), linestyle="none", label=category, **style)
    axes.axvline(50, color="0.6", linestyle=":")
    axes.set_yticks(range(len(metrics)), metrics)
    axes.set_xlabel("pairs judged as people do, percent (dotted: chance)")
    axes.set_title(f"{data['study']}, ties count {data['preset']['ties']}", fontsize="medium")
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    _plain_frame(axes)
    return figure


def _curves_over_references(data: Mapping[str, Any]) -> Figure:
    numbers, curves = data["curve"]["references"], data["curve"]["metrics"]
    shown = [name for name in ("mean", "MM") if name in next(iter(curves.values()))]
    figure, panels = _panels(len(shown), 2, (4, 3.2))
    for axes, category in zip(panels, shown, strict=True):
        for place, (key, by_category) in enumerate(curves.items()):
            axes.plot(
                numbers, [100 * (share or math.nan) for share in by_category[category]], label=key, **_line(place)
            )
        axes.set_title("all pairs" if category == "mean" else f"{category} pairs", fontsize="medium")
        axes.set_xlabel("references")
        axes.set_ylabel("accuracy, percent")
        _plain_frame(axes)
    panels[-1].legend(frameon=False, fontsize="small")
    return figure


def _curves_over_strengths(data: Mapping[str, Any]) -> Figure:
    kinds = list(data["transformations"])
    figure, panels = _panels(len(kinds), 3, (3.4, 3))
    keys = _whole(data["metrics"])
    for axes, kind in zip(panels, kinds, strict=True):
        for place, key in enumerate(keys):
            values = [math.nan if value is None else value for value in data["metrics"][key][kind]["curve"]]
            axes.plot(data["strengths"], values, label=key, **_line(place))
        axes.set_title(f"{kind}: {data['transformations'][kind]}", fontsize="small")
        axes.set_xlabel("strength")
        _plain_frame(axes)
    panels[0].set_ylabel("score, human caption = 1")
    panels[-1].legend(frameon=False, fontsize="small")
    return figure


def _scatter(data: Mapping[str, Any]) -> Figure:
    """Metric against the first human measure, one panel a metric, Human marked."""
    measure, human = next(iter(data["human"].items()))
    figure, panels = _panels(len(data["metrics"]), 4, (2.6, 2.4))
    machines = [name != HUMAN for name in data["systems"]]
    for axes, (key, entry) in zip(panels, data["metrics"].items(), strict=True):
        scores = [math.nan if value is None else value for value in entry["scores"]]
        for chosen, style in (
            (True, {"marker": "o", "color": COLOURS[0]}),
            (False, {"marker": "*", "color": COLOURS[1]}),
        ):
            places = [place for place, machine in enumerate(machines) if machine is chosen]
            size = 18 if chosen else 120
            axes.scatter([scores[place] for place in places], [human[place] for place in places], s=size, **style)
        value = entry[measure][data["preset"]["coefficient"]]["value"]
        axes.set_title(f"{key} ({value:.2f})" if value is not None else key, fontsize="small")
        _plain_frame(axes)
    panels[0].set_ylabel(f"{measure} (star: Human)")
    return figure


def _boxes(data: Mapping[str, Any]) -> Figure:
    keys = _whole(data["metrics"])
    figure, panels = _panels(len(keys), 4, (2.6, 2.4))
    for axes, key in zip(panels, keys, strict=True):
        boxes = [
            {"med": entry["median"], "q1": entry["quarter"], "q3": entry["three quarters"], "whislo": entry["least"]}
            | {"whishi": entry["most"], "fliers": [], "label": f"{entry['rating']:g}"}
            for entry in data["metrics"][key]["by_rating"]
        ]
        axes.bxp(boxes, showfliers=False, medianprops={"color": COLOURS[1]})
        if key in _SQUARE_ROOT:
            axes.set_yscale("function", functions=(lambda y: np.sqrt(np.maximum(y, 0)), np.square))
        axes.set_ylim(bottom=0)
        axes.set_title(key, fontsize="small")
        axes.set_xlabel("human rating")
        _plain_frame(axes)
    return figure


def _similarities(data: Mapping[str, Any]) -> Figure:
    order = data["order"]
    values = [[data["spearman_between"][key][other] for other in order] for key in order]
    return _heat_map(order, values, "{:.2f}", f"{data['on']}: Spearman between metrics", (0.0, 1.0))


def _wins(data: Mapping[str, Any]) -> Figure:
    order = sorted(data["correlations"], key=lambda key: -(data["correlations"][key] or 0.0))
    p_values = {(test["first"], test["second"]): test["p_holm"] for test in data["williams"]}
    values = [[p_values.get((key, other)) for other in order] for key in order]
    title = f"{data['on']}: Williams' test, p that the row is better than the column (Holm)"
    return _heat_map(order, values, "{:.3f}", title, (1.0, 0.0))


def _heat_map(
    names: Sequence[str], values: Sequence[Sequence[float | None]], form: str, title: str, bounds: tuple[float, float]
) -> Figure:
    """Draw a matrix in grey, with its numbers: dark is what matters."""
    figure = _new_figure(1.8 + 0.62 * len(names), 1.4 + 0.5 * len(names))
    axes = figure.subplots()
    table = np.array([[math.nan if value is None else value for value in row] for row in values])
    shade = (table - bounds[0]) / (bounds[1] - bounds[0])
    axes.imshow(np.nan_to_num(shade), cmap="Greys", vmin=0, vmax=1.4)
    for (row, column), value in np.ndenumerate(table):
        if math.isfinite(value):
            colour = "white" if shade[row, column] > 0.9 else "black"
            axes.text(column, row, form.format(value), ha="center", va="center", fontsize=7, color=colour)
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
    axes.set_yticks(range(len(names)), names)
    axes.set_title(title, fontsize="small")
    return figure


def _whole(keys: Iterable[str]) -> list[str]:
    """Leave out scores that are a part of another, such as SPICE_Object of SPICE."""
    names = list(keys)
    return [key for key in names if not any(key.startswith(f"{other}_") for other in names)]


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
    ("strengths",): _curves_over_strengths,
    ("curve",): _curves_over_references,
    ("accuracy",): _accuracies,
    ("by_rating",): _boxes,
    ("spearman_between",): _similarities,
    ("williams",): _wins,
    ("kendall_b",): _coefficients,
}
