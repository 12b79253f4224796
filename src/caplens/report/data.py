"""What a report of scores holds, as plain data: from a result, a comparison, or a file that caplens wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from caplens.arrays import Floats, Integers
from caplens.core.comparison import ALPHA, Comparison
from caplens.core.result import Result
from caplens.errors import InputError, UsageError
from caplens.output.document import document
from caplens.output.leaderboard import leaderboard
from caplens.output.presentation import Presentation

UNITS = 100_000
"""Item scores are whole numbers of this part of 1 in a page."""
NAMELESS = "candidate"
"""What a system is called that came without a name."""


@dataclass(frozen=True, eq=False)
class ReportData:
    """Scores of one or more systems, with all captions.

    Attributes
    ----------
    facts : dict
        What result files hold besides items, with the scores of all systems under ``systems``.
    ids : list of str
        One per item.
    captions : list of list of str
        For each system, one per item.
    references : list of list of str
        For each item.
    scores : numpy.ndarray
        Item scores by key, system and item; NaN where there is none.
    subsets : dict
        The rows of each subset, by name and label.
    """

    facts: dict[str, Any]
    ids: list[str]
    captions: list[list[str]]
    references: list[list[str]]
    scores: Floats
    subsets: dict[str, dict[str, Integers]]

    @property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return list(self.facts["systems"])

    @property
    def metrics(self) -> dict[str, Any]:
        """The corpus scores of the first system, by key."""
        found: dict[str, Any] = next(iter(self.facts["systems"].values()))["metrics"]
        return found

    @property
    def keys(self) -> list[str]:
        """The keys of the scores."""
        return list(self.metrics)

    @property
    def main_keys(self) -> list[str]:
        """The keys of the scores that are not details of another one."""
        return list(Presentation().keys(self.metrics))

    @property
    def higher_is_better(self) -> list[bool]:
        """Of each score."""
        return [entry.get("higher_is_better", True) for entry in self.metrics.values()]

    def board(self) -> dict[str, Any]:
        """Return the leaderboard as plain data."""
        systems = {name: found["metrics"] for name, found in self.facts["systems"].items()}
        alpha = self.facts.get("testing", {}).get("alpha", ALPHA)
        board = leaderboard(systems, Presentation(all_scores=True), self.facts.get("tests", ()), alpha)
        ranked = leaderboard(systems, Presentation(), self.facts.get("tests", ()), alpha)
        entries = [
            [
                [entry.score, *entry.interval, entry.spread, entry.mark]
                for entry in (board.entries[name, key] for key in board.keys)
            ]
            for name in self.systems
        ]
        return {"order": [self.systems.index(name) for name in ranked.systems], "entries": entries}

    def summary(self) -> dict[str, Any]:
        """Return everything but the items."""
        keys, main = self.keys, set(self.main_keys)
        scores = [
            {
                "key": key,
                "higher": better,
                "main": key in main,
                "signature": self.metrics[key].get("signature", ""),
            }
            for key, better in zip(keys, self.higher_is_better, strict=True)
        ]
        kept = ("caplens", "tests", "testing", "resampling", "warnings", "inputs", "baseline", "subsets")
        return {
            **{name: self.facts[name] for name in kept if self.facts.get(name)},
            "n": len(self.ids),
            "systems": self.systems,
            "scores": scores,
            "board": self.board(),
        }

    def items(self) -> dict[str, Any]:
        """Return the items as columns."""
        found = np.where(np.isfinite(self.scores), self.scores, 0)
        numbers = np.round(found * UNITS).astype(np.int64).astype(object)
        numbers[~np.isfinite(self.scores)] = None
        return {
            "ids": self.ids,
            "captions": self.captions,
            "references": self.references,
            "units": UNITS,
            "scores": numbers.tolist(),
            "subsets": [
                {"name": name, "labels": list(found), "of": _labels(found, len(self.ids))}
                for name, found in self.subsets.items()
            ],
        }


def _labels(subsets: Mapping[str, Integers], count: int) -> list[int]:
    """Return the place of each row's label; -1 for a row in no subset."""
    of = np.full(count, -1)
    for place, rows in enumerate(subsets.values()):
        of[rows] = place
    labels: list[int] = of.tolist()
    return labels


def data_of(result: Result | Comparison) -> ReportData:
    """Return what a report of a result or a comparison holds.

    Examples
    --------
    >>> import caplens
    >>> data = data_of(caplens.score(["a dog"], [["a dog", "two dogs"]], "rouge"))
    >>> data.systems, data.captions, data.scores.tolist()
    (['candidate'], [['a dog']], [[[1.0]]])
    """
    if isinstance(result, Comparison):
        systems, facts = result.systems, result.to_dict(items=False)
    else:
        name = next(iter(result.inputs.get("candidates", ())), NAMELESS)
        systems = {name: result}
        body = {"systems": {name: {"metrics": result.summary()}}, "resampling": result.intervals.facts()}
        more = {"inputs": result.inputs, "subsets": result.subset_dicts()}
        facts = document({**body, **more}, result.warnings)
    # Files do not tell warnings from notes; a page shows them in different places.
    facts["warnings"] = [{**notice.to_dict(), "level": notice.level} for notice in result.warnings]
    first = next(iter(systems.values()))
    if not len(first.corpus):
        raise UsageError("A report shows captions, which this result does not contain: shards contain scores only.")
    sets = first.corpus.references
    texts = [sets.texts(index) for index in range(len(sets))]
    return ReportData(
        facts,
        first.corpus.ids,
        [list(found.corpus.candidates) for found in systems.values()],
        [texts[index] for index in first.corpus.reference_set.tolist()],
        np.array([[found[key].item_scores for found in systems.values()] for key in first]),
        _rows_of_subsets(result),
    )


def _rows_of_subsets(result: Result | Comparison) -> dict[str, dict[str, Integers]]:
    """Return the rows of the subsets that were asked for."""
    whole = result if isinstance(result, Result) else next(iter(result.systems.values()))
    places = {name: place for place, name in enumerate(whole.corpus.ids)}
    found: dict[str, dict[str, Integers]] = {}
    for name, subsets in result.subsets.items():
        parts = {
            label: part if isinstance(part, Result) else next(iter(part.systems.values()))
            for label, part in subsets.items()
        }
        found[name] = {
            label: np.array([places[each] for each in part.corpus.ids], dtype=np.int64) for label, part in parts.items()
        }
    return found


def data_of_document(content: Mapping[str, Any]) -> ReportData:
    """Return what a report of a file holds that caplens wrote with captions (``--with-captions``).

    Parameters
    ----------
    content : mapping
        What `caplens.output.document.read_document` returns.

    Raises
    ------
    InputError
        If the file has no item scores or no captions.

    Examples
    --------
    >>> import caplens
    >>> result = caplens.score(["a dog"], [["a dog", "two dogs"]], "rouge").with_captions()
    >>> data_of_document(result.to_dict()).captions
    [['a dog']]
    """
    items: Sequence[Mapping[str, Any]] = content.get("items") or ()
    several = "systems" in content
    if not items or not (several or "metrics" in content):
        raise InputError("A report needs item scores: write them with caplens score or compare -o FILE.json.")
    if ("candidates" if several else "candidate") not in items[0]:
        raise InputError("The file has no captions: write it with --with-captions.")
    name = next(iter(content.get("inputs", {}).get("candidates", ())), NAMELESS)
    facts = {**content, "systems": content["systems"] if several else {name: {"metrics": content["metrics"]}}}
    names = list(facts["systems"])
    keys = list(facts["systems"][names[0]]["metrics"])
    captions = [
        [str((item["candidates"].get(system) if several else item["candidate"]) or "") for item in items]
        for system in names
    ]
    by_system = [[item["scores"][system] if several else item["scores"] for item in items] for system in names]
    scores = np.array([[[row.get(key) for row in rows] for rows in by_system] for key in keys], dtype=np.float64)
    facts.pop("items")
    ids = [str(item["id"]) for item in items]
    return ReportData(facts, ids, captions, [list(item.get("references") or ()) for item in items], scores, {})
