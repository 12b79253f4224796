"""Train the caption parser on the silver parses.

    python training/parser/train.py --run RUN [--config config.toml] [--minutes 120]

Started again with the same ``--run`` it goes on from the last checkpoint, with the configuration saved there. The
directory then holds ``config.toml``, ``checkpoint.pt`` (everything needed to go on) and ``best.safetensors`` (averaged
weights with the best labelled attachment on the held-out captions, and the vocabulary).
"""

from __future__ import annotations

import argparse
import copy
import math
import shutil
import time
import tomllib
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from alike import Alike, group_words
from evaluate import measure
from model import FixedVectors, NetworkSize, Parser
from phrases import Phrases, find_phrases
from runs import CACHE, SILVER, save_network, say
from scorers import PlainScorer, Scorer
from silver import Batch, Parses, Vocabulary, batches, build_vocabulary, gather, load_parses, read_parses
from split import split
from torch import Tensor, nn
from vectors import WordVectors, load_vectors

from caplens.files.arrays import Arrays, read_arrays
from caplens.scenegraph.parser.features import UNKNOWN_ROW

SECONDS_BETWEEN_CHECKPOINTS = 240
SECONDS_BETWEEN_LINES = 60


class Training:
    """The state of one training: network, averaged network, optimiser, place in the data.

    Parameters
    ----------
    run
        Directory of the run.
    config
        The parsed configuration.
    parses
        All silver parses.
    vectors
        Vectors of words, made by vectors.py.
    taught
        Captions that a teacher parsed, to be trained on, too.
    shipped
        A parser that export.py wrote, to begin with; its words stay, so `vectors` has none.
    """

    def __init__(
        self,
        run: Path,
        config: dict,
        parses: Parses,
        vectors: WordVectors,
        taught: Parses | None = None,
        shipped: Arrays | None = None,
    ) -> None:
        self.run, self.config, self.options = run, config, config["training"]
        data = config["data"]
        parts = split(parses, data["captions"])
        self.training, self.development = parts.training, parts.development
        self.silver = len(self.training)
        if taught is not None:
            self.training = self.training.join(taught)
        self.vocabulary = build_vocabulary(self.training, data["minimum_count"], data["buckets"], data["most_words"])
        if shipped is not None:
            words, tags, labels = (bytes(shipped[name]).decode().split("\n") for name in ("words", "tags", "labels"))
            if (tags, labels) != (self.vocabulary.tags, self.vocabulary.labels):
                raise SystemExit("The parser to begin with has other tags or labels than the silver parses.")
            self.vocabulary = replace(self.vocabulary, words=words)
        self._look_up(vectors, data["further_words"])
        torch.manual_seed(self.options["seed"])
        self.network = self._new_network(self.vocabulary, self.options["dropout"])
        if shipped is not None:
            own = self.network.state_dict()
            self.network.load_state_dict({name: torch.from_numpy(np.float32(shipped[name])) for name in own})
        self.fixed = FixedVectors(torch.from_numpy(vectors.matrix), config["network"]["embedding"])
        self.learning = nn.ModuleList([self.network, self.fixed])
        self.averaged = copy.deepcopy(self.learning)
        self.optimiser = torch.optim.AdamW(self._groups(), betas=(0.9, 0.98), eps=1e-8, fused=True)
        self.epoch, self.position, self.updates, self.best, self.seconds = 0, 0, 0, 0.0, 0.0
        self.plan = self._plan()
        self.total = round(self.options["epochs"] * len(self.plan))

    def _look_up(self, vectors: WordVectors, further: int) -> None:
        """Find for each form its rows, the row of its fixed vector, and how often it is hidden."""
        forms = self.training.forms
        self.features = torch.from_numpy(self.vocabulary.features(forms))
        self.rows = torch.from_numpy(vectors.rows(forms))
        counts = np.bincount(self.training.form, minlength=len(forms))
        rate = self.options["word_dropout"]
        self.hiding = torch.from_numpy((rate / (rate + counts)).astype(np.float32))
        known = set(self.vocabulary.words)
        self.further = [word for word in vectors.words if word not in known][:further]
        self.word_rows = torch.from_numpy(vectors.rows(self.vocabulary.words))
        self.further_rows = torch.from_numpy(vectors.rows(self.further))

    def _groups(self) -> list[dict[str, Any]]:
        """Group the weights by their decay and by their share of the learning rate."""
        shares = {"": 1.0, "encoder.": self.options.get("encoder_share", 1.0)}
        groups = []
        for prefix, share in shares.items():
            named = [
                weights
                for name, weights in self.learning.named_parameters()
                if name.removeprefix("0.").startswith("encoder.") == bool(prefix)
            ]
            for decay, matrices in ((self.options["weight_decay"], True), (0.0, False)):
                chosen = [weights for weights in named if (weights.dim() > 1) == matrices]
                if chosen:
                    groups.append({"params": chosen, "weight_decay": decay, "share": share})
        return groups

    def _new_network(self, vocabulary: Vocabulary, dropout: float) -> Parser:
        size = NetworkSize(vocabulary.rows, len(vocabulary.tags), len(vocabulary.labels), **self.config["network"])
        return Parser(size, dropout)

    def _plan(self) -> list[np.ndarray]:
        """Give the batches of the current epoch: the same ones whenever it is resumed.

        Every pass has all silver captions and its slice of the taught ones, which are many and less certain.
        """
        generator = np.random.default_rng((self.options["seed"], self.epoch))
        slices = self.options["taught_slices"]
        numbers = np.arange(len(self.training))
        among = numbers[(numbers < self.silver) | (numbers % slices == self.epoch % slices)]
        return batches(self.training, self.options["tokens"], generator, self._lengths(), among)

    def _lengths(self) -> np.ndarray | None:
        """Give what must be equal within a batch besides the number of words."""
        return None

    @property
    def finished(self) -> bool:
        """Whether all epochs are done."""
        return self.updates >= self.total

    def learning_rate(self) -> float:
        """Rise linearly during the warm-up, then fall along a cosine to a hundredth."""
        warm = min(1.0, (self.updates + 1) / self.options["warm_up"])
        progress = min(1.0, self.updates / self.total)
        return self.options["learning_rate"] * warm * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * progress)))

    def step(self) -> float:
        """Learn from one batch; give its loss."""
        batch = self._exchanged(gather(self.training, self.plan[self.position]))
        tags, heads, labels = (tensor_of(column) for column in (batch.tag, batch.head, batch.label))
        self.learning.train()
        whole = self.epoch >= self.options["whole_trees"]
        for group in self.optimiser.param_groups:
            group["lr"] = group["share"] * self.learning_rate()
        self.optimiser.zero_grad()
        # Products in bfloat16 take half the time; weights, sums and losses stay in single precision.
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = self.network.loss(self._states(batch), tags, heads, labels, whole_trees=whole)
        # Captions of a rare length make small batches, which must not count as much as full ones.
        (loss * min(1.0, batch.form.size / self.options["tokens"])).backward()
        torch.nn.utils.clip_grad_norm_(self.learning.parameters(), self.options["clip"])
        self.optimiser.step()
        self.updates += 1
        # A young average must forget the random start: its window grows with the number of updates.
        decay = min(self.options["average"], self.updates / (self.updates + 10))
        with torch.no_grad():
            torch._foreach_lerp_(list(self.averaged.parameters()), list(self.learning.parameters()), 1 - decay)
        self._advance()
        return loss.item()

    @cached_property
    def _exchangeable(self) -> tuple[Alike, Phrases]:
        return group_words(self.training), find_phrases(self.training)

    def _exchanged(self, batch: Batch) -> Batch:
        """Exchange phrases and words that the reference treats alike, in every pass others."""
        words, phrases = self._exchangeable
        generator = np.random.default_rng((self.options["seed"], self.updates))
        batch = phrases.exchange(self.training, batch, self.options["exchange_phrases"], generator)
        return replace(batch, form=words.exchange(batch.form, self.options["exchange"], generator))

    def _states(self, batch: Batch) -> Tensor:
        """Encode the words of a batch, some of them hidden."""
        return self.network.encode(*self._words(batch))

    def _words(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Give rows and fixed vectors of words; of some the own row is hidden, of half of these the vector, too."""
        forms = tensor_of(batch.form.T)
        features, rows = self.features[forms], self.rows[forms]
        hidden = torch.rand(forms.shape) < self.hiding[forms]
        features[..., 0].masked_fill_(hidden, UNKNOWN_ROW)
        rows = rows.masked_fill(hidden & (torch.rand(forms.shape) < 0.5), -1)
        return features, self.fixed(rows)

    def _advance(self) -> None:
        self.position += 1
        if self.position == len(self.plan):
            self.epoch, self.position = self.epoch + 1, 0
            self.plan = self._plan()

    def finished_network(self) -> tuple[Parser, Vocabulary]:
        """Give the averaged network as it will ship: the fixed vectors are added to the rows of the words."""
        network, fixed = self.averaged
        words = [*self.vocabulary.words, *self.further]
        vocabulary = replace(self.vocabulary, words=words)
        weights = network.state_dict()
        weights["embedding.weight"] = fixed.folded(
            weights["embedding.weight"], len(self.vocabulary.words), self.word_rows, self.further_rows
        )
        folded = self._new_network(vocabulary, dropout=0.0)
        folded.load_state_dict(weights)
        return folded, vocabulary

    def evaluate(self) -> None:
        """Measure the averaged network on the development captions; keep it if it is the best so far."""
        with torch.random.fork_rng():
            network, vocabulary = self.finished_network()
        agreement = measure([self._scorer(network, vocabulary)], self.development)
        mark = ""
        if agreement.labelled > self.best:
            self.best, mark = agreement.labelled, "  (best)"
            self._keep(self.run / "best.safetensors", network, vocabulary)
        say(f"development: epoch {self.epoch} batch {self.position}  {agreement}{mark}")

    def _scorer(self, network: Parser, vocabulary: Vocabulary) -> Scorer:
        return PlainScorer(network, vocabulary, self.development.forms)

    def _keep(self, path: Path, network: Parser, vocabulary: Vocabulary) -> None:
        save_network(path, vocabulary, network.state_dict())

    def save(self) -> None:
        """Write a checkpoint; an interruption leaves the one before intact."""
        state = {
            "learning": self.learning.state_dict(),
            "averaged": self.averaged.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "random": torch.get_rng_state(),
            "place": (self.epoch, self.position, self.updates, self.best, self.seconds),
        }
        unfinished = self.run / "checkpoint.unfinished"
        torch.save(state, unfinished)
        unfinished.replace(self.run / "checkpoint.pt")

    def resume(self) -> None:
        """Go on from the checkpoint of the run, if there is one."""
        path = self.run / "checkpoint.pt"
        if not path.exists():
            return
        state = torch.load(path, weights_only=True)
        self.learning.load_state_dict(state["learning"])
        self.averaged.load_state_dict(state["averaged"])
        self.optimiser.load_state_dict(state["optimiser"])
        torch.set_rng_state(state["random"])
        self.epoch, self.position, self.updates, self.best, self.seconds = state["place"]
        self.plan = self._plan()
        say(f"resumed at epoch {self.epoch} batch {self.position}, best LAS {self.best:.2%}")

    def go(self, minutes: float) -> None:
        """Train until the epochs are done or the time is up; both end with a measurement and a checkpoint."""
        start = line = checkpoint = time.monotonic()
        before, losses = self.seconds, []
        while not self.finished:
            losses.append(self.step())
            now = time.monotonic()
            self.seconds = before + now - start
            if now - line > SECONDS_BETWEEN_LINES:
                left = self.seconds / self.updates * (self.total - self.updates) / 3600
                say(
                    f"epoch {self.epoch} batch {self.position}/{len(self.plan)}  loss {np.mean(losses):.4f}"
                    f"  rate {self.learning_rate():.2e}  {self.seconds / 60:.0f} min, {left:.1f} h to go"
                )
                line, losses = now, []
            if self.updates % self.options["measure_every"] == 0:
                self.evaluate()
            if now - checkpoint > SECONDS_BETWEEN_CHECKPOINTS:
                self.save()
                checkpoint = now
            if minutes and now - start > 60 * minutes:
                break
        self.evaluate()
        self.save()
        say("finished" if self.finished else "time is up; the same command goes on")


def tensor_of(column: np.ndarray) -> Tensor:
    """Give integers as torch wants them."""
    return torch.from_numpy(column.astype(np.int64))


def main(kind: type[Training] = Training, default_config: str = "config.toml", about: str | None = __doc__) -> None:
    """Train, or go on training."""
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="directory of checkpoints and weights")
    parser.add_argument("--config", type=Path, default=here / default_config, help="read when the run is new")
    parser.add_argument("--minutes", type=float, default=0, help="stop after this time; 0: when the epochs are done")
    parser.add_argument("--silver", type=Path, default=SILVER, help="directory of the silver parses")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where the arrays of the silver parses are kept")
    words = parser.add_mutually_exclusive_group(required=True)
    words.add_argument("--vectors", type=Path, help="word vectors made by vectors.py")
    words.add_argument("--start", type=Path, help="parser made by export.py, to begin with its words and weights")
    parser.add_argument("--taught", type=Path, help="directory of parses made by annotate.py, to be trained on, too")
    parser.add_argument("--threads", type=int, default=1, help="processor cores to use")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    arguments.run.mkdir(parents=True, exist_ok=True)
    saved = arguments.run / "config.toml"
    if not saved.exists():
        shutil.copyfile(arguments.config, saved)
    config = tomllib.loads(saved.read_text())
    parses = load_parses(sorted(arguments.silver.glob("part-*.jsonl.gz")), arguments.cache)
    taught = read_parses(sorted(arguments.taught.glob("part-*.jsonl.gz"))) if arguments.taught else None
    vectors = load_vectors(arguments.vectors) if arguments.vectors else WordVectors([], np.zeros((0, 1), np.float32))
    shipped = read_arrays(arguments.start) if arguments.start else None
    training = kind(arguments.run, config, parses, vectors, taught, shipped)
    weights = sum(weights.numel() for weights in training.finished_network()[0].parameters())
    say(
        f"{len(training.training)} captions, {len(training.development)} for development, {parses.skipped} skipped;"
        f" {len(training.vocabulary.words)} words; {weights / 1e6:.2f} M weights; {len(training.plan)} batches an epoch"
    )
    training.resume()
    training.go(arguments.minutes)


if __name__ == "__main__":
    main()
