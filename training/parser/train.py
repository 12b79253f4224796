"""Train the caption parser on the silver parses.

    python training/parser/train.py --run RUN [--config config.toml] [--minutes 120]

Started again with the same ``--run`` it goes on from the last checkpoint, with the configuration saved there. The
directory then holds ``config.toml``, ``checkpoint.pt`` (everything needed to go on) and ``best.safetensors`` (averaged
weights with the best labelled attachment on the held-out captions, and the vocabulary).
"""

from __future__ import annotations

import argparse
import math
import shutil
import time
import tomllib
from pathlib import Path

import numpy as np
import torch
from evaluate import measure
from model import NetworkSize, Parser
from runs import CACHE, SILVER, held_out, save_network, say, trained_on
from silver import Parses, Vocabulary, batches, build_vocabulary, gather, load_parses
from torch import Tensor

from caplens.scenegraph.parser.features import UNKNOWN_ROW

SECONDS_BETWEEN_CHECKPOINTS = 240
SECONDS_BETWEEN_LINES = 60
BATCHES_BETWEEN_MEASUREMENTS = 1000


class Training:
    """The state of one training: network, averaged network, optimiser, place in the data.

    Parameters
    ----------
    run
        Directory of the run.
    config
        The parsed configuration.
    parses
        All silver parses; the last ones are held out.
    """

    def __init__(self, run: Path, config: dict, parses: Parses) -> None:
        self.run, self.options = run, config["training"]
        data = config["data"]
        self.training = trained_on(parses, data["development"], data["captions"])
        self.development = held_out(parses, data["development"])
        self.vocabulary: Vocabulary = build_vocabulary(self.training, data["minimum_count"], data["buckets"])
        self.features = torch.from_numpy(self.vocabulary.features(parses.forms))
        counts = np.bincount(self.training.form, minlength=len(parses.forms))
        rate = self.options["word_dropout"]
        self.hiding = torch.from_numpy((rate / (rate + counts)).astype(np.float32))
        torch.manual_seed(self.options["seed"])
        size = NetworkSize(
            self.vocabulary.rows, len(self.vocabulary.tags), len(self.vocabulary.labels), **config["network"]
        )
        self.network = Parser(size, self.options["dropout"])
        self.averaged = Parser(size, dropout=0.0)
        self.averaged.load_state_dict(self.network.state_dict())
        matrices = [weights for weights in self.network.parameters() if weights.dim() > 1]
        vectors = [weights for weights in self.network.parameters() if weights.dim() == 1]
        groups = [
            {"params": matrices, "weight_decay": self.options["weight_decay"]},
            {"params": vectors, "weight_decay": 0.0},
        ]
        self.optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98), eps=1e-8, fused=True)
        self.epoch, self.position, self.updates, self.best, self.seconds = 0, 0, 0, 0.0, 0.0
        self.plan = self._plan()
        self.total = self.options["epochs"] * len(self.plan)

    def _plan(self) -> list[np.ndarray]:
        """Give the batches of the current epoch: the same ones whenever it is resumed."""
        generator = np.random.default_rng((self.options["seed"], self.epoch))
        return batches(self.training, self.options["tokens"], generator)

    @property
    def finished(self) -> bool:
        """Whether all epochs are done."""
        return self.epoch >= self.options["epochs"]

    def learning_rate(self) -> float:
        """Rise linearly during the warm-up, then fall along a cosine to a hundredth."""
        warm = min(1.0, (self.updates + 1) / self.options["warm_up"])
        progress = min(1.0, self.updates / self.total)
        return self.options["learning_rate"] * warm * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * progress)))

    def step(self) -> float:
        """Learn from one batch; give its loss."""
        batch = gather(self.training, self.plan[self.position])
        forms = torch.from_numpy(batch.form.T.astype(np.int64))
        features = self.features[forms]
        hidden = torch.rand(forms.shape) < self.hiding[forms]
        features[..., 0].masked_fill_(hidden, UNKNOWN_ROW)
        tags, heads, labels = (_tensor(column) for column in (batch.tag, batch.head, batch.label))
        self.network.train()
        late = self.epoch >= self.options["late"]
        self.network.dropout.rate = self.options["late_dropout" if late else "dropout"]
        for group in self.optimiser.param_groups:
            group["lr"] = self.learning_rate()
        self.optimiser.zero_grad()
        loss = self.network.loss(features, tags, heads, labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.options["clip"])
        self.optimiser.step()
        self.updates += 1
        # A young average must forget the random start: its window grows with the number of updates.
        decay = min(self.options["average"], self.updates / (self.updates + 10))
        with torch.no_grad():
            torch._foreach_lerp_(list(self.averaged.parameters()), list(self.network.parameters()), 1 - decay)
        self._advance()
        return loss.item()

    def _advance(self) -> None:
        self.position += 1
        if self.position == len(self.plan):
            self.epoch, self.position = self.epoch + 1, 0
            self.plan = self._plan()

    def evaluate(self) -> None:
        """Measure the averaged network on the held-out captions; keep it if it is the best so far."""
        agreement = measure(self.averaged, self.vocabulary, self.development)
        mark = ""
        if agreement.labelled > self.best:
            self.best, mark = agreement.labelled, "  (best)"
            save_network(self.run / "best.safetensors", self.vocabulary, self.averaged.state_dict())
        say(f"development: epoch {self.epoch} batch {self.position}  {agreement}{mark}")

    def save(self) -> None:
        """Write a checkpoint; an interruption leaves the one before intact."""
        state = {
            "network": self.network.state_dict(),
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
        self.network.load_state_dict(state["network"])
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
            if self.updates % BATCHES_BETWEEN_MEASUREMENTS == 0:
                self.evaluate()
            if now - checkpoint > SECONDS_BETWEEN_CHECKPOINTS:
                self.save()
                checkpoint = now
            if minutes and now - start > 60 * minutes:
                break
        self.evaluate()
        self.save()
        say("finished" if self.finished else "time is up; the same command goes on")


def _tensor(column: np.ndarray) -> Tensor:
    return torch.from_numpy(column.astype(np.int64))


def main() -> None:
    """Train, or go on training."""
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="directory of checkpoints and weights")
    parser.add_argument("--config", type=Path, default=here / "config.toml", help="read when the run is new")
    parser.add_argument("--minutes", type=float, default=0, help="stop after this time; 0: when the epochs are done")
    parser.add_argument("--silver", type=Path, default=SILVER, help="directory of the silver parses")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where the arrays of the silver parses are kept")
    parser.add_argument("--threads", type=int, default=1, help="processor cores to use")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    arguments.run.mkdir(parents=True, exist_ok=True)
    saved = arguments.run / "config.toml"
    if not saved.exists():
        shutil.copyfile(arguments.config, saved)
    config = tomllib.loads(saved.read_text())
    parses = load_parses(sorted(arguments.silver.glob("part-*.jsonl.gz")), arguments.cache)
    training = Training(arguments.run, config, parses)
    weights = sum(weights.numel() for weights in training.network.parameters())
    say(
        f"{len(training.training)} captions, {len(training.development)} held out, {parses.skipped} skipped;"
        f" {len(training.vocabulary.words)} words; {weights / 1e6:.2f} M weights; {len(training.plan)} batches an epoch"
    )
    training.resume()
    training.go(arguments.minutes)


if __name__ == "__main__":
    main()
