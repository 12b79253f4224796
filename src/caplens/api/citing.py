"""A methods sentence, the signatures and BibTeX for a result file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from caplens.api.citations import TESTS, Paper, paper, papers_of
from caplens.core.grammar import Request, parse
from caplens.errors import InputError
from caplens.output.document import read_document

OUR_PARSER = "caplens"
"""The parser of SPICE that ships, as signatures name it."""


def cite(path: str | os.PathLike[str]) -> str:
    """Return what a paper can say about a result file: a sentence, the signatures, and BibTeX entries.

    Parameters
    ----------
    path : path
        A JSON file that ``caplens score``, ``compare``, ``merge`` or `Result.write` wrote.

    Examples
    --------
    >>> import os, tempfile, caplens
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "scores.json")
    ...     caplens.score(["two dogs"], [["two dogs run"]], "rouge").write(path)
    ...     print(cite(path).splitlines()[0])
    We report ROUGE_L (Lin, 2004), computed with caplens 0.2.0 on 1 caption.
    """
    document = read_document(path)
    systems = document.get("systems")
    metrics = document.get("metrics") if systems is None else next(iter(systems.values()))["metrics"]
    if not isinstance(metrics, Mapping) or not all("signature" in entry for entry in metrics.values()):
        raise InputError(f"{path} contains no scores; pass a .json file written by caplens score or caplens compare.")
    requests = {key: parse(entry["signature"])[0] for key, entry in metrics.items() if "detail_of" not in entry}
    papers = {found.key: found for request in requests.values() for found in _papers(request)}
    if systems is not None:
        papers[TESTS] = paper(TESTS)
    signatures = dict.fromkeys(metrics[key]["signature"] for key in requests)
    entries = [found.bibtex for found in papers.values()]
    return "\n\n".join(["\n".join(_sentences(document, requests)), "\n".join(signatures), *entries])


def _sentences(document: Mapping[str, Any], requests: Mapping[str, Request]) -> Iterator[str]:
    """Say what was computed, on how much, and how uncertain it is."""
    keys: dict[Request, list[str]] = {}
    for key, request in requests.items():
        keys.setdefault(request, []).append(key)
    named = [f"{_span(found)}{_reference(_papers(request))}" for request, found in keys.items()]
    # Of a comparison, of merged shards (which keep no items), or of one result.
    rows = next((document[key] for key in ("n", "rows") if key in document), len(document.get("items", ())))
    captions = f"{rows:,} caption{'' if rows == 1 else 's'}"
    each = " of each system" if "systems" in document else ""
    yield f"We report {_listed(named)}, computed with caplens {document['caplens']} on {captions}{each}."
    if "resampling" in document and rows > 1:
        yield f"Intervals are 95 % bootstrap intervals over {document['resampling']['resamples']:,} resamples."
    if "testing" in document:
        testing = document["testing"]
        corrected = f"with Holm's correction at {testing['alpha']:g}"
        runs: Mapping[str, int] = testing.get("runs", {})
        if runs:
            counts = _listed([f"{count} of {name}" for name, count in runs.items()])
            yield (
                f"Scores are means over training runs: {counts}. Systems with several runs are compared by two-sided t "
                f"tests with variances over images (bootstrap) and over runs, {corrected}."
            )
        if not runs or list(runs.values()).count(1) > 1:
            compared = "Single runs" if runs else "Systems"
            yield (
                f"{compared} are compared by paired bootstrap and approximate randomisation "
                f"({testing['resamples']:,} resamples, two-sided) {corrected}."
            )
    yield from _about_spice(document, requests)


def _about_spice(document: Mapping[str, Any], requests: Mapping[str, Request]) -> Iterator[str]:
    """Say where the scene graphs of SPICE come from, if it was computed or is part of what was."""
    facts = {name for request in requests.values() for name, _ in request.facts}
    parsers = {name for request in requests.values() for name in _parsers(request)}
    if not parsers and "parser" not in facts:
        return
    ours, theirs = "caplens' own caption parser", [f"the parser {name}" for name in sorted(parsers - {OUR_PARSER})]
    # Composites name no parser: theirs is ours.
    parsing = _listed([ours, *theirs] if OUR_PARSER in parsers or not theirs else theirs)
    if "known" in facts:
        yield (
            "SPICE uses the rules of SPICE 1.0, the reference tool's scene graphs for captions that are in a pack"
            f"{_known(document)}, and {parsing} for all others."
        )
    else:
        yield f"SPICE uses the rules of SPICE 1.0 with {parsing}."


def _parsers(request: Request) -> set[str]:
    """Return the parsers that a metric or those that it combines name."""
    own = {value for key, value in request.options if key == "parser"}
    return own.union(*(_parsers(each) for each in request.inputs))


def _known(document: Mapping[str, Any]) -> str:
    """Return how many captions were in packs: (100 % of the references, 4 to 98 % of the candidates)."""
    systems = [entry["metrics"] for entry in document.get("systems", {"": document}).values()]
    said = []
    for name in ("references", "candidates"):
        shares = [
            entry[f"known_{name}"] for metrics in systems for entry in metrics.values() if f"known_{name}" in entry
        ]
        if shares:
            low, high = (f"{100 * share:.3g}" for share in (min(shares), max(shares)))
            said.append(f"{high if low == high else f'{low} to {high}'} % of the {name}")
    return f" ({', '.join(said)})" if said else ""


def _papers(request: Request) -> list[Paper]:
    found = {each.key: each for each in papers_of(request.name)}
    for inner in request.inputs:
        found.update((each.key, each) for each in _papers(inner))
    return list(found.values())


def _reference(papers: Iterable[Paper]) -> str:
    """Return the papers as a sentence refers to them: (Lin, 2004)."""
    shown = []
    for each in papers:
        fields = dict(each.fields)
        authors = [name.split(",")[0] for name in fields["author"].split(" and ")]
        who = (
            authors[0] if len(authors) == 1 else " and ".join(authors) if len(authors) == 2 else f"{authors[0]} et al."
        )
        shown.append(f"{who}, {fields['year']}")
    return f" ({'; '.join(shown)})" if shown else ""


def _span(keys: list[str]) -> str:
    """Return the keys of one metric: Bleu_1 to Bleu_4."""
    return keys[0] if len(keys) == 1 else f"{keys[0]} to {keys[-1]}"


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
