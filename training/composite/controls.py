"""Measure all shipped metrics, and composite ones beside their controls and the mean of their inputs.

    python training/composite/controls.py --run RUN [--writers WRITERS] [--parses DIR]

RUN is the folder of fit_composites.py, WRITERS that of make.py (people against systems). One line per metric: tau-c on
Flickr8k-Expert (which the shipped weights were fitted to: the figures in folds are in RUN), pairs of ABSTRACT-50S,
Pearson's coefficient and tau-b on THumB, pairs of FOIL, tau-b on Flickr8k-Crowd, each with its interval. The results of
each study are kept in RUN/figures; remove them after a change of metrics.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sources import COCO, SHARED, say

from caplens import study
from caplens.train.composite.recipes import LETTERS

INPUTS = {"M": "meteor", "W": "wmd", "C": "cider(df=coco-train2014)", "S": "spice(known=false)"}
TITLES = [f"Eval_{letters}" for letters in LETTERS.values()]
OTHERS = (
    "bleu, bleu_smoothed, rouge, cider(label=CIDEr_default), spice(label=SPICE_default), spider, scenesim, lens, "
    "lens_s, wembsim, wembsim_c, embedding_average, vector_extrema, greedy_matching, fluency, critique"
)
STUDIES: dict[str, tuple[Path, dict[str, Any], tuple[str, ...]]] = {
    "flickr8k-expert": (SHARED / "flickr8k", {"preset": "hessel2021"}, ("kendall_c",)),
    "abstract50s": (SHARED / "abstract50s", {}, ("mean",)),
    "thumb": (SHARED / "thumb", {}, ("pearson", "kendall_b")),
    "foil": (SHARED / "foil", {"captions": COCO}, ("mean",)),
    "flickr8k-crowd": (SHARED / "flickr8k", {"preset": "hessel2021"}, ("kendall_b",)),
}


def main() -> None:
    """Run the studies, one for all metrics, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="folder of fit_composites.py")
    parser.add_argument("--writers", type=Path, help="folder of make.py")
    parser.add_argument("--parses", help="folder that keeps SPICE's parses")
    arguments = parser.parse_args()
    metrics = ", ".join([*INPUTS.values(), OTHERS, *requests(arguments)])
    columns: dict[str, list[str]] = {}
    for name, (data, options, keys) in STUDIES.items():
        path = arguments.run / "figures" / f"{name}{'-writers' if arguments.writers else ''}.json"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            say(f"{name} ...")
            found = study(name, data, metrics=metrics, parses=arguments.parses, **options).to_dict()["metrics"]
            path.write_text(json.dumps(found))
        found = json.loads(path.read_text())
        for label, figures in found.items():
            columns.setdefault(label, []).extend(cell(figures, key) for key in keys)
    say("| metric | " + " | ".join(f"{name}, {key}" for name, (_, _, keys) in STUDIES.items() for key in keys) + " |")
    say("| --- |" + " --- |" * sum(len(keys) for _, _, keys in STUDIES.values()))
    for label, cells in columns.items():
        if not label.startswith("SPICE_") or label == "SPICE_default":
            say(f"| {label} | " + " | ".join(cells) + " |")


def requests(arguments: argparse.Namespace) -> Iterator[str]:
    """Yield the composite metrics, the means of their inputs and their controls."""
    for title in TITLES:
        yield f"composite(weights={arguments.run / f'{title}.safetensors'})"
        # Inverted ratings give no weight to anything: that control has one score for all captions.
        yield f"composite(weights={arguments.run / 'shuffled' / f'{title}.safetensors'}, label={title}_shuffled)"
    for name, letters in LETTERS.items():
        inputs = ", ".join(INPUTS[letter] for letter in letters)
        yield f"mean({inputs}, label=Mean_{letters})"
        for labels in ("true", "shuffled", "inverted") if arguments.writers else ():
            weights = arguments.writers / labels / f"Eval_{letters}.safetensors"
            yield f"composite(weights={weights}, label={name}_writers_{labels})"


def cell(figures: dict[str, Any], key: str) -> str:
    """Return a figure with its interval."""
    if "accuracy" in figures:
        value, interval = figures["accuracy"][key], figures["interval"][key]
        return f"{100 * value:.1f} % ({100 * interval[0]:.1f} to {100 * interval[1]:.1f})"
    value, interval = figures[key]["value"], figures[key]["interval"]
    found = "-" if value is None else f"{value:.3f} ({interval[0]:.3f} to {interval[1]:.3f})"
    return found.replace("0.", ".")


if __name__ == "__main__":
    main()
