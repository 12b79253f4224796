"""Measure a critique on images and systems that it has not seen.

python training/critique/report.py [--weights shipped] [--part accuracy swap systems ...]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from splits import COCO, REFERENCES, TEST, VALIDATION, name, trained_systems, unseen_systems

from caplens.api.comparing import compare
from caplens.learned.critique.config import QUICK, read_config
from caplens.learned.critique.vocabulary import KnownWords
from caplens.meta.probes.robustness import draw_captions
from caplens.metrics.critique.metric import Critique
from caplens.readers import read_references
from caplens.scenegraph.parser import caption_parser as student
from caplens.stats.correlation import correlate
from caplens.text.tokenizers import get_tokenizer
from caplens.train.common import read_ids
from caplens.train.critique.captions import ImageCaptions, NumberedCaptions, padded, read_image_captions
from caplens.train.critique.examples import HUMAN, ExampleMaker, cut

SEED = 0
LONGEST = 50
LOOKED_AT = 12345
"""Seed of the 1,000 images on which R was measured while the recipe was made."""
CONFIG = Path(__file__).resolve().parent / "config.toml"
Drawn = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def say(line: str) -> None:
    """Write a line."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class Critic:
    """Scores captions of images by a critique: human and machine captions with the same references."""

    def __init__(self, weights: str, captions: ImageCaptions) -> None:
        generator = np.random.default_rng(SEED)
        self.metric = Critique(weights=weights)
        self.human: dict[str, str] = {}
        references = {}
        for image, texts in zip(captions.images, captions.human, strict=True):
            chosen = int(generator.integers(len(texts)))
            others = [text for text in texts if text.lower() != texts[chosen].lower()]
            if others:
                self.human[image], references[image] = texts[chosen], others
        self._prepared = self.metric.prepare(references)

    def __call__(self, captions: dict[str, str]) -> np.ndarray:
        """Score a caption of each image."""
        return self.metric(captions, self._prepared, ids=None)["Critique"].item_scores


class BagOfWords:
    """A logistic regression on a caption's words and its length.

    Parameters
    ----------
    captions
        Of the training images.
    examples
        Whether it learns from the candidates that the critique sees, with the same labels (six in ten negatives are
        human captions, of other images or made worse), instead of human and machine captions alone, in equal numbers.
    """

    def __init__(self, captions: ImageCaptions, *, examples: bool) -> None:
        numbered = NumberedCaptions.of(captions, "ptb")
        self.vocabulary = KnownWords.of(numbered.count_words(), 3)
        torch.manual_seed(SEED)
        words = torch.nn.EmbeddingBag(len(self.vocabulary), 1, mode="sum", padding_idx=0)
        self.network = torch.nn.ModuleDict({"words": words, "length": torch.nn.Embedding(LONGEST + 1, 1)})
        optimiser = torch.optim.Adam(self.network.parameters(), 0.01)
        draw = self._drawn_examples(numbered) if examples else self._drawn_captions(numbered)
        for epoch in range(4):
            ids, offsets, rows, human = draw(epoch)
            for first in range(0, len(rows), 1024):
                some = slice(first, first + 1024)
                scores = self._scores(*padded(ids, offsets, rows[some]))
                labels = torch.from_numpy(human[some].astype(np.float32))
                loss = torch.nn.functional.binary_cross_entropy_with_logits(scores, labels)
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()

    def _drawn_captions(self, numbered: NumberedCaptions) -> Callable[[int], Drawn]:
        ids, offsets = cut(numbered.rows_of(self.vocabulary)[numbered.words.ids], numbered.words.offsets, LONGEST)
        human, machine = np.arange(numbered.human[-1]), np.arange(numbered.machine[0], numbered.machine[-1])
        number = min(len(human), len(machine))

        def draw(epoch: int) -> Drawn:
            generator = np.random.default_rng([SEED, epoch])
            rows = np.concatenate([generator.choice(some, number, replace=False) for some in (human, machine)])
            rows = generator.permutation(rows)
            return ids, offsets, rows, rows < len(human)

        return draw

    def _drawn_examples(self, numbered: NumberedCaptions) -> Callable[[int], Drawn]:
        config = read_config(CONFIG, QUICK).changed({"training": {"captions": 0, "references": 1, "together": False}})
        maker = ExampleMaker(numbered, self.vocabulary, replace(config.words, longest=LONGEST), config.training)

        def draw(epoch: int) -> Drawn:
            examples = maker.epoch(epoch)
            return examples.ids, examples.offsets, examples.candidate, examples.kind == HUMAN

        return draw

    def _scores(self, words: np.ndarray, counts: np.ndarray) -> torch.Tensor:
        lengths = torch.from_numpy(np.minimum(counts, LONGEST))
        return (self.network["words"](torch.from_numpy(words)) + self.network["length"](lengths))[:, 0]

    def __call__(self, captions: dict[str, str]) -> np.ndarray:
        """Score captions."""
        tokenize = get_tokenizer("ptb").tokenize
        rows = [self.vocabulary.rows(tokenize(text)) for text in captions.values()]
        ids, offsets = cut(np.concatenate(rows), np.cumsum([0, *map(len, rows)]), LONGEST)
        with torch.no_grad():
            return self._scores(*padded(ids, offsets, np.arange(len(rows)))).numpy()


Scorer = Callable[[dict[str, str]], np.ndarray]


def one_machine_caption(path: Path, images: Sequence[str], generator: np.random.Generator) -> dict[str, str]:
    """Return a caption of a system for each image."""
    found = read_image_captions([REFERENCES], [path])
    chosen = set(images)
    return {
        image: texts[int(generator.integers(len(texts)))]
        for image, texts in zip(found.images, found.machine, strict=True)
        if image in chosen and texts
    }


def balanced(human: np.ndarray, machine: np.ndarray, threshold: float) -> float:
    """Return the mean of the shares of human and of machine captions on the right side."""
    return float(((human > threshold).mean() + (machine <= threshold).mean()) / 2)


def best_threshold(human: np.ndarray, machine: np.ndarray) -> float:
    """Return the threshold with the best accuracy."""
    tried = np.quantile(np.concatenate([human, machine]), np.linspace(0.01, 0.99, 99))
    return float(max(tried, key=lambda threshold: balanced(human, machine, threshold)))


def accuracy(weights: str) -> None:
    """Human against machine captions by system, beside a bag of words."""
    trained = read_image_captions([REFERENCES], trained_systems())
    validation, test = read_ids(VALIDATION), read_ids(TEST)
    rest, tested = trained.split(test)
    learned, watched = rest.split(validation)
    bags = [BagOfWords(learned, examples=examples) for examples in (True, False)]
    generator = np.random.default_rng(SEED)
    critic = Critic(weights, watched)
    places = {image: place for place, image in enumerate(watched.images)}
    drawn = {image: str(generator.choice(watched.machine[places[image]])) for image in critic.human}
    thresholds = [best_threshold(score(critic.human), score(drawn)) for score in (critic, *bags)]
    say(f"thresholds chosen on Karpathy val: {', '.join(f'{threshold:.3f}' for threshold in thresholds)}")
    critic = Critic(weights, tested)
    scorers = (critic, *bags)
    human = [score(critic.human) for score in scorers]
    say(f"human captions: mean score {human[0].mean():.4f}")
    say("| system | seen | mean score | capability | critique | at .5 | bag, same examples | bag, human and machine |")
    say("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    rows: dict[str, list[list[float]]] = {"no": [], "yes": []}
    for path in [*unseen_systems(), *trained_systems()]:
        theirs = one_machine_caption(path, list(critic.human), generator)
        kept = [place for place, image in enumerate(critic.human) if image in theirs]
        machine = {image: theirs[image] for image in critic.human if image in theirs}
        found = [score(machine) for score in scorers]
        shares = [balanced(human[kind][kept], found[kind], thresholds[kind]) for kind in range(len(scorers))]
        capability = float(human[0][kept].mean() + 1 - found[0].mean()) / 2
        half = balanced(human[0][kept], found[0], 0.5)
        seen = "yes" if path in trained_systems() else "no"
        rows[seen].append([float(found[0].mean()), capability, shares[0], half, *shares[1:]])
        say(_row(name(path), seen, rows[seen][-1]))
    for seen, entries in rows.items():
        say(_row("mean", seen, np.mean(entries, axis=0).tolist()))


def _row(system: str, seen: str, figures: list[float]) -> str:
    shares = " | ".join(f"{share:.1%}" for share in figures[2:])
    return f"| {system} | {seen} | {figures[0]:.3f} | {figures[1]:.3f} | {shares} |"


def swapped(words: list[str]) -> list[str] | None:
    """Exchange the first noun and the last one, as subject and object; None where there are no two different ones."""
    sentence = student.load().parse([words])[0]
    if not sentence:
        return None
    nouns = [place for place, tag in enumerate(sentence[0].tags) if tag in ("NN", "NNS")]
    if len(nouns) < 2 or words[nouns[0]] == words[nouns[-1]] or len(sentence[0].tags) != len(words):
        return None
    changed = list(words)
    changed[nouns[0]], changed[nouns[-1]] = words[nouns[-1]], words[nouns[0]]
    return changed


def swap(weights: str) -> None:
    """Exchange the first and the last noun of human captions: what is left of the score, for each metric."""
    from caplens.meta.scoring import ScoringOptions, score_variants

    captions = read_image_captions([REFERENCES]).split(read_ids(TEST))[1]
    critic = Critic(weights, captions)
    tokenize = get_tokenizer("ptb").tokenize
    texts = dict(zip(captions.images, captions.human, strict=True))
    images, before, after, references = [], [], [], []
    for image, caption in list(critic.human.items())[:2000]:
        words = tokenize(caption)
        changed = swapped(words)
        if changed is not None:
            images.append(image)
            before.append(" ".join(words))
            after.append(" ".join(changed))
            references.append(tuple(text for text in texts[image] if text.lower() != caption.lower()))
    options = ScoringOptions(["coco", Critique(weights=weights)])
    scores = score_variants(options, images, {"human": before, "swapped": after}, references)
    say(f"\n{len(images):,} human captions of unseen images, the first and the last noun exchanged")
    say("| metric | share of the score that is left | lower than before |")
    say("| --- | ---: | ---: |")
    for key, ours in scores["human"].columns.items():
        theirs = scores["swapped"].columns[key]
        if "_" not in key or key.startswith(("Bleu", "ROUGE")):
            say(f"| {key} | {theirs.mean() / ours.mean():.3f} | {(theirs < ours).mean():.1%} |")


def systems(weights: str) -> None:
    """Rank all systems on the unseen images, beside CIDEr and SPICE."""
    images = read_ids(TEST)
    table = read_references([REFERENCES])
    references: dict[str, list[str]] = {}
    for image, caption in zip(table.ids, table.captions, strict=True):
        if str(image) in images:
            references.setdefault(str(image), []).append(caption)
    generator = np.random.default_rng(SEED)
    files = [*unseen_systems(), *trained_systems()]
    found = {name(path): one_machine_caption(path, list(references), generator) for path in files}
    shared = set.intersection(*(set(entry) for entry in found.values()))
    found = {system: {image: entry[image] for image in sorted(shared)} for system, entry in found.items()}
    references = {image: references[image] for image in sorted(shared)}
    comparison = compare(found, references, ["bleu", "meteor", "rouge", "cider", "spice", Critique(weights=weights)])
    keys = ("Critique", "Bleu_4", "METEOR", "ROUGE_L", "CIDEr", "SPICE")
    scores = {key: np.array([comparison[system][key].score for system in found]) for key in keys}
    say(f"\n{len(shared):,} images")
    say("| system | seen in training | " + " | ".join(f"{key} | rank" for key in keys) + " |")
    say("| --- | --- |" + " ---: | ---: |" * len(keys))
    seen = {name(path) for path in trained_systems()}
    ranks = {key: 1 + np.argsort(np.argsort(-values)) for key, values in scores.items()}
    for place in np.argsort(-scores["Critique"]).tolist():
        system = list(found)[place]
        cells = " | ".join(f"{scores[key][place]:.4f} | {ranks[key][place]}" for key in keys)
        say(f"| {system} | {'yes' if system in seen else 'no'} | {cells} |")
    for key in keys[1:]:
        tau = correlate(scores["Critique"], scores[key])
        say(f"Critique with {key}: Kendall {tau['kendall_b'].value:.3f}, Pearson {tau['pearson'].value:.3f}")


def unseen_folder(weights: str) -> None:
    """Write the human captions of unseen images, those that were looked at left out, for caplens meta robustness."""
    folder = Path(tempfile.mkdtemp(prefix="unseen-images-"))
    captions = read_image_captions([REFERENCES]).split(read_ids(TEST))[1]
    by_image = {image: tuple(texts) for image, texts in zip(captions.images, captions.human, strict=True)}
    captions, _ = captions.split(set(draw_captions(by_image, 1000, LOOKED_AT).images))
    rows = [
        {"image_id": int(image), "id": 10 * int(image) + place, "caption": text}
        for image, texts in zip(captions.images, captions.human, strict=True)
        for place, text in enumerate(texts)
    ]
    listed = [{"id": int(image)} for image in captions.images]
    (folder / "captions_val2014.json").write_text(json.dumps({"images": listed, "annotations": rows}))
    say(f"caplens meta robustness --data {folder} -m 'coco, critique'")


PARTS = {"accuracy": accuracy, "swap": swap, "systems": systems, "unseen": unseen_folder}


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", default="shipped", help="shipped, or a folder")
    parser.add_argument("--part", nargs="*", default=list(PARTS), choices=PARTS)
    arguments = parser.parse_args()
    if not COCO.exists():
        raise SystemExit(f"{COCO} is not here")
    for part in arguments.part:
        say(f"\n## {part}")
        PARTS[part](arguments.weights)


if __name__ == "__main__":
    main()
