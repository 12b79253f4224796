"""Agreement of the shipped parser with the Java reference, from parses to scores: every figure of the README.

    python training/parser/report.py [--model captions.safetensors] [--json figures.json]
    python training/parser/report.py --silver    # by source, on silver captions that were not trained on

Runs what ships: the parser without torch, 16-bit weights, the rules and scores of `caplens.scenegraph`. The golden sets
are test data; nothing is trained or chosen on them.
"""

from __future__ import annotations

import argparse
import gzip
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from runs import SHARED, say
from scipy.stats import kendalltau
from split import CAPTIONS_PER_DEVELOPMENT, aside_sources, mark

from caplens.files.arrays import read_arrays
from caplens.scenegraph.graph.concepts import Concepts
from caplens.scenegraph.graph.scene_graph import build_all
from caplens.scenegraph.graph.score import count_rows, precision_recall_f
from caplens.scenegraph.packs.library import KnownGraphs, known_graphs
from caplens.scenegraph.parser.caption_parser import MODEL, CaptionParser
from caplens.scenegraph.rules.tuples import Proposal, propose

SETS = ("coco2000_knn", "coco2000_human", "fakecap1000", "flickr8k_expert")
LONG = 20
"""Words; a caption with more is long."""
CATEGORIES = ("All", "Object", "Attribute", "Relation", "Color", "Cardinality", "Size")


class Scenes:
    """The tuples of captions, each parsed once.

    Parameters
    ----------
    parser
        The parser to test.
    captions
        All captions that will be asked for, tokenised, with single spaces.
    packs
        What is known of some of them; their tuples count instead of those of the parse.
    """

    def __init__(self, parser: CaptionParser, captions: Iterable[str], packs: KnownGraphs | None = None) -> None:
        texts = sorted(set(captions))
        self.parses = dict(zip(texts, parser.parse([text.split(" ") if text else [] for text in texts]), strict=True))
        self.tuples: dict[str, list[Proposal]] = {text: propose(parse) for text, parse in self.parses.items()}
        if packs is not None:
            known = zip(texts, packs.find([text.split() for text in texts]), strict=True)
            self.tuples.update((text, list(tuples)) for text, tuples in known if tuples is not None)

    def f_scores(self, candidates: Sequence[str], references: Sequence[Sequence[str]]) -> np.ndarray:
        """Give F of each candidate in each category."""
        return f_scores(self.tuples, self.tuples, candidates, references)


def f_scores(
    candidate_tuples: Mapping[str, list[Proposal]],
    reference_tuples: Mapping[str, list[Proposal]],
    candidates: Sequence[str],
    references: Sequence[Sequence[str]],
) -> np.ndarray:
    """Give F of each candidate in each category, given the tuples of all captions."""
    concepts = Concepts()
    one = build_all([candidate_tuples[text] for text in candidates], concepts)
    other = build_all([[each for text in texts for each in reference_tuples[text]] for texts in references], concepts)
    return precision_recall_f(count_rows(one, other, range(len(other))))[2]


def read_json(path: Path) -> Any:  # noqa: ANN401
    """Read a gzipped JSON file."""
    return msgspec.json.decode(gzip.decompress(path.read_bytes()))


def read_lines(path: Path) -> Iterator[Any]:
    """Read gzipped JSON lines."""
    with gzip.open(path) as lines:
        yield from map(msgspec.json.decode, lines)


def parse_figures(parser: CaptionParser, lines: Sequence[Any]) -> dict[str, float]:
    """Compare trees and tuples with those of the reference, caption by caption."""
    scenes = Scenes(parser, (line["text"] for line in lines))
    tokens = right_tags = right_heads = right_arcs = right_lemmas = same_tree = same_words = 0
    shared = ours_total = theirs_total = same_tuples = 0
    for line in lines:
        ours, theirs = set(scenes.tuples[line["text"]]), {tuple(each) for each in line["tuples"]}
        shared += len(ours & theirs)
        ours_total += len(ours)
        theirs_total += len(theirs)
        same_tuples += ours == theirs
        if len(line["sents"]) != 1 or list(scenes.parses[line["text"]][0].words) != line["sents"][0]["w"]:
            continue
        same_words += 1
        sentence, gold = scenes.parses[line["text"]][0], line["sents"][0]
        arcs = {dependent: (head, label) for head, dependent, label in gold["basic"]}
        found = list(zip(sentence.heads, sentence.labels, strict=True))
        wanted = [arcs.get(place, (0, "")) for place in range(1, len(found) + 1)]
        tokens += len(found)
        right_tags += sum(map(str.__eq__, sentence.tags, gold["t"]))
        right_lemmas += sum(map(str.__eq__, sentence.lemmas, gold["l"]))
        right_heads += sum(one[0] == two[0] for one, two in zip(found, wanted, strict=True))
        right_arcs += sum(one == two for one, two in zip(found, wanted, strict=True))
        same_tree += found == wanted
    return {
        "captions": len(lines),
        "same words": same_words / len(lines),
        "tags": right_tags / tokens,
        "lemmas": right_lemmas / tokens,
        "unlabelled attachment": right_heads / tokens,
        "labelled attachment": right_arcs / tokens,
        "same tree": same_tree / len(lines),
        "tuple F1": 2 * shared / (ours_total + theirs_total),
        "same tuples": same_tuples / len(lines),
    }


def silver_figures(parser: CaptionParser, silver: Path) -> dict[str, dict[str, float]]:
    """Compare parses of silver captions that were not trained on: development captions by kind, kept-aside sources."""
    groups: dict[str, list[Any]] = defaultdict(list)
    for kind, line in unseen_lines(silver):
        source, words = line.get("source", ""), sum(len(sentence["w"]) for sentence in line["sents"])
        if kind == "aside":
            names = ["kept aside: all", f"kept aside: {source}"]
        else:
            size = "more than" if words > LONG else "at most"
            names = [f"development: {size} {LONG} words"]
            names.append("development: newer systems" if source else "development: people, older systems")
        for name in names:
            groups[name].append(line)
    return {name: parse_figures(parser, groups[name]) for name in sorted(groups)}


def unseen_lines(silver: Path) -> Iterator[tuple[str, Any]]:
    """Read the silver lines that are not trained on, each with its kind: "aside" or "development"."""
    lines = [line for path in sorted(silver.glob("part-*.jsonl.gz")) for line in read_lines(path)]
    aside = set(aside_sources(list({line.get("source", "") for line in lines})))
    for line in lines:
        if line.get("source", "") in aside:
            yield "aside", line
        elif mark([word for sentence in line["sents"] for word in sentence["w"]]) % CAPTIONS_PER_DEVELOPMENT == 0:
            yield "development", line


def set_figures(parser: CaptionParser, items: Sequence[Any]) -> tuple[dict[str, float], np.ndarray]:
    """Compare SPICE on one golden set; the second value are our scores of all tuples."""
    references = [item["references_ptb"] for item in items]
    scenes = Scenes(
        parser, [*(item["candidate_ptb"] for item in items), *(text for texts in references for text in texts)]
    )
    ours = scenes.f_scores([item["candidate_ptb"] for item in items], references)
    theirs = np.array([[item["scores"][name]["f"] for name in CATEGORIES] for item in items], dtype=float)
    figures = {}
    for place, name in enumerate(CATEGORIES):
        both = ~np.isnan(ours[:, place]) & ~np.isnan(theirs[:, place])
        pearson = np.corrcoef(ours[both, place], theirs[both, place])[0, 1]
        figures[f"Pearson {name}"] = float(pearson)
        figures[f"ours {name}"] = float(np.nanmean(ours[:, place]))
        figures[f"reference {name}"] = float(np.nanmean(theirs[:, place]))
    figures["mean absolute difference"] = float(np.abs(ours[:, 0] - theirs[:, 0]).mean())
    figures["equal items"] = float((np.abs(ours[:, 0] - theirs[:, 0]) < 1e-9).mean())
    return figures, ours[:, 0]


def system_figures(parser: CaptionParser, golden: Any, packs: KnownGraphs | None = None) -> dict[str, float]:  # noqa: ANN401
    """Compare the items of systems, the differences between systems, and their ranking."""
    images = golden["images"]
    items = [item for system in golden["systems"].values() for item in system["items"]]
    captions = [item["candidate_ptb"] for item in items]
    texts = [*captions, *(text for image in images.values() for text in image["references_ptb"])]
    scenes = Scenes(parser, texts, packs)
    ours, theirs, correlations, equal = [], [], [], []
    for system in golden["systems"].values():
        rows = system["items"]
        references = [images[str(item["id"])]["references_ptb"] for item in rows]
        scores = scenes.f_scores([item["candidate_ptb"] for item in rows], references)[:, 0]
        expected = np.array([item["scores"]["All"]["f"] for item in rows], dtype=float)
        both = np.isfinite(scores) & np.isfinite(expected)
        correlations.append(float(np.corrcoef(scores[both], expected[both])[0, 1]))
        equal.append(float(np.mean(np.abs(scores - expected)[both] < 1e-9)))
        ours.append(float(np.nanmean(scores)))
        theirs.append(system["SPICE"])
    corpus = sorted(abs(one - two) for one, two in zip(ours, theirs, strict=True))
    differences = [abs((ours[a] - ours[b]) - (theirs[a] - theirs[b])) for a, b in combinations(range(len(ours)), 2)]
    return {
        "systems": len(ours),
        "largest difference of differences": max(differences),
        "mean difference of differences": float(np.mean(differences)),
        "Kendall tau of the ranking": float(kendalltau(ours, theirs).statistic),
        "largest corpus difference": corpus[-1],
        "second largest corpus difference": corpus[-2],
        "median corpus difference": float(np.median(corpus)),
        "least Pearson of items": min(correlations),
        "equal items": float(np.mean(equal)),
    }


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--model", type=Path, default=MODEL, help="an exported parser")
    options.add_argument("--data", type=Path, default=SHARED, help="directory of the golden data")
    options.add_argument("--silver", action="store_true", help="only silver captions not trained on, by source")
    options.add_argument("--json", type=Path, help="write the figures there, too")
    arguments = options.parse_args()
    parser, spice = CaptionParser(read_arrays(arguments.model)), arguments.data / "spice"
    report: dict[str, Any] = {"model": parser.signature}
    if arguments.silver:
        report["silver"] = silver_figures(parser, spice / "silver")
        for name, figures in report["silver"].items():
            show(name, figures)
    else:
        golden_figures(parser, arguments.data, report)
    if arguments.json:
        arguments.json.write_bytes(msgspec.json.format(msgspec.json.encode(report)))


def golden_figures(parser: CaptionParser, data: Path, report: dict[str, Any]) -> None:
    """Compare parses, scores and systems with the golden data; show the figures and add them to the report."""
    spice = data / "spice"
    for name in ("parses_golden", "parses_systems500"):
        report[name] = parse_figures(parser, list(read_lines(spice / f"{name}.jsonl.gz")))
        show(name, report[name])
    for name in SETS:
        report[name], scores = set_figures(parser, read_json(spice / "golden" / f"{name}.json.gz")["items"])
        if name == "flickr8k_expert":
            pairs = read_json(data / "golden" / f"{name}_golden.json.gz")["pairs"]
            ratings = [rating for pair in pairs for rating in pair["ratings"]]
            report[name]["Kendall tau-c"] = float(kendalltau(np.repeat(scores, 3), ratings, variant="c").statistic)
        show(name, report[name])
    systems = read_json(spice / "golden" / "systems500.json.gz")
    for name, packs in (("systems500", None), ("systems500 with packs", known_graphs())):
        report[name] = system_figures(parser, systems, packs)
        show(name, report[name])


def show(name: str, figures: dict[str, float]) -> None:
    """Print the figures of one set."""
    say(name)
    for key, value in figures.items():
        say(f"  {key:36} {value:.5f}" if isinstance(value, float) else f"  {key:36} {value:,}")


if __name__ == "__main__":
    main()
