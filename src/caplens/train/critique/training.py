"""The training of a critique: batches, checkpoints, and what is kept.

The folder of a run holds ``config.toml``, ``weights.safetensors`` (those with the smallest loss on the validation
images) and, while it is not finished, ``checkpoint.pt``: everything needed to go on after a kill.
"""

from __future__ import annotations

import hashlib
import math
import os
import pickle
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from caplens.errors import InputError, UsageError, counted, reason_of
from caplens.files.archives import check_archive
from caplens.files.arrays import Arrays, read_arrays, write_arrays
from caplens.files.atomic import atomic_path
from caplens.files.progress import blocks
from caplens.learned.critique.config import PAPER, CritiqueConfig, read_config
from caplens.learned.critique.image_features import ImageFeatures
from caplens.learned.critique.model import CONFIG, FORMAT, WEIGHTS, folder_of, load
from caplens.learned.critique.vocabulary import UNKNOWN, KnownWords
from caplens.train.critique.captions import ImageCaptions, NumberedCaptions, initial_vectors, padded
from caplens.train.critique.examples import KINDS, ExampleMaker, Examples
from caplens.train.critique.model import Critique
from caplens.train.critique.request import Where

CHECKPOINT = "checkpoint.pt"
SECONDS_BETWEEN_CHECKPOINTS = 120
SECONDS_BETWEEN_LINES = 30
VALIDATION_CAPTIONS = 4000
_VALIDATION_EPOCH = 1_000_000  # no epoch of training has this number

Say = Callable[[str], None]
_HERE = Where()


@dataclass(frozen=True)
class Figures:
    """What a network does on some examples: loss, share of right answers, and that share by kind of candidate."""

    loss: float
    accuracy: float
    by_kind: dict[str, float]

    def __str__(self) -> str:
        kinds = ", ".join(f"{kind} {share:.1%}" for kind, share in self.by_kind.items())
        return f"loss {self.loss:.4f}, accuracy {self.accuracy:.1%} ({kinds})"


class CritiqueTraining:
    """One training: network, optimiser, place in the data.

    Parameters
    ----------
    folder : pathlib.Path
        Of the run; a checkpoint in it is gone on from.
    config : CritiqueConfig
        The settings.
    training, validation : NumberedCaptions
        Captions of different images.
    where : Where
        Who gets lines with loss and accuracy now and then, where to compute, and what to begin with.
    """

    def __init__(
        self,
        folder: Path,
        config: CritiqueConfig,
        training: NumberedCaptions,
        validation: NumberedCaptions,
        where: Where = _HERE,
    ) -> None:
        self.folder, self.say = folder, where.say
        self.device = choose_device(where.device)
        if where.threads is not None:
            torch.set_num_threads(where.threads)
        if training.features is not None:
            config = replace(config, network=replace(config.network, image=training.features.shape[1]))
        elif "image" in config.network.parts:
            raise InputError(f"The context {config.network.context!r} needs image features: --features FILE.")
        self.config, self.options = config, config.training
        start = None if where.start is None else read_start(where.start, config)
        self.vocabulary = (
            start.vocabulary if start else KnownWords.of(training.count_words(), config.words.minimum_count)
        )
        if not self.vocabulary.words:
            least = counted(config.words.minimum_count, "time")
            raise InputError(f"No word occurs {least} in the human captions: lower minimum_count in [words].")
        self.training = training
        self.maker = ExampleMaker(training, self.vocabulary, config.words, self.options)
        watched = replace(self.options, together=True)
        watching = ExampleMaker(validation, self.vocabulary, config.words, watched)
        self.validation = (watching.epoch(_VALIDATION_EPOCH, VALIDATION_CAPTIONS), validation.features)
        torch.manual_seed(self.options.seed)
        vectors = initial_vectors(self.vocabulary, config.words.vectors, config.network.embedding, self.options.seed)
        self.network = Critique(config.network, vectors, self.options.dropout, self.options.seed).to(self.device)
        if start is not None:
            self.network.load_state_dict(start.weights)
        self.optimiser = torch.optim.AdamW(
            self.network.parameters(), self.options.rate, weight_decay=self.options.weight_decay
        )
        self.data = _fingerprint(start, training, validation)
        self.epoch, self.position, self.best, self.worse = 0, 0, float("inf"), 0

    @property
    def finished(self) -> bool:
        """Whether all epochs are done, or the loss on the validation images has stopped falling."""
        return self.epoch >= self.options.epochs or self.worse > self.options.patience

    def run(self) -> None:
        """Train until finished, going on from a checkpoint if there is one; what is finished is not repeated."""
        if not (self.folder / CHECKPOINT).exists():
            if (self.folder / WEIGHTS).exists():
                self._take_finished()
                self.say(f"{self.folder} already contains this finished training")
                return
            self.save_checkpoint()
        self.resume()
        checkpoint = time.monotonic()
        while not self.finished:
            examples = self.maker.epoch(self.epoch)
            batches = examples.batches(self.options.batch, self.options.references)
            for group in self.optimiser.param_groups:
                group["lr"] = self.options.rate * self.options.decay**self.epoch
            meter = _Meter(self.say, self.epoch, self.position, len(batches))
            label = f"critique: epoch {self.epoch + 1} of {self.options.epochs}"
            for _ in blocks(label, len(batches) - self.position, 1):
                meter.add(*self._learn(examples, batches[self.position]))
                self.position += 1
                if time.monotonic() - checkpoint > SECONDS_BETWEEN_CHECKPOINTS:
                    self.save_checkpoint()
                    checkpoint = time.monotonic()
            self.epoch, self.position = self.epoch + 1, 0
            self._look()
            self.save_checkpoint()
        (self.folder / CHECKPOINT).unlink(missing_ok=True)
        self.network.load_state_dict(_tensors(read_arrays(self.folder / WEIGHTS)))  # the best, as they were saved

    def _take_finished(self) -> None:
        """Take the weights of this training, finished before; those of another one are never written over."""
        arrays = read_arrays(self.folder / WEIGHTS)
        same_settings = read_config(self.folder / CONFIG, PAPER) == self.config
        if not same_settings or arrays.facts.get("data") != self.data:
            other = "captions" if same_settings else "settings"
            raise InputError(
                f"{self.folder} contains a critique trained with different {other}: choose another folder or remove it."
            )
        self.network.load_state_dict(_tensors(arrays))

    def _learn(self, examples: Examples, batch: slice) -> tuple[float, float]:
        """Learn from one batch; return its loss and the share of right answers."""
        self.network.train()
        scores, labels = self._scores(examples, batch, self.training.features, self.options.word_dropout)
        loss = functional.cross_entropy(scores, labels)
        self.optimiser.zero_grad()
        loss.backward()
        if self.options.clip:
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.options.clip)
        self.optimiser.step()
        return loss.item(), float((scores.argmax(dim=1) == labels).float().mean())

    def _scores(
        self, examples: Examples, batch: slice, features: npt.NDArray[np.float32] | None, hidden: float = 0.0
    ) -> tuple[Tensor, Tensor]:
        """Return scores and labels of a batch; each caption in it is encoded once."""
        candidate, reference = examples.candidate[batch], examples.reference[batch]
        rows, places = np.unique(np.concatenate([candidate, reference]), return_inverse=True)
        lengths = examples.offsets[rows + 1] - examples.offsets[rows]
        order = np.argsort(-lengths, kind="stable")
        words, counts = padded(examples.ids, examples.offsets, rows[order])
        back = np.argsort(order)[places]
        tensor = torch.from_numpy(words).to(self.device)
        if hidden:
            tensor[torch.rand(tensor.shape, device=self.device) < hidden] = UNKNOWN
        vectors = self.network.encode(tensor, torch.from_numpy(counts).to(self.device))
        context = {"reference": vectors[torch.from_numpy(back[len(candidate) :])]}
        if features is not None and "image" in self.config.network.parts:
            context["image"] = self.network.image(torch.from_numpy(features[examples.image[batch]]).to(self.device))
        scores = self.network.fuse(vectors[torch.from_numpy(back[: len(candidate)])], context)
        labels = torch.from_numpy(examples.label[batch]).to(self.device)
        return scores, labels

    def _look(self) -> None:
        """Measure on the validation images; keep the network if it is the best so far."""
        figures = self.measure()
        if not math.isfinite(figures.loss):
            raise InputError("The loss is no longer finite: lower rate in [training], or set clip there.")
        better = figures.loss < self.best
        self.best, self.worse = (figures.loss, 0) if better else (self.best, self.worse + 1)
        if better:
            save_network(self.folder, self.config, self.vocabulary, self.network, self.data)
        self.say(f"after epoch {self.epoch}: {figures}{' (best)' if better else ''}")

    def measure(self) -> Figures:
        """Return the figures on the validation images."""
        self.network.eval()
        examples, features = self.validation
        losses, right = [], []
        with torch.no_grad():
            for batch in examples.batches(2048, self.options.references):
                scores, labels = self._scores(examples, batch, features)
                losses.append(functional.cross_entropy(scores, labels, reduction="none").cpu().numpy())
                right.append((scores.argmax(dim=1) == labels).cpu().numpy())
        answers = np.concatenate(right)
        by_kind = {kind: answers[examples.kind == place] for place, kind in enumerate(KINDS)}
        return Figures(
            float(np.concatenate(losses).mean()),
            float(answers.mean()),
            {kind: float(some.mean()) for kind, some in by_kind.items() if len(some)},
        )

    def save_checkpoint(self) -> None:
        """Write what is needed to go on; a kill while writing leaves the checkpoint before."""
        state = {
            "config": self.config.to_toml(),
            "data": self.data,
            "network": self.network.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "random": [torch.get_rng_state(), *torch.cuda.get_rng_state_all()],
            "place": (self.epoch, self.position, self.best, self.worse),
        }
        with atomic_path(self.folder / CHECKPOINT) as temporary:
            torch.save(state, temporary)

    def resume(self) -> None:
        """Go on from the checkpoint of the folder, which must be of the same settings and captions."""
        path = self.folder / CHECKPOINT
        try:
            check_archive(path)  # torch does not
            state: dict[str, Any] = torch.load(path, weights_only=True, map_location=self.device)
        except (OSError, RuntimeError, EOFError, ValueError, pickle.UnpicklingError) as error:
            reason = reason_of(error).split(". ")[0]
            raise InputError(f"{path} is damaged ({reason}): remove {self.folder} to start again.") from error
        for what, name, ours in (("config", "settings", self.config.to_toml()), ("data", "captions", self.data)):
            if state[what] != ours:
                raise InputError(
                    f"{path} belongs to a training run with different {name}: choose another folder or remove it."
                )
        self.network.load_state_dict(state["network"])
        self.optimiser.load_state_dict(state["optimiser"])
        processor, *cards = (random.cpu() for random in state["random"])
        torch.set_rng_state(processor)
        torch.cuda.set_rng_state_all(cards)
        self.epoch, self.position, self.best, self.worse = state["place"]
        if self.epoch or self.position:
            self.say(f"resuming at epoch {self.epoch + 1}, batch {self.position + 1}")


class _Meter:
    """Says now and then how an epoch goes."""

    def __init__(self, say: Say, epoch: int, before: int, batches: int) -> None:
        self._say, self._epoch, self._before, self._batches = say, epoch, before, batches
        self._seen: list[tuple[float, float]] = []
        self._since = self._line = time.monotonic()

    def add(self, loss: float, accuracy: float) -> None:
        self._seen.append((loss, accuracy))
        now = time.monotonic()
        if now - self._line > SECONDS_BETWEEN_LINES:
            self._line = now
            loss, accuracy = np.mean(self._seen[-200:], axis=0)
            batch = self._before + len(self._seen)
            self._say(
                f"epoch {self._epoch + 1}, batch {batch:,} of {self._batches:,}: loss {loss:.4f}, "
                f"accuracy {accuracy:.1%}, {now - self._since:.0f} s"
            )


def choose_device(name: str | None) -> str:
    """Return where torch computes: as asked for, else on a GPU if there is one."""
    if name is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError) as error:
        raise UsageError(f"Torch cannot use the device {name!r} here: choose cpu, or cuda with a GPU.") from error
    return name


def train_on(
    folder: Path,
    config: CritiqueConfig,
    learned: ImageCaptions,
    watched: ImageCaptions,
    features: ImageFeatures | None = None,
    where: Where = _HERE,
) -> Figures:
    """Train on captions, watched on others; return the figures on those. A finished training is not repeated."""
    tokenizer = config.words.tokenizer
    training, validation = (NumberedCaptions.of(some, tokenizer, features) for some in (learned, watched))
    run = CritiqueTraining(folder, config, training, validation, where)
    run.run()
    return run.measure()


@dataclass(frozen=True, eq=False)
class Start:
    """What a training begins with instead of random weights."""

    fingerprint: str
    vocabulary: KnownWords
    weights: dict[str, Tensor]


def read_start(folder: str | os.PathLike[str], config: CritiqueConfig) -> Start:
    """Read a saved critique to go on from; its network must be of the same kind and size."""
    saved = load(os.fspath(folder))
    if replace(saved.config.network, image=0) != replace(config.network, image=0):  # it follows from the features
        raise InputError(
            f"The critique in {folder} has a different network from the one in the settings: change [network]."
        )
    weights = _tensors(read_arrays(folder_of(os.fspath(folder)) / WEIGHTS))
    return Start(saved.fingerprint, saved.vocabulary, weights)


def _tensors(arrays: Arrays) -> dict[str, Tensor]:
    """Return saved weights as the network takes them, in single precision."""
    weights = {name: torch.from_numpy(np.array(arrays[name])) for name in arrays if name != "words"}
    return {name: tensor.float() if tensor.is_floating_point() else tensor for name, tensor in weights.items()}


def _fingerprint(start: Start | None, *captions: NumberedCaptions) -> str:
    """Return a hash of captions, features and first weights: by it a training knows its own checkpoint."""
    digest = hashlib.sha256(b"" if start is None else start.fingerprint.encode())
    for some in captions:
        digest.update(b"\n".join(some.words.table.key(word) for word in range(len(some.words.table))))
        for array in (some.words.ids, some.words.offsets, some.human, some.machine, some.samples, some.features):
            digest.update(b"" if array is None else np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:12]


def save_network(folder: Path, config: CritiqueConfig, vocabulary: KnownWords, network: Critique, data: str) -> None:
    """Write weights, words, settings and a hash of the captions, as `caplens.learned.critique.model` reads them."""
    kind = np.float16 if config.training.half else np.float32
    arrays: dict[str, npt.NDArray[Any]] = {}
    for name, tensor in network.state_dict().items():
        array = tensor.detach().cpu().numpy()
        arrays[name] = array.astype(kind) if array.dtype.kind == "f" else array
    arrays["words"] = np.frombuffer("\n".join(vocabulary.words).encode(), np.uint8)
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(arrays[name].tobytes())
    config.write(folder / CONFIG)
    with atomic_path(folder / WEIGHTS) as temporary:
        facts = {"format": FORMAT, "fingerprint": digest.hexdigest()[:12], "data": data, "config": config.checksum}
        write_arrays(temporary, arrays, facts)
