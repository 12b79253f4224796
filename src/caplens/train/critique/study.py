"""What the studies that train critiques have in common: files of captions, settings, a folder for networks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal

from caplens.core.options import option
from caplens.errors import UsageError
from caplens.learned.critique.config import CritiqueConfig
from caplens.meta.study import MOST_SEEDS, PathLike, Preset, Study
from caplens.train.critique.request import Where, chosen_settings

SOURCE = "Learning to evaluate image captioning (Cui et al., CVPR 2018)"


@dataclass(frozen=True)
class CritiqueStudy(Study):
    """A study of many small trainings; ``say`` gets lines about the progress."""

    needs_data: ClassVar[bool] = False
    takes_metrics: ClassVar[bool] = False
    takes_scores: ClassVar[bool] = False
    published: ClassVar[Preset]

    systems: tuple[str, ...] = option((), "one caption file per system, as FILE or NAME=FILE", metavar="SYSTEMS...")
    references: tuple[str, ...] = option((), "human captions, keyed by image id", metavar="FILE")
    folder: PathLike | None = option(None, "folder for networks and results; rerun to resume", metavar="DIR")
    images: int = option(0, "number of images to sample at random; 0: all", least=0)
    features: str | None = option(None, "image features: .npz, .npy, .h5 or .safetensors", metavar="FILE")
    preset: Literal["quick", "paper", "caption-level"] = option("quick", "base settings")
    settings: PathLike | None = option(None, "settings that override the preset (.toml)", metavar="FILE")
    samples: tuple[str, ...] = option(
        (), "captions sampled from systems (Monte Carlo), used as negatives", metavar="FILE"
    )
    seed: int | None = option(None, "random seed; overrides the one in the settings", least=0, most=MOST_SEEDS)
    device: str | None = option(None, "torch device, cpu or cuda; by default, a GPU if available", metavar="NAME")
    threads: int | None = option(None, "number of torch threads")
    say: Callable[[str], None] = field(default=lambda line: None, kw_only=True, compare=False)

    @classmethod
    def for_all(cls) -> tuple[dict[str, str], ...]:
        """Return nothing: training takes too long to be one of all studies."""
        return ()

    def check_files(self) -> PathLike:
        """Refuse a study that lacks files; return the folder."""
        if not self.systems or not self.references or self.folder is None:
            raise UsageError(
                f"The study {self.name!r} needs captions of systems (systems), human captions (references) and a "
                "folder to write to (folder)."
            )
        return self.folder

    def config(self, *, augmentation: bool = True) -> CritiqueConfig:
        """Return the settings of every network."""
        features = self.features is not None
        return chosen_settings(self.preset, self.settings, self.seed, augmentation=augmentation, features=features)

    def networks(self, config: CritiqueConfig) -> str:
        """Say which networks were trained: the preset, and what matters most of it."""
        changed = "" if self.settings is None else f" changed by {Path(self.settings).name}"
        network, training = config.network, config.training
        return (
            f"preset {self.preset}{changed}: context {network.context}, fusion {network.fusion}, LSTM of "
            f"{network.hidden}, at most {training.epochs} epochs"
        )

    @property
    def where(self) -> Where:
        """Where networks are trained."""
        return Where(self.say, self.device, self.threads)
