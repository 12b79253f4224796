"""Where results of studies hold the figures that papers publish."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from caplens.meta.papers.declared import Cells
from caplens.stats.correlation import COEFFICIENTS

ALPHA = 0.05
Result = Mapping[str, Any]


def coefficients(result: Result) -> Cells:
    """Return the correlations of metrics with ratings of captions, and of people with each other."""
    factor = result["preset"].get("factor", 1)

    def scaled(entry: Mapping[str, Any]) -> dict[str, float | None]:
        values = {name: entry[name]["value"] for name in COEFFICIENTS}
        return {name: None if value is None else factor * value for name, value in values.items()}

    rows = {key: scaled(entry) for key, entry in result["metrics"].items()}
    people = result.get("inter_human")
    return {**rows, "inter-human": scaled(people)} if people else rows


def shares(result: Result) -> Cells:
    """Return the shares of pairs judged as people do, in percent."""
    return {
        key: {kind: _percent(share) for kind, share in entry["accuracy"].items()} for key, entry in _metrics(result)
    }


def measures(result: Result) -> Cells:
    """Return Pearson's coefficient of corpus scores with each measure of systems, and its p-value."""
    rows: dict[str, dict[str, float | None]] = {}
    for key, entry in _metrics(result):
        row = rows.setdefault(key, {})
        for measure in result["human"]:
            row[measure] = entry[measure]["pearson"]["value"]
            row[f"{measure} p"] = entry[measure]["pearson"]["p"]
    return rows


def ranks(result: Result) -> Cells:
    """Return the rank that metrics give to Human, and how many of the five best machine entries they find."""
    return {key: {name: entry[name] for name in ("rank_of_human", "top_five")} for key, entry in _metrics(result)}


def sentence_scores(result: Result) -> Cells:
    """Return the score of each sentence."""
    return {key: entry["scores"] for key, entry in _metrics(result)}


def areas(result: Result) -> Cells:
    """Return the area R of each transformation."""
    return {key: {kind: entry[kind]["R"] for kind in result["transformations"]} for key, entry in _metrics(result)}


def f_scores(result: Result) -> Cells:
    """Return the F-score of systems for every kind of tuple."""
    return {system: {key: score["f"] for key, score in row.items()} for system, row in result["systems"].items()}


def sums(result: Result) -> Cells:
    """Return Spearman's coefficient of every normalised sum; a sum is named by its metrics in alphabetical order."""
    return {"+".join(sorted(entry["metrics"])): {"spearman": entry["spearman"]} for entry in result["subsets"]}


def raw_sums(result: Result) -> Cells:
    """Return Pearson's coefficient of raw sums: by metric, then by the variant of WEmbSim that is added."""
    rows: dict[str, dict[str, float | None]] = {}
    for entry in result["subsets"]:
        added = [key for key in entry["metrics"] if key.startswith("WEmbSim")]
        others = [key for key in entry["metrics"] if key not in added]
        if len(others) == 1 and len(added) <= 1:
            rows.setdefault(others[0], {})[added[0] if added else "alone"] = entry["raw_pearson"]
    return rows


def between(result: Result) -> Cells:
    """Return Spearman's coefficient between metrics, in the order of their correlation with people."""
    people: Mapping[str, float | None] = result["spearman_with_people"]
    return {key: {"people": people[key], **row} for key, row in result["spearman_between"].items()}


def different_pairs(result: Result) -> Cells:
    """Return how many pairs of metrics Williams' test finds different at 5 %, and how many there are."""
    least: dict[frozenset[str], tuple[float, float]] = {}
    for test in result["williams"]:
        pair = frozenset((test["first"], test["second"]))
        plain, corrected = (1.0 if test[name] is None else test[name] for name in ("p", "p_holm"))
        known = least.get(pair, (1.0, 1.0))
        least[pair] = (min(plain, known[0]), min(corrected, known[1]))
    return {
        name: {"different": sum(values[place] < ALPHA for values in least.values()), "pairs": len(least)}
        for place, name in enumerate(("one-sided p", "the same, Holm"))
    }


def bands(result: Result) -> Cells:
    """Return how much rarer or more frequent words are than among people, by their rank there (log10)."""
    return {
        name: dict(zip(result["bands"], (band["log10_ratio"] for band in row["bands"]), strict=True))
        for name, row in result["systems"].items()
    }


def _metrics(result: Result) -> list[tuple[str, Any]]:
    return list(result["metrics"].items())


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
