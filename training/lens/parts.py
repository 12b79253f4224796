"""The parts of the score for every row of `bench`.

    python training/lens/parts.py --run RUN --encoder NAME --form NAME

Writes RUN/parts_NAME.npz: one array a set, with the columns `PARTS`. The equations are those of `metrics/lens`. The
names `shipped` stand for what ships. With ``--supervised``, the parts as ratings have changed them (RUN/axes_NAME.npz,
axes.py), in RUN/parts_NAME_supervised.npz.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from features import Encodings, encodings_of, likeness, soft_max
from spoil import Words
from train_form import load_form
from usual import Usual

from bench import Bench, Rows
from caplens.arrays import Floats, Singles
from caplens.metrics.lens._lens import LEAST_AGREEMENT, MORE_REFERENCES, SUPPORTED_WORD
from corpus import say
from train import load_words

PARTS = ("scene", "support", "coverage", "wellformed")
FLOOR = 1e-6


def content(
    encodings: Encodings, usual: Sequence[Singles], candidate: int, references: Sequence[int]
) -> tuple[float, float, float]:
    """Return scene, support and coverage of a row; ``usual`` has the rows of each caption's words."""
    known = [reference for reference in references if len(encodings.words[reference])]
    words, weights = encodings.words[candidate], encodings.claims[candidate]
    if not len(words) or not known:
        return 0.0, 0.0, 0.0
    directions = encodings.captions[known]
    scene = (directions @ encodings.captions[candidate]).mean()
    theirs = np.concatenate([encodings.words[reference] for reference in known])
    their_weights = np.concatenate([encodings.weights[reference] for reference in known])
    starts = np.concatenate([[0], np.cumsum([len(encodings.words[reference]) for reference in known])[:-1]])
    near = words @ theirs.T
    alike = likeness(soft_max(np.maximum.reduceat(near, starts, axis=1), 1))
    single, many = usual[candidate][: len(words)].T
    expected = many - (many - single) * len(known) ** -MORE_REFERENCES
    lacking = weights @ np.maximum(expected - alike, 0)
    support = 1 - lacking / (float(weights @ expected) + SUPPORTED_WORD)
    covered = np.add.reduceat(their_weights * likeness(near.max(axis=0)), starts)
    covered = covered / np.maximum(np.add.reduceat(their_weights, starts), FLOOR)
    agreement = np.ones(len(known))
    if len(known) > 1:
        among = (directions @ directions.T).sum(axis=1) - 1
        agreement = np.maximum(among / (len(known) - 1), LEAST_AGREEMENT)
    return float(scene), float(support), float(agreement @ covered / agreement.sum())


def wellformed(run: Path, name: str, captions: Sequence[Words]) -> Floats:
    """Return the log odds that captions are well-formed."""
    network, places = load_form(run, name)
    words, _ = load_words(run)
    row = {word: int(place) for word, place in zip(words, places, strict=True)}
    numbers = {word: 1 + place for place, word in enumerate(sorted({word for words in captions for word in words}))}
    order = np.argsort([len(words) for words in captions], kind="stable")
    found = np.full(len(captions), -10.0)
    with torch.no_grad():
        for start in range(0, len(order), 512):
            chosen = [place for place in order[start : start + 512] if captions[place]]
            if not chosen:
                continue
            longest = max(len(captions[place]) for place in chosen)
            tables: list[npt.NDArray[np.int64]] = [np.zeros((len(chosen), longest), np.int64) for _ in range(2)]
            for at, place in enumerate(chosen):
                tables[0][at, : len(captions[place])] = [numbers[word] for word in captions[place]]
                tables[1][at, : len(captions[place])] = [row.get(word, 0) for word in captions[place]]
            found[chosen] = network(*map(torch.from_numpy, tables)).numpy()
    return found


def parts_of(
    run: Path, encoder: str, form: str, bench: Bench, names: Sequence[str], supervised: bool = False
) -> dict[str, Floats]:
    """Return the parts of some sets."""
    used = sorted({place for name in names for place in _captions(bench.sets[name])})
    position = {place: row for row, place in enumerate(used)}
    captions = [bench.captions[place] for place in used]
    encodings = encodings_of(run, encoder, captions, supervised)
    odds, measured = wellformed(run, form, captions), Usual.read(run, encoder)
    usual = [measured.of(words) for words in captions]
    found = {}
    for name in names:
        rows = bench.sets[name]
        table = []
        for one, theirs in zip(rows.candidates, rows.references, strict=True):
            references = [position[other] for other in theirs]
            table.append((*content(encodings, usual, position[one], references), odds[position[one]]))
        found[name] = np.array(table)
    return found


def _captions(rows: Rows) -> set[int]:
    return {*rows.candidates, *(place for theirs in rows.references for place in theirs)}


def main() -> None:
    """Compute and keep the parts of all sets, or of some."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--form", required=True)
    parser.add_argument("--sets", default="")
    parser.add_argument("--supervised", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    bench = Bench.read(arguments.run)
    names = arguments.sets.split(",") if arguments.sets else list(bench.sets)
    found = parts_of(arguments.run, arguments.encoder, arguments.form, bench, names, arguments.supervised)
    kind = "_supervised" if arguments.supervised else ""
    np.savez(arguments.run / f"parts_{arguments.encoder}{kind}.npz", **found)
    say(f"{arguments.encoder}: parts of {', '.join(names)}")


if __name__ == "__main__":
    main()
