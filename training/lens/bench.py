"""Everything that `lens` is measured on, cut into words once: judged sets, robustness, pairs, lengths.

    python training/lens/bench.py --run RUN

writes RUN/bench.json.gz. Only `proxy` (held-out images of the training sets), `systems` (no judged images) and `expert`
may guide choices.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from make_examples import spoil
from spoil import COLOURS, NUMBERS, Lexicon, Spoiler, Words, phrases_of

import corpus
from caplens.arrays import Floats, Integers
from caplens.meta.captions.judged import without_candidates
from caplens.meta.datasets.abstract50s import Abstract50s
from caplens.meta.datasets.flickr8k import Flickr8kCrowd, Flickr8kExpert
from caplens.meta.datasets.foil import Foil
from caplens.meta.datasets.thumb import Thumb
from caplens.meta.image_captions import captions_of, unseen_captions
from caplens.meta.probes.robustness import STRENGTHS, TRANSFORMATIONS, draw_captions, transformed
from corpus import SHARED, Corpus, chair_objects, mentions_of, say, tokens

COCO = SHARED / "coco_val2014"
SEED = 12345  # of `caplens meta robustness`
PROBED = 5_000
# On images that neither they nor `lens` have learned from (Karpathy val); people would mostly prefer the GOOD ones.
PLAIN = ("showandtell", "showattendtell_a", "showattendtell_b")  # 2015
GOOD = ("vinvl_base_val2014", "blip2_opt27b_coco", "minigpt4_vicuna13b_coco")  # 2021 to 2023
OTHERS = ("wu2016", "dai2017", "smallcap_karpathy_val", "instructblip_vicuna7b_coco")
COMPARED = 2_500  # images
WORDY = ("llava15_7b_val2014", "qwen25vl_7b_val2014", "gpt4o_val2017")


@dataclass(frozen=True, eq=False)
class Rows:
    """Captions by number: a candidate a row, and its references; ``facts`` are columns of what is known about rows."""

    candidates: list[int]
    references: list[list[int]]
    facts: dict[str, Any] = field(default_factory=dict)

    def column(self, name: str) -> Floats:
        """Return a column of numbers."""
        return np.asarray(self.facts[name], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Bench:
    """The words of all captions, each once, and the sets."""

    captions: list[Words]
    sets: dict[str, Rows]

    @classmethod
    def read(cls, run: Path) -> Bench:
        """Read what `main` wrote."""
        with gzip.open(run / "bench.json.gz", "rt") as file:
            content = json.load(file)
        sets = {name: Rows(*found) for name, found in content["sets"].items()}
        return cls([line.split() for line in content["captions"]], sets)


class _Maker:
    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.sets: dict[str, list[Any]] = {}

    def add(self, name: str, candidates: Sequence[str], references: Sequence[Sequence[str]], **facts: object) -> None:
        found = [self.number(text) for text in candidates]
        theirs = [[self.number(text) for text in texts] for texts in references]
        self.sets[name] = [found, theirs, facts]
        say(f"{name}: {len(found):,} rows")

    def number(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


def main() -> None:
    """Read all sets and write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True)
    run = parser.parse_args().run
    data = corpus.read(run)
    generator = np.random.default_rng(7)
    frequent = [word for word, count in data.counts().most_common() if count >= 20 and word.isalpha()]
    spoiler = Spoiler(Lexicon.of(data, run), frequent, phrases_of(data.words, 5_000, generator))
    maker = _Maker()
    add_judged(maker)
    add_robustness(maker)
    add_probes(maker, spoiler)
    add_lengths(maker)
    add_systems(maker)
    add_proxy(maker, data, spoiler, np.load(run / "similar.npy"))
    captions = [" ".join(words) for words in tokens(list(maker.numbers))]
    with gzip.open(run / "bench.json.gz", "wt", compresslevel=1) as file:
        json.dump({"captions": captions, "sets": maker.sets}, file)


def add_judged(maker: _Maker) -> None:
    """Add the sets with judgments."""
    for name, kind in (("expert", Flickr8kExpert), ("crowd", Flickr8kCrowd)):
        found = kind.presets()[0].judged(SHARED / "flickr8k").judged
        (ratings,) = found.ratings.values()
        maker.add(name, found.candidates, found.references, images=found.images, ratings=ratings.tolist())
    rated = Thumb.presets()[0].judged(SHARED / "thumb").judged
    maker.add("thumb", rated.candidates, rated.references, images=rated.images, ratings=rated.ratings["total"].tolist())
    abstract = Abstract50s.presets()[0].judged(SHARED / "abstract50s")
    foil = Foil(**{**vars(Foil.presets()[0]), "captions": COCO}).judged(SHARED / "foil")
    for name, pairs in (("abstract", abstract), ("foil", foil)):
        (votes,) = pairs.votes.values()
        facts = {"images": [image for image in pairs.images for _ in "ab"], "votes": votes.ravel().tolist()}
        facts["kinds"] = [kind for kind in pairs.labels for _ in "ab"]
        both = [caption for two in zip(pairs.first, pairs.second, strict=True) for caption in two]
        maker.add(name, both, [theirs for theirs in pairs.references for _ in "ab"], **facts)


def add_robustness(maker: _Maker) -> None:
    """Add the captions of `caplens meta robustness`: unchanged, then each kind and strength, image by image."""
    human = draw_captions(unseen_captions("coco", COCO).captions, 1000, SEED)
    versions = [human.candidates]
    for kind in TRANSFORMATIONS:
        versions += [transformed(human, kind, strength, SEED) for strength in STRENGTHS[1:]]
    candidates = [version[row] for row in range(len(human.images)) for version in versions]
    references = [theirs for theirs in human.references for _ in versions]
    maker.add("robust", candidates, references, versions=len(versions))


def add_probes(maker: _Maker, spoiler: Spoiler) -> None:
    """Add pairs of a human caption and the same with roles swapped, another count or another colour (Karpathy test)."""
    captions = unseen_captions("coco", COCO).captions
    generator = np.random.default_rng(SEED)
    candidates: list[str] = []
    references: list[tuple[str, ...]] = []
    kinds: list[str] = []
    said: list[int] = []
    for image in sorted(captions):
        cut = tokens(list(captions[image]))
        taken = {word for words in cut for word in words}
        place = int(generator.integers(len(cut)))
        others = tuple(text for at, text in enumerate(captions[image]) if at != place)
        (others,) = without_candidates([captions[image][place]], [others])
        words = {word for at, theirs in enumerate(cut) for word in theirs if at != place}
        for kind, listed in (("roles", ()), ("number", NUMBERS), ("colours", COLOURS)):
            wrong = spoiler.facts[kind](cut[place], taken, generator)
            if wrong is None or not others:
                continue
            changed = set(cut[place]) - set(wrong)
            candidates += [" ".join(cut[place]), " ".join(wrong)]
            references += [others, others]
            kinds += [kind, kind]
            said += [int(not listed or bool(changed & words))] * 2  # whether a reference has the right word
    maker.add("probes", candidates, references, kinds=kinds, said=said)


def add_lengths(maker: _Maker) -> None:
    """Add every human caption of images against the other four, and wordy systems beside a left-out human caption."""
    captions = captions_of("coco", COCO)
    generator = np.random.default_rng(SEED)
    images = [sorted(captions)[place] for place in generator.choice(len(captions), 2000, replace=False)]
    candidates, references, owners = [], [], []
    for image in images:
        for place, text in enumerate(captions[image]):
            candidates.append(text)
            references.append([other for at, other in enumerate(captions[image]) if at != place])
            owners.append(image)
    maker.add("lengths", candidates, references, images=owners)
    candidates, references, names = [], [], []
    for name in WORDY:
        with gzip.open(SHARED / "coco_systems_newer" / f"{name}.json.gz") as file:
            content = json.load(file)
        for image, texts in sorted((content.get("captions_lead_in_cut") or content["captions"]).items()):
            theirs = list(captions[image])
            left_out = theirs.pop(int(generator.integers(len(theirs))))
            candidates += [texts[0], left_out]
            references += [theirs, theirs]
            names += [name, name]
    maker.add("wordy", candidates, references, systems=names)


def add_systems(maker: _Maker) -> None:
    """Add captions of systems and a left-out human caption of images that are judged nowhere.

    Facts: ``names``, those of a row's captions in turn, and by row the shares of the objects that it names which are
    there (``precise``) and of those there which it names (``complete``); nan where there are none.
    """
    judged = set(maker.sets["foil"][2]["images"])
    images = [image for image in (COCO / "splits" / "karpathy_val.txt").read_text().split() if image not in judged]
    listed, human = chair_objects()["val2014"], captions_of("coco", COCO)
    systems = {name: _captions_of(name) for name in (*PLAIN, *GOOD, *OTHERS)}
    generator = np.random.default_rng(3)
    candidates, references, objects = [], [], []
    for image in images[:COMPARED]:
        theirs = list(human[image])
        candidates += [theirs.pop(int(generator.integers(len(theirs)))), *(found[image] for found in systems.values())]
        references += [theirs] * (1 + len(systems))
        objects += [listed[image]] * (1 + len(systems))
    named = mentions_of(tokens(candidates))
    there = np.zeros_like(named)
    for row, each in enumerate(objects):
        there[row, each] = True
    both = (named & there).sum(axis=1)
    with np.errstate(invalid="ignore"):
        facts = {"precise": both / named.sum(axis=1), "complete": both / there.sum(axis=1)}
    lists = {name: column.tolist() for name, column in facts.items()}
    maker.add("systems", candidates, references, names=["people", *systems], **lists)


def _captions_of(system: str) -> dict[str, str]:
    """Return the captions of a system by image."""
    (path,) = (*COCO.glob(f"systems/{system}.json.gz"), *SHARED.glob(f"coco_systems_newer/{system}.json.gz"))
    with gzip.open(path) as file:
        content = json.load(file)
    if isinstance(content, list):
        return {str(entry["image_id"]): entry["caption"] for entry in content}
    return {image: texts[0] for image, texts in content["captions"].items()}


def add_proxy(maker: _Maker, data: Corpus, spoiler: Spoiler, similar: Integers) -> None:
    """Add held-out images: a caption, two of similar images, one of any, one with wrong facts, one ill-formed."""
    generator = np.random.default_rng(SEED)
    held = data.split()[1]
    candidates, references = [], []
    texts = [" ".join(words) for words in data.words]
    for image in generator.permutation(held)[:2500].tolist():
        own = list(range(int(data.first[image]), int(data.first[image + 1])))
        place = own.pop(int(generator.integers(len(own))))
        taken = {word for at in (*own, place) for word in data.words[at]}
        made = spoil(spoiler, data.words[place], taken, generator)
        near = generator.choice(similar[image], 2, replace=False).tolist()
        others = [*near, int(generator.integers(data.images))]
        drawn = [texts[int(generator.integers(data.first[other], data.first[other + 1]))] for other in others]
        candidates += [texts[place], *drawn, *(" ".join(words) for _, words in made)]
        references += [[texts[at] for at in own]] * 6
    maker.add("proxy", candidates, references, versions=6)


if __name__ == "__main__":
    main()
